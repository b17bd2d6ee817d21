/* Refutes pairs.laplace and pairs.gauss if it can: what one row moves, weighed by the noise
 * it stands behind; the law of that noise; refusals. */
#include "mech/pairs.h"
#include "mech/receipt.h"
#include "support/chi.h"
#include "support/seeded_dice.h"
#include "tally/open.h"
#include "unit.h"
#include <math.h>

enum { K = 4, A = 5, V = 3, LABELS = K + 1 };

typedef struct desk {
    int64_t cell[A][LABELS * V];
    jali_tally tally[A];
    const jali_tally *counts[A];
} desk;

static void seat(desk *d, uint64_t labels)
{
    for (size_t a = 0; a < A; a++) {
        for (size_t i = 0; i < LABELS * V; i++) d->cell[a][i] = (int64_t)(100 + 7 * i + a);
        d->tally[a] = (jali_tally){ .n = labels * V,
                                    .cell = d->cell[a],
                                    .axes = 2,
                                    .extent = { labels, V },
                                    .reach = { 1, 1, 1, 1 } };
        d->counts[a] = &d->tally[a];
    }
}

typedef struct made {
    jali_arena arena;
    jali_pairs pairs;
} made;

static void release(const jali_pairer *m, const jali_pairing *p, const desk *d, uint64_t seed,
                    made *out)
{
    jali_dice *dice = seeded_dice(seed);
    jali_charge paid = receipt(jali_pairer_loss(m));
    *out = (made){ 0 };
    CHECK_OK(jali_pairs_release(m, p, d->counts, &paid, dice, &out->arena, &out->pairs, NULL));
    CHECK(used_up(&paid));
    jali_dice_free(dice);
}

/* The same dice on both sides: noise cancels, and what is left is what the row moved. In eps:
 * sum |d| / scale; in rho: sum d^2 / (2 sigma^2). */
static double cost_of(const jali_pairing *p, const made *x, const made *y)
{
    double sum = 0;
    bool gauss = x->pairs.law == JALI_LAW_GAUSS;
    for (size_t i = 0; i < (size_t)p->clusters * p->each; i++)
        for (size_t v = 0; v < V; v++) {
            double d = (double)(y->pairs.inside[i][v] - x->pairs.inside[i][v]);
            sum +=
                gauss ? d * d / (2 * pow(x->pairs.scale_in, 2)) : fabs(d) / x->pairs.scale_in;
        }
    for (size_t i = 0; i < x->pairs.used; i++)
        for (size_t v = 0; x->pairs.beside[i] != NULL && v < V; v++) {
            double d = (double)(y->pairs.beside[i][v] - x->pairs.beside[i][v]);
            sum += gauss ? d * d / (2 * pow(x->pairs.scale_beside, 2))
                         : fabs(d) / x->pairs.scale_beside;
        }
    return sum;
}

/* Every cluster that a person's rows can join: never above the budget, and it is reached by
 * some. */
static void check_price(jali_elsewhere how, jali_law law, uint32_t each, bool everyone,
                        const uint32_t *chosen, uint32_t rows)
{
    jali_pairer *m;
    mpq_t budget;
    double most = 0;
    uint64_t labels = everyone ? K : LABELS;
    mpq_init(budget);
    mpq_set_ui(budget, 1, 5);
    CHECK_OK(jali_pairer_new(&m, how, law, budget, NULL));
    jali_pairing p = { K, each, A, chosen, rows, everyone };
    desk d, e;
    made x, y;
    seat(&d, labels);
    release(m, &p, &d, 9, &x);
    for (uint32_t c = 0; c < labels; c++) {
        seat(&e, labels);
        for (size_t a = 0; a < A; a++) e.cell[a][c * V + a % V] += rows;
        release(m, &p, &e, 9, &y);
        double cost = cost_of(&p, &x, &y);
        CHECK(cost <= 0.2 * (1 + 1e-12));
        most = fmax(most, cost);
        jali_arena_clear(&y.arena);
    }
    CHECK(most > 0.2 * (1 - 1e-9));
    jali_arena_clear(&x.arena);
    jali_pairer_free(m);
    mpq_clear(budget);
}

