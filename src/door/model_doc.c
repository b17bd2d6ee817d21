/* door/model_doc.c — a portrait and its quote, told. */
#include "door/model.h"
#include "door/scales.h"
#include "explain/model/curve.h"
#include "report/chart.h"

static const char *name_of(const jali_likeness *l)
{
    const char *what = l->of == NULL ? l->what : l->of;
    if (strcmp(what, "pdp") == 0) return "partial dependence";
    if (strcmp(what, "ale") == 0) return "accumulated local effects";
    if (strcmp(what, "shap") == 0) return "SHAP dependence";
    if (strcmp(what, "pfi") == 0) return "permutation importance";
    if (strcmp(what, "interaction") == 0) return "interaction (Friedman's H)";
    return "an explainer of your own";
}

static jali_mark mark_of(const jali_estimate_m *e)
{
    return JALI_MARK(e->value, e->low, e->high);
}

static json_t *estimate_json(const jali_estimate_m *e)
{
    char value[40], low[40], high[40];
    int n = jali_mark_digits(mark_of(e));
    snprintf(value, sizeof value, "%.*f", n, e->value);
    snprintf(low, sizeof low, "%.*f", n, e->low);
    snprintf(high, sizeof high, "%.*f", n, e->high);
    return json_pack("{s:s,s:s,s:s}", "value", value, "low", low, "high", high);
}

static void append(jali_doc *doc, json_t *list, json_t *row)
{
    if (row == NULL || json_array_append_new(list, row) != 0) doc->failed = true;
}

/* ---- curves ------------------------------------------------------------------------------ */

typedef struct page {
    const jali_telling *t;
    jali_doc *doc;
    const jali_likeness *l;
    const jali_field *field;
} page;

static const char *text_of(const page *p, uint64_t code)
{
    const char *text = jali_field_text(p->field, code, &p->doc->arena);
    if (text == NULL) p->doc->failed = true;
    return text == NULL ? "" : text;
}

static const char *bin_text(const page *p, size_t i)
{
    if (p->l->from[i] == p->l->to[i]) return text_of(p, p->l->from[i]);
    const char *text = jali_arena_format(&p->doc->arena, "%s to %s", text_of(p, p->l->from[i]),
                                         text_of(p, p->l->to[i]));
    if (text == NULL) p->doc->failed = true;
    return text == NULL ? "" : text;
}

/* What the curve is of, for who does not know its name. */
static const char *subject_of(const page *p)
{
    const char *name = name_of(p->l), *of = p->field->name;
    jali_arena *arena = &p->doc->arena;
    const char *text =
        strcmp(name, "partial dependence") == 0
            ? jali_arena_format(arena, "The model's mean answer, were only %s changed", of)
        : strcmp(name, "accumulated local effects") == 0
            ? jali_arena_format(arena, "The model's answer along %s (%s)", of, name)
            : jali_arena_format(arena, "%s of %s", name, of);
    if (text == NULL) p->doc->failed = true;
    return text == NULL ? "" : text;
}

/* Where the curve is lowest and highest, if that cannot be the noise: intervals twice as wide
 * hold at all points of a curve at once. */
static const char *curve_title(const page *p)
{
    const jali_likeness *l = p->l;
    size_t low = 0, high = 0;
    char least[JALI_MARK_TEXT], most[JALI_MARK_TEXT];
    jali_axis axis = { 0 };
    for (size_t i = 0; i < l->n; i++) {
        if (mark_of(&l->at[i]).value < mark_of(&l->at[low]).value) low = i;
        if (mark_of(&l->at[i]).value > mark_of(&l->at[high]).value) high = i;
    }
    jali_mark a = mark_of(&l->at[low]), b = mark_of(&l->at[high]);
    const char *text =
        a.value + 2 * (a.high - a.value) < b.value - 2 * (b.value - b.low)
            ? jali_arena_format(&p->doc->arena, "%s: lowest at %s (%s), highest at %s (%s)",
                                subject_of(p), text_of(p, l->code[low]),
                                jali_mark_interval(least, a, &axis), text_of(p, l->code[high]),
                                jali_mark_interval(most, b, &axis))
            : jali_arena_format(&p->doc->arena, "%s: nothing stands out of the noise",
                                subject_of(p));
    if (text == NULL) p->doc->failed = true;
    return text == NULL ? "" : text;
}

