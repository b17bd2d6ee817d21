/* Refutes explain.price if it can, and explain.release where nothing may be released: prices,
 * receipts, failing dice, refusals. */
#include "budget/range.h"
#include "explain_bill.h"
#include "mech/receipt.h"
#include "support/seeded_dice.h"
#include <math.h>

SENTENCE(each_part_has_its_price_and_none_is_above_its_budget)
{
    UNUSED_STATE;
    const uint64_t pico = 1000000000000u;
    bill b;
    bill_init(&b, "3/10", "7/10", "1/2");
    jali_explain_spec spec = spec_of(&b, JALI_LAW_GAUSS, JALI_RANKS_SEARCH, 5, 103, 90, 100);
    jali_explainer *x = explainer(&spec);
    jali_loss topk = jali_explainer_topk_loss(x), all = jali_explainer_loss(x);
    CHECK(topk.rho_pico <= 3 * pico / 10 && topk.rho_pico > 3 * pico / 10 - 100);
    CHECK(!topk.eps_infinite); /* k e: a choice has a finite eps, too */
    CHECK(jali_explainer_vector_loss(x).rho_pico == 7 * pico / 10);
    CHECK(jali_explainer_search_loss(x).rho_pico == pico / 2);
    CHECK(all.rho_pico == topk.rho_pico + 12 * pico / 10 && all.eps_infinite);
    /* e^2 <= 8 rho/k, and one step more is above it */
    mpq_t q;
    mpq_init(q);
    mpq_set_ui(q, 1, pico);
    mpq_add(q, q, x->eps_one);
    CHECK(jali_loss_topk(5, x->eps_one).rho_pico <= 3 * pico / 10);
    CHECK(5 * mpq_get_d(q) * mpq_get_d(q) / 8 > 0.3 - 1e-13);
    /* a tenth for the lower bounds of five, seven draws each */
    CHECK(x->lower.draws == 7 && x->upper.draws == 7);
    double low = 7 * 100.0 * 100.0 / (2 * mpq_get_d(x->lower.gauss.sigma2));
    double high = 7 * 100.0 * 100.0 / (2 * mpq_get_d(x->upper.gauss.sigma2));
    CHECK(fabs(low - 0.01) < 1e-12 && fabs(high - 0.09) < 1e-12);
    mpq_clear(q);
    jali_explainer_free(x);
    spec.law = JALI_LAW_LAPLACE;
    spec.ranks = JALI_RANKS_SHARED;
    x = explainer(&spec);
    all = jali_explainer_loss(x);
    CHECK(!all.eps_infinite && all.eps_pico == pico && all.delta_atto == 0);
    CHECK(jali_loss_is_zero(jali_explainer_search_loss(x)));
    jali_explainer_free(x);
    bill_clear(&b);
}

static void ranks_are(size_t k, uint64_t n, const uint64_t *want, size_t want_n)
{
    bill b;
    bill_init(&b, "1", "1", "1");
    jali_explain_spec spec = spec_of(&b, JALI_LAW_GAUSS, JALI_RANKS_SHARED, k, n, 90, 100);
    jali_explainer *x = explainer(&spec);
    const uint64_t *rank;
    CHECK(jali_explainer_ranks(x, &rank) == want_n);
    CHECK(memcmp(rank, want, want_n * sizeof *rank) == 0);
    CHECK(jali_explainer_k(x) == (k < n ? k : n));
    CHECK(jali_explainer_noise(x)->d == jali_explainer_k(x) + want_n);
    jali_explainer_free(x);
    bill_clear(&b);
}

SENTENCE(ranks_are_public_and_end_with_the_space)
{
    UNUSED_STATE;
    ranks_are(5, 103, (uint64_t[]){ 1, 2, 3, 4, 5, 6, 8, 16, 32, 64 }, 10);
    ranks_are(1, 1, (uint64_t[]){ 1 }, 1);
    ranks_are(5, 3, (uint64_t[]){ 1, 2, 3 }, 3); /* more were asked for than there are */
    ranks_are(3, 4, (uint64_t[]){ 1, 2, 3, 4 }, 4);
    ranks_are(2, 9, (uint64_t[]){ 1, 2, 3, 4, 8 }, 5);
}

