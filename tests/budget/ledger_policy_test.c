/* What the cap and the policy allow, and how they say no. */
#define _POSIX_C_SOURCE 200809L
#include "desk.h"

SENTENCE(a_refusal_tells_what_is_spent_asked_left_and_by_whom)
{
    UNUSED_STATE;
    desk d;
    jali_charge *c = NULL;
    jali_err err;
    desk_create(&d, "1", "0");
    jali_ledger *l = desk_open(&d);
    desk_ask(&d, l, "ana", "{\"q\":1}", desk_pure("0.5"));
    desk_ask(&d, l, "bob", "{\"q\":2}", desk_pure("0.3"));
    desk_ask(&d, l, "ana", "{\"q\":3}", desk_pure("0.05"));
    CHECK(desk_pay(&d, l, "bob", "{\"q\":4}", desk_pure("0.15000000001"), &c, &err) ==
          JALI_E_BUDGET);
    CHECK(c == NULL);
    CHECK_REFUSED(err, JALI_E_BUDGET, JALI_FOR_ANALYST, "it costs eps 0.1501");
    CHECK_REFUSED(err, JALI_E_BUDGET, JALI_FOR_ANALYST, "spent eps 0.85");
    CHECK_REFUSED(err, JALI_E_BUDGET, JALI_FOR_ANALYST, "left eps 0.15;");
    CHECK_REFUSED(err, JALI_E_BUDGET, JALI_FOR_ANALYST,
                  "most went to ana (eps 0.5, 2023-11-14 22:13, row 2) and bob (eps 0.3");
    CHECK(desk_pay(&d, l, "bob", "{\"q\":4}", desk_gauss("0.0001"), &c, &err) == JALI_E_BUDGET);
    CHECK_REFUSED(err, JALI_E_BUDGET, JALI_FOR_ANALYST, "pure (delta 0)");
    CHECK_OK(desk_pay(&d, l, "bob", "{\"q\":4}", desk_pure("0.15"), &c, &err));
    jali_charge_free(c);
    CHECK_OK(jali_ledger_close(l, NULL));
    desk_clear(&d);
}

/* The longest names and numbers still leave room for the advice at the end. */
SENTENCE(a_refusal_is_never_cut_short)
{
    UNUSED_STATE;
    desk d;
    jali_charge *c = NULL;
    jali_err err;
    char name[JALI_LEDGER_MAX_NAME + 1];
    memset(name, 'n', JALI_LEDGER_MAX_NAME);
    name[JALI_LEDGER_MAX_NAME] = '\0';
    desk_create(&d, "123.123456789123", "0.123456789123456789");
    jali_ledger *l = desk_open(&d);
    desk_ask(&d, l, name, "{\"q\":1}", desk_pure("1.111111111111"));
    desk_ask(&d, l, name, "{\"q\":2}", desk_pure("1.111111111112"));
    jali_loss odd = { .eps_infinite = true,
                      .rho_pico = 123456789123456789,
                      .delta_atto = 1234567891234567891 };
    CHECK(desk_pay(&d, l, name, "{\"q\":4}", odd, &c, &err) == JALI_E_BUDGET);
    CHECK_REFUSED(err, JALI_E_BUDGET, JALI_FOR_ANALYST, "ask the curator to raise the cap");
    CHECK_OK(jali_ledger_set_quota(l, name, 1, &(jali_hand){ "carol", NOON }, NULL));
    odd.rho_pico = 1111111111111, odd.delta_atto = 1111111;
    CHECK(desk_pay(&d, l, name, "{\"q\":4}", odd, &c, &err) == JALI_E_BUDGET);
    CHECK_REFUSED(err, JALI_E_BUDGET, JALI_FOR_ANALYST, "a larger share");
    CHECK_OK(jali_ledger_close(l, NULL));
    desk_clear(&d);
}

SENTENCE(many_small_questions_outlive_the_sum_of_eps)
{
    UNUSED_STATE;
    desk d;
    jali_charge *c = NULL;
    char plan[32];
    int paid = 0;
    desk_create(&d, "1", "1e-6");
    jali_ledger *l = desk_open(&d);
    for (;; paid++) {
        snprintf(plan, sizeof plan, "{\"q\":%d}", paid);
        if (desk_pay(&d, l, "ana", plan, desk_pure("0.02"), &c, NULL) != JALI_OK) break;
        jali_charge_free(c);
    }
    jali_totals t;
    CHECK_OK(jali_ledger_totals(l, &d.arena, &t, NULL));
    CHECK(paid > 100 && (uint64_t)paid == t.cap.rho_pico / 200000000); /* 50 by addition */
    CHECK(t.within == JALI_BY_RHO && t.sum.eps_pico > t.cap.eps_pico);
    CHECK(t.sum.rho_pico <= t.cap.rho_pico && t.eps_of_rho_pico <= t.cap.eps_pico);
    CHECK(t.left.eps_pico == 0 && t.left.rho_pico < 200000000);
    CHECK_OK(jali_ledger_close(l, NULL));
    CHECK(desk_verify(&d).intact);
    desk_clear(&d);
}

