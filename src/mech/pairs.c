/* mech/pairs.c — a histogram of each cluster, and what is elsewhere, made with their price.
 *
 * With l = each, a = used: a row of cluster c is in l histograms of its own and, REST, in
 * those beside of the a - l attributes that do not explain c; WHOLE, in all a of them.
 *
 * Claim    pairs.laplace
 *          All histograms together are eps-DP in the add/remove model: REST with l eps_in +
 *          (a - l) eps_beside = eps and eps_beside <= eps_in; WHOLE with eps/2l and eps/2a.
 * Claim    pairs.gauss
 *          The same with rho for eps: rho-zCDP.
 * Proof    proofs/pairs.md
 * Source   DPClustX, Algorithm 2, lines 7 to 11 (WHOLE; l of them need eps/2l). REST and its
 *          split: research A.4, carried over to l attributes and to Gauss.
 * Law      cell + Z, Z iid: P(Z = z) ~ exp(-|z| eps_x / m) or exp(-z^2 rho_x / m^2), x = in or
 *          beside, m = rows_per_person
 * Test     tests/mech/pairs_test.c
 * Silent   Time grows with the number of cells, which is public.
 */
#include "mech/pairs.h"
#include "dice/gauss.h"
#include "dice/laplace.h"
#include "tally/open.h"
#include <math.h>

struct jali_pairer {
    jali_elsewhere how;
    jali_law law;
    mpq_t budget;
    jali_loss loss;
};

typedef struct sampler {
    jali_law law;
    jali_laplace laplace;
    jali_gauss gauss;
    double scale;
} sampler;

jali_status jali_pairer_new(jali_pairer **out, jali_elsewhere how, jali_law law,
                            mpq_srcptr budget, jali_err *err)
{
    if (mpq_sgn(budget) <= 0)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "histograms cost something: their budget must be above 0");
    jali_pairer *pairer = calloc(1, sizeof *pairer);
    if (pairer == NULL) return jali_fail_memory(err);
    pairer->how = how;
    pairer->law = law;
    mpq_init(pairer->budget);
    mpq_set(pairer->budget, budget);
    pairer->loss = law == JALI_LAW_LAPLACE ? jali_loss_pure(budget) : jali_loss_gauss(budget);
    *out = pairer;
    return JALI_OK;
}

void jali_pairer_free(jali_pairer *pairer)
{
    if (pairer == NULL) return;
    mpq_clear(pairer->budget);
    free(pairer);
}

jali_loss jali_pairer_loss(const jali_pairer *pairer)
{
    return pairer->loss;
}

/* ---- the split, from released and public numbers ------------------------------------------
 */

/* beside / in, where the sum of the relative errors of clusters of one size is least. The
 * double only chooses among private splits; what it chose is made exact below. */
static double ratio(jali_law law, const jali_pairing *p, uint32_t used)
{
    double l = p->each, rest = used - p->each, others = p->clusters - 1;
    double x = l / (others * rest);
    return law == JALI_LAW_LAPLACE ? sqrt(x) : cbrt(x * x);
}

/* in = budget / (l + rest * r), beside = r in, with r <= 1 on a grid of 2^-20. */
static void split_rest(const jali_pairer *m, const jali_pairing *p, uint32_t used, mpq_t in,
                       mpq_t beside)
{
    uint32_t rest = used - p->each;
    double r = rest == 0 || p->clusters == 1 ? 1 : ratio(m->law, p, used);
    mpq_set_d(beside, r < 1 ? floor(ldexp(r, 20) + 1) * 0x1p-20 : 1);
    mpq_set_ui(in, rest, 1);
    mpq_mul(in, in, beside);
    mpz_addmul_ui(mpq_numref(in), mpq_denref(in), p->each);
    mpq_div(in, m->budget, in);
    mpq_mul(beside, beside, in);
}

static void split(const jali_pairer *m, const jali_pairing *p, uint32_t used, mpq_t in,
                  mpq_t beside)
{
    if (m->how == JALI_ELSEWHERE_REST) {
        split_rest(m, p, used, in, beside);
        return;
    }
    mpq_set_ui(in, 1, 2 * (unsigned long)p->each);
    mpq_mul(in, in, m->budget);
    mpq_set_ui(beside, 1, 2 * (unsigned long)used);
    mpq_mul(beside, beside, m->budget);
}

