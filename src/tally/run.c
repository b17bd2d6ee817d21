/* tally/run.c — one pass over the rows, answering a whole plan.
 *
 * Blocks of rows go to whoever is free; each worker adds to tables of its own, which are
 * added up at the end. Within a block everything that a slice needs (labels, the rows that
 * are left out) is computed once, then its units are fed one after the other.
 */
#include "tally/crew.h"
#include "tally/derive.h"
#include "tally/inside.h"
#include "tally/margin.h"
#include "tally/open.h"
#include "tally/order.h"
#include "tally/push.h"
#include <string.h>

/* Private tables of further workers may take this much; beyond, one worker counts alone.
 * With it, memory beyond the mapped columns stays below the tables and 64 MB. */
enum { WORKERS_BYTES = 40 << 20, LEAST_BLOCK = 1024 };

typedef struct scratch {
    void *tables;
    jali_label_room room;
    uint64_t *values;
    void *derived[JALI_KEY_PARTS];
} scratch;

typedef struct run {
    const jali_plan *plan;
    const jali_layout *layout;
    const jali_kernels *kernels;
    jali_columns *columns;
    uint64_t rows;
    size_t block;
    scratch *worker;
} run;

void jali_slice_labels(const jali_slice *s, const jali_columns *columns,
                       const jali_kernels *kernels, size_t first, size_t n,
                       const jali_label_room *room)
{
    if (s->labelled) {
        for (size_t i = 0; i < s->label.n; i++) {
            const jali_column *c = jali_columns_at(columns, s->reads[i]);
            room->codes[i] = (const char *)c->codes + first * c->width;
            room->width[i] = c->width;
        }
        jali_block block = { n, s->label.n, room->codes, room->width };
        s->label.label(s->label.self, &block, room->labels);
    } else {
        memset(room->labels, 0, n * sizeof *room->labels);
    }
    if (s->selects)
        jali_selection_rows(&s->selection, columns, kernels, first, n, (n + 63) / 64,
                            room->rows, room->bitmaps);
    kernels->mark(room->labels, n, (uint16_t)(s->labels - 1), s->selects ? room->rows : NULL,
                  (uint16_t)s->labels);
}

/* What a row adds to its cell: nothing for NULL, else one count and its code. */
static void value_rows(const run *r, int sum, size_t first, size_t n, uint64_t *out)
{
    const jali_sum *s = &PLAN_SUM(r->plan, sum);
    const jali_column *c = jali_columns_at(r->columns, s->column);
    unsigned shift = r->layout->shift[sum];
    r->kernels->values((const char *)c->codes + first * c->width, c->width, n,
                       (uint32_t)(s->domain - 1), 1ull << (shift == 0 ? 63 : shift), out);
}

static jali_part part_of(const run *r, const jali_key_source *s, const uint16_t *labels,
                         size_t first, size_t n, void *room)
{
    const jali_column *c = jali_columns_at(r->columns, s->column);
    if (s->kind == SOURCE_COLUMN)
        return (jali_part){ (const char *)c->codes + first * c->width, c->width,
                            (uint32_t)s->domain };
    jali_derive_codes(s, r->columns, r->kernels, labels, first, n, room);
    return (jali_part){ room, s->width, (uint32_t)s->domain };
}

static void feed_unit(const run *r, const jali_unit *u, scratch *w, bool labels, size_t first,
                      size_t n)
{
    jali_feed f = { .rows = n,
                    .labels = labels ? w->room.labels : NULL,
                    .values = u->sum == NONE ? NULL : w->values,
                    .n = u->n,
                    .cells = u->cells,
                    .kind = u->kind,
                    .copies = u->copies,
                    .table = (char *)w->tables + u->offset };
    for (unsigned k = 0; k < u->n; k++)
        f.part[k] =
            part_of(r, &PLAN_SOURCE(r->plan, u->source[k]), f.labels, first, n, w->derived[k]);
    jali_kernel_feed(r->kernels, &f);
}

static void count_block(void *self, unsigned worker, size_t i)
{
    const run *r = self;
    scratch *w = &r->worker[worker];
    size_t first = i * r->block, slice = SIZE_MAX;
    size_t n = r->rows - first < r->block ? (size_t)(r->rows - first) : r->block;
    int sum = NONE;
    bool labels = false;
    for (size_t k = 0; k < r->layout->n; k++) { /* sorted by slice, then by sum */
        const jali_unit *u = &r->layout->unit[k];
        const jali_slice *s = &PLAN_SLICE(r->plan, u->slice);
        if (u->slice != slice) {
            labels = s->labelled || s->selects;
            if (labels) jali_slice_labels(s, r->columns, r->kernels, first, n, &w->room);
        }
        if (u->sum != NONE && u->sum != sum) value_rows(r, u->sum, first, n, w->values);
        slice = u->slice;
        sum = u->sum != NONE ? u->sum : sum;
        feed_unit(r, u, w, labels, first, n);
    }
}

