/* Every kernel against a counter that nobody can get wrong, on 10,000 random plans. */
#include "small.h"

enum { CASES = 10000, TABLES = 6 };

static const uint64_t domains[] = {
    1, 2, 3, 5, 16, 33, 255, 256, 257, 1000, 65535, 65536, 65537
};
static const size_t lengths[] = { 0, 1, 15, 63, 64, 65, 127, 1023, 1024, 1025, 2500 };

typedef enum kind { COUNTS, SUMS, BINS, GRID } kind;

/* What was asked for, in words that the referee reads by itself. */
typedef struct question {
    kind kind;
    size_t n, column[4], summed, slice, table;
    uint64_t centre;
    uint32_t bins, lo[16], step[16];
    unsigned bits;
} question;

typedef struct view { /* a slice */
    uint32_t labels;  /* 0: none */
    size_t a, b;
    const jali_predicate *where;
} view;

typedef struct row {
    const small *s;
    size_t row;
} row;

static uint64_t row_code(void *self, const char *column)
{
    const row *r = self;
    return small_code(r->s, (size_t)(column[1] - '0'), r->row);
}

static bool selected(const small *s, const view *v, size_t i)
{
    row r = { s, i };
    return v->where == NULL || jali_predicate_value(v->where, row_code, &r) == JALI_TRUE;
}

static size_t log2_up(uint64_t values)
{
    size_t b = 0;
    while (1ull << b < values) b++;
    return b;
}

/* The cell of a row within its label. */
static size_t cell_of(const small *s, const question *q, size_t i, size_t label)
{
    size_t cell = 0;
    if (q->kind == BINS) {
        uint64_t code = small_code(s, q->column[0], i);
        if (code == s->column[q->column[0]].domain - 1) return q->bins;
        if (code < q->lo[label]) return 0;
        uint64_t bin = (code - q->lo[label]) / q->step[label];
        return bin < q->bins ? (size_t)bin : q->bins - 1;
    }
    for (size_t k = 0; k < q->n; k++) {
        uint64_t domain = s->column[q->column[k]].domain, code = small_code(s, q->column[k], i);
        if (q->kind != GRID) {
            cell = cell * domain + code;
            continue;
        }
        if (code == domain - 1) return (size_t)1 << q->bits;
        size_t have = domain < 2 ? 0 : log2_up(domain - 1);
        size_t bits =
            (q->bits + q->n - 1 - k) / q->n; /* the first ones get what is left over */
        cell = cell << bits | (have > bits ? code >> (have - bits) : code << (bits - have));
    }
    return cell;
}

static size_t width_of(const small *s, const question *q)
{
    size_t cells = 1;
    if (q->kind == BINS) return q->bins + 1;
    if (q->kind == GRID) return ((size_t)1 << q->bits) + 1;
    for (size_t k = 0; k < q->n; k++) cells *= s->column[q->column[k]].domain;
    return cells;
}

static void naive(const small *s, const view *v, const question *q, int64_t *counts,
                  int64_t *sums)
{
    size_t width = width_of(s, q);
    for (size_t i = 0; i < s->rows; i++) {
        if (!selected(s, v, i)) continue;
        size_t label = v->labels == 0 ? 0
                                      : small_label_of(v->labels, small_code(s, v->a, i),
                                                       small_code(s, v->b, i));
        size_t cell = label * width + cell_of(s, q, i, label);
        uint64_t code = q->kind == SUMS ? small_code(s, q->summed, i) : 0;
        if (q->kind == SUMS && code == s->column[q->summed].domain - 1) continue;
        counts[cell]++;
        sums[cell] += (int64_t)code - (int64_t)q->centre;
    }
}

static const jali_predicate *random_predicate(small *s, jali_arena *a, int depth)
{
    size_t c = (size_t)small_roll(s, s->n);
    uint64_t domain = s->column[c].domain, code[40];
    if (depth > 0) {
        const jali_predicate *p = random_predicate(s, a, depth - 1);
        const jali_predicate *q = random_predicate(s, a, depth - 1);
        return small_roll(s, 2) ? jali_predicate_and(a, p, q) : jali_predicate_or(a, p, q);
    }
    const jali_predicate *leaf;
    for (int i = 0; i < 40; i++) code[i] = small_roll(s, domain);
    switch (small_roll(s, 4)) {
    case 0:
        leaf = jali_predicate_is_null(a, s->name[c], domain);
        break;
    case 1:
        leaf = jali_predicate_in(a, s->name[c], domain, code, 40);
        break;
    default:
        leaf = jali_predicate_range(a, s->name[c], domain, code[0], code[1]);
    }
    return small_roll(s, 3) == 0 ? jali_predicate_not(a, leaf) : leaf;
}

