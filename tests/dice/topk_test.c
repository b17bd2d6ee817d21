/* Refutes dice.topk if it can: law, peeling, streaming, exact tier, extremes, twins. */
#include "dice/laws.h"
#include "dice/peel.h"
#include "dice/select.h"
#include "dice/topk.h"
#include "unit.h"

enum { N = 5, K = 3, OUTCOMES = N * N * N };

static const int64_t five[N] = { 2, 0, 3, -1, 2 };

static size_t outcome(const size_t winner[K])
{
    return (winner[0] * N + winner[1]) * N + winner[2];
}

static void five_law(double rate, double *law)
{
    peel_class at[N];
    for (size_t i = 0; i < N; i++) at[i] = (peel_class){ rate * (double)five[i], 1 };
    peel_law(at, N, K, law);
}

/* k exponential mechanisms, each over what is left. */
static void peel(const jali_rate *r, jali_dice *d, size_t winner[K])
{
    size_t who[N];
    for (size_t i = 0; i < N; i++) who[i] = i;
    for (size_t n = N, j = 0; j < K; j++, n--) {
        int64_t left[N];
        size_t at;
        for (size_t i = 0; i < n; i++) left[i] = five[who[i]];
        CHECK_OK(jali_select_draw(r, left, n, d, &at));
        winner[j] = who[at];
        who[at] = who[n - 1];
    }
}

static void count(const char *rate, size_t draws, bool peeled, bool doubt, uint64_t *seen)
{
    mpq_t q;
    jali_rate r;
    jali_dice *d = seeded_dice(peeled ? 6 : 7);
    d->doubt = doubt;
    rational(q, rate);
    CHECK_OK(jali_rate_init(&r, q, NULL));
    for (size_t i = 0; i < draws; i++) {
        size_t winner[K];
        if (peeled)
            peel(&r, d, winner);
        else
            CHECK_OK(jali_topk_draw(&r, five, N, K, d, winner, NULL));
        seen[outcome(winner)]++;
    }
    jali_rate_clear(&r);
    jali_dice_free(d);
    mpq_clear(q);
}

SENTENCE(the_order_of_winners_follows_the_law)
{
    UNUSED_STATE;
    double law[OUTCOMES];
    uint64_t seen[OUTCOMES] = { 0 }, doubted[OUTCOMES] = { 0 };
    five_law(0.5, law);
    count("1/2", 100000, false, false, seen);
    CHECK(chi_fits(seen, law, OUTCOMES));
    count("1/2", 10000, false, true, doubted);
    CHECK(chi_fits(doubted, law, OUTCOMES));
}

SENTENCE(one_shot_equals_peeling)
{
    UNUSED_STATE;
    uint64_t once[OUTCOMES] = { 0 }, peeled[OUTCOMES] = { 0 };
    count("1/2", 100000, false, false, once);
    count("1/2", 100000, true, false, peeled);
    CHECK(chi_same(once, peeled, OUTCOMES));
}

SENTENCE(a_rate_off_by_five_percent_is_refused)
{
    UNUSED_STATE;
    double law[OUTCOMES];
    uint64_t seen[OUTCOMES] = { 0 };
    five_law(1, law);
    count("21/20", 100000, false, false, seen);
    CHECK(!chi_fits(seen, law, OUTCOMES));
}

/* Over several blocks: 9000 candidates of three kinds; the kinds of the first three. */
static bool long_race_follows(double claimed)
{
    enum { LONG = 9000 };
    mpq_t q;
    jali_rate r;
    jali_dice *d = seeded_dice(15);
    static int64_t score[LONG];
    uint64_t seen[27] = { 0 };
    double law[27], size[3] = { 0 };
    for (size_t i = 0; i < LONG; i++) {
        size_t kind = i % 1000 == 7 ? 2 : i % 10 == 3 ? 1 : 0;
        score[i] = (int64_t)kind * 3;
        size[kind]++;
    }
    rational(q, "1");
    CHECK_OK(jali_rate_init(&r, q, NULL));
    for (int i = 0; i < 4000; i++) {
        size_t w[3];
        CHECK_OK(jali_topk_draw(&r, score, LONG, 3, d, w, NULL));
        CHECK(w[0] != w[1] && w[1] != w[2] && w[0] != w[2]);
        seen[score[w[0]] * 3 + score[w[1]] + score[w[2]] / 3]++;
    }
    peel_law((peel_class[]){ { 0, size[0] }, { claimed, size[1] }, { 2 * claimed, size[2] } },
             3, 3, law);
    jali_rate_clear(&r);
    jali_dice_free(d);
    mpq_clear(q);
    return chi_fits(seen, law, 27);
}

