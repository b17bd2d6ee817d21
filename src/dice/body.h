/* dice/body.h — noise for whole vectors that move together: K-norm noise on the integers.
 *
 * A change of the vector lies in the body {|y_i| <= reach, max y - min y <= range}. The noise
 * of a vector y of d whole numbers has P(y) ~ exp(-eps N(y) / reach), where
 * N(y) = max(max |y_i|, ceil(reach (max y - min y) / range)) is how many times, in parts of
 * 1/reach, the body must grow to hold y: no change moves N by more than `reach`.
 */
#ifndef JALI_DICE_BODY_H
#define JALI_DICE_BODY_H

#include "dice/laplace.h"

enum { JALI_BODY_MAX = 4096 }; /* numbers in a vector */

/* Prepared once; read-only afterwards. */
typedef struct jali_body {
    size_t d;
    mpz_t reach, range;
    mpz_t unit, bound;  /* reach^d, and (2 reach - range) d range^(d-1) + range^d */
    jali_laplace steps; /* of scale reach / eps                                   */
} jali_body;

/* 1 <= d <= JALI_BODY_MAX, reach >= 1; a range below reach counts as reach, one above 2 reach
 * as that. JALI_E_USAGE, nothing to clear: eps not above 0, noise beyond 2^48, or eps so large
 * that the grid is too coarse for it (d eps > 8 reach). */
JALI_MUST_USE jali_status jali_body_init(jali_body *s, size_t d, uint64_t reach, uint64_t range,
                                         const mpq_t eps, jali_err *err);
void jali_body_clear(jali_body *s);

/* d numbers. On failure (JALI_E_ENTROPY) out is not to be read. */
JALI_MUST_USE jali_status jali_body_draw(const jali_body *s, jali_dice *dice, int64_t *out);

#endif
