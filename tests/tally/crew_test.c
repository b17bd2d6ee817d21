/* Several ranks count what one counts, bit by bit; one that leaves a row out is noticed. Every
 * order is written and read back: plans with all kinds of labels and tables, passes over a
 * frame, lists of cells, gaps. Seeds are fixed, and equality is exact: no false alarms. */
#define _XOPEN_SOURCE 700
#include "crew_plans.h"
#include "crew_ranks.h"
#include "tally/gaps.h"
#include "tally/sparse.h"

enum { PLANS = 200, ROWS = 3000 };

static bool same_cells(const jali_tally *a, const jali_tally *b)
{
    return a->n == b->n && memcmp(a->cell, b->cell, a->n * sizeof *a->cell) == 0 &&
           memcmp(&a->reach, &b->reach, sizeof a->reach) == 0;
}

static bool same_answers(const jali_tallies *a, const jali_tallies *b)
{
    bool same = a->n == b->n;
    for (size_t i = 0; same && i < a->n; i++)
        same = same_cells(&a->counts[i], &b->counts[i]) &&
               (a->sums[i].cell == NULL) == (b->sums[i].cell == NULL) &&
               (a->sums[i].cell == NULL || same_cells(&a->sums[i], &b->sums[i]));
    return same;
}

/* Does a crew of `ranks` give what one process gives? */
static bool plans_agree(const plane *w, unsigned ranks, size_t skip, uint64_t from, uint64_t to)
{
    hands h;
    bool same = true;
    hire(&h, w, ranks, skip, 0);
    for (uint64_t seed = from; seed < to; seed++) {
        maker alone, together;
        const jali_tallies *one, *many;
        jali_plan *p = make_plan(&alone, w, w->data.columns, seed);
        jali_plan *q = make_plan(&together, w, h.columns[0], seed);
        CHECK_OK(jali_plan_run(p, NULL, &alone.arena, &one, NULL));
        CHECK_OK(jali_plan_check(q, NULL, NULL));
        CHECK_OK(jali_plan_run(q, NULL, &together.arena, &many, NULL));
        same = same && same_answers(one, many);
        jali_plan_free(p);
        jali_plan_free(q);
        jali_arena_clear(&alone.arena);
        jali_arena_clear(&together.arena);
    }
    dismiss(&h);
    return same;
}

SENTENCE(ranks_count_what_one_process_counts)
{
    UNUSED_STATE;
    plane w;
    plane_open(&w, ROWS, 77);
    for (unsigned ranks = 1; ranks <= 4; ranks++) CHECK(plans_agree(&w, ranks, 0, 0, PLANS));
    plane_close(&w);
}

SENTENCE(a_rank_that_leaves_one_row_out_is_noticed)
{
    UNUSED_STATE;
    plane w;
    plane_open(&w, ROWS, 77);
    for (unsigned ranks = 2; ranks <= 4; ranks++)
        for (uint64_t seed = 0; seed < 20; seed++)
            CHECK(!plans_agree(&w, ranks, 1, seed, seed + 1));
    plane_close(&w);
}

SENTENCE(more_ranks_than_rows_count_nothing_and_agree)
{
    UNUSED_STATE;
    plane w;
    plane_open(&w, 3, 5);
    CHECK(plans_agree(&w, 7, 0, 0, 30));
    plane_close(&w);
}

/* ---- passes --------------------------------------------------------------------------------
 */

