/* Refutes shortlist.joint if it can: the law of the candidates, and their price. */
#include "mech/receipt.h"
#include "mech/shortlist.h"
#include "score/open.h"
#include "support/chi.h"
#include "support/seeded_dice.h"
#include "unit.h"
#include <math.h>

enum { K = 3, A = 4, DRAWS = 20000 };

static void make(jali_apart *apart, uint64_t *U, jali_apart_terms *terms)
{
    static const double at[K * A] = { 0, 1, 2, 3, 2, 2, 0, 0, 1, 3, 0, 1 };
    jali_apart_spec s = { .clusters = K,
                          .attributes = A,
                          .each = 1,
                          .block = K,
                          .rows_per_person = 1,
                          .interest = 1,
                          .sufficiency = 1,
                          .diversity = 0,
                          .kappa_num = 1,
                          .kappa_den = 1 };
    CHECK_OK(jali_apart_init(apart, &s, NULL));
    for (size_t i = 0; i < K * A; i++) U[i] = (uint64_t)(at[i] * (double)apart->range_sum);
    *terms = (jali_apart_terms){ apart, U, NULL };
}

/* k = 2, in order: P(a, b) ~ w_a w_b / (Z - w_a), w = exp(factor eps U / (2 range_sum)). */
static bool follows_law(uint32_t cluster, double factor)
{
    jali_apart apart;
    jali_apart_terms terms;
    jali_lister *m;
    uint64_t U[K * A], seen[A * A] = { 0 };
    double w[A], Z = 0, law[A * A] = { 0 };
    jali_dice *dice = seeded_dice(51 + cluster);
    mpq_t eps;
    mpq_init(eps);
    mpq_set_ui(eps, 3, 2);
    make(&apart, U, &terms);
    CHECK_OK(jali_lister_new(&m, &apart, 2, eps, NULL));
    for (int i = 0; i < DRAWS; i++) {
        jali_arena arena = { 0 };
        jali_shortlist list;
        jali_charge paid = receipt(jali_lister_loss(m));
        CHECK_OK(jali_shortlist_draw(m, &terms, &paid, dice, &arena, &list, NULL));
        CHECK(used_up(&paid) && list.k == 2);
        const uint32_t *mine = list.entry + (size_t)cluster * 2;
        seen[mine[0] * A + mine[1]]++;
        jali_arena_clear(&arena);
    }
    for (size_t a = 0; a < A; a++)
        Z += w[a] =
            exp(factor * 1.5 / 2 * (double)U[cluster * A + a] / (double)apart.range_sum);
    for (size_t a = 0; a < A; a++)
        for (size_t b = 0; b < A; b++)
            if (a != b) law[a * A + b] = w[a] / Z * w[b] / (Z - w[a]);
    jali_lister_free(m);
    jali_apart_clear(&apart);
    jali_dice_free(dice);
    mpq_clear(eps);
    return chi_fits(seen, law, A * A);
}

/* False alarms 1e-6 each (support/chi.h); seeds are fixed. */
SENTENCE(every_cluster_draws_its_candidates_at_the_common_scale)
{
    UNUSED_STATE; /* shortlist.joint */
    for (uint32_t c = 0; c < K; c++) CHECK(follows_law(c, 1));
}

SENTENCE(the_tester_refuses_a_scale_of_one_cluster_alone)
{
    UNUSED_STATE;
    CHECK(!follows_law(0, 1.1));
}

SENTENCE(all_clusters_together_cost_eps_and_the_joint_rho)
{
    UNUSED_STATE; /* shortlist.joint */
    jali_apart apart;
    jali_apart_terms terms;
    jali_lister *m;
    jali_err err;
    uint64_t U[K * A];
    mpq_t eps;
    mpq_init(eps);
    mpq_set_ui(eps, 1, 10);
    make(&apart, U, &terms);
    CHECK_OK(jali_lister_new(&m, &apart, 2, eps, NULL));
    jali_loss loss = jali_lister_loss(m);
    CHECK(loss.eps_pico == 100000000000 && !loss.eps_infinite);
    /* I = S = 1, K = 3: Q = 9 + 9 + 1 = 19, RS = 7: rho = 0.01 * 19/49 / 16 */
    CHECK(fabs((double)loss.rho_pico * 1e-12 - 0.01 * 19 / 49 / 16) < 1e-9);
    jali_lister_free(m);
    CHECK(jali_lister_new(&m, &apart, A + 1, eps, &err) == JALI_E_USAGE);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "5 candidates");
    mpq_set_ui(eps, 0, 1);
    CHECK(jali_lister_new(&m, &apart, 1, eps, &err) == JALI_E_USAGE);
    jali_apart_clear(&apart);
    mpq_clear(eps);
}

SENTENCE(nothing_is_drawn_that_was_not_paid)
{
    UNUSED_STATE;
    jali_apart apart;
    jali_apart_terms terms;
    jali_lister *m;
    jali_arena arena = { 0 };
    jali_shortlist list = { .k = 77 };
    uint64_t U[K * A];
    mpq_t eps;
    mpq_init(eps);
    mpq_set_ui(eps, 1, 10);
    make(&apart, U, &terms);
    CHECK_OK(jali_lister_new(&m, &apart, 2, eps, NULL));
    jali_charge none = receipt((jali_loss)JALI_LOSS_NONE);
    CHECK(jali_shortlist_draw(m, &terms, &none, NULL, &arena, &list, NULL) == JALI_E_INTERNAL);
    CHECK(list.k == 77);
    jali_arena_clear(&arena);
    jali_lister_free(m);
    jali_apart_clear(&apart);
    mpq_clear(eps);
}

RUN_ALL(TEST(every_cluster_draws_its_candidates_at_the_common_scale),
        TEST(the_tester_refuses_a_scale_of_one_cluster_alone),
        TEST(all_clusters_together_cost_eps_and_the_joint_rho),
        TEST(nothing_is_drawn_that_was_not_paid))
