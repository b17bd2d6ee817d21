/* door/why_doc.c — the verdict, told: how large is it, and could it be the noise? */
#include "door/why.h"
#include "report/chart.h"
#include <math.h>

static const char *label_of(const jali_asking_why *w)
{
    return w->asking.query.aggregate[w->comparison.aggregate].label;
}

static const char *number(jali_doc *doc, int digits, double x)
{
    const char *text = isfinite(x) ? jali_arena_format(&doc->arena, "%.*f", digits, x)
                       : x > 0     ? "infinity"
                                   : "-infinity";
    if (text == NULL) doc->failed = true;
    return text == NULL ? "" : text;
}

static json_t *span_json(jali_doc *doc, int digits, double value, double low, double high)
{
    return json_pack("{s:s,s:s,s:s}", "value", number(doc, digits, value), "low",
                     number(doc, digits, low), "high", number(doc, digits, high));
}

/* ---- the groups that are compared ------------------------------------------------------- */

/* " by 4589 (4385 to 4793)", where the question is of one less the other. */
static const char *by_how_much(const jali_asking_why *w, jali_doc *doc)
{
    const jali_gap *g = &w->gap;
    bool turned = g->verdict == JALI_VERDICT_REVERSED;
    jali_mark m =
        turned ? JALI_MARK(-g->value, -g->high, -g->low) : JALI_MARK(g->value, g->low, g->high);
    if (!g->bounded || !isfinite(g->low) || !isfinite(g->high) || w->comparison.unit != 1)
        return "";
    char value[JALI_MARK_TEXT], interval[JALI_MARK_TEXT];
    jali_axis axis = { .name = label_of(w) };
    const char *text = jali_arena_format(
        &doc->arena,
        g->verdict == JALI_VERDICT_NOISE ? ": the difference is %s (%s)" : " by %s (%s)",
        jali_mark_value(value, m, &axis), jali_mark_interval(interval, m, &axis));
    if (text == NULL) doc->failed = true;
    return text == NULL ? "" : text;
}

/* Two groups, one against the other: what the interval allows to say. */
static const char *plain(const jali_asking_why *w, jali_doc *doc)
{
    const jali_comparison *c = &w->comparison;
    if (!c->linear || c->n != 2 || c->weight[0] + c->weight[1] != 0 || c->constant != 0)
        return "The groups of the question";
    bool first = (c->weight[0] > 0) == (w->gap.verdict != JALI_VERDICT_REVERSED);
    const char *joint =
        w->gap.verdict == JALI_VERDICT_NOISE ? "may be no larger than" : "is above";
    const char *text =
        jali_arena_format(&doc->arena, "%s: %s %s %s%s", label_of(w), c->name[!first], joint,
                          c->name[first], by_how_much(w, doc));
    if (text == NULL) doc->failed = true;
    return text == NULL ? "" : text;
}

static void tell_groups(const jali_asking_why *w, jali_doc *doc)
{
    const jali_comparison *c = &w->comparison;
    const jali_col words[] = { { "group", false } };
    const jali_track tracks[] = { { .axis = { .name = label_of(w) }, .bar = true } };
    json_t *groups = json_array();
    jali_chart *chart = jali_doc_rows(doc, 1, words, 1, tracks, "%s", plain(w, doc));
    for (size_t i = 0; i < c->n; i++) {
        size_t cell = jali_answer_group(&w->asking.ask, c->part[i]);
        jali_estimate e = jali_answer_at(&w->answer, c->aggregate, cell, w->miss);
        jali_mark mark = e.bounded ? JALI_MARK(e.value, e.low, e.high) : JALI_MARK_UNKNOWN;
        jali_chart_word(chart, "%s", c->name[i]);
        jali_chart_mark(chart, mark);
        json_t *one = span_json(doc, jali_mark_digits(JALI_MARK(e.value, e.low, e.high)),
                                e.value, e.low, e.high);
        json_object_set_new(one, "group", json_string(c->name[i]));
        json_object_set_new(one, "bounded", json_boolean(e.bounded));
        if (c->linear) json_object_set_new(one, "weight", json_integer(c->weight[i]));
        if (json_array_append_new(groups, one) != 0) doc->failed = true;
    }
    jali_chart_note(chart, "each interval covers with %g%%", 100 * (1 - w->miss));
    jali_doc_set(doc, "groups", groups);
}

