/* explain/contrast/swap.h — single-swap local search: Whitaker's fast interchange.
 *
 * Centres are known by their distances to all points, one row each, so that candidates may be
 * nodes of a graph as well as places. One centre may be fixed: it is never swapped out.
 */
#ifndef JALI_EXPLAIN_CONTRAST_SWAP_H
#define JALI_EXPLAIN_CONTRAST_SWAP_H

#include "base/arena.h"
#include "base/err.h"

/* What a stable set is worth at most, against the best set that keeps the fixed centre: all
 * swaps from F tried, none better by more than a factor 1 - tau/k (ALGORITHMS 3.2). */
enum {
    JALI_SWAP_MEDIAN = 5,          /* any F, metric distances                        */
    JALI_SWAP_MEANS_CENTROID = 25, /* F holds the centroids of the best clusters     */
    JALI_SWAP_MEANS = 81           /* any finite F, squared distances                */
};

typedef struct jali_interchange {
    size_t n, k, fixed; /* points, centres; fixed = k: none */
    const float *w;
    float *row; /* k rows of n distances                */
    float *d1, *d2;
    uint32_t *n1;
    double *loss, *net; /* k each */
} jali_interchange;

JALI_MUST_USE jali_status jali_interchange_new(jali_interchange *out, size_t n, size_t k,
                                               size_t fixed, const float *w, jali_arena *arena,
                                               jali_err *err);

/* Call after rows were written: nearest, second nearest, what each centre saves. Returns the
 * cost. */
double jali_interchange_refresh(jali_interchange *x);

/* By how much the cost falls if a candidate with distances d comes in for the centre that is
 * missed least (*out). Negative: it rises. */
double jali_interchange_try(jali_interchange *x, const float *d, size_t *out);

/* The centre s is now where the candidate was. */
void jali_interchange_put(jali_interchange *x, size_t s, const float *d);

/* Best swap after best swap among the f candidates whose rows `matrix` holds, from start[0..k)
 * (candidates; start[fixed] stays, if fixed < k) until none lowers the cost by a factor
 * 1 - tau/k. set[0..k) is where it ends; returns its cost in *cost. */
JALI_MUST_USE jali_status jali_swap_matrix(const float *matrix, size_t f, size_t n,
                                           const float *w, size_t k, size_t fixed,
                                           const size_t *start, double tau, size_t *set,
                                           double *cost, jali_arena *arena, jali_err *err);

#endif
