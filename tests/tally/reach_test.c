/* Refutes tally.sensitivity if it can: every neighbour of every small table.
 *
 * Tables of up to two rows over two small columns; a person of up to m rows is added in
 * every possible way, and the distance between the two tallies is measured in each norm.
 * None may exceed the stated reach, and some neighbour must attain it, so that a smaller
 * number would be refuted.
 */
#include "small.h"

enum { X = 3, V = 5, KINDS = X * V, MOST_ROWS = 8 }; /* domains, NULL included */

typedef struct norms {
    uint64_t l0, l1, l2_squared, linf;
} norms;

typedef struct asked {
    bool sums, where;
    uint32_t labels; /* 0: none */
    uint64_t centre;
    enum { TABLE, HISTOGRAM, GRID } shape;
} asked;

static void label_by_x(void *self, const jali_block *block, uint16_t *out)
{
    for (size_t i = 0; i < block->rows; i++)
        out[i] = (uint16_t)(small_block_code(block, 0, i) % *(const uint32_t *)self);
}

/* Row kinds 0..KINDS-1 are all pairs of codes; returns a copy of the cells. */
static int64_t *tally(const asked *q, const unsigned *kind, size_t rows, uint32_t m, size_t *n,
                      jali_reach *reach)
{
    uint8_t x[MOST_ROWS] = { 0 }, v[MOST_ROWS] = { 0 };
    jali_arena a = JALI_ARENA_INIT;
    jali_columns *columns;
    jali_plan *plan;
    const jali_tallies *set;
    uint32_t labels = q->labels;
    const char *const by[] = { "x", "v" };
    size_t slice, t;
    for (size_t i = 0; i < rows; i++) {
        x[i] = (uint8_t)(kind[i] / V);
        v[i] = (uint8_t)(kind[i] % V);
    }
    const jali_column column[] = { { "x", 1, X, rows, x }, { "v", 1, V, rows, v } };
    CHECK_OK(jali_columns_borrow(&columns, column, 2, NULL));
    CHECK_OK(jali_plan_new(&plan, columns, m, NULL));
    jali_label label = {
        .labels = labels, .n = 1, .columns = by, .label = label_by_x, .self = &labels
    };
    const jali_predicate *where = q->where ? jali_predicate_range(&a, "v", V, 0, 2) : NULL;
    CHECK_OK(jali_plan_slice(plan, labels ? &label : NULL, where, &slice, NULL));
    const uint32_t lo[] = { 0, 1, 0 }, step[] = { 2, 1, 3 };
    if (q->shape == HISTOGRAM)
        CHECK_OK(jali_plan_histogram(plan, slice, "v", 2, lo, step, &t, NULL));
    else if (q->shape == GRID)
        CHECK_OK(jali_plan_grid(plan, slice, by, 2, 2, &t, NULL));
    else if (q->sums)
        CHECK_OK(jali_plan_sums(plan, slice, by, 1, "v", q->centre, &t, NULL));
    else
        CHECK_OK(jali_plan_counts(plan, slice, by, 2, &t, NULL));
    CHECK_OK(jali_plan_run(plan, NULL, &a, &set, NULL));
    const jali_tally *y = q->sums ? jali_tallies_sums(set, t) : jali_tallies_counts(set, t);
    int64_t *cells = malloc(y->n * sizeof *cells);
    memcpy(cells, y->cell, y->n * sizeof *cells);
    *n = y->n;
    *reach = y->reach;
    jali_plan_free(plan);
    jali_columns_free(columns);
    jali_arena_clear(&a);
    return cells;
}

static void measure(const int64_t *a, const int64_t *b, size_t n, norms *worst)
{
    norms d = { 0 };
    for (size_t i = 0; i < n; i++) {
        uint64_t by = (uint64_t)llabs(a[i] - b[i]);
        d.l0 += by > 0;
        d.l1 += by;
        d.l2_squared += by * by;
        if (by > d.linf) d.linf = by;
    }
    if (d.l0 > worst->l0) worst->l0 = d.l0;
    if (d.l1 > worst->l1) worst->l1 = d.l1;
    if (d.l2_squared > worst->l2_squared) worst->l2_squared = d.l2_squared;
    if (d.linf > worst->linf) worst->linf = d.linf;
}

