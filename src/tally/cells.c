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

enum { TILE = 256, NONE_HERE = 0xffff };

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
    uint16_t *kept;   /* cells of all rows, tile by tile; or NULL */
    bool full;
    int64_t *count;
} counting;

/* A whole tile always: what lies past the last row is not looked at. */
static inline __attribute__((always_inline)) void
cells_loop(const int16_t *restrict at, uint32_t mul, uint32_t last, uint16_t *restrict out)
{
    for (size_t i = 0; i < TILE; i++) {
        uint32_t cell = (uint32_t)(uint16_t)at[i] * mul >> 16;
        out[i] = (uint16_t)(cell < last ? cell : last);
    }
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void cells_avx2(const int16_t *at, uint32_t mul,
                                                       uint32_t last, uint16_t *out)
{
    cells_loop(at, mul, last, out);
}
#endif

static void cells_from(const int16_t *at, uint32_t mul, uint32_t last, uint16_t *out)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        cells_avx2(at, mul, last, out);
        return;
    }
#endif
    cells_loop(at, mul, last, out);
}

static void cells_of(const counting *c, const jali_block *b, size_t first, size_t n,
                     uint16_t *out)
{
    for (size_t j = 0; j < c->frame->n; j++) {
        const jali_ruler *a = &c->frame->axis[j];
        if (c->n == 0 && !c->used[j] && c->kept == NULL) continue;
        unsigned width = b->width[c->column_of[j]];
        int16_t at[TILE] = { 0 };
        uint32_t mul = cell_mul(a, c->cells), last = c->cells - 1;
        jali_ruler_rows(a, (const char *)b->codes[c->column_of[j]] + first * width, width, n, 0,
                        at);
        cells_from(at, mul, last, out + j * TILE);
    }
}

static void move_rows(const counting *c, const uint16_t *cell, size_t n, uint16_t *mark)
{
    for (size_t i = 0; i < n; i++) {
        const step *s = &c->step[mark[i]];
        mark[i] = (uint16_t)(cell[s->axis * TILE + i] >= s->cell ? s->right : s->left);
    }
}

#define INLINE static inline __attribute__((always_inline))

/* `axes` of them at once; a constant where this is inlined. */
INLINE void count_axes(const uint32_t *base, const uint16_t *cell, size_t n, uint32_t *count,
                       size_t per, unsigned axes)
{
    uint32_t *at[5];
    for (unsigned k = 0; k < axes; k++) at[k] = count + k * per;
    for (size_t i = 0; i < n; i++) {
        _Pragma("GCC unroll 5") for (unsigned k = 0; k < axes; k++)
            at[k][base[i] + cell[i + k * TILE]]++;
    }
}

/* Axis by axis, so that the counts of one axis lie together; some axes at once, because a
 * count that is added to at once again has to wait, and those of other axes need not. */
static void count_rows(const counting *c, const uint16_t *cell, size_t n, const uint16_t *mark,
                       uint32_t *count)
{
    uint32_t base[TILE];
    size_t axes = c->frame->n, per = (c->n + 1) * c->cells, j = 0;
    for (size_t i = 0; i < n; i++) base[i] = c->slot[mark[i]] * c->cells;
    for (; j + 5 <= axes; j += 5) count_axes(base, cell + j * TILE, n, count + j * per, per, 5);
    for (; j + 2 <= axes; j += 2) count_axes(base, cell + j * TILE, n, count + j * per, per, 2);
    if (j < axes) count_axes(base, cell + j * TILE, n, count + j * per, per, 1);
}

static void cell_rows(void *self, void *own, size_t first, const jali_block *block)
{
    const counting *c = self;
    uint32_t *count = (uint32_t *)((uint16_t *)own + c->frame->n * TILE);
    for (size_t i = 0; i < block->rows; i += TILE) {
        size_t n = block->rows - i < TILE ? block->rows - i : TILE;
        uint16_t *mark = c->mark + first + i;
        uint16_t *cell =
            c->kept != NULL ? c->kept + (first + i) * c->frame->n : (uint16_t *)own;
        if (!c->full) cells_of(c, block, i, n, cell);
        if (c->moves) move_rows(c, cell, n, mark);
        if (c->n > 0) count_rows(c, cell, n, mark, count);
    }
}

static void cell_add(void *self, const void *own)
{
    counting *c = self;
    const uint32_t *count = (const uint32_t *)((const uint16_t *)own + c->frame->n * TILE);
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
    counting c = { .frame = g->frame, .cells = cells, .mark = marks->at, .n = n };
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
    pass.own = (g->frame->n * TILE * sizeof(uint16_t) + (n + 1) * per * 4 + 63) & ~(size_t)63;
    jali_kept *kept = jali_kept_open(marks, JALI_KEPT_CELLS, g, cells,
                                     (marks->rows + TILE) * g->frame->n * sizeof *c.kept);
    if (kept != NULL) {
        c.kept = (uint16_t *)kept->at;
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