SENTENCE(quotas_and_the_largest_question_are_policy_on_top)
{
    UNUSED_STATE;
    desk d;
    jali_quote quote;
    jali_charge *c = NULL;
    jali_err err;
    jali_hand carol = { "carol", NOON };
    jali_totals t;
    desk_create(&d, "1", "0");
    jali_ledger *l = desk_open(&d);
    CHECK_OK(jali_ledger_set_question(l, 300000, &carol, NULL));
    CHECK_OK(jali_ledger_set_quota(l, NULL, 400000, &carol, NULL));
    CHECK_OK(jali_ledger_set_quota(l, "bob", 100000, &carol, NULL));
    CHECK(desk_quote(&d, l, "ana", "{\"q\":1}", desk_pure("0.31"), &quote, &err) ==
          JALI_E_BUDGET);
    CHECK_REFUSED(err, JALI_E_BUDGET, JALI_FOR_ANALYST, "one question at most 30%");
    CHECK_OK(desk_quote(&d, l, "ana", "{\"q\":1}", desk_pure("0.3"), &quote, NULL));
    desk_ask(&d, l, "ana", "{\"q\":1}", desk_pure("0.3"));
    CHECK(desk_pay(&d, l, "ana", "{\"q\":2}", desk_pure("0.2"), &c, &err) == JALI_E_BUDGET);
    CHECK_REFUSED(err, JALI_E_BUDGET, JALI_FOR_ANALYST, "ana at most 40%");
    CHECK_REFUSED(err, JALI_E_BUDGET, JALI_FOR_ANALYST, "left eps 0.1;");
    CHECK(desk_pay(&d, l, "bob", "{\"q\":2}", desk_pure("0.2"), &c, &err) == JALI_E_BUDGET);
    CHECK_REFUSED(err, JALI_E_BUDGET, JALI_FOR_ANALYST, "bob at most 10%");
    CHECK(jali_ledger_set_quota(l, "bob", 0, &carol, &err) == JALI_E_USAGE);
    CHECK_OK(jali_ledger_totals(l, &d.arena, &t, NULL));
    CHECK(t.question_ppm == 300000 && t.everybody_ppm == 400000 && t.n_spenders == 1);
    CHECK(t.spender[0].quota_ppm == 400000 && t.spender[0].charges == 1);
    /* A quota of the whole cap frees one analyst from everybody's. */
    CHECK_OK(jali_ledger_set_quota(l, "ana", 1000000, &carol, NULL));
    CHECK_OK(desk_quote(&d, l, "ana", "{\"q\":3}", desk_pure("0.3"), &quote, NULL));
    CHECK_OK(jali_ledger_close(l, NULL));
    CHECK(desk_verify(&d).intact);
    desk_clear(&d);
}

/* A handle knows the cap that it read last; it is not the cap in force once somebody else has
 * raised it. */
SENTENCE(a_cap_that_another_handle_raised_counts_at_once)
{
    UNUSED_STATE;
    desk d;
    jali_charge *c = NULL;
    jali_totals t;
    jali_cap two = desk_cap("2", "0");
    desk_create(&d, "1", "0");
    jali_ledger *ours = desk_open(&d), *theirs = desk_open(&d);
    desk_ask(&d, ours, "ana", "{\"q\":1}", desk_pure("0.9"));
    CHECK(desk_pay(&d, ours, "ana", "{\"q\":2}", desk_pure("0.5"), &c, NULL) == JALI_E_BUDGET);
    CHECK_OK(jali_ledger_raise_cap(theirs, &two, &(jali_hand){ "carol", NOON }, NULL));
    desk_ask(&d, ours, "ana", "{\"q\":2}", desk_pure("0.5"));
    CHECK_OK(jali_ledger_totals(ours, &d.arena, &t, NULL));
    CHECK(t.cap.eps_pico == two.eps_pico);
    CHECK_OK(jali_ledger_close(ours, NULL));
    CHECK_OK(jali_ledger_close(theirs, NULL));
    desk_clear(&d);
}

SENTENCE(a_cap_grows_by_a_logged_act_and_never_shrinks)
{
    UNUSED_STATE;
    desk d;
    jali_quote quote;
    jali_err err;
    jali_hand carol = { "carol", NOON };
    jali_cap two = desk_cap("2", "0"), half = desk_cap("0.5", "0");
    desk_create(&d, "1", "0");
    jali_ledger *l = desk_open(&d);
    CHECK(desk_quote(&d, l, "ana", "{\"q\":1}", desk_pure("1.5"), &quote, &err) ==
          JALI_E_BUDGET);
    CHECK(jali_ledger_raise_cap(l, &half, &carol, &err) == JALI_E_USAGE);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_CURATOR, "only grow");
    CHECK_OK(jali_ledger_raise_cap(l, &two, &carol, NULL));
    CHECK_OK(desk_quote(&d, l, "ana", "{\"q\":1}", desk_pure("1.5"), &quote, NULL));
    desk_ask(&d, l, "ana", "{\"q\":1}", desk_pure("1.5"));
    CHECK_OK(jali_ledger_close(l, NULL));
    jali_ledger_report report = desk_verify(&d);
    CHECK(report.intact && report.acts == 2 && report.cap.eps_pico == two.eps_pico);
    desk_clear(&d);
}

RUN_ALL(TEST(a_refusal_tells_what_is_spent_asked_left_and_by_whom),
        TEST(a_refusal_is_never_cut_short), TEST(many_small_questions_outlive_the_sum_of_eps),
        TEST(quotas_and_the_largest_question_are_policy_on_top),
        TEST(a_cap_that_another_handle_raised_counts_at_once),
        TEST(a_cap_grows_by_a_logged_act_and_never_shrinks))
