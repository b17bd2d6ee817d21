/* tally/layout.c — which tables are really counted, and where.
 *
 * An add costs the same whether its key names one column or six, as long as the table
 * stays in the first cache. So tables over the same labels (and the same sum) are put
 * together: a unit counts the joint table of several columns, and the tables that were
 * asked for are its margins, taken once at the end. On the census shape (68 columns, 9
 * labels) 68 adds a row become 28.
 *
 * First fit by decreasing size, growing the unit that grows least. The largest joint table
 * was chosen by measurement (census shape, ratio to reading once, with copies as below):
 *   1,024 cells 4.5    2,048 cells 4.3    4,096 cells 4.5    8,192 cells 5.0
 * and for sums, whose adds wait for memory anyway (IPUMS shape, ms for pairs, triples):
 *   1,024 cells 18, 67    4,096 cells 13, 63    8,192 cells 11, 62    16,384 cells 12, 53
 * Nothing here depends on a cell of data; the number of rows chooses between packed and
 * wide sums, which give the same numbers.
 */
#include "tally/inside.h"
#include <stdlib.h>

enum {
    JOINT_COUNTS = 2048, /* 8 KB a copy */
    JOINT_SUMS = 8192,   /* 64 KB: the second cache holds it, and fewer units win */
    FOUR_COPIES = 16 << 10,
    TWO_COPIES = 64 << 10,
    SECOND_CACHE = 512 << 10,
    BLOCK_LEAST = 2048,
    BLOCK_MOST = 65536,
    BLOCK_LARGE = 262144,
    MANY_TABLES = 1024, /* then a table is not looked for where it seems not to fit */
    ALIGNED = 64
};

static const size_t cell_bytes[] = {
    [JALI_CELL_COUNT] = 4, [JALI_CELL_PACKED] = 8, [JALI_CELL_WIDE] = 16
};

static uint64_t domain_of(const jali_plan *plan, uint32_t source)
{
    return PLAN_SOURCE(plan, source).domain;
}

static bool holds(const uint32_t *list, unsigned n, uint32_t source)
{
    for (unsigned i = 0; i < n; i++)
        if (list[i] == source) return true;
    return false;
}

/* The cells that u would have with the columns of t, or 0 if it cannot take them. */
static uint64_t grown(const jali_plan *plan, const jali_unit *u, const jali_table *t,
                      uint64_t limit)
{
    uint64_t cells = u->cells;
    unsigned n = u->n;
    for (unsigned i = 0; i < t->n; i++) {
        if (holds(u->source, u->n, t->source[i]) || holds(t->source, i, t->source[i])) continue;
        cells *= domain_of(plan, t->source[i]); /* at most limit * 2^26 */
        if (++n > JALI_KEY_PARTS || cells > limit) return 0;
    }
    return cells;
}

static void widen(jali_unit *u, const jali_table *t, uint64_t cells)
{
    for (unsigned i = 0; i < t->n; i++)
        if (!holds(u->source, u->n, t->source[i])) u->source[u->n++] = t->source[i];
    u->cells = cells;
}

/* Where t fits with the least growth, the fuller unit if equal; the count when nowhere. */
static size_t best_unit(const jali_plan *plan, const jali_unit *unit, size_t first, size_t n,
                        const jali_table *t)
{
    uint64_t limit = t->sum == NONE ? JOINT_COUNTS : JOINT_SUMS, least = UINT64_MAX;
    size_t best = n;
    bool many = plan->table.n > MANY_TABLES && t->n > 0;
    uint64_t full = many ? limit / domain_of(plan, t->source[0]) : UINT64_MAX;
    for (size_t i = first; i < n; i++) {
        if (unit[i].cells > full) continue;
        uint64_t cells = grown(plan, &unit[i], t, limit), by;
        if (cells == 0) {
            cells = grown(plan, &unit[i], t, unit[i].cells); /* already inside a large one? */
            if (cells == 0) continue;
        }
        by = cells / unit[i].cells;
        if (by < least || (by == least && cells > unit[best].cells * by)) {
            least = by;
            best = i;
        }
        if (by == 1) break;
    }
    return best;
}

/* Slices and sums together, then the large tables first. */
static int by_size(const void *a, const void *b, const jali_plan *plan)
{
    const jali_table *x = &PLAN_TABLE(plan, *(const uint32_t *)a);
    const jali_table *y = &PLAN_TABLE(plan, *(const uint32_t *)b);
    if (x->slice != y->slice) return x->slice < y->slice ? -1 : 1;
    if (x->sum != y->sum) return x->sum < y->sum ? -1 : 1;
    if (x->cells != y->cells) return x->cells > y->cells ? -1 : 1;
    return (*(const uint32_t *)a > *(const uint32_t *)b) ? 1 : -1;
}

/* Merge sort, because qsort has nowhere to put the plan and a global is not to be had. */
static void sort_tables(uint32_t *at, uint32_t *spare, size_t n, const jali_plan *plan)
{
    if (n < 2) return;
    size_t half = n / 2, i = 0, j = half, k = 0;
    sort_tables(at, spare, half, plan);
    sort_tables(at + half, spare, n - half, plan);
    while (i < half || j < n) {
        bool left = j == n || (i < half && by_size(&at[i], &at[j], plan) < 0);
        spare[k++] = left ? at[i++] : at[j++];
    }
    for (i = 0; i < n; i++) at[i] = spare[i];
}

