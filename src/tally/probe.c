/* tally/probe.c — sums of a model's answers: partial dependence and local effects.
 *
 * Claim    probe.pdp
 *          Adding or removing one person, with at most m rows, moves the sums of jali_probe_pdp
 *          over n points by at most m 2^20 in each cell, n m 2^20 in L1 and sqrt(n) m 2^20 in
 *          L2, for every model that is a function of one record.
 * Claim    probe.ale
 *          The sums of jali_probe_ale move by at most m 2^21, all cells together, in L1 and
 *          L2; the counts by m.
 * Proof    proofs/probe.md
 * Source   Apley, Zhu, JRSS B 2020 (ALE); Friedman 2001 (partial dependence); PRIVACY 5:
 *          5c and 5e. Outputs are counted from the middle of the bounds, which halves the
 *          reach of a row that comes or goes (sum plus noisy count instead of a mean).
 * Law      none: sums are exact and sealed, nothing is drawn here
 * Test     tests/tally/probe_test.c
 * Silent   that the model is a function of one record; its time, its memory, and that it fails.
 */
#include "base/progress.h"
#include "engine/codes.h"
#include "tally/probe_inside.h"
#include <math.h>

__extension__ typedef unsigned __int128 u128;

int64_t jali_probe_grid(double y, double lo, double hi)
{
    double t = (y - lo) / (hi - lo);
    if (!(t > 0)) return t <= 0 ? -JALI_PROBE_HALF : 0; /* NaN has no place: the middle */
    if (t >= 1) return JALI_PROBE_HALF;
    int64_t q = (int64_t)(t * (2 * JALI_PROBE_HALF) + 0.5) - JALI_PROBE_HALF;
    return q > JALI_PROBE_HALF ? JALI_PROBE_HALF : q;
}

/* ---- reach ---------------------------------------------------------------------------- */

static uint64_t root_up(u128 x)
{
    uint64_t r = (uint64_t)sqrtl((long double)x);
    while (r > 0 && (u128)(r - 1) * (r - 1) >= x) r--;
    while ((u128)r * r < x) r++;
    return r;
}

static uint64_t rows_moved(const jali_probe *p)
{
    return p->schema->rows_per_person;
}

static jali_reach every_cell(size_t cells, uint64_t each)
{
    return (jali_reach){ cells, cells * each, root_up((u128)each * each * cells), each };
}

jali_reach jali_probe_reach_pdp(const jali_probe *p, size_t points)
{
    return every_cell(points, rows_moved(p) * JALI_PROBE_HALF);
}

/* A row is in one interval and adds a difference of two outputs. */
jali_reach jali_probe_reach_ale(const jali_probe *p, size_t points)
{
    uint64_t all = rows_moved(p) * 2 * JALI_PROBE_HALF, rows = rows_moved(p);
    return (jali_reach){ rows < points ? rows : points, all, all, all };
}

jali_reach jali_probe_reach_rows(const jali_probe *p, size_t cells)
{
    uint64_t rows = rows_moved(p);
    return (jali_reach){ rows < cells ? rows : cells, rows, rows, rows };
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The row itself adds at most `most`. The row before borrows from somebody else, and what it
 * adds may turn round; but its errors stay on the grid, in each cell. */
jali_reach jali_probe_reach_pfi(const jali_probe *p, size_t columns, uint64_t most)
{
    const uint64_t grid = 2 * JALI_PROBE_HALF, all = grid * columns, m = rows_moved(p);
    uint64_t own = least(most, all), far = m * (own + least(2 * own, all));
    return (jali_reach){ columns, far, far, m * (least(own, grid) + least(2 * own, grid)) };
}

/* Blocks are of persons: one block changes, by the whole grid, however many rows. */
jali_reach jali_probe_reach_curve(const jali_probe *p, size_t points)
{
    (void)p;
    return every_cell(points, 2 * JALI_PROBE_HALF);
}

jali_reach jali_probe_reach_rank(const jali_probe *p, size_t n)
{
    (void)p;
    const uint64_t vote = JALI_PROBE_VOTE;
    u128 squares = (u128)n * (n * n - 1) / 3;
    return (jali_reach){ n, vote * (n * n / 2), root_up(squares * vote * vote),
                         vote * (n - 1) };
}

/* ---- reading -------------------------------------------------------------------------- */

jali_status jali_probe_columns(const jali_probe *p, bool label, jali_arena *arena, size_t **out,
                               jali_err *err)
{
    size_t width = jali_model_width(p->plain.model), reads = width + (label ? 1 : 0);
    size_t *index = jali_arena_take(arena, reads + 1, sizeof *index);
    if (index == NULL) return jali_fail_memory(err);
    for (size_t k = 0; k < reads; k++) {
        const jali_field *f =
            k < width ? &p->schema->fields[jali_model_field(p->plain.model, k)] : p->label;
        if (!jali_columns_find(p->columns, f->name, &index[k]))
            return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                             "the vault has lost its column \"%.100s\"", f->name);
    }
    *out = index;
    return JALI_OK;
}

