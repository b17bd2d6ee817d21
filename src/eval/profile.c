/* eval/profile.c — jali eval profile: how good the chosen attributes are, against the best.
 *
 * Clusters are those of k-means on the public rows. One axis is walked, the rest stays as
 * it is: eps, k (candidates), weights, clusters, rows (share of a sample), twins (Cramer's V of
 * a second copy of every attribute): the axes of DPClustX, Figures 5 to 9 and Table 1.
 */
#include "eval/eval.h"
#include "eval/profile_draw.h"
#include "report/chart.h"
#include <math.h>
#include <stdlib.h>

enum { RUNS = 50, VALUES = 16, TEXT = 160 };

typedef enum axis { AXIS_EPS, AXIS_K, AXIS_WEIGHTS, AXIS_CLUSTERS, AXIS_ROWS, AXIS_TWINS } axis;
static const char *const axis_names[] = { "eps", "k", "weights", "clusters", "rows", "twins" };
static const char *const axis_values[] = { "0.01,0.03,0.1,0.3,1",     "1,2,3,5",
                                           "1/1/1,1/0/0,0/1/0,0/0/1", "3,5,9,12",
                                           "0.1,0.3,0.6,1",           "0.85" };
enum { AXES = 6 };

typedef struct setting {
    double eps, share, twins;
    uint32_t k, clusters, weight[3];
} setting;

typedef struct score {
    double code, paper, mae, mae_tabee, code_sd, mae_sd;
} score;

typedef struct walk {
    jali_stage *stage;
    axis axis;
    size_t n;
    char value[VALUES][32];
    bool by[JALI_BY_METHODS];
    setting base;
    unsigned runs;
    jali_open_rows rows;
    uint32_t labelled, *label; /* of so many clusters */
    double best_code[VALUES], best_paper[VALUES];
    score score[VALUES][JALI_BY_METHODS];
} walk;

/* ---- words --------------------------------------------------------------------------------
 */

static jali_status bad_word(const char *what, const char *word, jali_err *err)
{
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "%s=%.60s is not known; docs/profile.md "
                     "tells the words of this trial",
                     what, word);
}

static bool read_weights(const char *text, uint32_t weight[static 3])
{
    char sep[2];
    return sscanf(text, "%u%1[/,]%u%1[/,]%u", &weight[0], sep, &weight[1], sep, &weight[2]) ==
               5 &&
           weight[0] + weight[1] + weight[2] > 0;
}

/* One value of the axis put into a setting. */
static jali_status apply(axis on, const char *value, setting *s, jali_err *err)
{
    double x = strtod(value, NULL);
    bool good = x > 0;
    switch (on) {
    case AXIS_EPS:
        s->eps = x;
        break;
    case AXIS_K:
        s->k = (uint32_t)x;
        break;
    case AXIS_WEIGHTS:
        good = read_weights(value, s->weight);
        break;
    case AXIS_CLUSTERS:
        s->clusters = (uint32_t)x;
        good = x >= 1 && x <= 15;
        break;
    case AXIS_ROWS:
        s->share = x;
        break;
    case AXIS_TWINS:
        s->twins = x;
        good = x >= 0 && x <= 1;
        break;
    }
    return good ? JALI_OK : bad_word("values", value, err);
}

static jali_status split_values(walk *w, const char *text, jali_err *err)
{
    while (*text != '\0') {
        size_t n = strcspn(text, ",");
        if (w->n == VALUES || n == 0 || n >= sizeof w->value[0])
            return bad_word("values", text, err);
        memcpy(w->value[w->n], text, n);
        w->value[w->n++][n] = '\0';
        text += n + (text[n] == ',');
    }
    return w->n > 0 ? JALI_OK : bad_word("values", text, err);
}

static jali_status read_methods(walk *w, const char *text, jali_err *err)
{
    while (*text != '\0') {
        size_t n = strcspn(text, ","), i = 0;
        while (i < JALI_BY_METHODS &&
               (strlen(jali_by_name[i]) != n || strncmp(jali_by_name[i], text, n) != 0))
            i++;
        if (i == JALI_BY_METHODS) return bad_word("methods", text, err);
        w->by[i] = true;
        text += n + (text[n] == ',');
    }
    return JALI_OK;
}

