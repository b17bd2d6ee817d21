/* Several ranks count what one counts, bit by bit; one that leaves a row out is noticed. Every
 * order is written and read back: plans with all kinds of labels and tables, passes over a
 * frame, lists of cells, gaps. Seeds are fixed, and equality is exact: no false alarms. */
#define _XOPEN_SOURCE 700
#include "plane.h"
#include "support/thread_crew.h"
#include "tally/cells.h"
#include "tally/gaps.h"
#include "tally/groups.h"
#include "tally/hand.h"
#include "tally/order.h"
#include "tally/partition.h"
#include "tally/planes.h"
#include "tally/project.h"
#include "tally/sparse.h"

enum { AXES = 6, PLANS = 200, ROWS = 3000 };

/* ---- ranks as threads ---------------------------------------------------------------------
 */

typedef struct hands {
    thread_crew line;
    jali_crew crew[THREAD_RANKS];
    jali_columns *columns[THREAD_RANKS];
    jali_hand hand[THREAD_RANKS];
    pthread_t thread[THREAD_RANKS];
    jali_status said[THREAD_RANKS]; /* the first failure */
} hands;

typedef struct task {
    hands *h;
    unsigned rank;
} task;

static void *serve(void *self)
{
    task t = *(task *)self;
    jali_hand *hand = &t.h->hand[t.rank];
    free(self);
    for (bool stop = false; !stop;) {
        char *bytes;
        size_t n;
        uint64_t kind;
        jali_err err = { 0 };
        if (jali_crew_receive(&t.h->crew[t.rank], &bytes, &n, NULL) != JALI_OK) break;
        memcpy(&kind, bytes, sizeof kind);
        stop = kind == JALI_ORDER_STOP;
        jali_status status =
            stop ? JALI_OK : jali_hand_do(hand, (jali_order_kind)kind, bytes + 8, n - 8, &err);
        if (t.h->said[t.rank] == JALI_OK) t.h->said[t.rank] = status;
        free(bytes);
    }
    return NULL;
}

/* Rank r of `ranks` has every row from r * rows / ranks on; the last leaves `skip` rows out,
 * and lacks the last `lacks` columns. */
static void hire(hands *h, const plane *w, unsigned ranks, size_t skip, size_t lacks)
{
    *h = (hands){ 0 };
    thread_crew_init(&h->line, ranks);
    for (unsigned r = 0; r < ranks; r++) {
        jali_column part[SMALL_COLUMNS];
        size_t rows = w->data.rows, first = rows * r / ranks, end = rows * (r + 1) / ranks;
        size_t n = w->data.n - (r + 1 == ranks ? lacks : 0);
        if (r + 1 == ranks) end -= skip;
        for (size_t c = 0; c < n; c++) {
            part[c] = w->data.column[c];
            part[c].codes = (const char *)part[c].codes + first * part[c].width;
            part[c].rows = end - first;
        }
        CHECK_OK(jali_columns_borrow(&h->columns[r], part, n, NULL));
        h->crew[r] = thread_crew_rank(&h->line, r);
        jali_columns_join(h->columns[r], &h->crew[r]);
        h->hand[r] = (jali_hand){ .columns = h->columns[r], .schema = &w->schema };
        if (r == 0) continue;
        task *t = malloc(sizeof *t);
        *t = (task){ h, r };
        assert_int_equal(pthread_create(&h->thread[r], NULL, serve, t), 0);
    }
}

static void dismiss(hands *h)
{
    jali_text stop = { 0 };
    jali_put(&stop, JALI_ORDER_STOP);
    CHECK_OK(jali_crew_send(&h->crew[0], &stop, NULL));
    for (unsigned r = 0; r < h->line.ranks; r++) {
        if (r > 0) assert_int_equal(pthread_join(h->thread[r], NULL), 0);
        jali_hand_clear(&h->hand[r]);
        jali_columns_free(h->columns[r]);
    }
    thread_crew_clear(&h->line);
}

/* ---- random plans --------------------------------------------------------------------------
 */

typedef struct maker {
    const plane *w;
    small dice; /* its seed alone */
    jali_arena arena;
    size_t column_of[AXES];
    int16_t direction[4 * AXES];
    int32_t low[4], step[4];
    uint16_t map[7 * 7 * 7], centre[5 * AXES];
    jali_hash_node node[7];
    jali_cell_grid grid;
    jali_hash_tree tree;
    jali_partition partition;
} maker;

static const char *const names[] = { "c0", "c1", "c2", "c3" };

static uint64_t roll(maker *m, uint64_t n)
{
    return small_roll(&m->dice, n);
}

static uint64_t domain_of(const maker *m, size_t c)
{
    return m->w->data.column[c].domain;
}

static const jali_predicate *random_leaf(maker *m)
{
    size_t c = roll(m, 4);
    uint64_t a = roll(m, domain_of(m, c)), b = roll(m, domain_of(m, c));
    if (roll(m, 5) == 0) return jali_predicate_is_null(&m->arena, names[c], domain_of(m, c));
    return jali_predicate_range(&m->arena, names[c], domain_of(m, c), a < b ? a : b,
                                a < b ? b : a);
}

static const jali_predicate *random_where(maker *m)
{
    const jali_predicate *p = random_leaf(m), *q = random_leaf(m);
    if (roll(m, 3) == 0) p = jali_predicate_not(&m->arena, p);
    return roll(m, 2) ? jali_predicate_and(&m->arena, p, q)
                      : jali_predicate_or(&m->arena, p, q);
}