/* ---- memory ---------------------------------------------------------------------- */

jali_status jali_label_room_take(jali_label_room *out, const jali_plan *plan, size_t block,
                                 jali_arena *arena, jali_err *err)
{
    size_t words = block / 64 + 1, depth = 0, reads = 0;
    for (size_t i = 0; i < plan->slice.n; i++) {
        const jali_slice *s = &PLAN_SLICE(plan, i);
        if (s->selection.depth > depth) depth = s->selection.depth;
        if (s->label.n > reads) reads = s->label.n;
    }
    out->labels = jali_arena_take(arena, block, sizeof *out->labels);
    out->rows = jali_arena_take(arena, words, sizeof *out->rows);
    out->bitmaps = jali_arena_take(arena, words * (depth + 1), sizeof *out->bitmaps);
    out->codes = jali_arena_take(arena, reads + 1, sizeof *out->codes);
    out->width = jali_arena_take(arena, reads + 1, sizeof *out->width);
    bool good = out->labels != NULL && out->rows != NULL && out->bitmaps != NULL &&
                out->codes != NULL && out->width != NULL;
    return good ? JALI_OK : jali_fail_memory(err);
}

/* Is part k of some unit computed? Only then its codes need room, which is cleared first: with
 * long blocks that was a third of the time of a grid. */
static bool computes(const run *r, unsigned k)
{
    for (size_t i = 0; i < r->layout->n; i++) {
        const jali_unit *u = &r->layout->unit[i];
        if (k < u->n && PLAN_SOURCE(r->plan, u->source[k]).kind != SOURCE_COLUMN) return true;
    }
    return false;
}

static jali_status take_worker(const run *r, scratch *w, jali_arena *arena, jali_err *err)
{
    bool labels = false;
    for (size_t i = 0; i < r->plan->slice.n; i++)
        labels |= PLAN_SLICE(r->plan, i).labelled | PLAN_SLICE(r->plan, i).selects;
    JALI_TRY(jali_label_room_take(&w->room, r->plan, labels ? r->block : 0, arena, err));
    w->tables = jali_arena_take(arena, r->layout->bytes + 1, 1);
    w->values = jali_arena_take(arena, r->plan->sum.n > 0 ? r->block : 1, sizeof *w->values);
    bool good = w->tables != NULL && w->values != NULL;
    for (unsigned k = 0; good && k < JALI_KEY_PARTS; k++) {
        size_t rows = computes(r, k) ? r->block : 0;
        w->derived[k] = jali_arena_take(arena, rows + 1, sizeof(uint32_t));
        good = w->derived[k] != NULL;
    }
    return good ? JALI_OK : jali_fail_memory(err);
}

static void tell_column(bool *used, size_t *list, size_t *n, size_t i)
{
    if (used[i]) return;
    used[i] = true;
    list[(*n)++] = i;
}

/* Every column that the pass will look at: checked first, once per process. */
static jali_status list_columns(const jali_plan *plan, jali_arena *arena, const size_t **out,
                                size_t *out_n, jali_err *err)
{
    size_t all = jali_columns_count(plan->columns), n = 0;
    bool *used = jali_arena_take(arena, all + 1, sizeof *used);
    size_t *list = jali_arena_take(arena, all + 1, sizeof *list);
    if (used == NULL || list == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < plan->source.n; i++) {
        const jali_key_source *s = &PLAN_SOURCE(plan, i);
        if (s->kind != SOURCE_GRID) tell_column(used, list, &n, s->column);
        for (unsigned k = 0; k < s->n; k++) tell_column(used, list, &n, s->grid[k]);
    }
    for (size_t i = 0; i < plan->slice.n; i++) {
        const jali_slice *s = &PLAN_SLICE(plan, i);
        for (size_t k = 0; k < s->label.n; k++) tell_column(used, list, &n, s->reads[k]);
        for (size_t k = 0; k < s->selection.n; k++)
            tell_column(used, list, &n, s->selection.leaf[k].column);
    }
    for (size_t i = 0; i < plan->sum.n; i++)
        tell_column(used, list, &n, PLAN_SUM(plan, i).column);
    *out = list;
    *out_n = n;
    return JALI_OK;
}

