/* dice/reals.c — exp and log in doubles, many at once.
 *
 * Claim    dice.reals
 *          The error bounds stated at each function of dice/reals.h hold in binary64,
 *          rounded to nearest, without contraction.
 * Proof    proofs/dice_reals.md#dice.reals
 * Source   Cody and Waite's reduction; Taylor and atanh series, no fitted constants.
 * Law      jali_exp_minus = exp(-x)(1 + e), |e| < 2^-50; jali_log = ln(x) + e, |e| < 2^-45;
 *          jali_exponential = -ln(1 - w 2^-64)(1 + e), |e| < 2^-49
 * Test     tests/dice/reals_test.c
 * Silent   Another rounding mode: jali_dice_new refuses it, but a thread may change it later.
 */
#include "dice/reals.h"
#include "dice/inside.h"

void jali_exp_minus_each(double x[static JALI_LANES])
{
    for (size_t i = 0; i < JALI_LANES; i++) x[i] = jali_exp_minus(x[i]);
}

void jali_log_each(double x[static JALI_LANES])
{
    for (size_t i = 0; i < JALI_LANES; i++) x[i] = jali_log(x[i]);
}

void jali_exponential_each(const uint64_t w[static JALI_LANES], double x[static JALI_LANES])
{
    for (size_t i = 0; i < JALI_LANES; i++) x[i] = jali_exponential(w[i]);
}
