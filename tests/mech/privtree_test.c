/* Refutes privtree.structure if it can: exact losses along paths, laws of draws, refusals. */
#include "mech/privtree.h"
#include "support/seeded_dice.h"
#include "unit.h"
#include <math.h>

/* ln P(split) and ln P(no split) at t, for noise of scale lambda on the integers. */
static double log_split(double lambda, double t)
{
    double p = exp(-1 / lambda);
    if (t <= 0) return log(p / (1 + p)) - t * log(p);
    return log1p(-pow(p, t) / (1 + p));
}

static double log_stay(double lambda, double t)
{
    double p = exp(-1 / lambda);
    if (t >= 1) return t * log(p) - log(1 + p);
    return log1p(-exp(log_split(lambda, t)));
}

static double clamp(double x, double decay)
{
    return x > -decay ? x : -decay;
}

/* The largest loss that `shift` grains more on one path can cause: nodes whose counts fall as
 * slowly as they may, the deepest at x0, for every x0; or the leaf alone, the other way. */
static double worst_loss(double lambda, double decay, double shift)
{
    double worst = 0;
    for (double x0 = -decay - shift; x0 <= 2 * decay; x0 += floor(decay / 200) + 1) {
        double inner = 0, leaf;
        for (int j = 0; j < 40; j++) {
            double x = x0 + j * decay;
            inner +=
                log_split(lambda, clamp(x + shift, decay)) - log_split(lambda, clamp(x, decay));
        }
        leaf = log_stay(lambda, clamp(x0, decay)) - log_stay(lambda, clamp(x0 + shift, decay));
        if (inner > worst) worst = inner;
        if (leaf > worst) worst = leaf;
    }
    return worst;
}

static jali_privtree tree(unsigned fanout, uint32_t rows, uint64_t weight, unsigned long num,
                          unsigned long den)
{
    jali_privtree t;
    mpq_t eps;
    mpq_init(eps);
    mpq_set_ui(eps, num, den);
    mpq_canonicalize(eps);
    CHECK_OK(jali_privtree_init(&t, fanout, rows, weight, eps, NULL));
    mpq_clear(eps);
    return t;
}

static double loss_of(unsigned fanout, uint32_t rows, uint64_t weight, unsigned long num,
                      unsigned long den)
{
    jali_privtree t = tree(fanout, rows, weight, num, den);
    double lambda = mpq_get_d(t.noise.scale),
           shift = (double)JALI_CORESET_GRAIN * (double)(rows * weight);
    double loss = worst_loss(lambda, (double)t.decay, shift);
    jali_privtree_clear(&t);
    return loss / ((double)num / (double)den);
}

/* privtree.structure, exactly: every path of every table, as far as a grid of x0 sees. */
SENTENCE(no_path_loses_more_than_eps)
{
    UNUSED_STATE;
    for (unsigned fanout = 2; fanout <= 8; fanout *= 2) {
        CHECK(loss_of(fanout, 1, 1, 147, 10000) <= 1);
        CHECK(loss_of(fanout, 1, 1, 147, 1000) <= 1);
        CHECK(loss_of(fanout, 1, 1, 3, 4) <= 1);
        CHECK(loss_of(fanout, 1, 50, 147, 1000) <= 1);
        CHECK(loss_of(fanout, 20, 1, 147, 1000) <= 1);
        CHECK(loss_of(fanout, 3, 7, 3, 4) <= 1);
        CHECK(loss_of(fanout, 1, 1, 147, 1000) > 0.8); /* and it is not idly large */
    }
}

/* PRIVACY 8: lambda times m with the decay of one row costs more than eps. */
SENTENCE(a_decay_that_forgets_the_rows_of_a_person_is_refuted)
{
    UNUSED_STATE;
    jali_privtree one = tree(4, 1, 1, 147, 1000), many = tree(4, 20, 1, 147, 1000);
    double lambda = mpq_get_d(many.noise.scale);
    CHECK(worst_loss(lambda, (double)many.decay, 64 * 20) <= 0.147);
    CHECK(worst_loss(lambda, (double)one.decay, 64 * 20) > 2 * 0.147);
    CHECK(worst_loss(lambda * 0.75, (double)many.decay * 0.75, 64 * 20) >
          0.147); /* less noise */
    jali_privtree_clear(&one);
    jali_privtree_clear(&many);
}

