/* Refutes explain.topk and explain.release if it can: laws of the choice, and idle predicates
 * that nobody listed. */
#include "budget/range.h"
#include "explain_bill.h"
#include "mech/receipt.h"
#include "support/chi.h"
#include "support/seeded_dice.h"
#include "tally/small.h"
#include <math.h>

/* ---- the choice ----------------------------------------------------------------------------
 */

enum { DRAWS = 25000, STEPS = 8000 };

/* How often each ordered pair was chosen. */
static void sample(jali_law law, const char *budget, uint64_t seen[N * N])
{
    bill b;
    bill_init(&b, budget, "1", "1");
    jali_explain_spec spec = spec_of(&b, law, JALI_RANKS_SHARED, 2, N, 90, 100);
    jali_explainer *x = explainer(&spec);
    jali_dice *dice = seeded_dice(123);
    memset(seen, 0, N * N * sizeof *seen);
    for (int i = 0; i < DRAWS; i++) {
        jali_arena arena = JALI_ARENA_INIT;
        jali_explained it;
        jali_charge paid = receipt(jali_explainer_loss(x));
        CHECK_OK(jali_explain_draw(x, &held, &paid, dice, &arena, &it, NULL));
        CHECK(it.k == 2 && used_up(&paid));
        seen[it.chosen[0] * N + it.chosen[1]]++;
        jali_arena_clear(&arena);
    }
    jali_dice_free(dice);
    jali_explainer_free(x);
    bill_clear(&b);
}

/* Two peeled exponential mechanisms with weights exp(e score/range). */
static void peeled(double e, double law[N * N])
{
    double w[N], all = 0;
    for (int i = 0; i < N; i++) all += w[i] = exp(e * (double)score[i] / 100);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            law[i * N + j] = i == j ? 0 : w[i] / all * w[j] / (all - w[i]);
}

/* The two largest of e score/range + exponential noise, integrated over the second key. */
static void two_largest(double e, double law[N * N])
{
    double all = 0, step = (e * 3 + 31) / STEPS;
    for (int i = 0; i < N * N; i++) {
        law[i] = 0;
        for (int s = 0; i / N != i % N && s < STEPS; s++) {
            double y = -e - 1 + (s + 0.5) * step, p = 1;
            for (int c = 0; c < N; c++) {
                double above = y - e * (double)score[c] / 100;
                double under = above > 0 ? 1 - exp(-above) : 0;
                p *= c == i / N   ? 1 - under
                     : c == i % N ? (above > 0 ? exp(-above) : 0)
                                  : under;
            }
            law[i] += p * step;
        }
        all += law[i];
    }
    for (int i = 0; i < N * N; i++) law[i] /= all;
}

SENTENCE(in_a_zcdp_vault_the_choice_is_two_exponential_mechanisms)
{
    UNUSED_STATE;
    uint64_t seen[N * N];
    double law[N * N];
    sample(JALI_LAW_GAUSS, "1/4", seen); /* e = sqrt(8/4/2) = 1 */
    peeled(1, law);
    CHECK(chi_fits(seen, law, N * N));
    peeled(1.1, law);
    CHECK(!chi_fits(seen, law, N * N));
}

SENTENCE(in_a_pure_vault_it_is_exponential_noise)
{
    UNUSED_STATE;
    uint64_t seen[N * N];
    double law[N * N];
    sample(JALI_LAW_LAPLACE, "2", seen); /* e = 1 for each of two */
    two_largest(1, law);
    CHECK(chi_fits(seen, law, N * N));
    peeled(1, law); /* the twin: what it must not be taken for */
    CHECK(!chi_fits(seen, law, N * N));
}

/* Exact loss of the pure choice between neighbours: at most 2 e when scores move within the
 * range, and more when they move by one percent more. */
