/* tally/probe.h — sealed sums of what a model says about the rows.
 *
 * Each row is shown to the model with one column changed; the answer is cut to the public
 * bounds [lo, hi], put on a grid of 2^21 steps between them and added up. A unit of these
 * sums is (hi - lo) / 2^21, counted from the middle of the bounds, so that one row moves a
 * sum by at most 2^20 units, whatever the model does and however it rounds.
 */
#ifndef JALI_TALLY_PROBE_H
#define JALI_TALLY_PROBE_H

#include "base/arena.h"
#include "base/pool.h"
#include "model/plain.h"
#include "tally/tally.h"

typedef struct jali_columns jali_columns;

/* Half the grid, and the most points of a curve. Sums over 2^32 rows stay below 2^54. */
enum {
    JALI_PROBE_HALF = 1 << 20,
    JALI_PROBE_POINTS = 1000,
    JALI_PROBE_BLOCKS = 100000,
    JALI_PROBE_VOTE = 1024 /* units of a Borda point: roots are rounded up */
};

/* Everything in it is public but the columns and the key. */
typedef struct jali_probe {
    jali_columns *columns;
    const jali_schema *schema;
    jali_plain plain;         /* the model and its bounds, lo < hi                          */
    const unsigned char *key; /* 16 secret bytes of the vault: order and blocks             */
    const jali_field *label;  /* NULL: none                                                 */
    int64_t label_is;         /* the category that counts as 1; -1: the number itself       */
    jali_pool *pool;          /* used if the model allows several threads                   */
    const jali_progress *progress; /* NULL but for curators                                  */
} jali_probe;

/* Are the files of all columns that a pass may read whole? Asked before anything is paid. */
JALI_MUST_USE jali_status jali_probe_check(const jali_probe *probe, jali_err *err);

/* How far one person moves each of these, known before anything is read. */
jali_reach jali_probe_reach_pdp(const jali_probe *probe, size_t points);
jali_reach jali_probe_reach_ale(const jali_probe *probe, size_t points);
jali_reach jali_probe_reach_rows(const jali_probe *probe, size_t cells);
jali_reach jali_probe_reach_pfi(const jali_probe *probe, size_t columns, uint64_t most);
jali_reach jali_probe_reach_curve(const jali_probe *probe, size_t points);
jali_reach jali_probe_reach_rank(const jali_probe *probe, size_t columns);

/* Cell r: the sum of outputs with the column set to point[r]. */
JALI_MUST_USE jali_status jali_probe_pdp(const jali_probe *probe, size_t column,
                                         const uint32_t *point, size_t n, jali_arena *arena,
                                         const jali_tally **sums, jali_err *err);

/* Cell i of `sums`: over the rows whose code is in (point[i], point[i+1]] (the first interval
 * is open below, the last above), the sum of output at point[i+1] less output at point[i]. n
 * points have n - 1 cells. `counts` has the rows of each interval, and NULLs in cell n - 1. */
JALI_MUST_USE jali_status jali_probe_ale(const jali_probe *probe, size_t column,
                                         const uint32_t *point, size_t n, jali_arena *arena,
                                         const jali_tally **sums, const jali_tally **counts,
                                         jali_err *err);

/* Cell k: how much the errors grow, all rows together, when each row borrows column k from the
 * next row in the order of a keyed hash, in units of 2^-21 of the largest error. What one row
 * adds to all cells together is cut to `most` units > 0, the cells in proportion. Labels are
 * cut to the bounds; a row without label adds nothing. */
JALI_MUST_USE jali_status jali_probe_pfi(const jali_probe *probe, uint64_t most,
                                         jali_arena *arena, const jali_tally **sums,
                                         jali_err *err);

/* An explainer of the rows of one block: n numbers. Not called for blocks without rows; one
 * that fails (JALI_E_ENGINE) has said nothing: an error would tell of its rows. */
typedef jali_status (*jali_block_explainer)(void *self, const jali_frame *rows, double *out,
                                            jali_err *err);

typedef struct jali_blocks {
    size_t blocks; /* persons are dealt into so many by a keyed hash */
    size_t n;
    jali_block_explainer explain;
    void *self;
} jali_blocks;

/* Cell r: the sum over blocks of out[r], cut to [low, high] and put on the grid. */
JALI_MUST_USE jali_status jali_probe_curve(const jali_probe *probe, const jali_blocks *blocks,
                                           double low, double high, jali_arena *arena,
                                           const jali_tally **sums, jali_err *err);

/* Cell k: the Borda points of column k, in units of 1/1024: n for the best of a block, 1 for
 * the worst, by the size of out[k]; among equals the first is better. */
JALI_MUST_USE jali_status jali_probe_rank(const jali_probe *probe, const jali_blocks *blocks,
                                          jali_arena *arena, const jali_tally **sums,
                                          jali_err *err);

#endif
