/* door/ask_doc.c — an answer and a quote, told. */
#include "base/rat.h"
#include "base/text.h"
#include "door/ask.h"
#include "door/scales.h"
#include "report/chart.h"
#include <math.h>

static jali_mark mark_of(const jali_estimate *e)
{
    return (
        jali_mark){ .value = e->value, .low = e->low, .high = e->high, .unknown = !e->bounded };
}

/* The g-th group in the order of the question: one part for each of its columns. */
static void parts_of(const jali_asking *a, size_t g, uint64_t part[JALI_QUERY_GROUPS])
{
    for (size_t i = a->query.n_groups; i > 0; i--) {
        uint64_t n = jali_query_parts(&a->schema->fields[a->query.group[i - 1]]);
        part[i - 1] = g % n;
        g /= n;
    }
}

/* No row of a required column is NULL, so that its group says nothing. */
static bool is_void(const jali_asking *a, const uint64_t *part)
{
    for (size_t i = 0; i < a->query.n_groups; i++) {
        const jali_field *f = &a->schema->fields[a->query.group[i]];
        if (f->required && part[i] + 1 == jali_query_parts(f)) return true;
    }
    return false;
}

/* ---- the finding ---------------------------------------------------------------------- */

static const char *group_name(const jali_asking *a, const uint64_t *part, jali_arena *arena)
{
    const char *name = "";
    for (size_t i = 0; i < a->query.n_groups && name != NULL; i++) {
        const jali_field *f = &a->schema->fields[a->query.group[i]];
        const char *value = jali_query_part(f, part[i], arena);
        name = jali_arena_format(arena, "%s%s%s %s", name, i > 0 ? ", " : "", f->name,
                                 value == NULL ? "?" : value);
    }
    return name == NULL ? "" : name;
}

/* The group with the largest value, if no other interval reaches into its own. All intervals
 * must hold at once for that, so they share the miss. */
typedef struct leader {
    uint64_t part[JALI_QUERY_GROUPS];
    double low, others; /* of the leader; the highest end of all others */
    double value;
    size_t known, unknown;
} leader;

static void consider(leader *l, const uint64_t *part, const jali_estimate *e)
{
    if (!e->bounded) {
        l->unknown++;
        return;
    }
    if (l->known++ == 0 || e->value > l->value) {
        memcpy(l->part, part, sizeof l->part);
        l->value = e->value;
        l->low = e->low;
    }
}

static leader leader_of(const jali_asking *a, const jali_answer *answer)
{
    leader l = { .others = -INFINITY };
    double miss = a->miss / (double)answer->n;
    for (int pass = 0; pass < 2; pass++)
        for (size_t g = 0; g < answer->n; g++) {
            uint64_t part[JALI_QUERY_GROUPS] = { 0 };
            parts_of(a, g, part);
            if (is_void(a, part)) continue;
            jali_estimate e = jali_answer_at(answer, 0, jali_answer_group(&a->ask, part), miss);
            if (pass == 0)
                consider(&l, part, &e);
            else if (e.bounded && memcmp(part, l.part, sizeof part) != 0)
                l.others = fmax(l.others, e.high);
        }
    return l;
}

/* A chart's title says what is to be seen in it, and no more than the intervals allow. */
static const char *finding(const jali_asking *a, const jali_answer *answer, jali_arena *arena)
{
    const char *what = a->query.aggregate[0].label;
    char value[JALI_MARK_TEXT], interval[JALI_MARK_TEXT], *text;
    if (a->query.n_groups == 0) {
        jali_estimate e = jali_answer_at(answer, 0, 0, a->miss);
        jali_axis plain = { .name = what };
        jali_mark_value(value, mark_of(&e), &plain);
        jali_mark_interval(interval, mark_of(&e), &plain);
        text = e.bounded ? jali_arena_format(arena, "%s is %s (%s)", what, value, interval)
                         : jali_arena_format(arena, "too few to tell %s", what);
        return text == NULL ? "" : text;
    }
    leader l = leader_of(a, answer);
    if (l.known == 0)
        text = jali_arena_format(arena, "too few to tell any %s", what);
    else if (l.known > 1 && l.low > l.others) {
        jali_estimate e =
            jali_answer_at(answer, 0, jali_answer_group(&a->ask, l.part), a->miss);
        jali_axis plain = { .name = what };
        text = jali_arena_format(
            arena, "%s is largest for %s%s (%g%% sure): %s (%s)", what,
            group_name(a, l.part, arena), l.unknown > 0 ? " of those that can be told" : "",
            100 * (1 - a->miss), jali_mark_value(value, mark_of(&e), &plain),
            jali_mark_interval(interval, mark_of(&e), &plain));
    } else
        text =
            jali_arena_format(arena, "No group stands out in %s: the intervals overlap", what);
    return text == NULL ? "" : text;
}

