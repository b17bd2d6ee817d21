/* explain/contrast/lp.h — k-median with a fixed centre by rounding a linear program. */
#ifndef JALI_EXPLAIN_CONTRAST_LP_H
#define JALI_EXPLAIN_CONTRAST_LP_H

#include "base/arena.h"
#include "base/err.h"

/* What the rounded set costs at most, as a multiple of the best one (distances only). */
enum { JALI_LP_FACTOR = 8, JALI_LP_POINTS = 200 };

typedef struct jali_lp {
    double bound; /* the program's value: no set with the fixed centre costs less */
    double cost;  /* of the rounded set                                           */
    size_t n;     /* how many are open, at most k; set[0] is the fixed one        */
    size_t *set;
} jali_lp;

/* distance: n * n, symmetric and metric; w >= 0. n at most JALI_LP_POINTS: the program has
 * n^2 + n unknowns. Step by step as ALGORITHMS 3.1; not polished. */
JALI_MUST_USE jali_status jali_lp_solve(jali_lp *out, const double *distance, const double *w,
                                        size_t n, size_t k, size_t fixed, jali_arena *arena,
                                        jali_err *err);

#endif
