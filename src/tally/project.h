/* tally/project.h — records seen along public directions: hash trees and projected grids.
 *
 * A direction is a vector of small integers, drawn from a public stream; a record's place on
 * it is the exact product with its coordinates (geometry.h) about the middle of the frame. Two
 * label functions are built on it: a tree that asks on which side of a plane a record lies,
 * one direction a level (LSH-Splits), and a grid over a few directions (EM-MC).
 */
#ifndef JALI_TALLY_PROJECT_H
#define JALI_TALLY_PROJECT_H

#include "tally/nearest.h"

enum {
    JALI_DIRECTIONS = 32,       /* of one projection                                       */
    JALI_DIRECTION_SIZE = 1024, /* largest entry: frames keep n (top / 2 + 1) below 2^21, so
                                   that every product stays below 2^31                      */
    JALI_HASH_NODES = JALI_PLAN_LABELS
};

/* Borrows everything. `column_of` is, per axis, its column of the block. */
typedef struct jali_projection {
    size_t axes, n;
    const jali_ruler *axis;
    const size_t *column_of;
    const int16_t *direction; /* n * axes */
} jali_projection;

/* The place of one record, given its coordinates: the slow, obvious way. */
int32_t jali_projection_at(const jali_projection *p, size_t direction, const uint32_t *x);

/* A node asks direction `depth`: place >= at goes to child[1], else to child[0]. A leaf is its
 * own child, so that every record takes the same number of steps. Node 0 is the root. */
typedef struct jali_hash_node {
    uint32_t child[2];
    uint16_t label;
} jali_hash_node;

typedef struct jali_hash_tree {
    jali_projection on;
    const int32_t *at; /* per direction: where its plane is           */
    size_t nodes;
    const jali_hash_node *node; /* walked as many steps as there are directions */
} jali_hash_tree;

/* For jali_label: self is a jali_hash_tree. */
void jali_hash_tree_rows(void *self, const jali_block *block, uint16_t *label);

/* Cell = floor((place - low) / step) along each direction, cut to 0 .. cells - 1, the first
 * direction highest; label = map[cell], or the cell itself if map is NULL. */
typedef struct jali_cell_grid {
    jali_projection on;
    const int32_t *low, *step; /* step > 0 */
    uint32_t cells;            /* along each direction */
    const uint16_t *map;
} jali_cell_grid;

/* For jali_label: self is a jali_cell_grid. */
void jali_cell_grid_rows(void *self, const jali_block *block, uint16_t *label);

#endif