static const uint32_t apart[K] = { 0, 3, 1, 4 }, shared[K] = { 2, 2, 0, 2 },
                      alike[K] = { 1, 1, 1, 1 }, twice[2 * K] = { 0, 1, 1, 2, 0, 3, 1, 4 };

SENTENCE(one_row_moves_all_histograms_by_exactly_the_budget)
{
    UNUSED_STATE; /* pairs.laplace, pairs.gauss */
    const uint32_t *one[] = { apart, shared };
    for (int law = 0; law < 2; law++)
        for (int everyone = 0; everyone < 2; everyone++)
            for (int how = 0; how < 2; how++) {
                for (size_t i = 0; i < 2; i++)
                    check_price((jali_elsewhere)how, (jali_law)law, 1, everyone, one[i], 1);
                check_price((jali_elsewhere)how, (jali_law)law, 2, everyone, twice, 1);
                check_price((jali_elsewhere)how, (jali_law)law, 1, everyone, alike, 1);
            }
}

/* Mutant person-forgotten-elsewhere lived until this was here. */
SENTENCE(a_person_of_three_rows_moves_them_by_no_more)
{
    UNUSED_STATE; /* pairs.laplace, pairs.gauss */
    for (int law = 0; law < 2; law++)
        for (int how = 0; how < 2; how++) {
            check_price((jali_elsewhere)how, (jali_law)law, 1, true, shared, 3);
            check_price((jali_elsewhere)how, (jali_law)law, 2, false, twice, 3);
        }
}

SENTENCE(nobody_is_beside_when_one_attribute_explains_them_all)
{
    UNUSED_STATE;
    jali_pairer *m;
    mpq_t eps;
    desk d;
    made x;
    mpq_init(eps);
    mpq_set_ui(eps, 1, 2);
    seat(&d, K);
    CHECK_OK(jali_pairer_new(&m, JALI_ELSEWHERE_REST, JALI_LAW_LAPLACE, eps, NULL));
    release(m, &(jali_pairing){ K, 1, A, alike, 1, true }, &d, 3, &x);
    CHECK(x.pairs.used == 1 && x.pairs.which[0] == 1 && x.pairs.beside[0] == NULL);
    CHECK(fabs(x.pairs.scale_in - 2) < 1e-12);
    jali_arena_clear(&x.arena);
    jali_pairer_free(m);
    mpq_clear(eps);
}

/* Discrete Laplace of scale m/eps_in inside, tested by its law; `factor` is what the tester
 * believes the scale to be. False alarms 1e-6. */
static bool noise_fits(double factor, uint32_t rows)
{
    enum { EDGE = 40, BINS = 2 * EDGE + 1 };
    uint64_t seen[BINS] = { 0 };
    double law[BINS], sum = 0;
    jali_pairer *m;
    mpq_t eps;
    desk d;
    mpq_init(eps);
    mpq_set_ui(eps, 1, 1);
    seat(&d, K);
    CHECK_OK(jali_pairer_new(&m, JALI_ELSEWHERE_REST, JALI_LAW_LAPLACE, eps, NULL));
    jali_pairing p = { K, 1, A, shared, rows, true };
    double scale = 0;
    for (uint64_t seed = 1; seed <= 4000; seed++) {
        made x;
        release(m, &p, &d, seed, &x);
        scale = x.pairs.scale_in;
        for (size_t c = 0; c < K; c++)
            for (size_t v = 0; v < V; v++) {
                int64_t z = x.pairs.inside[c][v] - d.cell[shared[c]][c * V + v];
                z = z < -EDGE ? -EDGE : z > EDGE ? EDGE : z;
                seen[z + EDGE]++;
            }
        jali_arena_clear(&x.arena);
    }
    /* eps_in = eps / (1 + sqrt((a-1)/(K-1))), a = 2 */
    CHECK(fabs(scale / rows - (1 + sqrt(1.0 / 3))) < 1e-4);
    double q = exp(-1 / (scale * factor));
    for (int i = 0; i < BINS; i++) {
        int z = abs(i - EDGE);
        sum += law[i] = z == EDGE ? pow(q, z) / (1 + q) : (1 - q) / (1 + q) * pow(q, z);
    }
    CHECK(fabs(sum - 1) < 1e-9);
    jali_pairer_free(m);
    mpq_clear(eps);
    return chi_fits(seen, law, BINS);
}