/* ---- the verdict ------------------------------------------------------------------------ */

static const char *const verdict_names[] = { "yes", "noise", "reversed" };

static void tell_verdict(const jali_asking_why *w, jali_doc *doc)
{
    const jali_gap *g = &w->gap;
    if (g->verdict == JALI_VERDICT_YES)
        jali_doc_say(doc, "The data says so: noise alone hardly ever makes such a difference.");
    else if (g->verdict == JALI_VERDICT_REVERSED)
        jali_doc_say(doc, "It is the other way round: turn the question, and ask why that is.");
    else
        jali_doc_say(doc, "This could be the noise: the true difference may be zero, or the "
                          "other way round. An explanation may explain nothing.");
    if (!g->bounded)
        jali_doc_say(doc, "The noise says nothing about some of these groups: they are too "
                          "small for what the answer has cost.");
    jali_doc_set(doc, "verdict", json_string(verdict_names[g->verdict]));
}

static void tell_difference(const jali_asking_why *w, jali_doc *doc)
{
    const jali_gap *g = &w->gap;
    int n = jali_mark_digits(JALI_MARK(g->value, g->low, g->high));
    /* "2 * a > 2 * b" is understood as "a > b", but measured as it was written. */
    const char *units =
        w->comparison.linear && w->comparison.unit != 1 ? " in the units of your question" : "";
    jali_doc_fact(doc, "difference", "%s%s, and with %g%% between %s and %s",
                  number(doc, n, g->value), units, 100 * (1 - w->miss), number(doc, n, g->low),
                  number(doc, n, g->high));
    json_t *json = span_json(doc, n, g->value, g->low, g->high);
    json_object_set_new(json, "bounded", json_boolean(g->bounded));
    json_object_set_new(json, "interval", json_string(g->how));
    if (g->has_boot) {
        jali_doc_fact(doc, "bootstrap", "about %s to %s (narrower, only approximately right)",
                      number(doc, n, g->boot_low), number(doc, n, g->boot_high));
        json_object_set_new(json, "bootstrap",
                            json_pack("{s:s,s:s}", "low", number(doc, n, g->boot_low), "high",
                                      number(doc, n, g->boot_high)));
    }
    jali_doc_set(doc, "difference", json);
}

void jali_why_tell_gap(const jali_asking_why *w, jali_doc *doc)
{
    jali_doc_heading(doc, "Why %s?", w->comparison.words);
    jali_doc_set(doc, "question", json_string(w->question));
    jali_doc_set(doc, "understood", json_string(w->comparison.words));
    jali_doc_set(doc, "explains", json_string(w->of));
    jali_doc_set(doc, "aggregate", json_string(label_of(w)));
    tell_groups(w, doc);
    tell_difference(w, doc);
    tell_verdict(w, doc);
}

/* ---- before anything is spent --------------------------------------------------------------
 */

double jali_why_whole(const jali_asking_why *w)
{
    double whole = fabs(w->gap.value);
    bool average = w->asking.query.aggregate[w->comparison.aggregate].kind == JALI_AVG;
    if (average) whole *= fmax(w->gap.smallest, 0);
    return isfinite(whole) ? whole : 0;
}

/* From released counts alone: is the noise of an influence larger than all there is to explain?
 */
bool jali_why_advise(const jali_asking_why *w, double half, double half_at_most, jali_doc *doc)
{
    double whole = jali_why_whole(w);
    const char *name = w->comparison.name[w->gap.least];
    bool hopeless = half_at_most >= whole, faint = half >= whole;
    jali_doc_set(doc, "explainable",
                 json_string(hopeless ? "no"
                             : faint  ? "not with this budget"
                                      : "yes"));
    if (hopeless)
        jali_doc_say(
            doc,
            "Too small to be explained: %s has about %.0f rows, and even the whole cap "
            "of this vault would leave more noise than there is to explain.",
            name, fmax(w->gap.smallest, 0));
    else if (faint)
        jali_doc_say(doc,
                     "Too small for this budget: %s has about %.0f rows, and the noise of an "
                     "influence would be larger than the difference itself. Spend more, or "
                     "compare larger groups.",
                     name, fmax(w->gap.smallest, 0));
    return hopeless;
}
