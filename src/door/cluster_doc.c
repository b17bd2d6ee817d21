/* door/cluster_doc.c — a clustering, told: sizes, and centres in words of the schema. */
#include "base/text.h"
#include "door/cluster_names.h"
#include "door/scales.h"
#include "door/teller.h"
#include "explain/cluster/cluster.h"
#include "explain/cluster/sql.h"
#include "mech/interval.h"
#include "report/chart.h"
#include <math.h>

/* Columns of a cluster's line; clusters in the picture; numbers of a query. */
enum { SHOWN = 4, MOST_ROWS = 200, SQL_NUMBERS = 100000 };

typedef struct told {
    const jali_telling *t;
    jali_clustering c;
    const char *method;
    double half;  /* half-width of a size */
    double *mean; /* of the centres, weighted by size */
    json_t *body;
} told;

/* ---- places in words ------------------------------------------------------------------------
 */

static const jali_field *field_of(const told *x, size_t axis)
{
    const jali_geometry *g = x->c.geometry;
    return &g->schema->fields[g->dimension[axis].field];
}

/* A number between its steps, with the digits that the noise leaves sense for. */
static const char *number_text(const told *x, uint32_t label, size_t axis, double share)
{
    const jali_dimension *d = &x->c.geometry->dimension[axis];
    const jali_field *f = field_of(x, axis);
    double step = (double)f->step.units * pow(10, -(double)f->step.digits);
    double steps = d->domain < 3 ? 0 : (double)(d->domain - 2);
    double value = ((double)f->low + share * steps) * step, half = step / 2;
    if (x->c.centre_spread != NULL && d->width > 0) {
        double spread = x->c.centre_spread[label];
        if (x->c.axis_spread != NULL) spread *= x->c.axis_spread[axis];
        half = fmax(half, 2 * spread / d->width * steps * step);
    }
    int digits = jali_mark_digits(JALI_MARK(value, value - half, value + half));
    if (half >= 20) { /* 38845 give or take 3000 is 39000 */
        double grain = pow(10, floor(log10(half / 2)));
        value = fmax(round(value / grain) * grain, (double)f->low * step);
        value = fmin(value, ((double)f->low + steps) * step);
    }
    return jali_arena_format(x->t->arena, "%.*f", digits, value);
}

static const char *place_text(const told *x, uint32_t label, size_t axis)
{
    const jali_geometry *g = x->c.geometry;
    const jali_dimension *d = &g->dimension[axis];
    const jali_field *f = field_of(x, axis);
    double at = x->c.centre[label * g->n + axis];
    double share = d->width > 0 ? fmin(fmax(at / d->width, 0), 1) : 0;
    uint64_t code = d->domain < 3 ? 0 : (uint64_t)llround(share * (double)(d->domain - 2));
    const char *text;
    if (d->one_hot)
        text = jali_arena_format(x->t->arena, "%.0f%%", 100 * share);
    else if (f->kind == JALI_NUMBER && f->type != JALI_DATE)
        text = number_text(x, label, axis, share);
    else
        text = jali_field_text(f, code, x->t->arena);
    return text == NULL ? "?" : text;
}

static const char *axis_name(const told *x, size_t axis)
{
    const jali_dimension *d = &x->c.geometry->dimension[axis];
    const jali_field *f = field_of(x, axis);
    if (!d->one_hot) return f->name;
    const char *value = jali_field_text(f, d->code, x->t->arena);
    const char *name =
        jali_arena_format(x->t->arena, "%s %s", f->name, value == NULL ? "?" : value);
    return name == NULL ? f->name : name;
}

/* The axes on which a centre is farthest from the mean of all, farthest first. */
static size_t farthest(const told *x, uint32_t label, size_t out[SHOWN])
{
    size_t axes = x->c.geometry->n, n = 0;
    const double *at = x->c.centre + label * axes;
    for (size_t j = 0; j < axes; j++) {
        size_t k = n < SHOWN ? n++ : SHOWN;
        for (; k > 0 && fabs(at[j] - x->mean[j]) > fabs(at[out[k - 1]] - x->mean[out[k - 1]]);
             k--)
            if (k < SHOWN) out[k] = out[k - 1];
        if (k < SHOWN) out[k] = j;
    }
    return n;
}

