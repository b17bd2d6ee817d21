/* door/contrast_doc.c — plans and answers of contrast, in words and pictures. */
#include "door/contrast.h"
#include "mech/interval.h"
#include "report/chart.h"
#include <math.h>

enum { SENTENCES = 3, CHARTED = 40 };

static json_t *number_json(double value, double half)
{
    return json_pack("{s:o,s:o,s:o}", "value", jali_contrast_real(value), "low",
                     jali_contrast_real(fmax(0, value - half)), "high",
                     jali_contrast_real(value + half));
}

/* ---- the plan ---------------------------------------------------------------------------- */

/* "41.20 to 41.61" for each coordinate; nothing where nothing is known. */
static const char *region_text(jali_doc *doc, const jali_view *v, size_t c, double z)
{
    char text[512] = "";
    size_t used = 0, n = v->release.ask.n;
    for (size_t a = 0; a < n && used < sizeof text - 80; a++) {
        double at = v->release.centre[c * n + a], half = z * v->centre_error[c * n + a];
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.*f to %.*f",
                                 a > 0 ? ", " : "", jali_contrast_digits(v), at - half,
                                 jali_contrast_digits(v), at + half);
    }
    const char *copy = jali_arena_text(&doc->arena, text);
    if (copy == NULL) doc->failed = true;
    return copy == NULL ? "" : copy;
}

static void set_region(jali_doc *doc, const jali_view *v, size_t c, double z, json_t *row)
{
    size_t n = v->release.ask.n;
    for (size_t a = 0; a < n; a++) {
        char low[80], high[80];
        double at = v->release.centre[c * n + a], half = z * v->centre_error[c * n + a];
        snprintf(low, sizeof low, "%.60s_low", v->release.ask.column[a]);
        snprintf(high, sizeof high, "%.60s_high", v->release.ask.column[a]);
        if (json_object_set_new(row, low, jali_contrast_real(at - half)) != 0 ||
            json_object_set_new(row, high, jali_contrast_real(at + half)) != 0)
            doc->failed = true;
    }
}

static void add_centre_rows(jali_doc *doc, const jali_view *v, double miss)
{
    const jali_contrast_release *r = &v->release;
    double z = jali_normal_halfwidth(miss);
    jali_col cols[JALI_CONTRAST_COLUMNS + 4] = { { "centre", true } };
    bool regions = v->centre_error != NULL;
    json_t *rows = json_array();
    size_t n = r->ask.n;
    for (size_t a = 0; a < n; a++)
        cols[a + 1] = (jali_col){ jali_arena_text(&doc->arena, r->ask.column[a]), true };
    if (regions) cols[n + 1] = (jali_col){ "where it may be", false };
    size_t at = n + 1 + regions;
    cols[at] = (jali_col){ r->ask.weight == NULL ? "rows" : "weight", true };
    cols[at + 1] = (jali_col){ "interval", true };
    jali_doc_table(doc, at + 2, cols);
    for (size_t c = 0; c < r->ask.centres; c++) {
        json_t *row = json_object();
        jali_doc_cell(doc, "%zu", c + 1);
        for (size_t a = 0; a < n; a++) {
            jali_doc_cell(doc, "%.*f", jali_contrast_digits(v), r->centre[c * n + a]);
            if (json_object_set_new(row, r->ask.column[a],
                                    jali_contrast_real(r->centre[c * n + a])) != 0)
                doc->failed = true;
        }
        if (regions) {
            jali_doc_cell(doc, "%s", region_text(doc, v, c, z));
            set_region(doc, v, c, z, row);
        }
        double low = fmax(0, v->served[c] - z * v->served_error[c]),
               high = v->served[c] + z * v->served_error[c];
        jali_doc_cell(doc, "%.0f", v->served[c]);
        jali_doc_cell(doc, "%.0f to %.0f", low, high);
        if (json_object_set_new(row, "served", jali_contrast_real(v->served[c])) != 0 ||
            json_object_set_new(row, "served_low", jali_contrast_real(low)) != 0 ||
            json_object_set_new(row, "served_high", jali_contrast_real(high)) != 0 ||
            json_array_append_new(rows, row) != 0)
            doc->failed = true;
    }
    jali_doc_set(doc, "rows", rows);
}

