/* door/profile_doc.c — a released profile, told: sentences, histogram pairs, numbers. */
#include "door/profile.h"
#include "door/scales.h"
#include "explain/separate/view.h"
#include "report/chart.h"
#include <math.h>

typedef struct page {
    const jali_telling *t;
    jali_view view;
    json_t *clusters, *rows;
} page;

static jali_mark mark_of(jali_about a)
{
    if (isnan(a.half)) return JALI_MARK_UNKNOWN;
    return JALI_MARK(a.value, a.low, a.high);
}

/* The bar of NULL is told where there can be one. */
static uint32_t bars(const page *p, const jali_view_pair *pair)
{
    return pair->shown.values - (p->view.schema->fields[pair->shown.field].required ? 1 : 0);
}

static void add_chart(page *p, const jali_view_pair *pair, const char *sentence)
{
    const jali_view *v = &p->view;
    const char *column = v->schema->fields[pair->shown.field].name;
    jali_axis values = { .name = column }, share = { .name = "share", .percent = true };
    char inside[32];
    snprintf(inside, sizeof inside, "cluster %u", pair->cluster);
    jali_chart *chart =
        jali_doc_pairs(p->t->doc, values, share, inside, "elsewhere", "%s", sentence);
    for (uint32_t i = 0; i < bars(p, pair); i++) {
        const char *name = jali_shown_name(v->schema, &pair->shown, i, i, &p->t->doc->arena);
        jali_mark in =
            pair->too_small ? JALI_MARK_UNKNOWN : mark_of(jali_view_share(v, pair, true, i, i));
        jali_chart_pair(chart, name == NULL ? "" : name, in,
                        mark_of(jali_view_share(v, pair, false, i, i)));
    }
}

/* ---- numbers for programs ------------------------------------------------------------------
 */

static json_t *about_json(jali_about a, int digits)
{
    char value[40], low[40], high[40];
    if (isnan(a.half)) return json_null();
    snprintf(value, sizeof value, "%.*f", digits, a.value);
    snprintf(low, sizeof low, "%.*f", digits, a.low);
    snprintf(high, sizeof high, "%.*f", digits, a.high);
    return json_pack("{s:s,s:s,s:s}", "value", value, "low", low, "high", high);
}

/* A share as every estimate: `bounded` false where the noise says nothing. */
static json_t *share_json(jali_about a)
{
    char value[40], low[40], high[40];
    bool known = !isnan(a.half);
    snprintf(value, sizeof value, "%.5f", known ? a.value : 0.0);
    snprintf(low, sizeof low, "%.5f", known ? fmax(a.value - a.half, 0) : 0.0);
    snprintf(high, sizeof high, "%.5f", known ? fmin(a.value + a.half, 1) : 1.0);
    return json_pack("{s:s,s:s,s:s,s:b}", "value", value, "low", low, "high", high, "bounded",
                     known);
}

static json_t *bar_json(const page *p, const jali_view_pair *pair, uint32_t i)
{
    const jali_view *v = &p->view;
    return json_pack("{s:i,s:s,s:s,s:I,s:o,s:o}", "cluster", (int)pair->cluster, "column",
                     v->schema->fields[pair->shown.field].name, "bar",
                     jali_shown_name(v->schema, &pair->shown, i, i, &p->t->doc->arena), "raw",
                     (json_int_t)pair->inside_raw[i], "inside",
                     share_json(jali_view_share(v, pair, true, i, i)), "elsewhere",
                     share_json(jali_view_share(v, pair, false, i, i)));
}

static void add_json(page *p, const jali_view_pair *pair, const char *sentence)
{
    for (uint32_t i = 0; i < bars(p, pair); i++)
        if (json_array_append_new(p->rows, bar_json(p, pair, i)) != 0) p->t->doc->failed = true;
    json_t *one =
        json_pack("{s:i,s:s,s:s,s:o,s:o,s:b}", "cluster", (int)pair->cluster, "column",
                  p->view.schema->fields[pair->shown.field].name, "sentence", sentence, "size",
                  about_json(pair->inside_all, 0), "elsewhere",
                  about_json(pair->elsewhere_all, 0), "too_small", pair->too_small);
    if (json_array_append_new(p->clusters, one) != 0) p->t->doc->failed = true;
}

static void tell_pair(page *p, const jali_view_pair *pair)
{
    const char *sentence = jali_view_sentence(&p->view, pair, &p->t->doc->arena);
    if (sentence == NULL) {
        p->t->doc->failed = true;
        return;
    }
    if (pair->too_small)
        jali_doc_say(p->t->doc, "%s", sentence);
    else
        add_chart(p, pair, sentence);
    add_json(p, pair, sentence);
}

/* ---- how it was made ------------------------------------------------------------------------
 */

static const char *sufficiency_words(const jali_view *v)
{
    return v->kappa_num == v->kappa_den ? "every outsider in full, as published"
                                        : "outsiders in part, for less noise";
}

static void tell_making(const page *p)
{
    const jali_view *v = &p->view;
    jali_doc *doc = p->t->doc;
    const char *law = jali_law_words(v->law);
    jali_doc_fact(doc, "chosen", "%s",
                  v->paper ? "in two stages, as published"
                           : "from all combinations of columns at once");
    jali_doc_fact(doc, "sufficiency", "%s (%u/%u)", sufficiency_words(v), v->kappa_num,
                  v->kappa_den);
    if (v->block < v->clusters)
        jali_doc_fact(doc, "diversity", "within blocks of %u clusters", v->block);
    jali_doc_fact(doc, "noise",
                  "%s, scale %.4g inside and %.4g beside; each interval covers with %g%%", law,
                  v->scale_in, v->scale_beside, 100 * (1 - v->miss));
    jali_doc_set(doc, "method", json_string(v->paper ? "paper" : "all"));
    jali_doc_set(doc, "mechanism", json_string(law));
    jali_doc_set(doc, "choice",
                 json_string(v->paper ? "exponential mechanism, a shortlist a cluster, then "
                                        "one combination of them"
                                      : "exponential mechanism, one combination of columns"));
    jali_doc_scale(doc, &(jali_noise_scale){ "inside", NULL, law, v->scale_in, "rows" });
    jali_doc_scale(doc, &(jali_noise_scale){ "elsewhere", NULL, law, v->scale_beside, "rows" });
    jali_doc_set(doc, "kappa", json_pack("[i,i]", (int)v->kappa_num, (int)v->kappa_den));
    jali_doc_set(doc, "weights",
                 json_pack("[i,i,i]", (int)v->weight[0], (int)v->weight[1], (int)v->weight[2]));
    jali_doc_set(doc, "block", json_integer(v->block));
}

jali_status jali_profile_tell(const jali_telling *t, jali_err *err)
{
    page p = { .t = t, .clusters = json_array(), .rows = json_array() };
    jali_doc_set(t->doc, "clusters", p.clusters);
    jali_doc_set(t->doc, "rows", p.rows);
    if (p.clusters == NULL || p.rows == NULL) return jali_fail_memory(err);
    JALI_TRY(jali_view_read(&p.view, &t->vault->schema, t->release->body, t->release->n,
                            t->miss, t->arena, err));
    jali_doc_heading(t->doc, "What tells the %u clusters apart", p.view.clusters);
    for (size_t i = 0; i < (size_t)p.view.clusters * p.view.each; i++)
        tell_pair(&p, &p.view.pair[i]);
    tell_making(&p);
    return JALI_OK;
}
