/* Refutes noise.laplace and noise.gauss if it can: laws, scale by reach, price, refusals. */
#include "mech/noise.h"
#include "mech/receipt.h"
#include "support/chi.h"
#include "support/seeded_dice.h"
#include "tally/open.h"
#include "unit.h"
#include <math.h>

enum { CELLS = 100000, EDGE = 12, BINS = 2 * EDGE + 3 };

static jali_noiser *noiser(jali_law law, unsigned long num, unsigned long den)
{
    jali_noiser *n = NULL;
    mpq_t budget;
    mpq_init(budget);
    mpq_set_ui(budget, num, den);
    mpq_canonicalize(budget);
    CHECK_OK(jali_noiser_new(&n, law, budget, NULL));
    mpq_clear(budget);
    return n;
}

static size_t bin(int64_t z)
{
    return z < -EDGE ? 0 : z > EDGE ? BINS - 1 : (size_t)(z + EDGE + 1);
}

static double weight(jali_law law, double scale, int64_t z)
{
    double x = fabs((double)z) / scale;
    return exp(law == JALI_LAW_LAPLACE ? -x : -x * x / 2);
}

static void expected(jali_law law, double scale, double p[BINS])
{
    double all = 0;
    memset(p, 0, BINS * sizeof *p);
    for (int64_t z = -2000; z <= 2000; z++) all += weight(law, scale, z);
    for (int64_t z = -2000; z <= 2000; z++) p[bin(z)] += weight(law, scale, z) / all;
}

/* Does a tally of fives with this reach come out as five plus noise of that scale? */
static bool follows(jali_law law, unsigned long num, unsigned long den, jali_reach reach,
                    double scale)
{
    static int64_t five[CELLS];
    for (size_t i = 0; i < CELLS; i++) five[i] = 5;
    jali_tally in = {
        .n = CELLS, .cell = five, .axes = 1, .extent = { CELLS }, .reach = reach
    };
    jali_arena arena = JALI_ARENA_INIT;
    jali_noiser *n = noiser(law, num, den);
    jali_dice *dice = seeded_dice(20261116);
    jali_charge paid = receipt(jali_noiser_loss(n));
    jali_noisy out;
    uint64_t seen[BINS] = { 0 };
    double p[BINS];
    CHECK_OK(jali_noise_release(n, &in, &paid, dice, &arena, &out, NULL));
    CHECK(used_up(&paid) && out.n == CELLS);
    for (size_t i = 0; i < CELLS; i++) seen[bin(out.cell[i] - 5)]++;
    expected(law, scale, p);
    jali_dice_free(dice);
    jali_noiser_free(n);
    jali_arena_clear(&arena);
    return chi_fits(seen, p, BINS);
}

SENTENCE(laplace_noise_grows_with_the_l1_reach)
{
    UNUSED_STATE;
    CHECK(follows(JALI_LAW_LAPLACE, 1, 2, (jali_reach){ 1, 1, 1, 1 }, 2));
    CHECK(follows(JALI_LAW_LAPLACE, 3, 2, (jali_reach){ 3, 6, 6, 2 }, 4));
    CHECK(!follows(JALI_LAW_LAPLACE, 1, 2, (jali_reach){ 1, 1, 1, 1 }, 1.9)); /* 5% off */
    CHECK(!follows(JALI_LAW_LAPLACE, 3, 2, (jali_reach){ 3, 6, 6, 2 }, 2));   /* reach halved */
}

SENTENCE(gauss_noise_grows_with_the_l2_reach)
{
    UNUSED_STATE;
    CHECK(follows(JALI_LAW_GAUSS, 1, 8, (jali_reach){ 1, 1, 1, 1 }, 2));
    CHECK(follows(JALI_LAW_GAUSS, 1, 2, (jali_reach){ 1, 3, 3, 3 }, 3));
    CHECK(!follows(JALI_LAW_GAUSS, 1, 8, (jali_reach){ 1, 1, 1, 1 }, 1.9));
    CHECK(!follows(JALI_LAW_GAUSS, 1, 2, (jali_reach){ 1, 3, 3, 3 }, 1));
}