static jali_projection projection(maker *m, size_t n)
{
    for (size_t j = 0; j < AXES; j++) m->column_of[j] = plane_column(j);
    for (size_t i = 0; i < n * AXES; i++)
        m->direction[i] = (int16_t)((int)roll(m, 2049) - 1024);
    return (jali_projection){ AXES, n, m->w->frame.axis, m->column_of, m->direction };
}

static jali_label by_grid(maker *m)
{
    m->grid = (jali_cell_grid){ projection(m, 3), m->low, m->step, 7, NULL };
    for (size_t k = 0; k < 3; k++) {
        m->low[k] = -(int32_t)roll(m, 8000000);
        m->step[k] = 1 + (int32_t)roll(m, 2000000);
    }
    for (size_t i = 0; i < 343; i++) m->map[i] = (uint16_t)roll(m, 9);
    if (roll(m, 2)) m->grid.map = m->map;
    return (jali_label){ .labels = m->grid.map != NULL ? 9u : 343u,
                         .n = 4,
                         .columns = names,
                         .label = jali_cell_grid_rows,
                         .self = &m->grid,
                         .made = JALI_LABEL_GRID,
                         .of = &m->grid };
}

static jali_label by_tree(maker *m)
{
    static const uint32_t child[7][2] = { { 1, 2 }, { 3, 4 }, { 5, 6 }, { 3, 3 },
                                          { 4, 4 }, { 5, 5 }, { 6, 6 } };
    for (size_t i = 0; i < 7; i++)
        m->node[i] = (jali_hash_node){ { child[i][0], child[i][1] }, (uint16_t)roll(m, 5) };
    for (size_t k = 0; k < 2; k++) m->low[k] = (int32_t)roll(m, 2000000) - 1000000;
    m->tree = (jali_hash_tree){ projection(m, 2), m->low, 7, m->node };
    return (jali_label){ .labels = 5,
                         .n = 4,
                         .columns = names,
                         .label = jali_hash_tree_rows,
                         .self = &m->tree,
                         .made = JALI_LABEL_TREE,
                         .of = &m->tree };
}

static jali_label by_partition(maker *m)
{
    jali_label label;
    const jali_predicate *rule[2] = { random_where(m), random_where(m) };
    for (size_t i = 0; i < 5 * AXES; i++)
        m->centre[i] = (uint16_t)roll(m, m->w->frame.axis[i % AXES].top + 1);
    if (roll(m, 2))
        CHECK_OK(
            jali_partition_centres(&m->partition, &m->w->frame, m->centre, 5, &m->arena, NULL));
    else
        CHECK_OK(jali_partition_rules(&m->partition, &m->w->schema, rule, 2, &m->arena, NULL));
    CHECK_OK(jali_partition_label(&m->partition, &m->arena, &label, NULL));
    return label;
}

static jali_label by_groups(maker *m)
{
    jali_label label;
    jali_groups g = { .n_columns = 2,
                      .column = { "c0", "c2" },
                      .domain = { domain_of(m, 0), domain_of(m, 2) },
                      .n = 3 };
    for (unsigned i = 0; i < 3; i++) {
        g.code[i][0] = i * 3 + roll(m, 3);
        g.code[i][1] = roll(m, 4);
    }
    CHECK_OK(jali_groups_label(&label, &g, &m->arena, NULL));
    return label;
}

static void add_table(maker *m, jali_plan *plan, size_t slice, uint32_t labels)
{
    size_t t, c = roll(m, 4);
    uint32_t lo[343], step[343];
    const char *by[] = { "c2", "c0", "c1" };
    for (uint32_t l = 0; l < labels; l++) {
        lo[l] = (uint32_t)roll(m, domain_of(m, c));
        step[l] = 1 + (uint32_t)roll(m, domain_of(m, c) / 7 + 1);
    }
    uint64_t kind = roll(m, 5);
    if (kind == 0) CHECK_OK(jali_plan_counts(plan, slice, by, roll(m, 3), &t, NULL));
    if (kind == 1) CHECK_OK(jali_plan_sums(plan, slice, by, 1, "c3", 12345, &t, NULL));
    if (kind == 2) CHECK_OK(jali_plan_histogram(plan, slice, names[c], 8, lo, step, &t, NULL));
    if (kind == 3) CHECK_OK(jali_plan_grid(plan, slice, by + 1, 2, 3, &t, NULL));
    if (kind == 4) CHECK_OK(jali_plan_grid_sums(plan, slice, by + 1, 2, 2, "c1", 7, &t, NULL));
}

/* The same seed makes the same plan, over any columns. */
static jali_plan *make_plan(maker *m, const plane *w, jali_columns *columns, uint64_t seed)
{
    jali_plan *plan;
    size_t slice, t;
    *m = (maker){ .w = w, .dice = { .seed = seed * 0x9E3779B97F4A7C15u + 1 } };
    CHECK_OK(jali_plan_new(&plan, columns, 1 + (uint32_t)roll(m, 3), NULL));
    CHECK_OK(jali_plan_counts(plan, 0, NULL, 0, &t, NULL)); /* all rows: the twin's table */
    jali_label label[] = { by_groups(m), by_partition(m), by_grid(m), by_tree(m) };
    for (size_t i = 0; i < 4; i++) {
        const jali_predicate *where = roll(m, 2) ? random_where(m) : NULL;
        CHECK_OK(jali_plan_slice(plan, &label[i], where, &slice, NULL));
        add_table(m, plan, slice, label[i].labels);
    }
    CHECK_OK(jali_plan_slice(plan, NULL, random_where(m), &slice, NULL));
    add_table(m, plan, slice, 1);
    add_table(m, plan, 0, 1);
    return plan;
}

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
