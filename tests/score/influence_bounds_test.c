/* Holds score.influence.count, .sum, .avg and .range to the constants of their proof, digit
 * by digit, and to refusing what might not fit. */
#include "score/influence.h"
#include "unit.h"

/* In scores of 1/1024, one row a person: sensitivity, range. */
static void expect(jali_influence_of of, jali_influence_constants constants, unsigned groups,
                   const int32_t *w, int64_t low, uint64_t width, uint64_t delta, uint64_t rho)
{
    jali_influence_spec s = { .of = of,
                              .constants = constants,
                              .groups = groups,
                              .low = low,
                              .codes = width + 1,
                              .num = 1024,
                              .den = 1,
                              .rows_per_person = 1 };
    jali_influence inf;
    for (unsigned j = 0; j < groups; j++) s.weight[j] = w[j];
    CHECK_OK(jali_influence_init(&inf, &s, NULL));
    assert_int_equal(inf.sensitivity, delta);
    assert_int_equal(inf.range, rho);
    s.rows_per_person = 3; /* three rows, one rounding */
    CHECK_OK(jali_influence_init(&inf, &s, NULL));
    assert_int_equal(inf.sensitivity, 3 * delta);
    assert_int_equal(inf.range, rho == 2 * delta ? 3 * rho : 3 * (rho - 1) + 1);
}

SENTENCE(constants_are_those_of_the_proof)
{
    UNUSED_STATE;
    static const int32_t two[] = { 1, -1 }, ten[] = { -10, 10 }, four[] = { 1, 1, -1, -2 },
                         three[] = { 2, -1, -1 };
    const uint64_t u = 1024;
    const jali_influence_constants ours = JALI_CONSTANTS_PROVEN, paper = JALI_CONSTANTS_PAPER;
    expect(JALI_INFLUENCE_COUNT, ours, 2, two, 0, 0, u, u * 5 / 4 + 1);
    expect(JALI_INFLUENCE_COUNT, ours, 2, ten, 0, 0, 10 * u, u * 50 / 4 + 1);
    expect(JALI_INFLUENCE_COUNT, ours, 4, four, 0, 0, 3 * u, 6 * u);
    expect(JALI_INFLUENCE_COUNT, ours, 3, three, 0, 0, 2 * u, 4 * u); /* not two groups */
    expect(JALI_INFLUENCE_SUM, ours, 2, two, 0, 8, 8 * u, 16 * u);
    expect(JALI_INFLUENCE_SUM, ours, 2, two, -8, 16, 16 * u, 25 * u + 1);
    expect(JALI_INFLUENCE_SUM, ours, 2, two, 5, 3, 8 * u, 16 * u);
    expect(JALI_INFLUENCE_SUM, ours, 2, two, 0, 0, 0, 0);
    expect(JALI_INFLUENCE_SUM, ours, 4, four, -2, 12, (3 * 10 + 2 * 2) * u, 68 * u);
    expect(JALI_INFLUENCE_AVG, ours, 2, two, 0, 1, 2 * u, 3 * u + 1);
    expect(JALI_INFLUENCE_AVG, ours, 2, two, -8, 16, 32 * u, 48 * u + 1);
    expect(JALI_INFLUENCE_AVG, ours, 4, four, 100, 7, 35 * u, 70 * u);
    expect(JALI_INFLUENCE_COUNT, paper, 2, two, 0, 0, 4 * u, 8 * u);
    expect(JALI_INFLUENCE_SUM, paper, 2, two, -8, 16, 32 * u, 64 * u);
    expect(JALI_INFLUENCE_AVG, paper, 2, two, 0, 1, 16 * u, 32 * u);
}

/* COUNT, two groups, m rows a person, in scores of den/num rows. */
static void expect_rounded(uint64_t num, uint64_t den, uint32_t m, uint64_t delta, uint64_t rho)
{
    jali_influence_spec s = {
        .groups = 2, .weight = { 1, -1 }, .num = num, .den = den, .rows_per_person = m
    };
    jali_influence inf;
    CHECK_OK(jali_influence_init(&inf, &s, NULL));
    assert_int_equal(inf.sensitivity, delta);
    assert_int_equal(inf.range, rho);
}