/* The released weights as a plane, with the centres on it. */
static void add_density(jali_doc *doc, const jali_view *v, double miss)
{
    enum { SIDE = 48 };
    const jali_contrast_release *r = &v->release;
    const jali_ground *g = &r->ground;
    double from[2] = { INFINITY, INFINITY }, to[2] = { -INFINITY, -INFINITY };
    if (r->ask.n != 2) return;
    for (size_t i = 0; i < v->weights.n; i++)
        for (int a = 0; a < 2; a++) {
            const jali_plot *c = &v->weights.cell[i];
            from[a] = fmin(from[a], (double)(c->centre[a] - c->half[a]));
            to[a] = fmax(to[a], (double)(c->centre[a] + c->half[a]));
        }
    double longest = fmax(to[0] - from[0], to[1] - from[1]);
    size_t nx = (size_t)fmax(2, round(SIDE * (to[0] - from[0]) / longest));
    size_t ny = (size_t)fmax(2, round(SIDE * (to[1] - from[1]) / longest));
    double *cell = jali_doc_take(doc, nx * ny, sizeof *cell);
    if (cell == NULL) return;
    for (size_t q = 0; q < v->weights.cloud.real; q++) {
        const jali_cloud *c = &v->weights.cloud;
        double x = ((double)c->x[0][q] - from[0]) / (to[0] - from[0]) * (double)nx;
        double y = ((double)c->x[1][q] - from[1]) / (to[1] - from[1]) * (double)ny;
        size_t i = (size_t)fmin(fmax(x, 0), (double)(nx - 1));
        size_t j = (size_t)fmin(fmax(y, 0), (double)(ny - 1));
        cell[j * nx + i] += (double)c->w[q] * r->unit;
    }
    jali_plane plane = { .x = { .name = r->ask.column[0] },
                         .y = { .name = r->ask.column[1] },
                         .value = { .name = r->ask.weight == NULL ? "rows" : r->ask.weight },
                         .x_from = jali_contrast_tidy(v, g->origin[0] + from[0] * g->length),
                         .x_to = g->origin[0] + to[0] * g->length,
                         .y_from = jali_contrast_tidy(v, g->origin[1] + from[1] * g->length),
                         .y_to = g->origin[1] + to[1] * g->length,
                         .n_x = nx,
                         .n_y = ny,
                         .cell = cell };
    size_t most = 0;
    double all = 0;
    for (size_t c = 0; c < r->ask.centres; c++) {
        all += v->served[c];
        if (v->served[c] > v->served[most]) most = c;
    }
    double half = 100 * jali_normal_halfwidth(miss) * v->served_error[most] / fmax(1e-300, all);
    jali_chart *chart =
        jali_doc_heat(doc, &plane,
                      "%zu centres, and where the %s are: the centre at (%s) "
                      "serves most, %.0f%%, give or take %.0f%%",
                      r->ask.centres, r->ask.weight == NULL ? "rows" : "weights",
                      jali_contrast_point(doc, v, r->centre + 2 * most),
                      100 * v->served[most] / fmax(1e-300, all), fmin(ceil(half), 100));
    for (size_t c = 0; c < r->ask.centres; c++)
        jali_chart_place(chart, r->centre[2 * c], r->centre[2 * c + 1], 'o', "a centre");
    double off = (double)jali_law_halfwidth(r->coreset.law, r->coreset.cell_scale, miss);
    jali_chart_note(chart,
                    "Shades are of the coreset's %zu cells, each give or take %.3g %s by the "
                    "noise (%g%%); inside a "
                    "cell they are taken as evenly spread.",
                    v->weights.n, off * r->unit, r->ask.weight == NULL ? "rows" : r->ask.weight,
                    100 * (1 - miss));
}

static void set_plan(jali_doc *doc, const jali_view *v, double half)
{
    const jali_contrast_release *r = &v->release;
    json_t *columns = json_array();
    for (size_t a = 0; a < r->ask.n; a++)
        if (json_array_append_new(columns, json_string(r->ask.column[a])) != 0)
            doc->failed = true;
    jali_doc_set(doc, "columns", columns);
    jali_doc_set(doc, "weight",
                 r->ask.weight == NULL ? json_null() : json_string(r->ask.weight));
    jali_doc_set(doc, "centres", json_integer((json_int_t)r->ask.centres));
    jali_doc_set(doc, "objective", json_string(r->ask.squared ? "means" : "median"));
    jali_doc_set(doc, "total_cost", number_json(v->cost, half));
    jali_doc_set(doc, "total_weight", jali_contrast_real(fmax(0, v->weights.total) * r->unit));
    jali_doc_set(doc, "cells", json_integer((json_int_t)v->weights.n));
    jali_doc_set(doc, "scale", jali_contrast_real(r->coreset.cell_scale));
    jali_contrast_tell_noise(doc, r);
    jali_doc_set(doc, "notion",
                 json_string("the plan is DP; an answer to a point is "
                             "DP for everybody but the asker"));
}

void jali_contrast_tell_plan(jali_doc *doc, const jali_view *v, double miss)
{
    const jali_contrast_release *r = &v->release;
    double half = jali_normal_halfwidth(miss) * v->cost_error;
    jali_doc_heading(doc, "%zu %s for the least total %s", r->ask.centres,
                     r->ask.centres == 1 ? "centre" : "centres", jali_contrast_measure(v));
    set_plan(doc, v, half);
    add_centre_rows(doc, v, miss);
    add_density(doc, v, miss);
    jali_doc_fact(doc, "total", "%s %s, %g%%: %s to %s", jali_contrast_measure(v),
                  jali_contrast_cost(doc, v->cost), 100 * (1 - miss),
                  jali_contrast_cost(doc, fmax(0, v->cost - half)),
                  jali_contrast_cost(doc, v->cost + half));
    jali_doc_fact(doc, "coreset", "%zu cells in %zu %s; interval for noise and cell rounding",
                  v->weights.n, v->weights.n_parts,
                  r->ask.tight ? "squares of a grid" : "leaves of a private tree");
    if (r->project.n > 0)
        jali_doc_say(doc,
                     "%zu columns were seen along %u public directions: the total is of "
                     "what those see, stretched; centres are noisy means.",
                     r->project.n, r->coreset.dims);
    jali_contrast_tell_strength(doc, v);
    jali_doc_say(doc,
                 "Ask it for free: jali contrast VAULT at RELEASE, or map. An answer tells "
                 "nothing about anybody but the asker; published together with its point, "
                 "it publishes the point.");
}

