/* table/where_refuse.h — what a condition may not say, and what to write instead. */
#ifndef JALI_TABLE_WHERE_REFUSE_H
#define JALI_TABLE_WHERE_REFUSE_H

#include "table/sql.h"

/* Refuses a node that is not known, or an operator by its kind in the tree and its name. */
jali_status jali_where_refuse(const jali_sql *sql, const json_t *node, jali_err *err);
jali_status jali_where_refuse_operator(const jali_sql *sql, const json_t *node,
                                       const char *kind, const char *name, jali_err *err);

#endif
