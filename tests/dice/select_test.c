/* Refutes dice.select if it can: law, exact tier, extremes, and permute-and-flip in its
 * clothes. */
#include "dice/flip.h"
#include "dice/laws.h"
#include "dice/select.h"
#include "support/oracle.h"
#include "unit.h"

enum { MOST = 700 };

typedef jali_status choose_fn(const jali_rate *, const int64_t *, size_t, jali_dice *,
                              size_t *);

static void em_law(double rate, const int64_t *score, size_t n, double *law)
{
    double all = 0;
    int64_t best = score[0];
    for (size_t i = 0; i < n; i++) best = score[i] > best ? score[i] : best;
    for (size_t i = 0; i < n; i++)
        all += law[i] = exp(-rate * (double)((uint64_t)best - (uint64_t)score[i]));
    for (size_t i = 0; i < n; i++) law[i] /= all;
}

/* Does `choose` follow the exponential mechanism's law? */
static bool follows(choose_fn *choose, const char *rate, const int64_t *score, size_t n,
                    size_t draws, uint64_t seed)
{
    mpq_t q;
    jali_rate r;
    jali_dice *d = seeded_dice(seed);
    uint64_t seen[MOST] = { 0 };
    double law[MOST];
    rational(q, rate);
    CHECK_OK(jali_rate_init(&r, q, NULL));
    for (size_t i = 0; i < draws; i++) {
        size_t winner = SIZE_MAX;
        CHECK_OK(choose(&r, score, n, d, &winner));
        CHECK(winner < n);
        seen[winner]++;
    }
    em_law(mpq_get_d(q), score, n, law);
    jali_rate_clear(&r);
    jali_dice_free(d);
    mpq_clear(q);
    return chi_fits(seen, law, n);
}

SENTENCE(the_winner_follows_the_law_for_every_size_to_65)
{
    UNUSED_STATE;
    int64_t score[65], equal[65] = { 0 };
    for (size_t i = 0; i < 65; i++) score[i] = (int64_t)(i * 37 % 65) - 30;
    for (size_t n = 1; n <= 65; n++) {
        CHECK(follows(jali_select_draw, "1/20", score, n, 5000, n));
        CHECK(follows(jali_select_draw, "3", equal, n, 5000, 100 + n));
    }
}

SENTENCE(the_winner_follows_the_law_at_length)
{
    UNUSED_STATE;
    int64_t score[MOST];
    for (size_t i = 0; i < MOST; i++) score[i] = (int64_t)(i * i % 97);
    CHECK(follows(jali_select_draw, "1/10", score, 10, 300000, 1));
    CHECK(follows(jali_select_draw, "1/50", score, MOST, 100000, 2));
    CHECK(follows(jali_select_draw, "0", score, MOST, 100000, 3));
}

/* Many far behind together still win sometimes: e^-6 each, 699 of them. */
SENTENCE(a_crowd_far_behind_is_not_forgotten)
{
    UNUSED_STATE;
    int64_t score[MOST] = { 0 };
    score[300] = 6;
    CHECK(follows(jali_select_draw, "1", score, MOST, 50000, 9));
}

SENTENCE(extreme_scores_are_exact)
{
    UNUSED_STATE;
    const int64_t ends[] = { INT64_MIN, 0, INT64_MAX, INT64_MAX - 1 };
    CHECK(follows(jali_select_draw, "1/9223372036854775808", ends, 4, 50000, 5));
    CHECK(follows(jali_select_draw, "0", ends, 4, 50000, 6));
    CHECK(follows(jali_select_draw, "65536", ends, 4, 1000, 7));
    CHECK(follows(jali_select_draw, "1", ends, 4, 50000, 8));
}

SENTENCE(permute_and_flip_sold_as_exponential_mechanism_is_refused)
{
    UNUSED_STATE;
    const int64_t two[] = { 1, -1 };
    CHECK(follows(jali_select_draw, "1", two, 2, 3000, 10));
    CHECK(!follows(jali_flip_draw, "1", two, 2, 3000, 10));
}

SENTENCE(a_rate_off_by_five_percent_is_refused)
{
    UNUSED_STATE;
    const int64_t by20[] = { 0, 20, 40 }, by21[] = { 0, 21, 42 };
    mpq_t q;
    jali_rate r;
    jali_dice *d = seeded_dice(3);
    uint64_t seen[3] = { 0 };
    double law[3];
    rational(q, "1/20");
    CHECK_OK(jali_rate_init(&r, q, NULL));
    for (int i = 0; i < 100000; i++) {
        size_t winner;
        CHECK_OK(jali_select_draw(&r, by21, 3, d, &winner));
        seen[winner]++;
    }
    em_law(0.05, by21, 3, law);
    CHECK(chi_fits(seen, law, 3));
    em_law(0.05, by20, 3, law);
    CHECK(!chi_fits(seen, law, 3));
    jali_rate_clear(&r);
    jali_dice_free(d);
    mpq_clear(q);
}

