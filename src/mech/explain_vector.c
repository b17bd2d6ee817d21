/* mech/explain_vector.c — influences and scores on public ranks, as one noisy vector.
 *
 * Every number of the vector is the score of a chosen predicate or the score on a rank that was
 * fixed beforehand. Delta = sensitivity, R = min(range, 2 Delta), d numbers.
 *
 * Claim    explain.vector.gauss
 *          If one person moves each score by at most Delta, and all of them by amounts whose
 *          largest and smallest differ by at most R, the vector is rho-zCDP.
 * Claim    explain.vector.pure
 *          Under the same condition, with K-norm noise, it is eps-DP.
 * Proof    proofs/explain_vector.md
 * Source   Ours: PRIVACY 2.1 (ranks), 8 (lemma B3d and the body), research B.2, B.3, C.2. The
 *          paper draws for each predicate and each rank test apart.
 * Law      GAUSS: x + Z + W (1, ..., 1), Z_i iid discrete Gaussian of variance s2, W one of
 *          variance s2 (c-1)/d, s2 = max_j (R^2 j(d-j) + (Delta d - R(d-j))^2/c)/(2 d rho'),
 *          rho' = rho (1 - 2^-40); or, where c = 1 is best, without W and with rho' = rho
 *          LAPLACE: x + y, P(y) ~ exp(-eps N(y)/Delta) (dice/body.h)
 * Test     tests/mech/explain_vector_test.c
 * Silent   Time: as dice/gauss.c and dice/body.c.
 */
#include "mech/explain_inside.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    STEPS = 16,       /* c = 1 + i/STEPS                                                  */
    MOST_STEPS = 112, /* c up to 8: the best for COUNT, which gains most, is about 3.4   */
    LEAST_TAU2 = 9,   /* grid steps squared: then the lemma's lambda is below 4 e^-177    */
    SLACK_BITS = 40
};

/* R^2 j(d-j) + (Delta d - R(d-j))^2/c, largest over j: d^2 times research's Gc. */
static double near_cost(double delta, double range, double d, double c)
{
    double most = 0;
    for (double j = 0; j <= d; j++) {
        double mean = delta * d - range * (d - j);
        most = fmax(most, range * range * j * (d - j) + mean * mean / c);
    }
    return most;
}

/* The i for which values are least noisy: s2 (1 + (c-1)/d). From public numbers, and no i is
 * wrong: what it costs is computed exactly below. */
static unsigned best_step(double delta, double range, double d)
{
    unsigned best = 0;
    double least = near_cost(delta, range, d, 1);
    for (unsigned i = 1; i <= MOST_STEPS; i++) {
        double c = 1 + (double)i / STEPS;
        double here = near_cost(delta, range, d, c) * (1 + (c - 1) / d);
        if (here < least * (1 - 1e-9)) {
            least = here;
            best = i;
        }
    }
    return best;
}

/* The same maximum, exactly, with c = (STEPS + i)/STEPS. */
static void exact_cost(mpq_t out, const mpz_t delta, const mpz_t range, size_t d, unsigned i)
{
    mpz_t mean, spread;
    mpq_t here;
    mpz_inits(mean, spread, NULL);
    mpq_init(here);
    mpq_set_ui(out, 0, 1);
    for (size_t j = 0; j <= d; j++) {
        mpz_mul_ui(mean, delta, d);
        mpz_submul_ui(mean, range, d - j);
        mpz_mul(mean, mean, mean);
        mpz_mul_ui(mean, mean, STEPS);
        mpz_mul(spread, range, range);
        mpz_mul_ui(spread, spread, j * (d - j));
        mpz_mul_ui(spread, spread, STEPS + i);
        mpz_add(mpq_numref(here), mean, spread);
        mpz_set_ui(mpq_denref(here), STEPS + i);
        mpq_canonicalize(here);
        if (mpq_cmp(here, out) > 0) mpq_set(out, here);
    }
    mpq_clear(here);
    mpz_clears(mean, spread, NULL);
}

/* s2 = cost/(2 d rho'), and common = s2 i/(STEPS d). */
static void set_variances(mpq_t own, mpq_t common, const mpz_t delta, const mpz_t range,
                          size_t d, unsigned i, mpq_srcptr rho)
{
    mpq_t x;
    mpq_init(x);
    exact_cost(own, delta, range, d, i);
    mpq_set_ui(x, 1, 2 * d);
    mpq_mul(own, own, x);
    mpq_div(own, own, rho);
    mpq_set_ui(common, 0, 1);
    if (i > 0) { /* divide by 1 - 2^-40 */
        mpz_ui_pow_ui(mpq_numref(x), 2, SLACK_BITS);
        mpz_sub_ui(mpq_denref(x), mpq_numref(x), 1);
        mpq_mul(own, own, x);
        mpq_set_ui(x, i, (unsigned long)STEPS * d);
        mpq_canonicalize(x);
        mpq_mul(common, own, x);
    }
    mpq_clear(x);
}

