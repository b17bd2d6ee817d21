/* Refutes noise.laplace, noise.gauss and noise.cube if it can: laws, scale by reach, price,
 * refusals. */
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

enum { SIDE = 3, DRAWS = 40000, LEVELS = 40 };

/* Vectors of the cube's level k: all of [-k, k]^SIDE that are not in [-k+1, k-1]^SIDE. */
static double shell(int k)
{
    return pow(2 * k + 1, SIDE) - (k > 0 ? pow(2 * k - 1, SIDE) : 0);
}

/* Does the largest of SIDE noises follow exp(-k/scale) times the size of its shell? That is all
 * that noise.cube needs: within a level the law is even (dice.body). */
static bool cube_follows(unsigned long num, unsigned long den, jali_reach reach, double scale)
{
    int64_t zero[SIDE] = { 0 };
    uint64_t seen[LEVELS + 1] = { 0 };
    double p[LEVELS + 1] = { 0 }, all = 0;
    jali_tally in = { .n = SIDE, .cell = zero, .axes = 1, .extent = { SIDE }, .reach = reach };
    jali_noiser *n = noiser(JALI_LAW_CUBE, num, den);
    jali_dice *dice = seeded_dice(20261117);
    for (int draw = 0; draw < DRAWS; draw++) {
        jali_arena arena = JALI_ARENA_INIT;
        jali_charge paid = receipt(jali_noiser_loss(n));
        jali_noisy out;
        int64_t most = 0;
        CHECK_OK(jali_noise_release(n, &in, &paid, dice, &arena, &out, NULL));
        CHECK(used_up(&paid) && out.law == JALI_LAW_CUBE);
        for (size_t i = 0; i < SIDE; i++)
            most = llabs(out.cell[i]) > most ? llabs(out.cell[i]) : most;
        seen[most < LEVELS ? most : LEVELS]++;
        jali_arena_clear(&arena);
    }
    for (int k = 0; k < 2000; k++) all += shell(k) * exp(-k / scale);
    for (int k = 0; k < 2000; k++)
        p[k < LEVELS ? k : LEVELS] += shell(k) * exp(-k / scale) / all;
    jali_dice_free(dice);
    jali_noiser_free(n);
    return chi_fits(seen, p, LEVELS + 1);
}

SENTENCE(cube_noise_grows_with_the_largest_reach)
{
    UNUSED_STATE;
    CHECK(cube_follows(1, 1, (jali_reach){ 3, 6, 4, 2 }, 2));
    CHECK(cube_follows(1, 2, (jali_reach){ 3, 9, 6, 3 }, 6));
    CHECK(!cube_follows(1, 1, (jali_reach){ 3, 6, 4, 2 }, 1.9)); /* 5% off       */
    CHECK(!cube_follows(1, 2, (jali_reach){ 3, 9, 6, 3 }, 3));   /* reach halved */
}

/* One number of a cube's vector, by summing its law: half of its weight at each level is even.
 */
static double summed_tail(double scale, int d, int q)
{
    double all = 0, beyond = 0;
    for (int t = 0; t < 400 * (int)scale; t++) {
        double weight = exp(d * log(2 * t + 1.0) - t / scale - d * log(2 * d * scale));
        all += weight;
        if (t > q) beyond += weight * (t - q) / (t + 0.5);
    }
    return beyond / all;
}

SENTENCE(intervals_of_a_cube_are_those_of_its_law)
{
    UNUSED_STATE;
    const int sides[] = { 2, 3, 20, 100 };
    for (size_t i = 0; i < 4; i++) {
        double scale = 50;
        uint64_t half = jali_cube_halfwidth(scale, (size_t)sides[i], 0.05);
        CHECK(fabs(summed_tail(scale, sides[i], (int)half) - 0.05) < 0.001);
        CHECK(jali_cube_tail(scale, (size_t)sides[i], half) <= 0.05);
        CHECK(jali_cube_tail(scale, (size_t)sides[i], half - 1) > 0.05);
    }
    CHECK(jali_cube_tail(50, 20, 1 << 20) < 1e-100);
    /* A sixth of Laplace's variance is about 0.4 of its width. */
    double cube = (double)jali_cube_halfwidth(1e6, 20, 0.05);
    double laplace = (double)jali_law_halfwidth(JALI_LAW_LAPLACE, 20e6, 0.05);
    CHECK(cube < 0.4 * laplace && cube > 0.2 * laplace);
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
    jali_noiser *cube = noiser(JALI_LAW_CUBE, 1, 2);
    CHECK(jali_loss_equal(jali_noiser_loss(cube), a));
    jali_noiser_free(cube);
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
        TEST(cube_noise_grows_with_the_largest_reach),
        TEST(intervals_of_a_cube_are_those_of_its_law),
        TEST(a_tally_that_nobody_moves_is_still_covered), TEST(prices_are_those_of_the_claims),
        TEST(what_is_not_paid_is_not_drawn),
        TEST(failed_dice_release_nothing_and_the_charge_stands),
        TEST(a_budget_too_small_to_draw_for_is_refused_before_paying))
