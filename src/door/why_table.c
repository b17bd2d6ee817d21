/* door/why_table.c — the table of explanations: influences, ranks, and what they mean. */
#include "door/scales.h"
#include "door/why.h"
#include "report/chart.h"
#include <math.h>

static json_t *span_json(jali_doc *doc, double scale, const jali_explained_line *l)
{
    jali_mark mark = JALI_MARK(l->influence * scale, l->low * scale, l->high * scale);
    int n = jali_mark_digits(mark);
    char text[3][64];
    snprintf(text[0], sizeof text[0], "%.*f", n, mark.value);
    snprintf(text[1], sizeof text[1], "%.*f", n, mark.low);
    snprintf(text[2], sizeof text[2], "%.*f", n, mark.high);
    json_t *json =
        json_pack("{s:s,s:s,s:s}", "value", text[0], "low", text[1], "high", text[2]);
    if (json == NULL) doc->failed = true;
    return json;
}

static void add_json(jali_doc *doc, json_t *rows, const jali_told *told, size_t i,
                     const jali_explained_line *l, double whole)
{
    json_t *row =
        json_pack("{s:s,s:o,s:o,s:I,s:I,s:I,s:I}", "predicate", told->where[i], "influence",
                  span_json(doc, told->unit, l), "relative",
                  whole > 0 ? span_json(doc, told->unit / whole, l) : json_null(), "rank_low",
                  (json_int_t)l->rank_low, "rank_high", (json_int_t)l->rank_high, "score",
                  (json_int_t)told->drawn.influence[i], "drawn", (json_int_t)i + 1);
    if (json_array_append_new(rows, row) != 0) doc->failed = true;
}

/* The finding first: does the best one stand out of the noise? */
static const char *finding(const jali_told *told, const jali_explained_line *best, size_t i,
                           double whole, jali_doc *doc)
{
    unsigned long long n = told->drawn.predicates;
    const jali_axis share = { .percent = true };
    double by = whole > 0 ? told->unit / whole : 0;
    jali_mark mark = JALI_MARK(best->influence * by, best->low * by, best->high * by);
    char value[JALI_MARK_TEXT], interval[JALI_MARK_TEXT];
    const char *text;
    if (!(best->low > 0))
        text = jali_arena_format(&doc->arena, "Of %llu predicates none stands out of the noise",
                                 n);
    else if (whole > 0)
        text = jali_arena_format(&doc->arena, "Of %llu predicates, %s explains most: %s (%s)",
                                 n, told->where[i], jali_mark_value(value, mark, &share),
                                 jali_mark_interval(interval, mark, &share));
    else
        text = jali_arena_format(&doc->arena, "Of %llu predicates, %s matters most", n,
                                 told->where[i]);
    if (text == NULL) doc->failed = true;
    return text == NULL ? "" : text;
}

static jali_chart *start(const jali_told *told, double whole, const char *title, jali_doc *doc)
{
    const jali_col words[] = { { "rows with", false } };
    const double most = (double)told->drawn.predicates;
    const jali_track tracks[] = {
        { .axis = { .name = whole > 0 ? "explains" : "influence", .percent = whole > 0 } },
        { .axis = { .name = "rank", .whole = true }, .from = 1, .to = most > 1 ? most : 2 },
    };
    return jali_doc_rows(doc, 1, words, 2, tracks, "%s", title);
}

static void add_row(jali_chart *chart, const jali_told *told, size_t i,
                    const jali_explained_line *l, double scale)
{
    jali_chart_word(chart, "%s", told->where[i]);
    jali_chart_mark(chart, JALI_MARK(l->influence * scale, l->low * scale, l->high * scale));
    double low = (double)l->rank_low, high = (double)l->rank_high;
    jali_chart_mark(chart, JALI_MARK(low == high ? low : NAN, low, high));
}

static void tell_left_out(const jali_told *told, jali_doc *doc)
{
    char *all = NULL;
    json_t *names = json_array();
    for (size_t i = 0; i < told->n_left_out && !doc->failed; i++) {
        const char *joint = i == 0 ? "" : i + 1 == told->n_left_out ? " and " : ", ";
        all = jali_arena_format(&doc->arena, "%s%s%s", all == NULL ? "" : all, joint,
                                told->left_out[i]);
        if (all == NULL || json_array_append_new(names, json_string(told->left_out[i])) != 0)
            doc->failed = true;
    }
    if (all != NULL)
        jali_doc_say(doc, "%s took no part: %s without bins.", all,
                     told->n_left_out == 1 ? "a number" : "numbers");
    jali_doc_set(doc, "left_out", names);
}

