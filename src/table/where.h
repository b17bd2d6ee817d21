/* table/where.h — a SQL condition over the words of a schema, and back.
 *
 * Known: a column compared with a constant in either order, [NOT] IN, [NOT] BETWEEN,
 * IS [NOT] NULL, IS [NOT] TRUE / FALSE / UNKNOWN and bare names of boolean columns, AND, OR,
 * NOT, TRUE, FALSE, NULL. Everything else is refused where it stands. Truth is three-valued
 * as in SQL. Nothing here depends on a row.
 */
#ifndef JALI_TABLE_WHERE_H
#define JALI_TABLE_WHERE_H

#include "table/predicate.h"
#include "table/schema.h"
#include "table/sql.h"

/* Reads a condition: the text after WHERE. *out is canonical, so that equal wordings are
 * equal predicates, and lives in the arena. */
JALI_MUST_USE jali_status jali_where_parse(const jali_schema *schema, const char *text,
                                           jali_arena *arena, const jali_predicate **out,
                                           jali_err *err);

/* The same for the whereClause of a SELECT that is already parsed. */
JALI_MUST_USE jali_status jali_where_tree(const jali_schema *schema, const jali_sql *sql,
                                          const json_t *clause, jali_arena *arena,
                                          const jali_predicate **out, jali_err *err);

/* The column that a ColumnRef names: exactly, or, if only one differs from it by the case
 * of letters, that one. Refused with the nearest name. */
JALI_MUST_USE jali_status jali_where_column(const jali_schema *schema, const jali_sql *sql,
                                            const json_t *node, size_t *out, jali_err *err);

/* A predicate as SQL over the schema's words; reading it again gives an equal one. Refuses
 * (JALI_E_USAGE) columns that the schema does not have. In the arena. */
JALI_MUST_USE jali_status jali_where_text(const jali_schema *schema, const jali_predicate *p,
                                          jali_arena *arena, char **out, jali_err *err);

#endif
