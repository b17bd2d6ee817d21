/* mech/shortlist.c — candidates for every cluster, made together with their price.
 *
 * Claim    shortlist.joint
 *          If one person moves U so that the ranges of the clusters (largest less smallest
 *          change over attributes) sum to at most apart->range_sum, and their squares to
 *          squares * range_sum^2, the k candidates of all clusters, in order, are together
 *          eps-DP and (eps^2 squares / (8 k))-zCDP in the add/remove model.
 * Proof    proofs/shortlist.md#shortlist.joint
 * Source   DPClustX, Algorithm 1, with one common Gumbel scale k range_sum / eps instead of
 *          2 k |C| / eps: PRIVACY 3.5, 3k, 3k'.
 * Law      for each cluster on its own, each winner among those left:
 *          P(A) ~ exp(eps U(c, A) / (k range_sum))
 * Test     tests/mech/shortlist_test.c
 * Silent   Time depends on the numbers of clusters, attributes and candidates: public.
 */
#include "mech/shortlist.h"
#include "dice/topk.h"
#include "score/open.h"

struct jali_lister {
    const jali_apart *apart;
    uint32_t k;
    mpq_t rate;
    jali_loss loss;
};

static void set_u64(mpq_t out, uint64_t x)
{
    mpz_import(mpq_numref(out), 1, -1, sizeof x, 0, 0, &x);
    mpz_set_ui(mpq_denref(out), 1);
}

void jali_lister_rho(mpq_t out, const jali_apart *apart, uint32_t k, mpq_srcptr eps)
{
    mpq_t x;
    mpq_init(x);
    set_u64(x, 8 * (uint64_t)k);
    mpq_mul(out, eps, eps);
    mpq_mul(out, out, apart->squares);
    mpq_div(out, out, x);
    mpq_clear(x);
}

static jali_loss price(const jali_apart *apart, uint32_t k, mpq_srcptr eps)
{
    mpq_t rho;
    mpq_init(rho);
    jali_lister_rho(rho, apart, k, eps);
    jali_loss loss = jali_loss_pure(eps), joint = jali_loss_gauss(rho);
    if (joint.rho_pico < loss.rho_pico) loss.rho_pico = joint.rho_pico;
    mpq_clear(rho);
    return loss;
}

jali_status jali_lister_new(jali_lister **out, const jali_apart *apart, uint32_t k,
                            mpq_srcptr eps, jali_err *err)
{
    if (mpq_sgn(eps) <= 0)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "a choice costs something: its epsilon must be above 0");
    if (k == 0 || k > apart->spec.attributes)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "%u candidates a cluster cannot be had from %u attributes", k,
                         apart->spec.attributes);
    jali_lister *lister = calloc(1, sizeof *lister);
    if (lister == NULL) return jali_fail_memory(err);
    lister->apart = apart;
    lister->k = k;
    lister->loss = price(apart, k, eps);
    mpq_init(lister->rate);
    set_u64(lister->rate, apart->range_sum);
    mpz_mul_ui(mpq_numref(lister->rate), mpq_numref(lister->rate), k);
    mpq_div(lister->rate, eps, lister->rate);
    *out = lister;
    return JALI_OK;
}

void jali_lister_free(jali_lister *lister)
{
    if (lister == NULL) return;
    mpq_clear(lister->rate);
    free(lister);
}

jali_loss jali_lister_loss(const jali_lister *lister)
{
    return lister->loss;
}

/* U is below 2^60, so that it is an int64 as it stands. */
static jali_status draw(const jali_lister *m, const jali_rate *rate,
                        const jali_apart_terms *terms, jali_dice *dice, int64_t *score,
                        size_t *winner, uint32_t *entry, jali_err *err)
{
    const jali_apart_spec *s = &m->apart->spec;
    for (uint32_t c = 0; c < s->clusters; c++) {
        const uint64_t *u = terms->U + (size_t)c * s->attributes;
        for (uint32_t a = 0; a < s->attributes; a++) score[a] = (int64_t)u[a];
        JALI_TRY(jali_topk_draw(rate, score, s->attributes, m->k, dice, winner, err));
        for (uint32_t i = 0; i < m->k; i++) entry[(size_t)c * m->k + i] = (uint32_t)winner[i];
    }
    return JALI_OK;
}

jali_status jali_shortlist_draw(const jali_lister *lister, const jali_apart_terms *terms,
                                jali_charge *charge, jali_dice *dice, jali_arena *arena,
                                jali_shortlist *out, jali_err *err)
{
    const jali_apart_spec *s = &lister->apart->spec;
    jali_rate rate;
    int64_t *score = jali_arena_take(arena, s->attributes, sizeof *score);
    size_t *winner = jali_arena_take(arena, lister->k, sizeof *winner);
    uint32_t *entry = jali_arena_take(arena, (size_t)s->clusters * lister->k, sizeof *entry);
    if (score == NULL || winner == NULL || entry == NULL) return jali_fail_memory(err);
    JALI_TRY(jali_rate_init(&rate, lister->rate, err));
    jali_status status = jali_charge_spend(charge, lister->loss, err);
    if (status == JALI_OK) {
        status = draw(lister, &rate, terms, dice, score, winner, entry, err);
        if (status != JALI_OK)
            jali_fail(err, status, JALI_FOR_ANALYST,
                      "the choice could not be drawn; the charge stands");
    }
    jali_rate_clear(&rate);
    if (status == JALI_OK) *out = (jali_shortlist){ lister->k, entry };
    return status;
}
