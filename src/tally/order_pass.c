/* tally/order_pass.c — the orders of passes over a frame.
 *
 * Marks stay where the rows are: every rank has those of its own, made by one order and used by
 * the next ones. What is kept between passes (kept.h) is wished for again with each order.
 */
#include "tally/order_pass.h"
#include "tally/kept.h"
#include "tally/order.h"
#include "tally/pass.h"

static void start(jali_text *to, jali_order_kind kind, const jali_ground *g,
                  const jali_marks *marks)
{
    jali_put(to, kind);
    jali_put(to, g->rows_per_person);
    jali_put_axes(to, g->frame->axis, g->frame->n);
    if (marks == NULL) return;
    jali_put(to, (marks->kept[JALI_KEPT_CELLS].wanted ? JALI_KEEP_CELLS : 0u) |
                     (marks->kept[JALI_KEPT_PLACES].wanted ? JALI_KEEP_PLACES : 0u));
}

jali_status jali_order_marks(const jali_columns *columns, jali_err *err)
{
    jali_text to = { 0 };
    jali_put(&to, JALI_ORDER_MARKS);
    return jali_crew_send(jali_columns_crew(columns), &to, err);
}

jali_status jali_order_cells(const jali_ground *g, uint32_t cells, const jali_marks *marks,
                             const jali_cut *cut, size_t cuts, const uint32_t *node, size_t n,
                             jali_err *err)
{
    jali_text to = { 0 };
    if (!jali_crew_leads(g->columns)) return JALI_OK;
    start(&to, JALI_ORDER_CELLS, g, marks);
    jali_put(&to, cells);
    jali_put(&to, cuts);
    jali_put_bytes(&to, cut, cuts * sizeof *cut);
    jali_put(&to, n);
    jali_put_bytes(&to, node, n * sizeof *node);
    return jali_crew_send(jali_columns_crew(g->columns), &to, err);
}

jali_status jali_order_near(const jali_ground *g, const uint16_t *centre, uint32_t labels,
                            const jali_marks *marks, jali_err *err)
{
    jali_text to = { 0 };
    if (!jali_crew_leads(g->columns)) return JALI_OK;
    start(&to, JALI_ORDER_NEAR, g, marks);
    jali_put(&to, labels);
    jali_put_bytes(&to, centre, labels * g->frame->n * sizeof *centre);
    return jali_crew_send(jali_columns_crew(g->columns), &to, err);
}

jali_status jali_order_sums(const jali_ground *g, const jali_marks *marks, const jali_balls *b,
                            jali_err *err)
{
    jali_text to = { 0 };
    if (!jali_crew_leads(g->columns)) return JALI_OK;
    start(&to, JALI_ORDER_SUMS, g, marks);
    jali_put(&to, b->labels);
    jali_put_bytes(&to, b->centre, b->labels * g->frame->n * sizeof *b->centre);
    jali_put_bytes(&to, b->radius, b->labels * sizeof *b->radius);
    jali_put(&to, b->label_of == NULL ? 0 : b->marks);
    if (b->label_of != NULL) jali_put_bytes(&to, b->label_of, b->marks * sizeof *b->label_of);
    jali_put(&to, b->inside);
    return jali_crew_send(jali_columns_crew(g->columns), &to, err);
}

jali_status jali_order_planes(const jali_ground *g, const jali_plane *p,
                              const jali_marks *marks, jali_err *err)
{
    jali_text to = { 0 };
    if (!jali_crew_leads(g->columns)) return JALI_OK;
    start(&to, JALI_ORDER_PLANES, g, marks);
    jali_put_bytes(&to, p->direction, g->frame->n * sizeof *p->direction);
    jali_put(&to, (uint32_t)p->at);
    jali_put(&to, p->labels);
    jali_put(&to, p->before);
    jali_put_bytes(&to, p->next, 2 * (size_t)p->before * sizeof *p->next);
    return jali_crew_send(jali_columns_crew(g->columns), &to, err);
}

jali_status jali_order_gaps(const jali_ground *g, const double *width, size_t n, jali_err *err)
{
    jali_text to = { 0 };
    if (!jali_crew_leads(g->columns)) return JALI_OK;
    start(&to, JALI_ORDER_GAPS, g, NULL);
    jali_put(&to, n);
    jali_put_bytes(&to, width, n * sizeof *width);
    return jali_crew_send(jali_columns_crew(g->columns), &to, err);
}

jali_status jali_crew_join(const jali_ground *g, jali_status mine, const jali_tally *one,
                           const jali_tally *two, jali_err *err)
{
    const jali_crew *crew = jali_columns_crew(g->columns);
    JALI_TRY(jali_crew_agree(crew, mine, err));
    if (one != NULL) JALI_TRY(jali_crew_add(crew, one->cell, one->n, err));
    return two == NULL ? JALI_OK : jali_crew_add(crew, two->cell, two->n, err);
}
