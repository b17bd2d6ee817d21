/* Refutes dice.wide if it can: MPFR says what the numbers are. */
#include "dice/wide.h"
#include "unit.h"
#include <math.h>
#include <mpfr.h>

enum { PRECISION = 400 };

static uint64_t roll(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed * 0x2545F4914F6CDD1Du;
}

static void set_wide(mpfr_t out, jali_wide w)
{
    mpfr_set_d(out, w.m, MPFR_RNDN);
    mpfr_mul_2si(out, out, 256 * (long)w.e, MPFR_RNDN);
}

/* |a/b - 1| */
static double error(const mpfr_t a, const mpfr_t b)
{
    mpfr_t x;
    mpfr_init2(x, PRECISION);
    mpfr_div(x, a, b, MPFR_RNDN);
    mpfr_sub_ui(x, x, 1, MPFR_RNDN);
    double e = fabs(mpfr_get_d(x, MPFR_RNDN));
    mpfr_clear(x);
    return e;
}

static bool is_settled(jali_wide w)
{
    return w.m >= 1 && w.m < JALI_WIDE_BASE && w.e == floor(w.e);
}

static void check_exp(const mpq_t rate, uint64_t behind, double most)
{
    jali_wide_rate r;
    mpfr_t truth, got;
    mpfr_init2(truth, PRECISION);
    mpfr_init2(got, PRECISION);
    CHECK_OK(jali_wide_rate_init(&r, rate, NULL));
    jali_wide w = jali_wide_exp(&r, behind);
    CHECK(is_settled(w));
    mpfr_set_q(truth, rate, MPFR_RNDN);
    mpfr_mul_ui(truth, truth, behind, MPFR_RNDN);
    mpfr_neg(truth, truth, MPFR_RNDN);
    mpfr_exp(truth, truth, MPFR_RNDN);
    set_wide(got, w);
    CHECK(error(got, truth) < most);
    mpfr_clear(got);
    mpfr_clear(truth);
}

SENTENCE(weights_are_right_to_48_bits_however_small)
{
    UNUSED_STATE; /* dice.wide */
    uint64_t seed = 5;
    mpq_t rate;
    mpq_init(rate);
    mpfr_set_emin(mpfr_get_emin_min());
    for (int i = 0; i < 20000; i++) {
        mpq_set_ui(rate, 1 + roll(&seed) % 1000000,
                   16000001 + (roll(&seed) >> (roll(&seed) % 40)));
        mpq_canonicalize(rate);
        check_exp(rate, roll(&seed) >> (3 + roll(&seed) % 61), 0x1p-48);
    }
    mpq_set_ui(rate, 1, 17);
    check_exp(rate, 0, 0x1p-60);
    check_exp(rate, (UINT64_C(1) << 61) - 1, 0x1p-48);
    mpq_clear(rate);
}

SENTENCE(sums_and_products_are_right_to_one_rounding)
{
    UNUSED_STATE; /* dice.wide */
    uint64_t seed = 6;
    mpfr_t a, b;
    mpfr_init2(a, 5000);
    mpfr_init2(b, 5000);
    for (int i = 0; i < 20000; i++) {
        jali_wide x = { ldexp(1 + (double)(roll(&seed) >> 11) * 0x1p-53,
                              (int)(roll(&seed) % 256)),
                        -(double)(roll(&seed) % 8) };
        jali_wide y = { ldexp(1 + (double)(roll(&seed) >> 11) * 0x1p-53,
                              (int)(roll(&seed) % 256)),
                        -(double)(roll(&seed) % 8) };
        jali_wide sum = jali_wide_add(x, y), product = jali_wide_mul(x, y);
        CHECK(is_settled(sum) && is_settled(product));
        set_wide(a, x);
        set_wide(b, y);
        mpfr_add(a, a, b, MPFR_RNDN);
        set_wide(b, sum);
        CHECK(error(b, a) <= 0x1.01p-53);
        set_wide(a, x);
        set_wide(b, y);
        mpfr_mul(a, a, b, MPFR_RNDN);
        set_wide(b, product);
        CHECK(error(b, a) <= 0x1.01p-53);
    }
    mpfr_clear(a);
    mpfr_clear(b);
}

SENTENCE(zero_is_nothing_to_a_sum_and_all_of_a_product)
{
    UNUSED_STATE;
    jali_wide x = { 3, -70000 }, zero = jali_wide_zero();
    CHECK(jali_wide_add(x, zero).m == 3 && jali_wide_add(x, zero).e == -70000);
    CHECK(jali_wide_add(zero, zero).m == 0);
    CHECK(jali_wide_mul(x, zero).m == 0);
    CHECK(jali_wide_less(x, zero).m == 3);
    CHECK(jali_wide_less(x, x).m == 0);
    CHECK(jali_wide_less(zero, x).m == 0);
    jali_wide less = jali_wide_less(x, (jali_wide){ 2.75, -70000 });
    CHECK(is_settled(less) && less.m == 0x1p254 && less.e == -70001);
}

SENTENCE(a_rate_that_is_too_large_is_refused)
{
    UNUSED_STATE;
    jali_wide_rate r;
    jali_err err;
    mpq_t rate;
    mpq_init(rate);
    mpq_set_ui(rate, 1, 16);
    CHECK(jali_wide_rate_init(&r, rate, &err) == JALI_E_USAGE);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "too large");
    mpq_clear(rate);
}

RUN_ALL(TEST(weights_are_right_to_48_bits_however_small),
        TEST(sums_and_products_are_right_to_one_rounding),
        TEST(zero_is_nothing_to_a_sum_and_all_of_a_product),
        TEST(a_rate_that_is_too_large_is_refused))
