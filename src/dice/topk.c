/* dice/topk.c — one-shot top-k.
 *
 * Claim    dice.topk
 *          The winners follow the law below exactly: that of k exponential mechanisms, each
 *          over the candidates that the ones before left over.
 * Proof    proofs/dice_topk.md
 * Source   Durfee, Rogers, NeurIPS 2019, Lemma 4.2 (Gumbel noise, the k largest). The keys
 *          are enclosed, never rounded: see dice/race.h.
 * Claim    dice.topk.pure
 *          jali_topk_new_pure: the winners are exactly the k largest of rate * s[i] + E[i], in
 *          order, E[i] independent standard exponentials.
 * Law      P(i1, ..., ik) = product over j of exp(rate s[ij]) / sum over i not in
 *          {i1, ..., i(j-1)} of exp(rate s[i])
 * Test     tests/dice/topk_test.c
 * Silent   One race in about 2^34 (k = 10, 10^6 candidates) needs a photo finish: microseconds
 *          a kept runner. Only the order leaves; keys and gaps would cost more and have no
 *          way out.
 */
#include "dice/topk.h"
#include "dice/race.h"

struct jali_topk {
    jali_race race;
};

static jali_status start(jali_topk **out, const jali_rate *rate, size_t k, jali_noise noise,
                         jali_err *err)
{
    if (k == 0 || k > JALI_TOPK_MAX)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "k must be between 1 and %d winners", JALI_TOPK_MAX);
    jali_topk *t = calloc(1, sizeof *t);
    if (t == NULL) return jali_fail_memory(err);
    if (jali_race_init(&t->race, rate, k, noise) != JALI_OK) {
        free(t);
        return jali_fail_memory(err);
    }
    *out = t;
    return JALI_OK;
}

jali_status jali_topk_new(jali_topk **out, const jali_rate *rate, size_t k, jali_err *err)
{
    return start(out, rate, k, JALI_GUMBEL, err);
}

jali_status jali_topk_new_pure(jali_topk **out, const jali_rate *rate, size_t k, jali_err *err)
{
    return start(out, rate, k, JALI_EXPONENTIAL, err);
}

void jali_topk_free(jali_topk *t)
{
    if (t == NULL) return;
    jali_race_clear(&t->race);
    free(t);
}

jali_status jali_topk_offer(jali_topk *t, jali_dice *d, const int64_t *score, size_t n)
{
    return jali_race_offer(&t->race, d, score, n);
}

jali_status jali_topk_offer_group(jali_topk *t, jali_dice *d, int64_t score, uint64_t size)
{
    return jali_race_offer_crowd(&t->race, d, score, size);
}

jali_status jali_topk_finish(jali_topk *t, jali_dice *d, jali_winner *winner, size_t *n)
{
    jali_race *r = &t->race;
    JALI_TRY(jali_race_finish(r, d));
    *n = r->kept.n < r->k ? r->kept.n : r->k;
    for (size_t i = 0; i < *n; i++)
        winner[i] =
            (jali_winner){ r->kept.at[i].grouped, r->kept.at[i].index, r->kept.at[i].score };
    r->status = JALI_E_USAGE; /* a second finish would be a second release */
    return JALI_OK;
}

jali_status jali_topk_draw(const jali_rate *rate, const int64_t *score, size_t n, size_t k,
                           jali_dice *d, size_t *winner, jali_err *err)
{
    jali_topk *t = NULL;
    JALI_TRY(jali_topk_new(&t, rate, k, err));
    jali_status status = jali_topk_offer(t, d, score, n);
    if (status == JALI_OK) status = jali_race_finish(&t->race, d);
    for (size_t i = 0; status == JALI_OK && i < k && i < n; i++)
        winner[i] = (size_t)t->race.kept.at[i].index;
    jali_topk_free(t);
    if (status == JALI_OK) return JALI_OK;
    if (status == JALI_E_NOMEM) return jali_fail_memory(err);
    return jali_fail(err, status, JALI_FOR_ANALYST, "the dice failed: nothing was drawn");
}
