/* Solvers against brute force and against each other: swap, lp, the dual, the pmed graphs. */
#include "explain/contrast/dual.h"
#include "explain/contrast/lp.h"
#include "explain/contrast/stream.h"
#include "explain/contrast/swap.h"
#include "unit.h"
#include <math.h>
#include <stdlib.h>

enum { MOST = 24 };

typedef struct instance {
    size_t n, k, fixed;
    double d[MOST * MOST], w[MOST];
    float df[MOST * MOST], wf[MOST];
} instance;

static void make(instance *t, uint64_t *s, size_t n, size_t k, bool squared)
{
    double x[MOST], y[MOST];
    t->n = n;
    t->k = k;
    t->fixed = jali_next(s) % n;
    for (size_t i = 0; i < n; i++) {
        x[i] = jali_next(s) % 3 == 0 ? floor(4 * jali_next_unit(s)) / 4 : jali_next_unit(s);
        y[i] = jali_next_unit(s);
        t->w[i] = jali_next(s) % 5 == 0 ? 0 : 10 * jali_next_unit(s);
        t->wf[i] = (float)t->w[i];
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double far = hypot(x[i] - x[j], y[i] - y[j]);
            t->d[i * n + j] = squared ? far * far : far;
            t->df[i * n + j] = (float)t->d[i * n + j];
        }
}

static double cost_of(const instance *t, unsigned set)
{
    double sum = 0;
    for (size_t j = 0; j < t->n; j++) {
        double least = INFINITY;
        for (size_t i = 0; i < t->n; i++)
            if (set >> i & 1) least = fmin(least, t->d[i * t->n + j]);
        sum += t->w[j] * least;
    }
    return sum;
}

/* All sets of k with the fixed centre (forced) or without. */
static double exact(const instance *t, bool forced)
{
    double best = INFINITY;
    for (unsigned set = 1; set < 1u << t->n; set++)
        if ((size_t)__builtin_popcount(set) == t->k && (!forced || set >> t->fixed & 1))
            best = fmin(best, cost_of(t, set));
    return best;
}

/* 1,000 instances: within the factor 8, never better than the best, the program below both. */
SENTENCE(lp_is_within_its_factor_and_never_better_than_the_best)
{
    UNUSED_STATE;
    uint64_t s = 99;
    instance t;
    for (int i = 0; i < 1000; i++) {
        jali_arena arena = JALI_ARENA_INIT;
        jali_lp lp;
        size_t n = 3 + jali_next(&s) % 9;
        make(&t, &s, n, 1 + jali_next(&s) % (n < 5 ? n : 5), false);
        CHECK_OK(jali_lp_solve(&lp, t.d, t.w, t.n, t.k, t.fixed, &arena, NULL));
        double best = exact(&t, true), slack = 1e-6 * (1 + best);
        CHECK(lp.n >= 1 && lp.n <= t.k && lp.set[0] == t.fixed);
        CHECK(lp.cost >= best - slack && lp.bound <= best + slack);
        CHECK(lp.cost <= JALI_LP_FACTOR * lp.bound + slack);
        jali_arena_clear(&arena);
    }
}

/* A twin that opens one centre too many would be better than the best, and is caught. */
SENTENCE(brute_force_catches_a_set_with_one_centre_too_many)
{
    UNUSED_STATE;
    uint64_t s = 7;
    instance t;
    make(&t, &s, 10, 3, false);
    double best = exact(&t, true);
    t.k = 4;
    CHECK(exact(&t, true) < best - 1e-6);
}

static void check_swap(bool squared, double factor)
{
    uint64_t s = 5;
    instance t;
    for (int i = 0; i < 300; i++) {
        jali_arena arena = JALI_ARENA_INIT;
        size_t n = 4 + jali_next(&s) % 8, start[5], set[5];
        double cost;
        make(&t, &s, n, 1 + jali_next(&s) % 4, squared);
        start[0] = t.fixed;
        for (size_t j = 1; j < t.k; j++) start[j] = (t.fixed + j) % n;
        CHECK_OK(
            jali_swap_matrix(t.df, n, n, t.wf, t.k, 0, start, 0, set, &cost, &arena, NULL));
        double best = exact(&t, true);
        CHECK(set[0] == t.fixed);
        CHECK(cost >= best - 1e-4 * (1 + best) && cost <= factor * best + 1e-4);
        jali_arena_clear(&arena);
    }
}

SENTENCE(swap_is_within_its_factor_and_never_better_than_the_best)
{
    UNUSED_STATE;
    check_swap(false, JALI_SWAP_MEDIAN);
    check_swap(true, JALI_SWAP_MEANS);
}

/* Fast interchange must say what recomputing says, for every candidate. */
SENTENCE(a_swap_saves_what_it_says)
{
    UNUSED_STATE;
    uint64_t s = 11;
    instance t;
    for (int i = 0; i < 200; i++) {
        jali_arena arena = JALI_ARENA_INIT;
        jali_interchange x;
        size_t n = 6 + jali_next(&s) % 8;
        make(&t, &s, n, 1 + jali_next(&s) % 4, false);
        CHECK_OK(jali_interchange_new(&x, n, t.k, t.k, t.wf, &arena, NULL));
        for (size_t j = 0; j < t.k; j++) jali_interchange_put(&x, j, t.df + j * n);
        double before = jali_interchange_refresh(&x);
        for (size_t o = 0; o < n; o++) {
            size_t out;
            unsigned set = ((1u << t.k) - 1);
            double by = jali_interchange_try(&x, t.df + o * n, &out), best = INFINITY;
            for (size_t gone = 0; gone < t.k; gone++)
                best = fmin(best, cost_of(&t, (set & ~(1u << gone)) | 1u << o));
            CHECK(fabs(before - by - best) < 1e-4 * (1 + before));
            CHECK(fabs(cost_of(&t, (set & ~(1u << out)) | 1u << o) - best) < 1e-4 * (1 + best));
        }
        jali_arena_clear(&arena);
    }
}

/* The dual is below every set, forced or not, and not far below. */
SENTENCE(the_dual_is_a_lower_bound)
{
    UNUSED_STATE;
    uint64_t s = 13;
    instance t;
    double worst = 1;
    for (int i = 0; i < 200; i++) {
        jali_arena arena = JALI_ARENA_INIT;
        jali_interchange x;
        jali_dual dual;
        make(&t, &s, 16, 1 + jali_next(&s) % 4, i % 2 == 0);
        CHECK_OK(jali_interchange_new(&x, 16, t.k, t.k, t.wf, &arena, NULL));
        for (size_t j = 0; j < t.k; j++) jali_interchange_put(&x, j, t.df + j * 16);
        jali_interchange_refresh(&x);
        double free_best = exact(&t, false), forced = exact(&t, true);
        CHECK_OK(jali_dual_find(&dual, t.df, 16, 16, t.wf, t.k, free_best * 1.1, x.d1, x.d2,
                                300, &arena, NULL));
        double slack = 1e-4 * (1 + free_best);
        CHECK(dual.bound <= free_best + slack);
        CHECK(jali_dual_forced(&dual, t.df + t.fixed * 16) <= forced + slack);
        worst = fmin(worst, dual.bound / free_best);
        jali_arena_clear(&arena);
    }
    CHECK(worst > 0.5);
}

RUN_ALL(TEST(lp_is_within_its_factor_and_never_better_than_the_best),
        TEST(brute_force_catches_a_set_with_one_centre_too_many),
        TEST(swap_is_within_its_factor_and_never_better_than_the_best),
        TEST(a_swap_saves_what_it_says), TEST(the_dual_is_a_lower_bound))
