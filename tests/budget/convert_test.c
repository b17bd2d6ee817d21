/* Refutes convert.sound if it can: against the formula evaluated with 500 bits by Arb, at
 * an order found with 500 bits, too. */
#include "budget/convert.h"
#include "budget/loss.h"
#include "unit.h"
#include <arb.h>
#include <math.h>

enum { BITS = 500, POINTS = 100000 };

static uint64_t state = 20261116;
static uint64_t next(void)
{
    uint64_t z = (state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

/* Spread evenly over the powers of ten from `low` to `high`. */
static uint64_t spread(double low, double high)
{
    double u = (double)(next() >> 11) * 0x1p-53;
    return (uint64_t)(low * pow(high / low, u));
}

typedef struct bench {
    arb_t rho, eps, t, alpha, a, b, g;
} bench;

static void bench_init(bench *x)
{
    arb_ptr all[] = { x->rho, x->eps, x->t, x->alpha, x->a, x->b, x->g };
    for (size_t i = 0; i < 7; i++) arb_init(all[i]);
}

static void bench_clear(bench *x)
{
    arb_ptr all[] = { x->rho, x->eps, x->t, x->alpha, x->a, x->b, x->g };
    for (size_t i = 0; i < 7; i++) arb_clear(all[i]);
}

static void set_pico(arb_t out, uint64_t pico)
{
    arb_set_ui(out, pico);
    arb_div_ui(out, out, 1000000000000, BITS);
}

/* g = ln delta at order 1 + t: t((1+t)rho - eps) - ln t - (1+t) ln(1 + 1/t) */
static void log_delta(bench *x)
{
    arb_add_ui(x->alpha, x->t, 1, BITS);
    arb_mul(x->g, x->alpha, x->rho, BITS);
    arb_sub(x->g, x->g, x->eps, BITS);
    arb_mul(x->g, x->g, x->t, BITS);
    arb_log(x->a, x->t, BITS);
    arb_sub(x->g, x->g, x->a, BITS);
    arb_inv(x->a, x->t, BITS);
    arb_log1p(x->a, x->a, BITS);
    arb_mul(x->a, x->a, x->alpha, BITS);
    arb_sub(x->g, x->g, x->a, BITS);
}

/* Newton steps with 500 bits on the derivative (1+2t)rho - eps - ln(1+1/t), started at the
 * double root: the true minimum to far more than 1e-9. */
static void find_minimum(bench *x, double rho, double eps)
{
    double low = -100, high = 70;
    for (int i = 0; i < 60; i++) {
        double m = (low + high) / 2, t = exp2(m);
        if ((2 * t + 1) * rho - eps - log1p(1 / t) < 0)
            low = m;
        else
            high = m;
    }
    arb_set_d(x->t, exp2((low + high) / 2));
    for (int i = 0; i < 3; i++) {
        arb_mul_2exp_si(x->a, x->t, 1);
        arb_add_ui(x->a, x->a, 1, BITS);
        arb_mul(x->a, x->a, x->rho, BITS);
        arb_sub(x->a, x->a, x->eps, BITS);
        arb_inv(x->b, x->t, BITS);
        arb_log1p(x->b, x->b, BITS);
        arb_sub(x->a, x->a, x->b, BITS);
        arb_add_ui(x->b, x->t, 1, BITS);
        arb_mul(x->b, x->b, x->t, BITS);
        arb_inv(x->b, x->b, BITS);
        arb_addmul_ui(x->b, x->rho, 2, BITS);
        arb_div(x->a, x->a, x->b, BITS);
        arb_sub(x->t, x->t, x->a, BITS);
        arb_get_mid_arb(x->t, x->t);
    }
}

/* Compares one point: at least the true minimum, and at most 1e-9 of it above. */
static bool point_holds(bench *x, const mpfr_t up, uint64_t rho, uint64_t eps, bool *tight)
{
    arb_t mine, slack;
    arb_init(mine);
    arb_init(slack);
    set_pico(x->rho, rho);
    set_pico(x->eps, eps);
    find_minimum(x, (double)rho * 1e-12, (double)eps * 1e-12);
    log_delta(x);
    if (arb_is_positive(x->g)) arb_zero(x->g); /* a delta above 1 says nothing */
    arb_exp(x->g, x->g, BITS);
    arf_set_mpfr(arb_midref(mine), up);
    bool good = !arb_lt(mine, x->g); /* never provably smaller ... */
    arb_set_d(slack, 1 + 1e-9);
    arb_mul(slack, slack, x->g, BITS);
    *tight = !arb_gt(mine, slack);
    arb_clear(mine);
    arb_clear(slack);
    return good;
}

SENTENCE(never_smaller_than_five_hundred_bits_say_and_never_much_larger)
{
    UNUSED_STATE;
    bench x;
    mpfr_t up;
    int bad = 0, loose = 0;
    bench_init(&x);
    mpfr_init2(up, 128);
    for (int i = 0; i < POINTS; i++) {
        uint64_t rho = spread(1, 1e14), eps = i % 50 == 0 ? 0 : spread(1e6, 1e15);
        bool tight;
        if (i % 2 == 0) /* where budgets live: eps up to 20, delta between 1e-30 and 1 */
            rho = spread(1e8, 1e12), eps = rho + spread(1e9, 2e13);
        jali_convert_delta_up(up, rho, eps);
        bad += !point_holds(&x, up, rho, eps, &tight);
        /* Below that MPFR's exponents end, and it answers with its smallest number. */
        loose += !tight && mpfr_get_exp(up) > -1000000000;
    }
    assert_int_equal(bad, 0);
    assert_int_equal(loose, 0);
    mpfr_clear(up);
    bench_clear(&x);
    flint_cleanup();
}

/* Rounding itself, to the last of 128 bits: at any order, on both sides of the sign of
 * alpha rho - eps, where a factor rounded the wrong way would show in half of the points. */
SENTENCE(every_order_is_rounded_up_and_by_less_than_one_part_in_two_to_the_ninety)
{
    UNUSED_STATE;
    bench x;
    mpfr_t up;
    arb_t mine, slack;
    int bad = 0, loose = 0, above = 0;
    bench_init(&x);
    mpfr_init2(up, 128);
    arb_init(mine);
    arb_init(slack);
    for (int i = 0; i < POINTS / 5; i++) {
        uint64_t rho = spread(1e8, 1e13), eps = spread(1e9, 3e13);
        double t = exp2((double)(next() >> 11) * 0x1p-53 * 12 - 6);
        above += (1 + t) * (double)rho > (double)eps;
        jali_convert_delta_at(up, t, rho, eps);
        set_pico(x.rho, rho);
        set_pico(x.eps, eps);
        arb_set_d(x.t, t);
        log_delta(&x);
        if (arb_is_positive(x.g)) continue;
        arb_exp(x.g, x.g, BITS);
        arf_set_mpfr(arb_midref(mine), up);
        bad += !arb_ge(mine, x.g);
        arb_set_d(slack, 0x1p-90);
        arb_add_ui(slack, slack, 1, BITS);
        arb_mul(slack, slack, x.g, BITS);
        loose += !arb_le(mine, slack);
    }
    assert_int_equal(bad, 0);
    assert_int_equal(loose, 0);
    CHECK(above > POINTS / 50 && above < POINTS / 5 - POINTS / 50);
    arb_clear(mine);
    arb_clear(slack);
    mpfr_clear(up);
    bench_clear(&x);
}

/* The same comparison refuses the plain mistakes: rounding down by one part in 2^100, and
 * an order that is off by a tenth. */
SENTENCE(the_comparison_refuses_a_bound_that_is_a_hair_too_small_or_slack)
{
    UNUSED_STATE;
    bench x;
    mpfr_t up, factor;
    bool tight;
    bench_init(&x);
    mpfr_inits2(128, up, factor, (mpfr_ptr)NULL);
    int caught = 0;
    for (int i = 0; i < 200; i++) {
        uint64_t rho = spread(1e8, 1e12), eps = rho + spread(1e10, 1e13);
        jali_convert_delta_up(up, rho, eps);
        mpfr_set_d(factor, 1 - 0x1p-40, MPFR_RNDN);
        mpfr_mul(up, up, factor, MPFR_RNDD);
        caught += !point_holds(&x, up, rho, eps, &tight);
        mpfr_mul_d(up, up, 1 + 1e-8, MPFR_RNDU);
        CHECK(point_holds(&x, up, rho, eps, &tight) && !tight);
    }
    assert_int_equal(caught, 200);
    mpfr_clears(up, factor, (mpfr_ptr)NULL);
    bench_clear(&x);
}

static double eps_of(double rho, double delta)
{
    return (double)jali_convert_eps((uint64_t)llround(rho * 1e12),
                                    (uint64_t)llround(delta * 1e18)) *
           1e-12;
}

SENTENCE(the_tables_of_the_field_come_out)
{
    UNUSED_STATE;
    CHECK(fabs(eps_of(0.005, 1e-6) - 0.430) < 5e-4);
    CHECK(fabs(eps_of(0.05, 1e-6) - 1.472) < 5e-4);
    CHECK(fabs(eps_of(0.5, 1e-6) - 5.222) < 5e-4);
    CHECK(fabs(eps_of(0.05, 1e-9) - 1.882) < 5e-4);
    /* k mechanisms of eps: pure at eps^2/2, exponential at eps^2/8 */
    CHECK(fabs(eps_of(10 * 0.005, 1e-6) - 1.47) < 5e-3);
    CHECK(fabs(eps_of(10 * 0.00125, 1e-6) - 0.70) < 5e-3);
    CHECK(fabs(eps_of(100 * 0.00125, 1e-6) - 2.42) < 5e-3);
    CHECK(fabs(eps_of(1000 * 0.00005, 1e-6) - 1.47) < 5e-3);
}

SENTENCE(the_three_questions_agree_to_the_last_unit)
{
    UNUSED_STATE;
    for (int i = 0; i < 60; i++) {
        uint64_t rho = spread(1e8, 1e12), delta = spread(1e3, 1e17);
        uint64_t eps = jali_convert_eps(rho, delta);
        CHECK(jali_convert_delta(rho, eps) <= delta);
        CHECK(eps == 0 || jali_convert_delta(rho, eps - 1) > delta);
        uint64_t back = jali_convert_rho(eps, delta);
        CHECK(back >= rho);
        CHECK(jali_convert_delta(back, eps) <= delta);
        CHECK(jali_convert_delta(back + 1, eps) > delta);
    }
}

SENTENCE(the_corners_are_answered_on_the_safe_side)
{
    UNUSED_STATE;
    CHECK(jali_convert_delta(0, 0) == 0 && jali_convert_eps(0, 0) == 0);
    CHECK(jali_convert_delta(1, JALI_LOSS_MAX) == 1); /* positive, so rounded up to 1e-18 */
    CHECK(jali_convert_delta(JALI_LOSS_MAX, 0) <= JALI_DELTA_ONE);
    CHECK(jali_convert_delta(JALI_LOSS_MAX, 0) > JALI_DELTA_ONE / 1000 * 999);
    CHECK(jali_convert_eps(1, 0) == JALI_LOSS_MAX);
    CHECK(jali_convert_eps(1000000, JALI_DELTA_ONE) == 0);
    CHECK(jali_convert_rho(1000000000000, 0) == 0);
}

RUN_ALL(TEST(never_smaller_than_five_hundred_bits_say_and_never_much_larger),
        TEST(every_order_is_rounded_up_and_by_less_than_one_part_in_two_to_the_ninety),
        TEST(the_comparison_refuses_a_bound_that_is_a_hair_too_small_or_slack),
        TEST(the_tables_of_the_field_come_out),
        TEST(the_three_questions_agree_to_the_last_unit),
        TEST(the_corners_are_answered_on_the_safe_side))
