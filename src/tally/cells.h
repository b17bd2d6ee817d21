/* tally/cells.h — rows in a growing tree of boxes, counted by cells along every axis.
 *
 * Each axis of a frame is cut into equal cells. A node of the tree is a box between cell
 * borders; one pass moves every row one step down along the cuts of the level before, and
 * counts, for the nodes that are asked for, how many rows lie in each cell of each axis. The
 * counts of the children of a cut are sums of those cells: no further pass.
 */
#ifndef JALI_TALLY_CELLS_H
#define JALI_TALLY_CELLS_H

#include "tally/ball.h"

enum {
    JALI_CELLS_MOST = 1024,    /* of an axis                                          */
    JALI_CELLS_NODES = 65534,  /* of a tree                                           */
    JALI_CELLS_ROOM = 64 << 20 /* counts of one pass: nodes * axes * cells, at most   */
};

/* Rows of `node` whose cell on `axis` is at least `cell` go to `right`, others to `left`. */
typedef struct jali_cut {
    uint32_t node, axis, cell;
    uint32_t left, right;
} jali_cut;

/* The cell of a coordinate, and the least coordinate of a cell; `cells` on every axis. */
uint32_t jali_cell_at(const jali_ruler *axis, uint32_t cells, uint32_t coordinate);
uint32_t jali_cell_start(const jali_ruler *axis, uint32_t cells, uint32_t cell);

/* Marks are nodes, 0 at first. Moves rows along the cuts, then counts those of `n` nodes:
 * *counts has n * axes * cells cells. n = 0: *counts is NULL. */
JALI_MUST_USE jali_status jali_cells_count(const jali_ground *ground, uint32_t cells,
                                           jali_marks *marks, const jali_cut *cut, size_t cuts,
                                           const uint32_t *node, size_t n,
                                           const jali_tally **counts, jali_err *err);

/* Rows of each of the n nodes counted. */
JALI_MUST_USE jali_status jali_cells_rows(const jali_tally *counts, jali_arena *arena,
                                          const jali_tally **rows, jali_err *err);

/* Rows left and right of a cut of each counted node: 2 n cells. Of a cut only axis and cell
 * are looked at; cell 0 or beyond leaves a side empty. */
JALI_MUST_USE jali_status jali_cells_children(const jali_tally *counts, const jali_cut *cut,
                                              jali_arena *arena, const jali_tally **rows,
                                              jali_err *err);

#endif
