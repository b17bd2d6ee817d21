/* Half-widths against plain sums in long double: never too narrow, never one too wide. */
#include "mech/interval.h"
#include "unit.h"
#include <math.h>

static long double weight(jali_law law, long double scale, uint64_t z)
{
    long double x = (long double)z / scale;
    return expl(law == JALI_LAW_LAPLACE ? -x : -x * x / 2);
}

/* The least q by adding up P(Z = z) from the middle: another way than the code's. */
static uint64_t plain_halfwidth(jali_law law, long double scale, long double miss)
{
    long double all = 1, inside = 1;
    uint64_t last = (uint64_t)(scale * (law == JALI_LAW_LAPLACE ? 60 : 15)) + 50, q = 0;
    for (uint64_t z = last; z > 0; z--) all += 2 * weight(law, scale, z);
    while (all - inside > miss * all) inside += 2 * weight(law, scale, ++q);
    return q;
}

static const double scales[] = { 0.05, 0.3, 0.5, 1, 1.7, 10, 63.9, 64, 100.5, 1000, 20000 };
static const double misses[] = { 0.5, 0.32, 0.1, 0.05, 0.01, 1e-3, 1e-6 };

static void agree(jali_law law)
{
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++)
        for (size_t j = 0; j < sizeof misses / sizeof *misses; j++)
            CHECK(jali_law_halfwidth(law, scales[i], misses[j]) ==
                  plain_halfwidth(law, scales[i], misses[j]));
}

SENTENCE(laplace_half_widths_are_the_least_that_cover)
{
    UNUSED_STATE;
    agree(JALI_LAW_LAPLACE);
}

SENTENCE(gauss_half_widths_are_the_least_that_cover)
{
    UNUSED_STATE;
    agree(JALI_LAW_GAUSS);
}

SENTENCE(the_largest_scales_stay_finite_and_in_proportion)
{
    UNUSED_STATE;
    double scale = ldexp(1, 48);
    double gauss = (double)jali_law_halfwidth(JALI_LAW_GAUSS, scale, 0.05) / scale;
    double laplace = (double)jali_law_halfwidth(JALI_LAW_LAPLACE, scale, 0.05) / scale;
    CHECK(fabs(gauss - 1.959963985) < 1e-8);
    CHECK(fabs(laplace - log(20)) < 1e-8);
}

SENTENCE(normal_half_widths_are_those_of_the_printed_tables)
{
    UNUSED_STATE;
    CHECK(fabs(jali_normal_halfwidth(0.05) - 1.959963984540054) < 1e-14);
    CHECK(fabs(jali_normal_halfwidth(0.01) - 2.575829303548901) < 1e-14);
    CHECK(fabs(jali_normal_halfwidth(0.3173105078629141) - 1) < 1e-14);
}

RUN_ALL(TEST(normal_half_widths_are_those_of_the_printed_tables),
        TEST(laplace_half_widths_are_the_least_that_cover),
        TEST(gauss_half_widths_are_the_least_that_cover),
        TEST(the_largest_scales_stay_finite_and_in_proportion))
