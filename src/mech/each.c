/* mech/each.c — one choice in each of many groups that share no row, at the price of one.
 *
 * Claim    each.exponential
 *          If a person moves the scores of group g so that max change - min change is at most
 *          f_g * range_g, with the f_g adding up to at most 1 (score/groups.h), the winners of
 *          all groups together are eps-DP and (eps^2/8)-zCDP in the add/remove model.
 * Proof    proofs/each.md#each.exponential
 * Source   parallel composition, McSherry, SIGMOD 2009, stated for ranges and for persons of
 *          several rows; PRIVACY R and 8.
 * Law      groups independent; in group g: P(i) ~ exp(eps * score[i] / range_g)
 * Test     tests/mech/each_test.c
 * Silent   Time depends on the number of groups and candidates, which are public.
 */
#include "mech/each.h"
#include "budget/range.h"
#include "dice/select.h"
#include "score/open.h"
#include <stdlib.h>

struct jali_each {
    mpq_t eps;
    jali_loss loss;
};

jali_status jali_each_new(jali_each **out, mpq_srcptr eps, jali_err *err)
{
    if (mpq_sgn(eps) <= 0)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "a choice costs something: its epsilon must be above 0");
    jali_each *each = calloc(1, sizeof *each);
    if (each == NULL) return jali_fail_memory(err);
    mpq_init(each->eps);
    mpq_set(each->eps, eps);
    each->loss = jali_loss_bounded_range(each->eps);
    *out = each;
    return JALI_OK;
}

void jali_each_free(jali_each *each)
{
    if (each == NULL) return;
    mpq_clear(each->eps);
    free(each);
}

jali_loss jali_each_loss(const jali_each *each)
{
    return each->loss;
}

/* eps / range; a range of 0 is read as 1, a looser bound on the same. */
static jali_status rate_of(jali_rate *rate, const jali_each *each, const jali_scores *scores,
                           jali_err *err)
{
    mpq_t q;
    mpq_init(q);
    uint64_t range = scores->range == 0 ? 1 : scores->range;
    mpz_import(mpq_denref(q), 1, -1, sizeof range, 0, 0, &range);
    mpz_set_ui(mpq_numref(q), 1);
    mpq_mul(q, q, each->eps);
    jali_status status = jali_rate_init(rate, q, err);
    mpq_clear(q);
    return status;
}

/* Rates of all groups, before anything is paid; *n tells how many are to be cleared. */
static jali_status make_rates(jali_rate *rate, size_t *n, const jali_each *each,
                              const jali_score_groups *groups, jali_err *err)
{
    for (*n = 0; *n < groups->n; ++*n) {
        if (groups->group[*n].n == 0)
            return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                             "there is nothing to choose from");
        JALI_TRY(rate_of(&rate[*n], each, &groups->group[*n], err));
    }
    return JALI_OK;
}

static jali_status draw_all(const jali_score_groups *groups, const jali_rate *rate,
                            jali_dice *dice, size_t *winner)
{
    for (size_t g = 0; g < groups->n; g++)
        JALI_TRY(jali_select_draw(&rate[g], groups->group[g].score, groups->group[g].n, dice,
                                  &winner[g]));
    return JALI_OK;
}

jali_status jali_choose_each(const jali_each *each, const jali_score_groups *groups,
                             jali_charge *charge, jali_dice *dice, size_t *winner,
                             jali_err *err)
{
    jali_rate *rate = calloc(groups->n + 1, sizeof *rate);
    size_t *drawn = calloc(groups->n + 1, sizeof *drawn), n = 0;
    jali_status status = rate != NULL && drawn != NULL ? make_rates(rate, &n, each, groups, err)
                                                       : jali_fail_memory(err);
    if (status == JALI_OK) status = jali_charge_spend(charge, each->loss, err);
    if (status == JALI_OK) {
        status = draw_all(groups, rate, dice, drawn);
        if (status != JALI_OK)
            jali_fail(err, status, JALI_FOR_ANALYST,
                      "the choices could not be drawn; the charge stands");
    }
    for (size_t g = 0; status == JALI_OK && g < groups->n; g++) winner[g] = drawn[g];
    while (n > 0) jali_rate_clear(&rate[--n]);
    free(drawn);
    free(rate);
    return status;
}