static jali_status read_base(walk *w, jali_err *err)
{
    static const char *const words[] = { "axis",    "values",   "methods", "eps",  "k",
                                         "weights", "clusters", "rows",    "twins" };
    jali_stage *s = w->stage;
    double eps = 0.1, k, clusters;
    if (s->law == JALI_LAW_LAPLACE && mpq_sgn(s->budget) > 0) eps = mpq_get_d(s->budget);
    JALI_TRY(jali_stage_expect(s, words, sizeof words / sizeof *words, err));
    JALI_TRY(jali_stage_number(s, "eps", eps, &w->base.eps, err));
    JALI_TRY(jali_stage_number(s, "k", 3, &k, err));
    JALI_TRY(jali_stage_number(s, "clusters", 9, &clusters, err));
    JALI_TRY(jali_stage_number(s, "rows", 1, &w->base.share, err));
    JALI_TRY(jali_stage_number(s, "twins", 0, &w->base.twins, err));
    const char *weights = jali_stage_word(s, "weights", "1/1/1");
    if (!read_weights(weights, w->base.weight)) return bad_word("weights", weights, err);
    if (!(k >= 1 && k < 4096)) return bad_word("k", jali_stage_word(s, "k", ""), err);
    if (!(clusters >= 1 && clusters <= 15))
        return bad_word("clusters", jali_stage_word(s, "clusters", ""), err);
    w->base.k = (uint32_t)k;
    w->base.clusters = (uint32_t)clusters;
    return JALI_OK;
}

static jali_status read_words(walk *w, jali_err *err)
{
    const char *name = jali_stage_word(w->stage, "axis", NULL);
    size_t i = 0;
    JALI_TRY(read_base(w, err));
    while (name != NULL && i < AXES && strcmp(axis_names[i], name) != 0) i++;
    if (i == AXES) return bad_word("axis", name, err);
    w->axis = (axis)i;
    char eps[32];
    snprintf(eps, sizeof eps, "%g", w->base.eps);
    const char *instead = name == NULL ? eps : axis_values[i];
    JALI_TRY(split_values(w, jali_stage_word(w->stage, "values", instead), err));
    return read_methods(
        w, jali_stage_word(w->stage, "methods", "all,two,published,dptabee,dpnaive,tabee"),
        err);
}

/* ---- one point of the axis ------------------------------------------------------------------
 */

static void add_run(const jali_crosstab *t, const double *weight, const uint32_t *chosen,
                    const uint32_t *best, const uint32_t *tabee, unsigned runs, score *s)
{
    double code = jali_profile_quality(t, JALI_QUALITY_CODE, weight, chosen);
    double mae = jali_profile_mae(chosen, best, t->clusters);
    s->code += code / runs;
    s->paper += jali_profile_quality(t, JALI_QUALITY_PAPER, weight, chosen) / runs;
    s->mae += mae / runs;
    s->mae_tabee += jali_profile_mae(chosen, tabee, t->clusters) / runs;
    s->code_sd += code * code / runs; /* of squares, until all runs are in */
    s->mae_sd += mae * mae / runs;
}

static void finish(score *s)
{
    s->code_sd = sqrt(fmax(s->code_sd - s->code * s->code, 0));
    s->mae_sd = sqrt(fmax(s->mae_sd - s->mae * s->mae, 0));
}

static jali_status run_methods(walk *w, size_t i, const jali_choosing *c, const double *weight,
                               const uint32_t *best, jali_err *err)
{
    uint32_t chosen[256], tabee[256];
    JALI_TRY(jali_choosing_draw(c, JALI_BY_TABEE, w->stage->dice, tabee, err));
    for (int by = 0; by < JALI_BY_METHODS; by++) {
        unsigned runs = by == JALI_BY_TABEE ? 1 : w->runs;
        for (unsigned r = 0; w->by[by] && r < runs; r++) {
            JALI_TRY(jali_choosing_draw(c, (jali_chosen_by)by, w->stage->dice, chosen, err));
            add_run(&c->tables->truth, weight, chosen, best, tabee, runs, &w->score[i][by]);
        }
        finish(&w->score[i][by]);
    }
    return JALI_OK;
}

/* The best is that of GlScore over all attributes: what a choice without noise would take. */
static jali_status measure(walk *w, size_t i, const setting *s, jali_arena *arena,
                           jali_err *err)
{
    jali_open_tables tables;
    jali_plain_terms terms;
    uint32_t best[256], k;
    double weight[3], sum = (double)s->weight[0] + s->weight[1] + s->weight[2];
    JALI_TRY(jali_open_count(&w->rows, w->label, s->clusters, s->share, s->twins, 20240607,
                             arena, &tables, err));
    for (int j = 0; j < 3; j++) weight[j] = s->weight[j] / sum;
    JALI_TRY(jali_plain_glscore(&tables.truth, weight, arena, &terms, err));
    JALI_TRY(jali_plain_best(&terms, NULL, 0, arena, best, err));
    w->best_code[i] = jali_profile_quality(&tables.truth, JALI_QUALITY_CODE, weight, best);
    w->best_paper[i] = jali_profile_quality(&tables.truth, JALI_QUALITY_PAPER, weight, best);
    k = s->k < tables.truth.attributes ? s->k : tables.truth.attributes;
    jali_choosing c = { &tables, k, { s->weight[0], s->weight[1], s->weight[2] }, s->eps };
    return run_methods(w, i, &c, weight, best, err);
}