/* Everything that marks rows, one pass after the other; cells are copied in their order. */
static size_t all_passes(const plane *w, jali_columns *columns, int64_t *out)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_ground g = { &w->frame, columns, 2, NULL, &arena };
    static const jali_cut cuts[] = { { 0, 1, 5, 1, 2 }, { 1, 5, 3, 3, 4 } };
    static const uint32_t first[] = { 0 }, second[] = { 2, 3, 4 };
    static const double widths[] = { 0, 0.0001, 0.001, 0.01 };
    uint16_t centre[3 * AXES], label_of[] = { 0, 1, 2, 1 };
    float at[3 * AXES], radius[] = { 900, 5000, 700 };
    const jali_tally *t[8];
    jali_marks *marks;
    size_t axes, n = 0;
    for (size_t i = 0; i < 3 * AXES; i++) {
        centre[i] = (uint16_t)(w->frame.axis[i % AXES].top * (i * 37 % 11) / 10);
        at[i] = (float)centre[i] + 0.25f;
    }
    CHECK_OK(jali_marks_new(&marks, columns, &arena, NULL));
    jali_marks_keep(marks, JALI_KEEP_CELLS | JALI_KEEP_PLACES);
    CHECK_OK(jali_cells_count(&g, 16, marks, NULL, 0, first, 1, &t[0], NULL));
    CHECK_OK(jali_cells_count(&g, 16, marks, cuts, 2, second, 3, &t[1], NULL));
    jali_balls balls = { 3, at, radius, label_of, 4, true };
    CHECK_OK(jali_ball_near(&g, centre, 3, marks, &t[2], &t[3], NULL));
    CHECK_OK(jali_ball_sums(&g, marks, &balls, &t[4], NULL));
    CHECK_OK(jali_gaps_wide(&g, widths, 4, &t[5], &axes, NULL));
    static const int16_t direction[AXES] = { 700, -900, 30, 1000, -5, 400 };
    static const uint16_t next[] = { 0, 1, 1, 2, 0, 0 }, then[] = { 3, 0, 1, 1, 2, 3 };
    jali_plane level = { direction, 1000, next, 3, 3 },
               deeper = { direction, -70000, then, 3, 4 };
    CHECK_OK(jali_planes_count(&g, &level, marks, &t[6], NULL));
    CHECK_OK(jali_planes_count(&g, &deeper, marks, &t[7], NULL));
    for (size_t i = 0; i < 8; i++) {
        memcpy(out + n, t[i]->cell, t[i]->n * sizeof *out);
        n += t[i]->n;
    }
    jali_arena_clear(&arena);
    return n;
}

SENTENCE(passes_over_a_frame_agree_too)
{
    UNUSED_STATE;
    static int64_t one[4096], many[4096];
    plane w;
    plane_open(&w, ROWS, 78);
    size_t n = all_passes(&w, w.data.columns, one);
    CHECK(n > 6 * 16 * 4 && n < 4096);
    for (unsigned ranks = 1; ranks <= 5; ranks++)
        for (size_t skip = 0; skip < 2; skip++) {
            hands h;
            hire(&h, &w, ranks, skip, 0);
            for (int again = 0; again < 2; again++) { /* new marks forget the old ones */
                assert_int_equal(all_passes(&w, h.columns[0], many), n);
                assert_int_equal(memcmp(one, many, n * sizeof *one) == 0, skip == 0);
            }
            dismiss(&h);
        }
    plane_close(&w);
}

/* ---- lists ---------------------------------------------------------------------------------
 */

static const jali_sparse *count_list(maker *m, const plane *w, jali_columns *columns,
                                     uint64_t seed)
{
    const jali_sparse *out;
    jali_plan *plan;
    size_t slice;
    *m = (maker){ .w = w, .dice = { .seed = seed * 0x9E3779B97F4A7C15u + 1 } };
    jali_label label = by_groups(m);
    const jali_predicate *where = random_where(m);
    CHECK_OK(jali_plan_new(&plan, columns, 1, NULL));
    CHECK_OK(jali_plan_slice(plan, &label, seed % 2 ? where : NULL, &slice, NULL));
    CHECK_OK(jali_plan_touch(plan, names, 4, NULL));
    CHECK_OK(jali_plan_check(plan, NULL, NULL));
    jali_sparse_table t = { .slice = slice,
                            .groups = seed % 3 == 0 ? 4 : 3,
                            .n = 2,
                            .column = { "c0", seed % 5 ? "c2" : "c3" },
                            .nulls = { true, false },
                            .summed = seed % 2 ? "c1" : NULL,
                            .centre = 77 };
    CHECK_OK(jali_sparse_count(plan, &t, &m->arena, &out, NULL));
    jali_plan_free(plan);
    return out;
}

static bool same_list(const jali_sparse *a, const jali_sparse *b, size_t groups)
{
    return a->n == b->n && memcmp(a->cell, b->cell, a->n * 8) == 0 &&
           memcmp(a->count, b->count, groups * a->n * 8) == 0 &&
           (a->sum == NULL) == (b->sum == NULL) &&
           (a->sum == NULL || memcmp(a->sum, b->sum, groups * a->n * 8) == 0);
}