typedef jali_status (*checking)(jali_columns *columns, const size_t *index, size_t n,
                                jali_pool *pool, jali_err *err);

static jali_status check_columns(const jali_plan *plan, checking check, jali_pool *pool,
                                 jali_arena *arena, jali_err *err)
{
    const size_t *list;
    size_t n;
    JALI_TRY(list_columns(plan, arena, &list, &n, err));
    return check(plan->columns, list, n, pool, err);
}

/* ---- answers --------------------------------------------------------------------- */

static jali_tally shape_of(const jali_plan *plan, const jali_table *t)
{
    const jali_slice *s = &PLAN_SLICE(plan, t->slice);
    bool computed = t->n == 1 && PLAN_SOURCE(plan, t->source[0]).kind != SOURCE_COLUMN;
    jali_tally y = { .n = (size_t)t->cells };
    if (s->labelled || computed) y.extent[y.axes++] = s->labels;
    for (unsigned i = 0; i < t->n; i++)
        y.extent[y.axes++] = PLAN_SOURCE(plan, t->source[i]).domain;
    return y;
}

static jali_status answer(const run *r, jali_arena *arena, const jali_tallies **out,
                          jali_err *err)
{
    size_t n = r->plan->table.n;
    jali_tallies *set = jali_arena_take(arena, 1, sizeof *set);
    if (set == NULL) return jali_fail_memory(err);
    set->n = n;
    set->counts = jali_arena_take(arena, n + 1, sizeof *set->counts);
    set->sums = jali_arena_take(arena, n + 1, sizeof *set->sums);
    if (set->counts == NULL || set->sums == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        const jali_table *t = &PLAN_TABLE(r->plan, i);
        jali_tally *c = &set->counts[i], *s = &set->sums[i];
        uint64_t m = r->plan->rows_per_person;
        *c = *s = shape_of(r->plan, t);
        c->reach = jali_reach_of(m, 1, t->cells);
        c->cell = jali_arena_take(arena, c->n, sizeof *c->cell);
        if (t->sum != NONE) {
            s->reach = jali_reach_of(m, jali_sum_size(&PLAN_SUM(r->plan, t->sum)), t->cells);
            s->cell = jali_arena_take(arena, s->n, sizeof *s->cell);
        }
        if (c->cell == NULL || (t->sum != NONE && s->cell == NULL))
            return jali_fail_memory(err);
        jali_margin_read(r->plan, r->layout, i, r->worker[0].tables, c->cell, s->cell);
    }
    *out = set;
    return JALI_OK;
}

static size_t choose_block(const jali_layout *layout, uint64_t rows, unsigned threads)
{
    /* At least eight turns for each worker, so that nobody waits long for the last. */
    size_t turn = (size_t)(rows / threads / 8) / 64 * 64, block = layout->block;
    size_t all = ((size_t)rows + 63) / 64 * 64;
    if (threads > 1 && turn < block) block = turn < LEAST_BLOCK ? LEAST_BLOCK : turn;
    if (all < block) block = all; /* scratch memory for what is there, not more */
    return block < 64 ? 64 : block;
}

static jali_status pass(const jali_plan *plan, const jali_how *how, jali_arena *temporary,
                        jali_arena *arena, const jali_tallies **out, jali_err *err)
{
    jali_layout layout;
    jali_pool *pool = how->pool;
    run r = { .plan = plan,
              .layout = &layout,
              .columns = plan->columns,
              .kernels = how->kernels == NULL ? jali_kernels_best() : how->kernels };
    JALI_TRY(check_columns(plan, jali_columns_verify_all, pool, temporary, err));
    r.rows = jali_columns_rows(plan->columns);
    JALI_TRY(jali_layout_make(plan, r.rows, temporary, &layout, err));
    if (layout.bytes > WORKERS_BYTES / jali_pool_threads(pool)) pool = NULL;
    unsigned threads = jali_pool_threads(pool);
    r.block = how->block > 0 ? how->block : choose_block(&layout, r.rows, threads);
    r.worker = jali_arena_take(temporary, threads, sizeof *r.worker);
    if (r.worker == NULL) return jali_fail_memory(err);
    for (unsigned i = 0; i < threads; i++)
        JALI_TRY(take_worker(&r, &r.worker[i], temporary, err));
    size_t blocks = (size_t)((r.rows + r.block - 1) / r.block);
    if (layout.n > 0) jali_pool_each(pool, blocks, count_block, &r);
    for (unsigned i = 1; i < threads; i++)
        jali_margin_merge(&layout, r.worker[0].tables, r.worker[i].tables);
    jali_margin_fold(&layout, r.worker[0].tables);
    return answer(&r, arena, out, err);
}

