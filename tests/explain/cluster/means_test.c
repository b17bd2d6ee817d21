/* Refutes means.release and finish.sizes if it can: truth without noise, noise as wide as the
 * person, parts that stay within what was paid. */
#include "explain/cluster/means.h"
#include "table.h"

enum { LABELS = 3, MANY = 4000 };

static const char *const all[] = { "x", "y", "job", "z" };

/* Labels by the remainder of x: any function of the record will do. */
static void by_x(void *self, const jali_block *block, uint16_t *out)
{
    (void)self;
    for (size_t i = 0; i < block->rows; i++)
        out[i] = (uint16_t)(((const uint16_t *)block->codes[0])[i] % LABELS);
}

static const char *const x_column[] = { "x" };

/* sigma is 0.3 of a code in a sum of 160 rows: 3e-5 is 16 of them. */
SENTENCE(without_noise_sizes_and_means_are_the_truth)
{
    UNUSED_STATE;
    static table t;
    asked a;
    jali_means means;
    jali_dice *dice = seeded_dice(1);
    table_plant(&t, 500);
    t.x[3] = 1001; /* NULL: in the middle; it has label 1001 % 3 */
    t.job[5] = 3;  /* NULL: none of the values */
    CHECK_OK(
        table_ask(&t, &a, "lloyd", JALI_LAW_GAUSS, 9000000, LABELS, all, 4, NULL, 0, NULL));
    jali_cluster_run run = { &a.ask, t.columns, &a.charge, dice, NULL, &t.arena };
    jali_label label = {
        .labels = LABELS, .n = 1, .columns = x_column, .label = by_x, .self = NULL
    };
    CHECK_OK(jali_means_measure(&run, &label, 3000000000000000000u, 5000000000000000000u,
                                &t.arena, &means, NULL));
    for (size_t l = 0; l < LABELS; l++) {
        double n = 0, x = 0, y = 0, job[3] = { 0 }, centre[6];
        for (size_t i = 0; i < t.rows; i++) {
            if (t.x[i] % LABELS != l) continue;
            n++;
            x += t.x[i] == 1001 ? 500 : t.x[i];
            y += t.y[i];
            if (t.job[i] < 3) job[t.job[i]]++;
        }
        CHECK(means.size[l] == (int64_t)n);
        jali_means_centre(&a.geometry, means.sum + l * 6, n, centre);
        CHECK(fabs(centre[0] - x / n / 1000) < 3e-5 && fabs(centre[1] - y / n / 1000) < 3e-5);
        for (size_t v = 0; v < 3; v++)
            CHECK(fabs(centre[2 + v] - sqrt(0.5) * job[v] / n) < 1e-9);
        CHECK(centre[5] == 0); /* a column of one value */
    }
    jali_dice_free(dice);
    table_close(&t);
}

static void by_nothing(void *self, const jali_block *block, uint16_t *out)
{
    (void)self;
    memset(out, 0, block->rows * sizeof *out);
}

/* Noise of the sums of MANY empty labels: its spread should be `expected` (measure of the
 * geometry) within 12%, ten standard deviations of an estimate from 4000 draws (for Laplace,
 * whose fourth moment is larger, six): a true law is refused with P < 1e-8. */
static bool is_as_wide(jali_law law, double sum_budget, size_t axis, double expected)
{
    static table t;
    asked a;
    jali_means means;
    jali_dice *dice = seeded_dice(7);
    double square = 0;
    table_plant(&t, 0);
    CHECK_OK(table_ask(&t, &a, "lloyd", law, 10, 2, all, 4, NULL, 0, NULL));
    jali_cluster_run run = { &a.ask, t.columns, &a.charge, dice, NULL, &t.arena };
    jali_label label = {
        .labels = MANY, .n = 1, .columns = x_column, .label = by_nothing, .self = NULL
    };
    CHECK_OK(jali_means_measure(&run, &label, 0, (uint64_t)(sum_budget * 1e12), &t.arena,
                                &means, NULL));
    for (size_t l = 0; l < MANY; l++) square += pow(means.sum[l * 6 + axis], 2) / MANY;
    CHECK(fabs(means.spread[axis] / sqrt(square) - 1) < 0.12); /* what it says of itself */
    jali_dice_free(dice);
    table_close(&t);
    return fabs(sqrt(square) / expected - 1) < 0.12;
}

/* Shares of x, y, job: half widths 1/2, 1/2 and sqrt(1/2) with three axes. */
SENTENCE(noise_of_sums_is_as_wide_as_one_person)
{
    UNUSED_STATE;
    double g = 0.5 + 0.5 + sqrt(0.5) * sqrt(3), l = 2 * cbrt(0.25) + cbrt(0.5 * 3);
    double rho_x = 2 * 0.5 / g, rho_job = 2 * sqrt(1.5) / g;
    double eps_x = 2 * cbrt(0.25) / l;
    CHECK(is_as_wide(JALI_LAW_GAUSS, 2, 0, 0.5 / sqrt(2 * rho_x)));
    CHECK(is_as_wide(JALI_LAW_GAUSS, 2, 3, sqrt(0.5) / sqrt(2 * rho_job)));
    CHECK(is_as_wide(JALI_LAW_LAPLACE, 2, 1, 0.5 * sqrt(2) / eps_x));
    CHECK(
        !is_as_wide(JALI_LAW_GAUSS, 2, 0, 0.5 / sqrt(2 * 2))); /* means.release: not all each */
    CHECK(!is_as_wide(JALI_LAW_LAPLACE, 2, 1, 0.5 / eps_x));
}

