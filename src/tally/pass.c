/* tally/pass.c — one pass over some columns, block by block. */
#include "tally/pass.h"
#include "tally/kept.h"
#include "tally/open.h"
#include "tally/order_pass.h"
#include <string.h>

enum { WORKERS_BYTES = 96 << 20 }; /* further workers may take this much together */

typedef struct walk {
    const jali_pass *pass;
    size_t rows;
    char *own;
} walk;

static void walk_block(void *self, unsigned worker, size_t i)
{
    const walk *w = self;
    const jali_pass *p = w->pass;
    const void *codes[JALI_GEOMETRY_AXES];
    unsigned width[JALI_GEOMETRY_AXES];
    size_t first = i * JALI_PASS_ROWS, left = w->rows - first;
    for (size_t c = 0; c < p->n; c++) {
        const jali_column *column = jali_columns_at(p->columns, p->column[c]);
        codes[c] = (const char *)column->codes + first * column->width;
        width[c] = column->width;
    }
    jali_block block = { left < JALI_PASS_ROWS ? left : JALI_PASS_ROWS, p->n, codes, width };
    p->rows(p->self, w->own + worker * p->own, first, &block);
}

jali_status jali_pass_run(const jali_pass *pass, jali_pool *pool, jali_err *err)
{
    JALI_TRY(jali_columns_verify_all(pass->columns, pass->column, pass->n, pool, err));
    if (pass->own > WORKERS_BYTES / jali_pool_threads(pool)) pool = NULL;
    unsigned threads = jali_pool_threads(pool);
    walk w = { pass, (size_t)jali_columns_rows(pass->columns), NULL };
    w.own = calloc(threads, pass->own + 1);
    if (w.own == NULL) return jali_fail_memory(err);
    jali_pool_each(pool, (w.rows + JALI_PASS_ROWS - 1) / JALI_PASS_ROWS, walk_block, &w);
    for (unsigned i = 0; i < threads; i++) pass->add(pass->self, w.own + i * pass->own);
    free(w.own);
    return JALI_OK;
}

jali_status jali_pass_columns(const jali_frame *frame, const jali_columns *columns,
                              jali_arena *arena, size_t *n, const size_t **column,
                              const size_t **column_of, jali_err *err)
{
    size_t *found = jali_arena_take(arena, frame->n, sizeof *found), used = 0;
    size_t *of = jali_arena_take(arena, frame->n, sizeof *of);
    if (found == NULL || of == NULL) return jali_fail_memory(err);
    for (size_t j = 0; j < frame->n; j++) { /* axes of a column stand together */
        if (j == 0 || strcmp(frame->axis[j].column, frame->axis[j - 1].column) != 0) {
            if (!jali_columns_find(columns, frame->axis[j].column, &found[used]))
                return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                                 "the table has no column \"%.100s\"", frame->axis[j].column);
            used++;
        }
        of[j] = used - 1;
    }
    *n = used;
    *column = found;
    *column_of = of;
    return JALI_OK;
}

struct jali_tally *jali_tally_take(jali_arena *arena, size_t cells)
{
    jali_tally *t = jali_arena_take(arena, 1, sizeof *t);
    if (t == NULL) return NULL;
    t->cell = jali_arena_take(arena, cells + 1, sizeof *t->cell);
    if (t->cell == NULL) return NULL;
    t->n = cells;
    t->axes = 1;
    t->extent[0] = cells;
    return t;
}

static jali_status marks_here(jali_marks **out, jali_columns *columns, jali_arena *arena,
                              jali_err *err)
{
    JALI_TRY(jali_columns_load(columns, err)); /* a mark is a row's */
    jali_marks *marks = jali_arena_take(arena, 1, sizeof *marks);
    if (marks == NULL) return jali_fail_memory(err);
    marks->rows = (size_t)jali_columns_rows(columns);
    marks->at = jali_arena_take(arena, marks->rows + 1, sizeof *marks->at);
    marks->kept = jali_arena_take(arena, JALI_KEPT_KINDS, sizeof *marks->kept);
    marks->arena = arena;
    if (marks->at == NULL || marks->kept == NULL) return jali_fail_memory(err);
    *out = marks;
    return JALI_OK;
}

jali_status jali_marks_new(jali_marks **out, jali_columns *columns, jali_arena *arena,
                           jali_err *err)
{
    JALI_TRY(jali_order_marks(columns, err));
    return jali_crew_agree(jali_columns_crew(columns), marks_here(out, columns, arena, err),
                           err);
}
