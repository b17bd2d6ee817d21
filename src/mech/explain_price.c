/* mech/explain_price.c — what an explanation costs, and the samplers that cost it.
 *
 * Claim    explain.price
 *          The losses are those of the mechanisms that jali_explain_run draws with: k e^2/8 in
 *          rho for the top-k of GAUSS, e = eps_one, at most the budget; the budgets themselves
 *          for the rest. Everything here follows from public numbers.
 * Proof    proofs/explain.md#explain.price
 * Source   Cesar, Rogers, ALT 2021 (bounded range): budget/range.h
 * Law      none: nothing is drawn here
 * Test     tests/mech/explain_price_test.c
 * Silent   -
 */
#include "budget/range.h"
#include "mech/explain_inside.h"
#include <stdlib.h>

/* ---- what it will cost ------------------------------------------------------------------- */

static jali_status check(const jali_explain_spec *spec, jali_err *err)
{
    if (spec->predicates == 0)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "there is no predicate to choose from");
    if (spec->k == 0 || spec->k > JALI_EXPLAIN_TOP)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "1 to %d predicates can be shown, not %zu", JALI_EXPLAIN_TOP, spec->k);
    bool search = spec->ranks == JALI_RANKS_SEARCH;
    if (mpq_sgn(spec->topk) <= 0 || mpq_sgn(spec->vector) <= 0 ||
        (search && mpq_sgn(spec->search) <= 0))
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "an explanation costs something: each part of its budget must be "
                         "above 0");
    return JALI_OK;
}

/* GAUSS: the largest e in 1e-12 with k e^2/8 <= rho. LAPLACE: eps/k. */
static void set_eps_one(jali_explainer *x, mpq_srcptr budget)
{
    mpq_set_ui(x->eps_one, 1, x->k);
    mpq_mul(x->eps_one, x->eps_one, budget);
    if (x->law == JALI_LAW_LAPLACE) return;
    mpz_t grain;
    mpz_init(grain);
    mpz_ui_pow_ui(grain, 10, JALI_LOSS_DIGITS);
    mpq_mul_2exp(x->eps_one, x->eps_one, 3);
    mpz_mul(mpq_numref(x->eps_one), mpq_numref(x->eps_one), grain);
    mpz_mul(mpq_numref(x->eps_one), mpq_numref(x->eps_one), grain);
    mpz_fdiv_q(mpq_numref(x->eps_one), mpq_numref(x->eps_one), mpq_denref(x->eps_one));
    mpz_sqrt(mpq_numref(x->eps_one), mpq_numref(x->eps_one));
    mpz_set(mpq_denref(x->eps_one), grain);
    mpq_canonicalize(x->eps_one);
    mpz_clear(grain);
}

/* e/range; scores that nobody moves have range 0, and 1 is as true. */
static jali_status set_rate(jali_explainer *x, jali_err *err)
{
    uint64_t range = x->influence.range == 0 ? 1 : x->influence.range;
    mpq_t q;
    mpq_init(q);
    mpz_import(mpq_denref(q), 1, -1, sizeof range, 0, 0, &range);
    mpz_set_ui(mpq_numref(q), 1);
    mpq_mul(q, q, x->eps_one);
    jali_status status = mpq_sgn(q) > 0
                             ? jali_rate_init(&x->rate, q, err)
                             : jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                                         "the budget of the top-k is too small to be drawn "
                                         "for; it must be above 1e-24");
    mpq_clear(q);
    return status;
}

static jali_status init_topk(jali_explainer *x, const jali_explain_spec *spec, jali_err *err)
{
    set_eps_one(x, spec->topk);
    JALI_TRY(set_rate(x, err));
    x->ready = 1;
    x->topk_loss = x->law == JALI_LAW_GAUSS ? jali_loss_topk(x->k, x->eps_one)
                                            : jali_loss_pure(spec->topk);
    return JALI_OK;
}

/* The public ranks: 1 .. k+1 and the powers of two, as far as there are predicates. */
static jali_status set_ranks(jali_explainer *x, jali_err *err)
{
    x->rank = calloc(x->k + 1 + 64, sizeof *x->rank);
    if (x->rank == NULL) return jali_fail_memory(err);
    if (x->ranks == JALI_RANKS_SEARCH) return JALI_OK;
    for (uint64_t t = 1; t <= x->k + 1 && t <= x->predicates; t++) x->rank[x->n_ranks++] = t;
    for (uint64_t t = 1; t != 0 && t <= x->predicates; t *= 2)
        if (t > x->k + 1) x->rank[x->n_ranks++] = t;
    return JALI_OK;
}

