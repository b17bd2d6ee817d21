/* tally/sparse.h — a table with more cells than memory: only those that somebody is in.
 *
 * Not counted in the one pass of a plan but at once, by sorting: about 50 ns a row, and 32
 * bytes while it lasts. Which cells there are depends on the rows, so the list is as sealed as
 * the numbers in it.
 */
#ifndef JALI_TALLY_SPARSE_H
#define JALI_TALLY_SPARSE_H

#include "tally/plan.h"

typedef struct jali_sparse jali_sparse; /* opened by tally/open.h */

typedef struct jali_sparse_table {
    size_t slice;
    unsigned groups; /* labels from here on are nobody's */
    size_t n;        /* columns */
    const char *column[JALI_PLAN_COLUMNS];
    bool nulls[JALI_PLAN_COLUMNS]; /* else rows with NULL there are left out              */
    const char *summed;            /* NULL: counts alone; else rows with NULL are left out */
    uint64_t centre;
} jali_sparse_table;

/* A cell's number is a mixed-radix number of its codes, the last column fastest; the radix is
 * the domain, less one without nulls. Names must be known to the plan (jali_plan_touch), whose
 * columns were checked by jali_plan_check. JALI_E_USAGE: more than 2^62 cells. */
JALI_MUST_USE jali_status jali_sparse_count(const jali_plan *plan,
                                            const jali_sparse_table *table, jali_arena *arena,
                                            const jali_sparse **out, jali_err *err);

#endif
