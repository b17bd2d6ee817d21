/* tally/cells.c — rows in a growing tree of boxes, counted by cells along every axis.
 *
 * Claim    cells.reach
 *          Given the frame and the cuts, a row is in one node of a level and in one cell of
 *          each axis: it adds 1 to `axes` cells of one node of *counts, and 1 to one cell of
 *          *rows. m rows move rows by at most m in L1 and L2, counts of one axis by at most m.
 * Proof    proofs/cells.md#cells.reach
 * Source   DPM (Algorithm 1); cuts are released, so nodes are functions of the record.
 * Law      none: sealed, nothing is drawn here
 * Test     tests/tally/cells_test.c
 * Silent   Time depends on the number of rows.
 */
#include "tally/cells.h"
#include "tally/kept.h"
#include "tally/nearest.h"
#include "tally/open.h"
#include "tally/order_pass.h"
#include "tally/pass.h"
#include <string.h>

enum { TILE = 256, BAND_CELLS = 1 << 18, AHEAD = 4 * TILE };

static uint32_t cell_mul(const jali_ruler *a, uint32_t cells)
{
    return (uint32_t)(((uint64_t)cells * 65536 + a->top) / (a->top + 1));
}

uint32_t jali_cell_at(const jali_ruler *a, uint32_t cells, uint32_t coordinate)
{
    uint32_t cell = (uint32_t)((uint64_t)coordinate * cell_mul(a, cells) >> 16);
    return cell < cells ? cell : cells - 1;
}

uint32_t jali_cell_start(const jali_ruler *a, uint32_t cells, uint32_t cell)
{
    uint32_t at = (uint32_t)(((uint64_t)cell << 16) / cell_mul(a, cells));
    while (at <= a->top && jali_cell_at(a, cells, at) < cell) at++;
    return at;
}

typedef struct step {
    uint32_t axis, cell, left, right;
} step;

typedef struct counting {
    const jali_frame *frame;
    const size_t *column_of;
    uint32_t cells;
    uint16_t *mark;
    const step *step;     /* per node */
    const uint16_t *slot; /* per node: its place among the counted, or their number */
    size_t n;             /* counted */
    bool moves;
    const bool *used; /* per axis: some cut looks at it */
    bool wide;        /* cells are two bytes, not one */
    char *kept;       /* cells of all rows, tile by tile; or NULL */
    bool full;
    size_t band; /* rows counted together */
    int64_t *count;
} counting;

#define INLINE static inline __attribute__((always_inline))

/* Cells are bytes, or two bytes where there are more than 256 of an axis: `wide`, a constant
 * where these are inlined. */
INLINE uint32_t cell_in(const void *cell, bool wide, size_t i)
{
    return wide ? ((const uint16_t *)cell)[i] : ((const uint8_t *)cell)[i];
}

/* A whole tile always: what lies past the last row is not looked at. */
INLINE void cells_loop(const int16_t *restrict at, uint32_t mul, uint32_t last, bool wide,
                       void *restrict out)
{
    for (size_t i = 0; i < TILE; i++) {
        uint32_t cell = (uint32_t)(uint16_t)at[i] * mul >> 16;
        cell = cell < last ? cell : last;
        if (wide)
            ((uint16_t *)out)[i] = (uint16_t)cell;
        else
            ((uint8_t *)out)[i] = (uint8_t)cell;
    }
}

INLINE void cells_of_width(const int16_t *at, uint32_t mul, uint32_t last, bool wide, void *out)
{
    if (wide)
        cells_loop(at, mul, last, true, out);
    else
        cells_loop(at, mul, last, false, out);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void cells_avx2(const int16_t *at, uint32_t mul,
                                                       uint32_t last, bool wide, void *out)
{
    cells_of_width(at, mul, last, wide, out);
}
#endif

static void cells_from(const int16_t *at, uint32_t mul, uint32_t last, bool wide, void *out)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        cells_avx2(at, mul, last, wide, out);
        return;
    }