static const char *centre_text(const told *x, uint32_t label)
{
    size_t axes = x->c.geometry->n, shown[SHOWN], n;
    jali_text text = { 0 };
    if (x->c.centre == NULL) return "";
    n = farthest(x, label, shown);
    for (size_t k = 0; k < n; k++)
        jali_text_format(&text, "%s%s %s", k > 0 ? ", " : "", axis_name(x, shown[k]),
                         place_text(x, label, shown[k]));
    if (axes > n) jali_text_format(&text, ", ...");
    const char *copy = text.at == NULL ? "" : jali_arena_text(x->t->arena, text.at);
    jali_text_clear(&text);
    return copy == NULL ? "" : copy;
}

/* ---- the document
 * ------------------------------------------------------------------------------ */

static jali_mark size_mark(const told *x, uint32_t label)
{
    double size = (double)x->c.size[label];
    return JALI_MARK(size, fmax(size - x->half, 0), fmax(size + x->half, 0));
}

static const char *word_for(const jali_clustering *c)
{
    return c->partition.kind == JALI_PARTITION_RULES   ? "rule"
           : c->partition.kind == JALI_PARTITION_MODES ? "mode"
                                                       : "box";
}

/* How many, and which is the largest if its interval is above all others. */
static const char *title_of(const told *x)
{
    uint32_t k = x->c.partition.labels, most = 0;
    const char *text = NULL;
    bool clear = x->c.size != NULL && k > 1;
    for (uint32_t l = 1; clear && l < k; l++)
        if (size_mark(x, l).value > size_mark(x, most).value) most = l;
    for (uint32_t l = 0; clear && l < k; l++)
        clear = l == most || size_mark(x, l).high < size_mark(x, most).low;
    char rows[JALI_MARK_TEXT];
    const jali_axis whole = { .whole = true };
    if (clear) {
        jali_mark_interval(rows, size_mark(x, most), &whole);
        text = jali_arena_format(
            &x->t->doc->arena,
            "%u clusters by method %s; the largest is number %u, of %.0f rows%s%s%s", k,
            x->method, most, size_mark(x, most).value, rows[0] == '\0' ? "" : " (", rows,
            rows[0] == '\0' ? "" : ")");
    } else
        text = jali_arena_format(
            &x->t->doc->arena, "%u cluster%s by method %s%s", k, k == 1 ? "" : "s", x->method,
            x->c.size != NULL && k > 1 ? "; none is surely the largest" : "");
    if (text == NULL) x->t->doc->failed = true;
    return text == NULL ? "" : text;
}

static void tell_rows(told *x, const char **box)
{
    uint32_t k = x->c.partition.labels, shown = k > MOST_ROWS ? MOST_ROWS : k;
    bool centres = x->c.centre != NULL, sized = x->c.size != NULL;
    jali_col words[3];
    size_t n = 0;
    words[n++] = (jali_col){ "cluster", true };
    if (centres) words[n++] = (jali_col){ "centre", false };
    if (box != NULL) words[n++] = (jali_col){ word_for(&x->c), false };
    jali_track track = { .axis = { .name = "rows", .whole = true }, .bar = true };
    jali_chart *chart = jali_doc_rows(x->t->doc, n, words, sized, &track, "%s", title_of(x));
    for (uint32_t l = 0; l < shown; l++) {
        jali_chart_word(chart, "%u", l);
        if (centres) jali_chart_word(chart, "%s", centre_text(x, l));
        if (box != NULL) jali_chart_word(chart, "%s", box[l]);
        if (sized) jali_chart_mark(chart, size_mark(x, l));
    }
    if (sized)
        jali_chart_note(chart, "Each interval covers its true number with %g%%.",
                        100 * (1 - x->t->miss));
    if (k > shown) jali_doc_say(x->t->doc, "%u more clusters are in the JSON.", k - shown);
}

