/* Holds the methods that are not private against planted truth and slow twins. */
#include "eval/lab.h"
#include "explain/cluster/stream.h"
#include "unit.h"

enum { N = 600, SMALL = 9 };

/* Two long clusters, one above the other. */
static void plant(double *x)
{
    jali_stream stream = { 21 };
    for (size_t i = 0; i < N; i++) {
        x[2 * i] = 4 * jali_stream_normal(&stream);
        x[2 * i + 1] = 0.5 * jali_stream_normal(&stream) + (i % 2 == 0 ? 0 : 12);
    }
}

SENTENCE(a_mixture_finds_long_clusters)
{
    UNUSED_STATE;
    static double x[2 * N];
    plant(x);
    jali_points points = { N, 2, x, NULL };
    jali_arena arena = JALI_ARENA_INIT;
    jali_gmm g;
    size_t wrong = 0;
    CHECK_OK(jali_gmm_fit(&points, 2, 200, 1e-6, 3, &arena, &g, NULL));
    uint32_t first = jali_gmm_label(&g, x);
    for (size_t i = 0; i < N; i++)
        wrong += (jali_gmm_label(&g, x + 2 * i) == first) != (i % 2 == 0);
    CHECK(wrong <= N / 100);
    for (size_t c = 0; c < 2; c++) { /* variances as planted, within a tenth or so */
        CHECK(fabs(1 / (2 * g.sharp[2 * c]) - 16) < 4);
        CHECK(fabs(1 / (2 * g.sharp[2 * c + 1]) - 0.25) < 0.05);
    }
    jali_arena_clear(&arena);
}

/* A narrow cluster inside a wide one: k-means cuts them side by side, a mixture does not. */
SENTENCE(rounds_make_a_mixture_more_likely)
{
    UNUSED_STATE;
    static double x[N];
    jali_stream stream = { 4 };
    for (size_t i = 0; i < N; i++) x[i] = (i % 2 == 0 ? 0.2 : 5) * jali_stream_normal(&stream);
    jali_points points = { N, 1, x, NULL };
    jali_arena arena = JALI_ARENA_INIT;
    jali_gmm first, last;
    CHECK_OK(jali_gmm_fit(&points, 2, 0, 1e-6, 3, &arena, &first, NULL));
    CHECK_OK(jali_gmm_fit(&points, 2, 500, 1e-6, 3, &arena, &last, NULL));
    CHECK(last.fit > first.fit + 0.1);
    size_t narrow = last.sharp[0] > last.sharp[1] ? 0 : 1;
    CHECK(fabs(1 / sqrt(2 * last.sharp[narrow]) - 0.2) < 0.1);
    CHECK(fabs(1 / sqrt(2 * last.sharp[1 - narrow]) - 5) < 1);
    jali_arena_clear(&arena);
}

SENTENCE(a_mixture_of_equal_points_keeps_its_floor)
{
    UNUSED_STATE;
    const double x[] = { 4, 4, 4, 4 };
    jali_points points = { 4, 1, x, NULL }, none = { 0, 1, x, NULL };
    jali_arena arena = JALI_ARENA_INIT;
    jali_gmm g;
    CHECK_OK(jali_gmm_fit(&points, 3, 10, 0.5, 1, &arena, &g, NULL));
    uint32_t own = jali_gmm_label(&g, x);
    CHECK(g.mean[own] == 4 && g.sharp[own] == 1 && isfinite(g.fit));
    CHECK_OK(jali_gmm_fit(&none, 3, 10, 0.5, 1, &arena, &g, NULL));
    CHECK(jali_gmm_label(&g, x) == 0);
    jali_arena_clear(&arena);
}