/* Adds every person of at most m rows to the table that is already in kind[0..base-1]. */
static void all_persons(const asked *q, unsigned *kind, size_t base, uint32_t m, norms *worst,
                        jali_reach *reach)
{
    size_t n, people = 1;
    int64_t *before = tally(q, kind, base, m, &n, reach);
    for (uint32_t rows = 1; rows <= m; rows++) {
        people *= KINDS;
        for (size_t p = 0; p < people; p++) {
            size_t left = p;
            for (uint32_t i = 0; i < rows; i++, left /= KINDS)
                kind[base + i] = (unsigned)(left % KINDS);
            int64_t *after = tally(q, kind, base + rows, m, &n, reach);
            measure(before, after, n, worst);
            free(after);
        }
    }
    free(before);
}

static norms worst_neighbour(const asked *q, uint32_t m, jali_reach *reach)
{
    norms worst = { 0 };
    unsigned kind[MOST_ROWS];
    all_persons(q, kind, 0, m, &worst, reach); /* the empty table */
    for (unsigned k = 0; k < KINDS; k += 4) {
        kind[0] = k;
        kind[1] = KINDS - 1 - k;
        all_persons(q, kind, 2, m, &worst, reach);
    }
    return worst;
}

static bool exact(const norms *w, const jali_reach *r)
{
    return w->l0 == r->l0 && w->l1 == r->l1 && w->l2_squared == r->l2 * r->l2 &&
           w->linf == r->linf;
}

/* Claim tally.sensitivity. */
SENTENCE(the_reach_is_attained_and_never_passed)
{
    UNUSED_STATE;
    const asked all[] = {
        { .sums = false },
        { .sums = false, .where = true, .labels = 2 },
        { .sums = true },
        { .sums = true, .centre = 1, .labels = 3 },
        { .sums = true, .centre = 2, .where = true },
        { .shape = HISTOGRAM, .labels = 3 },
        { .shape = HISTOGRAM },
        { .shape = GRID, .where = true },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (uint32_t m = 1; m <= 3; m++) {
            jali_reach reach;
            norms worst = worst_neighbour(&all[i], m, &reach);
            /* A predicate may keep the extreme codes out; then the reach is a bound only. */
            if (all[i].sums && all[i].where)
                CHECK(worst.l1 <= reach.l1 && worst.linf <= reach.linf && worst.l0 <= reach.l0);
            else
                CHECK(exact(&worst, &reach));
        }
}

/* The referee refutes constants that are one too small, in every norm. */
SENTENCE(a_smaller_constant_is_refuted)
{
    UNUSED_STATE;
    const asked q = { .sums = true };
    jali_reach reach;
    norms worst = worst_neighbour(&q, 2, &reach);
    CHECK(exact(&worst, &reach));
    for (int norm = 0; norm < 4; norm++) {
        jali_reach less = reach;
        uint64_t *at[] = { &less.l0, &less.l1, &less.l2, &less.linf };
        (*at[norm])--;
        CHECK(worst.l0 > less.l0 || worst.l1 > less.l1 ||
              worst.l2_squared > less.l2 * less.l2 || worst.linf > less.linf);
    }
}

SENTENCE(centring_halves_the_reach_of_a_sum)
{
    UNUSED_STATE;
    const jali_sum plain = { .domain = 102, .centre = 0 },
                   half = { .domain = 102, .centre = 50 };
    const jali_sum null = { .domain = 1 };
    CHECK(jali_sum_size(&plain) == 100 && jali_sum_size(&half) == 50);
    CHECK(jali_sum_size(&null) == 0 && jali_reach_of(5, 0, 10).l0 == 0);
    CHECK(jali_reach_of(7, 3, 4).l0 == 4 && jali_reach_of(7, 3, 4).l1 == 21);
}

RUN_ALL(TEST(the_reach_is_attained_and_never_passed), TEST(a_smaller_constant_is_refuted),
        TEST(centring_halves_the_reach_of_a_sum))