jali_status jali_probe_map_make(const jali_probe *p, bool label, jali_arena *arena,
                                jali_probe_map *out, jali_err *err)
{
    size_t width = jali_model_width(p->plain.model), reads = width + (label ? 1 : 0), *index;
    const jali_column **column = jali_arena_take(arena, reads, sizeof *column);
    if (column == NULL) return jali_fail_memory(err);
    JALI_TRY(jali_probe_columns(p, label, arena, &index, err));
    for (size_t k = 0; k < reads; k++)
        JALI_TRY(jali_columns_map(p->columns, index[k], &column[k], err));
    *out = (jali_probe_map){ width, reads, column };
    return JALI_OK;
}

void jali_probe_row(const jali_probe_map *map, size_t row, uint32_t *out)
{
    for (size_t k = 0; k < map->reads; k++)
        out[k] = (uint32_t)jali_code_at(map->column[k]->codes, map->column[k]->width, row);
}

jali_status jali_probe_check(const jali_probe *p, jali_err *err)
{
    if (jali_columns_crew(p->columns) != NULL)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_CURATOR,
                         "a model is asked by one process: run jali model where all shards "
                         "can be read");
    jali_arena arena = JALI_ARENA_INIT;
    size_t n = jali_columns_count(p->columns);
    size_t *all = jali_arena_take(&arena, n + 1, sizeof *all);
    jali_status status = all == NULL ? jali_fail_memory(err) : JALI_OK;
    for (size_t i = 0; status == JALI_OK && i < n; i++) all[i] = i;
    if (status == JALI_OK) status = jali_columns_check_all(p->columns, all, n, p->pool, err);
    jali_arena_clear(&arena);
    return status;
}

jali_status jali_probe_tally(size_t n, jali_reach reach, jali_arena *arena, jali_tally **out,
                             jali_err *err)
{
    jali_tally *t = jali_arena_take(arena, 1, sizeof *t);
    int64_t *cell = jali_arena_take(arena, n, sizeof *cell);
    if (t == NULL || cell == NULL) return jali_fail_memory(err);
    *t = (jali_tally){ .n = n, .cell = cell, .axes = 1, .extent = { n }, .reach = reach };
    *out = t;
    return JALI_OK;
}

/* ---- the pass ------------------------------------------------------------------------- */

typedef struct worker {
    uint32_t *code, *own; /* rows as the model sees them, and the column as it was */
    double *y;
    int64_t *sum, *count;
    jali_status status;
    jali_err err;
} worker;

typedef struct pass {
    const jali_probe *p;
    jali_pool *pool;
    jali_probe_map map;
    const uint32_t *batch; /* the rows that are here, of a table that streams; NULL: mapped */
    size_t column, n, rows, block, together; /* rows of a block, points at a time */
    size_t room;                             /* rows that a worker can hold */
    const uint32_t *point;
    uint32_t null;
    bool ale;
    worker *worker;
    jali_meter meter;
} pass;

static size_t gather(const pass *s, worker *w, size_t first)
{
    size_t n = s->rows - first < s->block ? s->rows - first : s->block, width = s->map.width;
    if (s->batch != NULL)
        memcpy(w->code, s->batch + first * width, n * width * sizeof *w->code);
    for (size_t k = 0; s->batch == NULL && k < width; k++) {
        const jali_column *c = s->map.column[k];
        for (size_t i = 0; i < n; i++)
            w->code[i * width + k] = (uint32_t)jali_code_at(c->codes, c->width, first + i);
    }
    for (size_t i = 0; i < n; i++) w->own[i] = w->code[i * width + s->column];
    return n;
}