static void tell_curve(const told *x)
{
    const json_t *curve = json_object_get(x->c.told, "silhouette");
    if (json_array_size(curve) < 2) return;
    jali_chart *chart =
        jali_doc_lines(x->t->doc, (jali_axis){ .name = "clusters", .whole = true },
                       (jali_axis){ .name = "silhouette" },
                       "%u clusters have the highest silhouette", x->c.partition.labels);
    jali_chart_series(chart, "silhouette");
    for (size_t i = 0; i < json_array_size(curve); i++) {
        const json_t *one = json_array_get(curve, i);
        jali_chart_point(chart, json_number_value(json_array_get(one, 0)),
                         JALI_MARK_POINT(json_number_value(json_array_get(one, 1))));
    }
    jali_chart_upright(chart, x->c.partition.labels, "chosen");
    jali_chart_note(chart, "Of the released centres, not of the rows: looking at it is free.");
}

static json_t *centre_json(const told *x, uint32_t label)
{
    size_t axes = x->c.geometry->n;
    json_t *list = json_array();
    for (size_t j = 0; j < axes; j++)
        json_array_append_new(list, json_pack("{s:s,s:s}", "axis", axis_name(x, j), "value",
                                              place_text(x, label, j)));
    return list;
}

static json_t *clusters_json(const told *x, const char **box)
{
    json_t *list = json_array();
    for (uint32_t l = 0; l < x->c.partition.labels; l++) {
        json_t *one = json_pack("{s:I}", "label", (json_int_t)l);
        if (x->c.size != NULL) {
            jali_mark m = size_mark(x, l);
            json_object_set_new(one, "size", json_integer(x->c.size[l]));
            json_object_set_new(one, "low", json_integer(llround(m.low)));
            json_object_set_new(one, "high", json_integer(llround(m.high)));
        }
        if (x->c.centre != NULL) json_object_set_new(one, "centre", centre_json(x, l));
        if (box != NULL) json_object_set_new(one, "box", json_string(box[l]));
        json_array_append_new(list, one);
    }
    return list;
}

/* The same as lines of a table, for csv and ndjson. */
static json_t *rows_json(const told *x, const char **box)
{
    json_t *rows = json_array();
    for (uint32_t l = 0; l < x->c.partition.labels; l++) {
        json_t *row = json_pack("{s:I}", "cluster", (json_int_t)l);
        char value[32], low[32], high[32];
        if (x->c.size != NULL) {
            jali_mark m = size_mark(x, l);
            snprintf(value, sizeof value, "%lld", (long long)x->c.size[l]);
            snprintf(low, sizeof low, "%.0f", m.low);
            snprintf(high, sizeof high, "%.0f", m.high);
            json_object_set_new(
                row, "size",
                json_pack("{s:s,s:s,s:s}", "value", value, "low", low, "high", high));
        }
        for (size_t j = 0; x->c.centre != NULL && j < x->c.geometry->n; j++)
            json_object_set_new(row, axis_name(x, j), json_string(place_text(x, l, j)));
        if (box != NULL) json_object_set_new(row, word_for(&x->c), json_string(box[l]));
        if (json_array_append_new(rows, row) != 0) x->t->doc->failed = true;
    }
    return rows;
}

static jali_status weigh(told *x, jali_err *err)
{
    size_t axes = x->c.geometry->n;
    double all = 0;
    x->mean = jali_arena_take(x->t->arena, axes + 1, sizeof *x->mean);
    if (x->mean == NULL) return jali_fail_memory(err);
    for (uint32_t l = 0; x->c.centre != NULL && l < x->c.partition.labels; l++) {
        double w = x->c.size == NULL ? 1 : fmax((double)x->c.size[l], 1);
        for (size_t j = 0; j < axes; j++) x->mean[j] += w * x->c.centre[l * axes + j];
        all += w;
    }
    for (size_t j = 0; j < axes; j++) x->mean[j] /= fmax(all, 1);
    if (x->c.size != NULL)
        x->half = (double)jali_law_halfwidth(x->c.size_law, x->c.size_scale, x->t->miss);
    return JALI_OK;
}

static void copy_member(const told *x, const char *key)
{
    json_t *value = json_object_get(x->body, key);
    if (value != NULL) jali_doc_set(x->t->doc, key, json_incref(value));
}