SENTENCE(the_range_pays_for_the_pure_choice_and_one_percent_less_does_not)
{
    UNUSED_STATE;
    /* One winner of three, e = 1: P(i) = integral of exp noise; far ahead, ratio is e^range. */
    for (int more = 0; more < 2; more++) {
        double shift = more ? 1.01 : 1.0, lead = 3, p = 0, q = 0;
        for (double y = 5e-5; y < 40; y += 1e-4) {
            p += exp(-y) * (y > lead ? 1 - exp(-(y - lead)) : 0) * 1e-4;
            q += exp(-y) * (y > lead - shift ? 1 - exp(-(y - lead + shift)) : 0) * 1e-4;
        }
        double loss = log(q / p); /* the winner rises by `shift`, the leader stays */
        CHECK(more ? loss > 1.005 : loss <= 1 + 1e-4);
    }
}

/* ---- idle predicates
 * ------------------------------------------------------------------------- */

enum { ROWS = 40, LARGE = 1400 };

static const jali_groups groups = {
    .n_columns = 1, .column = { "c0" }, .domain = { 3 }, .n = 2, .code = { { 0 }, { 1 } }
};
static const jali_space_attribute large[] = { { .column = "c1", .domain = LARGE },
                                              { .column = "c2", .domain = LARGE } };

/* 40 rows. Ten of the fifteen of one group stand in one cell: its influence is 10 * 5/26 rows;
 * some predicates hardly matter, and 1.9 million match nothing. */
static void sparse_table(small *t)
{
    *t = (small){ .rows = ROWS, .seed = 3 };
    small_add(t, 3, 2);
    for (int c = 0; c < 3; c++) small_add(t, LARGE, 2);
    uint8_t *group = (void *)(uintptr_t)t->column[0].codes;
    for (size_t i = 0; i < ROWS; i++) {
        group[i] = i % 4 == 0 || i % 8 == 1;
        for (size_t c = 1; i % 4 == 0 && c < 4; c++)
            ((uint16_t *)(uintptr_t)t->column[c].codes)[i] = 77;
    }
    small_open(t);
}

typedef struct idle_run {
    small t;
    jali_arena arena;
    jali_influence influence;
    jali_study study;
    const jali_scores *scores;
} idle_run;

static void idle_open(idle_run *r)
{
    static const jali_space_spec spec = { 2, large, 2, 2, 0, NULL };
    jali_influence_spec s = {
        .of = JALI_INFLUENCE_COUNT, .groups = 2, .weight = { -1, 1 }, .rows_per_person = 1
    };
    *r = (idle_run){ .arena = JALI_ARENA_INIT };
    sparse_table(&r->t);
    CHECK_OK(jali_influence_grid(&s, 20, NULL));
    CHECK_OK(jali_influence_init(&r->influence, &s, NULL));
    r->study =
        (jali_study){ .columns = r->t.columns, .groups = &groups, .influence = &r->influence };
    CHECK_OK(jali_space_new(&r->study.space, &spec, &r->arena, NULL));
    CHECK(r->study.space->part[0].sparse);
    CHECK_OK(jali_study_check(&r->study, NULL));
    CHECK_OK(jali_study_scores(&r->study, &r->arena, &r->scores, NULL));
}

static void idle_close(idle_run *r)
{
    jali_arena_clear(&r->arena);
    small_free(&r->t);
}

/* Chosen among all, the active ones and eight equal stretches of idle numbers are met as often
 * as if each of the 1.9 million had been offered. */
SENTENCE(predicates_that_match_nothing_win_as_often_as_they_should)
{
    UNUSED_STATE;
    enum { BINS = 9, RUNS = 12000 };
    idle_run r;
    bill b;
    idle_open(&r);
    bill_init(&b, "11", "1", "1"); /* e^14.4 for the best against 1.9 million */
    uint64_t n = jali_space_size(r.study.space), seen[BINS] = { 0 };
    jali_explain_spec spec = spec_of(&b, JALI_LAW_GAUSS, JALI_RANKS_SHARED, 1, n,
                                     r.influence.sensitivity, r.influence.range);
    jali_explainer *x = explainer(&spec);
    jali_dice *dice = seeded_dice(21);
    for (int i = 0; i < RUNS; i++) {
        jali_arena arena = JALI_ARENA_INIT;
        jali_explained it;
        jali_charge paid = receipt(jali_explainer_loss(x));
        CHECK_OK(jali_explain_run(x, &r.study, &paid, dice, &arena, &it, NULL));
        CHECK(used_up(&paid) && it.chosen[0] < n);
        bool active = r.scores->score[it.chosen[0]] != 0;
        seen[active ? 8 : it.chosen[0] * 8 / n]++;
        jali_arena_clear(&arena);
    }
    double law[BINS] = { 0 }, all = 0, rate = mpq_get_d(x->eps_one) / (double)r.influence.range;
    for (uint64_t i = 0; i < n; i++) {
        double w = exp(rate * (double)r.scores->score[i]);
        law[r.scores->score[i] != 0 ? 8 : i * 8 / n] += w;
        all += w;
    }
    for (int i = 0; i < BINS; i++) law[i] /= all;
    CHECK(law[8] > 0.1 && law[8] < 0.9);
    CHECK(chi_fits(seen, law, BINS));
    double hole = law[3] * 0.5; /* the twin: half of one stretch forgotten */
    law[3] -= hole;
    law[8] += hole;
    CHECK(!chi_fits(seen, law, BINS));
    jali_dice_free(dice);
    jali_explainer_free(x);
    bill_clear(&b);
    idle_close(&r);
}

