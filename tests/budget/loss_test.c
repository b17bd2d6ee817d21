/* Refutes loss.table and loss.sum if it can: each line of the table, against exact
 * fractions; rounding and saturation never in our favour. */
#define _POSIX_C_SOURCE 200809L
#include "base/rat.h"
#include "budget/loss.h"
#include "budget/range.h"
#include "unit.h"

static uint64_t state = 20261116;
static uint64_t next(void)
{
    uint64_t z = (state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static void set(mpq_t q, const char *text)
{
    CHECK_OK(jali_rat_parse(q, text, "number", NULL));
}

/* Is units * 10^-digits at least q, and less than one unit above? */
static bool is_up(uint64_t units, unsigned digits, const mpq_t q)
{
    mpq_t u, ten;
    mpq_inits(u, ten, NULL);
    mpz_ui_pow_ui(mpq_denref(u), 10, digits);
    mpz_set_ui(mpq_numref(u), units);
    mpq_canonicalize(u);
    bool at_least = mpq_cmp(u, q) >= 0;
    mpz_ui_pow_ui(mpq_denref(ten), 10, digits);
    mpz_set_ui(mpq_numref(ten), 1);
    mpq_sub(u, u, ten);
    bool near = mpq_cmp(u, q) < 0;
    mpq_clears(u, ten, NULL);
    return at_least && near;
}

/* value = k * eps^2 / den */
static void square(mpq_t out, const mpq_t eps, unsigned long k, unsigned long den)
{
    mpq_t f;
    mpq_init(f);
    mpq_set_ui(f, k, den);
    mpq_canonicalize(f);
    mpq_mul(out, eps, eps);
    mpq_mul(out, out, f);
    mpq_clear(f);
}

SENTENCE(every_line_of_the_table_is_its_fraction_rounded_up)
{
    UNUSED_STATE;
    mpq_t eps, want, delta;
    mpq_inits(eps, want, delta, NULL);
    for (int i = 0; i < 2000; i++) {
        mpq_set_ui(eps, next() % 100000 + 1, next() % 100000 + 1);
        mpq_set_ui(delta, next() % 1000, next() % 1000000000 + 1000);
        mpq_canonicalize(eps);
        mpq_canonicalize(delta);
        unsigned long k = next() % 20 + 1;
        jali_loss pure = jali_loss_pure(eps), range = jali_loss_bounded_range(eps);
        jali_loss topk = jali_loss_topk(k, eps), box = jali_loss_approx(eps, delta);
        CHECK(is_up(pure.eps_pico, 12, eps) && is_up(range.eps_pico, 12, eps));
        square(want, eps, 1, 2);
        CHECK(is_up(pure.rho_pico, 12, want) && box.rho_pico == pure.rho_pico);
        CHECK(is_up(box.delta_atto, 18, delta));
        CHECK(box.eps_infinite == (mpq_sgn(delta) > 0));
        square(want, eps, 1, 8);
        CHECK(is_up(range.rho_pico, 12, want));
        square(want, eps, k, 8);
        CHECK(is_up(topk.rho_pico, 12, want));
        mpq_set_ui(want, k, 1);
        mpq_mul(want, want, eps);
        CHECK(is_up(topk.eps_pico, 12, want));
        jali_loss gauss = jali_loss_gauss(eps), keys = jali_loss_approx_zcdp(eps, delta);
        CHECK(gauss.eps_infinite && is_up(gauss.rho_pico, 12, eps) && gauss.delta_atto == 0);
        CHECK(keys.eps_infinite && keys.rho_pico == gauss.rho_pico &&
              keys.delta_atto == box.delta_atto);
    }
    mpq_clears(eps, want, delta, NULL);
}

SENTENCE(a_tenth_costs_a_tenth)
{
    UNUSED_STATE;
    char text[JALI_LOSS_TEXT];
    mpq_t q;
    mpq_init(q);
    set(q, "0.1");
    CHECK(strcmp(jali_loss_text(text, jali_loss_pure(q)), "eps 0.1, rho 0.005") == 0);
    CHECK(strcmp(jali_loss_text(text, jali_loss_bounded_range(q)), "eps 0.1, rho 0.00125") ==
          0);
    CHECK(strcmp(jali_loss_text(text, jali_loss_gauss(q)), "rho 0.1") == 0);
    set(q, "1/3");
    CHECK(strcmp(jali_loss_text(text, jali_loss_topk(3, q)), "eps 1, rho 0.041666666667") == 0);
    mpq_clear(q);
}

SENTENCE(sums_add_and_infinity_stays)
{
    UNUSED_STATE;
    jali_loss a = { .eps_pico = 5, .rho_pico = 7 };
    jali_loss g = { .eps_infinite = true, .rho_pico = 11, .delta_atto = 13 };
    jali_loss sum = jali_loss_add(jali_loss_add(a, a), g);
    CHECK(sum.eps_infinite && sum.eps_pico == 0 && sum.rho_pico == 25 && sum.delta_atto == 13);
    CHECK(jali_loss_equal(jali_loss_add(a, a), jali_loss_times(a, 2)));
    CHECK(jali_loss_is_zero(jali_loss_times(g, 0)));
}

SENTENCE(additions_stop_at_the_top_and_never_wrap)
{
    UNUSED_STATE;
    jali_loss big = { .eps_pico = JALI_LOSS_MAX - 1, .rho_pico = JALI_LOSS_MAX };
    jali_loss sum = jali_loss_add(big, big), many = jali_loss_times(big, UINT64_MAX);
    CHECK(sum.eps_pico == JALI_LOSS_MAX && sum.rho_pico == JALI_LOSS_MAX);
    CHECK(many.eps_pico == JALI_LOSS_MAX && many.rho_pico == JALI_LOSS_MAX);
    CHECK(jali_loss_is_sound(sum) && jali_loss_is_sound(many));
}

SENTENCE(what_is_negative_or_enormous_cannot_be_paid)
{
    UNUSED_STATE;
    mpq_t q;
    mpq_init(q);
    set(q, "-1");
    CHECK(jali_loss_pure(q).eps_pico == JALI_LOSS_MAX);
    CHECK(jali_loss_pure(q).rho_pico == JALI_LOSS_MAX);
    CHECK(jali_loss_topk(3, q).rho_pico == JALI_LOSS_MAX);
    CHECK(jali_loss_gauss(q).rho_pico == JALI_LOSS_MAX);
    set(q, "1e20");
    CHECK(jali_loss_pure(q).eps_pico == JALI_LOSS_MAX);
    mpq_clear(q);
}

SENTENCE(a_delta_with_a_finite_eps_is_unsound)
{
    UNUSED_STATE;
    CHECK(!jali_loss_is_sound((jali_loss){ .eps_pico = 1, .delta_atto = 1 }));
    CHECK(!jali_loss_is_sound((jali_loss){ .eps_pico = 1, .eps_infinite = true }));
    CHECK(!jali_loss_is_sound((jali_loss){ .rho_pico = JALI_LOSS_MAX + 1 }));
    CHECK(jali_loss_is_sound((jali_loss){ .eps_infinite = true, .delta_atto = 1 }));
}

SENTENCE(within_looks_at_every_coordinate)
{
    UNUSED_STATE;
    jali_loss a = { .eps_pico = 5, .rho_pico = 7 }, b = a;
    jali_loss g = { .eps_infinite = true, .rho_pico = 7 };
    CHECK(jali_loss_within(a, b) && jali_loss_within(a, g) && !jali_loss_within(g, a));
    b.rho_pico = 6;
    CHECK(!jali_loss_within(a, b));
    g.delta_atto = 1;
    CHECK(!jali_loss_within(g, (jali_loss){ .eps_infinite = true, .rho_pico = 7 }));
}

SENTENCE(json_says_what_was_meant)
{
    UNUSED_STATE;
    jali_loss in[] = { { .eps_pico = 100000000000, .rho_pico = 5000000001 },
                       { .eps_infinite = true, .rho_pico = 1, .delta_atto = 2 },
                       { 0 } };
    jali_err err;
    for (size_t i = 0; i < 3; i++) {
        json_t *j;
        jali_loss out;
        CHECK_OK(jali_loss_to_json(&j, in[i], NULL));
        CHECK_OK(jali_loss_from_json(&out, j, "loss", NULL));
        CHECK(jali_loss_equal(in[i], out));
        json_decref(j);
    }
    json_t *bad = json_pack("{s:s, s:s, s:s}", "eps", "1", "rho", "1", "delta", "0.1");
    jali_loss out;
    CHECK(jali_loss_from_json(&out, bad, "loss", &err) == JALI_E_DATA);
    CHECK_REFUSED(err, JALI_E_DATA, JALI_FOR_CURATOR, "needs eps \"inf\"");
    json_object_set_new(bad, "rho", json_string("-1"));
    CHECK(jali_loss_from_json(&out, bad, "loss", &err) == JALI_E_DATA);
    json_decref(bad);
}

RUN_ALL(TEST(every_line_of_the_table_is_its_fraction_rounded_up), TEST(a_tenth_costs_a_tenth),
        TEST(sums_add_and_infinity_stays), TEST(additions_stop_at_the_top_and_never_wrap),
        TEST(what_is_negative_or_enormous_cannot_be_paid),
        TEST(a_delta_with_a_finite_eps_is_unsound), TEST(within_looks_at_every_coordinate),
        TEST(json_says_what_was_meant))