static int64_t add_up(const pass *s, const double *y, size_t n)
{
    int64_t sum = 0;
    for (size_t i = 0; i < n; i++) sum += jali_probe_grid(y[i], s->p->plain.lo, s->p->plain.hi);
    return sum;
}

static jali_status pdp_block(const pass *s, worker *w, size_t n, jali_err *err)
{
    size_t width = s->map.width;
    for (size_t t = 1; t < s->together; t++)
        memcpy(w->code + t * n * width, w->code, n * width * sizeof *w->code);
    for (size_t r = 0; r < s->n; r += s->together) {
        size_t m = s->n - r < s->together ? s->n - r : s->together;
        for (size_t t = 0; t < m; t++)
            for (size_t i = 0; i < n; i++)
                w->code[(t * n + i) * width + s->column] = s->point[r + t];
        jali_frame frame = { m * n, width, w->code };
        JALI_TRY(jali_model_predict(s->p->plain.model, &frame, w->y, err));
        for (size_t t = 0; t < m; t++) w->sum[r + t] += add_up(s, w->y + t * n, n);
    }
    return JALI_OK;
}

/* The interval of a code; n - 1 for NULL. The same steps for every code. */
static size_t interval(const pass *s, uint32_t code)
{
    size_t at = 0;
    for (size_t i = 1; i + 1 < s->n; i++) at += code > s->point[i];
    return code >= s->null ? s->n - 1 : at;
}

static jali_status ale_block(const pass *s, worker *w, size_t n, jali_err *err)
{
    size_t width = s->map.width;
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < n; i++) {
            size_t at = interval(s, w->own[i]);
            w->code[i * width + s->column] =
                at + 1 == s->n ? s->null : s->point[at + (size_t)side];
        }
        jali_frame frame = { n, width, w->code };
        JALI_TRY(jali_model_predict(s->p->plain.model, &frame, w->y, err));
        for (size_t i = 0; i < n; i++) {
            int64_t q = jali_probe_grid(w->y[i], s->p->plain.lo, s->p->plain.hi);
            w->sum[interval(s, w->own[i])] +=
                side == 0 ? -q : q; /* NULL: cancels in its cell */
        }
    }
    for (size_t i = 0; i < n; i++) w->count[interval(s, w->own[i])]++;
    return JALI_OK;
}

static void block(void *self, unsigned who, size_t i)
{
    pass *s = self;
    worker *w = &s->worker[who];
    if (w->status != JALI_OK) return;
    size_t n = gather(s, w, i * s->block);
    w->status = s->ale ? ale_block(s, w, n, &w->err) : pdp_block(s, w, n, &w->err);
    if (who == 0) jali_meter_tell(&s->meter, i * s->block + n);
}

static jali_status take_worker(const pass *s, worker *w, jali_arena *arena, jali_err *err)
{
    w->code = jali_arena_take(arena, s->room * s->map.width + 1, sizeof *w->code);
    w->own = jali_arena_take(arena, s->room + 1, sizeof *w->own);
    w->y = jali_arena_take(arena, s->room + 1, sizeof *w->y);
    w->sum = jali_arena_take(arena, s->n, sizeof *w->sum);
    w->count = jali_arena_take(arena, s->n, sizeof *w->count);
    bool good =
        w->code != NULL && w->own != NULL && w->y != NULL && w->sum != NULL && w->count != NULL;
    return good ? JALI_OK : jali_fail_memory(err);
}

/* A command is started for each call, so it gets several points of few rows together. */
static void choose_block(pass *s)
{
    size_t batch = jali_model_batch(s->p->plain.model);
    size_t share = s->rows / jali_pool_threads(s->pool) + 1;
    s->block = batch < share ? batch : share;
    s->together = s->ale ? 1 : batch / s->block;
    if (s->together > s->n) s->together = s->n;
    if (s->together > 1 && strcmp(jali_model_kind(s->p->plain.model), "command") != 0)
        s->together = 1;
}