/* Columns for a table of at most 20,000 cells: the point is many cases, not many cells. */
static void pick_columns(small *s, question *q, uint64_t labels)
{
    uint64_t cells = labels + 1;
    size_t most = (size_t)small_roll(s, 5);
    for (q->n = 0; q->n < most;) {
        size_t c = (size_t)small_roll(s, s->n);
        if (cells * s->column[c].domain > 200000) break;
        cells *= s->column[c].domain;
        q->column[q->n++] = c;
    }
}

static void ask(small *s, jali_plan *plan, question *q, const view *v)
{
    const char *names[4];
    uint32_t labels = v->labels == 0 ? 1 : v->labels;
    static const kind kinds[] = { COUNTS, SUMS, BINS, GRID };
    q->kind = kinds[small_roll(s, 4)];
    pick_columns(s, q, labels);
    if (q->kind >= BINS && q->n == 0) q->kind = COUNTS;
    for (size_t k = 0; k < q->n; k++) names[k] = s->name[q->column[k]];
    q->summed = (size_t)small_roll(s, s->n);
    uint64_t top = s->column[q->summed].domain < 2 ? 0 : s->column[q->summed].domain - 2;
    q->centre = q->kind == SUMS && small_roll(s, 2) ? top / 2 : 0;
    q->bits = (unsigned)small_roll(s, 3 * q->n + 1);
    q->bins = 1 + (uint32_t)small_roll(s, 40);
    for (size_t l = 0; l < labels; l++) {
        q->lo[l] = (uint32_t)small_roll(s, s->column[q->column[0]].domain);
        q->step[l] = 1 + (uint32_t)small_roll(s, 1 + s->column[q->column[0]].domain / q->bins);
    }
    if (q->kind == SUMS)
        CHECK_OK(jali_plan_sums(plan, q->slice, names, q->n, s->name[q->summed], q->centre,
                                &q->table, NULL));
    else if (q->kind == BINS)
        CHECK_OK(jali_plan_histogram(plan, q->slice, names[0], q->bins, q->lo, q->step,
                                     &q->table, NULL));
    else if (q->kind == GRID)
        CHECK_OK(jali_plan_grid(plan, q->slice, names, q->n, q->bits, &q->table, NULL));
    else
        CHECK_OK(jali_plan_counts(plan, q->slice, names, q->n, &q->table, NULL));
}

static void agree(const small *s, const view *v, const question *q, const jali_tallies *set)
{
    const jali_tally *c = jali_tallies_counts(set, q->table);
    const jali_tally *t = jali_tallies_sums(set, q->table);
    size_t cells = width_of(s, q) * (v->labels == 0 ? 1 : v->labels);
    int64_t *counts = calloc(cells, 8), *sums = calloc(cells, 8);
    naive(s, v, q, counts, sums);
    CHECK(c->n == cells && (t != NULL) == (q->kind == SUMS));
    CHECK(memcmp(c->cell, counts, cells * 8) == 0);
    if (t != NULL) CHECK(memcmp(t->cell, sums, cells * 8) == 0);
    free(counts);
    free(sums);
}

static void random_table(small *s)
{
    s->rows = lengths[small_roll(s, sizeof lengths / sizeof *lengths)];
    size_t n = 2 + (size_t)small_roll(s, SMALL_COLUMNS - 1);
    for (size_t i = 0; i < n; i++)
        small_add(s, domains[small_roll(s, small_roll(s, 3) ? 8 : 13)], (int)small_roll(s, 8));
    small_open(s);
}

