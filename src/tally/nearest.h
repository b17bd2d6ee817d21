/* tally/nearest.h — the nearest of many centres, for blocks of rows.
 *
 * With coordinates x and centres c moved by half an axis, |x - c|^2 = |x|^2 + |c|^2 - 2xc, and
 * the centre is decided by |c|^2 - 2xc alone: one multiply-add of 16-bit pairs for two axes of
 * eight rows. Frames keep every such number below 2^31 (geometry.h), so all of it is exact, and
 * ties go to the lowest label. Measured: 0.09 ns a row, centre and pair of axes (Zen 3).
 */
#ifndef JALI_TALLY_NEAREST_H
#define JALI_TALLY_NEAREST_H

#include "tally/geometry.h"
#include "tally/plan.h"

enum { JALI_TILE_BYTES = 1 << 15 }; /* coordinates of the rows held at once: the first cache */

/* Centres made ready. Read-only afterwards: threads share it. */
typedef struct jali_near {
    size_t axes, pairs;
    uint32_t labels;
    const jali_ruler *axis;
    const size_t *column_of; /* per axis: its column of the block */
    const int32_t *pair;     /* labels * pairs: two times -2 (c - half) */
    const int32_t *norm;     /* labels: |c - half|^2 */
    /* Per axis, for columns of at most 256 codes: the coordinate less half of each code; and
     * for those of at most 16 the same as 16 low bytes and 16 high bytes, which a shuffle looks
     * up. */
    const int16_t *look;
    const uint8_t *shuffle;
} jali_near;

/* Coordinates kept for further passes: pairs for every row, rounded up to 16 rows. */
typedef struct jali_near_kept {
    int32_t *x;
    bool full;
} jali_near_kept;

/* `centre` has labels * axes coordinates, each at most its axis's top. Borrows axis and
 * column_of; the rest lives in the arena. */
JALI_MUST_USE jali_status jali_near_make(jali_near *out, const jali_ruler *axis,
                                         const size_t *column_of, size_t axes,
                                         const uint16_t *centre, uint32_t labels,
                                         jali_arena *arena, jali_err *err);

/* The label of each row and, if `square` is not NULL, its squared distance. Reads the block's
 * coordinates from `kept` if that is full, else writes them there; NULL: neither. */
void jali_near_rows(const jali_near *nearest, const jali_block *block,
                    const jali_near_kept *kept, uint16_t *label, uint32_t *square);

/* Coordinates less `bias` of n rows of one column. */
void jali_ruler_rows(const jali_ruler *axis, const void *codes, unsigned width, size_t n,
                     uint32_t bias, int16_t *out);

/* The loops over rows, in forms that give the same numbers. */
typedef struct jali_near_loops {
    /* 16 rows: x holds pairs * 16 pairs of coordinates. Scores, labels and, if `own` is not
     * NULL, |x|^2. */
    void (*centres)(const jali_near *near, const int32_t *x, int32_t *best, int32_t *label,
                    int32_t *own);
    /* Coordinates less `bias` of as many rows as vectors take; returns how many. */
    size_t (*ruler)(const jali_ruler *ruler, const void *codes, unsigned width, size_t n,
                    uint32_t bias, int16_t *out);
} jali_near_loops;

const jali_near_loops *jali_near_plain(void);
const jali_near_loops *jali_near_avx2(void);   /* NULL: this machine has not got it */
const jali_near_loops *jali_near_avx512(void); /* the same */
const jali_near_loops *jali_near_best(void);

#endif
