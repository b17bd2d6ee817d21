/* mech/privtree.h — a tree that grows where points are, without telling where each one is. */
#ifndef JALI_MECH_PRIVTREE_H
#define JALI_MECH_PRIVTREE_H

#include "base/arena.h"
#include "dice/dice.h"
#include "dice/laplace.h"
#include "mech/coreset.h"

/* Prefix sums of a sealed grid: the count of any box in 2^dims look-ups. */
typedef struct jali_prefix {
    unsigned dims, bits;
    const int64_t *sum; /* of all fine cells up to and with this one, along every axis */
} jali_prefix;

int64_t jali_prefix_box(const jali_prefix *p, const uint32_t *lo, const uint32_t *hi);

/* The structure's noise and its decay, in grains: 1/JALI_CORESET_GRAIN of a unit of weight. */
typedef struct jali_privtree {
    jali_laplace noise; /* scale lambda                                     */
    int64_t decay;      /* delta: what a level takes off a count, rounded up */
} jali_privtree;

/* Largest eps of the structure for one row; above it the proof does not hold. */
enum { JALI_PRIVTREE_EPS_NUM = 3, JALI_PRIVTREE_EPS_DEN = 4 };

/* For a tree of `fanout` = 2^dims children and persons of `rows` rows of weight up to `weight`:
 * eps_s-DP in all, eps <= rows * 3/4. JALI_E_USAGE: eps is not positive or too small to draw
 * for, or larger. */
JALI_MUST_USE jali_status jali_privtree_init(jali_privtree *t, unsigned fanout, uint32_t rows,
                                             uint64_t weight, mpq_srcptr eps, jali_err *err);
void jali_privtree_clear(jali_privtree *t);

typedef struct jali_boxes {
    jali_coreset_part *at;
    size_t n, room;
} jali_boxes;

/* Draws the leaves of a tree whose root is `root`, in the order left to right. `theta` is a
 * public or released count, in units of weight. The caller has paid. */
JALI_MUST_USE jali_status jali_privtree_grow(const jali_privtree *t, const jali_prefix *counts,
                                             const jali_coreset_part *root, int64_t theta,
                                             jali_dice *dice, jali_arena *arena,
                                             jali_boxes *out, jali_err *err);

#endif