/* The same by the database that has the rows: one worker's tables, filled from outside. NULL
 * if the statements would be too long. */
static jali_status push(const jali_plan *plan, jali_arena *temporary, jali_arena *arena,
                        const jali_tallies **out, jali_err *err)
{
    jali_layout layout;
    jali_push statements;
    scratch only = { 0 };
    run r = { .plan = plan, .layout = &layout, .columns = plan->columns, .worker = &only };
    JALI_TRY(jali_layout_make(plan, JALI_ROWS_MAX, temporary, &layout, err));
    JALI_TRY(jali_push_write(plan, &layout, temporary, &statements, err));
    if (!statements.fits) return JALI_OK;
    only.tables = jali_arena_take(temporary, layout.bytes + 1, 1);
    if (only.tables == NULL) return jali_fail_memory(err);
    JALI_TRY(jali_push_run(plan, &layout, &statements, only.tables, temporary, err));
    jali_margin_fold(&layout, only.tables);
    return answer(&r, arena, out, err);
}

/* The others check their own files of the same columns. */
static jali_status order_check(const jali_plan *plan, jali_arena *arena, jali_err *err)
{
    jali_text order = { 0 };
    const size_t *list;
    size_t n;
    JALI_TRY(list_columns(plan, arena, &list, &n, err));
    jali_put(&order, JALI_ORDER_CHECK);
    jali_put(&order, n);
    for (size_t i = 0; i < n; i++)
        jali_put_text(&order, jali_columns_at(plan->columns, list[i])->name);
    return jali_crew_send(jali_columns_crew(plan->columns), &order, err);
}

jali_status jali_plan_check(const jali_plan *plan, jali_pool *pool, jali_err *err)
{
    const jali_crew *crew = jali_columns_crew(plan->columns);
    jali_arena temporary = JALI_ARENA_INIT;
    jali_status status = JALI_OK;
    if (jali_crew_leads(plan->columns)) status = order_check(plan, &temporary, err);
    if (status == JALI_OK)
        status = jali_crew_agree(
            crew, check_columns(plan, jali_columns_check_all, pool, &temporary, err), err);
    if (status == JALI_OK) status = jali_push_check(plan, err);
    jali_arena_clear(&temporary);
    return status;
}

static jali_status order_run(const jali_plan *plan, jali_err *err)
{
    jali_text order = { 0 };
    if (!jali_crew_leads(plan->columns)) return JALI_OK;
    jali_put(&order, JALI_ORDER_PLAN);
    jali_status status = jali_put_plan(&order, plan, err);
    if (status == JALI_OK) return jali_crew_send(jali_columns_crew(plan->columns), &order, err);
    jali_text_clear(&order);
    return status;
}

static jali_status add_all(const jali_crew *crew, const jali_tallies *t, jali_err *err)
{
    for (size_t i = 0; i < t->n; i++) {
        JALI_TRY(jali_crew_add(crew, t->counts[i].cell, t->counts[i].n, err));
        if (t->sums[i].cell != NULL)
            JALI_TRY(jali_crew_add(crew, t->sums[i].cell, t->sums[i].n, err));
    }
    return JALI_OK;
}

jali_status jali_plan_run_how(const jali_plan *plan, const jali_how *how, jali_arena *arena,
                              const jali_tallies **out, jali_err *err)
{
    const jali_crew *crew = jali_columns_crew(plan->columns);
    jali_arena temporary = JALI_ARENA_INIT;
    const jali_tallies *mine = NULL;
    JALI_TRY(order_run(plan, err));
    jali_status status =
        jali_push_can(plan) ? push(plan, &temporary, arena, &mine, err) : JALI_OK;
    if (status == JALI_OK && mine == NULL)
        status = pass(plan, how, &temporary, arena, &mine, err);
    jali_arena_clear(&temporary);
    JALI_TRY(jali_crew_agree(crew, status, err));
    if (crew != NULL) JALI_TRY(add_all(crew, mine, err));
    *out = mine;
    return JALI_OK;
}

jali_status jali_plan_run(const jali_plan *plan, jali_pool *pool, jali_arena *arena,
                          const jali_tallies **out, jali_err *err)
{
    jali_how how = { .pool = pool };
    return jali_plan_run_how(plan, &how, arena, out, err);
}