static void one_case(uint64_t seed, jali_pool *pool)
{
    small s = { .seed = seed * 0x9E3779B97F4A7C15u + 1 };
    jali_arena a = JALI_ARENA_INIT;
    jali_plan *plan;
    view views[3] = { { 0 } };
    question q[TABLES] = { { 0 } };
    const jali_tallies *set;
    random_table(&s);
    CHECK_OK(jali_plan_new(&plan, s.columns, 1, NULL));
    for (size_t v = 1; v < 3; v++) {
        size_t slice;
        views[v].labels = (uint32_t)small_roll(&s, 12);
        views[v].b = (size_t)small_roll(&s, s.n);
        if (small_roll(&s, 3))
            views[v].where = random_predicate(&s, &a, (int)small_roll(&s, 4));
        jali_label label = { .labels = views[v].labels,
                             .n = 2,
                             .columns =
                                 (const char *[]){ s.name[views[v].a], s.name[views[v].b] },
                             .label = small_label,
                             .self = &views[v].labels };
        CHECK_OK(jali_plan_slice(plan, views[v].labels ? &label : NULL, views[v].where, &slice,
                                 NULL));
        CHECK(slice == v);
    }
    size_t n = 1 + (size_t)small_roll(&s, TABLES);
    for (size_t i = 0; i < n; i++) {
        q[i].slice = (size_t)small_roll(&s, 3);
        ask(&s, plan, &q[i], &views[q[i].slice]);
    }
    const jali_how how = { .pool = seed % 3 == 0 ? pool : NULL,
                           .block = seed % 5 == 0 ? 0 : 64 * (1 + (size_t)small_roll(&s, 20)),
                           .kernels = seed % 2 ? jali_kernels_plain() : jali_kernels_best() };
    CHECK_OK(jali_plan_run_how(plan, &how, &a, &set, NULL));
    for (size_t i = 0; i < n; i++) agree(&s, &views[q[i].slice], &q[i], set);
    jali_plan_free(plan);
    jali_arena_clear(&a);
    small_free(&s);
}

SENTENCE(ten_thousand_random_plans_agree_with_the_naive_counter)
{
    UNUSED_STATE;
    jali_pool *pool;
    CHECK_OK(jali_pool_new(&pool, 3, NULL));
    for (uint64_t i = 0; i < CASES; i++) one_case(i, pool);
    jali_pool_free(pool);
}

SENTENCE(thousands_of_tables_are_all_answered)
{
    UNUSED_STATE;
    enum { MANY = 1500 };
    jali_arena a = JALI_ARENA_INIT;
    small s = { .seed = 31, .rows = 200 };
    jali_plan *plan;
    const jali_tallies *set;
    question *q = calloc(MANY, sizeof *q);
    const view all = { 0 };
    for (size_t i = 0; i < SMALL_COLUMNS; i++) small_add(&s, 2 + i, 2);
    small_open(&s);
    CHECK_OK(jali_plan_new(&plan, s.columns, 1, NULL));
    for (size_t i = 0; i < MANY; i++) ask(&s, plan, &q[i], &all);
    CHECK_OK(jali_plan_run(plan, NULL, &a, &set, NULL));
    for (size_t i = 0; i < MANY; i++) agree(&s, &all, &q[i], set);
    jali_plan_free(plan);
    jali_arena_clear(&a);
    small_free(&s);
    free(q);
}

/* Twins, threads, blocks and the order of rows: the same bytes every time. */
SENTENCE(the_numbers_do_not_depend_on_who_counted_in_which_order)
{
    UNUSED_STATE;
    enum { ROWS = 50000 };
    static const size_t blocks[] = { 64, 1024, 4096, 65536 };
    jali_arena a = JALI_ARENA_INIT;
    small s = { .seed = 11, .rows = ROWS };
    int64_t first[31 * 300];
    for (int i = 0; i < 5; i++) small_add(&s, 31, 1);
    small_add(&s, 300, 2);
    small_open(&s);
    for (int round = 0; round < 16; round++) {
        jali_pool *pool = NULL;
        jali_plan *plan;
        const jali_tallies *set;
        size_t t;
        if (round % 4 > 0) CHECK_OK(jali_pool_new(&pool, (unsigned)(round % 4 + 1), NULL));
        CHECK_OK(jali_plan_new(&plan, s.columns, 1, NULL));
        CHECK_OK(jali_plan_sums(plan, 0, (const char *[]){ "c0", "c5" }, 2, "c1", 7, &t, NULL));
        jali_how how = { pool, blocks[round / 4],
                         round % 2 ? jali_kernels_plain() : jali_kernels_best() };
        CHECK_OK(jali_plan_run_how(plan, &how, &a, &set, NULL));
        if (round == 0) memcpy(first, set->sums[t].cell, sizeof first);
        CHECK(memcmp(first, set->sums[t].cell, sizeof first) == 0);
        jali_plan_free(plan);
        jali_pool_free(pool);
        if (round % 5 == 0) /* swap rows, the same way in every column */
            for (size_t i = 0; i < ROWS / 3; i++)
                for (size_t c = 0; c < s.n; c++) {
                    unsigned w = s.column[c].width;
                    char *codes = (char *)(uintptr_t)s.column[c].codes, old[8];
                    size_t j = ROWS - 1 - i * 2;
                    memcpy(old, codes + i * w, w);
                    memcpy(codes + i * w, codes + j * w, w);
                    memcpy(codes + j * w, old, w);
                }
    }
    jali_arena_clear(&a);
    small_free(&s);
}

