/* tally/order.c — plans as bytes, for those who count elsewhere: numbers, axes, tables. */
#include "tally/order.h"
#include "tally/inside.h"
#include "tally/order_label.h"
#include <string.h>

enum { MOST_ITEMS = 1 << 28 }; /* no array of an order is longer */

void jali_put(jali_text *to, uint64_t number)
{
    jali_text_add_n(to, (const char *)&number, sizeof number);
}

void jali_put_bytes(jali_text *to, const void *bytes, size_t n)
{
    if (n > 0) jali_text_add_n(to, bytes, n);
}

void jali_put_text(jali_text *to, const char *text)
{
    jali_put(to, strlen(text));
    jali_put_bytes(to, text, strlen(text));
}

uint64_t jali_get(jali_reading *from)
{
    uint64_t number = 0;
    from->good = from->good && (size_t)(from->end - from->at) >= sizeof number;
    if (!from->good) return 0;
    memcpy(&number, from->at, sizeof number);
    from->at += sizeof number;
    return number;
}

void *jali_get_bytes(jali_reading *from, size_t n, size_t size)
{
    from->good = from->good && n <= MOST_ITEMS && (size_t)(from->end - from->at) / size >= n;
    void *to = from->good ? jali_arena_take(from->arena, n + 1, size) : NULL;
    from->good = from->good && to != NULL;
    if (!from->good) return NULL;
    memcpy(to, from->at, n * size);
    from->at += n * size;
    return to;
}

const char *jali_get_text(jali_reading *from)
{
    size_t n = (size_t)jali_get(from);
    const char *text = jali_get_bytes(from, n, 1); /* the arena's zero behind it ends it */
    return text != NULL ? text : "";
}

jali_status jali_get_status(const jali_reading *from, jali_err *err)
{
    if (from->good) return JALI_OK;
    return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                     "an order of rank 0 was not understood: run the same version of "
                     "jali-tally everywhere");
}

/* ---- axes -------------------------------------------------------------------------------- */

void jali_put_axes(jali_text *to, const jali_ruler *axis, size_t n)
{
    jali_put(to, n);
    for (size_t j = 0; j < n; j++) {
        const jali_ruler *a = &axis[j];
        const uint64_t part[] = { a->domain, a->low, a->one_hot, a->up,  a->down,
                                  a->span,   a->mul, a->top,     a->null };
        jali_put_text(to, a->column);
        jali_put_bytes(to, part, sizeof part);
    }
}

const jali_ruler *jali_get_axes(jali_reading *from, const jali_columns *columns, size_t *n)
{
    size_t all = (size_t)jali_get(from), i;
    jali_ruler *axis =
        all <= JALI_GEOMETRY_AXES ? jali_arena_take(from->arena, all + 1, sizeof *axis) : NULL;
    from->good = from->good && axis != NULL;
    for (size_t j = 0; from->good && j < all; j++) {
        jali_ruler *a = &axis[j];
        from->good = jali_columns_find(columns, jali_get_text(from), &i) && from->good;
        const uint64_t *part = jali_get_bytes(from, 9, sizeof *part);
        if (!from->good) break;
        a->column = jali_columns_at(columns, i)->name;
        a->domain = part[0];
        a->low = part[1];
        a->one_hot = part[2] != 0;
        a->up = (unsigned)part[3];
        a->down = (unsigned)part[4];
        a->span = (uint32_t)part[5];
        a->mul = (uint32_t)part[6];
        a->top = (uint32_t)part[7];
        a->null = (uint32_t)part[8];
        from->good = a->domain == jali_columns_at(columns, i)->domain && jali_ruler_is_sound(a);
    }
    *n = all;
    return axis;
}

/* ---- tables ------------------------------------------------------------------------------ */

static const char *name_of(const jali_plan *plan, size_t column)
{
    return jali_columns_at(plan->columns, column)->name;
}

