/* dice/wide.c — positive numbers of any size.
 *
 * Claim    dice.wide
 *          jali_wide_exp is exp(-rate * behind)(1 + t) with |t| < 2^-48 for every behind below
 *          2^61 and every rate that jali_wide_rate_init takes; jali_wide_mul and jali_wide_add
 *          are right but for a factor 1 + t, |t| <= 2^-53 + 2^-255; none of them is ever 0
 *          where the truth is not.
 * Proof    proofs/dice_wide.md#dice.wide
 * Source   Cody and Waite's reduction in fixed point; the rest is counting roundings.
 * Law      none: nothing is drawn here
 * Test     tests/dice/wide_test.c (MPFR as the truth)
 * Silent   Another rounding mode: jali_dice_new refuses it, but a thread may change it later.
 */
#include "dice/wide.h"
#include "dice/inside.h"
#include "dice/reals.h"
#include <mpfr.h>

enum {
    FRACTION = 117, /* 64 + 53: the top 53 bits of the fraction are a double */
    PRECISION = 320,
    LEAST_RATE_BITS = 4
};

jali_wide jali_wide_less(jali_wide a, jali_wide b)
{
    if (b.m == 0.0) return a;
    if (b.e > a.e) return jali_wide_zero();
    double m = a.m - b.m * jali_wide_step(b.e - a.e);
    if (m <= 0.0) return jali_wide_zero();
    bool low = m < 1.0; /* at least an ulp of a.m, which is 2^-52 or more */
    return (jali_wide){ low ? m * JALI_WIDE_BASE : m, low ? a.e - 1.0 : a.e };
}

static void fixed_rate(jali_u128 *out, const mpq_t rate)
{
    uint64_t half[2] = { 0, 0 };
    mpfr_t x, ln2;
    mpz_t whole;
    mpfr_init2(x, PRECISION);
    mpfr_init2(ln2, PRECISION);
    mpz_init(whole);
    mpfr_const_log2(ln2, MPFR_RNDN);
    mpfr_set_q(x, rate, MPFR_RNDN);
    mpfr_div(x, x, ln2, MPFR_RNDN);
    mpfr_mul_2ui(x, x, FRACTION, MPFR_RNDN);
    mpfr_get_z(whole, x, MPFR_RNDZ);
    mpz_export(half, NULL, -1, sizeof half[0], 0, 0, whole);
    *out = (jali_u128)half[1] << 64 | half[0];
    mpz_clear(whole);
    mpfr_clear(ln2);
    mpfr_clear(x);
}

jali_status jali_wide_rate_init(jali_wide_rate *out, const mpq_t rate, jali_err *err)
{
    if (mpq_sgn(rate) < 0 || mpq_cmp_ui(rate, 1, 1u << LEAST_RATE_BITS) >= 0)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "the epsilon of a choice is too large for its scores; take a smaller "
                         "one");
    fixed_rate(&out->fixed, rate);
    return JALI_OK;
}

jali_wide jali_wide_exp(const jali_wide_rate *rate, uint64_t behind)
{
    jali_u128 low = (jali_u128)behind * (uint64_t)rate->fixed;
    jali_u128 top = (jali_u128)behind * (uint64_t)(rate->fixed >> 64) + (low >> 64);
    uint64_t k = (uint64_t)(top >> 53); /* rate * behind / ln 2 = k + f */
    double f = (double)((uint64_t)top & (((uint64_t)1 << 53) - 1)) * 0x1p-53;
    /* 2^-(k+f) = 2^(-k-1) * 2 exp(-f ln 2), and the second factor is in (1, 2]. */
    double m = 2.0 * jali_exp_minus(f * 0x1.62e42fefa39efp-1);
    uint64_t down = k + 1, steps = (down + 255) / 256;
    m = m * jali_of_bits((1023 + (steps * 256 - down)) << 52);
    return jali_wide_settle(m, -(double)steps);
}