/* ---- the numbers ------------------------------------------------------------------------ */

static jali_chart *add_chart(const jali_asking *a, const jali_answer *answer, jali_doc *doc)
{
    jali_col words[JALI_QUERY_GROUPS];
    jali_track tracks[JALI_QUERY_AGGREGATES] = { 0 };
    for (size_t i = 0; i < a->query.n_groups; i++)
        words[i] = (jali_col){ a->schema->fields[a->query.group[i]].name, false };
    for (size_t i = 0; i < a->query.n_aggregates; i++)
        tracks[i] =
            (jali_track){ .axis = { .name = a->query.aggregate[i].label }, .bar = true };
    jali_chart *chart = jali_doc_rows(doc, a->query.n_groups, words, a->query.n_aggregates,
                                      tracks, "%s", finding(a, answer, &doc->arena));
    jali_chart_note(chart, "Each interval covers its true number with %g%%.",
                    100 * (1 - a->miss));
    return chart;
}

static json_t *estimate_json(const jali_estimate *e)
{
    char value[40], low[40], high[40];
    int n = jali_mark_digits(mark_of(e));
    snprintf(value, sizeof value, "%.*f", n, e->value);
    snprintf(low, sizeof low, "%.*f", n, e->low);
    snprintf(high, sizeof high, "%.*f", n, e->high);
    return json_pack("{s:s,s:s,s:s,s:b}", "value", value, "low", low, "high", high, "bounded",
                     e->bounded);
}

static void add_row(const jali_asking *a, jali_chart *chart, jali_doc *doc,
                    const jali_answer *answer, const uint64_t *part, json_t *rows)
{
    json_t *row = json_object();
    size_t g = jali_answer_group(&a->ask, part);
    for (size_t i = 0; i < a->query.n_groups; i++) {
        const jali_field *f = &a->schema->fields[a->query.group[i]];
        const char *name = jali_query_part(f, part[i], &doc->arena);
        jali_chart_word(chart, "%s", name == NULL ? "" : name);
        if (json_object_set_new(row, f->name, json_string(name)) != 0) doc->failed = true;
    }
    for (size_t i = 0; i < a->query.n_aggregates; i++) {
        jali_estimate e = jali_answer_at(answer, i, g, a->miss);
        jali_chart_mark(chart, mark_of(&e));
        if (json_object_set_new(row, a->query.aggregate[i].label, estimate_json(&e)) != 0)
            doc->failed = true;
    }
    if (json_array_append_new(rows, row) != 0) doc->failed = true;
}

static void add_rows(const jali_asking *a, jali_doc *doc, const jali_answer *answer)
{
    json_t *rows = json_array();
    jali_chart *chart = doc->bare ? NULL : add_chart(a, answer, doc);
    for (size_t g = 0; g < answer->n && !doc->failed; g++) {
        uint64_t part[JALI_QUERY_GROUPS] = { 0 };
        parts_of(a, g, part);
        if (!is_void(a, part)) add_row(a, chart, doc, answer, part, rows);
    }
    jali_doc_set(doc, "rows", rows);
}

/* ---- a release, told ----------------------------------------------------------------- */

/* The scale of each measure's noise: with the law, the whole of it. */
static void tell_scales(const jali_answer *x, jali_doc *doc)
{
    static const char *const names[] = { "rows", "values", "sum" };
    for (size_t i = 0; i < x->ask->n_measures; i++) {
        const jali_measure *m = &x->ask->measure[i];
        bool rows = m->kind == JALI_MEASURE_ROWS, sum = m->kind == JALI_MEASURE_SUM;
        jali_doc_scale(doc,
                       &(jali_noise_scale){ names[m->kind],
                                            rows ? NULL : x->ask->schema->fields[m->field].name,
                                            jali_law_words(x->ask->law), x->scale[i],
                                            sum ? "steps of the column" : "rows" });
    }
}