/* A root of two fine cells: how often does it split? 5.4 deviations: a true law is refused
 * with P < 1e-7. */
static bool splits_with(double p, int64_t count, int64_t theta)
{
    enum { RUNS = 20000 };
    int64_t sum[2] = { count, count };
    jali_prefix prefix = { 1, 1, sum };
    jali_coreset_part root = { .hi = { 2, 1, 1 } };
    jali_privtree t = tree(2, 1, 1, 1, 2);
    jali_dice *dice = seeded_dice(20261116);
    jali_arena arena = JALI_ARENA_INIT;
    double seen = 0;
    for (int i = 0; i < RUNS; i++) {
        jali_boxes out;
        CHECK_OK(jali_privtree_grow(&t, &prefix, &root, theta, dice, &arena, &out, NULL));
        CHECK(out.n == 1 || out.n == 2);
        seen += out.n == 2;
        jali_arena_clear(&arena);
    }
    jali_dice_free(dice);
    jali_privtree_clear(&t);
    return fabs(seen - RUNS * p) < 5.4 * sqrt(RUNS * p * (1 - p));
}

SENTENCE(a_node_splits_as_the_card_says)
{
    UNUSED_STATE;
    jali_privtree t = tree(2, 1, 1, 1, 2);
    double lambda = mpq_get_d(t.noise.scale), floor_t = -(double)t.decay;
    jali_privtree_clear(&t);
    CHECK(splits_with(exp(log_split(lambda, 64 * 3)), 3, 0));
    CHECK(splits_with(exp(log_split(lambda, 64 * 3)), 8, 5));
    CHECK(splits_with(exp(log_split(lambda, floor_t)), 0, 50));   /* clamped */
    CHECK(!splits_with(exp(log_split(lambda, -64 * 50)), 0, 50)); /* as if it were not */
    CHECK(!splits_with(exp(log_split(lambda * 1.2, 64 * 3)), 3, 0));
}

SENTENCE(prefix_sums_count_boxes)
{
    UNUSED_STATE;
    int64_t cell[64], sum[64], seed = 7;
    for (int i = 0; i < 64; i++) sum[i] = cell[i] = (seed = seed * 31 % 97) % 5;
    for (int i = 0; i < 64; i++)
        if (i % 4 > 0) sum[i] += sum[i - 1];
    for (int i = 0; i < 64; i++)
        if (i / 4 % 4 > 0) sum[i] += sum[i - 4];
    for (int i = 16; i < 64; i++) sum[i] += sum[i - 16];
    jali_prefix p = { 3, 2, sum };
    for (uint32_t box = 0; box < 4096; box++) {
        uint32_t lo[3] = { box & 3, box >> 2 & 3, box >> 4 & 3 };
        uint32_t hi[3] = { (box >> 6 & 3) + 1, (box >> 8 & 3) + 1, (box >> 10) + 1 };
        int64_t want = 0;
        if (lo[0] >= hi[0] || lo[1] >= hi[1] || lo[2] >= hi[2]) continue;
        for (uint32_t i = 0; i < 64; i++)
            if (i / 16 >= lo[0] && i / 16 < hi[0] && i / 4 % 4 >= lo[1] && i / 4 % 4 < hi[1] &&
                i % 4 >= lo[2] && i % 4 < hi[2])
                want += cell[i];
        CHECK(jali_prefix_box(&p, lo, hi) == want);
    }
}

SENTENCE(a_budget_beyond_the_proof_is_refused)
{
    UNUSED_STATE;
    jali_privtree t;
    mpq_t eps;
    mpq_init(eps);
    mpq_set_ui(eps, 751, 1000);
    CHECK(jali_privtree_init(&t, 4, 1, 1, eps, NULL) == JALI_E_USAGE);
    mpq_set_ui(eps, 0, 1);
    CHECK(jali_privtree_init(&t, 4, 1, 1, eps, NULL) == JALI_E_USAGE);
    mpq_set_ui(eps, 1, 1ul << 62);
    CHECK(jali_privtree_init(&t, 4, 1, 1, eps, NULL) == JALI_E_USAGE);
    mpq_clear(eps);
}

RUN_ALL(TEST(no_path_loses_more_than_eps),
        TEST(a_decay_that_forgets_the_rows_of_a_person_is_refuted),
        TEST(a_node_splits_as_the_card_says), TEST(prefix_sums_count_boxes),
        TEST(a_budget_beyond_the_proof_is_refused))