static jali_status step(walk *w, size_t i, jali_err *err)
{
    jali_arena arena = { 0 };
    setting s = w->base;
    JALI_TRY(apply(w->axis, w->value[i], &s, err));
    if (w->labelled != s.clusters) {
        JALI_TRY(jali_open_labels(w->stage, s.clusters, &w->label, err));
        w->labelled = s.clusters;
    }
    jali_status status = measure(w, i, &s, &arena, err);
    jali_arena_clear(&arena);
    return status;
}

/* ---- words and pictures
 * ------------------------------------------------------------------------ */

static void tell_table(const walk *w)
{
    static const jali_col cols[] = { { "axis", false }, { "method", false },
                                     { "code", true },  { "loss %", true },
                                     { "paper", true }, { "loss %", true },
                                     { "MAE", true },   { "MAE to TabEE", true } };
    jali_doc *doc = w->stage->doc;
    jali_doc_table(doc, 8, cols);
    for (size_t i = 0; i < w->n; i++)
        for (int by = 0; by < JALI_BY_METHODS; by++) {
            const score *s = &w->score[i][by];
            if (!w->by[by]) continue;
            jali_doc_cell(doc, "%s %s", axis_names[w->axis], w->value[i]);
            jali_doc_cell(doc, "%s", jali_by_name[by]);
            jali_doc_cell(doc, "%.4f", s->code);
            jali_doc_cell(doc, "%.2f", 100 * (1 - s->code / w->best_code[i]));
            jali_doc_cell(doc, "%.4f", s->paper);
            jali_doc_cell(doc, "%.2f", 100 * (1 - s->paper / w->best_paper[i]));
            jali_doc_cell(doc, "%.3f", s->mae);
            jali_doc_cell(doc, "%.3f", s->mae_tabee);
        }
}

static void draw_lines(const walk *w, bool mae)
{
    jali_axis x = { .name = axis_names[w->axis] };
    jali_axis y = { .name = mae ? "MAE" : "Quality (published code)" };
    jali_chart *chart = jali_doc_lines(w->stage->doc, x, y, "%s over %s",
                                       mae ? "How often the attribute is another than the best"
                                           : "Quality of the chosen attributes",
                                       axis_names[w->axis]);
    for (int by = 0; by < JALI_BY_METHODS; by++) {
        if (!w->by[by]) continue;
        jali_chart_series(chart, jali_by_name[by]);
        for (size_t i = 0; i < w->n; i++) {
            const score *s = &w->score[i][by];
            double v = mae ? s->mae : s->code, sd = mae ? s->mae_sd : s->code_sd;
            jali_chart_category(chart, w->value[i], JALI_MARK(v, v - sd, v + sd));
        }
    }
    jali_chart_note(chart, "Bands are one standard deviation of %u runs.", w->runs);
}

/* The figures without a suffix are those of the first method at the last point. */
static void tell_figures(walk *w)
{
    jali_stage *stage = w->stage;
    size_t last = w->n - 1;
    int first = 0;
    while (first + 1 < JALI_BY_METHODS && !w->by[first]) first++;
    const score *s = &w->score[last][first];
    jali_stage_figure(stage, s->code, s->code_sd, "eval.profile.quality");
    jali_stage_figure(stage, w->best_code[last], NAN, "eval.profile.quality_best");
    jali_stage_figure(stage, s->mae, s->mae_sd, "eval.profile.mae");
    for (size_t i = 0; i < w->n; i++)
        for (int by = 0; by < JALI_BY_METHODS; by++) {
            const char *name = jali_by_name[by], *at = w->value[i], *on = axis_names[w->axis];
            s = &w->score[i][by];
            if (!w->by[by]) continue;
            jali_stage_figure(stage, 100 * (1 - s->code / w->best_code[i]), NAN,
                              "eval.profile.%s.%s.%s.loss_code", on, at, name);
            jali_stage_figure(stage, 100 * (1 - s->paper / w->best_paper[i]), NAN,
                              "eval.profile.%s.%s.%s.loss_paper", on, at, name);
            jali_stage_figure(stage, s->mae, s->mae_sd, "eval.profile.%s.%s.%s.mae", on, at,
                              name);
        }
}

jali_status jali_eval_profile(jali_stage *stage, jali_err *err)
{
    walk *w = jali_arena_take(stage->arena, 1, sizeof *w);
    if (w == NULL) return jali_fail_memory(err);
    *w = (walk){ .stage = stage, .runs = stage->runs > 0 ? stage->runs : RUNS };
    JALI_TRY(read_words(w, err));
    JALI_TRY(jali_open_rows_read(stage, &w->rows, err));
    for (size_t i = 0; i < w->n; i++) JALI_TRY(step(w, i, err));
    jali_doc_say(stage->doc,
                 "%u clusters of k-means, %u attributes, %u runs; eps is of the choice "
                 "alone. Loss is against the best choice without noise.",
                 w->base.clusters, w->rows.attributes, w->runs);
    tell_table(w);
    if (w->n > 1) {
        draw_lines(w, false);
        draw_lines(w, true);
    }
    tell_figures(w);
    return JALI_OK;
}
