/* tally/hand.c — a rank that counts what rank 0 orders.
 *
 * Each order is read back into the arguments of the function that sent it, which is then
 * called here: it counts this rank's rows, agrees and adds. An order that cannot be read is a
 * failure like any other, and rank 0 waits to hear it.
 */
#include "tally/hand.h"
#include "tally/gaps.h"
#include "tally/open.h"
#include "tally/order.h"
#include "tally/pass.h"
#include "tally/planes.h"
#include "tally/sparse.h"

/* An order that was understood is agreed on by the function it calls; others here. */
static jali_status refuse(const jali_hand *h, jali_status status, jali_err *err)
{
    return jali_crew_agree(jali_columns_crew(h->columns), status, err);
}

static jali_status check(jali_hand *h, jali_reading *r, jali_err *err)
{
    size_t n = (size_t)jali_get(r), most = jali_columns_count(h->columns);
    size_t *list = jali_arena_take(r->arena, most + 1, sizeof *list);
    r->good = r->good && list != NULL && n <= most;
    for (size_t i = 0; r->good && i < n; i++)
        r->good = jali_columns_find(h->columns, jali_get_text(r), &list[i]) && r->good;
    jali_status status = jali_get_status(r, err);
    if (status == JALI_OK) status = jali_columns_verify_all(h->columns, list, n, h->pool, err);
    return refuse(h, status, err);
}

static jali_status plan(jali_hand *h, jali_reading *r, jali_err *err)
{
    jali_plan *p;
    const jali_tallies *out;
    jali_status status = jali_get_plan(r, h->columns, h->schema, &p, err);
    if (status != JALI_OK) return refuse(h, status, err);
    status = jali_plan_run(p, h->pool, r->arena, &out, err);
    jali_plan_free(p);
    return status;
}

static jali_status read_sparse(jali_hand *h, jali_reading *r, jali_plan **p,
                               jali_sparse_table *t, jali_err *err)
{
    JALI_TRY(jali_get_plan(r, h->columns, h->schema, p, err));
    t->slice = (size_t)jali_get(r);
    t->groups = (unsigned)jali_get(r);
    t->n = (size_t)jali_get(r);
    r->good = r->good && t->n <= JALI_PLAN_COLUMNS;
    for (size_t i = 0; r->good && i < t->n; i++) {
        t->column[i] = jali_get_text(r);
        t->nulls[i] = jali_get(r) != 0;
    }
    if (jali_get(r) != 0) t->summed = jali_get_text(r);
    t->centre = jali_get(r);
    return jali_get_status(r, err);
}

static jali_status sparse(jali_hand *h, jali_reading *r, jali_err *err)
{
    jali_plan *p = NULL;
    jali_sparse_table table = { 0 };
    const jali_sparse *out;
    jali_status status = read_sparse(h, r, &p, &table, err);
    status = status == JALI_OK ? jali_sparse_count(p, &table, r->arena, &out, err)
                               : refuse(h, status, err);
    jali_plan_free(p);
    return status;
}

static jali_status marks(jali_hand *h, jali_err *err)
{
    jali_hand_clear(h);
    return jali_marks_new(&h->marks, h->columns, &h->kept, err);
}

/* ---- passes over a frame ----------------------------------------------------------------- */

static jali_status cells(jali_hand *h, jali_reading *r, const jali_ground *g, jali_err *err)
{
    const jali_tally *out;
    uint32_t each = (uint32_t)jali_get(r);
    size_t cuts = (size_t)jali_get(r);
    const jali_cut *cut = jali_get_bytes(r, cuts, sizeof *cut);
    size_t n = (size_t)jali_get(r);
    const uint32_t *node = jali_get_bytes(r, n, sizeof *node);
    for (size_t i = 0; r->good && i < cuts; i++) r->good = cut[i].axis < g->frame->n;
    jali_status status = jali_get_status(r, err);
    if (status != JALI_OK) return refuse(h, status, err);
    return jali_cells_count(g, each, h->marks, cut, cuts, node, n, &out, err);
}

