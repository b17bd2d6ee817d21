/* tally/offsets.h — rows as whole vectors in balls, added up by label. For ball.c. */
#ifndef JALI_TALLY_OFFSETS_H
#define JALI_TALLY_OFFSETS_H

#include <stddef.h>
#include <stdint.h>

enum { JALI_OFFSET_SIDE = 8 }; /* a row is so many vectors of 8 */

/* Centres and what rows are held against. A row of anything below has sides * 8 numbers. */
typedef struct jali_offsets {
    size_t sides;
    const float *centre; /* a row for each label */
    const float *radius; /* labels */
    const float *top;    /* a row, if places are moved into the frame; else NULL */
    float target;        /* the length of an offset as long as its radius */
} jali_offsets;

/* Adds the offset of each of n rows, shortened to its radius and made whole, to the row `label`
 * of `sum`. An offset longer than JALI_BALL_UNITS adds nothing: ball.reach (ball.c). */
typedef void jali_offsets_add(const jali_offsets *s, const float *place, const uint16_t *label,
                              size_t n, int32_t *sum);

/* Forms that give the same numbers. */
jali_offsets_add jali_offsets_plain;
jali_offsets_add *jali_offsets_avx2(void); /* NULL: this machine has not got it */

#endif
