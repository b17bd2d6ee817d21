/* tally/planes.h — rows in a growing tree of planes, one level at a time (LSH-Splits).
 *
 * The tree of project.h, walked once: a row's mark is its node among those of the last level,
 * so the next level asks one plane only. jali_hash_tree_rows walks all of it and says the same.
 */
#ifndef JALI_TALLY_PLANES_H
#define JALI_TALLY_PLANES_H

#include "tally/ball.h"

/* One level. A row with mark v that lies below the plane (jali_projection_at < at) gets
 * next[2 v], else next[2 v + 1]; rows are then counted by mark. */
typedef struct jali_plane {
    const int16_t *direction; /* axes of the frame */
    int32_t at;
    const uint16_t *next; /* 2 * before: each below labels */
    uint32_t before, labels;
} jali_plane;

/* *counts: plane->labels cells. The coordinates of rows are kept for the next level if the
 * table is small enough (kept.h). */
JALI_MUST_USE jali_status jali_planes_count(const jali_ground *ground, const jali_plane *plane,
                                            jali_marks *marks, const jali_tally **counts,
                                            jali_err *err);

#endif
