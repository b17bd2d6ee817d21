/* mech/coreset.h — a private summary of where points lie: boxes, cells and noisy counts.
 *
 * What comes in is a sealed grid of fine cells in one to three dimensions. What goes out is a
 * set of parts that tile the box, each with a noisy count and a small grid of cells of its own
 * with noisy counts. Parts are the leaves of a private tree (PrivTree), or, when the curator
 * has declared the box tight, the cells of a plain grid. Weights, centres and costs are read
 * off the result afterwards, for free (explain/contrast).
 */
#ifndef JALI_MECH_CORESET_H
#define JALI_MECH_CORESET_H

#include "base/arena.h"
#include "budget/charge.h"
#include "mech/interval.h"
#include "tally/tally.h"

typedef struct jali_dice jali_dice; /* named, not included: who calls us may */
                                    /* pass the dice but not throw them      */

enum {
    JALI_CORESET_DIMS = 3,
    JALI_CORESET_CAP_LEAST = 256,
    JALI_CORESET_CAP_MOST = 20000,
    JALI_CORESET_GRAIN = 64 /* noise of the tree is drawn on a grid of 1/64 of a row's unit */
};

/* Everything here is public. */
typedef struct jali_coreset_shape {
    unsigned dims, bits; /* 2^(dims * bits) fine cells, and one for NULL     */
    uint32_t
        lo[JALI_CORESET_DIMS]; /* the box that is looked at, in fine cells: lo <= i < hi; */
    uint32_t hi[JALI_CORESET_DIMS]; /* records outside of it are not counted */
    double side[JALI_CORESET_DIMS]; /* its length, in one unit for all axes */
    bool tight;                     /* a grid instead of a tree                         */
    uint32_t cap;                   /* about how many cells are wanted                  */
    uint32_t rows;                  /* of one person                                    */
    uint64_t weight;                /* most that one row weighs; 1 where rows count 1   */
    uint64_t least;                 /* what a row weighs at code 0 of the summed column */
} jali_coreset_shape;

typedef struct jali_coreset_part {
    uint32_t lo[JALI_CORESET_DIMS], hi[JALI_CORESET_DIMS]; /* fine cells lo <= i < hi */
    uint32_t grid[JALI_CORESET_DIMS];                      /* cells along each axis   */
    int64_t count;                                         /* noisy                   */
    size_t first; /* its first cell; they follow each other, the last axis fastest    */
} jali_coreset_part;

typedef struct jali_coreset {
    unsigned dims;
    int64_t total; /* noisy; decided how fine things are */
    size_t n, n_cells;
    jali_coreset_part *part;
    int64_t *cell;
    jali_law law;
    double total_scale, part_scale, cell_scale; /* of the noises, in units of weight */
} jali_coreset;

/* A budget cut into its parts, and what they cost. */
typedef struct jali_coreset_maker jali_coreset_maker;

/* `budget` > 0 is eps for Laplace and rho for Gauss. JALI_E_USAGE: a shape that makes no
 * sense, or a budget too small to be cut and drawn for. */
JALI_MUST_USE jali_status jali_coreset_maker_new(jali_coreset_maker **out,
                                                 const jali_coreset_shape *shape, jali_law law,
                                                 mpq_srcptr budget, jali_err *err);
void jali_coreset_maker_free(jali_coreset_maker *maker); /* NULL is fine */
jali_loss jali_coreset_loss(const jali_coreset_maker *maker);

/* The noise of one cell's count: Laplace scale or Gauss sigma, in units of weight. */
double jali_coreset_scale(const jali_coreset_maker *maker);

/*
 * Releases a coreset of `counts` (a grid, or as many labels) or, with `sums` of the same table,
 * of weights: sum + least * count.
 *
 *   counts   are used up, whatever happens: a second release of them is refused
 *   *out     written only on JALI_OK; lives in the arena
 *   fails    JALI_E_INTERNAL (not paid, or another shape), JALI_E_NOMEM
 *            JALI_E_ENTROPY: paid, nothing released
 */
JALI_MUST_USE jali_status jali_coreset_release(const jali_coreset_maker *maker,
                                               jali_tally *counts, const jali_tally *sums,
                                               jali_charge *charge, jali_dice *dice,
                                               jali_arena *arena, jali_coreset *out,
                                               jali_err *err);

/* Where cell i along an axis of a part begins: the last one ends at hi. Counting and telling
 * use this one function. */
static inline uint32_t jali_coreset_border(uint32_t lo, uint32_t hi, uint32_t grid, uint32_t i)
{
    return lo + (uint32_t)((uint64_t)(hi - lo) * i / grid);
}

#endif
