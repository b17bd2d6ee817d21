/* dice/laplace.h — discrete Laplace noise: P(Z = z) ~ exp(-|z|/scale) on the integers. */
#ifndef JALI_DICE_LAPLACE_H
#define JALI_DICE_LAPLACE_H

#include "dice/dice.h"
#include <gmp.h>

/* Largest scale, as a power of two: results then fit an int64_t but for a tail of
 * probability below exp(-2^15), which is clamped. */
enum { JALI_SCALE_MAX_BITS = 48, JALI_LAPLACE_BITS = 56 };

/* Prepared once for a scale; read-only afterwards, so threads may share it. */
typedef struct jali_laplace {
    mpq_t scale;
    unsigned n_bits;                    /* low bits of the size, drawn one coin each */
    uint32_t prefix[JALI_LAPLACE_BITS]; /* floor(2^32 P(bit i = 1))                  */
    uint64_t tail;                      /* floor(2^64 P(size >= 2^n_bits))           */
} jali_laplace;

/* scale is exact, above 0 and at most 2^48; anything else is JALI_E_USAGE and leaves
 * nothing to clear. About a tenth of a millisecond: keep the sampler, not the scale. */
JALI_MUST_USE jali_status jali_laplace_init(jali_laplace *s, const mpq_t scale, jali_err *err);
/* Would it be refused? For who only wants to know that. */
JALI_MUST_USE jali_status jali_laplace_check(const mpq_t scale, jali_err *err);
void jali_laplace_clear(jali_laplace *s);

/* One draw, or n of them. On failure (JALI_E_ENTROPY; JALI_E_NOMEM for many) nothing at
 * all is written. The work does not depend on the value drawn. */
JALI_MUST_USE jali_status jali_laplace_draw(const jali_laplace *s, jali_dice *d, int64_t *out);
JALI_MUST_USE jali_status jali_laplace_draw_many(const jali_laplace *s, jali_dice *d,
                                                 int64_t *out, size_t n);

#endif
