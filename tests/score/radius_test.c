/* Refutes radius.range if it can: all small changes of small counts. */
#include "score/open.h"
#include "score/radius.h"
#include "tally/open.h"
#include "unit.h"

enum { CELLS = 3, C = 2 };

static const jali_scores *scores_of(const int64_t *count, int64_t wanted, jali_arena *arena)
{
    jali_tally in = { .n = CELLS,
                      .cell = (int64_t *)(uintptr_t)count,
                      .axes = 1,
                      .extent = { CELLS },
                      .reach = { CELLS, CELLS * C, CELLS * C, C } };
    const jali_scores *out;
    CHECK_OK(jali_score_radius(&in, wanted, arena, &out, NULL));
    return out;
}

/* The widest range when each cell moves by -c .. c. */
static int64_t widest(int64_t c)
{
    int64_t most = 0;
    const int64_t count[CELLS] = { 9, 5, 1 };
    for (int64_t wanted = -2; wanted < 12; wanted++)
        for (int64_t a = -c; a <= c; a++)
            for (int64_t b = -c; b <= c; b++) {
                const int64_t more[CELLS] = { 9 + a, 5 + b, 1 };
                jali_arena arena = JALI_ARENA_INIT;
                const jali_scores *x = scores_of(count, wanted, &arena);
                const jali_scores *y = scores_of(more, wanted, &arena);
                int64_t hi = INT64_MIN, lo = INT64_MAX;
                for (size_t i = 0; i < CELLS; i++) {
                    int64_t d = y->score[i] - x->score[i];
                    hi = d > hi ? d : hi;
                    lo = d < lo ? d : lo;
                }
                most = hi - lo > most ? hi - lo : most;
                CHECK(x->range == 2 * C && x->sensitivity == C);
                jali_arena_clear(&arena);
            }
    return most;
}

/* radius.range: 2 c, attained; with 1.99 c the mechanism would sell more than it has. */
SENTENCE(scores_move_with_twice_the_reach)
{
    UNUSED_STATE;
    CHECK(widest(C) == 2 * C);
    CHECK((double)widest(C) > 0.99 * 2 * C);
}

SENTENCE(the_nearest_count_scores_highest)
{
    UNUSED_STATE;
    jali_arena arena = JALI_ARENA_INIT;
    const int64_t count[CELLS] = { 9, 5, 1 };
    const jali_scores *s = scores_of(count, 6, &arena);
    CHECK(s->score[0] == -3 && s->score[1] == -1 && s->score[2] == -5);
    s = scores_of(count, INT64_MAX, &arena);
    CHECK(s->score[0] < 0 && s->score[0] > s->score[1]);
    jali_arena_clear(&arena);
}

RUN_ALL(TEST(scores_move_with_twice_the_reach), TEST(the_nearest_count_scores_highest))
