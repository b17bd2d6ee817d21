/* tally/place.h — real places of rows in a frame: what sums are made of, row by row. */
#ifndef JALI_TALLY_PLACE_H
#define JALI_TALLY_PLACE_H

#include "tally/geometry.h"
#include "tally/plan.h"

enum { JALI_PLACE_SIDE = 8, JALI_PLACE_TILE = 32 };

/* An axis made ready. Places are in steps of the frame and not cut off at its border. */
typedef struct jali_place {
    const jali_ruler *ruler;
    size_t column; /* of the block */
    float step, null, top;
    bool narrow; /* codes below 2^31: vectors take them */
} jali_place;

jali_place jali_place_of(const jali_ruler *ruler, size_t column);

/* Places of n <= JALI_PLACE_TILE rows from `first` on: row i at out + i * stride, axis j at its
 * j-th number. stride is a multiple of 8 and at least n_axes; what pads a row is not written.
 */
void jali_place_rows(const jali_place *place, size_t n_axes, const jali_block *block,
                     size_t first, size_t n, float *out, size_t stride);

/* Up to eight axes of a whole tile by vectors; false: not on this machine, not these axes. */
bool jali_place_eight(const jali_place *place, size_t axes, const jali_block *block,
                      size_t first, float *out, size_t stride);

#endif
