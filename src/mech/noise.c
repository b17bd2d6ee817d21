/* mech/noise.c — whole-number noise for sealed tallies, made together with its price.
 *
 * Claim    noise.laplace
 *          If one person moves the tally by at most reach.l1 in L1 norm, a Laplace release
 *          with budget eps is eps-DP in the add/remove model, all cells together.
 * Claim    noise.gauss
 *          If one person moves the tally by at most reach.l2 in L2 norm, a Gauss release
 *          with budget rho is rho-zCDP in the add/remove model, all cells together.
 * Claim    noise.cube
 *          If one person moves each cell by at most reach.linf, a cube release with budget eps
 *          is eps-DP in the add/remove model, all cells together.
 * Proof    proofs/noise.md
 * Source   Ghosh, Roughgarden, Sundararajan, SIAM J. Comput. 41(6), 2012; Canonne, Kamath,
 *          Steinke, NeurIPS 2020, Theorem 14; Hardt, Talwar, STOC 2010 (the cube: where one
 *          person moves all d cells, as under a curve, its variance is (d+1)(d+2)/3 reaches
 *          squared instead of 2 d^2: a sixth). The reach is of a person with all rows
 *          (PRIVACY 8), so nothing is scaled here.
 * Law      cell + Z, Z iid: P(Z = z) ~ exp(-|z| eps / l1)          (Laplace)
 *                           P(Z = z) ~ exp(-z^2 rho / l2^2)        (Gauss)
 *          cells + Z:       P(Z = z) ~ exp(-max |z_i| eps / linf)  (cube)
 * Test     tests/mech/noise_test.c
 * Silent   Time grows with the number of cells, which is public.
 */
#include "mech/noise.h"
#include "dice/body.h"
#include "dice/gauss.h"
#include "dice/laplace.h"
#include "tally/open.h"
#include <math.h>

struct jali_noiser {
    jali_law law;
    mpq_t budget;
    jali_loss loss;
};

/* A sampler of one of the laws. */
struct sampler {
    jali_law law;
    jali_laplace laplace;
    jali_gauss gauss;
    jali_body cube;
};

jali_status jali_noiser_new(jali_noiser **out, jali_law law, mpq_srcptr budget, jali_err *err)
{
    if (mpq_sgn(budget) <= 0)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "a release costs something: its budget must be above 0");
    jali_noiser *noiser = calloc(1, sizeof *noiser);
    if (noiser == NULL) return jali_fail_memory(err);
    noiser->law = law;
    mpq_init(noiser->budget);
    mpq_set(noiser->budget, budget);
    noiser->loss = law == JALI_LAW_GAUSS ? jali_loss_gauss(budget) : jali_loss_pure(budget);
    *out = noiser;
    return JALI_OK;
}

void jali_noiser_free(jali_noiser *noiser)
{
    if (noiser == NULL) return;
    mpq_clear(noiser->budget);
    free(noiser);
}

jali_loss jali_noiser_loss(const jali_noiser *noiser)
{
    return noiser->loss;
}

/* A tally that nobody moves has reach 0; 1 is a looser bound on the same, and keeps the noise a
 * noise. */
static uint64_t far_of(jali_law law, const jali_reach *reach)
{
    uint64_t far = law == JALI_LAW_LAPLACE ? reach->l1
                   : law == JALI_LAW_GAUSS ? reach->l2
                                           : reach->linf;
    return far == 0 ? 1 : far;
}

/* Laplace: l1/eps. Cube: linf/eps. Gauss: sigma^2 = l2^2/(2 rho). */
static void exact_scale(mpq_t out, const jali_noiser *noiser, const jali_reach *reach)
{
    uint64_t far = far_of(noiser->law, reach);
    mpz_import(mpq_numref(out), 1, -1, sizeof far, 0, 0, &far);
    mpz_set_ui(mpq_denref(out), 1);
    if (noiser->law == JALI_LAW_GAUSS) {
        mpz_mul(mpq_numref(out), mpq_numref(out), mpq_numref(out));
        mpq_div_2exp(out, out, 1);
    }
    mpq_div(out, out, noiser->budget);
}

static double shown_scale(jali_law law, const mpq_t exact)
{
    double x = mpq_get_d(exact);
    return law == JALI_LAW_GAUSS ? sqrt(x) : x;
}

/* The cube's range is twice its reach: nothing ties its numbers together. */
static jali_status cube_init(struct sampler *s, const jali_noiser *noiser,
                             const jali_reach *reach, size_t cells, jali_err *err)
{
    uint64_t far = far_of(JALI_LAW_CUBE, reach);
    return jali_body_init(&s->cube, cells, far, 2 * far, noiser->budget, err);
}

