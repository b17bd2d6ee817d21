/* The cap: made within its limits, kept by its filter (the proof's adversary has a file of
 * its own, adversary_test.c, for cap.filter). */
#define _POSIX_C_SOURCE 200809L
#include "budget/convert.h"
#include "desk.h"

static jali_status make(const char *eps, const char *delta, const char *reserve, jali_cap *cap,
                        jali_err *err)
{
    mpq_t e, d, r;
    mpq_inits(e, d, r, NULL);
    CHECK_OK(jali_rat_parse(e, eps, "eps", NULL));
    CHECK_OK(jali_rat_parse(d, delta, "delta", NULL));
    if (reserve != NULL) CHECK_OK(jali_rat_parse(r, reserve, "reserve", NULL));
    jali_status status = jali_cap_make(cap, e, d, reserve == NULL ? NULL : r, err);
    mpq_clears(e, d, r, NULL);
    return status;
}

SENTENCE(a_cap_derives_the_largest_rho_that_converts_within_it)
{
    UNUSED_STATE;
    jali_cap cap;
    CHECK_OK(make("1", "1e-6", NULL, &cap, NULL));
    CHECK(cap.eps_pico == 1000000000000 && cap.delta_atto == 1000000000000);
    CHECK(cap.reserve_atto == 100000000000);
    CHECK(jali_convert_delta(cap.rho_pico, cap.eps_pico) <= cap.delta_atto - cap.reserve_atto);
    CHECK(jali_convert_delta(cap.rho_pico + 1, cap.eps_pico) >
          cap.delta_atto - cap.reserve_atto);
    CHECK(jali_cap_is_sound(&cap));
    cap.rho_pico++;
    CHECK(!jali_cap_is_sound(&cap));
}

SENTENCE(a_cap_outside_its_limits_is_refused_in_one_sentence)
{
    UNUSED_STATE;
    static const struct {
        const char *eps, *delta, *reserve, *words;
    } bad[] = {
        { "0", "0", NULL, "above 0" },     { "-1", "0", NULL, "above 0" },
        { "1e-13", "0", NULL, "above 0" }, { "1001", "0", NULL, "at most 1000" },
        { "1", "1", NULL, "below 1" },     { "1", "-1e-6", NULL, "at least 0" },
        { "1", "1e-19", NULL, "write 0" }, { "1", "1e-6", "1e-6", "smaller" },
        { "1", "1e-6", "-1", "smaller" },  { "1", "0", "1e-9", "smaller" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        jali_cap cap = { .eps_pico = 77 };
        jali_err err;
        CHECK(make(bad[i].eps, bad[i].delta, bad[i].reserve, &cap, &err) == JALI_E_USAGE);
        CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_CURATOR, bad[i].words);
        CHECK(cap.eps_pico == 77);
    }
}

SENTENCE(either_test_admits_and_both_edges_are_inside)
{
    UNUSED_STATE;
    jali_cap cap = desk_cap("1", "1e-6");
    jali_loss at = { .eps_pico = cap.eps_pico, .rho_pico = cap.rho_pico };
    CHECK(jali_cap_admits(&cap, at) == JALI_BY_BOTH);
    at.rho_pico++;
    CHECK(jali_cap_admits(&cap, at) == JALI_BY_EPS);
    at.eps_pico++;
    CHECK(jali_cap_admits(&cap, at) == JALI_REFUSED);
    at.rho_pico--;
    CHECK(jali_cap_admits(&cap, at) == JALI_BY_RHO);
    jali_loss g = { .eps_infinite = true,
                    .rho_pico = cap.rho_pico,
                    .delta_atto = cap.reserve_atto };
    CHECK(jali_cap_admits(&cap, g) == JALI_BY_RHO);
    g.delta_atto++;
    CHECK(jali_cap_admits(&cap, g) == JALI_REFUSED);
    /* An unsound loss passes no test, even a small one. */
    CHECK(jali_cap_admits(&cap, (jali_loss){ .eps_pico = 1, .delta_atto = 1 }) == JALI_REFUSED);
}

SENTENCE(a_pure_cap_has_one_test)
{
    UNUSED_STATE;
    jali_cap cap = desk_cap("1", "0");
    CHECK(cap.rho_pico == 0 && cap.reserve_atto == 0);
    CHECK(jali_cap_admits(&cap, desk_pure("1")) == JALI_BY_EPS);
    CHECK(jali_cap_admits(&cap, desk_gauss("0")) == JALI_REFUSED);
    CHECK(jali_cap_admits(&cap, desk_gauss("0.000001")) == JALI_REFUSED);
}

SENTENCE(shares_round_down_and_raises_never_shrink)
{
    UNUSED_STATE;
    jali_cap cap = desk_cap("1", "1e-6"), more = desk_cap("2", "1e-6"),
             mixed = desk_cap("2", "1e-9");
    jali_cap third = jali_cap_share(&cap, 333333), all = jali_cap_share(&cap, 1000000);
    CHECK(third.eps_pico == 333333000000 &&
          third.rho_pico ==
              cap.rho_pico / 1000000 * 333333 + cap.rho_pico % 1000000 * 333333 / 1000000);
    CHECK(memcmp(&all, &cap, sizeof cap) == 0);
    CHECK(jali_cap_is_raise(&cap, &more) && !jali_cap_is_raise(&more, &cap));
    CHECK(!jali_cap_is_raise(&cap, &cap) && !jali_cap_is_raise(&cap, &mixed));
}

SENTENCE(what_is_left_stops_at_nothing)
{
    UNUSED_STATE;
    jali_cap cap = desk_cap("1", "1e-6");
    jali_loss left = jali_cap_left(&cap, desk_pure("0.25"));
    CHECK(left.eps_pico == 750000000000 && left.rho_pico == 0);
    left = jali_cap_left(&cap, desk_gauss("0.001"));
    CHECK(left.eps_infinite && left.rho_pico == cap.rho_pico - 1000000000);
}

SENTENCE(json_keeps_a_cap_and_refuses_one_that_promises_too_much)
{
    UNUSED_STATE;
    jali_cap cap = desk_cap("1.5", "1e-6"), back;
    json_t *j;
    jali_err err;
    CHECK_OK(jali_cap_to_json(&j, &cap, NULL));
    CHECK_OK(jali_cap_from_json(&back, j, "cap", NULL));
    CHECK(memcmp(&cap, &back, sizeof cap) == 0);
    json_object_set_new(j, "rho", json_string("0.5"));
    CHECK(jali_cap_from_json(&back, j, "cap", &err) == JALI_E_DATA);
    CHECK_REFUSED(err, JALI_E_DATA, JALI_FOR_CURATOR, "more than its delta");
    json_object_set_new(j, "rho", json_string("1/3"));
    CHECK(jali_cap_from_json(&back, j, "cap", &err) == JALI_E_DATA);
    json_decref(j);
}

RUN_ALL(TEST(a_cap_derives_the_largest_rho_that_converts_within_it),
        TEST(a_cap_outside_its_limits_is_refused_in_one_sentence),
        TEST(either_test_admits_and_both_edges_are_inside), TEST(a_pure_cap_has_one_test),
        TEST(shares_round_down_and_raises_never_shrink), TEST(what_is_left_stops_at_nothing),
        TEST(json_keeps_a_cap_and_refuses_one_that_promises_too_much))