static void draw_curve(const page *p)
{
    const jali_likeness *l = p->l;
    bool words = p->field->kind == JALI_CATEGORY;
    jali_axis x = { .name = p->field->name }, y = { .name = name_of(l) };
    jali_chart *c = jali_doc_lines(p->doc, x, y, "%s", curve_title(p));
    jali_chart_series(c, name_of(l));
    for (size_t i = 0; i < l->n; i++) {
        if (words)
            jali_chart_category(c, text_of(p, l->code[i]), mark_of(&l->at[i]));
        else
            jali_chart_point(c, jali_model_number(p->field, l->code[i]), mark_of(&l->at[i]));
    }
    double half = words || l->code[l->n - 1] == 0
                      ? 0
                      : (jali_model_number(p->field, 1) - jali_model_number(p->field, 0)) / 2;
    bool strip = !words || l->bins == l->n;
    for (size_t i = 0; strip && i < l->bins; i++)
        jali_chart_strip(c, words ? 0 : jali_model_number(p->field, l->from[i]) - half,
                         words ? 0 : jali_model_number(p->field, l->to[i]) + half,
                         l->count[i].value);
    jali_chart_note(c, "bands cover with %g%%%s; below: a noisy histogram of %s",
                    100 * (1 - p->t->miss), l->approximate ? ", by error propagation" : "",
                    p->field->name);
}

enum {
    POINTS_SHOWN = 30
}; /* lines of the table; all points are in the picture and in the rows */

/* Every which point has a line. */
static size_t stride(const jali_likeness *l, const jali_field *f)
{
    bool few = f->kind == JALI_CATEGORY || l->n <= POINTS_SHOWN;
    return few ? 1 : (l->n + POINTS_SHOWN - 1) / POINTS_SHOWN;
}

static void cells_of_point(const page *p, size_t i)
{
    char value[JALI_MARK_TEXT], interval[JALI_MARK_TEXT];
    jali_axis axis = { 0 };
    jali_mark m = mark_of(&p->l->at[i]);
    jali_doc_cell(p->doc, "%s", text_of(p, p->l->code[i]));
    jali_doc_cell(p->doc, "%s", jali_mark_value(value, m, &axis));
    jali_doc_cell(p->doc, "%s", jali_mark_interval(interval, m, &axis));
}

static void table_of_points(const page *p)
{
    const jali_likeness *l = p->l;
    const jali_col cols[] = { { p->field->name, p->field->kind == JALI_NUMBER },
                              { name_of(l), true },
                              { "interval", true } };
    json_t *rows = json_array();
    jali_col *copy = jali_doc_take(p->doc, 3, sizeof *copy);
    if (copy == NULL) return;
    memcpy(copy, cols, sizeof cols);
    copy[0].name = jali_arena_text(&p->doc->arena, p->field->name);
    jali_doc_table(p->doc, 3, copy);
    for (size_t i = 0; i < l->n; i++) {
        if (i % stride(l, p->field) == 0) cells_of_point(p, i);
        append(p->doc, rows,
               json_pack("{s:s,s:o}", p->field->name, text_of(p, l->code[i]), l->what,
                         estimate_json(&l->at[i])));
    }
    if (stride(l, p->field) > 1)
        jali_doc_say(p->doc, "One in %zu of the %zu points; --format csv has them all.",
                     stride(l, p->field), l->n);
    jali_doc_set(p->doc, "rows", rows);
}

static void histogram_json(const page *p)
{
    json_t *list = json_array();
    for (size_t i = 0; i < p->l->bins; i++)
        append(p->doc, list,
               json_pack("{s:s,s:o}", "bin", bin_text(p, i), "count",
                         estimate_json(&p->l->count[i])));
    append(p->doc, list,
           json_pack("{s:s,s:o}", "bin", "NULL", "count", estimate_json(&p->l->nulls)));
    jali_doc_set(p->doc, "histogram", list);
}

/* ---- bars -------------------------------------------------------------------------------- */

/* Is the first one's interval clear of the second's? Large is good for pfi, small for ranks. */
static bool stands_out(const jali_likeness *l, bool pfi)
{
    if (l->n < 2) return true;
    return pfi ? l->at[0].low > l->at[1].high : l->at[0].high < l->at[1].low;
}