static jali_status init_vector(jali_explainer *x, const jali_explain_spec *spec, jali_err *err)
{
    JALI_TRY(set_ranks(x, err));
    JALI_TRY(jali_vector_init(&x->vector, x->law, x->k + x->n_ranks, x->influence.sensitivity,
                              x->influence.range, spec->vector, err));
    x->ready = 2;
    x->vector_loss =
        x->law == JALI_LAW_GAUSS ? jali_loss_gauss(spec->vector) : jali_loss_pure(spec->vector);
    return JALI_OK;
}

static jali_status init_one_search(jali_explainer *x, const jali_explain_spec *spec,
                                   jali_search *s, mpq_srcptr share, jali_err *err)
{
    mpq_t each;
    mpq_init(each);
    mpq_set_ui(each, 1, x->k);
    mpq_mul(each, each, share);
    mpq_mul(each, each, spec->search);
    jali_status status = jali_search_init(s, x->law, x->predicates, x->influence.range, each,
                                          spec->confidence, err);
    mpq_clear(each);
    if (status == JALI_OK) x->ready++;
    return status;
}

/* k searches for either bound, share `lower` of the budget for the lower ones. */
static jali_status init_search(jali_explainer *x, const jali_explain_spec *spec, jali_err *err)
{
    if (x->ranks != JALI_RANKS_SEARCH) return JALI_OK;
    mpq_t share, rest;
    mpq_inits(share, rest, NULL);
    if (spec->lower == NULL)
        mpq_set_ui(share, 1, 10);
    else
        mpq_set(share, spec->lower);
    mpq_set_ui(rest, 1, 1);
    mpq_sub(rest, rest, share);
    jali_status status =
        mpq_sgn(share) > 0 && mpq_sgn(rest) > 0
            ? init_one_search(x, spec, &x->lower, share, err)
            : jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                        "the lower bounds get a share between 0 and 1 of the ranks' budget");
    if (status == JALI_OK) status = init_one_search(x, spec, &x->upper, rest, err);
    mpq_clears(share, rest, NULL);
    x->search_loss =
        x->law == JALI_LAW_GAUSS ? jali_loss_gauss(spec->search) : jali_loss_pure(spec->search);
    return status;
}

jali_status jali_explainer_new(jali_explainer **out, const jali_explain_spec *spec,
                               jali_err *err)
{
    JALI_TRY(check(spec, err));
    jali_explainer *x = calloc(1, sizeof *x);
    if (x == NULL) return jali_fail_memory(err);
    x->law = spec->law;
    x->ranks = spec->ranks;
    x->predicates = spec->predicates;
    x->k = spec->k < spec->predicates ? spec->k : (size_t)spec->predicates;
    x->influence = spec->influence;
    mpq_init(x->eps_one);
    jali_status status = init_topk(x, spec, err);
    if (status == JALI_OK) status = init_vector(x, spec, err);
    if (status == JALI_OK) status = init_search(x, spec, err);
    if (status != JALI_OK) {
        jali_explainer_free(x);
        return status;
    }
    *out = x;
    return JALI_OK;
}

void jali_explainer_free(jali_explainer *x)
{
    if (x == NULL) return;
    if (x->ready > 3) jali_search_clear(&x->upper);
    if (x->ready > 2) jali_search_clear(&x->lower);
    if (x->ready > 1) jali_vector_clear(&x->vector);
    if (x->ready > 0) jali_rate_clear(&x->rate);
    mpq_clear(x->eps_one);
    free(x->rank);
    free(x);
}

jali_loss jali_explainer_topk_loss(const jali_explainer *x)
{
    return x->topk_loss;
}

jali_loss jali_explainer_vector_loss(const jali_explainer *x)
{
    return x->vector_loss;
}

jali_loss jali_explainer_search_loss(const jali_explainer *x)
{
    return x->search_loss;
}

jali_loss jali_explainer_loss(const jali_explainer *x)
{
    return jali_loss_add(jali_loss_add(x->topk_loss, x->vector_loss), x->search_loss);
}

size_t jali_explainer_k(const jali_explainer *x)
{
    return x->k;
}

const jali_explain_noise *jali_explainer_noise(const jali_explainer *x)
{
    return &x->vector.noise;
}

size_t jali_explainer_ranks(const jali_explainer *x, const uint64_t **rank)
{
    *rank = x->rank;
    return x->n_ranks;
}