/* A label function that misbehaves must not reach outside its table. */
static void wild_label(void *self, const jali_block *block, uint16_t *out)
{
    (void)self;
    for (size_t i = 0; i < block->rows; i++) out[i] = 65535;
}

SENTENCE(a_label_out_of_range_is_cut_to_the_last_one)
{
    UNUSED_STATE;
    jali_arena a = JALI_ARENA_INIT;
    small s = { .seed = 3, .rows = 100 };
    jali_plan *plan;
    const jali_tallies *set;
    size_t slice, t;
    small_add(&s, 4, 2);
    small_open(&s);
    CHECK_OK(jali_plan_new(&plan, s.columns, 1, NULL));
    jali_label label = {
        .labels = 3, .n = 0, .columns = NULL, .label = wild_label, .self = NULL
    };
    CHECK_OK(jali_plan_slice(plan, &label, NULL, &slice, NULL));
    CHECK_OK(jali_plan_counts(plan, slice, NULL, 0, &t, NULL));
    CHECK_OK(jali_plan_run(plan, NULL, &a, &set, NULL));
    CHECK(set->counts[t].cell[0] == 0 && set->counts[t].cell[2] == 100);
    CHECK(jali_tally_axes(&set->counts[t]) == 1 && jali_tally_extent(&set->counts[t], 0) == 3);
    jali_plan_free(plan);
    jali_arena_clear(&a);
    small_free(&s);
}

/* Rows times codes that do not fit one word: the wide cells must take over by themselves. */
SENTENCE(large_codes_are_summed_exactly)
{
    UNUSED_STATE;
    enum { ROWS = 70000 };
    jali_arena a = JALI_ARENA_INIT;
    small s = { .rows = ROWS };
    uint32_t *codes = malloc(ROWS * sizeof *codes);
    jali_plan *plan;
    const jali_tallies *set;
    size_t t;
    for (size_t i = 0; i < ROWS; i++) codes[i] = JALI_PLAN_SUM_CODES;
    s.column[s.n++] = (jali_column){ "big", 4, (uint64_t)JALI_PLAN_SUM_CODES + 2, ROWS, codes };
    small_add(&s, 2, 0);
    small_open(&s);
    CHECK_OK(jali_plan_new(&plan, s.columns, 1, NULL));
    CHECK_OK(jali_plan_sums(plan, 0, (const char *[]){ "c1" }, 1, "big", 0, &t, NULL));
    CHECK_OK(jali_plan_run(plan, NULL, &a, &set, NULL));
    CHECK(set->counts[t].cell[1] == ROWS && set->counts[t].cell[0] == 0);
    CHECK(set->sums[t].cell[1] == (int64_t)ROWS * JALI_PLAN_SUM_CODES);
    jali_plan_free(plan);
    jali_arena_clear(&a);
    small_free(&s);
}

RUN_ALL(TEST(ten_thousand_random_plans_agree_with_the_naive_counter),
        TEST(thousands_of_tables_are_all_answered),
        TEST(the_numbers_do_not_depend_on_who_counted_in_which_order),
        TEST(a_label_out_of_range_is_cut_to_the_last_one), TEST(large_codes_are_summed_exactly))
