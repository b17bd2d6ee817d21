/* Refutes step.release if it can: the noise that a step puts on counts and sums, its price, an
 * unpaid step. Sensitivities are attacked in tests/tally/ball_test.c and score/radius_test.c.
 */
#include "explain/cluster/step.h"
#include "table.h"

enum { DRAWS = 1500 };
static const char *const numbers[] = { "x", "y" };

typedef struct walked {
    table t;
    asked a;
    jali_cluster_run run;
    jali_walker w;
    jali_frame frame;
} walked;

static void walked_open(walked *s, jali_law law, double budget, size_t rows, jali_dice *dice)
{
    table_plant(&s->t, rows);
    CHECK_OK(table_ask(&s->t, &s->a, "refined", law, budget, 3, numbers, 2, NULL, 0, NULL));
    s->run =
        (jali_cluster_run){ &s->a.ask, s->t.columns, &s->a.charge, dice, NULL, &s->t.arena };
    CHECK_OK(jali_frame_make(&s->frame, &s->a.geometry, NULL, NULL, &s->t.arena, NULL));
    CHECK_OK(jali_walker_init(&s->w, &s->run, &s->frame, NULL));
    double at[2] = { 8000, 8000 };
    CHECK_OK(jali_walker_take(&s->w, at, 1, NULL));
}

/* The mean square of the noise on the count of all rows, over DRAWS counts for 0.5 of budget.
 */
static double noise_square(jali_law law, double share)
{
    static walked s;
    double square = 0;
    jali_dice *dice = seeded_dice(77);
    walked_open(&s, law, 0.02, 300, dice);
    for (int i = 0; i < DRAWS; i++) {
        s.a.charge = receipt(s.a.ask.loss);
        CHECK_OK(jali_walker_count(&s.w, (uint64_t)(share * 0.02e12), NULL));
        double off = (double)(s.w.count[0] - 300);
        square += off * off / DRAWS;
    }
    table_close(&s.t);
    jali_dice_free(dice);
    return square;
}

/* step.release: Gauss variance 1/(2 rho), Laplace about 2/eps^2. The mean of DRAWS squares
 * strays by sqrt(2/DRAWS) = 3.7 % (Gauss) or sqrt(5/DRAWS) = 5.8 % (Laplace): 30 % is more than
 * 5 deviations, a false alarm below 1e-6. */
static bool fits(double square, double variance)
{
    return square > 0.7 * variance && square < 1.3 * variance;
}

SENTENCE(counts_carry_the_noise_that_they_are_priced_for)
{
    UNUSED_STATE;
    CHECK(fits(noise_square(JALI_LAW_GAUSS, 0.5), 1 / (2 * 0.01)));
    CHECK(fits(noise_square(JALI_LAW_LAPLACE, 0.5), 2 / (0.01 * 0.01)));
    CHECK(!fits(noise_square(JALI_LAW_GAUSS, 1), 1 / (2 * 0.01))); /* half the noise is seen */
    CHECK(!fits(noise_square(JALI_LAW_LAPLACE, 1), 2 / (0.01 * 0.01)));
}

SENTENCE(a_step_spends_its_three_parts_and_no_more)
{
    UNUSED_STATE;
    static walked s;
    jali_stride stride = { .pico = 5000000000, JALI_STRIDE_SHARES };
    for (int law = 0; law < 2; law++) {
        jali_dice *dice = seeded_dice(3);
        walked_open(&s, (jali_law)law, 0.02, 900, dice);
        CHECK_OK(jali_walker_step(&s.w, &stride, NULL));
        jali_loss left = jali_charge_left(&s.a.charge);
        uint64_t spent = law == JALI_LAW_GAUSS ? s.a.ask.loss.rho_pico - left.rho_pico
                                               : s.a.ask.loss.eps_pico - left.eps_pico;
        CHECK(spent <= stride.pico && spent + 10 > stride.pico);
        table_close(&s.t);
        jali_dice_free(dice);
    }
}

