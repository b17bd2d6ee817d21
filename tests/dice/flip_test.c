/* Refutes dice.flip if it can: law, exact tier, oracle, and the exponential mechanism in
 * its clothes. */
#include "dice/flip.h"
#include "dice/laws.h"
#include "dice/select.h"
#include "support/oracle.h"
#include "unit.h"

enum { DRAWS = 60000, MOST = 6 };

typedef jali_status choose_fn(const jali_rate *, const int64_t *, size_t, jali_dice *,
                              size_t *);

/* The Law line of the card, subset by subset. */
static void flip_law(double rate, const int64_t *score, size_t n, double *law)
{
    double a[MOST], best = -INFINITY;
    for (size_t i = 0; i < n; i++) best = fmax(best, (double)score[i]);
    for (size_t i = 0; i < n; i++) a[i] = exp(rate * ((double)score[i] - best));
    for (size_t i = 0; i < n; i++) {
        law[i] = 0;
        for (unsigned set = 0; set < 1u << n; set++) {
            double term = a[i];
            int size = 0;
            if (set >> i & 1) continue;
            for (size_t j = 0; j < n; j++)
                if (set >> j & 1) {
                    term *= -a[j];
                    size++;
                }
            law[i] += term / (size + 1);
        }
    }
}

static bool follows(choose_fn *choose, const char *rate, const int64_t *score, size_t n,
                    bool doubt)
{
    mpq_t q;
    jali_rate r;
    jali_dice *d = seeded_dice(13);
    uint64_t seen[MOST] = { 0 };
    double law[MOST];
    d->doubt = doubt;
    rational(q, rate);
    CHECK_OK(jali_rate_init(&r, q, NULL));
    for (size_t i = 0; i < (doubt ? DRAWS / 20 : DRAWS); i++) {
        size_t winner = SIZE_MAX;
        CHECK_OK(choose(&r, score, n, d, &winner));
        seen[winner]++;
    }
    flip_law(mpq_get_d(q), score, n, law);
    jali_rate_clear(&r);
    jali_dice_free(d);
    mpq_clear(q);
    return chi_fits(seen, law, n);
}

static const int64_t mixed[] = { 3, 0, 3, 1, -4, 2 };

SENTENCE(the_winner_follows_the_law)
{
    UNUSED_STATE;
    CHECK(follows(jali_flip_draw, "1/2", mixed, 6, false));
    CHECK(follows(jali_flip_draw, "1/2", mixed, 6, true));
    CHECK(follows(jali_flip_draw, "0", mixed, 6, false));
    CHECK(follows(jali_flip_draw, "2", mixed, 1, false));
}

SENTENCE(extreme_scores_are_exact)
{
    UNUSED_STATE;
    const int64_t ends[] = { INT64_MIN, 0, INT64_MAX };
    CHECK(follows(jali_flip_draw, "1/9223372036854775808", ends, 3, false));
    CHECK(follows(jali_flip_draw, "65536", ends, 3, false));
}

SENTENCE(the_exponential_mechanism_sold_as_permute_and_flip_is_refused)
{
    UNUSED_STATE;
    CHECK(!follows(jali_select_draw, "1/2", mixed, 6, false));
}

SENTENCE(the_exact_tier_chooses_the_same_winners)
{
    UNUSED_STATE;
    mpq_t q;
    jali_rate r;
    jali_dice *fast = seeded_dice(2), *slow = seeded_dice(2);
    int64_t score[65];
    slow->doubt = true;
    for (size_t i = 0; i < 65; i++) score[i] = (int64_t)(i * 31 % 17);
    rational(q, "1/9");
    CHECK_OK(jali_rate_init(&r, q, NULL));
    for (size_t n = 1; n <= 65; n++)
        for (int j = 0; j < 5; j++) {
            size_t a, b;
            CHECK_OK(jali_flip_draw(&r, score, n, fast, &a));
            CHECK_OK(jali_flip_draw(&r, score, n, slow, &b));
            assert_int_equal(a, b);
        }
    jali_rate_clear(&r);
    jali_dice_free(fast);
    jali_dice_free(slow);
    mpq_clear(q);
}

SENTENCE(permute_and_flip_as_printed_agrees)
{
    UNUSED_STATE;
    mpq_t q;
    jali_dice *d = seeded_dice(23);
    uint64_t seen[MOST] = { 0 };
    double law[MOST];
    rational(q, "1/2");
    for (int i = 0; i < DRAWS; i++) seen[oracle_flip(d, q, mixed, 6)]++;
    flip_law(0.5, mixed, 6, law);
    CHECK(chi_fits(seen, law, 6));
    mpq_clear(q);
    jali_dice_free(d);
}

RUN_ALL(TEST(the_winner_follows_the_law), TEST(extreme_scores_are_exact),
        TEST(the_exponential_mechanism_sold_as_permute_and_flip_is_refused),
        TEST(the_exact_tier_chooses_the_same_winners), TEST(permute_and_flip_as_printed_agrees))