SENTENCE(many_blocks_follow_the_law)
{
    UNUSED_STATE;
    CHECK(long_race_follows(3.0));
    CHECK(!long_race_follows(3.3)); /* and the test can say no */
}

/* Any cut into pieces, and the exact tier: the same words give the same winners. */
SENTENCE(pieces_and_the_exact_tier_find_the_same_winners)
{
    UNUSED_STATE;
    enum { LONG = 4500 };
    static int64_t score[LONG];
    mpq_t q;
    jali_rate r;
    rational(q, "1/7");
    CHECK_OK(jali_rate_init(&r, q, NULL));
    for (size_t i = 0; i < LONG; i++) score[i] = (int64_t)(i * 7919 % 31);
    for (size_t k = 1; k <= 65; k += 16) {
        size_t whole[65], n;
        jali_winner pieces[65];
        jali_dice *d = seeded_dice(k), *e = seeded_dice(k);
        jali_topk *t;
        e->doubt = k == 17;
        CHECK_OK(jali_topk_draw(&r, score, LONG, k, d, whole, NULL));
        CHECK_OK(jali_topk_new(&t, &r, k, NULL));
        for (size_t at = 0, step = 1; at < LONG; at += step, step = step * 2 + 1) {
            if (step > LONG - at) step = LONG - at;
            CHECK_OK(jali_topk_offer(t, e, score + at, step));
        }
        CHECK_OK(jali_topk_finish(t, e, pieces, &n));
        assert_int_equal(n, k);
        for (size_t i = 0; i < k; i++) {
            CHECK(!pieces[i].grouped);
            assert_int_equal(pieces[i].index, whole[i]);
        }
        CHECK(jali_topk_finish(t, e, pieces, &n) == JALI_E_USAGE); /* once */
        jali_topk_free(t);
        jali_dice_free(d);
        jali_dice_free(e);
    }
    jali_rate_clear(&r);
    mpq_clear(q);
}

/* Winners are distinct, there are min(k, n) of them, and a clear order comes out. */
SENTENCE(all_sizes_to_65_give_an_order)
{
    UNUSED_STATE;
    mpq_t q;
    jali_rate r;
    jali_dice *d = seeded_dice(1);
    int64_t score[65];
    for (size_t i = 0; i < 65; i++) score[i] = (int64_t)i * 1000;
    rational(q, "1");
    CHECK_OK(jali_rate_init(&r, q, NULL));
    for (size_t n = 0; n <= 65; n++) {
        size_t winner[70];
        for (size_t i = 0; i < 70; i++) winner[i] = 77;
        CHECK_OK(jali_topk_draw(&r, score, n, 65, d, winner, NULL));
        for (size_t i = 0; i < n; i++) assert_int_equal(winner[i], n - 1 - i);
        assert_int_equal(winner[n], 77);
    }
    jali_rate_clear(&r);
    jali_dice_free(d);
    mpq_clear(q);
}