static void tell_meaning(const jali_asking_why *w, const jali_told *told, double whole,
                         jali_doc *doc)
{
    if (whole > 0)
        jali_doc_say(doc, "explains: the share of the difference that would be gone without "
                          "these rows, marked down the more of a group they are (below 0%%: it "
                          "would grow). rank: the true place among all predicates.");
    else
        jali_doc_say(doc, "influence: how much of the difference would be gone without these "
                          "rows; no share, as the difference is not known.");
    if (told->ranks == JALI_RANKS_SEARCH && fabs(told->ranks_at - (1 - w->miss)) > 1e-9)
        jali_doc_say(doc, "Ranks were searched for at %g%%, and stay at that.",
                     100 * told->ranks_at);
    if (strcmp(told->constants, "paper") == 0)
        jali_doc_say(doc, "Drawn with the paper's constants, for comparison only.");
    tell_left_out(told, doc);
}

static json_t *mechanism_json(const jali_explained *x)
{
    const jali_explain_noise *n = &x->noise;
    const char *ranks = x->low != NULL ? "binary search" : "shared vector";
    if (n->law == JALI_LAW_GAUSS)
        return json_pack("{s:s,s:s,s:s,s:s,s:f,s:f,s:s}", "choice",
                         "k peeled exponential mechanisms", "influences", "discrete Gaussian",
                         "variance", n->own2, "variance_common", n->common2, "scale", n->own,
                         "scale_common", n->common, "ranks", ranks);
    return json_pack("{s:s,s:s,s:s,s:f,s:f,s:s}", "choice", "exponential noise", "influences",
                     "K-norm noise on whole numbers", "eps", n->exact_eps, "reach", n->reach,
                     "range", n->range, "ranks", ranks);
}

/* P(y) ~ exp(-eps |y|) in the norm of the body: along one influence a Laplace of reach / eps.
 */
static void tell_scales(const jali_explain_noise *n, jali_doc *doc)
{
    bool gauss = n->law == JALI_LAW_GAUSS;
    const char *law = gauss ? jali_law_words(n->law) : "K-norm noise on whole numbers";
    double scale = gauss ? n->own : n->reach / n->eps;
    jali_doc_scale(doc, &(jali_noise_scale){ "influence", NULL, law, scale, "scores" });
    if (gauss && n->common > 0)
        jali_doc_scale(doc, &(jali_noise_scale){ "all influences together", NULL, law,
                                                 n->common, "scores" });
}

jali_status jali_why_tell_table(const jali_asking_why *w, const jali_told *told,
                                jali_arena *arena, jali_doc *doc, jali_err *err)
{
    const jali_explained *x = &told->drawn;
    jali_explained_line *line = jali_arena_take(arena, x->k + 1, sizeof *line);
    size_t *order = jali_arena_take(arena, x->k + 1, sizeof *order);
    json_t *rows = json_array();
    double whole = jali_why_whole(w);
    if (line == NULL || order == NULL) return jali_fail_memory(err);
    jali_explained_read(x, 1 - w->miss, line);
    jali_explained_order(line, x->k, order);
    jali_doc_heading(doc, "What explains it");
    jali_chart *chart =
        start(told, whole, finding(told, &line[order[0]], order[0], whole, doc), doc);
    for (size_t i = 0; i < x->k; i++) {
        const jali_explained_line *l = &line[order[i]];
        add_row(chart, told, order[i], l, whole > 0 ? told->unit / whole : told->unit);
        add_json(doc, rows, told, order[i], l, whole);
    }
    jali_chart_note(chart, "each interval covers with %g%%", 100 * (1 - w->miss));
    tell_meaning(w, told, whole, doc);
    jali_doc_set(doc, "rows", rows);
    jali_doc_set(doc, "predicates", json_integer((json_int_t)x->predicates));
    jali_doc_set(doc, "score_unit", json_real(told->unit));
    jali_doc_set(doc, "mechanism", mechanism_json(x));
    tell_scales(&x->noise, doc);
    jali_doc_set(doc, "constants", json_string(told->constants));
    return JALI_OK;
}
