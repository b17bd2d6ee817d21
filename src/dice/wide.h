/* dice/wide.h — positive numbers of any size: weights that no double can hold.
 *
 * A weight exp(-rate * behind) leaves the range of a double as soon as rate * behind passes
 * 700, and a weight that became 0 is an outcome that became impossible: no eps is enough for
 * that. Here the exponent has 53 bits of its own. Every operation below is one rounding of
 * binary64; the card is in dice/wide.c.
 */
#ifndef JALI_DICE_WIDE_H
#define JALI_DICE_WIDE_H

#include "base/err.h"
#include "dice/rate.h"
#include <gmp.h>

/* m * 2^(256 e), 1 <= m < 2^256 and e whole; zero has m = 0 and e = JALI_WIDE_NEVER. */
typedef struct jali_wide {
    double m, e;
} jali_wide;

#define JALI_WIDE_NEVER (-0x1p60) /* below every exponent that occurs, and sums of two */
#define JALI_WIDE_BASE 0x1p256
#define JALI_WIDE_INVERSE 0x1p-256

static inline jali_wide jali_wide_zero(void)
{
    return (jali_wide){ 0.0, JALI_WIDE_NEVER };
}

static inline jali_wide jali_wide_one(void)
{
    return (jali_wide){ 1.0, 0.0 };
}

/* 2^(256 d) for whole d <= 0; -3 stands for all below: what they belong to is then at most
 * 2^-256 of what it is added to, and stays so. */
static inline double jali_wide_step(double d)
{
    return d >= 0 ? 1.0 : d >= -1 ? 0x1p-256 : d >= -2 ? 0x1p-512 : 0x1p-768;
}

/* Brings m back below 2^256; exact. m < 2^512 on entry. */
static inline jali_wide jali_wide_settle(double m, double e)
{
    bool high = m >= JALI_WIDE_BASE;
    return (jali_wide){ high ? m * JALI_WIDE_INVERSE : m, high ? e + 1.0 : e };
}

static inline jali_wide jali_wide_mul(jali_wide a, jali_wide b)
{
    if (a.m == 0.0 || b.m == 0.0) return jali_wide_zero();
    return jali_wide_settle(a.m * b.m, a.e + b.e);
}

static inline jali_wide jali_wide_add(jali_wide a, jali_wide b)
{
    double top = a.e > b.e ? a.e : b.e;
    return jali_wide_settle(a.m * jali_wide_step(a.e - top) + b.m * jali_wide_step(b.e - top),
                            top);
}

/* a - b, or zero if that is not positive. Relative to a, one rounding; to itself, none. */
jali_wide jali_wide_less(jali_wide a, jali_wide b);

/* The rate of weights exp(-rate * behind). */
typedef struct jali_wide_rate {
    jali_u128 fixed; /* rate / ln 2 in units of 2^-117, within 2 of them */
} jali_wide_rate;

enum { JALI_WIDE_BEHIND_BITS = 61 }; /* behind < 2^61 */

/* 0 <= rate < 1/16, else JALI_E_USAGE: scores are on fine grids, rates are small. */
JALI_MUST_USE jali_status jali_wide_rate_init(jali_wide_rate *out, const mpq_t rate,
                                              jali_err *err);

/* exp(-rate * behind)(1 + t), |t| < 2^-48. */
jali_wide jali_wide_exp(const jali_wide_rate *rate, uint64_t behind);

#endif