#endif
    cells_of_width(at, mul, last, wide, out);
}

/* ---- one band of rows ----------------------------------------------------------------- */

/* Cells of a tile lie axis by axis, tiles one after the other. */
static char *tile_at(const counting *c, const void *cell, size_t row, size_t axis)
{
    return (char *)(uintptr_t)cell + ((row * c->frame->n + axis * TILE) << c->wide);
}

static void cells_of(const counting *c, const jali_block *b, size_t first, size_t n, void *out)
{
    for (size_t j = 0; j < c->frame->n; j++) {
        const jali_ruler *a = &c->frame->axis[j];
        if (c->n == 0 && !c->used[j] && c->kept == NULL) continue;
        unsigned width = b->width[c->column_of[j]];
        int16_t at[TILE] = { 0 };
        jali_ruler_rows(a, (const char *)b->codes[c->column_of[j]] + first * width, width, n, 0,
                        at);
        cells_from(at, cell_mul(a, c->cells), c->cells - 1, c->wide, tile_at(c, out, 0, j));
    }
}

INLINE void move_loop(const counting *c, const void *cell, bool wide, size_t n, uint16_t *mark)
{
    for (size_t i = 0; i < n; i++) {
        const step *s = &c->step[mark[i]];
        bool right = cell_in(cell, wide, s->axis * TILE + i) >= s->cell;
        mark[i] = (uint16_t)(right ? s->right : s->left);
    }
}

static void move_rows(const counting *c, const void *cell, size_t n, uint16_t *mark)
{
    if (c->wide)
        move_loop(c, cell, true, n, mark);
    else
        move_loop(c, cell, false, n, mark);
}

/* `axes` of them at once, one or two; a constant where this is inlined. */
INLINE void count_axes(const uint32_t *base, const void *cell, bool wide, size_t n,
                       uint32_t *count, size_t per, unsigned axes)
{
    uint32_t *second = count + per;
    for (size_t i = 0; i < n; i++) {
        count[base[i] + cell_in(cell, wide, i)]++;
        if (axes == 2) second[base[i] + cell_in(cell, wide, i + TILE)]++;
    }
}

/* These axes of tiles to come: they lie too far apart for the machine to foresee them. */
static void fetch(const char *cell, size_t bytes)
{
    for (size_t line = 0; line < bytes; line += 64) __builtin_prefetch(cell + line, 0, 2);
}

INLINE void count_band(const counting *c, const uint32_t *base, const void *cell, bool wide,
                       size_t n, uint32_t *count, size_t j, unsigned axes)
{
    size_t per = (c->n + 1) * c->cells;
    for (size_t i = 0; i < n; i += TILE) {
        fetch(tile_at(c, cell, i + AHEAD, j), (size_t)axes * TILE << wide);
        count_axes(base + i, tile_at(c, cell, i, j), wide, n - i < TILE ? n - i : TILE,
                   count + j * per, per, axes);
    }
}

INLINE void count_all(const counting *c, const uint32_t *base, const void *cell, bool wide,
                      size_t n, uint32_t *count)
{
    size_t axes = c->frame->n, j = 0;
    for (; j + 2 <= axes; j += 2) count_band(c, base, cell, wide, n, count, j, 2);
    if (j < axes) count_band(c, base, cell, wide, n, count, j, 1);
}

/* Axis by axis for a whole band, so that the counts of an axis stay in the first cache; two at
 * once, because a count that is added to at once again has to wait, and that of another axis
 * need not. */
static void count_rows(const counting *c, const void *cell, size_t n, const uint16_t *mark,
                       uint32_t *count)
{
    uint32_t base[JALI_PASS_ROWS];
    for (size_t i = 0; i < n; i++) base[i] = c->slot[mark[i]] * c->cells;
    if (c->wide)
        count_all(c, base, cell, true, n, count);
    else
        count_all(c, base, cell, false, n, count);
}

static uint32_t *counts_in(const counting *c, const void *own)
{
    return (uint32_t *)(void *)tile_at(c, own, c->band, 0);
}