SENTENCE(a_tally_that_nobody_moves_is_still_covered)
{
    UNUSED_STATE;
    CHECK(follows(JALI_LAW_LAPLACE, 1, 1, (jali_reach){ 0 }, 1));
}

SENTENCE(prices_are_those_of_the_claims)
{
    UNUSED_STATE;
    jali_noiser *laplace = noiser(JALI_LAW_LAPLACE, 1, 2),
                *gauss = noiser(JALI_LAW_GAUSS, 1, 8);
    jali_loss a = jali_noiser_loss(laplace), b = jali_noiser_loss(gauss);
    CHECK(!a.eps_infinite && a.eps_pico == 500000000000u && a.rho_pico == 125000000000u);
    CHECK(b.eps_infinite && b.rho_pico == 125000000000u && b.delta_atto == 0);
    jali_noiser_free(laplace);
    jali_noiser_free(gauss);
}

static jali_status release_with(jali_loss paid_for, jali_dice *dice, jali_charge *paid,
                                jali_noisy *out, jali_err *err)
{
    int64_t one = 1;
    jali_tally in = {
        .n = 1, .cell = &one, .axes = 1, .extent = { 1 }, .reach = { 1, 1, 1, 1 }
    };
    jali_arena arena = JALI_ARENA_INIT;
    jali_noiser *n = noiser(JALI_LAW_LAPLACE, 1, 2);
    *paid = receipt(paid_for);
    jali_status status = jali_noise_release(n, &in, paid, dice, &arena, out, err);
    jali_noiser_free(n);
    jali_arena_clear(&arena);
    return status;
}

SENTENCE(what_is_not_paid_is_not_drawn)
{
    UNUSED_STATE;
    jali_dice *dice = seeded_dice(1);
    jali_charge paid;
    jali_noisy out = { .n = 77 };
    uint64_t before = dice->pool->left;
    jali_loss less = { .eps_pico = 499999999999u, .rho_pico = 125000000000u };
    CHECK(release_with(less, dice, &paid, &out, NULL) == JALI_E_INTERNAL);
    CHECK(out.n == 77 && dice->pool->left == before);
    CHECK(jali_loss_equal(jali_charge_left(&paid), less));
    jali_dice_free(dice);
}

SENTENCE(failed_dice_release_nothing_and_the_charge_stands)
{
    UNUSED_STATE;
    jali_dice *dice = failing_dice(1, 1);
    jali_charge paid;
    jali_noisy out = { .n = 77 };
    jali_err err;
    jali_loss enough = { .eps_pico = 500000000000u, .rho_pico = 125000000000u };
    CHECK(release_with(enough, dice, &paid, &out, &err) == JALI_E_ENTROPY);
    CHECK_REFUSED(err, JALI_E_ENTROPY, JALI_FOR_ANALYST, "the charge stands");
    CHECK(out.n == 77 && used_up(&paid));
    jali_dice_free(dice);
}

SENTENCE(a_budget_too_small_to_draw_for_is_refused_before_paying)
{
    UNUSED_STATE;
    jali_noiser *n = noiser(JALI_LAW_LAPLACE, 1, 1ul << 62);
    jali_reach reach = { 1, 1, 1, 1 };
    double scale = 77;
    CHECK(jali_noiser_scale(n, &reach, &scale, NULL) == JALI_E_USAGE && scale == 77);
    jali_noiser_free(n);
}

RUN_ALL(TEST(laplace_noise_grows_with_the_l1_reach), TEST(gauss_noise_grows_with_the_l2_reach),
        TEST(a_tally_that_nobody_moves_is_still_covered), TEST(prices_are_those_of_the_claims),
        TEST(what_is_not_paid_is_not_drawn),
        TEST(failed_dice_release_nothing_and_the_charge_stands),
        TEST(a_budget_too_small_to_draw_for_is_refused_before_paying))
