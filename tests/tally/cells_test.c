/* Refutes cells.reach if it can: cells, nodes and children by hand, and every neighbour. */
#include "plane.h"
#include "tally/cells.h"
#include "tally/open.h"

enum { AXES = 6, CELLS = 16, ROWS = 300 };
static const jali_cut cuts[] = { { 0, 1, 7, 1, 2 } }, next[] = { { 2, 3, 8, 3, 4 } };

static uint32_t cell_of(const plane *w, size_t axis, size_t row)
{
    return jali_cell_at(&w->frame.axis[axis], CELLS, plane_at(w, axis, row));
}

static uint32_t node_of(const plane *w, size_t row)
{
    if (cell_of(w, 1, row) < 7) return 1;
    return cell_of(w, 3, row) < 8 ? 3 : 4;
}

static void grow(plane *w, jali_marks *marks, const jali_tally **counts)
{
    static const uint32_t nodes[] = { 4, 1 };
    const jali_tally *none;
    CHECK_OK(jali_cells_count(&w->ground, CELLS, marks, cuts, 1, NULL, 0, &none, NULL));
    CHECK(none == NULL);
    CHECK_OK(jali_cells_count(&w->ground, CELLS, marks, next, 1, nodes, 2, counts, NULL));
}

static void check_cells(bool keep)
{
    plane w;
    jali_marks *marks;
    const jali_tally *counts, *rows, *children;
    int64_t by_hand[2][AXES][CELLS] = { 0 }, two[4] = { 0 }, one[2] = { 0 };
    const jali_cut cut[] = { { .axis = 5, .cell = 3 }, { .axis = 0, .cell = 0 } };
    plane_open(&w, ROWS, 3);
    CHECK_OK(jali_marks_new(&marks, w.data.columns, &w.arena, NULL));
    if (keep) jali_marks_keep(marks, JALI_KEEP_CELLS);
    grow(&w, marks, &counts);
    for (size_t r = 0; r < ROWS; r++) {
        uint32_t node = node_of(&w, r);
        CHECK(marks->at[r] == node);
        if (node == 3) continue;
        size_t i = node == 4 ? 0 : 1;
        for (size_t j = 0; j < AXES; j++) by_hand[i][j][cell_of(&w, j, r)]++;
        one[i]++;
        two[2 * i + (cell_of(&w, cut[i].axis, r) >= cut[i].cell)]++;
    }
    assert_memory_equal(by_hand, counts->cell, sizeof by_hand);
    CHECK_OK(jali_cells_rows(counts, &w.arena, &rows, NULL));
    assert_memory_equal(one, rows->cell, sizeof one);
    CHECK_OK(jali_cells_children(counts, cut, &w.arena, &children, NULL));
    assert_memory_equal(two, children->cell, sizeof two);
    plane_close(&w);
}

SENTENCE(cells_of_nodes_are_those_of_a_count_by_hand)
{
    UNUSED_STATE;
    check_cells(false);
    check_cells(true); /* the second pass reads what the first wrote down */
}

/* 61 axes, so that a block is several bands, and a ragged end. */
static void open_words(plane *w, size_t rows)
{
    char text[2000], *at = text;
    const char *names[] = { "c0", "c1" };
    *w = (plane){ .data = { .rows = rows, .seed = 5 } };
    at += snprintf(at, 100, "{\"fields\":[{\"name\":\"c0\",\"type\":\"string\",");
    for (int i = 0; i < 60; i++)
        at += snprintf(at, 40, "%s\"w%d\"", i == 0 ? "\"constraints\":{\"enum\":[" : ",", i);
    snprintf(at, 200,
             "]}},{\"name\":\"c1\",\"type\":\"integer\",\"constraints\":"
             "{\"minimum\":0,\"maximum\":99999}}]}");
    CHECK_OK(jali_schema_parse(&w->schema, text, strlen(text), "test", &w->arena, NULL));
    for (size_t i = 0; i < 2; i++) small_add(&w->data, w->schema.fields[i].domain, 2);
    small_open(&w->data);
    CHECK_OK(jali_geometry_make(&w->geometry, &w->schema, names, 2, JALI_SCALE_BOUNDS,
                                &w->arena, NULL));
    CHECK_OK(jali_frame_make(&w->frame, &w->geometry, NULL, NULL, &w->arena, NULL));
    w->ground = (jali_ground){ &w->frame, w->data.columns, 1, NULL, &w->arena };
}

