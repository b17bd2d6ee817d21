/* Refutes split.range if it can: scores by the formulas of the paper, every row of small nodes,
 * and parameters whose price would not hold. */
#include "score/open.h"
#include "score/split.h"
#include "tally/open.h"
#include "unit.h"
#include <math.h>

enum { AXES = 2, CELLS = 12, M = 3 };

static jali_split split_of(unsigned long t, unsigned long t_den, unsigned long q,
                           unsigned long q_den, unsigned long alpha)
{
    mpq_t a, b, c;
    jali_split s;
    mpq_inits(a, b, c, NULL);
    mpq_set_ui(a, t, t_den);
    mpq_set_ui(b, q, q_den);
    mpq_set_ui(c, alpha, 1);
    mpq_canonicalize(a);
    mpq_canonicalize(b);
    CHECK_OK(jali_split_make(&s, a, b, c, NULL));
    mpq_clears(a, b, c, NULL);
    return s;
}

static const jali_score_groups *scores_of(const jali_split *s, int64_t *count, int64_t nu,
                                          jali_arena *arena)
{
    static const uint16_t low[AXES] = { 0, 3 }, high[AXES] = { CELLS, CELLS };
    jali_split_node node = { nu, low, high };
    jali_tally in = { .n = AXES * CELLS,
                      .cell = count,
                      .axes = 3,
                      .extent = { 1, AXES, CELLS },
                      .reach = { AXES * M, AXES * M, AXES * M, M } };
    const jali_score_groups *out;
    CHECK_OK(jali_score_splits(s, &in, &node, arena, &out, NULL));
    CHECK(out->n == 1 && out->group[0].n == jali_split_candidates(&node, AXES));
    return out;
}

/* f nu of the paper with depth: PRIVACY 4. */
static double by_formula(double t, double q, double alpha, double nu, double l, double r,
                         double cell)
{
    double z = fmin(fmin(l, r), nu / 2);
    double c = z <= nu * q ? t * z / (nu * q) : t + (1 - t) * (z - nu * q) / (nu * (0.5 - q));
    return nu * (c + alpha * fmax(0, 1 - cell / nu));
}

SENTENCE(scores_are_those_of_the_paper_with_depth)
{
    UNUSED_STATE;
    jali_arena arena = JALI_ARENA_INIT;
    jali_split s = split_of(3, 10, 1, 12, 5);
    int64_t count[AXES * CELLS] = { 100, 20, 0, 0, 300, 7, 0, 100, 13, 60, 0, 0 };
    count[CELLS + 5] = 600;
    const jali_scores *g = &scores_of(&s, count, 600, &arena)->group[0];
    CHECK(s.outer == 3600 && s.inner == 1680 && s.empty == 5000);
    for (uint32_t c = 1, i = 0; c < CELLS; c += 2, i++) {
        double l = 0, all = 0;
        for (uint32_t k = 0; k < CELLS; k++) {
            l += k < c ? (double)count[k] : 0;
            all += (double)count[k];
        }
        double f =
            by_formula(0.3, 1.0 / 12, 5, 600, l, all - l, (double)(count[c - 1] + count[c]));
        CHECK(fabs((double)g->score[i] - 1000 * f) < 1e-3 * fabs(1000 * f) + 1);
    }
    jali_arena_clear(&arena);
}

/* The widest range of change over all single rows, tables and released counts. */
static int64_t widest(const jali_split *s)
{
    int64_t most = 0;
    uint64_t seed = 88172645463325252u;
    for (int table = 0; table < 300; table++) {
        int64_t count[AXES * CELLS] = { 0 };
        for (int r = 0; r < 24; r++)
            for (int j = 0; j < AXES; j++) {
                seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
                size_t low = j == 1 ? 3 : 0;
                count[j * CELLS +
                      (int)(low + (seed >> 20) % 4 * (seed >> 40) % (CELLS - low))]++;
            }
        for (int64_t nu = 1; nu < 60; nu += 7)
            for (int cell = 0; cell < CELLS * CELLS; cell++) {
                int64_t more[AXES * CELLS], hi = INT64_MIN, lo = INT64_MAX;
                if (cell % CELLS < 3) continue; /* outside the node's box */
                memcpy(more, count, sizeof more);
                more[cell / CELLS]++;
                more[CELLS + cell % CELLS]++;
                jali_arena arena = JALI_ARENA_INIT;
                const jali_scores *a = &scores_of(s, count, nu, &arena)->group[0];
                const jali_scores *b = &scores_of(s, more, nu, &arena)->group[0];
                for (size_t i = 0; i < a->n; i++) {
                    int64_t d = b->score[i] - a->score[i];
                    CHECK(d >= -(int64_t)s->empty && d <= (int64_t)s->outer);
                    hi = d > hi ? d : hi;
                    lo = d < lo ? d : lo;
                }
                most = hi - lo > most ? hi - lo : most;
                CHECK(a->range == M * ((uint64_t)s->outer + s->empty));
                jali_arena_clear(&arena);
            }
    }
    return most;
}

/* split.range for one row is outer + empty; 1 % less is refuted. */
SENTENCE(one_row_moves_scores_with_the_range_that_is_claimed)
{
    UNUSED_STATE;
    jali_split s = split_of(3, 10, 1, 12, 5), linear = split_of(1, 2, 1, 4, 1);
    CHECK(widest(&s) == 8600);
    CHECK((double)widest(&s) > 0.99 * 8600);
    CHECK(widest(&linear) == linear.outer + linear.empty);
}

SENTENCE(candidates_are_the_middles_of_cells_inside_the_box)
{
    UNUSED_STATE;
    static const uint16_t low[AXES] = { 0, 3 }, high[AXES] = { 12, 9 };
    jali_split_node node = { 5, low, high };
    uint32_t axis, cell;
    CHECK(jali_split_candidates(&node, AXES) == 6 + 2); /* 1 .. 11, then 5 and 7 */
    jali_split_candidate(&node, AXES, 5, &axis, &cell);
    CHECK(axis == 0 && cell == 11);
    jali_split_candidate(&node, AXES, 6, &axis, &cell);
    CHECK(axis == 1 && cell == 5);
    jali_split_candidate(&node, AXES, 7, &axis, &cell);
    CHECK(axis == 1 && cell == 7);
}

SENTENCE(parameters_whose_price_would_not_hold_are_refused)
{
    UNUSED_STATE;
    static const double bad[][3] = { { 2, 0.25, 1 }, { 0.3, 0.2, 1 },  { 0.3, 0, 1 },
                                     { 1, 0.5, 1 },  { 0.3, 0.1, -1 }, { 0.3, 0.1, 1001 } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        mpq_t v[3];
        jali_split s;
        jali_err err;
        for (int k = 0; k < 3; k++) {
            mpq_init(v[k]);
            mpq_set_d(v[k], bad[i][k]);
        }
        CHECK(jali_split_make(&s, v[0], v[1], v[2], &err) == JALI_E_USAGE);
        CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "price would not hold");
        for (int k = 0; k < 3; k++) mpq_clear(v[k]);
    }
}

RUN_ALL(TEST(scores_are_those_of_the_paper_with_depth),
        TEST(one_row_moves_scores_with_the_range_that_is_claimed),
        TEST(candidates_are_the_middles_of_cells_inside_the_box),
        TEST(parameters_whose_price_would_not_hold_are_refused))