static void put_table(jali_text *to, const jali_plan *plan, const jali_table *t)
{
    const jali_key_source *s = t->n > 0 ? &PLAN_SOURCE(plan, t->source[0]) : NULL;
    unsigned kind = s == NULL ? SOURCE_COLUMN : s->kind;
    jali_put(to, kind);
    jali_put(to, t->slice);
    jali_put(to, t->sum == NONE ? 0 : 1);
    if (t->sum != NONE) {
        jali_put_text(to, name_of(plan, PLAN_SUM(plan, t->sum).column));
        jali_put(to, PLAN_SUM(plan, t->sum).centre);
    }
    if (kind == SOURCE_BINS) {
        uint32_t labels = PLAN_SLICE(plan, t->slice).labels;
        jali_put_text(to, name_of(plan, s->column));
        jali_put(to, s->by.bins);
        jali_put(to, labels);
        jali_put_bytes(to, s->by.lo, labels * sizeof *s->by.lo);
        jali_put_bytes(to, s->step, labels * sizeof *s->step);
        return;
    }
    jali_put(to, kind == SOURCE_GRID ? s->n : t->n);
    if (kind == SOURCE_GRID) jali_put(to, s->bits);
    for (unsigned i = 0; kind == SOURCE_GRID && i < s->n; i++)
        jali_put_text(to, name_of(plan, s->grid[i]));
    for (unsigned i = 0; kind == SOURCE_COLUMN && i < t->n; i++)
        jali_put_text(to, name_of(plan, PLAN_SOURCE(plan, t->source[i]).column));
}

static jali_status get_bins(jali_reading *from, jali_plan *plan, size_t slice, jali_err *err)
{
    size_t table;
    const char *column = jali_get_text(from);
    uint32_t bins = (uint32_t)jali_get(from), labels = (uint32_t)jali_get(from);
    const uint32_t *lo = jali_get_bytes(from, labels, sizeof *lo);
    const uint32_t *step = jali_get_bytes(from, labels, sizeof *step);
    from->good =
        from->good && slice < plan->slice.n && labels == PLAN_SLICE(plan, slice).labels;
    JALI_TRY(jali_get_status(from, err));
    return jali_plan_histogram(plan, slice, column, bins, lo, step, &table, err);
}

static jali_status get_table(jali_reading *from, jali_plan *plan, jali_err *err)
{
    const char *name[JALI_PLAN_GRID_COLUMNS], *summed = NULL;
    uint64_t kind = jali_get(from), centre = 0;
    size_t slice = (size_t)jali_get(from), table;
    if (jali_get(from) != 0) {
        summed = jali_get_text(from);
        centre = jali_get(from);
    }
    if (kind == SOURCE_BINS) return get_bins(from, plan, slice, err);
    size_t n = (size_t)jali_get(from);
    unsigned bits = kind == SOURCE_GRID ? (unsigned)jali_get(from) : 0;
    from->good = from->good && n <= JALI_PLAN_GRID_COLUMNS;
    for (size_t i = 0; from->good && i < n; i++) name[i] = jali_get_text(from);
    JALI_TRY(jali_get_status(from, err));
    if (kind == SOURCE_GRID && summed != NULL)
        return jali_plan_grid_sums(plan, slice, name, n, bits, summed, centre, &table, err);
    if (kind == SOURCE_GRID) return jali_plan_grid(plan, slice, name, n, bits, &table, err);
    if (summed != NULL)
        return jali_plan_sums(plan, slice, name, n, summed, centre, &table, err);
    return jali_plan_counts(plan, slice, name, n, &table, err);
}

jali_status jali_put_plan(jali_text *to, const jali_plan *plan, jali_err *err)
{
    jali_put(to, plan->rows_per_person);
    jali_put(to, plan->slice.n);
    for (size_t i = 1; i < plan->slice.n; i++)
        JALI_TRY(jali_put_slice(to, plan, &PLAN_SLICE(plan, i), err));
    jali_put(to, plan->table.n);
    for (size_t i = 0; i < plan->table.n; i++) put_table(to, plan, &PLAN_TABLE(plan, i));
    return jali_text_status(to, err);
}

static jali_status get_parts(jali_reading *from, jali_plan *plan, const jali_schema *schema,
                             jali_err *err)
{
    size_t slices = (size_t)jali_get(from);
    for (size_t i = 1; from->good && i < slices; i++)
        JALI_TRY(jali_get_slice(from, plan, schema, err));
    size_t tables = (size_t)jali_get(from);
    for (size_t i = 0; from->good && i < tables; i++) JALI_TRY(get_table(from, plan, err));
    return jali_get_status(from, err);
}

jali_status jali_get_plan(jali_reading *from, jali_columns *columns, const jali_schema *schema,
                          jali_plan **out, jali_err *err)
{
    jali_plan *plan;
    uint32_t rows = (uint32_t)jali_get(from);
    JALI_TRY(jali_get_status(from, err));
    JALI_TRY(jali_plan_new(&plan, columns, rows, err));
    jali_status status = get_parts(from, plan, schema, err);
    if (status == JALI_OK)
        *out = plan;
    else
        jali_plan_free(plan);
    return status;
}
