/* tally/offsets.c — rows as whole vectors in balls, added up by label. For every machine. */
#include "tally/offsets.h"
#include "tally/ball.h"
#include <math.h>
#include <string.h>

/* Eight numbers side by side: two of what most machines hold. */
typedef float eight __attribute__((vector_size(32)));
typedef int32_t whole8 __attribute__((vector_size(32)));
typedef uint32_t natural8 __attribute__((vector_size(32)));

enum { SIDE = JALI_OFFSET_SIDE, FLUSH = 4 };

#define INLINE static inline __attribute__((always_inline))

INLINE float add_up(const eight *v)
{
    const eight x = *v;
    return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}

INLINE uint64_t add_up_whole(const natural8 *x)
{
    uint64_t all = 0;
    for (int i = 0; i < SIDE; i++) all += (*x)[i];
    return all;
}

/* To the nearest whole number, between -32767 and 32767 whatever came in. 2^23 + 2^22 has no
 * bits left for a fraction, so adding it rounds. */
INLINE void to_whole(const eight *x, whole8 *out)
{
    const eight magic = (eight){ 0 } + 12582912.0f;
    whole8 y = (whole8)(*x + magic) - (whole8)magic;
    whole8 high = y > JALI_BALL_UNITS, low = y < -JALI_BALL_UNITS;
    y = (y & ~high) | (JALI_BALL_UNITS & high);
    *out = (y & ~low) | (-JALI_BALL_UNITS & low);
}

/* A place outside the frame, moved to its border. */
INLINE void into_frame(eight *at, const eight *top)
{
    eight x = *at;
    whole8 low = x<0, high = x> * top;
    x = (eight)((whole8)x & ~low);
    *at = (eight)(((whole8)x & ~high) | ((whole8)*top & high));
}

INLINE void side_of(const float *row, size_t j, eight *out)
{
    memcpy(out, row + j * SIDE, sizeof *out);
}

/* From a row's place to its offset; returns how long it is. */
static float offset(const jali_offsets *s, const float *centre, const float *place, eight *at)
{
    eight far = { 0 };
    for (size_t j = 0; j < s->sides; j++) {
        eight x, c, top;
        side_of(place, j, &x);
        side_of(centre, j, &c);
        if (s->top != NULL) {
            side_of(s->top, j, &top);
            into_frame(&x, &top);
        }
        at[j] = x - c;
        far += at[j] * at[j];
    }
    return sqrtf(add_up(&far));
}

/* From an offset to a whole one. Returns its squared length, by whole numbers: four squares
 * below 2^30 fit 32 bits. */
static uint64_t shorten(const jali_offsets *s, float scale, const eight *at, whole8 *whole)
{
    natural8 square = { 0 };
    uint64_t all = 0;
    for (size_t j = 0; j < s->sides; j++) {
        eight scaled = at[j] * scale;
        to_whole(&scaled, &whole[j]);
        square += (natural8)(whole[j] * whole[j]);
        if (j % FLUSH == FLUSH - 1 || j + 1 == s->sides) {
            all += add_up_whole(&square);
            square = (natural8){ 0 };
        }
    }
    return all;
}

void jali_offsets_plain(const jali_offsets *s, const float *place, const uint16_t *label,
                        size_t n, int32_t *sum)
{
    size_t stride = s->sides * SIDE;
    eight at[JALI_GEOMETRY_AXES / SIDE];
    whole8 whole[JALI_GEOMETRY_AXES / SIDE];
    for (size_t i = 0; i < n; i++) {
        float radius = s->radius[label[i]];
        float length = offset(s, s->centre + label[i] * stride, place + i * stride, at);
        float scale = s->target / (length > radius ? length : radius);
        uint64_t all = shorten(s, scale, at, whole);
        if (all > (uint64_t)JALI_BALL_UNITS * JALI_BALL_UNITS) continue;
        int32_t *to = sum + label[i] * stride;
        for (size_t j = 0; j < stride; j++) to[j] += ((const int32_t *)whole)[j];
    }
}