static void pack(const jali_plan *plan, const uint32_t *order, jali_layout *out)
{
    size_t first = 0;
    for (size_t k = 0; k < plan->table.n; k++) {
        const jali_table *t = &PLAN_TABLE(plan, order[k]);
        if (out->n > first &&
            (out->unit[first].slice != t->slice || out->unit[first].sum != t->sum))
            first = out->n;
        size_t i = best_unit(plan, out->unit, first, out->n, t);
        if (i == out->n)
            out->unit[out->n++] = (jali_unit){ .slice = t->slice,
                                               .sum = t->sum,
                                               .cells = PLAN_SLICE(plan, t->slice).kept };
        widen(&out->unit[i], t, grown(plan, &out->unit[i], t, UINT64_MAX));
        out->unit_of[order[k]] = (uint32_t)i;
    }
}

static unsigned bits(uint64_t x)
{
    return x == 0 ? 0 : 64 - (unsigned)__builtin_clzll(x);
}

/* A packed cell holds `rows` counts above the largest sum of `rows` codes; if both do not
 * fit 64 bits, cells are wide. */
static void choose_shifts(const jali_plan *plan, uint64_t rows, jali_layout *out)
{
    for (size_t i = 0; i < plan->sum.n; i++) {
        uint64_t domain = PLAN_SUM(plan, i).domain, top = domain < 2 ? 0 : domain - 2;
        unsigned low = bits(rows * top);
        out->shift[i] = low + bits(rows) <= 64 && low < 64 ? (low == 0 ? 1 : low) : 0;
    }
}

static void place(jali_layout *out)
{
    size_t at = 0;
    for (size_t i = 0; i < out->n; i++) {
        jali_unit *u = &out->unit[i];
        u->kind = u->sum == NONE           ? JALI_CELL_COUNT
                  : out->shift[u->sum] > 0 ? JALI_CELL_PACKED
                                           : JALI_CELL_WIDE;
        size_t bytes = (size_t)u->cells * cell_bytes[u->kind];
        u->copies = 4 * bytes <= FOUR_COPIES ? 4 : 2 * bytes <= TWO_COPIES ? 2 : 1;
        if (u->kind == JALI_CELL_WIDE) u->copies = 1;
        if (u->kind == JALI_CELL_COUNT && u->cells <= JALI_MASK_CELLS) u->copies = 1;
        u->offset = at;
        at += (bytes * u->copies + ALIGNED - 1) / ALIGNED * ALIGNED;
    }
    out->bytes = at;
}

/* What several units read should still be in the second cache for the next one. But if the
 * tables do not fit there, each block fetches all of them again: then blocks are long, and
 * columns, which are read in order, come from further away (56 triples of the IPUMS shape:
 * 116 ms with 16,384 rows, 62 ms with 262,144). A single unit has its table to itself. */
static size_t choose_block(const jali_plan *plan, const jali_layout *l, uint8_t *uses)
{
    size_t bytes = sizeof(uint16_t) + (plan->sum.n > 0 ? sizeof(uint64_t) : 0);
    for (size_t i = 0; i < l->n; i++)
        for (unsigned k = 0; k < l->unit[i].n; k++) {
            uint32_t s = l->unit[i].source[k];
            if (uses[s] < 2 && ++uses[s] == 2) bytes += PLAN_SOURCE(plan, s).width;
        }
    if (l->n > 1 && l->bytes > SECOND_CACHE) return BLOCK_LARGE;
    size_t rows = SECOND_CACHE / 2 / bytes / 64 * 64;
    return rows < BLOCK_LEAST ? BLOCK_LEAST : rows > BLOCK_MOST ? BLOCK_MOST : rows;
}

jali_status jali_layout_make(const jali_plan *plan, uint64_t rows, jali_arena *arena,
                             jali_layout *out, jali_err *err)
{
    size_t n = plan->table.n;
    jali_layout l = { .unit = jali_arena_take(arena, n + 1, sizeof *l.unit),
                      .unit_of = jali_arena_take(arena, n + 1, sizeof *l.unit_of),
                      .shift = jali_arena_take(arena, plan->sum.n + 1, sizeof *l.shift) };
    uint32_t *order = jali_arena_take(arena, n + 1, sizeof *order);
    uint32_t *spare = jali_arena_take(arena, n + 1, sizeof *spare);
    uint8_t *uses = jali_arena_take(arena, plan->source.n + 1, 1);
    if (l.unit == NULL || l.unit_of == NULL || l.shift == NULL || order == NULL ||
        spare == NULL || uses == NULL)
        return jali_fail_memory(err);
    for (size_t i = 0; i < n; i++) order[i] = (uint32_t)i;
    sort_tables(order, spare, n, plan);
    pack(plan, order, &l);
    choose_shifts(plan, rows, &l);
    place(&l);
    l.block = choose_block(plan, &l, uses);
    *out = l;
    return JALI_OK;
}