SENTENCE(extreme_scores_are_exact)
{
    UNUSED_STATE;
    static const struct {
        const char *rate;
        double scaled;
    } cases[] = { { "0", 0 }, { "1/9223372036854775808", 1 }, { "65536", 1e9 } };
    const int64_t ends[] = { INT64_MIN, 0, INT64_MAX };
    for (size_t c = 0; c < 3; c++) {
        mpq_t q;
        jali_rate r;
        jali_dice *d = seeded_dice(c);
        uint64_t seen[9] = { 0 };
        double law[9], x = cases[c].scaled;
        rational(q, cases[c].rate);
        CHECK_OK(jali_rate_init(&r, q, NULL));
        for (int i = 0; i < 20000; i++) {
            size_t w[2];
            CHECK_OK(jali_topk_draw(&r, ends, 3, 2, d, w, NULL));
            seen[w[0] * 3 + w[1]]++;
        }
        peel_law((peel_class[]){ { -x, 1 }, { 0, 1 }, { x, 1 } }, 3, 2, law);
        CHECK(chi_fits(seen, law, 9));
        jali_rate_clear(&r);
        jali_dice_free(d);
        mpq_clear(q);
    }
}

/* Who wins, when the first words are forged? Drawn from the end of the pool. */
static size_t forged_winner(const char *rate, const int64_t *score, size_t n, uint64_t seed,
                            const uint64_t *word)
{
    mpq_t q;
    jali_rate r;
    jali_dice *d = seeded_dice(seed);
    size_t winner;
    uint64_t first;
    rational(q, rate);
    CHECK_OK(jali_rate_init(&r, q, NULL));
    CHECK_OK(jali_dice_word(d, &first));
    for (size_t i = 0; i < n; i++) d->pool->word[d->pool->left - 1 - i] = word[i];
    CHECK_OK(jali_topk_draw(&r, score, n, 1, d, &winner, NULL));
    jali_rate_clear(&r);
    jali_dice_free(d);
    mpq_clear(q);
    return winner;
}

/* Words 0 and all ones are the ends of what a uniform can be: a key known on one side. */
SENTENCE(the_ends_of_a_uniform_are_looked_at)
{
    UNUSED_STATE;
    const uint64_t word[] = { UINT64_MAX, UINT64_C(1) << 63, 0, 1 };
    CHECK(forged_winner("1", (int64_t[]){ 0, 0, 0, 0 }, 4, 1, word) == 2);
    CHECK(forged_winner("1", (int64_t[]){ 100, 0, 0, 0 }, 4, 1, word) == 0);
}

/* Uniforms that agree so far, or that the scores bring so close that their further bits
 * decide (once in eight for the second): both must be able to win. */
SENTENCE(keys_too_close_to_tell_draw_more_bits)
{
    UNUSED_STATE;
    unsigned tied = 0, close = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        const uint64_t same[] = { 12345, 12345 }, next[] = { 1000, 1001 };
        tied += forged_winner("1", (int64_t[]){ 0, 0 }, 2, seed, same) == 0;
        close += forged_winner("1/2000", (int64_t[]){ 0, 1 }, 2, seed, next) == 1;
    }
    CHECK(tied > 20 && tied < 80);
    CHECK(close > 1 && close < 40);
}

SENTENCE(a_foolish_k_is_refused)
{
    UNUSED_STATE;
    mpq_t q;
    jali_rate r;
    jali_topk *t;
    jali_err err;
    rational(q, "1");
    CHECK_OK(jali_rate_init(&r, q, NULL));
    CHECK(jali_topk_new(&t, &r, 0, &err) == JALI_E_USAGE);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "k must be");
    CHECK(jali_topk_new(&t, &r, JALI_TOPK_MAX + 1, &err) == JALI_E_USAGE);
    jali_rate_clear(&r);
    mpq_clear(q);
}

RUN_ALL(TEST(the_order_of_winners_follows_the_law), TEST(one_shot_equals_peeling),
        TEST(a_rate_off_by_five_percent_is_refused), TEST(many_blocks_follow_the_law),
        TEST(pieces_and_the_exact_tier_find_the_same_winners),
        TEST(all_sizes_to_65_give_an_order), TEST(extreme_scores_are_exact),
        TEST(the_ends_of_a_uniform_are_looked_at), TEST(keys_too_close_to_tell_draw_more_bits),
        TEST(a_foolish_k_is_refused))
