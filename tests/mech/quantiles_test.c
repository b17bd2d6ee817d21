/* Refutes quantiles.levels if it can: the law of one cut, the price, cuts in order, and two
 * neighbours whose laws may not differ by more than eps. */
#include "mech/quantiles.h"
#include "mech/receipt.h"
#include "support/chi.h"
#include "support/seeded_dice.h"
#include "tally/open.h"
#include "unit.h"
#include <math.h>

enum { VALUES = 6, DRAWS = 100000 };

static jali_quantiler *quantiler(jali_law law, unsigned long num, unsigned long den, size_t k)
{
    jali_quantiler *q = NULL;
    mpq_t budget;
    mpq_init(budget);
    mpq_set_ui(budget, num, den);
    mpq_canonicalize(budget);
    CHECK_OK(jali_quantiler_new(&q, law, budget, k, NULL));
    mpq_clear(budget);
    return q;
}

static jali_tally counts_of(int64_t *cell, uint64_t l1)
{
    return (jali_tally){ .n = VALUES + 1,
                         .cell = cell,
                         .axes = 1,
                         .extent = { VALUES + 1 },
                         .reach = { 1, l1, l1, l1 } };
}

/* The law of the card for the median: a = 1, b = 2, M = 1. */
static void median_law(const int64_t *cell, double eps, double l1, double p[VALUES])
{
    double n = 0, below = 0, all = 0;
    for (int v = 0; v < VALUES; v++) n += (double)cell[v];
    for (int v = 0; v < VALUES; v++) {
        double over = 2 * below - n;
        below += (double)cell[v];
        double u = -fmax(0, fmax(over, n - 2 * below));
        p[v] = exp(eps * u / (2 * l1));
        all += p[v];
    }
    for (int v = 0; v < VALUES; v++) p[v] /= all;
}

static bool follows(unsigned long num, unsigned long den, uint64_t l1, double eps)
{
    int64_t cell[VALUES + 1] = { 3, 0, 2, 4, 1, 2, 99 };
    jali_tally in = counts_of(cell, l1);
    jali_quantiler *q = quantiler(JALI_LAW_LAPLACE, num, den, 1);
    jali_dice *dice = seeded_dice(20261116);
    uint64_t seen[VALUES] = { 0 };
    double p[VALUES];
    for (int i = 0; i < DRAWS; i++) {
        size_t cut;
        jali_charge paid = receipt(jali_quantiler_loss(q));
        CHECK_OK(jali_quantiles_release(q, &in, VALUES, &paid, dice, &cut, NULL));
        CHECK(used_up(&paid));
        seen[cut]++;
    }
    median_law(cell, eps, (double)l1, p);
    jali_dice_free(dice);
    jali_quantiler_free(q);
    return chi_fits(seen, p, VALUES);
}

SENTENCE(the_median_follows_its_law) /* quantiles.levels */
{
    UNUSED_STATE;
    CHECK(follows(1, 2, 1, 0.5));
    CHECK(follows(2, 1, 3, 2));     /* a person with three rows */
    CHECK(!follows(1, 2, 1, 0.55)); /* 10% off */
    CHECK(!follows(2, 1, 3, 6));    /* rows forgotten */
}

/* Exactly, by the law that was just tested: no neighbour is further away than eps, and some
 * neighbour refutes a scale 1% smaller. */
SENTENCE(no_neighbour_is_further_away_than_epsilon)
{
    UNUSED_STATE;
    double worst = 0;
    for (int table = 0; table < 4096; table++) {
        int64_t cell[VALUES + 1] = { 0 };
        for (int v = 0; v < VALUES; v++) cell[v] = table >> (2 * v) & 3;
        double p[VALUES], r[VALUES];
        median_law(cell, 1, 1, p);
        for (int v = 0; v < VALUES; v++) {
            cell[v]++;
            median_law(cell, 1, 1, r);
            cell[v]--;
            for (int i = 0; i < VALUES; i++) worst = fmax(worst, fabs(log(p[i] / r[i])));
        }
    }
    CHECK(worst <= 1 + 1e-12);
    CHECK(worst > 0.5); /* six values leave the normaliser its share */
}

