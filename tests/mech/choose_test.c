/* Refutes choose.exponential and choose.flip if it can: laws, prices, refusals, the range. */
#include "mech/choose.h"
#include "mech/receipt.h"
#include "score/open.h"
#include "support/chi.h"
#include "support/seeded_dice.h"
#include "unit.h"
#include <math.h>
#include <stdlib.h>

enum { N = 4, DRAWS = 60000 };
static const int64_t score[N] = { 3, 0, 2, -1 };
static const jali_scores scores = { N, score, 2, 1 }; /* eps 3/2 and range 2: rate 3/4 */
static const double rate = 0.75;

static jali_chooser *chooser(jali_choice how, size_t k)
{
    jali_chooser *c = NULL;
    mpq_t eps;
    mpq_init(eps);
    mpq_set_ui(eps, 3, 2);
    CHECK_OK(jali_chooser_new(&c, how, eps, k, NULL));
    mpq_clear(eps);
    return c;
}

/* How often each winner, or ordered pair of winners, came up. */
static void sample(jali_choice how, size_t k, uint64_t seen[N * N])
{
    jali_chooser *c = chooser(how, k);
    jali_dice *dice = seeded_dice(20261116);
    memset(seen, 0, N * N * sizeof *seen);
    for (int i = 0; i < DRAWS; i++) {
        size_t winner[2] = { 0, 0 }, n;
        jali_charge paid = receipt(jali_chooser_loss(c));
        CHECK_OK(jali_choose(c, &scores, &paid, dice, winner, &n, NULL));
        CHECK(n == k && used_up(&paid));
        seen[k == 1 ? winner[0] : winner[0] * N + winner[1]]++;
    }
    jali_dice_free(dice);
    jali_chooser_free(c);
}

static void exponential_law(double law[N])
{
    double z = 0;
    for (int i = 0; i < N; i++) z += law[i] = exp(rate * (double)score[i]);
    for (int i = 0; i < N; i++) law[i] /= z;
}

/* Permute-and-flip as printed, over all orders: the first accepted wins. */
static void flip_law(double law[N])
{
    int orders = 0;
    for (int i = 0; i < N; i++) law[i] = 0;
    for (int code = 0; code < N * N * N * N; code++) {
        int order[N] = { code % N, code / N % N, code / N / N % N, code / N / N / N }, used = 0;
        for (int i = 0; i < N; i++) used |= 1 << order[i];
        if (used != (1 << N) - 1) continue;
        double reached = 1;
        for (int i = 0; i < N; i++) {
            double p = exp(rate * (double)(score[order[i]] - 3));
            law[order[i]] += reached * p;
            reached *= 1 - p;
        }
        orders++;
    }
    for (int i = 0; i < N; i++) law[i] /= orders;
}

SENTENCE(one_winner_follows_the_exponential_law)
{
    UNUSED_STATE;
    uint64_t seen[N * N];
    double law[N];
    exponential_law(law);
    sample(JALI_CHOICE_EXPONENTIAL, 1, seen);
    CHECK(chi_fits(seen, law, N));
}

SENTENCE(two_winners_are_two_peeled_mechanisms)
{
    UNUSED_STATE;
    uint64_t seen[N * N];
    double one[N], law[N * N];
    exponential_law(one);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            law[i * N + j] = i == j ? 0 : one[i] * one[j] / (1 - one[i]);
    sample(JALI_CHOICE_EXPONENTIAL, 2, seen);
    CHECK(chi_fits(seen, law, N * N));
}

SENTENCE(flip_follows_its_own_law_and_is_refused_as_exponential)
{
    UNUSED_STATE;
    uint64_t seen[N * N];
    double flip[N], exponential[N];
    flip_law(flip);
    exponential_law(exponential);
    sample(JALI_CHOICE_FLIP, 1, seen);
    CHECK(chi_fits(seen, flip, N));
    CHECK(!chi_fits(seen, exponential, N)); /* the twin: sold as what it is not */
}

static jali_loss price(jali_choice how, size_t k)
{
    jali_chooser *c = chooser(how, k);
    jali_loss loss = jali_chooser_loss(c);
    jali_chooser_free(c);
    return loss;
}

SENTENCE(each_way_has_its_own_price)
{
    UNUSED_STATE;
    const uint64_t pico = 1000000000000u;
    jali_loss one = price(JALI_CHOICE_EXPONENTIAL, 1),
              three = price(JALI_CHOICE_EXPONENTIAL, 3), flip = price(JALI_CHOICE_FLIP, 1);
    CHECK(one.eps_pico == 3 * pico / 2 && one.rho_pico == 9 * pico / 32);
    CHECK(three.eps_pico == 9 * pico / 2 && three.rho_pico == 27 * pico / 32);
    CHECK(flip.eps_pico == 3 * pico / 2 && flip.rho_pico == 9 * pico / 8);
}

