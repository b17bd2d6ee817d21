/* The stream behind generated tables: shapes of its laws, ln and exp against the C library.
 * Seeds are fixed; each bound is 5.5 standard errors, so that a true law is refused with a
 * chance below 1e-7 for each number, had the seed been free. */
#include "mock/draw.h"
#include "unit.h"
#include <math.h>

enum { DRAWS = 400000 };

static double far(double seen, double expected, double deviation)
{
    return fabs(seen - expected) / (deviation / sqrt(DRAWS));
}

/* Mean, variance and fourth moment of a standard normal, scaled by `scale`. */
static bool looks_normal(double scale)
{
    jali_mock_draw d;
    double m1 = 0, m2 = 0, m4 = 0;
    jali_mock_draw_init(&d, 7, "normal", 0);
    for (int i = 0; i < DRAWS; i++) {
        double z = scale * jali_mock_draw_normal(&d);
        m1 += z;
        m2 += z * z;
        m4 += z * z * z * z;
    }
    return far(m1 / DRAWS, 0, 1) < 5.5 && far(m2 / DRAWS, 1, sqrt(2)) < 5.5 &&
           far(m4 / DRAWS, 3, sqrt(96)) < 5.5;
}

SENTENCE(normals_have_the_moments_of_normals)
{
    UNUSED_STATE;
    CHECK(looks_normal(1));
    CHECK(!looks_normal(1.02));
}

/* Does the alias table of `made` draw with the shares of `told`? */
static bool alias_follows(const double *made, const double *told, uint32_t n)
{
    uint32_t keep[8], other[8], seen[8] = { 0 };
    double scratch[16], total = 0;
    jali_mock_alias a = { n, keep, other };
    jali_mock_draw d;
    bool good = true;
    jali_mock_alias_fill(&a, made, scratch);
    jali_mock_draw_init(&d, 7, "alias", 0);
    for (int i = 0; i < DRAWS; i++) seen[jali_mock_alias_draw(&a, &d)]++;
    for (uint32_t i = 0; i < n; i++) total += told[i];
    for (uint32_t i = 0; i < n; i++) {
        double p = told[i] / total;
        if (p <= 0)
            good = good && seen[i] == 0;
        else
            good = good && far(seen[i] / (double)DRAWS, p, sqrt(p * (1 - p) + 1e-12)) < 5.5;
    }
    return good;
}

SENTENCE(alias_tables_draw_their_weights)
{
    UNUSED_STATE;
    static const double a[] = { 3, 0, 1, 0.5, 10 }, b[] = { 1 }, c[] = { 1, 1, 1, 1, 1, 1, 1 };
    static const double bent[] = { 3, 0, 1.1, 0.5, 10 };
    CHECK(alias_follows(a, a, 5));
    CHECK(alias_follows(b, b, 1));
    CHECK(alias_follows(c, c, 7));
    CHECK(!alias_follows(bent, a, 5));
}

SENTENCE(ln_and_exp_agree_with_the_c_library)
{
    UNUSED_STATE;
    for (double x = 1e-300; x < 1e300; x *= 3.7)
        CHECK(fabs(jali_mock_ln(x) - log(x)) <= 1e-15 * (1 + fabs(log(x))));
    for (double x = -600; x < 600; x += 0.77)
        CHECK(fabs(jali_mock_exp(x) / exp(x) - 1) < 2e-13);
    CHECK(jali_mock_ln(1) == 0 && jali_mock_exp(0) == 1);
}

SENTENCE(streams_of_other_purposes_are_others)
{
    UNUSED_STATE;
    static jali_mock_draw a, b, c, again;
    jali_mock_draw_init(&a, 1, "one", 0);
    jali_mock_draw_init(&again, 1, "one", 0);
    jali_mock_draw_init(&b, 1, "two", 0);
    jali_mock_draw_init(&c, 1, "one", 1);
    uint64_t same_b = 0, same_c = 0;
    for (int i = 0; i < 5000; i++) { /* across refills */
        uint32_t x = jali_mock_draw_u32(&a);
        assert_int_equal(x, jali_mock_draw_u32(&again));
        same_b += x == jali_mock_draw_u32(&b);
        same_c += x == jali_mock_draw_u32(&c);
    }
    CHECK(same_b < 3 && same_c < 3);
}

SENTENCE(the_stream_is_chacha20_under_its_seed)
{
    UNUSED_STATE;
    jali_mock_draw d;
    jali_mock_draw_init(&d, 20240607, "labels", 0);
    assert_int_equal(jali_mock_draw_u32(&d), UINT32_C(2506986429));
}

RUN_ALL(TEST(normals_have_the_moments_of_normals), TEST(alias_tables_draw_their_weights),
        TEST(ln_and_exp_agree_with_the_c_library), TEST(streams_of_other_purposes_are_others),
        TEST(the_stream_is_chacha20_under_its_seed))
