/* Holds the metrics against their definitions, written the slow way, and against all n! ways.
 */
#include "eval/cluster_metrics.h"
#include "explain/cluster/stream.h"
#include "unit.h"

enum { N = 40, D = 3, K = 4, SIDE = 6 };

static double far(const double *x, size_t a, size_t b)
{
    double sum = 0;
    for (size_t j = 0; j < D; j++) sum += pow(x[a * D + j] - x[b * D + j], 2);
    return sqrt(sum);
}

/* (b - a) / max(a, b) of one point, from the definition. */
static double width(const double *x, const uint32_t *label, size_t i)
{
    double mean[K] = { 0 }, b = INFINITY;
    size_t size[K] = { 0 };
    for (size_t k = 0; k < N; k++)
        if (k != i) {
            mean[label[k]] += far(x, i, k);
            size[label[k]]++;
        }
    if (size[label[i]] == 0) return 0;
    double a = mean[label[i]] / (double)size[label[i]];
    for (size_t c = 0; c < K; c++)
        if (c != label[i] && size[c] > 0) b = fmin(b, mean[c] / (double)size[c]);
    return (b - a) / fmax(a, b);
}

SENTENCE(silhouette_is_its_definition)
{
    UNUSED_STATE;
    jali_stream stream = { 5 };
    double x[N * D], truth = 0, seen;
    uint32_t label[N];
    for (size_t i = 0; i < N * D; i++) x[i] = jali_stream_normal(&stream);
    for (size_t i = 0; i < N; i++) label[i] = (uint32_t)jali_stream_below(&stream, K - 1);
    label[3] = K - 1; /* alone */
    jali_points points = { N, D, x, NULL };
    jali_arena arena = JALI_ARENA_INIT;
    jali_silhouette s;
    for (size_t i = 0; i < N; i++) truth += width(x, label, i) / N;
    CHECK_OK(jali_silhouette_init(&s, &points, 1000, 1, NULL, &arena, NULL));
    CHECK_OK(jali_silhouette_mean(&s, label, K, NULL, &seen, NULL));
    CHECK(s.n == N && fabs(seen - truth) < 1e-6);
    memset(label, 0, sizeof label);
    CHECK_OK(jali_silhouette_mean(&s, label, K, NULL, &seen, NULL));
    CHECK(seen == -1);
    jali_arena_clear(&arena);
}

SENTENCE(a_sample_has_no_point_twice)
{
    UNUSED_STATE;
    double x[N * D] = { 0 };
    jali_points points = { N, D, x, NULL };
    jali_arena arena = JALI_ARENA_INIT;
    jali_silhouette s;
    bool seen[N] = { 0 };
    CHECK_OK(jali_silhouette_init(&s, &points, 30, 9, NULL, &arena, NULL));
    CHECK(s.n == 30);
    for (size_t i = 0; i < s.n; i++) {
        CHECK(!seen[s.at[i]]);
        seen[s.at[i]] = true;
    }
    jali_arena_clear(&arena);
}

static double best_of_all(const double *gain, size_t row, unsigned used)
{
    double best = row == SIDE ? 0 : -INFINITY;
    for (size_t j = 0; row < SIDE && j < SIDE; j++)
        if ((used >> j & 1u) == 0)
            best =
                fmax(best, gain[row * SIDE + j] + best_of_all(gain, row + 1, used | 1u << j));
    return best;
}

SENTENCE(the_assignment_is_the_best_of_all)
{
    UNUSED_STATE;
    jali_stream stream = { 11 };
    for (int t = 0; t < 50; t++) {
        double gain[SIDE * SIDE], total, again = 0;
        uint32_t column[SIDE];
        unsigned used = 0;
        for (size_t i = 0; i < SIDE * SIDE; i++)
            gain[i] = (double)jali_stream_below(&stream, 10);
        CHECK_OK(jali_assignment_best(gain, SIDE, column, &total, NULL));
        for (size_t i = 0; i < SIDE; i++) {
            again += gain[i * SIDE + column[i]];
            used |= 1u << column[i];
        }
        CHECK(total == best_of_all(gain, 0, 0) && again == total && used == (1u << SIDE) - 1);
    }
}

SENTENCE(majority_may_repeat_a_class_and_a_matching_may_not)
{
    UNUSED_STATE;
    const uint32_t label[] = { 0, 0, 0, 1, 1, 2, 2, 2 };
    const uint32_t class_of[] = { 0, 0, 1, 0, 0, 1, 1, 0 };
    jali_accuracy a;
    CHECK_OK(jali_accuracy_of(label, 3, class_of, 2, 8, &a, NULL));
    CHECK(a.majority == 6. / 8 && a.matched == 4. / 8);
}

SENTENCE(distances_of_centres_have_a_direction)
{
    UNUSED_STATE;
    const double a[] = { 0, 10 }, b[] = { 0, 1, 4 };
    CHECK(jali_centre_distance(a, 2, b, 3, 1) == 3);
    CHECK(fabs(jali_centre_distance(b, 3, a, 2, 1) - 5. / 3) < 1e-15);
}

RUN_ALL(TEST(silhouette_is_its_definition), TEST(a_sample_has_no_point_twice),
        TEST(the_assignment_is_the_best_of_all),
        TEST(majority_may_repeat_a_class_and_a_matching_may_not),
        TEST(distances_of_centres_have_a_direction))
