/* tally/ball.h — records around released centres: how many, how far, and their sums.
 *
 * The two passes of a clipped step. The first labels every row by its nearest centre, counts
 * labels, and counts rows farther away than each of a public list of radii. The second adds
 * each row's offset from its centre, shortened into a ball, as a vector of whole numbers whose
 * length is at most JALI_BALL_UNITS whatever the arithmetic did before: see ball.c.
 */
#ifndef JALI_TALLY_BALL_H
#define JALI_TALLY_BALL_H

#include "base/pool.h"
#include "tally/geometry.h"
#include "tally/tally.h"

typedef struct jali_columns jali_columns; /* named, not included */
typedef struct jali_marks jali_marks;     /* sealed: a label for each row */

enum { JALI_BALL_UNITS = 32767, JALI_RADII = 65 };

/* Radius i, in steps of the frame: the square root of floor(2^(i/2)). */
double jali_radius_at(unsigned i);

/* Room for a label of each row; all 0. Lives in the arena. */
JALI_MUST_USE jali_status jali_marks_new(jali_marks **out, jali_columns *columns,
                                         jali_arena *arena, jali_err *err);

/* Passes with these marks over one frame may keep what they computed of each row, up to a
 * size: the cells of a tree; coordinates and places of steps; coordinates of planes. Only time
 * depends on it. */
enum { JALI_KEEP_CELLS = 1, JALI_KEEP_PLACES = 2, JALI_KEEP_COORDINATES = 4 };
void jali_marks_keep(jali_marks *marks, unsigned what);

/* Where and of whom. */
typedef struct jali_ground {
    const jali_frame *frame;
    jali_columns *columns;
    uint32_t rows_per_person;
    jali_pool *pool;
    jali_arena *arena;
} jali_ground;

/* Labels rows by the nearest of `labels` centres (coordinates of the frame). *counts: rows of
 * each label. *far: JALI_RADII cells, rows farther than radius i from their centre. */
JALI_MUST_USE jali_status jali_ball_near(const jali_ground *ground, const uint16_t *centre,
                                         uint32_t labels, jali_marks *marks,
                                         const jali_tally **counts, const jali_tally **far,
                                         jali_err *err);

typedef struct jali_balls {
    uint32_t labels;
    const float *centre;      /* labels * axes, in steps of the frame                     */
    const float *radius;      /* labels, above 0                                          */
    const uint16_t *label_of; /* of a mark; NULL: marks are labels                        */
    uint32_t marks;           /* how many label_of has                                    */
    bool inside;              /* rows outside the frame are moved to its border first     */
} jali_balls;

/* *sums: labels * axes cells; a cell counts radius[label] * jali_ball_unit(axes) steps. */
JALI_MUST_USE jali_status jali_ball_sums(const jali_ground *ground, const jali_marks *marks,
                                         const jali_balls *balls, const jali_tally **sums,
                                         jali_err *err);
double jali_ball_unit(size_t axes);

#endif
