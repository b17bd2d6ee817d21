/* score/split.h — where to cut a box: empty cells near the middle of its rows, sealed.
 *
 * Axes are cut into `cells` half-cells (tally/cells.h): a candidate is the middle of a whole
 * cell, the border of half-cells 2i and 2i + 1, that lies inside the node's released box. Its
 * score is depth (how many rows lie on the smaller side) plus emptiness (how few in its cell).
 */
#ifndef JALI_SCORE_SPLIT_H
#define JALI_SCORE_SPLIT_H

#include "base/arena.h"
#include "score/groups.h"
#include <gmp.h>

enum { JALI_SPLIT_GRAIN = 1000 }; /* slopes are whole numbers of 1/1000 */

/* Slopes of the score in rows: `outer` up to q of the node's rows on the smaller side, `inner`
 * from there to half of them, `empty` for each row missing in the cell. */
typedef struct jali_split {
    uint32_t outer, inner, empty;
    uint64_t q_num, q_den;
} jali_split;

/* The slopes of DPM's t, q and alpha: t/q, 2(1-t)/(1-2q) and alpha, rounded down. JALI_E_USAGE
 * (analyst) unless 0 < 2q <= t <= 1, q < 1/2 and 0 <= alpha <= 1000. */
JALI_MUST_USE jali_status jali_split_make(jali_split *out, mpq_srcptr t, mpq_srcptr q,
                                          mpq_srcptr alpha, jali_err *err);

/* One node: its released count and box, in half-cells: low[j] .. high[j] - 1. */
typedef struct jali_split_node {
    int64_t count;
    const uint16_t *low, *high;
} jali_split_node;

/* Candidates of a node: public. The index-th one, by axis and then by cell. */
size_t jali_split_candidates(const jali_split_node *node, size_t axes);
void jali_split_candidate(const jali_split_node *node, size_t axes, size_t index,
                          uint32_t *axis, uint32_t *cell);

/* A group for each of the nodes that `counts` (jali_cells_count) counted. */
JALI_MUST_USE jali_status jali_score_splits(const jali_split *split, const jali_tally *counts,
                                            const jali_split_node *node, jali_arena *arena,
                                            const jali_score_groups **out, jali_err *err);

#endif