SENTENCE(noise_inside_has_the_scale_of_the_split)
{
    UNUSED_STATE; /* pairs.laplace */
    CHECK(noise_fits(1, 1));
    CHECK(noise_fits(1, 3));
}

SENTENCE(the_tester_refuses_a_scale_that_is_off)
{
    UNUSED_STATE;
    CHECK(!noise_fits(1.05, 1));
}

/* Whether the noises of two cells are of one sign, over many runs: four bins, which pairs of
 * independent draws fill by the product of their laws. False alarms 1e-6. */
static bool are_apart(size_t c, size_t d)
{
    uint64_t seen[4] = { 0 };
    jali_pairer *m;
    mpq_t eps;
    desk table;
    mpq_init(eps);
    mpq_set_ui(eps, 1, 1);
    seat(&table, K);
    CHECK_OK(jali_pairer_new(&m, JALI_ELSEWHERE_REST, JALI_LAW_LAPLACE, eps, NULL));
    jali_pairing p = { K, 1, A, shared, 1, true };
    double scale = 0;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        made x;
        release(m, &p, &table, seed, &x);
        bool one = x.pairs.inside[c][0] > table.cell[shared[c]][c * V];
        bool two = x.pairs.inside[d][0] > table.cell[shared[d]][d * V];
        seen[2 * one + two]++;
        scale = x.pairs.scale_in;
        jali_arena_clear(&x.arena);
    }
    double q = exp(-1 / scale), up = q / (1 + q);
    double law[4] = { (1 - up) * (1 - up), (1 - up) * up, up * (1 - up), up * up };
    jali_pairer_free(m);
    mpq_clear(eps);
    return chi_fits(seen, law, 4);
}

SENTENCE(no_two_histograms_share_their_noise)
{
    UNUSED_STATE; /* pairs.laplace */
    CHECK(are_apart(0, 1) && are_apart(1, 3));
    CHECK(!are_apart(2, 2)); /* one noise for both is seen */
}

SENTENCE(nothing_is_drawn_that_was_not_paid)
{
    UNUSED_STATE;
    jali_pairer *m;
    jali_err err;
    jali_arena arena = { 0 };
    jali_pairs out = { .used = 77 };
    mpq_t eps;
    desk d;
    mpq_init(eps);
    CHECK(jali_pairer_new(&m, JALI_ELSEWHERE_REST, JALI_LAW_GAUSS, eps, &err) == JALI_E_USAGE);
    mpq_set_ui(eps, 1, 2);
    seat(&d, K);
    CHECK_OK(jali_pairer_new(&m, JALI_ELSEWHERE_REST, JALI_LAW_LAPLACE, eps, NULL));
    jali_pairing p = { K, 1, A, apart, 1, true };
    jali_charge none = receipt((jali_loss)JALI_LOSS_NONE);
    CHECK(jali_pairs_release(m, &p, d.counts, &none, NULL, &arena, &out, NULL) ==
          JALI_E_INTERNAL);
    jali_dice *dead = failing_dice(1, 3);
    jali_charge paid = receipt(jali_pairer_loss(m));
    CHECK(jali_pairs_release(m, &p, d.counts, &paid, dead, &arena, &out, &err) ==
          JALI_E_ENTROPY);
    CHECK_REFUSED(err, JALI_E_ENTROPY, JALI_FOR_ANALYST, "the charge stands");
    CHECK(out.used == 77);
    jali_dice_free(dead);
    jali_arena_clear(&arena);
    jali_pairer_free(m);
    mpq_clear(eps);
}

RUN_ALL(TEST(one_row_moves_all_histograms_by_exactly_the_budget),
        TEST(a_person_of_three_rows_moves_them_by_no_more),
        TEST(nobody_is_beside_when_one_attribute_explains_them_all),
        TEST(noise_inside_has_the_scale_of_the_split),
        TEST(the_tester_refuses_a_scale_that_is_off), TEST(no_two_histograms_share_their_noise),
        TEST(nothing_is_drawn_that_was_not_paid))