/* Laplace: m/eps. Gauss: sigma^2 = m^2/(2 rho). */
static jali_status sampler_init(sampler *s, jali_law law, uint32_t rows, const mpq_t part,
                                jali_err *err)
{
    mpq_t x;
    mpq_init(x);
    mpq_set_ui(x, rows, 1);
    if (law == JALI_LAW_GAUSS) {
        mpq_mul(x, x, x);
        mpq_div_2exp(x, x, 1);
    }
    mpq_div(x, x, part);
    s->law = law;
    s->scale = law == JALI_LAW_GAUSS ? sqrt(mpq_get_d(x)) : mpq_get_d(x);
    jali_status status = law == JALI_LAW_LAPLACE ? jali_laplace_init(&s->laplace, x, err)
                                                 : jali_gauss_init(&s->gauss, x, err);
    mpq_clear(x);
    return status;
}

static void sampler_clear(sampler *s)
{
    if (s->law == JALI_LAW_LAPLACE)
        jali_laplace_clear(&s->laplace);
    else
        jali_gauss_clear(&s->gauss);
}

static jali_status samplers_init(sampler *in, sampler *beside, const jali_pairer *m,
                                 const jali_pairing *p, uint32_t used, jali_err *err)
{
    mpq_t a, b;
    mpq_inits(a, b, NULL);
    split(m, p, used, a, b);
    jali_status status = sampler_init(in, m->law, p->rows_per_person, a, err);
    if (status == JALI_OK) {
        status = sampler_init(beside, m->law, p->rows_per_person, b, err);
        if (status != JALI_OK) sampler_clear(in);
    }
    mpq_clears(a, b, NULL);
    return status;
}

jali_status jali_pairer_scales(const jali_pairer *pairer, const jali_pairing *pairing,
                               uint32_t used, double *scale_in, double *scale_beside,
                               jali_err *err)
{
    sampler in, beside;
    JALI_TRY(samplers_init(&in, &beside, pairer, pairing, used, err));
    *scale_in = in.scale;
    *scale_beside = beside.scale;
    sampler_clear(&in);
    sampler_clear(&beside);
    return JALI_OK;
}

/* ---- the draw ------------------------------------------------------------------------------
 */

static bool explains(const jali_pairing *p, uint32_t c, uint32_t a)
{
    for (uint32_t i = 0; i < p->each; i++)
        if (p->chosen[c * p->each + i] == a) return true;
    return false;
}

static uint32_t explained(const jali_pairing *p, uint32_t a)
{
    uint32_t n = 0;
    for (uint32_t c = 0; c < p->clusters; c++) n += explains(p, c, a);
    return n;
}

/* Post-processing, hence free; wrapping would be undefined. */
static int64_t add_clamped(int64_t a, int64_t b)
{
    int64_t sum;
    if (!__builtin_add_overflow(a, b, &sum)) return sum;
    return a < 0 ? INT64_MIN : INT64_MAX;
}

static jali_status draw_noise(const sampler *s, jali_dice *dice, int64_t *z, size_t n)
{
    return s->law == JALI_LAW_LAPLACE ? jali_laplace_draw_many(&s->laplace, dice, z, n)
                                      : jali_gauss_draw_many(&s->gauss, dice, z, n);
}

static void add_row(int64_t *z, const jali_tally *t, size_t label)
{
    size_t n = (size_t)t->extent[1];
    for (size_t v = 0; v < n; v++) z[v] = add_clamped(z[v], t->cell[label * n + v]);
}

/* Noise first, then the rows that belong: all labels but those that a explains (REST). */
static jali_status draw_beside(const jali_pairer *m, const jali_pairing *p, const jali_tally *t,
                               uint32_t a, const sampler *s, jali_dice *dice, int64_t *z)
{
    JALI_TRY(draw_noise(s, dice, z, (size_t)t->extent[1]));
    for (uint32_t c = 0; c < t->extent[0]; c++)
        if (m->how == JALI_ELSEWHERE_WHOLE || c >= p->clusters || !explains(p, c, a))
            add_row(z, t, c);
    return JALI_OK;
}