SENTENCE(the_exact_tier_chooses_the_same_winners)
{
    UNUSED_STATE;
    static const char *const rates[] = { "0", "1/30", "5/3", "1/1000000000000000000" };
    int64_t score[70];
    for (size_t i = 0; i < 70; i++) score[i] = (int64_t)(i * 29 % 71);
    score[3] = INT64_MIN;
    for (size_t i = 0; i < 4; i++) {
        mpq_t q;
        jali_rate r;
        jali_dice *fast = seeded_dice(i), *slow = seeded_dice(i);
        slow->doubt = true;
        rational(q, rates[i]);
        CHECK_OK(jali_rate_init(&r, q, NULL));
        for (size_t n = 1; n <= 70; n += 3)
            for (int j = 0; j < 20; j++) {
                size_t a, b;
                CHECK_OK(jali_select_draw(&r, score, n, fast, &a));
                CHECK_OK(jali_select_draw(&r, score, n, slow, &b));
                assert_int_equal(a, b);
            }
        jali_rate_clear(&r);
        jali_dice_free(fast);
        jali_dice_free(slow);
        mpq_clear(q);
    }
}

/* U on the border between two candidates as far as 64 bits tell: the filter must see that
 * it cannot decide, and what follows must fall on both sides. */
SENTENCE(a_spot_on_a_border_draws_more_bits)
{
    UNUSED_STATE;
    const int64_t score[] = { 0, 0, -1 };
    mpq_t q;
    jali_rate r;
    rational(q, "1");
    CHECK_OK(jali_rate_init(&r, q, NULL));
    /* 2^64 / (2 + 1/e), rounded down: the border between the first and the second. */
    const uint64_t high = UINT64_C(0x6c1d15b2f9ee5072);
    unsigned first = 0;
    for (uint64_t seed = 0; seed < 64; seed++) {
        jali_dice *d = seeded_dice(seed);
        size_t winner;
        uint64_t word;
        CHECK_OK(jali_dice_word(d, &word));
        /* 64 bits of the border, then the seed's: within 2^-64 of it. */
        d->pool->word[d->pool->left - 1] = high;
        CHECK_OK(jali_select_draw(&r, score, 3, d, &winner));
        CHECK(winner < 2);
        first += winner == 0;
        jali_dice_free(d);
    }
    CHECK(first > 0 && first < 64);
    jali_rate_clear(&r);
    mpq_clear(q);
}

SENTENCE(the_rejection_oracle_agrees)
{
    UNUSED_STATE;
    const int64_t score[] = { 5, 0, 3, 5, -2 };
    mpq_t q;
    jali_dice *d = seeded_dice(21);
    uint64_t seen[5] = { 0 };
    double law[5];
    rational(q, "1/3");
    for (int i = 0; i < 50000; i++) seen[oracle_select(d, q, score, 5)]++;
    em_law(1.0 / 3, score, 5, law);
    CHECK(chi_fits(seen, law, 5));
    CHECK(follows(jali_select_draw, "1/3", score, 5, 50000, 22));
    mpq_clear(q);
    jali_dice_free(d);
}

SENTENCE(nobody_to_choose_from_is_refused)
{
    UNUSED_STATE;
    mpq_t q;
    jali_rate r;
    jali_dice *d = seeded_dice(1);
    size_t winner = 77;
    rational(q, "1");
    CHECK_OK(jali_rate_init(&r, q, NULL));
    CHECK(jali_select_draw(&r, NULL, 0, d, &winner) == JALI_E_USAGE);
    CHECK(jali_flip_draw(&r, NULL, 0, d, &winner) == JALI_E_USAGE);
    CHECK(winner == 77);
    jali_rate_clear(&r);
    jali_dice_free(d);
    mpq_clear(q);
}

RUN_ALL(TEST(the_winner_follows_the_law_for_every_size_to_65),
        TEST(the_winner_follows_the_law_at_length), TEST(a_crowd_far_behind_is_not_forgotten),
        TEST(extreme_scores_are_exact),
        TEST(permute_and_flip_sold_as_exponential_mechanism_is_refused),
        TEST(a_rate_off_by_five_percent_is_refused),
        TEST(the_exact_tier_chooses_the_same_winners), TEST(a_spot_on_a_border_draws_more_bits),
        TEST(the_rejection_oracle_agrees), TEST(nobody_to_choose_from_is_refused))