static void draw_bars(const page *p)
{
    const jali_likeness *l = p->l;
    bool pfi = strcmp(l->what, "pfi") == 0;
    static const jali_col words[] = { { "column", false } };
    const jali_track track[] = { { .axis = { .name = pfi ? "importance" : "mean rank" },
                                   .bar = pfi,
                                   .from = pfi ? 0 : 1,
                                   .to = pfi ? 0 : (double)l->n } };
    json_t *rows = json_array();
    jali_chart *c =
        jali_doc_rows(p->doc, 1, words, 1, track, "%s: %s first%s", name_of(l), l->column[0],
                      stands_out(l, pfi) ? "" : ", or the noise made it so");
    for (size_t i = 0; i < l->n; i++) {
        jali_chart_word(c, "%s", l->column[i]);
        jali_chart_mark(c, mark_of(&l->at[i]));
        append(p->doc, rows,
               json_pack("{s:i,s:s,s:o}", "place", (int)i + 1, "column", l->column[i],
                         pfi ? "importance" : "mean_rank", estimate_json(&l->at[i])));
    }
    jali_chart_note(c, "%s; intervals cover with %g%%",
                    pfi ? "rise of the mean error when the column is borrowed from another "
                          "row, long rows cut"
                        : "mean place over the blocks, 1 is best",
                    100 * (1 - p->t->miss));
    jali_doc_set(p->doc, "rows", rows);
}

/* ---- what both say ----------------------------------------------------------------------- */

static const char *noise_of(const jali_likeness *l)
{
    bool cube = l->cube && l->law != JALI_LAW_GAUSS;
    return cube ? "K-norm on a cube (sums), discrete Laplace" : jali_law_words(l->law);
}

static void tell_facts(const page *p)
{
    const jali_likeness *l = p->l;
    jali_doc *doc = p->doc;
    jali_doc_fact(doc, "model", "%s %.12s, output cut to %s..%s", l->model_kind, l->model_print,
                  l->lo, l->hi);
    jali_doc_fact(
        doc, "declared", "%s",
        l->private_model
            ? "private by training: its file is not covered by this guarantee, only what "
              "is told here about the rows explained"
            : "public");
    if (l->of != NULL)
        jali_doc_fact(doc, "design", "generic: %llu blocks of persons",
                      (unsigned long long)l->blocks);
    else
        jali_doc_fact(doc, "design", "specific%s",
                      l->quantiles ? ", intervals by private quantiles" : "");
    if (l->rows > 0)
        jali_doc_fact(doc, "neighbours",
                      "one person replaced by another, %llu rows taken as public",
                      (unsigned long long)l->rows);
    else if (isfinite(l->n_rows.value))
        jali_doc_fact(doc, "rows", "about %.0f (%.0f to %.0f)", l->n_rows.value, l->n_rows.low,
                      l->n_rows.high);
    if (l->most > 0)
        jali_doc_fact(doc, "cut",
                      "a row counts for at most %s the largest error, all columns "
                      "together",
                      l->most == 1   ? "half of"
                      : l->most == 2 ? "once"
                                     : "four times");
    jali_doc_fact(doc, "noise", "%s", noise_of(l));
}

/* What 1 of a noisy sum is worth: the model's range in fixed point, of a squared error its
 * square; ranks are votes of blocks. */
static const char *sum_unit(const page *p)
{
    const jali_likeness *l = p->l;
    bool pfi = strcmp(l->what, "pfi") == 0, places = !l->curve && !pfi;
    const char *text = jali_arena_format(
        &p->doc->arena, "1/%d of %s%s", places ? JALI_PROBE_VOTE : 2 * JALI_PROBE_HALF,
        places ? "a place" : "the range", pfi && !l->absolute ? " squared" : "");
    if (text == NULL) p->doc->failed = true;
    return text == NULL ? "" : text;
}

static void tell_scales(const page *p, const json_t *body)
{
    static const char *const keys[] = { "sums", "histogram", "count" };
    for (size_t i = 0; i < 3; i++) {
        const json_t *one = json_object_get(body, keys[i]);
        const char *scale = json_string_value(json_object_get(one, "scale"));
        bool cube = json_object_get(one, "law") != NULL;
        if (scale == NULL) continue;
        jali_doc_scale(
            p->doc, &(jali_noise_scale){ keys[i], i == 1 ? p->l->feature : NULL,
                                         cube ? "K-norm on a cube" : jali_law_words(p->l->law),
                                         strtod(scale, NULL), i == 0 ? sum_unit(p) : "rows" });
    }
}