static jali_status draw_all(const jali_pairer *m, const jali_pairing *p,
                            const jali_tally *const *counts, const sampler *in,
                            const sampler *beside, jali_dice *dice, const jali_pairs *to)
{
    for (uint32_t c = 0; c < p->clusters; c++)
        for (uint32_t i = 0; i < p->each; i++) {
            const jali_tally *t = counts[p->chosen[c * p->each + i]];
            int64_t *z = to->inside[c * p->each + i];
            JALI_TRY(draw_noise(in, dice, z, (size_t)t->extent[1]));
            add_row(z, t, c);
        }
    for (uint32_t i = 0; i < to->used; i++) {
        int64_t *z = to->beside[i];
        if (z == NULL) continue;
        uint32_t a = to->which[i];
        JALI_TRY(draw_beside(m, p, counts[a], a, beside, dice, z));
    }
    return JALI_OK;
}

/* All memory, before anything is paid. */
static jali_status make_room(const jali_pairer *m, const jali_pairing *p,
                             const jali_tally *const *counts, jali_arena *arena,
                             jali_pairs *out)
{
    uint32_t *which = jali_arena_take(arena, p->attributes, sizeof *which);
    size_t all = (size_t)p->clusters * p->each;
    out->inside = jali_arena_take(arena, all, sizeof(int64_t *));
    out->beside = jali_arena_take(arena, p->attributes, sizeof(int64_t *));
    out->used = 0;
    out->which = which;
    if (which == NULL || out->inside == NULL || out->beside == NULL) return JALI_E_NOMEM;
    for (size_t i = 0; i < all; i++) {
        size_t n = (size_t)counts[p->chosen[i]]->extent[1];
        out->inside[i] = jali_arena_take(arena, n, sizeof(int64_t));
        if (out->inside[i] == NULL) return JALI_E_NOMEM;
    }
    for (uint32_t a = 0; a < p->attributes; a++) {
        uint32_t n = explained(p, a);
        if (n == 0) continue;
        bool nobody = m->how == JALI_ELSEWHERE_REST && n == p->clusters && p->everyone;
        int64_t *z =
            nobody ? NULL : jali_arena_take(arena, (size_t)counts[a]->extent[1], sizeof *z);
        if (z == NULL && !nobody) return JALI_E_NOMEM;
        which[out->used] = a;
        out->beside[out->used++] = z;
    }
    return JALI_OK;
}

static bool fits(const jali_pairing *p, const jali_tally *const *counts)
{
    for (size_t i = 0; i < (size_t)p->clusters * p->each; i++) {
        const jali_tally *t = counts[p->chosen[i]];
        if (t->axes != 2 || t->extent[0] < p->clusters ||
            (p->everyone && t->extent[0] != p->clusters))
            return false;
    }
    return true;
}

jali_status jali_pairs_release(const jali_pairer *pairer, const jali_pairing *pairing,
                               const jali_tally *const *counts, jali_charge *charge,
                               jali_dice *dice, jali_arena *arena, jali_pairs *out,
                               jali_err *err)
{
    jali_pairs made = { .law = pairer->law };
    sampler in, beside;
    if (!fits(pairing, counts))
        return jali_fail(err, JALI_E_INTERNAL, JALI_FOR_ANALYST,
                         "a table of clusters has another shape than it was planned with");
    if (make_room(pairer, pairing, counts, arena, &made) != JALI_OK)
        return jali_fail_memory(err);
    JALI_TRY(samplers_init(&in, &beside, pairer, pairing, made.used, err));
    jali_status status = jali_charge_spend(charge, pairer->loss, err);
    if (status == JALI_OK) {
        status = draw_all(pairer, pairing, counts, &in, &beside, dice, &made);
        if (status != JALI_OK)
            jali_fail(err, status, JALI_FOR_ANALYST,
                      "the noise could not be drawn; the charge stands");
    }
    made.scale_in = in.scale;
    made.scale_beside = beside.scale;
    sampler_clear(&in);
    sampler_clear(&beside);
    if (status == JALI_OK) *out = made;
    return status;
}
