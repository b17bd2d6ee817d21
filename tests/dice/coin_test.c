/* Refutes dice.coin if it can: bias, ties, exact tier, oracle, a broken twin. */
#include "dice/coin.h"
#include "dice/laws.h"
#include "dice/lazy.h"
#include "support/oracle.h"
#include "unit.h"

enum { FLIPS = 200000 };

static bool has_bias(const char *gamma, double p)
{
    mpq_t q;
    jali_coin c;
    jali_dice *d = seeded_dice(12);
    uint64_t seen[2] = { 0 };
    rational(q, gamma);
    CHECK_OK(jali_coin_init(&c, q, NULL));
    for (size_t i = 0; i < FLIPS; i++) {
        bool heads;
        CHECK_OK(jali_coin_flip(&c, d, &heads));
        seen[heads]++;
    }
    jali_coin_clear(&c);
    jali_dice_free(d);
    mpq_clear(q);
    return chi_fits(seen, (double[]){ 1 - p, p }, 2);
}

SENTENCE(heads_come_with_probability_exp_minus_gamma)
{
    UNUSED_STATE;
    CHECK(has_bias("1/1000", exp(-0.001)));
    CHECK(has_bias("1/3", exp(-1.0 / 3)));
    CHECK(has_bias("1", exp(-1)));
    CHECK(has_bias("7", exp(-7)));
}

SENTENCE(a_gamma_off_by_five_percent_is_refused)
{
    UNUSED_STATE;
    CHECK(!has_bias("21/20", exp(-1)));
}

SENTENCE(certain_and_hopeless_coins_are_what_they_say)
{
    UNUSED_STATE;
    CHECK(has_bias("0", 1.0));
    CHECK(has_bias("1000000000000000000000000000000", 0.0));
}

/* Words that equal the prefix, by hand: the next bits decide, and both sides occur. */
SENTENCE(a_tie_draws_more_bits)
{
    UNUSED_STATE;
    mpq_t q;
    jali_coin c;
    unsigned heads_seen = 0;
    rational(q, "1");
    CHECK_OK(jali_coin_init(&c, q, NULL));
    CHECK(c.prefix == UINT64_C(0x5e2d58d8b3bcdf1a)); /* floor(2^64 / e) */
    for (uint64_t seed = 0; seed < 300; seed++) {
        jali_dice *d = seeded_dice(seed);
        uint64_t word;
        bool heads;
        CHECK_OK(jali_dice_word(d, &word));
        d->pool->word[d->pool->left - 1] = c.prefix;
        CHECK_OK(jali_coin_flip(&c, d, &heads));
        heads_seen += heads;
        jali_dice_free(d);
    }
    CHECK(heads_seen > 50 && heads_seen < 299);
    jali_coin_clear(&c);
    mpq_clear(q);
}

SENTENCE(the_exact_tier_flips_the_same_coins)
{
    UNUSED_STATE;
    mpq_t q;
    jali_coin c;
    jali_dice *fast = seeded_dice(1), *slow = seeded_dice(1);
    slow->doubt = true;
    rational(q, "2/3");
    CHECK_OK(jali_coin_init(&c, q, NULL));
    for (int i = 0; i < 10000; i++) {
        bool a, b;
        CHECK_OK(jali_coin_flip(&c, fast, &a));
        CHECK_OK(jali_coin_flip(&c, slow, &b));
        CHECK(a == b);
    }
    jali_coin_clear(&c);
    jali_dice_free(fast);
    jali_dice_free(slow);
    mpq_clear(q);
}

SENTENCE(the_plain_oracle_has_the_same_bias)
{
    UNUSED_STATE;
    mpq_t q;
    jali_dice *d = seeded_dice(2);
    uint64_t seen[2] = { 0 };
    rational(q, "5/3");
    for (int i = 0; i < FLIPS; i++) seen[oracle_coin(d, q)]++;
    CHECK(chi_fits(seen, (double[]){ 1 - exp(-5.0 / 3), exp(-5.0 / 3) }, 2));
    mpq_clear(q);
    jali_dice_free(d);
}

static void third(arb_t out, const void *self, slong prec)
{
    (void)self;
    arb_set_ui(out, 1);
    arb_div_ui(out, out, 3, prec);
}

/* Any computable bias: no bit known at first, so that every flip is exact. */
SENTENCE(a_computable_bias_needs_no_first_bits)
{
    UNUSED_STATE;
    jali_dice *d = seeded_dice(31);
    uint64_t seen[2] = { 0 };
    for (int i = 0; i < 20000; i++) {
        bool heads;
        CHECK_OK(jali_lazy_below(d, 0, 0, third, NULL, &heads));
        seen[heads]++;
    }
    CHECK(chi_fits(seen, (double[]){ 2.0 / 3, 1.0 / 3 }, 2));
    jali_dice_free(d);
}

SENTENCE(a_negative_gamma_is_refused)
{
    UNUSED_STATE;
    mpq_t q;
    jali_coin c;
    jali_err err;
    rational(q, "-1/2");
    CHECK(jali_coin_init(&c, q, &err) == JALI_E_USAGE);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "at least 0");
    mpq_clear(q);
}

RUN_ALL(TEST(heads_come_with_probability_exp_minus_gamma),
        TEST(a_gamma_off_by_five_percent_is_refused),
        TEST(certain_and_hopeless_coins_are_what_they_say), TEST(a_tie_draws_more_bits),
        TEST(the_exact_tier_flips_the_same_coins), TEST(the_plain_oracle_has_the_same_bias),
        TEST(a_computable_bias_needs_no_first_bits), TEST(a_negative_gamma_is_refused))