SENTENCE(nobody_wins_twice_and_ranks_count_the_idle)
{
    UNUSED_STATE;
    idle_run r;
    bill b;
    idle_open(&r);
    bill_init(&b, "1/1000", "2000", "1");
    uint64_t n = jali_space_size(r.study.space);
    jali_dice *dice = seeded_dice(22);
    for (int law = JALI_LAW_LAPLACE; law <= (int)JALI_LAW_GAUSS; law++) {
        jali_explain_spec spec = spec_of(&b, (jali_law)law, JALI_RANKS_SHARED, 200, n,
                                         r.influence.sensitivity, r.influence.range);
        jali_explainer *x = explainer(&spec);
        jali_arena arena = JALI_ARENA_INIT;
        jali_explained it;
        jali_charge paid = receipt(jali_explainer_loss(x));
        CHECK_OK(jali_explain_run(x, &r.study, &paid, dice, &arena, &it, NULL));
        for (size_t i = 0; i < it.k; i++)
            for (size_t j = 0; j < i; j++) CHECK(it.chosen[i] != it.chosen[j]);
        CHECK(it.n_ranks == 201 + 13 && it.rank[it.n_ranks - 1] == 1 << 20);
        /* Rank 2^20 of 1.9 million is an idle one: 0, and little noise with this budget. */
        double far = jali_explain_halfwidth(&it.noise, 1 - 1e-7);
        CHECK(fabs((double)it.at_rank[it.n_ranks - 1]) <= far);
        CHECK((double)it.at_rank[0] > 0.2 * (double)r.influence.sensitivity); /* 1.9 +- 0.32 */
        jali_arena_clear(&arena);
        jali_explainer_free(x);
    }
    jali_dice_free(dice);
    bill_clear(&b);
    idle_close(&r);
}

/* All 5! ways to take five ranks one after the other end in five different orders of all. */
SENTENCE(ranks_are_taken_one_to_one)
{
    UNUSED_STATE;
    unsigned seen[5 * 5 * 5 * 5 * 5] = { 0 }, orders = 0;
    for (unsigned code = 0; code < 120; code++) {
        uint64_t taken[5];
        unsigned c = code, order = 0, used = 0;
        for (unsigned n = 0; n < 5; n++) {
            uint64_t rank = jali_take_rank(taken, n, c % (5 - n));
            c /= 5 - n;
            order = order * 5 + (unsigned)rank;
            used |= 1u << rank;
            for (unsigned i = 0; i < n; i++) CHECK(taken[i] < taken[i + 1]);
        }
        CHECK(used == 31);
        orders += seen[order]++ == 0;
    }
    CHECK(orders == 120);
}

