/* door/ask_doc.c — an answer and a quote, told. */
#include "base/rat.h"
#include "base/text.h"
#include "door/ask.h"
#include <math.h>

enum { BAR_WIDTH = 24 };

/* As many digits as the interval deserves: two of its half-width. */
static int digits_of(const jali_estimate *e)
{
    double half = (e->high - e->low) / 2;
    if (!(half > 0)) return e->value == floor(e->value) ? 0 : 9; /* 0.5 is not "0 to 0" */
    int n = 1 - (int)floor(log10(half));
    return n < 0 ? 0 : n > 9 ? 9 : n;
}

/* Solid up to the low end, shaded from there to the high end. */
static const char *bar(jali_doc *doc, const jali_estimate *e, double most)
{
    jali_text t = { 0 };
    double unit = most > 0 ? BAR_WIDTH / most : 0;
    int solid = (int)(fmax(e->low, 0) * unit + 0.5), all = (int)(fmax(e->high, 0) * unit + 0.5);
    for (int i = 0; i < all && i < BAR_WIDTH; i++) jali_text_add(&t, i < solid ? "█" : "▒");
    const char *copy = jali_arena_text(&doc->arena, t.at == NULL ? "" : t.at);
    if (t.failed || copy == NULL) doc->failed = true;
    jali_text_clear(&t);
    return copy == NULL ? "" : copy;
}

static double largest(const jali_asking *a, const jali_answer *answer, size_t aggregate)
{
    double most = 0;
    for (size_t g = 0; g < answer->n; g++) {
        jali_estimate e = jali_answer_at(answer, aggregate, g, a->miss);
        if (e.bounded) most = fmax(most, e.high);
    }
    return most;
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

static void add_columns(const jali_asking *a, jali_doc *doc)
{
    jali_col cols[JALI_QUERY_GROUPS + 3 * JALI_QUERY_AGGREGATES];
    size_t n = 0;
    for (size_t i = 0; i < a->query.n_groups; i++)
        cols[n++] = (jali_col){ a->schema->fields[a->query.group[i]].name, false };
    for (size_t i = 0; i < a->query.n_aggregates; i++) {
        cols[n++] = (jali_col){ a->query.aggregate[i].label, true };
        cols[n++] = (jali_col){ "interval", true };
        cols[n++] = (jali_col){ "", false };
    }
    for (size_t i = 0; i < n; i++) {
        cols[i].name = jali_arena_text(&doc->arena, cols[i].name);
        if (cols[i].name == NULL) doc->failed = true;
    }
    if (!doc->failed) jali_doc_table(doc, n, cols);
}

static json_t *estimate_json(const jali_estimate *e)
{
    char value[40], low[40], high[40];
    int n = digits_of(e);
    snprintf(value, sizeof value, "%.*f", n, e->value);
    snprintf(low, sizeof low, "%.*f", n, e->low);
    snprintf(high, sizeof high, "%.*f", n, e->high);
    return json_pack("{s:s,s:s,s:s,s:b}", "value", value, "low", low, "high", high, "bounded",
                     e->bounded);
}

static void add_row(const jali_asking *a, jali_doc *doc, const jali_answer *answer,
                    const uint64_t *part, const double *most, json_t *rows)
{
    json_t *row = json_object();
    size_t g = jali_answer_group(&a->ask, part);
    for (size_t i = 0; i < a->query.n_groups; i++) {
        const jali_field *f = &a->schema->fields[a->query.group[i]];
        const char *name = jali_query_part(f, part[i], &doc->arena);
        jali_doc_cell(doc, "%s", name == NULL ? "" : name);
        if (json_object_set_new(row, f->name, json_string(name)) != 0) doc->failed = true;
    }
    for (size_t i = 0; i < a->query.n_aggregates; i++) {
        jali_estimate e = jali_answer_at(answer, i, g, a->miss);
        int n = digits_of(&e);
        if (e.bounded) {
            jali_doc_cell(doc, "%.*f", n, e.value);
            jali_doc_cell(doc, "%.*f to %.*f", n, e.low, n, e.high);
        } else { /* a number here would only be believed */
            jali_doc_cell(doc, "?");
            jali_doc_cell(doc, "too few to tell");
        }
        jali_doc_cell(doc, "%s", e.bounded ? bar(doc, &e, most[i]) : "");
        if (json_object_set_new(row, a->query.aggregate[i].label, estimate_json(&e)) != 0)
            doc->failed = true;
    }
    if (json_array_append_new(rows, row) != 0) doc->failed = true;
}

static void add_rows(const jali_asking *a, jali_doc *doc, const jali_answer *answer)
{
    double most[JALI_QUERY_AGGREGATES];
    json_t *rows = json_array();
    for (size_t i = 0; i < a->query.n_aggregates; i++) most[i] = largest(a, answer, i);
    for (size_t g = 0; g < answer->n && !doc->failed; g++) {
        uint64_t part[JALI_QUERY_GROUPS] = { 0 };
        parts_of(a, g, part);
        if (!is_void(a, part)) add_row(a, doc, answer, part, most, rows);
    }
    jali_doc_set(doc, "rows", rows);
}

/* ---- a release, told ----------------------------------------------------------------- */

static const char *law_words(jali_law law)
{
    return law == JALI_LAW_GAUSS ? "discrete Gaussian" : "discrete Laplace";
}

jali_status jali_asking_tell(jali_asking *a, const jali_telling *t, jali_err *err)
{
    jali_doc *doc = t->doc;
    jali_answer answer;
    JALI_TRY(
        jali_answer_read(&answer, &a->ask, t->release->body, t->release->n, t->arena, err));
    jali_doc_heading(doc, "%s", a->sql);
    jali_doc_set(doc, "question", json_string(a->sql));
    jali_doc_set(doc, "mechanism", json_string(law_words(a->ask.law)));
    add_columns(a, doc);
    if (!doc->failed) add_rows(a, doc, &answer);
    jali_doc_fact(doc, "noise", "%s, each number covered with %g%%", law_words(a->ask.law),
                  100 * (1 - a->miss));
    return JALI_OK;
}

/* ---- a quote ------------------------------------------------------------------- */

static void tell_errors(const jali_asking *a, jali_doc *doc)
{
    static const char *const names[] = { "rows", "values of ", "sum of " };
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
        unsigned long long half = jali_law_halfwidth(a->ask.law, scale, a->miss);
        jali_doc_fact(doc, label, "within %llu%s, %g%% of the time", half,
                      m->kind == JALI_MEASURE_SUM ? " steps of the column" : "",
                      100 * (1 - a->miss));
    }
}

jali_status jali_asking_quote(jali_asking *a, jali_desk *desk, const jali_job *job,
                              jali_doc **out, jali_err *err)
{
    jali_doc *doc;
    JALI_TRY(jali_doc_new(&doc, "cost", err));
    jali_doc_heading(doc, "%s", a->sql);
    jali_status status = jali_desk_quote(desk, job, doc, err);
    if (status == JALI_OK) tell_errors(a, doc);
    return jali_doc_finish(doc, status, out, err);
}