/* More than 256 cells take two bytes each, fewer one. */
static void check_words(bool keep, uint32_t cells)
{
    enum { MANY = 9001, WORDS = 60 };
    plane w;
    jali_marks *marks;
    const jali_tally *counts;
    const jali_cut half = { 0, WORDS, cells / 2, 1, 2 },
                   quarter = { 1, WORDS, cells / 4, 3, 4 };
    static const uint32_t nodes[] = { 4, 2 };
    open_words(&w, MANY);
    CHECK(w.frame.n == WORDS + 1);
    CHECK_OK(jali_marks_new(&marks, w.data.columns, &w.arena, NULL));
    if (keep) jali_marks_keep(marks, JALI_KEEP_CELLS);
    CHECK_OK(jali_cells_count(&w.ground, cells, marks, &half, 1, nodes, 2, &counts, NULL));
    CHECK_OK(jali_cells_count(&w.ground, cells, marks, &quarter, 1, nodes, 2, &counts, NULL));
    int64_t *by_hand = jali_arena_take(&w.arena, 2 * w.frame.n * cells, sizeof *by_hand);
    for (size_t r = 0; r < MANY; r++) {
        const jali_ruler *axis = w.frame.axis;
        uint64_t code[2] = { small_code(&w.data, 0, r), small_code(&w.data, 1, r) };
        uint32_t last = jali_cell_at(&axis[WORDS], cells, jali_ruler_at(&axis[WORDS], code[1]));
        uint32_t node = last >= cells / 2 ? 2 : last >= cells / 4 ? 4 : 3;
        CHECK(marks->at[r] == node);
        for (size_t j = 0; node != 3 && j <= WORDS; j++) {
            uint32_t at = jali_ruler_at(&axis[j], code[j == WORDS]);
            by_hand[((node == 2) * w.frame.n + j) * cells +
                    jali_cell_at(&axis[j], cells, at)]++;
        }
    }
    assert_memory_equal(by_hand, counts->cell, 2 * w.frame.n * cells * sizeof *by_hand);
    plane_close(&w);
}

SENTENCE(many_axes_and_many_cells_are_counted_as_by_hand)
{
    UNUSED_STATE;
    static const uint32_t cells[] = { 2, 128, 256, 257, 1024 };
    for (size_t i = 0; i < 5; i++)
        for (int keep = 0; keep < 2; keep++) check_words(keep == 1, cells[i]);
}

/* cells.reach: without any one row, children differ by exactly 1 in one cell or not at all. */
SENTENCE(one_row_moves_one_count)
{
    UNUSED_STATE;
    const jali_cut cut[] = { { .axis = 5, .cell = 9 }, { .axis = 0, .cell = 5 } };
    int64_t most = 0;
    for (size_t row = 0; row < 40; row++) {
        int64_t with[4], sum = 0;
        for (int pass = 0; pass < 2; pass++) {
            plane w;
            jali_marks *marks;
            const jali_tally *counts, *children;
            plane_open(&w, 40, 8);
            if (pass == 1) plane_without(&w, row);
            CHECK_OK(jali_marks_new(&marks, w.data.columns, &w.arena, NULL));
            grow(&w, marks, &counts);
            CHECK_OK(jali_cells_children(counts, cut, &w.arena, &children, NULL));
            CHECK(children->reach.l1 == 1 && children->reach.l2 == 1);
            for (int i = 0; i < 4; i++) {
                if (pass == 1) sum += llabs(with[i] - children->cell[i]);
                with[i] = children->cell[i];
            }
            plane_close(&w);
        }
        CHECK(sum <= 1);
        most = sum > most ? sum : most;
    }
    CHECK(most == 1);
}

/* Mutant person-forgotten-in-tree lived until this was here. cells.reach for persons: without
 * the first m rows, counts differ by at most the reach, and by more than m - 1 for some table.
 */
SENTENCE(a_person_of_m_rows_moves_m_counts)
{
    UNUSED_STATE;
    enum { M = 3 };
    const jali_cut cut[] = { { .axis = 5, .cell = 9 }, { .axis = 0, .cell = 5 } };
    int64_t most = 0;
    for (uint64_t seed = 1; seed < 30; seed++) {
        int64_t with[4], sum = 0;
        for (int pass = 0; pass < 2; pass++) {
            plane w;
            jali_marks *marks;
            const jali_tally *counts, *rows, *children;
            plane_open(&w, 40, seed);
            for (int i = 0; pass == 1 && i < M; i++) plane_without(&w, 0);
            w.ground.rows_per_person = M;
            CHECK_OK(jali_marks_new(&marks, w.data.columns, &w.arena, NULL));
            grow(&w, marks, &counts);
            CHECK_OK(jali_cells_rows(counts, &w.arena, &rows, NULL));
            CHECK_OK(jali_cells_children(counts, cut, &w.arena, &children, NULL));
            CHECK(counts->reach.linf == M && counts->reach.l1 == M * AXES);
            CHECK(rows->reach.l1 == M && rows->reach.l2 == M);
            CHECK(children->reach.l1 == M && children->reach.l2 == M);
            for (int i = 0; i < 4; i++) {
                if (pass == 1) sum += llabs(with[i] - children->cell[i]);
                with[i] = children->cell[i];
            }
            plane_close(&w);
        }
        CHECK(sum <= M);
        most = sum > most ? sum : most;
    }
    CHECK(most == M);
}

SENTENCE(starts_of_cells_are_their_least_coordinates)
{
    UNUSED_STATE;
    plane w;
    plane_open(&w, 0, 1);
    for (size_t j = 0; j < AXES; j++)
        for (uint32_t cells = 2; cells <= JALI_CELLS_MOST; cells *= 2)
            for (uint32_t c = 0; c < cells; c++) {
                const jali_ruler *a = &w.frame.axis[j];
                uint32_t at = jali_cell_start(a, cells, c);
                if (at > a->top) continue;
                CHECK(jali_cell_at(a, cells, at) >= c);
                CHECK(at == 0 || jali_cell_at(a, cells, at - 1) < c);
            }
    plane_close(&w);
}

RUN_ALL(TEST(cells_of_nodes_are_those_of_a_count_by_hand),
        TEST(many_axes_and_many_cells_are_counted_as_by_hand), TEST(one_row_moves_one_count),
        TEST(a_person_of_m_rows_moves_m_counts),
        TEST(starts_of_cells_are_their_least_coordinates))
