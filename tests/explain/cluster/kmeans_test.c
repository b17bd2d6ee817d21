/* Holds k-means against the best of all partitions, and against itself on copied points. */
#include "explain/cluster/kmeans.h"
#include "explain/cluster/stream.h"
#include "unit.h"

enum { N = 8, D = 2, MANY = 10000 };

static double cost_of(const double *x, const double *w, const unsigned *part, size_t k)
{
    double cost = 0;
    for (size_t c = 0; c < k; c++) {
        double mass = 0, mean[D] = { 0 };
        for (size_t i = 0; i < N; i++)
            if (part[i] == c) {
                mass += w[i];
                for (size_t j = 0; j < D; j++) mean[j] += w[i] * x[i * D + j];
            }
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; part[i] == c && j < D; j++)
                cost += w[i] * pow(x[i * D + j] - mean[j] / mass, 2);
    }
    return cost;
}

/* Every assignment of N points to k labels. */
static double least_cost(const double *x, const double *w, size_t k)
{
    unsigned part[N] = { 0 };
    double least = INFINITY;
    for (;;) {
        double cost = cost_of(x, w, part, k);
        if (cost < least) least = cost;
        size_t i = 0;
        while (i < N && ++part[i] == k) part[i++] = 0;
        if (i == N) return least;
    }
}

SENTENCE(the_best_of_many_starts_is_nearly_always_the_best_there_is)
{
    UNUSED_STATE;
    jali_stream stream = { 7 };
    int exact = 0;
    for (int table = 0; table < 20; table++) {
        double x[N * D], w[N], *centre, cost;
        for (size_t i = 0; i < N * D; i++) x[i] = jali_stream_unit(&stream);
        for (size_t i = 0; i < N; i++) w[i] = 1 + (double)jali_stream_below(&stream, 3);
        jali_points points = { N, D, x, w };
        jali_kmeans how = { 3, 40, 50, (uint64_t)table };
        jali_arena arena = JALI_ARENA_INIT;
        CHECK_OK(jali_kmeans_run(&how, &points, NULL, &arena, &centre, &cost, NULL));
        double truth = least_cost(x, w, 3);
        CHECK(cost > truth - 1e-12 && cost < 1.01 * truth);
        exact += cost < truth + 1e-12;
        jali_arena_clear(&arena);
    }
    CHECK(exact >= 19); /* greedy starts miss one of these twenty, by 0.4% */
}

SENTENCE(a_weight_is_as_many_copies)
{
    UNUSED_STATE;
    const double once[] = { 0, 0, 4, 0, 9, 1 }, w[] = { 2, 1, 3 };
    const double copied[] = { 0, 0, 0, 0, 4, 0, 9, 1, 9, 1, 9, 1 };
    jali_points a = { 3, 2, once, w }, b = { 6, 2, copied, NULL };
    jali_kmeans how = { 2, 10, 20, 1 };
    jali_arena arena = JALI_ARENA_INIT;
    double *ca, *cb, x, y;
    CHECK_OK(jali_kmeans_run(&how, &a, NULL, &arena, &ca, &x, NULL));
    CHECK_OK(jali_kmeans_run(&how, &b, NULL, &arena, &cb, &y, NULL));
    CHECK(fabs(x - y) < 1e-12 && fabs(x - 2. / 3 * 16) < 1e-12);
    jali_arena_clear(&arena);
}

SENTENCE(fewer_points_than_centres_cost_nothing)
{
    UNUSED_STATE;
    const double x[] = { 5, 5, 5 };
    jali_points same = { 3, 1, x, NULL }, none = { 0, 1, x, NULL };
    jali_kmeans how = { 4, 3, 10, 1 };
    jali_arena arena = JALI_ARENA_INIT;
    double *centre, cost = -1;
    CHECK_OK(jali_kmeans_run(&how, &same, NULL, &arena, &centre, &cost, NULL));
    CHECK(cost == 0 && centre[0] == 5 && centre[3] == 5);
    CHECK_OK(jali_kmeans_run(&how, &none, NULL, &arena, &centre, &cost, NULL));
    CHECK(cost == 0 && centre[3] == 0);
    jali_arena_clear(&arena);
}

SENTENCE(ties_go_to_the_lowest_centre)
{
    UNUSED_STATE;
    const double x[] = { 1, 5, 9 }, centre[] = { 10, 0, 10, 2 };
    jali_points points = { 3, 1, x, NULL };
    uint32_t at[3];
    double square[3];
    CHECK_OK(jali_points_nearest(&points, centre, 4, NULL, at, square, NULL));
    CHECK(at[0] == 1 && at[1] == 3 && at[2] == 0);
    CHECK(square[0] == 1 && square[1] == 9 && square[2] == 1);
}

SENTENCE(threads_do_not_change_the_result)
{
    UNUSED_STATE;
    static double x[MANY * D];
    jali_stream stream = { 3 };
    for (size_t i = 0; i < MANY * D; i++) x[i] = jali_stream_normal(&stream);
    jali_points points = { MANY, D, x, NULL };
    jali_kmeans how = { 9, 2, 5, 5 };
    jali_arena arena = JALI_ARENA_INIT;
    jali_pool *pool;
    double *a, *b, x1, x2;
    CHECK_OK(jali_pool_new(&pool, 3, NULL));
    CHECK_OK(jali_kmeans_run(&how, &points, NULL, &arena, &a, &x1, NULL));
    CHECK_OK(jali_kmeans_run(&how, &points, pool, &arena, &b, &x2, NULL));
    CHECK(x1 == x2 && memcmp(a, b, 9 * D * sizeof *a) == 0);
    jali_pool_free(pool);
    jali_arena_clear(&arena);
}

RUN_ALL(TEST(the_best_of_many_starts_is_nearly_always_the_best_there_is),
        TEST(a_weight_is_as_many_copies), TEST(fewer_points_than_centres_cost_nothing),
        TEST(ties_go_to_the_lowest_centre), TEST(threads_do_not_change_the_result))
