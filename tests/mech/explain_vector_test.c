/* Refutes explain.vector.gauss and explain.vector.pure if it can: every change of small
 * vectors, exact divergences on the lattice, samples, and constants that are one percent
 * smaller. */
#include "mech/explain_inside.h"
#include "support/chi.h"
#include "support/seeded_dice.h"
#include "unit.h"
#include <math.h>
#include <stdlib.h>

static jali_vector vector(jali_law law, size_t d, uint64_t delta, uint64_t range,
                          unsigned long num, unsigned long den)
{
    jali_vector v;
    mpq_t budget;
    mpq_init(budget);
    mpq_set_ui(budget, num, den);
    mpq_canonicalize(budget);
    CHECK_OK(jali_vector_init(&v, law, d, delta, range, budget, NULL));
    mpq_clear(budget);
    return v;
}

/* x' S^-1 x / 2 */
static double cost(const jali_vector *v, const int64_t *x)
{
    double d = (double)v->noise.d, mean = 0, spread = 0, s2 = v->noise.own * v->noise.own;
    double c = 1 + d * v->noise.common * v->noise.common / s2;
    for (size_t i = 0; i < v->noise.d; i++) mean += (double)x[i] / d;
    for (size_t i = 0; i < v->noise.d; i++) spread += pow((double)x[i] - mean, 2);
    return (spread / s2 + d * mean * mean / (c * s2)) / 2;
}

/* The dearest change of four numbers with |x| <= delta and max - min <= range. */
static double dearest(const jali_vector *v, int64_t delta, int64_t range)
{
    double most = 0;
    int64_t x[4];
    for (x[0] = -delta; x[0] <= delta; x[0]++)
        for (x[1] = -delta; x[1] <= delta; x[1]++)
            for (x[2] = -delta; x[2] <= delta; x[2]++)
                for (x[3] = -delta; x[3] <= delta; x[3]++) {
                    int64_t lo = x[0], hi = x[0];
                    for (int i = 1; i < 4; i++) {
                        lo = x[i] < lo ? x[i] : lo;
                        hi = x[i] > hi ? x[i] : hi;
                    }
                    if (hi - lo <= range) most = fmax(most, cost(v, x));
                }
    return most;
}

SENTENCE(no_change_costs_more_than_rho_and_one_percent_less_noise_is_refuted)
{
    UNUSED_STATE;
    static const struct {
        uint64_t delta, range;
        bool shared;
    } shape[] = { { 8, 10, true }, { 8, 12, true }, { 6, 12, false }, { 8, 16, false } };
    for (size_t i = 0; i < 4; i++) {
        jali_vector v = vector(JALI_LAW_GAUSS, 4, shape[i].delta, shape[i].range, 1, 50);
        CHECK(v.shared == shape[i].shared && (v.noise.common > 0) == v.shared);
        double most = dearest(&v, (int64_t)shape[i].delta, (int64_t)shape[i].range);
        CHECK(most <= 0.02 * (1 + 1e-12));
        CHECK(most > 0.02 * 0.9999); /* tight: 0.99 of each sigma^2 would cost 0.0202 */
        jali_vector_clear(&v);
    }
}

/* On the corner that is dearest, one score more is not covered. */
SENTENCE(a_sensitivity_or_range_one_percent_too_small_is_refuted)
{
    UNUSED_STATE;
    jali_vector v = vector(JALI_LAW_GAUSS, 4, 100, 125, 1, 50);
    double most = 0, beyond = 0, wider = 0;
    for (int j = 0; j <= 4; j++) {
        int64_t in[4], out[4], wide[4];
        for (int i = 0; i < 4; i++) {
            in[i] = i < j ? 100 : -25;
            out[i] = i < j ? 101 : -24;
            wide[i] = i < j ? 100 : -27;
        }
        most = fmax(most, cost(&v, in));
        beyond = fmax(beyond, cost(&v, out));
        wider = fmax(wider, cost(&v, wide));
    }
    CHECK(most <= 0.02 && most > 0.01999);
    CHECK(beyond > 0.02 && wider > 0.02);
    jali_vector_clear(&v);
}

/* ---- the law that is drawn, exactly ------------------------------------------------------ */

enum { EDGE = 110, SIDE = 2 * EDGE + 1 };

static double bell(double x, double s2)
{
    return exp(-x * x / (2 * s2));
}

/* P(Z1 + W = a, Z2 + W = b) by summing over w. */
static void pair_law(const jali_vector *v, double *law)
{
    double own = v->noise.own * v->noise.own, common = v->noise.common * v->noise.common;
    double all = 0;
    for (int a = -EDGE; a <= EDGE; a++)
        for (int b = -EDGE; b <= EDGE; b++) {
            double p = 0;
            for (int w = -EDGE; w <= EDGE; w++)
                p += bell(a - w, own) * bell(b - w, own) * bell(w, common);
            all += law[(a + EDGE) * SIDE + b + EDGE] = p;
        }
    for (int i = 0; i < SIDE * SIDE; i++) law[i] /= all;
}

/* Renyi divergence of order `order` between the law and the law moved by (x, y). */
static double divergence(const double *law, int x, int y, double order)
{
    double sum = 0;
    for (int a = 0; a < SIDE; a++)
        for (int b = 0; b < SIDE; b++) {
            int i = a - x, j = b - y;
            if (i < 0 || j < 0 || i >= SIDE || j >= SIDE) continue;
            double p = law[a * SIDE + b], q = law[i * SIDE + j];
            if (p > 0 && q > 0) sum += p * exp((order - 1) * log(p / q));
        }
    return log(sum) / (order - 1);
}