static jali_status ask_rows(pass *s, jali_err *err)
{
    jali_pool_each(s->pool, (s->rows + s->block - 1) / s->block, block, s);
    for (unsigned t = 0; t < jali_pool_threads(s->pool); t++) {
        const worker *w = &s->worker[t];
        if (w->status != JALI_OK && err != NULL) *err = w->err;
        JALI_TRY(w->status);
    }
    return JALI_OK;
}

static jali_status ask_batch(void *self, const uint32_t *code, size_t rows, jali_err *err)
{
    pass *s = self;
    s->batch = code;
    s->rows = rows;
    choose_block(s);
    return ask_rows(s, err);
}

/* Where the rows come from: mapped, or in batches that keep every worker busy. */
static jali_status begin(pass *s, size_t **index, jali_arena *temporary, jali_err *err)
{
    bool streams = !jali_columns_loaded(s->p->columns);
    s->pool = jali_model_threads(s->p->plain.model) ? s->p->pool : NULL;
    if (streams) {
        JALI_TRY(jali_probe_columns(s->p, false, temporary, index, err));
        s->map.width = jali_model_width(s->p->plain.model);
        s->room = jali_model_batch(s->p->plain.model); /* block * together is no more */
    } else {
        JALI_TRY(jali_probe_map_make(s->p, false, temporary, &s->map, err));
        s->rows = (size_t)jali_columns_rows(s->p->columns);
        choose_block(s);
        s->room = s->block * s->together;
    }
    /* How many rows there will be is not known: then there is no progress to tell. */
    jali_meter_init(&s->meter, streams ? NULL : s->p->progress, "asking the model", s->rows);
    return JALI_OK;
}

static jali_status run(pass *s, jali_tally *sums, jali_tally *counts, jali_arena *temporary,
                       jali_err *err)
{
    size_t *index = NULL;
    JALI_TRY(begin(s, &index, temporary, err));
    unsigned threads = jali_pool_threads(s->pool);
    s->worker = jali_arena_take(temporary, threads, sizeof *s->worker);
    if (s->worker == NULL) return jali_fail_memory(err);
    for (unsigned t = 0; t < threads; t++)
        JALI_TRY(take_worker(s, &s->worker[t], temporary, err));
    if (index == NULL)
        JALI_TRY(ask_rows(s, err));
    else
        JALI_TRY(jali_columns_stream(s->p->columns, index, s->map.width, threads * s->room,
                                     (jali_columns_reader){ ask_batch, s }, err));
    for (unsigned t = 0; t < threads; t++) {
        const worker *w = &s->worker[t];
        for (size_t i = 0; i < sums->n; i++) sums->cell[i] += w->sum[i];
        for (size_t i = 0; counts != NULL && i < counts->n; i++) counts->cell[i] += w->count[i];
    }
    return JALI_OK;
}

static jali_status run_pass(pass *s, jali_tally *sums, jali_tally *counts, jali_err *err)
{
    jali_arena temporary = JALI_ARENA_INIT;
    jali_status status = run(s, sums, counts, &temporary, err);
    jali_arena_clear(&temporary);
    return status;
}

jali_status jali_probe_pdp(const jali_probe *p, size_t column, const uint32_t *point, size_t n,
                           jali_arena *arena, const jali_tally **sums, jali_err *err)
{
    pass s = { .p = p, .column = column, .n = n, .point = point };
    jali_tally *t;
    JALI_TRY(jali_probe_tally(n, jali_probe_reach_pdp(p, n), arena, &t, err));
    JALI_TRY(run_pass(&s, t, NULL, err));
    *sums = t;
    return JALI_OK;
}

jali_status jali_probe_ale(const jali_probe *p, size_t column, const uint32_t *point, size_t n,
                           jali_arena *arena, const jali_tally **sums,
                           const jali_tally **counts, jali_err *err)
{
    pass s = { .p = p,
               .column = column,
               .n = n,
               .point = point,
               .ale = true,
               .null = jali_model_null(p->plain.model, column) };
    jali_tally *t, *c;
    JALI_TRY(jali_probe_tally(n - 1, jali_probe_reach_ale(p, n - 1), arena, &t, err));
    JALI_TRY(jali_probe_tally(n, jali_probe_reach_rows(p, n), arena, &c, err));
    JALI_TRY(run_pass(&s, t, c, err));
    *sums = t;
    *counts = c;
    return JALI_OK;
}
