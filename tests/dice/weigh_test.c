/* Refutes dice.weigh if it can: both tiers against the weights, and weights far apart. */
#include "dice/weigh.h"
#include "support/chi.h"
#include "support/seeded_dice.h"
#include "unit.h"

enum { N = 9, DRAWS = 60000 };

static const double share[N] = { 1, 3, 0, 2.5, 1e-3, 7, 0.5, 0, 4 };

/* The weights of `share`, moved by an exponent, as wide numbers. */
static void set_weights(jali_wide *w, double move, double tilt)
{
    for (size_t i = 0; i < N; i++) {
        double m = share[i] + (i == 5 ? tilt : 0);
        w[i] = m == 0  ? jali_wide_zero()
               : m < 1 ? (jali_wide){ m * 0x1p256, move - 1 }
                       : (jali_wide){ m, move };
    }
}

static bool follows_law(bool doubt, double move, double tilt, int draws)
{
    jali_dice *d = seeded_dice(31);
    jali_wide w[N];
    uint64_t seen[N] = { 0 };
    double law[N], sum = 0;
    d->doubt = doubt;
    set_weights(w, move, tilt);
    for (size_t i = 0; i < N; i++) sum += share[i];
    for (size_t i = 0; i < N; i++) law[i] = share[i] / sum;
    for (int i = 0; i < draws; i++) {
        size_t at;
        CHECK_OK(jali_weigh_draw(w, N, d, &at));
        seen[at]++;
    }
    CHECK(seen[2] == 0 && seen[7] == 0);
    jali_dice_free(d);
    return chi_fits(seen, law, N);
}

/* A true law is refused with probability 1e-6 (support/chi.h); seeds are fixed. */
SENTENCE(winners_come_as_often_as_they_weigh)
{
    UNUSED_STATE; /* dice.weigh */
    CHECK(follows_law(false, 0, 0, DRAWS));
    CHECK(follows_law(false, -123456789, 0, DRAWS));
    CHECK(follows_law(true, -77, 0, 8000));
}

SENTENCE(the_tester_refuses_a_weight_that_is_off)
{
    UNUSED_STATE;
    CHECK(!follows_law(false, 0, 0.6, DRAWS));
}

SENTENCE(both_tiers_agree_word_for_word)
{
    UNUSED_STATE;
    jali_dice *a = seeded_dice(7), *b = seeded_dice(7);
    jali_wide w[N];
    b->doubt = true;
    set_weights(w, -5, 0);
    for (int i = 0; i < 2000; i++) {
        size_t x, y;
        CHECK_OK(jali_weigh_draw(w, N, a, &x));
        CHECK_OK(jali_weigh_draw(w, N, b, &y));
        CHECK(x == y);
    }
    jali_dice_free(a);
    jali_dice_free(b);
}

SENTENCE(what_weighs_2_to_the_minus_100000_is_still_asked_about)
{
    UNUSED_STATE;
    jali_dice *d = seeded_dice(8);
    size_t at;
    jali_wide far[3] = { { 5, -400 }, { 2, 0 }, { 9, -1e6 } };
    for (int i = 0; i < 1000; i++) {
        CHECK_OK(jali_weigh_draw(far, 3, d, &at));
        CHECK(at == 1);
    }
    jali_wide alone[2] = { jali_wide_zero(), { 1, -1e9 } };
    CHECK_OK(jali_weigh_draw(alone, 2, d, &at));
    CHECK(at == 1);
    CHECK(jali_weigh_draw(alone, 1, d, &at) == JALI_E_USAGE);
    jali_dice_free(d);
}

SENTENCE(dice_that_fail_write_nothing)
{
    UNUSED_STATE;
    jali_wide w[N];
    size_t at = 77;
    jali_dice *d = failing_dice(1, 1);
    set_weights(w, 0, 0);
    CHECK(jali_weigh_draw(w, N, d, &at) == JALI_E_ENTROPY);
    CHECK(at == 77);
    jali_dice_free(d);
}

RUN_ALL(TEST(winners_come_as_often_as_they_weigh),
        TEST(the_tester_refuses_a_weight_that_is_off), TEST(both_tiers_agree_word_for_word),
        TEST(what_weighs_2_to_the_minus_100000_is_still_asked_about),
        TEST(dice_that_fail_write_nothing))