/* Ward, the slow way: the pair whose union raises the sum of squares least, again and again. */
static double slow_ward(const double *x, size_t k)
{
    size_t own[SMALL], parts = SMALL;
    double cost = 0;
    for (size_t i = 0; i < SMALL; i++) own[i] = i;
    for (; parts > k; parts--) {
        double least = INFINITY;
        size_t from = 0, to = 0;
        for (size_t a = 0; a < SMALL; a++)
            for (size_t b = 0; b < a; b++) {
                double na = 0, nb = 0, sa = 0, sb = 0;
                for (size_t i = 0; i < SMALL; i++) {
                    na += own[i] == a;
                    nb += own[i] == b;
                    sa += own[i] == a ? x[i] : 0;
                    sb += own[i] == b ? x[i] : 0;
                }
                double rise = na * nb / (na + nb) * pow(sa / na - sb / nb, 2);
                if (na == 0 || nb == 0 || rise >= least) continue;
                least = rise;
                from = a;
                to = b;
            }
        cost += least;
        for (size_t i = 0; i < SMALL; i++) own[i] = own[i] == from ? to : own[i];
    }
    return cost;
}

SENTENCE(chains_give_wards_own_tree)
{
    UNUSED_STATE;
    jali_stream stream = { 8 };
    for (int t = 0; t < 40; t++) {
        double x[SMALL], *centre, cost = 0, slow;
        size_t n;
        for (size_t i = 0; i < SMALL; i++) x[i] = jali_stream_unit(&stream) * 100;
        jali_points points = { SMALL, 1, x, NULL };
        jali_arena arena = JALI_ARENA_INIT;
        CHECK_OK(jali_agglomerate(&points, 3, 100, 1, &arena, &centre, &n, NULL));
        CHECK(n == 3);
        for (size_t i = 0; i < SMALL; i++) {
            double best = INFINITY;
            for (size_t c = 0; c < n; c++) best = fmin(best, pow(x[i] - centre[c], 2));
            cost += best;
        }
        slow = slow_ward(x, 3); /* rows then take the nearest mean: never dearer */
        CHECK(cost <= slow * (1 + 1e-6) + 1e-9 && cost >= slow * 0.5);
        jali_arena_clear(&arena);
    }
}

SENTENCE(a_tree_of_few_or_equal_points_is_defined)
{
    UNUSED_STATE;
    const double x[] = { 1, 1, 1, 2 };
    jali_points same = { 3, 1, x, NULL }, two = { 2, 1, x + 2, NULL }, none = { 0, 1, x, NULL };
    jali_arena arena = JALI_ARENA_INIT;
    double *centre;
    size_t n;
    CHECK_OK(jali_agglomerate(&same, 2, 100, 1, &arena, &centre, &n, NULL));
    CHECK(n == 2 && centre[0] == 1 && centre[1] == 1);
    CHECK_OK(jali_agglomerate(&two, 5, 100, 1, &arena, &centre, &n, NULL));
    CHECK(n == 2 && centre[0] == 1 && centre[1] == 2);
    CHECK_OK(jali_agglomerate(&none, 5, 100, 1, &arena, &centre, &n, NULL));
    CHECK(n == 1);
    jali_arena_clear(&arena);
}

SENTENCE(modes_find_planted_records)
{
    UNUSED_STATE;
    static uint32_t at[N * 6];
    const uint64_t domain[6] = { 5, 5, 5, 5, 5, 5 };
    jali_stream stream = { 31 };
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < 6; j++) /* cluster c says c everywhere, but for one in ten */
            at[i * 6 + j] =
                (uint32_t)(jali_stream_below(&stream, 10) == 0 ? jali_stream_below(&stream, 5)
                                                               : i % 3);
    jali_records records = { N, 6, at, domain };
    jali_kmeans how = { 3, 10, 20, 2 };
    jali_arena arena = JALI_ARENA_INIT;
    uint32_t *mode;
    double cost;
    unsigned seen = 0;
    CHECK_OK(jali_kmodes_run(&how, &records, &arena, &mode, &cost, NULL));
    for (size_t c = 0; c < 3; c++) {
        for (size_t j = 1; j < 6; j++) CHECK(mode[c * 6 + j] == mode[c * 6]);
        seen |= 1u << mode[c * 6];
    }
    CHECK(seen == 7 && cost > N * 6 * 0.05 && cost < N * 6 * 0.11);
    jali_arena_clear(&arena);
}

RUN_ALL(TEST(a_mixture_finds_long_clusters), TEST(rounds_make_a_mixture_more_likely),
        TEST(a_mixture_of_equal_points_keeps_its_floor), TEST(chains_give_wards_own_tree),
        TEST(a_tree_of_few_or_equal_points_is_defined), TEST(modes_find_planted_records))
