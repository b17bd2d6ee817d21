/* Intervals of centres: repeatable, wider with less budget, and they cover the centres of the
 * real points. 60 plans of 6 coordinates: at a true coverage of 95% fewer than 90% would be
 * seen once in 10^4 (binomial), and the seeds are fixed; with a third of the error it is
 * noticed. */
#include "explain/contrast/region.h"
#include "explain/contrast/town.h"

enum { PLANS = 60, K = 3, COORDINATES = 2 * K };

static town t;

/* The centres of the real points, found from the released ones. */
static void find_truth(const jali_view *v, double *out)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_cloud cloud;
    jali_solver solver;
    jali_spot centre[K];
    const jali_ground *g = &v->release.ground;
    CHECK_OK(jali_cloud_new(&cloud, t.rows, false, &arena, NULL));
    for (size_t i = 0; i < t.rows; i++) {
        double at[] = { t.code[0][i] / 10.0, t.code[1][i] / 10.0 };
        jali_spot s = jali_ground_spot(g, at);
        for (int a = 0; a < 2; a++) cloud.x[a][i] = s.at[a];
        cloud.w[i] = 1;
    }
    CHECK_OK(jali_solver_new(&solver, &cloud, K, &arena, NULL));
    memcpy(centre, v->release.base, sizeof centre);
    jali_descend(&solver, centre, false, 500);
    for (int i = 0; i < COORDINATES; i++)
        out[i] = g->origin[i % 2] + (double)centre[i / 2].at[i % 2] * g->length;
    jali_arena_clear(&arena);
}

/* Of COORDINATES: those whose interval of z standard errors holds the truth. */
static double covered(uint64_t seed, double z, double *width)
{
    char *body;
    jali_view v;
    double *error, truth[COORDINATES], in = 0;
    jali_contrast_ask ask = town_question(2, K, false);
    town_open(&t, 1);
    CHECK_OK(town_plan(&t, &ask, JALI_LAW_LAPLACE, 1, 2, seed, &body, NULL));
    CHECK_OK(jali_view_open(&v, body, strlen(body), false, NULL, &t.arena, NULL));
    CHECK_OK(jali_regions(&v, &t.arena, &error, NULL));
    find_truth(&v, truth);
    for (int i = 0; i < COORDINATES; i++) {
        in += fabs(v.release.centre[i] - truth[i]) <= z * error[i];
        *width += error[i] / COORDINATES / PLANS;
    }
    town_close(&t);
    return in;
}

SENTENCE(intervals_of_centres_cover_the_real_ones)
{
    UNUSED_STATE;
    double in = 0, third = 0, width = 0, ignored = 0, z = jali_normal_halfwidth(0.05);
    town_fill(&t, 6000);
    for (uint64_t seed = 1; seed <= PLANS; seed++) {
        in += covered(seed, z, &width);
        third += covered(seed, z / 3, &ignored);
    }
    double share = in / (PLANS * COORDINATES), twin = third / (PLANS * COORDINATES);
    print_message("# covered %.3f, a third of the error %.3f, error %.3f of 100\n", share, twin,
                  width);
    CHECK(share >= 0.90);
    CHECK(twin < 0.75);
    CHECK(width < 3); /* heaps are about 50 apart */
}

SENTENCE(the_same_release_has_the_same_intervals_and_less_budget_wider_ones)
{
    UNUSED_STATE;
    jali_view v, w;
    double *one, *two, *wide;
    jali_contrast_ask ask = town_question(2, K, false);
    town_fill(&t, 6000);
    town_open(&t, 1);
    town_view(&t, &ask, 1, 1, &v);
    CHECK_OK(jali_regions(&v, &t.arena, &one, NULL));
    CHECK_OK(jali_regions(&v, &t.arena, &two, NULL));
    assert_memory_equal(one, two, COORDINATES * sizeof *one);
    town_view(&t, &ask, 1, 20, &w);
    CHECK_OK(jali_regions(&w, &t.arena, &wide, NULL));
    double narrow = 0, far = 0;
    for (int i = 0; i < COORDINATES; i++) {
        narrow += one[i];
        far += wide[i];
    }
    CHECK(far > 2 * narrow);
    town_close(&t);
}

RUN_ALL(TEST(intervals_of_centres_cover_the_real_ones),
        TEST(the_same_release_has_the_same_intervals_and_less_budget_wider_ones))