/* tau2 = 1/(1/common + d/own) >= LEAST_TAU2? */
static bool tau_is_large(const mpq_t own, const mpq_t common, size_t d)
{
    mpq_t x, y;
    mpq_inits(x, y, NULL);
    mpq_inv(x, common);
    mpq_set_ui(y, d, 1);
    mpq_div(y, y, own);
    mpq_add(x, x, y);
    mpq_set_ui(y, 1, LEAST_TAU2);
    bool large = mpq_cmp(x, y) <= 0;
    mpq_clears(x, y, NULL);
    return large;
}

static jali_status init_gauss(jali_vector *v, uint64_t delta, uint64_t range, mpq_srcptr rho,
                              jali_err *err)
{
    size_t d = v->noise.d;
    mpz_t D, R;
    mpq_t own, common;
    mpz_inits(D, R, NULL);
    mpq_inits(own, common, NULL);
    mpz_import(D, 1, -1, sizeof delta, 0, 0, &delta);
    mpz_import(R, 1, -1, sizeof range, 0, 0, &range);
    unsigned i = best_step((double)delta, (double)range, (double)d);
    set_variances(own, common, D, R, d, i, rho);
    if (i > 0 && !tau_is_large(own, common, d)) set_variances(own, common, D, R, d, i = 0, rho);
    v->shared = i > 0;
    v->own2 = mpq_get_str(NULL, 10, own);
    v->common2 = mpq_get_str(NULL, 10, common);
    v->noise.own = sqrt(mpq_get_d(own));
    v->noise.common = sqrt(mpq_get_d(common));
    jali_status status = jali_gauss_init(&v->own, own, err);
    if (status == JALI_OK && v->shared) {
        status = jali_gauss_init(&v->common, common, err);
        if (status != JALI_OK) jali_gauss_clear(&v->own);
    }
    mpq_clears(own, common, NULL);
    mpz_clears(D, R, NULL);
    return status;
}

static void free_text(char *text)
{
    void (*release)(void *, size_t);
    mp_get_memory_functions(NULL, NULL, &release);
    if (text != NULL) release(text, strlen(text) + 1);
}

static void free_texts(jali_vector *v)
{
    free_text(v->own2);
    free_text(v->common2);
    free_text(v->eps);
    v->own2 = v->common2 = v->eps = NULL;
}

jali_status jali_vector_init(jali_vector *v, jali_law law, size_t d, uint64_t sensitivity,
                             uint64_t range, mpq_srcptr budget, jali_err *err)
{
    if (mpq_sgn(budget) <= 0)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "a release costs something: its budget must be above 0");
    /* Scores that nobody moves have reach 0; 1 is as true, and keeps the noise a noise. */
    if (sensitivity == 0) sensitivity = 1;
    if (range < sensitivity) range = sensitivity;
    if (range > 2 * sensitivity) range = 2 * sensitivity;
    *v = (jali_vector){
        .noise = { .law = law, .d = d, .reach = (double)sensitivity, .range = (double)range }
    };
    jali_status status;
    if (law == JALI_LAW_GAUSS) {
        status = init_gauss(v, sensitivity, range, budget, err);
    } else {
        v->eps = mpq_get_str(NULL, 10, budget);
        v->noise.eps = mpq_get_d(budget);
        status = jali_body_init(&v->body, d, sensitivity, range, budget, err);
    }
    v->noise.own2 = v->own2;
    v->noise.common2 = v->common2;
    v->noise.exact_eps = v->eps;
    if (status != JALI_OK) free_texts(v);
    return status;
}

void jali_vector_clear(jali_vector *v)
{
    if (v->noise.law == JALI_LAW_LAPLACE) jali_body_clear(&v->body);
    if (v->noise.law == JALI_LAW_GAUSS) jali_gauss_clear(&v->own);
    if (v->shared) jali_gauss_clear(&v->common);
    free_texts(v);
}

jali_status jali_vector_add(const jali_vector *v, jali_dice *dice, int64_t *x)
{
    size_t d = v->noise.d;
    int64_t w = 0, *z = malloc((d + 1) * sizeof *z);
    if (z == NULL) return JALI_E_NOMEM;
    jali_status status = v->noise.law == JALI_LAW_GAUSS
                             ? jali_gauss_draw_many(&v->own, dice, z, d)
                             : jali_body_draw(&v->body, dice, z);
    if (status == JALI_OK && v->shared) status = jali_gauss_draw(&v->common, dice, &w);
    for (size_t i = 0; status == JALI_OK && i < d; i++)
        x[i] = jali_add_clamped(x[i], jali_add_clamped(z[i], w));
    free(z);
    return status;
}