static jali_status sampler_init(struct sampler *s, const jali_noiser *noiser,
                                const jali_reach *reach, size_t cells, double *scale,
                                jali_err *err)
{
    mpq_t exact;
    mpq_init(exact);
    exact_scale(exact, noiser, reach);
    s->law = noiser->law;
    jali_status status = s->law == JALI_LAW_LAPLACE ? jali_laplace_init(&s->laplace, exact, err)
                         : s->law == JALI_LAW_GAUSS ? jali_gauss_init(&s->gauss, exact, err)
                                                    : cube_init(s, noiser, reach, cells, err);
    if (status == JALI_OK) *scale = shown_scale(s->law, exact);
    mpq_clear(exact);
    return status;
}

static void sampler_clear(struct sampler *s)
{
    if (s->law == JALI_LAW_LAPLACE)
        jali_laplace_clear(&s->laplace);
    else if (s->law == JALI_LAW_GAUSS)
        jali_gauss_clear(&s->gauss);
    else
        jali_body_clear(&s->cube);
}

/* The cube's check is in its preparation; the others need none to tell their scale. */
static jali_status cube_scale(const jali_noiser *noiser, const jali_reach *reach, double *scale,
                              jali_err *err)
{
    struct sampler s;
    JALI_TRY(sampler_init(&s, noiser, reach, reach->l0 == 0 ? 1 : reach->l0, scale, err));
    sampler_clear(&s);
    return JALI_OK;
}

jali_status jali_noiser_scale(const jali_noiser *noiser, const jali_reach *reach, double *scale,
                              jali_err *err)
{
    mpq_t exact;
    if (noiser->law == JALI_LAW_CUBE) return cube_scale(noiser, reach, scale, err);
    mpq_init(exact);
    exact_scale(exact, noiser, reach);
    jali_status status = noiser->law == JALI_LAW_GAUSS ? jali_gauss_check(exact, err)
                                                       : jali_laplace_check(exact, err);
    if (status == JALI_OK) *scale = shown_scale(noiser->law, exact);
    mpq_clear(exact);
    return status;
}

jali_status jali_noiser_halfwidth(const jali_noiser *noiser, const jali_reach *reach,
                                  double miss, double *half, jali_err *err)
{
    double scale;
    JALI_TRY(jali_noiser_scale(noiser, reach, &scale, err));
    *half = (double)(noiser->law == JALI_LAW_CUBE
                         ? jali_cube_halfwidth(scale, reach->l0 == 0 ? 1 : reach->l0, miss)
                         : jali_law_halfwidth(noiser->law, scale, miss));
    return JALI_OK;
}

/* Post-processing, hence free; wrapping would be undefined. */
static int64_t add_clamped(int64_t a, int64_t b)
{
    int64_t sum;
    if (!__builtin_add_overflow(a, b, &sum)) return sum;
    return a < 0 ? INT64_MIN : INT64_MAX;
}

static jali_status draw(const struct sampler *s, jali_dice *dice, int64_t *z, size_t n)
{
    return s->law == JALI_LAW_LAPLACE ? jali_laplace_draw_many(&s->laplace, dice, z, n)
           : s->law == JALI_LAW_GAUSS ? jali_gauss_draw_many(&s->gauss, dice, z, n)
                                      : jali_body_draw(&s->cube, dice, z);
}

static jali_status pay_and_draw(const jali_noiser *noiser, const struct sampler *s,
                                const jali_tally *in, jali_charge *charge, jali_dice *dice,
                                int64_t *cell, jali_err *err)
{
    JALI_TRY(jali_charge_spend(charge, noiser->loss, err));
    jali_status status = draw(s, dice, cell, in->n);
    if (status != JALI_OK)
        return jali_fail(err, status, JALI_FOR_ANALYST,
                         "the noise could not be drawn; the charge stands");
    for (size_t i = 0; i < in->n; i++) cell[i] = add_clamped(in->cell[i], cell[i]);
    return JALI_OK;
}

jali_status jali_noise_release(const jali_noiser *noiser, const jali_tally *in,
                               jali_charge *charge, jali_dice *dice, jali_arena *arena,
                               jali_noisy *out, jali_err *err)
{
    struct sampler s;
    double scale;
    JALI_TRY(sampler_init(&s, noiser, &in->reach, in->n, &scale, err));
    int64_t *cell = jali_arena_take(arena, in->n, sizeof *cell);
    jali_status status = cell == NULL ? jali_fail_memory(err)
                                      : pay_and_draw(noiser, &s, in, charge, dice, cell, err);
    sampler_clear(&s);
    if (status == JALI_OK)
        *out = (jali_noisy){ .n = in->n, .cell = cell, .law = noiser->law, .scale = scale };
    return status;
}