SENTENCE(an_unpaid_step_draws_nothing)
{
    UNUSED_STATE;
    static walked s;
    jali_err err;
    jali_dice *dice = seeded_dice(3);
    jali_stride stride = { .pico = 5000000000, JALI_STRIDE_SHARES };
    walked_open(&s, JALI_LAW_GAUSS, 0.02, 90, dice);
    s.a.charge = receipt((jali_loss){ .eps_infinite = true, .rho_pico = 1000 });
    double before = s.w.centre[0];
    CHECK(jali_walker_step(&s.w, &stride, &err) == JALI_E_INTERNAL);
    CHECK(s.w.centre[0] == before && s.w.count[0] == 0);
    table_close(&s.t);
    jali_dice_free(dice);
}

/* With hardly any noise the step is one of Lloyd's: the centre goes to the mean. */
SENTENCE(without_noise_a_step_goes_to_the_mean)
{
    UNUSED_STATE;
    static walked s;
    double mean[2] = { 0 };
    jali_dice *dice = seeded_dice(4);
    jali_stride stride = {
        .pico = 900000000000000,
        JALI_STRIDE_SHARES,
    };
    stride.quantile = 1;
    walked_open(&s, JALI_LAW_GAUSS, 1000, 3000, dice);
    for (int i = 0; i < 1; i++) CHECK_OK(jali_walker_step(&s.w, &stride, NULL));
    for (size_t i = 0; i < 3000; i++) {
        mean[0] += s.t.x[i] / 3000.0;
        mean[1] += s.t.y[i] / 3000.0;
    }
    for (size_t j = 0; j < 2; j++)
        CHECK(fabs(jali_frame_out(&s.frame, j, s.w.centre[j]) * 1000 - mean[j]) < 2);
    table_close(&s.t);
    jali_dice_free(dice);
}

/* How often 300 rows are taken for dead, of 200 counts with a deviation of 100. */
static int deaths(double before, double variance)
{
    static walked s;
    int dead = 0;
    jali_dice *dice = seeded_dice(78);
    walked_open(&s, JALI_LAW_GAUSS, 0.02, 300, dice);
    for (int i = 0; i < 200; i++) {
        s.a.charge = receipt(s.a.ask.loss);
        s.w.before[0] = before;
        s.w.before_variance[0] = variance;
        CHECK_OK(jali_walker_count(&s.w, 50000000, NULL));
        dead += s.w.dead[0];
    }
    table_close(&s.t);
    jali_dice_free(dice);
    return dead;
}

/* 300 is 3 deviations: dead at once with probability 0.84. With a count of 600 before, equally
 * sure, the mean is 450 in a deviation of 50, the limit 283: 0.0004; with 0 before, 150: 0.996.
 * Each bound is missed with a probability below 1e-6. */
SENTENCE(a_count_before_saves_a_small_cluster)
{
    UNUSED_STATE;
    CHECK(deaths(0, INFINITY) > 130);
    CHECK(deaths(600, 10000) < 5);
    CHECK(deaths(0, 10000) > 180);
}

/* How far a centre in a corner goes in a step, over the radius that the step released. */
static double reach(double spread)
{
    static walked s;
    double corner[2] = { 0, 0 };
    jali_dice *dice = seeded_dice(4);
    jali_stride stride = { .pico = 900000000000000, JALI_STRIDE_SHARES };
    stride.quantile = 0.05;
    walked_open(&s, JALI_LAW_GAUSS, 1000, 3000, dice);
    CHECK_OK(jali_walker_take(&s.w, corner, 1, NULL));
    s.w.spread[0] = spread;
    CHECK_OK(jali_walker_step(&s.w, &stride, NULL));
    double far = hypot(s.w.centre[0], s.w.centre[1]) / s.w.radius;
    table_close(&s.t);
    jali_dice_free(dice);
    return far;
}

SENTENCE(a_centre_that_noise_has_moved_sees_farther)
{
    UNUSED_STATE;
    CHECK(reach(0) <= 1.001);
    CHECK(reach(9000) > 1.2);
}

RUN_ALL(TEST(a_count_before_saves_a_small_cluster),
        TEST(a_centre_that_noise_has_moved_sees_farther),
        TEST(counts_carry_the_noise_that_they_are_priced_for),
        TEST(a_step_spends_its_three_parts_and_no_more), TEST(an_unpaid_step_draws_nothing),
        TEST(without_noise_a_step_goes_to_the_mean))
