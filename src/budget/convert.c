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
#include <stdbool.h>

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

/* ---- the other way round ---- */

/* Which eps, or (by_rho) which rho, belongs to this delta? */
struct search {
    uint64_t rho, eps, delta;
    bool by_rho;
};

/* Does x lie on the low side of the answer? A small rho fits under delta, a small eps does
 * not. */
static bool is_low(const struct search *q, uint64_t x)
{
    if (q->by_rho) return jali_convert_delta(x, q->eps) <= q->delta;
    return jali_convert_delta(q->rho, x) > q->delta;
}

/* A number near the answer, by Newton in doubles from the textbook's rho + 2 sqrt(rho ln
 * 1/delta). ln delta is a minimum of lines in eps and in rho, so it is concave and the steps do
 * not cycle. Only speed hangs on it. */
static uint64_t guess(const struct search *q)
{
    const double small = -log((double)q->delta * 1e-18);
    double rho = (double)q->rho * 1e-12, eps = (double)q->eps * 1e-12, step = 1;
    double *x = q->by_rho ? &rho : &eps;
    *x = q->by_rho ? pow(sqrt(small + eps) - sqrt(small), 2) : rho + 2 * sqrt(rho * small);
    for (int i = 0; i < 20 && fabs(step) > *x * 1e-15; i++) {
        *x = fmax(*x, 1e-12);
        double t = best_t(rho, eps);
        double g = t * ((1 + t) * rho - eps) - log(t) - (1 + t) * log1p(1 / t) + small;
        step = q->by_rho ? -g / (t * (1 + t)) : g / t;
        *x += step;
    }
    double pico = fmin(fmax(*x * 1e12, 1), (double)(JALI_LOSS_MAX / 2));
    return (uint64_t)pico;
}

/* `low` is taken to lie on the low side, `high` not; steps that grow from the guess bring
 * them near, and halving makes them neighbours. */
static void enclose(const struct search *q, uint64_t *low, uint64_t *high)
{
    uint64_t x = guess(q);
    const bool up = x > *low && x < *high && is_low(q, x);
    for (uint64_t step = 1; x > *low && x < *high; step *= 4) {
        const bool lower = is_low(q, x);
        *(lower ? low : high) = x;
        if (lower != up) break;
        x = up ? (*high - x > step ? x + step : *high) : (x - *low > step ? x - step : *low);
    }
    while (*high - *low > 1) {
        uint64_t middle = *low + (*high - *low) / 2;
        *(is_low(q, middle) ? low : high) = middle;
    }
}

uint64_t jali_convert_eps(uint64_t rho_pico, uint64_t delta_atto)
{
    struct search q = { .rho = rho_pico, .delta = delta_atto };
    uint64_t low = 0, high = JALI_LOSS_MAX; /* high suffices, or is "none" */
    if (!is_low(&q, 0)) return 0;
    if (delta_atto > 0) enclose(&q, &low, &high);
    return high;
}

uint64_t jali_convert_rho(uint64_t eps_pico, uint64_t delta_atto)
{
    struct search q = { .eps = eps_pico, .delta = delta_atto, .by_rho = true };
    uint64_t low = 0, high = JALI_LOSS_MAX; /* low suffices, high does not */
    if (delta_atto > 0) enclose(&q, &low, &high);
    return low;
}