/* floor(log2 k) + 1 levels, each paid once: 19 cuts are 5 levels. */
SENTENCE(levels_are_paid_once_each)
{
    UNUSED_STATE;
    static const struct {
        size_t k;
        unsigned levels;
    } some[] = { { 1, 1 }, { 2, 2 }, { 3, 2 }, { 4, 3 }, { 18, 5 }, { 31, 5 }, { 32, 6 } };
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        jali_quantiler *q = quantiler(JALI_LAW_LAPLACE, 1, 1, some[i].k);
        jali_loss loss = jali_quantiler_loss(q);
        CHECK(loss.eps_pico <= 1000000000000 && loss.eps_pico > 999999999000);
        /* L (1/L)^2 / 8 */
        CHECK(fabs((double)loss.rho_pico - 1e12 / some[i].levels / 8) < 100);
        jali_quantiler_free(q);
        q = quantiler(JALI_LAW_GAUSS, 1, 100, some[i].k);
        loss = jali_quantiler_loss(q);
        CHECK(loss.rho_pico <= 10000000000 + 8 && loss.rho_pico > 9999000000);
        jali_quantiler_free(q);
    }
}

SENTENCE(many_cuts_come_in_order_and_near_the_truth)
{
    UNUSED_STATE;
    enum { WIDE = 1000, CUTS = 19 };
    static int64_t cell[WIDE + 1];
    jali_tally in = {
        .n = WIDE + 1, .cell = cell, .axes = 1, .extent = { WIDE + 1 }, .reach = { 1, 1, 1, 1 }
    };
    jali_quantiler *q = quantiler(JALI_LAW_LAPLACE, 1, 1, CUTS);
    jali_dice *dice = seeded_dice(7);
    for (int i = 0; i < WIDE; i++) cell[i] = 100;
    for (int run = 0; run < 50; run++) {
        size_t cut[CUTS];
        jali_charge paid = receipt(jali_quantiler_loss(q));
        CHECK_OK(jali_quantiles_release(q, &in, WIDE, &paid, dice, cut, NULL));
        CHECK(used_up(&paid));
        for (int i = 0; i < CUTS; i++) {
            CHECK(i == 0 || cut[i] >= cut[i - 1]);
            /* A level of eps 0.2 misses by more than 12 values (1,200 rows) with chance below
             * 1000 exp(-0.2 * 1200 / 2), and there are five. */
            CHECK(fabs((double)cut[i] - 50.0 * (i + 1)) < 60);
        }
    }
    jali_dice_free(dice);
    jali_quantiler_free(q);
}

SENTENCE(a_column_of_one_value_is_cut_there)
{
    UNUSED_STATE;
    int64_t cell[2] = { 5, 1 };
    jali_tally in = {
        .n = 2, .cell = cell, .axes = 1, .extent = { 2 }, .reach = { 1, 1, 1, 1 }
    };
    jali_quantiler *q = quantiler(JALI_LAW_LAPLACE, 1, 1, 7);
    jali_dice *dice = seeded_dice(1);
    jali_charge paid = receipt(jali_quantiler_loss(q));
    size_t cut[7];
    CHECK_OK(jali_quantiles_release(q, &in, 1, &paid, dice, cut, NULL));
    for (int i = 0; i < 7; i++) CHECK(cut[i] == 0);
    CHECK(used_up(&paid));
    jali_dice_free(dice);
    jali_quantiler_free(q);
}

SENTENCE(what_is_not_paid_is_not_drawn)
{
    UNUSED_STATE;
    int64_t cell[VALUES + 1] = { 3, 0, 2, 4, 1, 2, 99 };
    jali_tally in = counts_of(cell, 1);
    jali_quantiler *q = quantiler(JALI_LAW_LAPLACE, 1, 1, 3);
    jali_dice *dice = failing_dice(1, 0);
    jali_charge paid = receipt((jali_loss)JALI_LOSS_NONE);
    size_t cut[3] = { 77, 77, 77 };
    CHECK(jali_quantiles_release(q, &in, VALUES, &paid, dice, cut, NULL) == JALI_E_INTERNAL);
    paid = receipt(jali_quantiler_loss(q));
    CHECK(jali_quantiles_release(q, &in, VALUES, &paid, dice, cut, NULL) == JALI_E_ENTROPY);
    CHECK(cut[0] == 77);
    jali_dice_free(dice);
    jali_quantiler_free(q);
}

RUN_ALL(TEST(the_median_follows_its_law), TEST(no_neighbour_is_further_away_than_epsilon),
        TEST(levels_are_paid_once_each), TEST(many_cuts_come_in_order_and_near_the_truth),
        TEST(a_column_of_one_value_is_cut_there), TEST(what_is_not_paid_is_not_drawn))