SENTENCE(bounds_are_rounded_against_ourselves_and_once)
{
    UNUSED_STATE;
    expect_rounded(1, 3, 1, 1, 2);         /* 1/3 and 5/12     */
    expect_rounded(7, 3, 1, 3, 4);         /* 7/3 and 35/12    */
    expect_rounded(7, 3, 2, 5, 7);         /* 14/3 and 35/6    */
    expect_rounded(101, 10, 1, 11, 14);    /* 10.1 and 12.625  */
    expect_rounded(101, 10, 10, 101, 128); /* 101 and 126.25  */
}

static jali_status refused(jali_influence_spec s, const char *words)
{
    jali_influence inf = { .range = 77 };
    jali_err err;
    jali_status status = jali_influence_init(&inf, &s, &err);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, words);
    CHECK(inf.range == 77);
    return status;
}

SENTENCE(what_might_not_fit_is_refused_before_anything_is_counted)
{
    UNUSED_STATE;
    const jali_influence_spec good = { .of = JALI_INFLUENCE_AVG,
                                       .groups = 2,
                                       .weight = { 1, -1 },
                                       .codes = 2,
                                       .num = 1,
                                       .den = 1,
                                       .rows_per_person = 1 };
    jali_influence_spec s = good;
    s.groups = 0;
    CHECK(refused(s, "1 to 16 groups") == JALI_E_USAGE);
    s.groups = 17;
    CHECK(refused(s, "1 to 16 groups") == JALI_E_USAGE);
    s = good, s.weight[0] = INT32_MIN;
    CHECK(refused(s, "weights") == JALI_E_USAGE);
    s = good, s.weight[0] = s.weight[1] = 0;
    CHECK(refused(s, "not all 0") == JALI_E_USAGE);
    s = good, s.codes = 0;
    CHECK(refused(s, "cannot be summed") == JALI_E_USAGE);
    s = good, s.low = INT64_MIN;
    CHECK(refused(s, "cannot be summed") == JALI_E_USAGE);
    s = good, s.centre = 2;
    CHECK(refused(s, "cannot be summed") == JALI_E_USAGE);
    s = good, s.den = 0;
    CHECK(refused(s, "positive fraction") == JALI_E_USAGE);
    s = good, s.rows_per_person = 0;
    CHECK(refused(s, "rows_per_person") == JALI_E_USAGE);
    s = good, s.num = (uint64_t)1 << 30;
    CHECK(refused(s, "too fine") == JALI_E_USAGE);
    s = good, s.of = JALI_INFLUENCE_SUM, s.num = UINT64_MAX;
    CHECK(refused(s, "too fine") == JALI_E_USAGE);
}

SENTENCE(a_grid_is_as_fine_as_was_asked_for)
{
    UNUSED_STATE;
    const uint64_t width[] = { 1, 3, 1000, 99999, ((uint64_t)1 << 31) - 1 };
    for (int of = 0; of < 3; of++)
        for (int i = 0; i < 5; i++) {
            jali_influence_spec s = { .of = (jali_influence_of)of,
                                      .groups = 2,
                                      .weight = { 1, -1 },
                                      .low = -5,
                                      .codes = width[i] + 1,
                                      .rows_per_person = 1 };
            jali_influence inf;
            CHECK_OK(jali_influence_grid(&s, 20, NULL));
            CHECK_OK(jali_influence_init(&inf, &s, NULL));
            CHECK(inf.range >= 1u << 20 && inf.range <= (2u << 20) + 1 && !inf.wide);
        }
}

RUN_ALL(TEST(constants_are_those_of_the_proof),
        TEST(bounds_are_rounded_against_ourselves_and_once),
        TEST(what_might_not_fit_is_refused_before_anything_is_counted),
        TEST(a_grid_is_as_fine_as_was_asked_for))