static jali_status near(jali_hand *h, jali_reading *r, const jali_ground *g, jali_err *err)
{
    const jali_tally *counts, *far;
    uint32_t labels = (uint32_t)jali_get(r);
    const uint16_t *centre = jali_get_bytes(r, labels * g->frame->n, sizeof *centre);
    jali_status status = jali_get_status(r, err);
    if (status != JALI_OK) return refuse(h, status, err);
    return jali_ball_near(g, centre, labels, h->marks, &counts, &far, err);
}

static jali_status sums(jali_hand *h, jali_reading *r, const jali_ground *g, jali_err *err)
{
    const jali_tally *out;
    jali_balls b = { .labels = (uint32_t)jali_get(r) };
    b.centre = jali_get_bytes(r, b.labels * g->frame->n, sizeof *b.centre);
    b.radius = jali_get_bytes(r, b.labels, sizeof *b.radius);
    b.marks = (uint32_t)jali_get(r);
    if (b.marks > 0) b.label_of = jali_get_bytes(r, b.marks, sizeof *b.label_of);
    b.inside = jali_get(r) != 0;
    jali_status status = jali_get_status(r, err);
    if (status != JALI_OK) return refuse(h, status, err);
    return jali_ball_sums(g, h->marks, &b, &out, err);
}

static jali_status planes(jali_hand *h, jali_reading *r, const jali_ground *g, jali_err *err)
{
    const jali_tally *out;
    jali_plane p = { .direction = jali_get_bytes(r, g->frame->n, sizeof *p.direction) };
    p.at = (int32_t)(uint32_t)jali_get(r);
    p.labels = (uint32_t)jali_get(r);
    p.before = (uint32_t)jali_get(r);
    p.next = jali_get_bytes(r, 2 * (size_t)p.before, sizeof *p.next);
    r->good = r->good && h->marks != NULL;
    for (size_t i = 0; r->good && i < 2 * (size_t)p.before; i++) r->good = p.next[i] < p.labels;
    jali_status status = jali_get_status(r, err);
    if (status != JALI_OK) return refuse(h, status, err);
    return jali_planes_count(g, &p, h->marks, &out, err);
}

static jali_status gaps(jali_hand *h, jali_reading *r, const jali_ground *g, jali_err *err)
{
    const jali_tally *out;
    size_t n = (size_t)jali_get(r), axes;
    const double *width = jali_get_bytes(r, n, sizeof *width);
    jali_status status = jali_get_status(r, err);
    if (status != JALI_OK) return refuse(h, status, err);
    return jali_gaps_wide(g, width, n, &out, &axes, err);
}

static jali_status over_frame(jali_hand *h, jali_order_kind kind, jali_reading *r,
                              jali_err *err)
{
    uint32_t rows = (uint32_t)jali_get(r);
    jali_frame frame = { 0 };
    frame.axis = jali_get_axes(r, h->columns, &frame.n);
    jali_ground g = { &frame, h->columns, rows, h->pool, r->arena };
    if (kind == JALI_ORDER_GAPS) return gaps(h, r, &g, err);
    unsigned keep = (unsigned)jali_get(r);
    r->good = r->good && h->marks != NULL;
    if (r->good) jali_marks_keep(h->marks, keep);
    if (kind == JALI_ORDER_CELLS) return cells(h, r, &g, err);
    if (kind == JALI_ORDER_PLANES) return planes(h, r, &g, err);
    return kind == JALI_ORDER_NEAR ? near(h, r, &g, err) : sums(h, r, &g, err);
}

jali_status jali_hand_do(jali_hand *h, jali_order_kind kind, const char *bytes, size_t n,
                         jali_err *err)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_reading r = { bytes, bytes + n, true, &arena };
    jali_status status = kind == JALI_ORDER_CHECK    ? check(h, &r, err)
                         : kind == JALI_ORDER_PLAN   ? plan(h, &r, err)
                         : kind == JALI_ORDER_SPARSE ? sparse(h, &r, err)
                         : kind == JALI_ORDER_MARKS  ? marks(h, err)
                                                     : over_frame(h, kind, &r, err);
    jali_arena_clear(&arena);
    return status;
}

void jali_hand_clear(jali_hand *h)
{
    jali_arena_clear(&h->kept);
    h->marks = NULL;
}
