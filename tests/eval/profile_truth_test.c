/* Refutes the yardsticks of jali eval profile if it can: diversity over all orders, the best
 * of all combinations, the methods at an eps where noise is nothing. */
#include "eval/profile_draw.h"
#include "support/seeded_dice.h"
#include "tally/open.h"
#include "unit.h"
#include <math.h>
#include <stdlib.h>

enum { K = 4, A = 3, V = 3 };

typedef struct bench {
    jali_arena arena;
    jali_open_rows rows;
    uint32_t label[600];
    jali_open_tables tables;
} bench;

static uint64_t roll(uint64_t *seed, uint64_t n)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return (*seed >> 11) % n;
}

static void bench_make(bench *b, uint64_t seed, double share, double twins)
{
    static const jali_shown shown[A] = { { .values = V }, { .values = V }, { .values = V } };
    *b = (bench){ 0 };
    uint16_t **bar = jali_arena_take(&b->arena, A, sizeof(uint16_t *));
    for (size_t a = 0; a < A; a++) {
        bar[a] = jali_arena_take(&b->arena, 600, sizeof(uint16_t));
        for (size_t r = 0; r < 600; r++) {
            b->label[r] = (uint32_t)(r % K);
            bar[a][r] =
                (uint16_t)(roll(&seed, 3) > 0 ? (r % K + a * (r % 2)) % V : roll(&seed, V));
        }
    }
    b->rows = (jali_open_rows){ 600, A, shown, bar, &b->arena };
    CHECK_OK(
        jali_open_count(&b->rows, b->label, K, share, twins, 1, &b->arena, &b->tables, NULL));
}

static double plain_tvd(const jali_crosstab *t, uint32_t c, uint32_t d, uint32_t a)
{
    double s = 0;
    for (uint32_t v = 0; v < V; v++)
        s += fabs(t->h[a][c * V + v] / t->size[c] - t->h[a][d * V + v] / t->size[d]);
    return s / 2;
}

/* Every order of a group, one by one. */
static double order_by_order(const jali_crosstab *t, uint32_t *who, uint32_t n, uint32_t done,
                             uint32_t a)
{
    if (done == n) {
        double sum = 0;
        for (uint32_t i = 0; i < n; i++) {
            double near = 1;
            for (uint32_t j = 0; j < i; j++) near = fmin(near, plain_tvd(t, who[i], who[j], a));
            sum += near;
        }
        return sum;
    }
    double mean = 0;
    for (uint32_t i = done; i < n; i++) {
        uint32_t keep = who[done];
        who[done] = who[i];
        who[i] = keep;
        mean += order_by_order(t, who, n, done + 1, a) / (n - done);
        who[i] = who[done];
        who[done] = keep;
    }
    return mean;
}

SENTENCE(diversity_is_the_mean_over_all_orders)
{
    UNUSED_STATE;
    static const double only[3] = { 0, 0, 1 };
    for (uint64_t seed = 1; seed < 20; seed++) {
        bench b;
        bench_make(&b, seed, 1, 0);
        const jali_crosstab *t = &b.tables.truth;
        uint32_t chosen[K], who[K], n;
        double sum = 0;
        for (uint32_t c = 0; c < K; c++) chosen[c] = (uint32_t)roll(&seed, 2);
        for (uint32_t a = 0; a < A; a++) {
            n = 0;
            for (uint32_t c = 0; c < K; c++)
                if (chosen[c] == a) who[n++] = c;
            if (n > 0) sum += order_by_order(t, who, n, 0, a);
        }
        CHECK(fabs(jali_profile_quality(t, JALI_QUALITY_PAPER, only, chosen) - sum / K) <
              1e-12);
        jali_arena_clear(&b.arena);
    }
}

SENTENCE(the_best_is_the_best_of_all_combinations)
{
    UNUSED_STATE;
    static const double w[3] = { 0.3, 0.3, 0.4 };
    for (uint64_t seed = 3; seed < 20; seed++) {
        bench b;
        jali_plain_terms t;
        uint32_t best[K], most = 0;
        double top = -1e300;
        bench_make(&b, seed, 1, 0);
        CHECK_OK(jali_plain_tabee(&b.tables.truth, w, &b.arena, &t, NULL));
        CHECK_OK(jali_plain_best(&t, NULL, 0, &b.arena, best, NULL));
        for (uint32_t i = 0; i < 81; i++) {
            uint32_t at[K] = { i % 3, i / 3 % 3, i / 9 % 3, i / 27 };
            double q = jali_profile_quality(&b.tables.truth, JALI_QUALITY_CODE, w, at);
            if (q > top + 1e-12) {
                top = q;
                most = i;
            }
        }
        uint32_t at[K] = { most % 3, most / 3 % 3, most / 9 % 3, most / 27 };
        CHECK(fabs(jali_profile_quality(&b.tables.truth, JALI_QUALITY_CODE, w, best) -
                   jali_profile_quality(&b.tables.truth, JALI_QUALITY_CODE, w, at)) < 1e-9);
        jali_arena_clear(&b.arena);
    }
}

/* With eps 10^5 there is no noise to speak of: private methods choose the best. */
SENTENCE(without_noise_the_methods_find_the_best)
{
    UNUSED_STATE;
    static const double w[3] = { 1 / 3.0, 1 / 3.0, 1 / 3.0 };
    bench b;
    jali_plain_terms t;
    uint32_t best[K], chosen[K];
    jali_dice *dice = seeded_dice(5);
    bench_make(&b, 77, 1, 0);
    CHECK_OK(jali_plain_glscore(&b.tables.truth, w, &b.arena, &t, NULL));
    CHECK_OK(jali_plain_best(&t, NULL, 0, &b.arena, best, NULL));
    jali_choosing c = { &b.tables, A, { 1, 1, 1 }, 1e5 };
    for (int by = JALI_BY_ALL; by <= JALI_BY_PUBLISHED; by++) {
        CHECK_OK(jali_choosing_draw(&c, (jali_chosen_by)by, dice, chosen, NULL));
        CHECK(jali_profile_mae(chosen, best, K) == 0);
    }
    for (int by = JALI_BY_DP_TABEE; by < JALI_BY_METHODS; by++)
        CHECK_OK(jali_choosing_draw(&c, (jali_chosen_by)by, dice, chosen, NULL));
    jali_dice_free(dice);
    jali_arena_clear(&b.arena);
}

SENTENCE(samples_are_smaller_and_twins_keep_the_sizes)
{
    UNUSED_STATE;
    bench b;
    bench_make(&b, 9, 0.5, 0.85);
    const jali_crosstab *t = &b.tables.truth;
    CHECK(t->attributes == 2 * A && t->rows > 200 && t->rows < 400);
    for (uint32_t a = 0; a < 2 * A; a++)
        for (uint32_t c = 0; c < K; c++) {
            double n = 0;
            for (uint32_t v = 0; v < V; v++) n += t->h[a][c * V + v];
            CHECK(n == t->size[c]);
        }
    jali_arena_clear(&b.arena);
}

RUN_ALL(TEST(diversity_is_the_mean_over_all_orders),
        TEST(the_best_is_the_best_of_all_combinations),
        TEST(without_noise_the_methods_find_the_best),
        TEST(samples_are_smaller_and_twins_keep_the_sizes))
