/* door/contrast_map.c — what a centre would cost everywhere, with how far each cell may be off.
 *
 * Every cell is a question like those of `contrast at`: a function of the release and of a
 * public grid, so the map and its intervals cost nothing (contrast.exclusive).
 */
#include "door/contrast.h"
#include "mech/interval.h"
#include "report/chart.h"
#include <math.h>
#include <stdlib.h>

/* The grid, its answers, and the half-widths of their intervals. */
typedef struct mapping {
    const jali_view *view;
    const size_t *side;
    const jali_points *points;
    const jali_contrast_answer *answer;
    double *extra, *half, miss, typical, largest;
    size_t dearest, unsure;
} mapping;

static int rising(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static bool measure(mapping *m, jali_doc *doc)
{
    size_t n = m->points->n;
    double *order = jali_doc_take(doc, n, sizeof *order), z = jali_normal_halfwidth(m->miss);
    m->extra = jali_doc_take(doc, n, sizeof *m->extra);
    m->half = jali_doc_take(doc, n, sizeof *m->half);
    if (order == NULL || m->extra == NULL || m->half == NULL) return false;
    for (size_t i = 0; i < n; i++) {
        m->extra[i] = m->answer[i].extra;
        order[i] = m->half[i] = z * m->answer[i].error;
        if (m->extra[i] > m->extra[m->dearest]) m->dearest = i;
        m->unsure += m->extra[i] <= m->half[i];
    }
    qsort(order, n, sizeof *order, rising);
    m->typical = order[n / 2];
    m->largest = order[n - 1];
    return true;
}

/* "184200 (180100 to 188300)". */
static const char *cell_text(const mapping *m, jali_doc *doc, size_t i)
{
    const char *text =
        jali_arena_format(&doc->arena, "%s (%s to %s)", jali_contrast_cost(doc, m->extra[i]),
                          jali_contrast_cost(doc, fmax(0, m->extra[i] - m->half[i])),
                          jali_contrast_cost(doc, m->extra[i] + m->half[i]));
    if (text == NULL) doc->failed = true;
    return text == NULL ? "" : text;
}

/* Two digits, rounded up: more would be read as if they were known. */
static double coarse(double x)
{
    double unit = x > 0 ? pow(10, floor(log10(x)) - 1) : 1;
    return ceil(x / unit - 1e-9) * unit;
}

static const char *title_of(const mapping *m, jali_doc *doc)
{
    const jali_view *v = m->view;
    const double *at = m->points->at + m->dearest * m->points->dims;
    const char *text =
        jali_arena_format(&doc->arena, "A centre would add most to the total %s at (%s): %s",
                          jali_contrast_measure(v), jali_contrast_point(doc, v, at),
                          cell_text(m, doc, m->dearest));
    if (text == NULL) doc->failed = true;
    return text == NULL ? "" : text;
}

static jali_chart *add_plane(const mapping *m, jali_doc *doc)
{
    const jali_view *v = m->view;
    const jali_contrast_release *r = &v->release;
    const jali_points *p = m->points;
    const double *first = p->at, *last = p->at + 2 * (p->n - 1);
    size_t nx = m->side[0], ny = m->side[1];
    double dx = (last[0] - first[0]) / (double)(nx > 1 ? nx - 1 : 1) / 2;
    double dy = (last[1] - first[1]) / (double)(ny > 1 ? ny - 1 : 1) / 2;
    jali_plane plane = { .x = { .name = r->ask.column[0] },
                         .y = { .name = r->ask.column[1] },
                         .value = { .name = "more" },
                         .x_from = jali_contrast_tidy(v, first[0] - dx),
                         .x_to = last[0] + dx,
                         .y_from = jali_contrast_tidy(v, first[1] - dy),
                         .y_to = last[1] + dy,
                         .n_x = nx,
                         .n_y = ny,
                         .cell = m->extra,
                         .half = m->half };
    jali_chart *chart = jali_doc_heat(doc, &plane, "%s", title_of(m, doc));
    for (size_t c = 0; c < r->ask.centres; c++)
        jali_chart_place(chart, r->centre[2 * c], r->centre[2 * c + 1], 'o',
                         "a centre of the plan");
    return chart;
}

static jali_chart *add_line(const mapping *m, jali_doc *doc)
{
    const jali_contrast_release *r = &m->view->release;
    jali_axis x = { .name = r->ask.column[0] }, y = { .name = "more" };
    jali_chart *chart = jali_doc_lines(doc, x, y, "%s", title_of(m, doc));
    jali_chart_series(chart, "more");
    for (size_t i = 0; i < m->points->n; i++)
        jali_chart_point(chart, m->points->at[i],
                         JALI_MARK(m->extra[i], fmax(0, m->extra[i] - m->half[i]),
                                   m->extra[i] + m->half[i]));
    for (size_t c = 0; c < r->ask.centres; c++)
        jali_chart_upright(chart, r->centre[c], "a centre of the plan");
    return chart;
}

static void add_picture(const mapping *m, jali_doc *doc)
{
    jali_chart *chart = m->points->dims == 2 ? add_plane(m, doc) : add_line(m, doc);
    const char *where =
        m->unsure == 0
            ? "There is no place where a centre may cost nothing more"
            : jali_arena_format(&doc->arena,
                                "At %zu of %zu places a centre may cost nothing more",
                                m->unsure, m->points->n);
    jali_chart_note(chart,
                    "Each place is give or take %s as a rule and %s at most (%g%%, each by "
                    "itself, for noise and cell rounding). %s.",
                    jali_contrast_cost(doc, coarse(m->typical)),
                    jali_contrast_cost(doc, coarse(m->largest)), 100 * (1 - m->miss),
                    where == NULL ? "" : where);
}

static json_t *row_json(const mapping *m, size_t i)
{
    json_t *row = json_object();
    const jali_points *p = m->points;
    for (size_t a = 0; a < p->dims; a++)
        if (json_object_set_new(row, m->view->release.ask.column[a],
                                jali_contrast_real(p->at[i * p->dims + a])))
            goto failed;
    if (json_object_set_new(row, "extra", jali_contrast_real(m->extra[i])) == 0 &&
        json_object_set_new(row, "low",
                            jali_contrast_real(fmax(0, m->extra[i] - m->half[i]))) == 0 &&
        json_object_set_new(row, "high", jali_contrast_real(m->extra[i] + m->half[i])) == 0)
        return row;
failed:
    json_decref(row);
    return NULL;
}

static void set_rows(const mapping *m, jali_doc *doc)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < m->points->n; i++)
        if (json_array_append_new(rows, row_json(m, i)) != 0) doc->failed = true;
    jali_doc_set(doc, "rows", rows);
    jali_doc_set(doc, "base", jali_contrast_real(m->view->cost));
    jali_doc_set(doc, "halfwidth",
                 json_pack("{s:o,s:o}", "typical", jali_contrast_real(m->typical), "largest",
                           jali_contrast_real(m->largest)));
    jali_doc_set(doc, "within_error", json_integer((json_int_t)m->unsure));
}

void jali_contrast_tell_map(jali_doc *doc, const jali_view *v, const size_t *side,
                            const jali_points *p, const jali_contrast_answer *answer,
                            double miss)
{
    mapping m = { .view = v, .side = side, .points = p, .answer = answer, .miss = miss };
    if (!measure(&m, doc)) return;
    jali_doc_heading(doc, "What would it cost to put a centre there?");
    add_picture(&m, doc);
    set_rows(&m, doc);
    jali_doc_fact(doc, "dearest", "%s at (%s)", cell_text(&m, doc, m.dearest),
                  jali_contrast_point(doc, v, p->at + m.dearest * p->dims));
    jali_contrast_tell_terms(doc, v, miss, jali_contrast_worst(answer, p->n));
    jali_doc_fact(doc, "cost", "nothing: a function of the release and of a public grid");
}

void jali_contrast_picture_map(jali_doc *doc, const jali_view *v, const size_t *side,
                               const jali_points *p, const jali_contrast_answer *answer,
                               double miss)
{
    mapping m = { .view = v, .side = side, .points = p, .answer = answer, .miss = miss };
    if (measure(&m, doc)) add_picture(&m, doc);
}
