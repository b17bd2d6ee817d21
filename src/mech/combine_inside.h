/* mech/combine_inside.h — what the samplers of combinations tell each other. */
#ifndef JALI_MECH_COMBINE_INSIDE_H
#define JALI_MECH_COMBINE_INSIDE_H

#include "base/arena.h"
#include "dice/dice.h"
#include "dice/wide.h"
#include "mech/combine.h"

enum { JALI_KNOT_SUMS = 16, JALI_KNOT_MOST = 64 };

/* One block: n clusters, each to get `each` of the attributes it may have. */
typedef struct jali_knot {
    uint32_t n, attributes, each;
    const uint64_t *behind; /* [cluster][attribute]: best U of the cluster less this one */
    const bool *may;        /* [cluster][attribute]                                      */
    const uint64_t *W;      /* [attribute][cluster][other], rows of n                    */
    const jali_wide_rate *rate;
} jali_knot;

static inline uint64_t jali_knot_behind(const jali_knot *k, uint32_t c, uint32_t a)
{
    return k->behind[(size_t)c * k->attributes + a];
}

static inline bool jali_knot_may(const jali_knot *k, uint32_t c, uint32_t a)
{
    return k->may[(size_t)c * k->attributes + a];
}

static inline uint64_t jali_knot_W(const jali_knot *k, uint32_t a, uint32_t c, uint32_t d)
{
    return k->W[((size_t)a * k->n + c) * k->n + d];
}

/* chosen[c * each ..], ascending. JALI_E_NOMEM, JALI_E_ENTROPY. */
JALI_MUST_USE jali_status jali_sums_draw(const jali_knot *knot, jali_dice *dice,
                                         uint32_t *chosen);
JALI_MUST_USE jali_status jali_tree_draw(const jali_knot *knot, jali_dice *dice,
                                         uint32_t *chosen);

/* Weights of subsets of clusters: m[S] 2^(256 e[S]). */
typedef struct jali_sheaf {
    double *m, *e;
} jali_sheaf;

/* next[S] = sum over T within S of prev[S - T] g[T], for all S of n clusters, 2 <= n. */
void jali_sums_fold(uint32_t n, jali_sheaf prev, jali_sheaf g, jali_sheaf next,
                    double *scratch);
/* Doubles of scratch that it wants. */
size_t jali_sums_scratch(uint32_t n);

#endif