SENTENCE(no_more_is_taken_than_was_said)
{
    UNUSED_STATE;
    static table t;
    asked a;
    jali_means means;
    jali_dice *dice = seeded_dice(1);
    table_plant(&t, 30);
    CHECK_OK(table_ask(&t, &a, "lloyd", JALI_LAW_GAUSS, 1, 2, all, 4, NULL, 0, NULL));
    jali_cluster_run run = { &a.ask, t.columns, &a.charge, dice, NULL, &t.arena };
    jali_label label = {
        .labels = LABELS, .n = 1, .columns = x_column, .label = by_x, .self = NULL
    };
    CHECK_OK(jali_means_measure(&run, &label, 1000000, 2000000, &t.arena, &means, NULL));
    uint64_t spent = a.ask.loss.rho_pico - jali_charge_left(&a.charge).rho_pico;
    CHECK(spent <= 3000000 && spent > 2999000);
    jali_dice_free(dice);
    table_close(&t);
}

/* finish.sizes: a table without rows still gets noise on every size. */
SENTENCE(sizes_are_noisy_even_of_nothing)
{
    UNUSED_STATE;
    static table t;
    asked a;
    jali_clustering c = { 0 };
    jali_dice *dice = seeded_dice(3);
    double centre[12] = { 0.1, 0.2, 0, 0, 0, 0, 0.9, 0.7, 0, 0, 0, 0 };
    bool moved = false;
    table_plant(&t, 0);
    CHECK_OK(table_ask(&t, &a, "lloyd", JALI_LAW_GAUSS, 1, 2, all, 4, NULL, 0, NULL));
    jali_cluster_run run = { &a.ask, t.columns, &a.charge, dice, NULL, &t.arena };
    for (int i = 0; i < 20 && !moved; i++) {
        CHECK_OK(jali_means_finish(&run, centre, NULL, 2, 1000000, &c, NULL));
        moved = c.size[0] != 0 && c.size[1] != 0;
    }
    CHECK(moved && c.partition.labels == 2 && fabs(c.centre[0] - 0.1) < 1e-3);
    CHECK(fabs(c.size_scale - 1 / sqrt(2e-6)) < 1e-6 * c.size_scale);
    jali_dice_free(dice);
    table_close(&t);
}

/* The mean square of what noise did to both coordinates of a mean of 3000 rows, over STEPS
 * steps, in told deviations. */
static double told_square(jali_law law, double factor)
{
    enum { STEPS = 300 };
    static table t;
    asked a;
    jali_spread spread;
    double mean[2] = { 0 }, square = 0;
    jali_dice *dice = seeded_dice(12);
    table_plant(&t, 3000);
    CHECK_OK(table_ask(&t, &a, "lloyd", law, 2, 1, all, 2, NULL, 0, NULL));
    jali_cluster_run run = { &a.ask, t.columns, &a.charge, dice, NULL, &t.arena };
    CHECK_OK(jali_spread_take(&run, 1, &spread, NULL));
    for (size_t i = 0; i < t.rows; i++) {
        mean[0] += t.x[i] / 1000.0 / 3000;
        mean[1] += t.y[i] / 1000.0 / 3000;
    }
    for (int i = 0; i < STEPS; i++) {
        double centre[2] = { 0.5, 0.5 };
        a.charge = receipt(a.ask.loss);
        CHECK_OK(jali_means_step(&run, 1900000000000, 50000000000, centre, 1, &spread, NULL));
        for (size_t j = 0; j < 2; j++) {
            double off = (centre[j] - mean[j]) / (spread.label[0] * spread.axis[j]) * factor;
            square += off * off / (2 * STEPS);
        }
    }
    jali_dice_free(dice);
    table_close(&t);
    return square;
}

/* The mean of 600 squares strays by sqrt(2/600) = 5.8 % (Gauss) or sqrt(5/600) = 9.1 %
 * (Laplace): 45 % is five of the latter, a false alarm below 1e-6. */
SENTENCE(a_step_tells_how_far_noise_moved_its_centres)
{
    UNUSED_STATE;
    for (int law = 0; law < 2; law++) {
        CHECK(fabs(told_square((jali_law)law, 1) - 1) < 0.45);
        CHECK(fabs(told_square((jali_law)law, sqrt(2)) - 1) > 0.45); /* twice the noise */
    }
}

RUN_ALL(TEST(a_step_tells_how_far_noise_moved_its_centres),
        TEST(without_noise_sizes_and_means_are_the_truth),
        TEST(noise_of_sums_is_as_wide_as_one_person), TEST(no_more_is_taken_than_was_said),
        TEST(sizes_are_noisy_even_of_nothing))
