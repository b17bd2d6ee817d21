/* Refutes each.exponential if it can: laws, one price, refusals, failed dice; and computes the
 * loss of small tables exactly, person by person. */
#include "mech/each.h"
#include "mech/receipt.h"
#include "score/open.h"
#include "support/chi.h"
#include "support/seeded_dice.h"
#include "unit.h"
#include <math.h>

enum { DRAWS = 60000, VALUES = 3, GROUPS = 3 };
static const int64_t first[] = { 3, 0, 2 }, second[] = { -1, 1 };
/* eps 3/2: rates 3/4 and 1/2 */
static const jali_scores two[] = { { 3, first, 2, 1 }, { 2, second, 3, 3 } };
static const jali_score_groups groups = { 2, two };

static jali_each *each_of(unsigned long num, unsigned long den)
{
    jali_each *e = NULL;
    mpq_t eps;
    mpq_init(eps);
    mpq_set_ui(eps, num, den);
    CHECK_OK(jali_each_new(&e, eps, NULL));
    mpq_clear(eps);
    return e;
}

/* Do the pairs of winners follow independent laws of these rates? Chi-squared at 1e-9. */
static bool follows(double rate_a, double rate_b)
{
    jali_each *e = each_of(3, 2);
    jali_dice *dice = seeded_dice(5);
    uint64_t seen[6] = { 0 };
    double p[6], all = 0;
    for (int i = 0; i < DRAWS; i++) {
        size_t w[2];
        jali_charge paid = receipt(jali_each_loss(e));
        CHECK_OK(jali_choose_each(e, &groups, &paid, dice, w, NULL));
        CHECK(used_up(&paid));
        seen[w[0] * 2 + w[1]]++;
    }
    for (size_t i = 0; i < 6; i++)
        all += p[i] = exp(rate_a * (double)first[i / 2] + rate_b * (double)second[i % 2]);
    for (size_t i = 0; i < 6; i++) p[i] /= all;
    jali_dice_free(dice);
    jali_each_free(e);
    return chi_fits(seen, p, 6);
}

SENTENCE(each_group_follows_the_law_of_its_own_range)
{
    UNUSED_STATE;
    CHECK(follows(0.75, 0.5));
    CHECK(!follows(0.75, 0.75)); /* each.exponential with one range for all */
    CHECK(!follows(0.8, 0.5));
}

SENTENCE(all_groups_cost_as_much_as_one)
{
    UNUSED_STATE;
    jali_each *e = each_of(3, 2);
    jali_loss loss = jali_each_loss(e);
    CHECK(loss.eps_pico == 1500000000000u && loss.rho_pico == 281250000000u);
    jali_each_free(e);
}

/* The exact loss, on counts of modes: every group of `values` counts, a person with `rows` rows
 * placed in all ways, weights exp(eps count / range). Returns the worst ratio to eps. */
static double worst(double eps, unsigned rows, double range)
{
    const double counts[][VALUES] = { { 0, 0, 0 }, { 2, 0, 1 }, { 0, 5, 5 } };
    unsigned places = GROUPS * VALUES, at[4] = { 0 };
    double most = 0;
    for (;;) {
        double up = 0, down = 0;
        for (unsigned g = 0; g < GROUPS; g++) {
            double z = 0, zz = 0, hi = -INFINITY, lo = INFINITY, r[VALUES];
            for (unsigned v = 0; v < VALUES; v++) {
                double more = 0;
                for (unsigned k = 0; k < rows; k++) more += at[k] == g * VALUES + v;
                z += exp(eps * counts[g][v] / range);
                zz += exp(eps * (counts[g][v] + more) / range);
                r[v] = eps * more / range;
            }
            for (unsigned v = 0; v < VALUES; v++) {
                hi = fmax(hi, r[v] - log(zz / z));
                lo = fmin(lo, r[v] - log(zz / z));
            }
            up += hi;
            down += lo;
        }
        most = fmax(most, fmax(up, -down) / eps);
        unsigned k = 0;
        while (k < rows && ++at[k] == places) at[k++] = 0;
        if (k == rows) return most;
    }
}

SENTENCE(no_person_is_seen_beyond_eps)
{
    UNUSED_STATE;
    CHECK(worst(1, 1, 1) <= 1 && worst(6, 1, 1) > 0.99); /* tight for large eps */
    CHECK(worst(1, 3, 3) <= 1 && worst(8, 3, 3) <= 1);
    CHECK(worst(9, 3, 3 * 0.9) > 1); /* a range a tenth too small is refuted */
}

SENTENCE(what_is_not_paid_or_empty_is_not_drawn)
{
    UNUSED_STATE;
    jali_each *e = each_of(3, 2);
    jali_dice *dice = seeded_dice(1);
    const jali_scores none = { 0, first, 1, 1 };
    const jali_score_groups empty = { 1, &none };
    size_t w[2] = { 77, 77 };
    jali_loss less = jali_each_loss(e);
    jali_err err;
    jali_charge whole = receipt(less);
    less.rho_pico--;
    jali_charge paid = receipt(less);
    CHECK(jali_choose_each(e, &groups, &paid, dice, w, NULL) == JALI_E_INTERNAL);
    CHECK(jali_choose_each(e, &empty, &whole, dice, w, &err) == JALI_E_USAGE);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "nothing to choose from");
    CHECK(w[0] == 77 && !used_up(&whole));
    jali_dice_free(dice);
    jali_each_free(e);
}

SENTENCE(failed_dice_release_nothing_and_the_charge_stands)
{
    UNUSED_STATE;
    jali_each *e = each_of(3, 2);
    jali_dice *dice = failing_dice(1, 1);
    jali_charge paid = receipt(jali_each_loss(e));
    size_t w[2] = { 77, 77 };
    jali_err err;
    CHECK(jali_choose_each(e, &groups, &paid, dice, w, &err) == JALI_E_ENTROPY);
    CHECK_REFUSED(err, JALI_E_ENTROPY, JALI_FOR_ANALYST, "the charge stands");
    CHECK(w[0] == 77 && w[1] == 77 && used_up(&paid));
    jali_dice_free(dice);
    jali_each_free(e);
}

SENTENCE(a_price_of_nothing_is_refused)
{
    UNUSED_STATE;
    jali_each *e = NULL;
    mpq_t zero;
    mpq_init(zero);
    CHECK(jali_each_new(&e, zero, NULL) == JALI_E_USAGE && e == NULL);
    mpq_clear(zero);
}

RUN_ALL(TEST(each_group_follows_the_law_of_its_own_range), TEST(all_groups_cost_as_much_as_one),
        TEST(no_person_is_seen_beyond_eps), TEST(what_is_not_paid_or_empty_is_not_drawn),
        TEST(failed_dice_release_nothing_and_the_charge_stands),
        TEST(a_price_of_nothing_is_refused))