SENTENCE(what_is_not_paid_is_not_drawn)
{
    UNUSED_STATE;
    jali_chooser *c = chooser(JALI_CHOICE_EXPONENTIAL, 1);
    jali_dice *dice = seeded_dice(1);
    jali_loss less = jali_chooser_loss(c);
    less.rho_pico--;
    jali_charge paid = receipt(less);
    size_t winner = 77, n = 77;
    uint64_t before = dice->pool->left;
    CHECK(jali_choose(c, &scores, &paid, dice, &winner, &n, NULL) == JALI_E_INTERNAL);
    CHECK(winner == 77 && n == 77 && dice->pool->left == before);
    jali_dice_free(dice);
    jali_chooser_free(c);
}

SENTENCE(failed_dice_release_nothing_and_the_charge_stands)
{
    UNUSED_STATE;
    jali_chooser *c = chooser(JALI_CHOICE_FLIP, 1);
    jali_dice *dice = failing_dice(1, 1);
    jali_charge paid = receipt(jali_chooser_loss(c));
    size_t winner = 77, n = 77;
    jali_err err;
    CHECK(jali_choose(c, &scores, &paid, dice, &winner, &n, &err) == JALI_E_ENTROPY);
    CHECK_REFUSED(err, JALI_E_ENTROPY, JALI_FOR_ANALYST, "the charge stands");
    CHECK(winner == 77 && n == 77 && used_up(&paid));
    jali_dice_free(dice);
    jali_chooser_free(c);
}

SENTENCE(nothing_to_choose_from_costs_nothing)
{
    UNUSED_STATE;
    jali_chooser *c = chooser(JALI_CHOICE_EXPONENTIAL, 1);
    jali_dice *dice = seeded_dice(1);
    jali_charge paid = receipt(jali_chooser_loss(c));
    jali_scores none = { 0 };
    size_t winner, n;
    CHECK(jali_choose(c, &none, &paid, dice, &winner, &n, NULL) == JALI_E_USAGE);
    CHECK(!used_up(&paid));
    mpq_t zero;
    mpq_init(zero);
    jali_chooser *bad = NULL;
    CHECK(jali_chooser_new(&bad, JALI_CHOICE_FLIP, zero, 1, NULL) == JALI_E_USAGE);
    mpq_set_ui(zero, 1, 1);
    CHECK(jali_chooser_new(&bad, JALI_CHOICE_FLIP, zero, 2, NULL) == JALI_E_USAGE);
    CHECK(jali_chooser_new(&bad, JALI_CHOICE_EXPONENTIAL, zero, 0, NULL) == JALI_E_USAGE);
    CHECK(bad == NULL);
    mpq_clear(zero);
    jali_dice_free(dice);
    jali_chooser_free(c);
}

/* The largest |ln P'/P| over scores in {0, -40} and changes in {0, 1}: range 1. */
static double worst_loss(double r)
{
    double worst = 0;
    for (int s = 0; s < 8; s++)
        for (int d = 0; d < 8; d++) {
            double z = 0, w = 0;
            for (int i = 0; i < 3; i++) {
                z += exp(-40.0 * (s >> i & 1) * r);
                w += exp((-40.0 * (s >> i & 1) + (d >> i & 1)) * r);
            }
            for (int i = 0; i < 3; i++)
                worst = fmax(worst, fabs(r * (d >> i & 1) - log(w / z)));
        }
    return worst;
}

SENTENCE(the_range_is_tight_one_percent_less_is_refuted)
{
    UNUSED_STATE;
    CHECK(worst_loss(1.0) <= 1.0 + 1e-12);
    CHECK(worst_loss(1.0 / 0.99) > 1.0);
}

RUN_ALL(TEST(one_winner_follows_the_exponential_law),
        TEST(two_winners_are_two_peeled_mechanisms),
        TEST(flip_follows_its_own_law_and_is_refused_as_exponential),
        TEST(each_way_has_its_own_price), TEST(what_is_not_paid_is_not_drawn),
        TEST(failed_dice_release_nothing_and_the_charge_stands),
        TEST(nothing_to_choose_from_costs_nothing),
        TEST(the_range_is_tight_one_percent_less_is_refuted))
