/* Refutes modes.range if it can: every person of up to three rows on small tables. */
#include "score/groups.h"
#include "score/open.h"
#include "tally/open.h"
#include "unit.h"

enum { LABELS = 2, VALUES = 3, CELLS = LABELS * VALUES, M = 3 };

static const jali_score_groups *groups_of(int64_t *count, jali_arena *arena, jali_tally *in)
{
    *in = (jali_tally){ .n = CELLS, .cell = count, .axes = 2, .extent = { LABELS, VALUES } };
    in->reach = (jali_reach){ M, M, M, M };
    const jali_score_groups *out = NULL;
    CHECK_OK(jali_score_modes(in, arena, &out, NULL));
    return out;
}

/* max over persons of sum_g (range of the change of group g) / range_g: modes.range says 1. */
static double worst(double range)
{
    double most = 0;
    for (unsigned person = 0; person < CELLS * CELLS * CELLS; person++) {
        int64_t count[CELLS] = { 4, 0, 1, 0, 0, 2 }, more[CELLS] = { 0 };
        unsigned at[M] = { person % CELLS, person / CELLS % CELLS, person / CELLS / CELLS };
        jali_arena arena = JALI_ARENA_INIT;
        jali_tally in;
        double sum = 0;
        const jali_score_groups *g = groups_of(count, &arena, &in);
        CHECK(jali_score_groups_count(g) == LABELS && g->group[0].range == M);
        for (unsigned k = 0; k < M; k++) more[at[k]]++;
        for (size_t l = 0; l < LABELS; l++) {
            int64_t hi = INT64_MIN, lo = INT64_MAX;
            for (size_t v = 0; v < VALUES; v++) {
                int64_t d = more[l * VALUES + v];
                CHECK(g->group[l].score[v] == count[l * VALUES + v]);
                hi = d > hi ? d : hi;
                lo = d < lo ? d : lo;
            }
            sum += (double)(hi - lo) / range;
        }
        most = sum > most ? sum : most;
        jali_arena_clear(&arena);
    }
    return most;
}

SENTENCE(a_person_moves_all_groups_together_by_one_range)
{
    UNUSED_STATE;
    CHECK(worst(M) == 1);
    CHECK(worst(0.99 * M) > 1); /* one percent less is refuted */
}

SENTENCE(a_table_without_labels_is_refused)
{
    UNUSED_STATE;
    int64_t count[VALUES] = { 0 };
    jali_tally in = { .n = VALUES, .cell = count, .axes = 1, .extent = { VALUES } };
    jali_arena arena = JALI_ARENA_INIT;
    const jali_score_groups *out = NULL;
    CHECK(jali_score_modes(&in, &arena, &out, NULL) == JALI_E_INTERNAL && out == NULL);
    jali_arena_clear(&arena);
}

RUN_ALL(TEST(a_person_moves_all_groups_together_by_one_range),
        TEST(a_table_without_labels_is_refused))
