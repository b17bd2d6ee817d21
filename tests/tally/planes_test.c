/* Refutes planes.reach if it can: marks and counts by hand, level by level; every neighbour of
 * small tables; threads, and what is kept. */
#include "plane.h"
#include "tally/open.h"
#include "tally/planes.h"
#include "tally/project.h"
#include <stdlib.h>

enum { AXES = 6, LEVELS = 4, ROWS = 700, LABELS = 5 };

typedef struct levels {
    int16_t direction[LEVELS][AXES];
    int32_t at[LEVELS];
    uint16_t next[LEVELS][2 * LABELS];
} levels;

static void roll_levels(plane *w, levels *l)
{
    for (int k = 0; k < LEVELS; k++) {
        for (int j = 0; j < AXES; j++)
            l->direction[k][j] = (int16_t)((int)small_roll(&w->data, 2049) - 1024);
        l->at[k] = (int32_t)small_roll(&w->data, 2000001) - 1000000;
        for (int i = 0; i < 2 * LABELS; i++)
            l->next[k][i] = (uint16_t)small_roll(&w->data, LABELS);
    }
}

static void count(plane *w, const levels *l, int level, jali_marks *marks, int64_t out[LABELS])
{
    const jali_tally *counts;
    jali_plane p = { l->direction[level], l->at[level], l->next[level], LABELS, LABELS };
    CHECK_OK(jali_planes_count(&w->ground, &p, marks, &counts, NULL));
    CHECK(counts->n == LABELS && counts->reach.l1 == 1 && counts->reach.l2 == 1);
    memcpy(out, counts->cell, LABELS * sizeof *out);
}

static uint16_t by_hand(const plane *w, const levels *l, int level, size_t row)
{
    uint32_t x[AXES];
    uint16_t mark = 0;
    jali_projection on = { AXES, LEVELS, w->frame.axis, NULL, l->direction[0] };
    for (size_t j = 0; j < AXES; j++) x[j] = plane_at(w, j, row);
    for (int k = 0; k <= level; k++)
        mark = l->next[k][2 * mark + (jali_projection_at(&on, (size_t)k, x) >= l->at[k])];
    return mark;
}

SENTENCE(marks_and_counts_are_those_of_a_walk_by_hand)
{
    UNUSED_STATE;
    plane w;
    levels l;
    jali_marks *marks, *threaded;
    jali_pool *pool;
    plane_open(&w, ROWS, 29);
    CHECK(w.frame.n == AXES);
    roll_levels(&w, &l);
    CHECK_OK(jali_pool_new(&pool, 3, NULL));
    CHECK_OK(jali_marks_new(&marks, w.data.columns, &w.arena, NULL));
    CHECK_OK(jali_marks_new(&threaded, w.data.columns, &w.arena, NULL));
    for (int k = 0; k < LEVELS; k++) {
        int64_t got[LABELS], again[LABELS], want[LABELS] = { 0 };
        count(&w, &l, k, marks, got);
        for (size_t r = 0; r < ROWS; r++) {
            CHECK(marks->at[r] == by_hand(&w, &l, k, r));
            want[by_hand(&w, &l, k, r)]++;
        }
        assert_memory_equal(got, want, sizeof want);
        w.ground.pool = pool;
        count(&w, &l, k, threaded, again);
        assert_memory_equal(again, want, sizeof want);
        w.ground.pool = NULL;
    }
    jali_pool_free(pool);
    plane_close(&w);
}

/* planes.reach: a row moves one cell by one, at every level; no claim of less would hold. */
SENTENCE(one_row_moves_one_count_by_one)
{
    UNUSED_STATE;
    for (uint64_t seed = 1; seed < 40; seed++) {
        size_t rows = 2 + seed % 6;
        for (size_t row = 0; row < rows; row++) {
            plane w;
            levels l;
            jali_marks *with, *without;
            int64_t a[LABELS], b[LABELS];
            plane_open(&w, rows, seed);
            roll_levels(&w, &l);
            CHECK_OK(jali_marks_new(&with, w.data.columns, &w.arena, NULL));
            for (int k = 0; k < LEVELS; k++) count(&w, &l, k, with, a);
            plane_without(&w, row);
            CHECK_OK(jali_marks_new(&without, w.data.columns, &w.arena, NULL));
            for (int k = 0; k < LEVELS; k++) count(&w, &l, k, without, b);
            int64_t moved = 0;
            for (int i = 0; i < LABELS; i++) moved += llabs(a[i] - b[i]);
            CHECK(moved == 1);
            plane_close(&w);
        }
    }
}

RUN_ALL(TEST(marks_and_counts_are_those_of_a_walk_by_hand),
        TEST(one_row_moves_one_count_by_one))