static void cell_rows(void *self, void *own, size_t first, const jali_block *block)
{
    const counting *c = self;
    for (size_t from = 0; from < block->rows; from += c->band) {
        size_t rows = block->rows - from < c->band ? block->rows - from : c->band;
        uint16_t *mark = c->mark + first + from;
        char *cell = c->kept != NULL ? tile_at(c, c->kept, first + from, 0) : own;
        for (size_t i = 0; i < rows; i += TILE) {
            size_t n = rows - i < TILE ? rows - i : TILE;
            if (!c->full) cells_of(c, block, from + i, n, tile_at(c, cell, i, 0));
            if (c->moves) move_rows(c, tile_at(c, cell, i, 0), n, mark + i);
        }
        if (c->n > 0) count_rows(c, cell, rows, mark, counts_in(c, own));
    }
}

/* Rows of a band: their cells stay in the second cache where nothing is kept. */
static size_t band_of(size_t axes)
{
    size_t rows = BAND_CELLS / axes / TILE * TILE;
    return rows < TILE ? TILE : rows > JALI_PASS_ROWS ? JALI_PASS_ROWS : rows;
}

static void cell_add(void *self, const void *own)
{
    counting *c = self;
    const uint32_t *count = counts_in(c, own);
    size_t axes = c->frame->n;
    for (size_t i = 0; i < c->n; i++)
        for (size_t j = 0; j < axes; j++) {
            const uint32_t *from = count + (j * (c->n + 1) + i) * c->cells;
            int64_t *to = c->count + (i * axes + j) * c->cells;
            for (size_t k = 0; k < c->cells; k++) to[k] += from[k];
        }
}

/* Nodes that are not cut lead to themselves; those not counted share one more slot. */
static jali_status prepare(counting *c, uint32_t most, const jali_cut *cut, size_t cuts,
                           const uint32_t *node, jali_arena *arena, jali_err *err)
{
    step *s = jali_arena_take(arena, (size_t)most + 1, sizeof *s);
    uint16_t *slot = jali_arena_take(arena, (size_t)most + 1, sizeof *slot);
    bool *used = jali_arena_take(arena, c->frame->n, sizeof *used);
    if (s == NULL || slot == NULL || used == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < cuts; i++) used[cut[i].axis] = true;
    c->used = used;
    for (uint32_t v = 0; v <= most; v++) {
        s[v].left = s[v].right = v;
        slot[v] = (uint16_t)c->n;
    }
    for (size_t i = 0; i < cuts; i++)
        s[cut[i].node] = (step){ cut[i].axis, cut[i].cell, cut[i].left, cut[i].right };
    for (size_t i = 0; i < c->n; i++) slot[node[i]] = (uint16_t)i;
    c->step = s;
    c->slot = slot;
    c->moves = cuts > 0;
    return JALI_OK;
}

/* The highest node that a row has, gets, or is asked for. */
static uint32_t highest(uint32_t most, const jali_cut *cut, size_t cuts, const uint32_t *node,
                        size_t n)
{
    for (size_t i = 0; i < n; i++) most = node[i] > most ? node[i] : most;
    for (size_t i = 0; i < cuts; i++) {
        most = cut[i].node > most ? cut[i].node : most;
        most = cut[i].left > most ? cut[i].left : most;
        most = cut[i].right > most ? cut[i].right : most;
    }
    return most;
}

