/* budget/convert.c — from zCDP to (eps, delta), rounded against us.
 *
 * Claim    convert.sound
 *          rho-zCDP implies (eps, delta)-DP for delta = jali_convert_delta(rho, eps), for
 *          eps = jali_convert_eps(rho, delta) and for rho <= jali_convert_rho(eps, delta).
 * Proof    proofs/budget_convert.md#convert.sound
 * Source   Canonne, Kamath, Steinke, NeurIPS 2020, Corollary 13. We search the order in
 *          double precision and evaluate once with MPFR; any order gives a true bound.
 * Law      delta = min over t > 0 of exp(t((1+t)rho - eps)) / t * (t/(1+t))^(1+t)
 * Test     tests/budget/convert_test.c
 * Silent   An all-Gaussian plan could save 6 to 8% of eps by its exact curve; that curve is
 *          not valid for discrete Gaussians.
 */
#include "budget/convert.h"
#include "budget/loss.h"
#include <assert.h>
#include <math.h>

/* The bits of t(1+t)r with t a double in [2^-100, 2^70] and r below 2^63, counted in the
 * proof; logarithms need fewer. */
enum { EXACT_BITS = 320, LOG_BITS = 128, T_MIN_LOG2 = -100, T_MAX_LOG2 = 70 };
static const unsigned long PICO = 1000000000000;

/* The derivative of ln delta by t: grows with t, so its root is the minimum. */
static double slope(double t, double rho, double eps)
{
    return (2 * t + 1) * rho - eps - log1p(1 / t);
}

/* The order alpha = 1+t near the minimum. Only tightness hangs on it. */
static double best_t(double rho, double eps)
{
    double low = T_MIN_LOG2, high = T_MAX_LOG2;
    for (int i = 0; i < 40; i++) {
        double middle = (low + high) / 2;
        if (slope(exp2(middle), rho, eps) < 0)
            low = middle;
        else
            high = middle;
    }
    double t = exp2((low + high) / 2);
    for (int i = 0; i < 2; i++) {
        double step = slope(t, rho, eps) / (2 * rho + 1 / (t * (1 + t)));
        if (fabs(step) < t / 2) t -= step;
    }
    return t;
}

/* g += t((1+t)rho - eps), rounded up. The usual trap is the direction in which t must be
 * rounded: it turns with the sign of the bracket. Here everything before the one division
 * is exact, so there is nothing to turn. */
static void quadratic_up(mpfr_t g, const mpfr_t t, const mpfr_t alpha, uint64_t rho_pico,
                         uint64_t eps_pico)
{
    mpfr_t a;
    mpfr_init2(a, EXACT_BITS);
    int inexact = mpfr_mul_ui(a, alpha, rho_pico, MPFR_RNDU);
    inexact |= mpfr_sub_ui(a, a, eps_pico, MPFR_RNDU);
    inexact |= mpfr_mul(a, a, t, MPFR_RNDU);
    assert(inexact == 0);
    mpfr_div_ui(g, a, PICO, MPFR_RNDU);
    mpfr_clear(a);
}

/* g -= ln t + (1+t) ln(1+1/t), rounded up: both terms are made too small. The second is
 * never negative, so rounding its factors down makes it smaller. */
static void logs_up(mpfr_t g, const mpfr_t t, const mpfr_t alpha)
{
    mpfr_t l;
    mpfr_init2(l, LOG_BITS);
    mpfr_log(l, t, MPFR_RNDD);
    mpfr_sub(g, g, l, MPFR_RNDU);
    mpfr_ui_div(l, 1, t, MPFR_RNDD);
    mpfr_log1p(l, l, MPFR_RNDD);
    mpfr_mul(l, l, alpha, MPFR_RNDD);
    mpfr_sub(g, g, l, MPFR_RNDU);
    mpfr_clear(l);
}

void jali_convert_delta_at(mpfr_t out, double order_less_one, uint64_t rho_pico,
                           uint64_t eps_pico)
{
    mpfr_t t, alpha, g;
    mpfr_init2(t, 53);
    mpfr_init2(alpha, EXACT_BITS);
    mpfr_init2(g, LOG_BITS);
    mpfr_set_d(t, fmin(fmax(order_less_one, exp2(T_MIN_LOG2)), exp2(T_MAX_LOG2)), MPFR_RNDN);
    int inexact = mpfr_add_ui(alpha, t, 1, MPFR_RNDU);
    assert(inexact == 0);
    quadratic_up(g, t, alpha, rho_pico, eps_pico);
    logs_up(g, t, alpha);
    mpfr_exp(out, g, MPFR_RNDU);
    if (mpfr_cmp_ui(out, 1) > 0) mpfr_set_ui(out, 1, MPFR_RNDU);
    mpfr_clears(t, alpha, g, (mpfr_ptr)NULL);
}

void jali_convert_delta_up(mpfr_t out, uint64_t rho_pico, uint64_t eps_pico)
{
    double t = best_t((double)rho_pico * 1e-12, (double)eps_pico * 1e-12);
    if (rho_pico == 0)
        mpfr_set_zero(out, 1);
    else
        jali_convert_delta_at(out, t, rho_pico, eps_pico);
}

uint64_t jali_convert_delta(uint64_t rho_pico, uint64_t eps_pico)
{
    mpfr_t delta;
    mpfr_init2(delta, LOG_BITS);
    jali_convert_delta_up(delta, rho_pico, eps_pico);
    mpfr_mul_ui(delta, delta, JALI_DELTA_ONE, MPFR_RNDU);
    uint64_t atto = mpfr_get_ui(delta, MPFR_RNDU);
    mpfr_clear(delta);
    return atto;
}

uint64_t jali_convert_eps(uint64_t rho_pico, uint64_t delta_atto)
{
    if (jali_convert_delta(rho_pico, 0) <= delta_atto) return 0;
    uint64_t low = 0, high = JALI_LOSS_MAX; /* low does not suffice; high does, or is "none" */
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (jali_convert_delta(rho_pico, middle) <= delta_atto)
            high = middle;
        else
            low = middle;
    }
    return high;
}

uint64_t jali_convert_rho(uint64_t eps_pico, uint64_t delta_atto)
{
    uint64_t low = 0, high = JALI_LOSS_MAX; /* low suffices, high does not */
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (jali_convert_delta(middle, eps_pico) <= delta_atto)
            low = middle;
        else
            high = middle;
    }
    return low;
}