/* 1399^3 predicates, 2.7 10^9, of which 40 match somebody: no vector, no second. */
SENTENCE(more_than_ten_to_the_nine_predicates_are_no_trouble)
{
    UNUSED_STATE;
    idle_run r;
    bill b;
    idle_open(&r);
    static const jali_space_attribute three[] = { { .column = "c1", .domain = LARGE },
                                                  { .column = "c2", .domain = LARGE },
                                                  { .column = "c3", .domain = LARGE } };
    static const jali_space_spec long_ones = { 3, three, 3, 3, 0, NULL };
    CHECK_OK(jali_space_new(&r.study.space, &long_ones, &r.arena, NULL));
    CHECK_OK(jali_study_check(&r.study, NULL));
    bill_init(&b, "100", "100", "1");
    uint64_t n = jali_space_size(r.study.space);
    CHECK(n == UINT64_C(1399) * 1399 * 1399);
    jali_explain_spec spec = spec_of(&b, JALI_LAW_LAPLACE, JALI_RANKS_SHARED, 5, n,
                                     r.influence.sensitivity, r.influence.range);
    jali_explainer *x = explainer(&spec);
    jali_dice *dice = seeded_dice(77);
    jali_explained it;
    jali_charge paid = receipt(jali_explainer_loss(x));
    CHECK_OK(jali_explain_run(x, &r.study, &paid, dice, &r.arena, &it, NULL));
    jali_space_member m;
    jali_space_at(r.study.space, it.chosen[0], &m); /* eps 100: the best, but for e^-8 */
    CHECK(m.mark[0] == 77 && m.mark[1] == 77 && m.mark[2] == 77);
    CHECK(it.rank[it.n_ranks - 1] == UINT64_C(1) << 31);
    const jali_scores *none;
    CHECK(jali_study_scores(&r.study, &r.arena, &none, NULL) == JALI_E_USAGE);
    jali_dice_free(dice);
    jali_explainer_free(x);
    bill_clear(&b);
    idle_close(&r);
}

/* The same dice, rows or held scores: the same explanation, where every cell is listed. */
SENTENCE(a_run_over_rows_and_one_over_held_scores_are_the_same)
{
    UNUSED_STATE;
    idle_run r;
    bill b;
    idle_open(&r);
    static const jali_space_spec singles = { 2, large, 1, 1, 0, NULL };
    CHECK_OK(jali_space_new(&r.study.space, &singles, &r.arena, NULL));
    CHECK_OK(jali_study_scores(&r.study, &r.arena, &r.scores, NULL));
    bill_init(&b, "1/10", "1", "2");
    uint64_t n = jali_space_size(r.study.space);
    for (int ranks = JALI_RANKS_SHARED; ranks <= (int)JALI_RANKS_SEARCH; ranks++) {
        jali_explain_spec spec = spec_of(&b, JALI_LAW_GAUSS, (jali_ranks)ranks, 5, n,
                                         r.influence.sensitivity, r.influence.range);
        jali_explainer *x = explainer(&spec);
        jali_explained it[2];
        for (int rows = 0; rows < 2; rows++) {
            jali_dice *dice = seeded_dice(4);
            jali_charge paid = receipt(jali_explainer_loss(x));
            CHECK_OK(rows
                         ? jali_explain_run(x, &r.study, &paid, dice, &r.arena, &it[1], NULL)
                         : jali_explain_draw(x, r.scores, &paid, dice, &r.arena, &it[0], NULL));
            CHECK(used_up(&paid));
            jali_dice_free(dice);
        }
        for (size_t i = 0; i < 5; i++) {
            CHECK(it[0].chosen[i] == it[1].chosen[i]);
            CHECK(it[0].influence[i] == it[1].influence[i]);
            CHECK(ranks == JALI_RANKS_SHARED ||
                  (it[0].low[i] == it[1].low[i] && it[0].low[i] <= it[0].high[i]));
        }
        jali_explainer_free(x);
    }
    bill_clear(&b);
    idle_close(&r);
}

RUN_ALL(TEST(in_a_zcdp_vault_the_choice_is_two_exponential_mechanisms),
        TEST(in_a_pure_vault_it_is_exponential_noise),
        TEST(the_range_pays_for_the_pure_choice_and_one_percent_less_does_not),
        TEST(predicates_that_match_nothing_win_as_often_as_they_should),
        TEST(nobody_wins_twice_and_ranks_count_the_idle), TEST(ranks_are_taken_one_to_one),
        TEST(more_than_ten_to_the_nine_predicates_are_no_trouble),
        TEST(a_run_over_rows_and_one_over_held_scores_are_the_same))
