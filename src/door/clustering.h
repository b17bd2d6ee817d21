/* door/clustering.h — the clustering that a request names: a stored one, JSON, or rules. */
#ifndef JALI_DOOR_CLUSTERING_H
#define JALI_DOOR_CLUSTERING_H

#include "budget/ledger.h"
#include "table/schema.h"
#include "tally/partition.h"

/* Reads `text` (jali.h tells of its forms). *canonical names the function in plans: equal
 * functions, equal names. Everything lives in the arena. JALI_E_USAGE for the analyst. */
JALI_MUST_USE jali_status jali_clustering_read(const char *text, const jali_schema *schema,
                                               jali_ledger *ledger, jali_arena *arena,
                                               jali_partition *out, const char **canonical,
                                               jali_err *err);

#endif