static void set_members(const page *p)
{
    const jali_likeness *l = p->l;
    jali_doc *doc = p->doc;
    jali_doc_set(doc, "what", json_string(l->what));
    if (l->of != NULL) jali_doc_set(doc, "explainer", json_string(l->of));
    if (l->feature != NULL) jali_doc_set(doc, "feature", json_string(l->feature));
    if (l->label != NULL) jali_doc_set(doc, "label", json_string(l->label));
    jali_doc_set(doc, "mechanism", json_string(noise_of(l)));
    jali_doc_set(doc, "model",
                 json_pack("{s:s,s:s,s:s,s:s,s:s}", "kind", l->model_kind, "print",
                           l->model_print, "declared",
                           l->private_model ? "private by training" : "public", "low", l->lo,
                           "high", l->hi));
    jali_doc_set(doc, "design", json_string(l->of != NULL ? "generic" : "specific"));
    jali_doc_set(doc, "quantiles", json_boolean(l->quantiles));
    jali_doc_set(doc, "replace", json_boolean(l->rows > 0));
    if (l->rows > 0) jali_doc_set(doc, "neighbours", json_string("replace one person"));
    if (l->most > 0) jali_doc_set(doc, "row_most", json_real(l->most / 2.0));
    if (l->of != NULL) jali_doc_set(doc, "blocks", json_integer((json_int_t)l->blocks));
}

static jali_status tell(const jali_telling *t, const json_t *body, jali_err *err)
{
    jali_likeness l;
    size_t field;
    JALI_TRY(jali_likeness_read(&l, body, &t->vault->schema, t->miss, t->arena, err));
    page p = { t, t->doc, &l, NULL };
    if (l.curve) {
        JALI_TRY(jali_schema_find(&t->vault->schema, l.feature, &field, err));
        p.field = &t->vault->schema.fields[field];
        jali_doc_heading(t->doc, "How the model depends on %s", l.feature);
    } else
        jali_doc_heading(t->doc, "What matters to the model");
    set_members(&p);
    tell_scales(&p, body);
    if (l.curve) {
        draw_curve(&p);
        table_of_points(&p);
        histogram_json(&p);
    } else
        draw_bars(&p);
    tell_facts(&p);
    return JALI_OK;
}

jali_status jali_tell_model(const jali_telling *t, jali_err *err)
{
    json_t *body;
    JALI_TRY(jali_json_parse(&body, t->release->body, t->release->n, "the release", err));
    jali_status status = tell(t, body, err);
    json_decref(body);
    return status;
}

/* ---- a quote ----------------------------------------------------------------------------- */

/* How exact, as far as that does not depend on rows: a mean's error is divided by n, which
 * is private; so the noise of its sum is told, in rows' worth of full swing. */
static void tell_noise(const jali_sitting *s, jali_doc *doc)
{
    const jali_portrait *p = &s->portrait;
    double half, far = p->probe.plain.hi - p->probe.plain.lo;
    bool plot = p->spec.kind == JALI_PORTRAIT_PLOT;
    jali_reach reach =
        plot ? jali_probe_reach_curve(&p->probe, p->n) : jali_probe_reach_pdp(&p->probe, p->n);
    bool told = (plot || p->spec.kind == JALI_PORTRAIT_PDP) &&
                jali_noiser_halfwidth(p->main, &reach, s->desk->miss, &half, NULL) == JALI_OK;
    if (told && !plot)
        jali_doc_fact(doc, "error", "each point within %.3g divided by the number of rows",
                      half * far / (2 * JALI_PROBE_HALF));
    if (told && plot)
        jali_doc_fact(doc, "error", "each point within %.3g of the blocks' mean",
                      half * (p->high - p->low) / (2 * JALI_PROBE_HALF) /
                          (double)p->spec.blocks);
    if (p->field != NULL)
        jali_doc_fact(doc, "points", "%zu of %s%s", p->n, p->field->name,
                      p->quantiles ? ", at private quantiles" : "");
}

jali_status jali_sitting_quote(jali_sitting *s, const jali_job *job, jali_doc **out,
                               jali_err *err)
{
    jali_doc *doc;
    JALI_TRY(jali_doc_new(&doc, "cost", err));
    jali_doc_heading(doc, "model %s%s%s", s->question.what,
                     s->question.feature == NULL ? "" : " of ",
                     s->question.feature == NULL ? "" : s->question.feature);
    jali_status status = jali_desk_quote(s->desk, job, doc, err);
    if (status == JALI_OK) tell_noise(s, doc);
    return jali_doc_finish(doc, status, out, err);
}
