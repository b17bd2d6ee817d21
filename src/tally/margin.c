/* tally/margin.c — from units that were counted to tables that were asked for.
 *
 * Integer additions only, so the order in which workers, copies and cells are met cannot
 * be seen in the result.
 */
#include "tally/margin.h"

static size_t words32(const jali_unit *u)
{
    return (size_t)u->cells * (u->kind == JALI_CELL_COUNT ? 1 : 0);
}

static size_t words64(const jali_unit *u)
{
    size_t each = u->kind == JALI_CELL_PACKED ? 1 : u->kind == JALI_CELL_WIDE ? 2 : 0;
    return (size_t)u->cells * each;
}

static void add(const jali_unit *u, void *into, const void *from, size_t copies)
{
    uint32_t *a = into;
    const uint32_t *b = from;
    uint64_t *x = into;
    const uint64_t *y = from;
    for (size_t i = 0; i < copies * words32(u); i++) a[i] += b[i];
    for (size_t i = 0; i < copies * words64(u); i++) x[i] += y[i];
}

void jali_margin_merge(const jali_layout *layout, void *into, const void *from)
{
    for (size_t i = 0; i < layout->n; i++) {
        const jali_unit *u = &layout->unit[i];
        add(u, (char *)into + u->offset, (const char *)from + u->offset, u->copies);
    }
}

void jali_margin_fold(const jali_layout *layout, void *memory)
{
    for (size_t i = 0; i < layout->n; i++) {
        const jali_unit *u = &layout->unit[i];
        char *first = (char *)memory + u->offset;
        size_t bytes = 4 * words32(u) + 8 * words64(u);
        for (unsigned c = 1; c < u->copies; c++) add(u, first, first + c * bytes, 1);
    }
}

/* One cell of a unit as a count and a sum. */
typedef struct reading {
    const jali_unit *unit;
    const void *at;
    unsigned shift;
} reading;

static int64_t count_of(const reading *r, size_t i)
{
    if (r->unit->kind == JALI_CELL_COUNT) return ((const uint32_t *)r->at)[i];
    if (r->unit->kind == JALI_CELL_WIDE) return (int64_t)((const uint64_t *)r->at)[2 * i];
    return (int64_t)(((const uint64_t *)r->at)[i] >> r->shift);
}

static int64_t sum_of(const reading *r, size_t i)
{
    if (r->unit->kind == JALI_CELL_WIDE) return (int64_t)((const uint64_t *)r->at)[2 * i + 1];
    return (int64_t)(((const uint64_t *)r->at)[i] & ((1ull << r->shift) - 1));
}

/* How far a step along each axis of the unit moves in the table: a column that the table
 * does not name, nothing; one that it names twice, both strides. */
static void strides(const jali_plan *plan, const jali_unit *u, const jali_table *t,
                    size_t *stride)
{
    size_t step = 1;
    for (unsigned k = 0; k < u->n; k++) stride[k + 1] = 0;
    for (unsigned a = t->n; a-- > 0;) {
        for (unsigned k = 0; k < u->n; k++)
            if (u->source[k] == t->source[a]) stride[k + 1] += step;
        step *= (size_t)PLAN_SOURCE(plan, t->source[a]).domain;
    }
    stride[0] = step;
}

/* Does the table have the unit's columns, all of them and in its order? */
static bool is_whole(const size_t *stride, const size_t *extent, unsigned n)
{
    for (unsigned k = 0; k < n; k++)
        if (stride[k] != stride[k + 1] * extent[k + 1]) return false;
    return stride[n] == 1;
}

void jali_margin_read(const jali_plan *plan, const jali_layout *layout, size_t table,
                      const void *memory, int64_t *counts, int64_t *sums)
{
    const jali_table *t = &PLAN_TABLE(plan, table);
    const jali_unit *u = &layout->unit[layout->unit_of[table]];
    const jali_slice *s = &PLAN_SLICE(plan, t->slice);
    size_t stride[JALI_KEY_PARTS + 1], extent[JALI_KEY_PARTS + 1], digit[JALI_KEY_PARTS + 1];
    reading r = { u, (const char *)memory + u->offset,
                  u->sum == NONE ? 0 : layout->shift[u->sum] };
    strides(plan, u, t, stride);
    extent[0] = s->kept;
    for (unsigned k = 0; k < u->n; k++)
        extent[k + 1] = (size_t)PLAN_SOURCE(plan, u->source[k]).domain;
    for (unsigned k = 0; k <= u->n; k++) digit[k] = 0;
    /* Rows that the predicate left out have the last label, and come last. */
    size_t end = (size_t)u->cells / s->kept * s->labels, to = 0;
    bool whole = is_whole(stride, extent, u->n);
    for (size_t i = 0; whole && i < end; i++) counts[i] = count_of(&r, i);
    for (size_t i = 0; whole && sums != NULL && i < end; i++) sums[i] = sum_of(&r, i);
    for (size_t i = 0; !whole && i < end; i++) {
        counts[to] += count_of(&r, i);
        if (sums != NULL) sums[to] += sum_of(&r, i);
        for (unsigned k = u->n + 1; k-- > 0;) {
            to += stride[k];
            if (++digit[k] < extent[k]) break;
            to -= stride[k] * extent[k];
            digit[k] = 0;
        }
    }
    int64_t centre = u->sum == NONE ? 0 : (int64_t)PLAN_SUM(plan, u->sum).centre;
    for (size_t i = 0; sums != NULL && i < t->cells; i++) sums[i] -= centre * counts[i];
}
