/* explain/cluster/sql.h — a clustering as a query: every row of a table with its label. */
#ifndef JALI_EXPLAIN_CLUSTER_SQL_H
#define JALI_EXPLAIN_CLUSTER_SQL_H

#include "tally/partition.h"

/* SELECT t.*, (...) AS cluster FROM name AS t; for PostgreSQL and DuckDB. Values become the
 * codes of the schema first (rounded, clamped, undeclared ones NULL or `other`), so labels are
 * those of jali_partition_of. Texts that stand for NULL in a file are not known to a database.
 * In the arena. */
JALI_MUST_USE jali_status jali_cluster_sql(const jali_partition *partition,
                                           const jali_schema *schema, jali_arena *arena,
                                           char **out, jali_err *err);

#endif