jali_status jali_asking_tell(jali_asking *a, const jali_telling *t, jali_err *err)
{
    jali_doc *doc = t->doc;
    jali_answer answer;
    JALI_TRY(
        jali_answer_read(&answer, &a->ask, t->release->body, t->release->n, t->arena, err));
    jali_doc_heading(doc, "%s", a->sql);
    jali_doc_set(doc, "question", json_string(a->sql));
    jali_doc_set(doc, "mechanism", json_string(jali_law_words(a->ask.law)));
    tell_scales(&answer, doc);
    if (!doc->failed) add_rows(a, doc, &answer);
    jali_doc_fact(doc, "noise", "%s", jali_law_words(a->ask.law));
    return JALI_OK;
}

/* ---- a quote ------------------------------------------------------------------- */

/* One step of a number in the column's own unit. */
static double step_of(const jali_field *f)
{
    double step = (double)f->step.units;
    for (unsigned i = 0; i < f->step.digits; i++) step /= 10;
    return f->kind == JALI_CATEGORY || step == 0 ? 1 : step;
}

/* How exact an average gets depends on how many rows its group has, which nobody may know: so
 * it is told for two sizes. The noise of the group's count comes on top. */
static void tell_average(const jali_asking *a, const char *column, double half, jali_doc *doc)
{
    bool wanted = false;
    for (size_t i = 0; i < a->query.n_aggregates; i++)
        wanted = wanted || a->query.aggregate[i].kind == JALI_AVG;
    char *label = jali_arena_format(&doc->arena, "average of %s", column);
    if (wanted && label != NULL)
        jali_doc_fact(doc, label,
                      "within about %.2g in a group of 1,000 rows, about %.2g in one of 10,000",
                      half / 1000, half / 10000);
}

/* The same for programs. */
static void add_error(jali_doc *doc, json_t *list, const jali_measure *m, const char *column,
                      double half)
{
    static const char *const of[] = { "rows", "values", "sum" };
    char within[40];
    snprintf(within, sizeof within, "%.6g", half);
    json_t *one = json_pack("{s:s,s:s?,s:s}", "of", of[m->kind], "column",
                            m->kind == JALI_MEASURE_ROWS ? NULL : column, "within", within);
    if (json_array_append_new(list, one) != 0) doc->failed = true;
}

static void tell_errors(const jali_asking *a, jali_doc *doc)
{
    static const char *const names[] = { "rows", "values of ", "sum of " };
    json_t *list = json_array();
    jali_doc_set(doc, "errors", list);
    for (size_t i = 0; i < a->ask.n_measures; i++) {
        const jali_measure *m = &a->ask.measure[i];
        const char *column = a->schema->fields[m->field].name;
        char *label = jali_arena_format(&doc->arena, "%s%s", names[m->kind],
                                        m->kind == JALI_MEASURE_ROWS ? "" : column);
        double scale;
        if (label == NULL ||
            jali_noiser_scale(a->ask.noiser, &m->reach, &scale, NULL) != JALI_OK) {
            doc->failed = true;
            return;
        }
        double half = (double)jali_law_halfwidth(a->ask.law, scale, a->miss);
        if (m->kind == JALI_MEASURE_SUM) half *= step_of(&a->schema->fields[m->field]);
        add_error(doc, list, m, column, half);
        jali_doc_fact(doc, label, "within %.4g, %g%% of the time", half, 100 * (1 - a->miss));
        if (m->kind == JALI_MEASURE_SUM) tell_average(a, column, half, doc);
    }
}

jali_status jali_asking_quote(jali_asking *a, jali_desk *desk, const jali_job *job,
                              jali_doc **out, jali_err *err)
{
    jali_doc *doc;
    JALI_TRY(jali_desk_doc(desk, "cost", &doc, err));
    jali_doc_heading(doc, "%s", a->sql);
    jali_status status = jali_desk_quote(desk, job, doc, err);
    if (status == JALI_OK) tell_errors(a, doc);
    return jali_doc_finish(doc, status, out, err);
}
