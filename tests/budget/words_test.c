/* Refutes the words of a budget if it can: nobody is promised more than there is. */
#define _POSIX_C_SOURCE 200809L
#include "base/rat.h"
#include "budget/convert.h"
#include "budget/words.h"
#include "unit.h"

static jali_cap cap_of(const char *eps, const char *delta)
{
    mpq_t e, d;
    jali_cap cap = { 0 };
    mpq_inits(e, d, NULL);
    CHECK_OK(jali_rat_parse(e, eps, "eps", NULL));
    CHECK_OK(jali_rat_parse(d, delta, "delta", NULL));
    CHECK_OK(jali_cap_make(&cap, e, d, NULL, NULL));
    mpq_clears(e, d, NULL);
    return cap;
}

SENTENCE(costs_are_rounded_up_and_rests_down)
{
    UNUSED_STATE;
    char text[32];
    CHECK(strcmp(jali_few_words(text, 24129622344, true), "0.02413") == 0);
    CHECK(strcmp(jali_few_words(text, 24129622344, false), "0.02412") == 0);
    CHECK(strcmp(jali_few_words(text, 24120000000, true), "0.02412") == 0);
    CHECK(strcmp(jali_few_words(text, 999960000000, true), "1") == 0);
    CHECK(strcmp(jali_few_words(text, 0, true), "0") == 0);
    CHECK(strcmp(jali_few_words(text, 1, true), "0.000000000001") == 0);
    jali_few_words(text, JALI_LOSS_MAX, true); /* saturates instead of wrapping */
    CHECK(text[0] != '0' && text[0] != '-');
}

SENTENCE(the_currency_that_counts_is_named)
{
    UNUSED_STATE;
    char text[JALI_LOSS_TEXT];
    jali_cap pure = cap_of("1", "0"), both = cap_of("1", "1e-6");
    jali_loss small = { .eps_pico = 100000000000, .rho_pico = 5000000000 };
    jali_loss gauss = { .eps_infinite = true, .rho_pico = 5000000000, .delta_atto = 10 };
    CHECK(strcmp(jali_loss_words(text, small, &pure), "eps 0.1") == 0);
    CHECK(strcmp(jali_loss_words(text, small, &both), "eps 0.1, rho 0.005") == 0);
    CHECK(strcmp(jali_loss_words(text, gauss, NULL), "rho 0.005, delta 0.00000000000000001") ==
          0);
    CHECK(strncmp(jali_loss_words(text, gauss, &both), "eps 0.4", 7) == 0);
    CHECK(strstr(text, " (rho 0.005), delta 0.00000000000000001") != NULL);
    CHECK(strcmp(jali_loss_words(text, (jali_loss)JALI_LOSS_NONE, &both), "nothing") == 0);
    CHECK(strcmp(jali_left_words(text, &pure, small), "eps 0.9") == 0);
}

/* Whoever asks for --epsilon E reads that E was paid. */
SENTENCE(a_cost_is_told_as_the_epsilon_that_was_asked_for)
{
    UNUSED_STATE;
    jali_cap cap = cap_of("8", "1e-6");
    for (uint64_t tenths = 1; tenths <= 80; tenths++) {
        char text[JALI_LOSS_TEXT], want[40], eps[32];
        uint64_t pico = tenths * 100000000000;
        jali_loss paid = { .eps_infinite = true,
                           .rho_pico =
                               jali_convert_rho(pico, cap.delta_atto - cap.reserve_atto) };
        snprintf(want, sizeof want, "eps %s (rho ", jali_decimal(eps, pico, JALI_LOSS_DIGITS));
        CHECK(strncmp(jali_loss_words(text, paid, &cap), want, strlen(want)) == 0);
    }
}

/* What is said to fit is bought at its price, and admitted: over many sums. */
SENTENCE(what_is_said_to_fit_does_fit)
{
    UNUSED_STATE;
    jali_cap cap = cap_of("3", "1e-6");
    for (uint64_t i = 0; i < 40; i++) {
        char text[JALI_LOSS_TEXT];
        jali_loss sum = { .eps_infinite = true, .rho_pico = cap.rho_pico / 40 * i + i * 7919 };
        jali_left_words(text, &cap, sum);
        const char *at = strstr(text, "--epsilon ");
        CHECK(at != NULL);
        mpq_t q;
        mpq_init(q);
        char number[32] = "";
        sscanf(at, "--epsilon %31[0-9.]", number);
        uint64_t pico = 0;
        CHECK_OK(jali_rat_parse(q, number, "fits", NULL));
        CHECK(jali_rat_down(&pico, q, JALI_LOSS_DIGITS));
        jali_loss next = { .eps_infinite = true,
                           .rho_pico =
                               jali_convert_rho(pico, cap.delta_atto - cap.reserve_atto) };
        CHECK(next.rho_pico > 0);
        CHECK(jali_cap_admits(&cap, jali_loss_add(sum, next)) != JALI_REFUSED);
        /* The twin: a fiftieth more would not fit. */
        next.rho_pico = jali_convert_rho(pico + pico / 50, cap.delta_atto - cap.reserve_atto);
        CHECK(jali_cap_admits(&cap, jali_loss_add(sum, next)) == JALI_REFUSED);
        mpq_clear(q);
    }
}

RUN_ALL(TEST(costs_are_rounded_up_and_rests_down), TEST(the_currency_that_counts_is_named),
        TEST(a_cost_is_told_as_the_epsilon_that_was_asked_for),
        TEST(what_is_said_to_fit_does_fit))