static jali_status count_here(const jali_ground *g, uint32_t cells, jali_marks *marks,
                              const jali_cut *cut, size_t cuts, const uint32_t *node, size_t n,
                              const jali_tally **counts, jali_err *err)
{
    counting c = { .frame = g->frame,
                   .cells = cells,
                   .mark = marks->at,
                   .n = n,
                   .wide = cells > 256,
                   .band = band_of(g->frame->n) };
    jali_pass pass = { .columns = g->columns, .rows = cell_rows, .add = cell_add, .self = &c };
    size_t per = g->frame->n * cells;
    if (cells < 2 || cells > JALI_CELLS_MOST || n > JALI_CELLS_ROOM / per - 1)
        return jali_fail(err, JALI_E_INTERNAL, JALI_FOR_ANALYST,
                         "%zu nodes of %zu cells are too many for one pass", n, per);
    JALI_TRY(jali_pass_columns(g->frame, g->columns, g->arena, &pass.n, &pass.column,
                               &c.column_of, err));
    marks->most = highest(marks->most, cut, cuts, node, n);
    JALI_TRY(prepare(&c, marks->most, cut, cuts, node, g->arena, err));
    jali_tally *count = jali_tally_take(g->arena, n * per);
    if (count == NULL) return jali_fail_memory(err);
    c.count = count->cell;
    pass.own = ((g->frame->n * c.band << c.wide) + (n + 1) * per * 4 + 63) & ~(size_t)63;
    jali_kept *kept = jali_kept_open(marks, JALI_KEPT_CELLS, g, cells,
                                     (marks->rows + TILE) * g->frame->n << c.wide);
    if (kept != NULL) {
        c.kept = kept->at;
        c.full = kept->full;
    }
    JALI_TRY(jali_pass_run(&pass, g->pool, err));
    jali_kept_filled(kept);
    uint64_t m = g->rows_per_person, all = m * g->frame->n;
    count->axes = 3;
    count->extent[0] = n;
    count->extent[1] = g->frame->n;
    count->extent[2] = cells;
    count->reach = (jali_reach){ all, all, all, m };
    *counts = n == 0 ? NULL : count;
    return JALI_OK;
}

jali_status jali_cells_count(const jali_ground *g, uint32_t cells, jali_marks *marks,
                             const jali_cut *cut, size_t cuts, const uint32_t *node, size_t n,
                             const jali_tally **counts, jali_err *err)
{
    const jali_tally *mine = NULL;
    JALI_TRY(jali_order_cells(g, cells, marks, cut, cuts, node, n, err));
    jali_status status = count_here(g, cells, marks, cut, cuts, node, n, &mine, err);
    JALI_TRY(jali_crew_join(g, status, mine, NULL, err));
    *counts = mine;
    return JALI_OK;
}

static jali_reach rows_reach(const jali_tally *counts, size_t cells)
{
    uint64_t m = counts->reach.linf;
    return (jali_reach){ m < cells ? m : cells, m, m, m };
}

/* Rows of counted node i below `cell` on `axis`. */
static int64_t rows_below(const jali_tally *t, size_t i, uint32_t axis, uint32_t cell)
{
    const int64_t *at = t->cell + (i * t->extent[1] + axis) * t->extent[2];
    int64_t all = 0;
    for (uint32_t c = 0; c < cell && c < t->extent[2]; c++) all += at[c];
    return all;
}

jali_status jali_cells_rows(const jali_tally *counts, jali_arena *arena,
                            const jali_tally **rows, jali_err *err)
{
    size_t n = (size_t)counts->extent[0];
    jali_tally *t = jali_tally_take(arena, n);
    if (t == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < n; i++)
        t->cell[i] = rows_below(counts, i, 0, (uint32_t)counts->extent[2]);
    t->reach = rows_reach(counts, n);
    *rows = t;
    return JALI_OK;
}

jali_status jali_cells_children(const jali_tally *counts, const jali_cut *cut,
                                jali_arena *arena, const jali_tally **rows, jali_err *err)
{
    size_t n = (size_t)counts->extent[0];
    jali_tally *t = jali_tally_take(arena, 2 * n);
    if (t == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        int64_t all = rows_below(counts, i, 0, (uint32_t)counts->extent[2]);
        t->cell[2 * i] = rows_below(counts, i, cut[i].axis, cut[i].cell);
        t->cell[2 * i + 1] = all - t->cell[2 * i];
    }
    t->reach = rows_reach(counts, 2 * n);
    *rows = t;
    return JALI_OK;
}
