/* Refutes dice.reals if it can: every bound against MPFR, at random points and at seams.
 *
 * 10^6 points a function; JALI_DEEP=N in the environment takes N million instead. The
 * worst error must also be above 2^-58: one that is always nothing would mean that the
 * comparison compares nothing.
 */
#include "dice/laws.h"
#include "dice/reals.h"
#include "unit.h"
#include <mpfr.h>

enum { POINTS = 333333 };

static size_t rounds(void)
{
    const char *deep = getenv("JALI_DEEP");
    return deep == NULL ? 3 : 3 * (size_t)strtoul(deep, NULL, 10);
}

static mpfr_t truth, other;

static double relative(double got)
{
    mpfr_set_d(other, got, MPFR_RNDN);
    mpfr_sub(other, other, truth, MPFR_RNDN);
    mpfr_div(other, other, truth, MPFR_RNDN);
    return fabs(mpfr_get_d(other, MPFR_RNDN));
}

static double exp_error(double x)
{
    mpfr_set_d(truth, -x, MPFR_RNDN);
    mpfr_exp(truth, truth, MPFR_RNDN);
    return relative(jali_exp_minus(x));
}

static double log_error(double x)
{
    mpfr_set_d(truth, x, MPFR_RNDN);
    mpfr_log(truth, truth, MPFR_RNDN);
    mpfr_set_d(other, jali_log(x), MPFR_RNDN);
    mpfr_sub(other, other, truth, MPFR_RNDN);
    return fabs(mpfr_get_d(other, MPFR_RNDN));
}

static double exponential_error(uint64_t w)
{
    mpfr_set_ui(truth, w, MPFR_RNDN);
    mpfr_div_2ui(truth, truth, 64, MPFR_RNDN);
    mpfr_neg(truth, truth, MPFR_RNDN);
    mpfr_log1p(truth, truth, MPFR_RNDN);
    mpfr_neg(truth, truth, MPFR_RNDN);
    return relative(jali_exponential(w));
}

/* Steps through every binade: words of every length. */
static uint64_t any_length(uint64_t word)
{
    uint64_t w = word >> (word & 63);
    return w == 0 ? 1 : w;
}

SENTENCE(exp_keeps_its_bound)
{
    UNUSED_STATE;
    double worst = 0;
    jali_dice *d = seeded_dice(1);
    for (size_t i = 0; i < rounds() * POINTS; i++) {
        uint64_t w;
        CHECK_OK(jali_dice_word(d, &w));
        double x = i % 2 == 0 ? (double)(w >> 11) * 0x1p-47 : (double)any_length(w) * 0x1p-58;
        worst = fmax(worst, exp_error(x));
    }
    for (int k = 0; k < 92; k++) /* the seams of the reduction */
        for (int j = -50; j <= 50; j++)
            worst = fmax(worst, exp_error(((double)k + 0.5) * log(2) + j * 0x1p-46));
    worst = fmax(worst, fmax(exp_error(0), exp_error(64)));
    CHECK(worst < 0x1p-50 && worst > 0x1p-58);
    CHECK(jali_exp_minus(0) == 1.0);
    jali_dice_free(d);
}

SENTENCE(log_keeps_its_bound)
{
    UNUSED_STATE;
    double worst = 0;
    jali_dice *d = seeded_dice(2);
    for (size_t i = 0; i < rounds() * POINTS; i++) {
        uint64_t w;
        CHECK_OK(jali_dice_word(d, &w));
        worst = fmax(worst, log_error(ldexp((double)(w | 1), -(int)(w % 200) - 64)));
    }
    for (int k = -199; k < 64; k++)
        for (int j = -50; j <= 50; j++)
            worst = fmax(worst, log_error(ldexp(sqrt(0.5) + j * 0x1p-52, k + 1)));
    CHECK(worst < 0x1p-45 && worst > 0x1p-58);
    CHECK(jali_log(1.0) == 0.0);
    jali_dice_free(d);
}

SENTENCE(exponential_keeps_its_bound)
{
    UNUSED_STATE;
    double worst = 0;
    jali_dice *d = seeded_dice(3);
    for (size_t i = 0; i < rounds() * POINTS; i++) {
        uint64_t w;
        CHECK_OK(jali_dice_word(d, &w));
        uint64_t v = any_length(w);
        worst = fmax(worst, exponential_error(i % 3 == 0 ? w | 1 : i % 3 == 1 ? v : 0 - v));
    }
    for (int i = -1000; i < 1000; i++) { /* where 1 - v takes over, and where k changes */
        worst = fmax(worst, exponential_error((uint64_t)(0x1.2bp-2 * 0x1p64) + (uint64_t)i));
        worst = fmax(worst, exponential_error((uint64_t)(0.2928932188134524 * 0x1p64) +
                                              (uint64_t)((int64_t)i * 256)));
    }
    CHECK(worst < 0x1p-49 && worst > 0x1p-58);
    jali_dice_free(d);
}

SENTENCE(a_word_becomes_the_nearest_double)
{
    UNUSED_STATE;
    jali_dice *d = seeded_dice(4);
    for (int i = 0; i < 100000; i++) {
        uint64_t w;
        CHECK_OK(jali_dice_word(d, &w));
        CHECK(jali_double_of(any_length(w)) == (double)any_length(w));
    }
    CHECK(jali_double_of(0) == 0 && jali_double_of(UINT64_MAX) == 0x1p64);
    jali_dice_free(d);
}

/* Vectors and scalars must be one function: the exact tier relies on neither. */
SENTENCE(many_at_once_are_the_same_numbers)
{
    UNUSED_STATE;
    jali_dice *d = seeded_dice(5);
    uint64_t w[JALI_LANES];
    double x[JALI_LANES], e[JALI_LANES], l[JALI_LANES];
    CHECK_OK(jali_dice_take(d, w, JALI_LANES));
    jali_exponential_each(w, x);
    memcpy(l, x, sizeof l);
    memcpy(e, x, sizeof e);
    jali_log_each(l);
    jali_exp_minus_each(e);
    for (size_t i = 0; i < JALI_LANES; i++) {
        CHECK(x[i] == jali_exponential(w[i]));
        CHECK(l[i] == jali_log(x[i]));
        CHECK(e[i] == jali_exp_minus(x[i]));
    }
    jali_dice_free(d);
}

static int open_mpfr(void **state)
{
    (void)state;
    mpfr_inits2(90, truth, other, (mpfr_ptr)NULL);
    return 0;
}

static int close_mpfr(void **state)
{
    (void)state;
    mpfr_clears(truth, other, (mpfr_ptr)NULL);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST(exp_keeps_its_bound), TEST(log_keeps_its_bound),
                                        TEST(exponential_keeps_its_bound),
                                        TEST(a_word_becomes_the_nearest_double),
                                        TEST(many_at_once_are_the_same_numbers) };
    return cmocka_run_group_tests(tests, open_mpfr, close_mpfr);
}
