/* tally/sparse.c — a table with more cells than memory: only those that somebody is in. */
#include "tally/sparse.h"
#include "engine/codes.h"
#include "tally/inside.h"
#include "tally/open.h"
#include "tally/sparse_crew.h"
#include <string.h>

enum { BLOCK = 4096, DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

typedef struct record {
    uint64_t cell;
    uint32_t group, code;
} record;

typedef struct axis {
    const jali_column *column;
    uint64_t radix; /* codes from here on are left out */
} axis;

typedef struct work {
    const jali_sparse_table *table;
    axis axis[JALI_PLAN_COLUMNS];
    const jali_column *summed; /* NULL: none */
    uint64_t cells;
    record *from, *to;
    size_t n;
} work;

static jali_status find(const jali_plan *plan, const char *name, const jali_column **out,
                        jali_err *err)
{
    size_t i;
    if (!jali_columns_find(plan->columns, name, &i))
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "the table has no column \"%.100s\"", name);
    return jali_columns_map(plan->columns, i, out, err);
}

static jali_status bind(work *w, const jali_plan *plan, jali_err *err)
{
    w->cells = 1;
    for (size_t i = 0; i < w->table->n; i++) {
        axis *a = &w->axis[i];
        JALI_TRY(find(plan, w->table->column[i], &a->column, err));
        a->radix = a->column->domain - (w->table->nulls[i] ? 0 : 1);
        if (__builtin_mul_overflow(w->cells, a->radix, &w->cells) || w->cells >> 62 != 0)
            return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                             "this table would have more than 2^62 cells");
    }
    return w->table->summed == NULL ? JALI_OK : find(plan, w->table->summed, &w->summed, err);
}

/* Appends always and counts only who belongs: no jump that rows could teach. */
static void add_row(work *w, size_t row, uint16_t label)
{
    record r = { 0, label, 0 };
    bool in = label < w->table->groups;
    for (size_t i = 0; i < w->table->n; i++) {
        uint64_t code = jali_code_at(w->axis[i].column->codes, w->axis[i].column->width, row);
        in &= code < w->axis[i].radix;
        r.cell = r.cell * w->axis[i].radix + code;
    }
    if (w->summed != NULL) {
        uint64_t code = jali_code_at(w->summed->codes, w->summed->width, row);
        in &= code < w->summed->domain - 1;
        r.code = (uint32_t)code;
    }
    w->from[w->n] = r;
    w->n += in;
}

static jali_status read_rows(work *w, const jali_plan *plan, jali_arena *temporary,
                             jali_err *err)
{
    size_t rows = (size_t)jali_columns_rows(plan->columns);
    jali_label_room room;
    JALI_TRY(jali_label_room_take(&room, plan, BLOCK, temporary, err));
    w->from = jali_arena_take(temporary, rows + 1, sizeof *w->from);
    w->to = jali_arena_take(temporary, rows + 1, sizeof *w->to);
    if (w->from == NULL || w->to == NULL) return jali_fail_memory(err);
    for (size_t first = 0; first < rows; first += BLOCK) {
        size_t n = rows - first < BLOCK ? rows - first : BLOCK;
        jali_slice_labels(&PLAN_SLICE(plan, w->table->slice), plan->columns,
                          jali_kernels_best(), first, n, &room);
        for (size_t i = 0; i < n; i++) add_row(w, first + i, room.labels[i]);
    }
    return JALI_OK;
}

/* By cell, least digit first: as many passes as the number of cells takes digits. */
static void sort(work *w)
{
    for (unsigned shift = 0; shift < 64 && (w->cells - 1) >> shift > 0; shift += DIGIT_BITS) {
        size_t start[DIGITS] = { 0 }, sum = 0;
        for (size_t i = 0; i < w->n; i++) start[w->from[i].cell >> shift & (DIGITS - 1)]++;
        for (size_t d = 0; d < DIGITS; d++) {
            size_t here = start[d];
            start[d] = sum;
            sum += here;
        }
        for (size_t i = 0; i < w->n; i++)
            w->to[start[w->from[i].cell >> shift & (DIGITS - 1)]++] = w->from[i];
        record *swap = w->from;
        w->from = w->to;
        w->to = swap;
    }
}

static size_t distinct(const work *w)
{
    size_t n = w->n > 0;
    for (size_t i = 1; i < w->n; i++) n += w->from[i].cell != w->from[i - 1].cell;
    return n;
}

static jali_status add_up(const work *w, jali_arena *arena, const jali_sparse **out,
                          jali_err *err)
{
    size_t n = distinct(w), at = 0, all = n * w->table->groups + 1;
    jali_sparse *s = jali_arena_take(arena, 1, sizeof *s);
    uint64_t *cell = jali_arena_take(arena, n + 1, sizeof *cell);
    int64_t *count = jali_arena_take(arena, all, sizeof *count);
    int64_t *sum = w->summed == NULL ? NULL : jali_arena_take(arena, all, sizeof *sum);
    if (s == NULL || cell == NULL || count == NULL || (w->summed != NULL && sum == NULL))
        return jali_fail_memory(err);
    for (size_t i = 0; i < w->n; i++) {
        const record *r = &w->from[i];
        at += i > 0 && r->cell != cell[at];
        cell[at] = r->cell;
        count[r->group * n + at]++;
        if (sum != NULL) sum[r->group * n + at] += (int64_t)r->code - (int64_t)w->table->centre;
    }
    *s = (jali_sparse){ n, cell, count, sum };
    *out = s;
    return JALI_OK;
}

static jali_status count_here(const jali_plan *plan, const jali_sparse_table *table,
                              jali_arena *arena, const jali_sparse **out, jali_err *err)
{
    jali_arena temporary = JALI_ARENA_INIT;
    work w = { .table = table };
    jali_status status = bind(&w, plan, err);
    if (status == JALI_OK) status = read_rows(&w, plan, &temporary, err);
    if (status == JALI_OK) {
        sort(&w);
        status = add_up(&w, arena, out, err);
    }
    jali_arena_clear(&temporary);
    return status;
}

jali_status jali_sparse_count(const jali_plan *plan, const jali_sparse_table *table,
                              jali_arena *arena, const jali_sparse **out, jali_err *err)
{
    const jali_crew *crew = jali_columns_crew(plan->columns);
    const jali_sparse *mine = NULL;
    JALI_TRY(jali_order_sparse(plan, plan->columns, table, err));
    jali_status status = count_here(plan, table, arena, &mine, err);
    JALI_TRY(jali_crew_agree(crew, status, err));
    if (crew != NULL) return jali_sparse_merge(crew, table->groups, mine, arena, out, err);
    *out = mine;
    return JALI_OK;
}
