/* Refutes cover.range if it can, by adding every person to small grids; scores against sums
 * written out. */
#include "score/cover.h"
#include "score/open.h"
#include "tally/open.h"
#include "unit.h"
#include <stdlib.h>

enum { SIDE = 4, AXES = 2, CELLS = SIDE * SIDE };

static bool near(size_t a, size_t b, uint32_t radius)
{
    return labs((long)(a / SIDE) - (long)(b / SIDE)) <= (long)radius &&
           labs((long)(a % SIDE) - (long)(b % SIDE)) <= (long)radius;
}

static const jali_scores *score(int64_t *count, const bool *covered, uint32_t radius,
                                uint64_t m, jali_arena *arena)
{
    jali_tally in = { .n = CELLS, .cell = count, .axes = 1, .extent = { CELLS } };
    jali_cover cover = { AXES, SIDE, radius, covered };
    const jali_scores *out = NULL;
    in.reach = (jali_reach){ m, m, m, m };
    CHECK_OK(jali_score_cover(&cover, &in, arena, &out, NULL));
    return out;
}

SENTENCE(scores_are_sums_over_what_is_not_covered)
{
    UNUSED_STATE;
    int64_t count[CELLS];
    bool covered[CELLS] = { 0 };
    for (size_t i = 0; i < CELLS; i++) count[i] = (int64_t)(i * 7 % 5);
    for (uint32_t radius = 0; radius < 5; radius++) {
        jali_arena arena = JALI_ARENA_INIT;
        covered[radius * 3] = true;
        const jali_scores *s = score(count, covered, radius, 1, &arena);
        for (size_t g = 0; g < CELLS; g++) {
            int64_t sum = 0;
            for (size_t i = 0; i < CELLS; i++)
                if (near(i, g, radius) && !covered[i]) sum += count[i];
            CHECK(s->score[g] == sum);
        }
        jali_arena_clear(&arena);
    }
}

/* The widest change over all persons of two rows, on one table. */
static void widest(uint32_t radius, int64_t *range, int64_t *most)
{
    int64_t count[CELLS] = { 3, 1 };
    bool covered[CELLS] = { 0 };
    covered[5] = true;
    *range = *most = 0;
    for (size_t a = 0; a < CELLS; a++)
        for (size_t b = 0; b < CELLS; b++) {
            jali_arena arena = JALI_ARENA_INIT;
            const jali_scores *before = score(count, covered, radius, 2, &arena);
            int64_t hi = INT64_MIN, lo = INT64_MAX;
            count[a]++, count[b]++;
            const jali_scores *after = score(count, covered, radius, 2, &arena);
            count[a]--, count[b]--;
            for (size_t g = 0; g < CELLS; g++) {
                int64_t d = after->score[g] - before->score[g];
                hi = d > hi ? d : hi;
                lo = d < lo ? d : lo;
            }
            CHECK((uint64_t)(hi - lo) <= before->range && (uint64_t)hi <= before->sensitivity);
            CHECK(lo >= 0); /* cover.range: of one sign */
            *range = hi - lo > *range ? hi - lo : *range;
            *most = hi > *most ? hi : *most;
            jali_arena_clear(&arena);
        }
}

SENTENCE(the_range_is_the_rows_of_a_person_and_no_less)
{
    UNUSED_STATE;
    for (uint32_t radius = 0; radius < 3; radius++) {
        int64_t range, most;
        widest(radius, &range, &most);
        CHECK(range == 2 && most == 2); /* a claim of 1.98 is refuted */
    }
}

SENTENCE(a_marked_ball_counts_no_more)
{
    UNUSED_STATE;
    bool covered[CELLS] = { 0 };
    jali_cover cover = { AXES, SIDE, 1, covered };
    jali_cover_mark(&cover, 6, covered);
    for (size_t i = 0; i < CELLS; i++) CHECK(covered[i] == near(i, 6, 1));
}

SENTENCE(another_size_is_refused)
{
    UNUSED_STATE;
    int64_t count[3] = { 0 };
    bool covered[CELLS] = { 0 };
    jali_tally in = { .n = 3, .cell = count };
    jali_cover cover = { AXES, SIDE, 1, covered };
    jali_arena arena = JALI_ARENA_INIT;
    const jali_scores *out = NULL;
    CHECK(jali_score_cover(&cover, &in, &arena, &out, NULL) == JALI_E_INTERNAL && out == NULL);
    jali_arena_clear(&arena);
}

RUN_ALL(TEST(scores_are_sums_over_what_is_not_covered),
        TEST(the_range_is_the_rows_of_a_person_and_no_less), TEST(a_marked_ball_counts_no_more),
        TEST(another_size_is_refused))
