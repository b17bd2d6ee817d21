/* dice/lazy.h — a uniform real whose bits are drawn when needed, against computable reals.
 *
 * The exact tier of every coin: it goes on drawing bits and narrowing the enclosure until
 * the comparison is certain, and so ends with probability one and never guesses.
 */
#ifndef JALI_DICE_LAZY_H
#define JALI_DICE_LAZY_H

#include "dice/dice.h"
#include <arb.h>
#include <gmp.h>

/* A computable real: encloses its value in `out`, ever closer as prec grows. */
typedef void jali_real(arb_t out, const void *self, slong prec);

/* Encloses q, or exp(-q). */
void jali_real_set_q(arb_t out, const mpq_t q, slong prec);
void jali_real_exp_minus_q(arb_t out, const mpq_t q, slong prec);

/* floor(p 2^bits) for a p in [0, 1], at most 2^bits - 1; bits is 32 or 64. p must not be a
 * multiple of 2^-bits unless its enclosure becomes exact. */
uint64_t jali_real_prefix(jali_real *p, const void *self, unsigned bits);

/* U = 0.b1 b2 b3 ... with the first `bits` of them known; the rest is still in the dice. */
typedef struct jali_lazy {
    fmpz_t value; /* floor(U 2^bits) */
    slong bits;
} jali_lazy;

void jali_lazy_init(jali_lazy *u, uint64_t first, unsigned bits);
void jali_lazy_clear(jali_lazy *u);
JALI_MUST_USE jali_status jali_lazy_extend(jali_lazy *u, jali_dice *d); /* 64 bits more */
void jali_lazy_ball(arb_t out, const jali_lazy *u); /* [value, value + 1] 2^-bits */

/* Is U < p, when the first bits of U were drawn already? */
JALI_MUST_USE jali_status jali_lazy_below(jali_dice *d, uint64_t first, unsigned bits,
                                          jali_real *p, const void *self, bool *below);

#endif