SENTENCE(divergences_of_the_drawn_law_are_paid_for)
{
    UNUSED_STATE;
    static double law[SIDE * SIDE];
    jali_vector v = vector(JALI_LAW_GAUSS, 2, 20, 25, 1, 1);
    double worst = 0;
    CHECK(v.shared && v.noise.common > 4);
    pair_law(&v, law);
    static const int x[][2] = { { 20, 20 }, { 20, -5 }, { -5, 20 }, { -20, 5 }, { 0, -20 } };
    static const double order[] = { 1.01, 1.5, 2, 3 };
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 4; k++) {
            double here = divergence(law, x[i][0], x[i][1], order[k]) / order[k];
            CHECK(here <= 1 + 1e-9);
            worst = fmax(worst, here);
        }
    CHECK(worst > 0.999); /* one percent less noise would be refuted */
    CHECK(divergence(law, 20, -8, 2) / 2 > 1);
    jali_vector_clear(&v);
}

/* ---- samples ------------------------------------------------------------------------------
 */

enum { DRAWS = 120000, BINS = 61 };

/* Does x[0], or with `difference` x[0] - x[1], have the bell of this variance? */
static bool looks_like(const jali_vector *v, bool difference, double s2)
{
    uint64_t seen[BINS] = { 0 };
    double law[BINS] = { 0 }, all = 0;
    jali_dice *dice = seeded_dice(31);
    int64_t width = (int64_t)(sqrt(s2) / 6) + 1, far = BINS / 2 * width;
    for (int i = 0; i < DRAWS; i++) {
        int64_t x[3] = { 0 };
        CHECK_OK(jali_vector_add(v, dice, x));
        int64_t y = difference ? x[0] - x[1] : x[0];
        y = y < -far ? -far : y > far ? far : y;
        seen[(y + far) / width]++;
    }
    for (int64_t y = -8000; y <= 8000; y++) {
        int64_t z = y < -far ? -far : y > far ? far : y;
        law[(z + far) / width] += bell((double)y, s2);
        all += bell((double)y, s2);
    }
    for (int i = 0; i < BINS; i++) law[i] /= all;
    jali_dice_free(dice);
    return chi_fits(seen, law, BINS);
}

SENTENCE(values_and_differences_have_the_noise_that_is_told)
{
    UNUSED_STATE;
    jali_vector v = vector(JALI_LAW_GAUSS, 3, 100, 125, 1, 10);
    double own = v.noise.own * v.noise.own, common = v.noise.common * v.noise.common;
    CHECK(v.shared);
    CHECK(looks_like(&v, false, own + common));
    CHECK(looks_like(&v, true, 2 * own)); /* what all share cancels */
    CHECK(!looks_like(&v, false, (own + common) * 1.06));
    CHECK(!looks_like(&v, true, 2 * own + common * 0.5));
    mpq_t q;
    mpq_init(q);
    CHECK(mpq_set_str(q, v.noise.own2, 10) == 0 && fabs(mpq_get_d(q) - own) < 1e-9 * own);
    CHECK(mpq_set_str(q, v.noise.common2, 10) == 0);
    CHECK(fabs(mpq_get_d(q) - common) < 1e-9 * common);
    mpq_clear(q);
    jali_vector_clear(&v);
}

/* ---- edges --------------------------------------------------------------------------------
 */

SENTENCE(a_coarse_grid_has_no_common_component)
{
    UNUSED_STATE;
    jali_vector v = vector(JALI_LAW_GAUSS, 4, 2, 3, 10, 1); /* tau would be below 3 steps */
    CHECK(!v.shared && v.noise.common == 0 && strcmp(v.noise.common2, "0") == 0);
    CHECK(fabs(v.noise.own * v.noise.own - 4 * 4 / 20.0) < 1e-12); /* Delta^2 d/(2 rho) */
    jali_vector_clear(&v);
    v = vector(JALI_LAW_GAUSS, 4, 0, 0, 1, 1); /* nobody moves it: read as 1 */
    CHECK(v.noise.own > 0);
    jali_vector_clear(&v);
}

/* dice.body has the law; here the body must be the one that scores move in. */
SENTENCE(the_pure_vector_uses_the_body_of_the_scores)
{
    UNUSED_STATE;
    jali_vector v = vector(JALI_LAW_LAPLACE, 3, 1000, 1251, 1, 2);
    CHECK(v.noise.reach == 1000 && v.noise.range == 1251 && v.noise.eps == 0.5);
    CHECK(mpz_cmp_ui(v.body.reach, 1000) == 0 && mpz_cmp_ui(v.body.range, 1251) == 0);
    CHECK(v.body.d == 3 && mpq_cmp_ui(v.body.steps.scale, 2000, 1) == 0);
    CHECK(strcmp(v.noise.exact_eps, "1/2") == 0);
    jali_vector_clear(&v);
    mpq_t zero;
    mpq_init(zero);
    CHECK(jali_vector_init(&v, JALI_LAW_GAUSS, 3, 10, 12, zero, NULL) == JALI_E_USAGE);
    CHECK(jali_vector_init(&v, JALI_LAW_LAPLACE, 3, 10, 12, zero, NULL) == JALI_E_USAGE);
    mpq_clear(zero);
}

RUN_ALL(TEST(no_change_costs_more_than_rho_and_one_percent_less_noise_is_refuted),
        TEST(a_sensitivity_or_range_one_percent_too_small_is_refuted),
        TEST(divergences_of_the_drawn_law_are_paid_for),
        TEST(values_and_differences_have_the_noise_that_is_told),
        TEST(a_coarse_grid_has_no_common_component),
        TEST(the_pure_vector_uses_the_body_of_the_scores))
