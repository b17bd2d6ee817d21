/* tally/sparse_crew.h — lists of cells of several ranks, made one. */
#ifndef JALI_TALLY_SPARSE_CREW_H
#define JALI_TALLY_SPARSE_CREW_H

#include "tally/crew.h"
#include "tally/sparse.h"

JALI_MUST_USE jali_status jali_order_sparse(const jali_plan *plan, const jali_columns *columns,
                                            const jali_sparse_table *table, jali_err *err);

/* Rank 0's *out is the list of everybody; the others keep their own. After jali_crew_agree. */
JALI_MUST_USE jali_status jali_sparse_merge(const jali_crew *crew, unsigned groups,
                                            const jali_sparse *mine, jali_arena *arena,
                                            const jali_sparse **out, jali_err *err);

#endif
