/* tests/score/crowd.h — groups of rows at the two ends of their bounds, and predicates.
 *
 * A predicate is any set of rows, so the cells of these tallies need not be a partition: each
 * says how many rows at the top and at the bottom value of each group it takes.
 */
#ifndef JALI_TESTS_SCORE_CROWD_H
#define JALI_TESTS_SCORE_CROWD_H

#include "score/open.h"
#include "tally/open.h"
#include "unit.h"
#include <stdlib.h>

enum { CROWD_GROUPS = 3, CROWD_MOST = 70000 };

typedef struct crowd {
    int64_t top[CROWD_GROUPS], bottom[CROWD_GROUPS];
} crowd;

static inline int64_t crowd_rows(const crowd *c, unsigned j)
{
    return c->top[j] + c->bottom[j];
}

static inline int64_t crowd_sum(const crowd *c, unsigned j, const jali_influence_spec *s)
{
    int64_t centre = (int64_t)s->centre;
    return c->top[j] * ((int64_t)s->codes - 1 - centre) - c->bottom[j] * centre;
}

/* Scores of n predicates over a population, by the function that is on trial. */
static inline void crowd_scores(const jali_influence *inf, const crowd *all, const crowd *p,
                                size_t n, int64_t *score)
{
    static int64_t count[CROWD_GROUPS * CROWD_MOST], sum[CROWD_GROUPS * CROWD_MOST];
    int64_t rows[CROWD_GROUPS], total[CROWD_GROUPS];
    const jali_influence_spec *s = &inf->spec;
    bool ones = s->of == JALI_INFLUENCE_COUNT;
    uint64_t m = s->rows_per_person, v = ones ? 0 : s->codes - 1 - s->centre;
    v = v > s->centre ? v : s->centre;
    CHECK(n <= CROWD_MOST && s->groups <= CROWD_GROUPS && s->nulls);
    for (unsigned j = 0; j < s->groups; j++) {
        rows[j] = crowd_rows(all, j);
        total[j] = ones ? 0 : crowd_sum(all, j, s);
        for (size_t i = 0; i < n; i++) {
            count[j * n + i] = crowd_rows(&p[i], j);
            sum[j * n + i] = ones ? 0 : crowd_sum(&p[i], j, s);
        }
    }
    jali_reach one = { .l1 = m }, many = { .l1 = m * v };
    jali_tally counts = { s->groups * n, count, 2, { s->groups, n }, one };
    jali_tally sums = { s->groups * n, sum, 2, { s->groups, n }, many };
    jali_tally ns = { s->groups, rows, 1, { s->groups }, one };
    jali_tally Ss = { s->groups, total, 1, { s->groups }, many };
    jali_arena arena = JALI_ARENA_INIT;
    const jali_influence_table *t;
    CHECK_OK(jali_influence_bind(&t, inf, &counts, ones ? NULL : &sums, &ns, ones ? NULL : &Ss,
                                 &arena, NULL));
    CHECK(jali_influence_predicates(t) == n);
    jali_influence_fill(t, 0, n, score);
    jali_arena_clear(&arena);
}

/* A question with its grid: low is L in steps, width is U - L. */
static inline jali_influence crowd_question(jali_influence_of of, unsigned groups,
                                            const int32_t *weight, int64_t low, uint64_t width,
                                            uint32_t m)
{
    jali_influence_spec s = { .of = of,
                              .groups = groups,
                              .low = low,
                              .codes = width + 1,
                              .centre = width / 2,
                              .rows_per_person = m,
                              .nulls = true };
    for (unsigned j = 0; j < groups; j++) s.weight[j] = weight[j];
    jali_influence inf;
    CHECK_OK(jali_influence_grid(&s, JALI_INFLUENCE_GRID_BITS, NULL));
    CHECK_OK(jali_influence_init(&inf, &s, NULL));
    return inf;
}

#endif
