/* tally/partition_sql.h — a clustering as SQL over codes. */
#ifndef JALI_TALLY_PARTITION_SQL_H
#define JALI_TALLY_PARTITION_SQL_H

#include "base/text.h"
#include "tally/partition.h"

/* The label of a record whose column k has the code code[k] (SQL): for jali_label.sql, where
 * `partition` is a jali_partition. False: it cannot be written, or is too long. */
bool jali_partition_sql(const void *partition, const char *const *code, jali_text *out);

#endif