SENTENCE(what_is_not_paid_is_not_drawn)
{
    UNUSED_STATE;
    bill b;
    bill_init(&b, "1/4", "1", "1");
    jali_explain_spec spec = spec_of(&b, JALI_LAW_GAUSS, JALI_RANKS_SHARED, 2, N, 90, 100);
    jali_explainer *x = explainer(&spec);
    jali_dice *dice = seeded_dice(1);
    jali_loss less = jali_explainer_topk_loss(x);
    less.rho_pico--;
    jali_charge paid = receipt(less);
    jali_arena arena = JALI_ARENA_INIT;
    jali_explained it = { .k = 77 };
    uint64_t before = dice->pool->left;
    CHECK(jali_explain_draw(x, &held, &paid, dice, &arena, &it, NULL) == JALI_E_INTERNAL);
    CHECK(it.k == 77 && dice->pool->left == before);
    paid = receipt(jali_explainer_topk_loss(x)); /* the vector was not paid for */
    CHECK(jali_explain_draw(x, &held, &paid, dice, &arena, &it, NULL) == JALI_E_INTERNAL);
    CHECK(it.k == 77);
    jali_scores other = held;
    other.range = 101; /* priced for 100 */
    paid = receipt(jali_explainer_loss(x));
    CHECK(jali_explain_draw(x, &other, &paid, dice, &arena, &it, NULL) == JALI_E_INTERNAL);
    CHECK(!used_up(&paid) && it.k == 77);
    jali_arena_clear(&arena);
    jali_dice_free(dice);
    jali_explainer_free(x);
    bill_clear(&b);
}

SENTENCE(failed_dice_release_nothing_and_the_charge_stands)
{
    UNUSED_STATE;
    bill b;
    bill_init(&b, "1/4", "1", "1");
    for (int law = JALI_LAW_LAPLACE; law <= (int)JALI_LAW_GAUSS; law++) {
        jali_explain_spec spec = spec_of(&b, (jali_law)law, JALI_RANKS_SEARCH, 2, N, 90, 100);
        jali_explainer *x = explainer(&spec);
        for (uint64_t words = 0; words < 12; words += 3) {
            jali_dice *dice = failing_dice(1, words);
            jali_charge paid = receipt(jali_explainer_loss(x));
            jali_arena arena = JALI_ARENA_INIT;
            jali_explained it = { .k = 77 };
            jali_err err;
            CHECK(jali_explain_draw(x, &held, &paid, dice, &arena, &it, &err) ==
                  JALI_E_ENTROPY);
            CHECK_REFUSED(err, JALI_E_ENTROPY, JALI_FOR_ANALYST, "the charge stands");
            CHECK(it.k == 77);
            jali_arena_clear(&arena);
            jali_dice_free(dice);
        }
        jali_explainer_free(x);
    }
    bill_clear(&b);
}

static void refused(jali_explain_spec spec, const char *words)
{
    jali_explainer *x = NULL;
    jali_err err;
    CHECK(jali_explainer_new(&x, &spec, &err) == JALI_E_USAGE && x == NULL);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, words);
}

SENTENCE(explanations_without_sense_are_refused)
{
    UNUSED_STATE;
    bill b, zero;
    mpq_t one;
    bill_init(&b, "1", "1", "1");
    bill_init(&zero, "1", "1", "0");
    mpq_init(one);
    mpq_set_ui(one, 1, 1);
    jali_explain_spec s = spec_of(&b, JALI_LAW_GAUSS, JALI_RANKS_SEARCH, 5, 103, 90, 100);
    jali_explain_spec t = s;
    t.k = 0;
    refused(t, "1 to 1000 predicates");
    t.k = 1001;
    refused(t, "1 to 1000 predicates");
    t = s;
    t.predicates = 0;
    refused(t, "no predicate");
    t = s;
    t.search = zero.search;
    refused(t, "above 0");
    t = s;
    t.lower = one;
    refused(t, "share between 0 and 1");
    t = s;
    t.confidence = 1;
    refused(t, "confidence");
    t = s;
    mpq_div_2exp(one, one, 200);
    t.topk = one;
    refused(t, "too small");
    mpq_clear(one);
    bill_clear(&zero);
    bill_clear(&b);
}

RUN_ALL(TEST(each_part_has_its_price_and_none_is_above_its_budget),
        TEST(ranks_are_public_and_end_with_the_space), TEST(what_is_not_paid_is_not_drawn),
        TEST(failed_dice_release_nothing_and_the_charge_stands),
        TEST(explanations_without_sense_are_refused))