SENTENCE(lists_of_cells_are_made_one)
{
    UNUSED_STATE;
    plane w;
    unsigned noticed = 0;
    plane_open(&w, ROWS, 79);
    for (unsigned ranks = 1; ranks <= 4; ranks++)
        for (size_t skip = 0; skip < 2; skip++) {
            hands h;
            hire(&h, &w, ranks, skip, 0);
            for (uint64_t seed = 0; seed < 40; seed++) {
                maker alone, together;
                const jali_sparse *one = count_list(&alone, &w, w.data.columns, seed);
                const jali_sparse *many = count_list(&together, &w, h.columns[0], seed);
                bool same = same_list(one, many, seed % 3 == 0 ? 4 : 3);
                if (skip == 0) CHECK(same);
                noticed += !same; /* the row left out is in some lists only */
                jali_arena_clear(&alone.arena);
                jali_arena_clear(&together.arena);
            }
            dismiss(&h);
        }
    CHECK(noticed > 0);
    plane_close(&w);
}

/* ---- failures ------------------------------------------------------------------------------
 */

SENTENCE(a_rank_that_fails_is_one_sentence_and_nothing_is_counted)
{
    UNUSED_STATE;
    plane w;
    hands h;
    maker m;
    jali_err err = { 0 };
    const jali_tallies *out = NULL;
    plane_open(&w, ROWS, 80);
    hire(&h, &w, 3, 0, 1); /* rank 2 has no c3 */
    jali_plan *plan;
    size_t t;
    m = (maker){ .w = &w };
    CHECK_OK(jali_plan_new(&plan, h.columns[0], 1, NULL));
    CHECK_OK(jali_plan_sums(plan, 0, NULL, 0, "c3", 0, &t, NULL));
    CHECK(jali_plan_check(plan, NULL, &err) == JALI_E_ENGINE);
    CHECK_REFUSED(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "rank 2: ");
    CHECK(jali_plan_run(plan, NULL, &m.arena, &out, &err) != JALI_OK);
    CHECK(out == NULL && strncmp(err.text, "rank 2: ", 8) == 0);
    jali_plan_free(plan);
    CHECK_OK(jali_plan_new(&plan, h.columns[0], 1, NULL)); /* the line is in step again */
    CHECK_OK(jali_plan_counts(plan, 0, NULL, 0, &t, NULL));
    CHECK_OK(jali_plan_run(plan, NULL, &m.arena, &out, &err));
    CHECK(out->counts[t].cell[0] == ROWS);
    jali_plan_free(plan);
    jali_arena_clear(&m.arena);
    dismiss(&h);
    CHECK(h.said[1] != JALI_OK && h.said[2] != JALI_OK);
    plane_close(&w);
}

/* Cut anywhere, or with any byte changed, an order is refused or harmless: a sanitizer looks.
 */
SENTENCE(a_damaged_order_reads_nothing_it_does_not_have)
{
    UNUSED_STATE;
    plane w;
    maker m;
    jali_text order = { 0 };
    plane_open(&w, 50, 81);
    jali_plan *plan = make_plan(&m, &w, w.data.columns, 4);
    CHECK_OK(jali_put_plan(&order, plan, NULL));
    jali_plan_free(plan);
    char *copy = malloc(order.used);
    for (size_t i = 0; i < order.used; i += 3) {
        for (int change = 0; change < 2; change++) {
            jali_arena arena = JALI_ARENA_INIT;
            size_t n = change ? order.used : i;
            memcpy(copy, order.at, order.used);
            if (change) copy[i] = (char)(copy[i] ^ 0x55);
            jali_reading r = { copy, copy + n, true, &arena };
            jali_status status = jali_get_plan(&r, w.data.columns, &w.schema, &plan, NULL);
            if (!change) CHECK(status != JALI_OK);
            if (status == JALI_OK) jali_plan_free(plan);
            jali_arena_clear(&arena);
        }
    }
    free(copy);
    jali_text_clear(&order);
    jali_arena_clear(&m.arena);
    plane_close(&w);
}

RUN_ALL(TEST(ranks_count_what_one_process_counts),
        TEST(a_rank_that_leaves_one_row_out_is_noticed),
        TEST(more_ranks_than_rows_count_nothing_and_agree), TEST(passes_over_a_frame_agree_too),
        TEST(lists_of_cells_are_made_one),
        TEST(a_rank_that_fails_is_one_sentence_and_nothing_is_counted),
        TEST(a_damaged_order_reads_nothing_it_does_not_have))
