/* tally/sparse.c: the cells that somebody is in, and nothing else, as a dense table has them.
 */
#include "small.h"
#include "tally/groups.h"
#include "tally/sparse.h"

enum { ROWS = 2500 };

static const jali_groups groups = { 1, { "c0" }, { 4 }, 2, { { 0 }, { 2 } } };

/* Holds a sparse count of (a, b) against plain loops over all cells. */
static void check_table(const small *t, const jali_predicate *where, bool nulls, bool sums)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_plan *plan;
    jali_label label;
    const jali_sparse *s;
    jali_sparse_table table = { .groups = 2,
                                .n = 2,
                                .column = { "c1", "c2" },
                                .nulls = { nulls, false },
                                .summed = sums ? "c3" : NULL,
                                .centre = 20 };
    CHECK_OK(jali_groups_label(&label, &groups, &arena, NULL));
    CHECK_OK(jali_plan_new(&plan, t->columns, 1, NULL));
    CHECK_OK(jali_plan_slice(plan, &label, where, &table.slice, NULL));
    CHECK_OK(jali_plan_touch(plan, table.column, 2, NULL));
    CHECK_OK(jali_sparse_count(plan, &table, &arena, &s, NULL));
    uint64_t first = t->column[1].domain - !nulls, second = t->column[2].domain - 1;
    int64_t *count = calloc(2 * first * second, sizeof *count);
    int64_t *sum = calloc(2 * first * second, sizeof *sum);
    for (size_t i = 0; i < t->rows; i++) {
        uint64_t g = small_code(t, 0, i), a = small_code(t, 1, i), b = small_code(t, 2, i);
        uint64_t v = small_code(t, 3, i);
        if ((g != 0 && g != 2) || a >= first || b >= second || (sums && v == 49)) continue;
        if (where != NULL && a > 5) continue;
        count[g / 2 * first * second + a * second + b]++;
        sum[g / 2 * first * second + a * second + b] += (int64_t)v - 20;
    }
    size_t at = 0;
    for (uint64_t c = 0; c < first * second; c++) {
        int64_t here[2] = { count[c], count[first * second + c] };
        if (here[0] + here[1] == 0) continue;
        CHECK(at < s->n && s->cell[at] == c);
        for (unsigned g = 0; g < 2; g++) {
            CHECK(s->count[g * s->n + at] == here[g]);
            CHECK(!sums || s->sum[g * s->n + at] == sum[g * first * second + c]);
        }
        at++;
    }
    CHECK(at == s->n && at > 10 && (s->sum != NULL) == sums);
    free(count);
    free(sum);
    jali_plan_free(plan);
    jali_arena_clear(&arena);
}

SENTENCE(cells_with_somebody_in_them_are_found_and_counted)
{
    UNUSED_STATE;
    static const uint64_t domain[][2] = { { 11, 13 }, { 300, 40 }, { 13, 3000 } };
    jali_arena arena = JALI_ARENA_INIT;
    for (int i = 0; i < 3; i++) {
        small t = { .rows = ROWS, .seed = 1 + (uint64_t)i };
        small_add(&t, 4, 2);
        small_add(&t, domain[i][0], 1);
        small_add(&t, domain[i][1], 1);
        small_add(&t, 50, 2);
        small_open(&t);
        const jali_predicate *few = jali_predicate_range(&arena, "c1", domain[i][0], 0, 5);
        for (int how = 0; how < 8; how++)
            check_table(&t, how & 1 ? few : NULL, how & 2, how & 4);
        small_free(&t);
    }
    jali_arena_clear(&arena);
}

SENTENCE(no_rows_make_no_cells_and_too_many_cells_are_refused)
{
    UNUSED_STATE;
    jali_arena arena = JALI_ARENA_INIT;
    small t = { .rows = 0, .seed = 1 };
    small_add(&t, UINT64_C(1) << 40, 2);
    small_add(&t, UINT64_C(1) << 40, 2);
    small_open(&t);
    jali_plan *plan;
    jali_err err;
    const jali_sparse *s;
    jali_sparse_table table = { .groups = 1, .n = 1, .column = { "c0", "c1" } };
    CHECK_OK(jali_plan_new(&plan, t.columns, 1, NULL));
    CHECK_OK(jali_sparse_count(plan, &table, &arena, &s, NULL));
    CHECK(s->n == 0);
    table.n = 2;
    CHECK(jali_sparse_count(plan, &table, &arena, &s, &err) == JALI_E_USAGE);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "2^62 cells");
    table.column[0] = "nobody";
    CHECK(jali_sparse_count(plan, &table, &arena, &s, &err) == JALI_E_USAGE);
    jali_plan_free(plan);
    small_free(&t);
    jali_arena_clear(&arena);
}

RUN_ALL(TEST(cells_with_somebody_in_them_are_found_and_counted),
        TEST(no_rows_make_no_cells_and_too_many_cells_are_refused))