/* ---- answers ------------------------------------------------------------------------------
 */

static void say_answer(jali_doc *doc, const jali_view *v, const double *at,
                       const jali_contrast_answer *a, double half)
{
    double base = v->cost, share = base > 0 ? 100 * a->extra / base : 0;
    const char *where = jali_contrast_point(doc, v, at);
    const char *outside = jali_view_inside(v, at) ? "" : " (outside of the public box)";
    if (a->extra <= half)
        jali_doc_say(doc,
                     "A centre at (%s)%s would raise the total %s by %s, which is within its "
                     "error of %s: it may cost next to nothing.",
                     where, outside, jali_contrast_measure(v),
                     jali_contrast_cost(doc, a->extra), jali_contrast_cost(doc, half));
    else
        jali_doc_say(doc,
                     "A centre at (%s)%s would raise the total %s by %s (%s to %s), from "
                     "%s to %s: %.2g%% more for everybody together.",
                     where, outside, jali_contrast_measure(v),
                     jali_contrast_cost(doc, a->extra),
                     jali_contrast_cost(doc, fmax(0, a->extra - half)),
                     jali_contrast_cost(doc, a->extra + half), jali_contrast_cost(doc, base),
                     jali_contrast_cost(doc, base + a->extra), share);
}

static void add_answer_chart(jali_doc *doc, const jali_view *v, const jali_points *p,
                             const jali_contrast_answer *answer, double z)
{
    jali_col word = { "point", false };
    jali_track track[] = { { .axis = { .name = "more" }, .bar = true } };
    track[0].axis.unit = NULL;
    jali_chart *chart = jali_doc_rows(doc, 1, &word, 1, track,
                                      "What a centre there would add to "
                                      "the total %s",
                                      jali_contrast_measure(v));
    for (size_t i = 0; i < p->n; i++) {
        const jali_contrast_answer *a = &answer[i];
        jali_chart_word(chart, "%s", jali_contrast_point(doc, v, p->at + i * p->dims));
        jali_chart_mark(chart, JALI_MARK(a->extra, fmax(0, a->extra - z * a->error),
                                         a->extra + z * a->error));
    }
}

static json_t *answer_json(const jali_view *v, const double *at, const jali_contrast_answer *a,
                           double z, double base)
{
    json_t *row = json_object();
    for (size_t c = 0; c < v->release.ask.n; c++)
        if (json_object_set_new(row, v->release.ask.column[c], jali_contrast_real(at[c])) != 0)
            return NULL;
    json_t *more = json_pack(
        "{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:b}", "extra", jali_contrast_real(a->extra), "low",
        jali_contrast_real(fmax(0, a->extra - z * a->error)), "high",
        jali_contrast_real(a->extra + z * a->error), "error", jali_contrast_real(a->error),
        "share", jali_contrast_real(base > 0 ? a->extra / base : 0), "ratio",
        jali_contrast_real(a->ratio), "at_least", jali_contrast_real(a->lower), "at_most",
        jali_contrast_real(a->upper), "inside", jali_view_inside(v, at));
    if (json_object_update(row, more) != 0) return NULL;
    json_decref(more);
    return row;
}

void jali_contrast_tell_answers(jali_doc *doc, const jali_view *v, const jali_points *p,
                                const jali_contrast_answer *answer, double miss)
{
    double z = jali_normal_halfwidth(miss), base = v->cost;
    json_t *rows = json_array();
    jali_doc_heading(doc, p->n == 1 ? "What would it cost to put a centre here?"
                                    : "What would it cost to put a centre at each point?");
    for (size_t i = 0; i < p->n && i < SENTENCES && p->n <= SENTENCES; i++)
        say_answer(doc, v, p->at + i * p->dims, &answer[i], z * answer[i].error);
    if (p->n > 1 && p->n <= CHARTED) add_answer_chart(doc, v, p, answer, z);
    if (p->n > CHARTED) jali_doc_say(doc, "%zu answers: see --format csv or json.", p->n);
    for (size_t i = 0; i < p->n; i++)
        if (json_array_append_new(
                rows, answer_json(v, p->at + i * p->dims, &answer[i], z, base)) != 0)
            doc->failed = true;
    jali_doc_set(doc, "rows", rows);
    jali_doc_set(doc, "base", jali_contrast_real(base));
    jali_contrast_tell_terms(doc, v, miss, jali_contrast_worst(answer, p->n));
    jali_doc_fact(doc, "cost", "nothing: a function of the release and of your own point");
    jali_doc_say(doc, "It tells you nothing about anybody else. Published together with its "
                      "point it publishes the point.");
}