/* The fields that the clustering reads: with them the JSON can be applied without the vault. */
static json_t *schema_json(const told *x)
{
    const jali_partition *p = &x->c.partition;
    json_t *all = jali_schema_json(&x->t->vault->schema);
    json_t *fields = json_object_get(all, "fields");
    for (size_t i = json_array_size(fields); i-- > 0;) {
        const char *name =
            json_string_value(json_object_get(json_array_get(fields, i), "name"));
        size_t c = 0;
        while (c < p->n && (name == NULL || strcmp(p->columns[c], name) != 0)) c++;
        if (c == p->n) json_array_remove(fields, i);
    }
    json_object_del(all, "jali");
    return all;
}

static jali_status tell_sql(const told *x, jali_err *err)
{
    const jali_partition *p = &x->c.partition;
    char *sql;
    if ((uint64_t)p->labels * (p->axes + p->n + 1) > SQL_NUMBERS) return JALI_OK;
    JALI_TRY(jali_cluster_sql(p, &x->t->vault->schema, x->t->arena, &sql, err));
    jali_doc_sql(x->t->doc, sql);
    return JALI_OK;
}

static bool chooses(const char *method)
{
    static const char *const those[] = { "refined", "dpm", "cover", "modes" };
    for (size_t i = 0; i < sizeof those / sizeof *those; i++)
        if (strcmp(method, those[i]) == 0) return true;
    return false;
}

/* A centre is a noisy sum over a noisy size: its scale is the spread of one coordinate. */
static void tell_noise(const told *x)
{
    jali_doc *doc = x->t->doc;
    const jali_clustering *c = &x->c;
    const char *law = json_string_value(json_object_get(x->body, "law"));
    bool gauss = law != NULL && strcmp(law, "gauss") == 0,
         paid = x->t->release->paid.rho_pico > 0;
    jali_doc_scales(doc);
    jali_doc_set(
        doc, "mechanism",
        json_string(paid ? jali_law_words(gauss ? JALI_LAW_GAUSS : JALI_LAW_LAPLACE) : "none"));
    if (paid && chooses(x->method))
        jali_doc_set(doc, "choice", json_string("exponential mechanism"));
    if (paid && c->size != NULL)
        jali_doc_scale(doc, &(jali_noise_scale){ "size", NULL, jali_law_words(c->size_law),
                                                 c->size_scale, "rows" });
    for (uint32_t l = 0; c->centre_spread != NULL && l < c->partition.labels; l++) {
        const char *of = jali_arena_format(&doc->arena, "centre of cluster %u", l);
        jali_doc_scale(doc, &(jali_noise_scale){
                                of == NULL ? "centre" : of, NULL, "noisy sum over noisy size",
                                c->centre_spread[l], "the measure of the axes" });
    }
}

static jali_status tell_all(told *x, jali_err *err)
{
    const char **box;
    JALI_TRY(weigh(x, err));
    JALI_TRY(jali_cluster_names(&x->c, x->t->arena, &box, err));
    jali_doc_heading(x->t->doc, "Clusters of %s", x->t->vault->name);
    tell_rows(x, box);
    tell_curve(x);
    jali_doc_fact(x->t->doc, "method", "%s", x->method);
    jali_doc_set(x->t->doc, "method", json_string(x->method));
    jali_doc_set(x->t->doc, "clusters", clusters_json(x, box));
    jali_doc_set(x->t->doc, "rows", rows_json(x, box));
    tell_noise(x);
    copy_member(x, "parameters");
    copy_member(x, "columns");
    copy_member(x, "scale");
    copy_member(x, "partition");
    copy_member(x, "boxes");
    copy_member(x, "told");
    jali_doc_set(x->t->doc, "schema", schema_json(x));
    return tell_sql(x, err);
}

jali_status jali_tell_cluster(const jali_telling *t, jali_err *err)
{
    told x = { .t = t };
    const jali_release *r = t->release;
    JALI_TRY(jali_cluster_read(&x.c, r->body, r->n, &t->vault->schema, t->arena, err));
    jali_status status = jali_json_parse(&x.body, r->body, r->n, "the release", err);
    if (status == JALI_OK) {
        const char *method = json_string_value(json_object_get(x.body, "method"));
        x.method = method == NULL ? "?" : method;
        status = tell_all(&x, err);
    }
    json_decref(x.body);
    json_decref(x.c.told);
    return status;
}
