/* mech/choose.c — a choice among sealed scores, made together with its price.
 *
 * Claim    choose.exponential
 *          If one person moves the scores so that max change - min change over the
 *          candidates is at most scores->range, the k winners in order are k*eps-DP and
 *          (k*eps^2/8)-zCDP in the add/remove model.
 * Claim    choose.flip
 *          Under the same condition the winner is eps-DP, hence (eps^2/2)-zCDP.
 * Proof    proofs/choose.md
 * Source   McSherry, Talwar, FOCS 2007; Cesar, Rogers, ALT 2021 (bounded range); McKenna,
 *          Sheldon, NeurIPS 2020 (permute-and-flip). We scale by the range of the change and
 *          not by twice the sensitivity: PRIVACY R.
 * Law      EXPONENTIAL, each winner among those left: P(i) ~ exp(eps * score[i] / range)
 *          FLIP: argmax of eps * score[i] / range + E_i, E_i standard exponential
 * Test     tests/mech/choose_test.c
 * Silent   Time and memory depend on n and k; the number of candidates is public.
 */
#include "mech/choose.h"
#include "budget/range.h"
#include "dice/flip.h"
#include "dice/select.h"
#include "dice/topk.h"
#include "score/open.h"

struct jali_chooser {
    jali_choice how;
    size_t k;
    mpq_t eps; /* of one winner */
    jali_loss loss;
};

static jali_loss price(jali_choice how, mpq_srcptr eps, size_t k)
{
    if (how == JALI_CHOICE_FLIP) return jali_loss_pure(eps);
    return k == 1 ? jali_loss_bounded_range(eps) : jali_loss_topk(k, eps);
}

jali_status jali_chooser_new(jali_chooser **out, jali_choice how, mpq_srcptr eps, size_t k,
                             jali_err *err)
{
    if (mpq_sgn(eps) <= 0)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "a choice costs something: its epsilon must be above 0");
    if (k == 0 || k > JALI_TOPK_MAX || (how == JALI_CHOICE_FLIP && k != 1))
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "%zu winners cannot be chosen in this way", k);
    jali_chooser *chooser = calloc(1, sizeof *chooser);
    if (chooser == NULL) return jali_fail_memory(err);
    chooser->how = how;
    chooser->k = k;
    mpq_init(chooser->eps);
    mpq_set(chooser->eps, eps);
    chooser->loss = price(how, eps, k);
    *out = chooser;
    return JALI_OK;
}

void jali_chooser_free(jali_chooser *chooser)
{
    if (chooser == NULL) return;
    mpq_clear(chooser->eps);
    free(chooser);
}

jali_loss jali_chooser_loss(const jali_chooser *chooser)
{
    return chooser->loss;
}

/* eps / range. Scores that no person can move have range 0; taking 1 is a looser bound on
 * the same change, and keeps the rate finite. */
static jali_status rate_init(jali_rate *rate, const jali_chooser *chooser,
                             const jali_scores *scores, jali_err *err)
{
    mpq_t q;
    mpq_init(q);
    uint64_t range = scores->range == 0 ? 1 : scores->range;
    mpz_import(mpq_denref(q), 1, -1, sizeof range, 0, 0, &range);
    mpz_set_ui(mpq_numref(q), 1);
    mpq_mul(q, q, chooser->eps);
    jali_status status = jali_rate_init(rate, q, err);
    mpq_clear(q);
    return status;
}

static jali_status draw(const jali_chooser *chooser, const jali_rate *rate,
                        const jali_scores *scores, jali_dice *dice, size_t *winner,
                        jali_err *err)
{
    if (chooser->how == JALI_CHOICE_FLIP)
        return jali_flip_draw(rate, scores->score, scores->n, dice, winner);
    if (chooser->k == 1) return jali_select_draw(rate, scores->score, scores->n, dice, winner);
    return jali_topk_draw(rate, scores->score, scores->n, chooser->k, dice, winner, err);
}

jali_status jali_choose(const jali_chooser *chooser, const jali_scores *scores,
                        jali_charge *charge, jali_dice *dice, size_t *winner, size_t *n_winners,
                        jali_err *err)
{
    if (scores->n == 0)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "there is nothing to choose from");
    jali_rate rate;
    JALI_TRY(rate_init(&rate, chooser, scores, err));
    jali_status status = jali_charge_spend(charge, chooser->loss, err);
    if (status == JALI_OK) {
        status = draw(chooser, &rate, scores, dice, winner, err);
        if (status != JALI_OK)
            jali_fail(err, status, JALI_FOR_ANALYST,
                      "the choice could not be drawn; the charge stands");
    }
    jali_rate_clear(&rate);
    if (status == JALI_OK) *n_winners = scores->n < chooser->k ? scores->n : chooser->k;
    return status;
}
