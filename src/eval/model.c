/* eval/model.c — how near a private portrait of a model comes to the true one.
 *
 * For every column: the curve at a fine grid without noise is the truth; a drawn curve is
 * joined by straight lines, and both are compared at 1,000 places between the public bounds
 * (at every category, for categories). The fine grid of ale has no interval without rows. mise
 * is the mean squared difference over the runs, rmse_over_sd its root over the true curve's own
 * deviation. Nothing here is private.
 */
#define _DEFAULT_SOURCE
#include "base/rat.h"
#include "eval/eval.h"
#include "eval/model_curve.h"
#include "explain/model/curve.h"
#include "explain/model/portrait.h"
#include "tally/open.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FINE = 101, RUNS = 10, SWEEP = 16, ORDERS = 10 };

typedef struct trial {
    jali_stage *stage;
    jali_model *model;
    jali_portrait_spec spec;
    mpq_t budget[SWEEP];
    const char *tag[SWEEP]; /* ".eps0.5" in the names of figures; "": one budget */
    size_t n_budgets;
    unsigned runs;
    unsigned better, pairs; /* columns times budgets, where the specific curve is nearer */
    unsigned char key[16];
} trial;

/* ---- the truth ----------------------------------------------------------------------------
 */

static jali_probe probe_of(const trial *t, const jali_portrait *p)
{
    jali_probe probe = p->probe;
    probe.columns = t->stage->columns;
    probe.key = t->key;
    return probe;
}

/* An interval without rows has no effect, and a step of the model that lies in it is lost to
 * both sides: so it is joined with the next one. Where values are 0.02 apart on a grid of 0.01,
 * every second one would be lost. */
static void drop_empty(jali_true_curve *c, const jali_tally *counts)
{
    size_t n = 1;
    for (size_t i = 1; i < c->n; i++)
        if (counts->cell[i - 1] > 0 || i + 1 == c->n) c->code[n++] = c->code[i];
    c->n = n < 2 ? 2 : n;
}

static jali_status true_curve(const trial *t, const jali_portrait *p, bool ale,
                              jali_true_curve *out, jali_err *err)
{
    jali_probe probe = probe_of(t, p);
    const jali_tally *sums, *counts;
    jali_arena *arena = t->stage->arena;
    double unit = (probe.plain.hi - probe.plain.lo) / (2 * JALI_PROBE_HALF);
    double rows = (double)jali_columns_rows(t->stage->columns);
    JALI_TRY(jali_portrait_points(p->field, FINE, arena, &out->code, &out->n, err));
    out->y = jali_arena_take(arena, 3 * out->n, sizeof *out->y);
    if (out->y == NULL) return jali_fail_memory(err);
    if (!ale) {
        JALI_TRY(jali_probe_pdp(&probe, p->column, out->code, out->n, arena, &sums, err));
        for (size_t i = 0; i < out->n; i++)
            out->y[i] =
                (probe.plain.lo + probe.plain.hi) / 2 + unit * (double)sums->cell[i] / rows;
        return JALI_OK;
    }
    double *effect = out->y + out->n, *count = effect + out->n;
    JALI_TRY(jali_probe_ale(&probe, p->column, out->code, out->n, arena, &sums, &counts, err));
    if (p->field->kind == JALI_NUMBER) drop_empty(out, counts);
    JALI_TRY(jali_probe_ale(&probe, p->column, out->code, out->n, arena, &sums, &counts, err));
    for (size_t i = 0; i + 1 < out->n; i++) {
        count[i] = (double)counts->cell[i];
        effect[i] = count[i] > 0 ? unit * (double)sums->cell[i] / count[i] : 0;
    }
    jali_accumulate(effect, count, out->n, out->y);
    return JALI_OK;
}

/* ---- a drawn one ------------------------------------------------------------------------- */

static jali_status draw(const trial *t, jali_portrait *p, jali_arena *arena, jali_likeness *out,
                        jali_err *err)
{
    char *body;
    json_t *json;
    jali_charge *charge;
    JALI_TRY(jali_charge_unpaid(&charge, p->loss, err));
    jali_status status =
        jali_portrait_run(p, t->stage->pool, charge, t->stage->dice, arena, &body, err);
    jali_charge_free(charge);
    JALI_TRY(status);
    JALI_TRY(jali_json_parse(&json, body, strlen(body), "the release", err));
    status = jali_likeness_read(out, json, t->stage->schema, t->stage->miss, arena, err);
    json_decref(json);
    return status;
}

/* A sitter for many runs: the model is asked once, noise is drawn in each. Where points are
 * bought (a grid of quantiles) every run asks again, and needs a sitter of its own. Clear in
 * any case. */
static jali_status sit(const trial *t, const jali_portrait_spec *spec, mpq_srcptr budget,
                       jali_portrait *p, jali_err *err)
{
    JALI_TRY(jali_portrait_init(p, t->stage->schema, t->model, spec, t->stage->law, budget,
                                t->stage->arena, err));
    if (p->quantiler == NULL && spec->kind != JALI_PORTRAIT_ALE) p->keep = t->stage->arena;
    return jali_portrait_bind(p, t->stage->columns, t->key, NULL, NULL, err);
}

static double distance(const jali_likeness *l, const jali_true_curve *truth,
                       const jali_field *f, jali_arena *arena)
{
    jali_true_curve c = { l->n, jali_arena_take(arena, l->n, sizeof *c.code),
                          jali_arena_take(arena, l->n, sizeof *c.y) };
    if (c.code == NULL || c.y == NULL) return NAN;
    for (size_t i = 0; i < l->n; i++) {
        c.code[i] = l->code[i];
        c.y[i] = l->at[i].value;
    }
    return jali_curve_distance(&c, truth, f);
}

static jali_status run_once(const trial *t, jali_portrait *p, const jali_true_curve *truth,
                            double *mise, jali_err *err)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_likeness l;
    jali_status status = draw(t, p, &arena, &l, err);
    if (status == JALI_OK) *mise = distance(&l, truth, p->field, &arena);
    jali_arena_clear(&arena);
    return status;
}

typedef struct gathered {
    double sum, squares;
} gathered;

/* *kept: sums of the same column at another budget, NULL before the first. */
static jali_status run_all(const trial *t, const jali_portrait_spec *spec, mpq_srcptr budget,
                           const jali_true_curve *truth, const jali_tally **kept, gathered *out,
                           jali_err *err)
{
    jali_portrait p = { 0 };
    jali_status status = JALI_OK;
    double mise = 0;
    for (unsigned i = 0; status == JALI_OK && i < t->runs; i++) {
        if (p.kept == NULL) {
            jali_portrait_clear(&p);
            status = sit(t, spec, budget, &p, err);
            p.kept = *kept;
        }
        if (status == JALI_OK) status = run_once(t, &p, truth, &mise, err);
        out->sum += mise;
        out->squares += mise * mise;
        *kept = p.kept;
    }
    jali_portrait_clear(&p);
    return status;
}

/* The figures of one design and one column; mise[b] at budget b. */
static jali_status curves(const trial *t, const jali_portrait_spec *spec,
                          const jali_true_curve *truth, const jali_field *f, const char *kind,
                          double *mise, jali_err *err)
{
    const jali_tally *kept = NULL;
    double far = jali_curve_deviation(truth, f), n = t->runs;
    for (size_t b = 0; b < t->n_budgets; b++) {
        gathered g = { 0 };
        JALI_TRY(run_all(t, spec, t->budget[b], truth, &kept, &g, err));
        mise[b] = g.sum / n;
        double sd = sqrt(fmax(0, g.squares / n - mise[b] * mise[b]));
        jali_stage_figure(t->stage, mise[b], sd, "eval.model.%s.%s%s.mise", kind, f->name,
                          t->tag[b]);
        if (far > 0)
            jali_stage_figure(t->stage, sqrt(mise[b]) / far, NAN,
                              "eval.model.%s.%s%s.rmse_over_sd", kind, f->name, t->tag[b]);
    }
    return JALI_OK;
}

static jali_status one_design(trial *t, const jali_field *f, bool ale, bool generic,
                              jali_err *err)
{
    jali_portrait p;
    jali_true_curve truth;
    double specific[SWEEP], blocks[SWEEP];
    jali_portrait_spec spec = t->spec;
    spec.feature = f->name;
    spec.kind = ale ? JALI_PORTRAIT_ALE : JALI_PORTRAIT_PDP;
    spec.of = ale ? JALI_OF_ALE : JALI_OF_PDP;
    spec.quantiles = ale && t->spec.quantiles;
    jali_status status = jali_portrait_init(&p, t->stage->schema, t->model, &spec,
                                            t->stage->law, t->budget[0], t->stage->arena, err);
    if (status == JALI_OK) status = true_curve(t, &p, ale, &truth, err);
    jali_portrait_clear(&p);
    JALI_TRY(status);
    JALI_TRY(curves(t, &spec, &truth, f, ale ? "ale" : "pdp", specific, err));
    if (!generic) return JALI_OK;
    spec.kind = JALI_PORTRAIT_PLOT;
    JALI_TRY(curves(t, &spec, &truth, f, ale ? "plot_ale" : "plot_pdp", blocks, err));
    for (size_t b = 0; b < t->n_budgets; b++) t->better += specific[b] < blocks[b];
    t->pairs += (unsigned)t->n_budgets;
    return JALI_OK;
}

/* ---- rankings -----------------------------------------------------------------------------
 */

static double concordant(const jali_likeness *l, const jali_model *m, const int64_t *truth)
{
    double good = 0, all = 0;
    for (size_t i = 0; i < l->n; i++)
        for (size_t k = i + 1; k < l->n; k++) {
            size_t a, b;
            if (!jali_model_find(m, l->column[i], &a) || !jali_model_find(m, l->column[k], &b))
                return NAN;
            good += truth[a] >= truth[b];
            all++;
        }
    return all > 0 ? good / all : 1;
}

/* The same for sums without noise. */
static double agree(const int64_t *sum, const int64_t *truth, size_t n)
{
    double good = 0, all = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n; k++) {
            good += truth[i] == truth[k] || (sum[i] > sum[k] && truth[i] > truth[k]) ||
                    (sum[i] < sum[k] && truth[i] < truth[k]);
            all++;
        }
    return all > 0 ? good / all : 1;
}

/* Who borrows from whom is chance, so the truth is the sum over several orders of the rows,
 * with no row cut. How well one of them alone ranks is as well as can be. */
static jali_status true_importances(const trial *t, jali_portrait_spec spec, int64_t **out,
                                    jali_err *err)
{
    const jali_tally *one[ORDERS] = { NULL };
    size_t n = jali_model_width(t->model);
    int64_t *sum = jali_arena_take(t->stage->arena, n, sizeof *sum);
    jali_portrait p = { 0 };
    double ceiling = 0;
    unsigned char key[sizeof t->key];
    if (sum == NULL) return jali_fail_memory(err);
    spec.kind = JALI_PORTRAIT_PFI;
    spec.of = JALI_OF_PFI;
    jali_status status = sit(t, &spec, t->budget[0], &p, err);
    jali_probe probe = probe_of(t, &p);
    memcpy(key, t->key, sizeof key);
    probe.key = key;
    for (unsigned q = 0; status == JALI_OK && q < ORDERS; q++) {
        key[0] = (unsigned char)(t->key[0] + 1 + q);
        status = jali_probe_pfi(&probe, UINT64_MAX, t->stage->arena, &one[q], err);
        for (size_t k = 0; status == JALI_OK && k < n; k++) sum[k] += one[q]->cell[k];
    }
    jali_portrait_clear(&p);
    JALI_TRY(status);
    for (unsigned q = 0; q < ORDERS; q++) ceiling += agree(one[q]->cell, sum, n) / ORDERS;
    jali_stage_figure(t->stage, ceiling, NAN, "eval.model.pfi_without_noise.kendall");
    *out = sum;
    return JALI_OK;
}

static jali_status kendall_at(const trial *t, const jali_portrait_spec *spec, size_t budget,
                              const char *name, const int64_t *truth, const jali_tally **kept,
                              jali_err *err)
{
    double sum = 0, squares = 0, n = t->runs;
    jali_portrait p = { 0 };
    jali_status status = sit(t, spec, t->budget[budget], &p, err);
    p.kept = *kept;
    for (unsigned i = 0; status == JALI_OK && i < t->runs; i++) {
        jali_likeness l;
        status = draw(t, &p, t->stage->arena, &l, err);
        double k = status == JALI_OK ? concordant(&l, t->model, truth) : 0;
        sum += k;
        squares += k * k;
    }
    *kept = p.kept;
    jali_portrait_clear(&p);
    JALI_TRY(status);
    jali_stage_figure(t->stage, sum / n, sqrt(fmax(0, squares / n - sum / n * (sum / n))),
                      "eval.model.%s%s.kendall", name, t->tag[budget]);
    return JALI_OK;
}

static jali_status kendall(const trial *t, jali_portrait_kind kind, const char *name,
                           const int64_t *truth, jali_err *err)
{
    jali_portrait_spec spec = t->spec;
    const jali_tally *kept = NULL;
    spec.kind = kind;
    spec.of = JALI_OF_PFI;
    for (size_t b = 0; b < t->n_budgets; b++)
        JALI_TRY(kendall_at(t, &spec, b, name, truth, &kept, err));
    return JALI_OK;
}

/* ---- the trial ----------------------------------------------------------------------------
 */

static bool named(const char *list, const char *name)
{
    size_t n = strlen(name);
    for (const char *p = list; p != NULL;
         p = strchr(p, ',') == NULL ? NULL : strchr(p, ',') + 1)
        if (strncmp(p, name, n) == 0 && (p[n] == ',' || p[n] == '\0')) return true;
    return false;
}

static jali_status all_curves(trial *t, const char *what, bool generic, jali_err *err)
{
    const char *features = jali_stage_word(t->stage, "feature", NULL);
    for (size_t i = 0; i < jali_model_width(t->model); i++) {
        const jali_field *f = &t->stage->schema->fields[jali_model_field(t->model, i)];
        if (f->domain < 3 || (features != NULL && !named(features, f->name))) continue;
        if (named(what, "pdp")) JALI_TRY(one_design(t, f, false, generic, err));
        if (named(what, "ale")) JALI_TRY(one_design(t, f, true, generic, err));
    }
    if (t->pairs > 0) {
        jali_stage_figure(t->stage, t->better, NAN, "eval.model.specific_wins");
        jali_stage_figure(t->stage, t->pairs, NAN, "eval.model.specific_of");
    }
    return JALI_OK;
}

static jali_status read_spec(trial *t, jali_err *err)
{
    char *bounds = jali_arena_text(t->stage->arena, jali_stage_word(t->stage, "bounds", "0:1"));
    char *colon = bounds == NULL ? NULL : strchr(bounds, ':');
    double resolution, blocks;
    if (bounds == NULL) return jali_fail_memory(err);
    if (colon == NULL)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "bounds=LOW:HIGH are two numbers with a colon between them");
    *colon = '\0';
    JALI_TRY(jali_stage_number(t->stage, "resolution", 0, &resolution, err));
    JALI_TRY(jali_stage_number(t->stage, "blocks", JALI_PORTRAIT_BLOCKS, &blocks, err));
    if (!((resolution == 0 || resolution >= 2) && resolution <= JALI_PROBE_POINTS &&
          blocks >= 2 && blocks <= 1e5))
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "resolution is 2 to %d, blocks 2 to 100000", JALI_PROBE_POINTS);
    t->spec = (jali_portrait_spec){
        .lo = bounds,
        .hi = colon + 1,
        .label = jali_stage_word(t->stage, "label", NULL),
        .resolution = (size_t)resolution,
        .blocks = (size_t)blocks,
        .absolute = strcmp(jali_stage_word(t->stage, "loss", "absolute"), "absolute") == 0,
        .quantiles = strcmp(jali_stage_word(t->stage, "grid", "quantiles"), "quantiles") == 0
    };
    return JALI_OK;
}

static jali_status run(trial *t, jali_err *err)
{
    const char *what = jali_stage_word(t->stage, "what", "pdp,ale,pfi");
    bool generic = strcmp(jali_stage_word(t->stage, "generic", "yes"), "yes") == 0;
    char *label =
        t->spec.label == NULL ? NULL : jali_arena_text(t->stage->arena, t->spec.label);
    if (label != NULL && strchr(label, '=') != NULL) *strchr(label, '=') = '\0';
    jali_model_spec model = { .model = jali_stage_word(t->stage, "model", NULL),
                              .label = label };
    JALI_TRY(jali_model_open(&t->model, t->stage->schema, &model, err));
    JALI_TRY(all_curves(t, what, generic, err));
    if (!named(what, "pfi") || t->spec.label == NULL) return JALI_OK;
    int64_t *truth = NULL;
    JALI_TRY(true_importances(t, t->spec, &truth, err));
    JALI_TRY(kendall(t, JALI_PORTRAIT_PFI, "pfi", truth, err));
    return generic ? kendall(t, JALI_PORTRAIT_RANK, "rank_pfi", truth, err) : JALI_OK;
}

/* The budget of the call, or those of sweep=0.5,1,2: eps in a pure vault, rho in others. */
static jali_status read_budgets(trial *t, jali_err *err)
{
    const char *sweep = jali_stage_word(t->stage, "sweep", NULL);
    char *rest = sweep == NULL ? NULL : jali_arena_text(t->stage->arena, sweep), *word;
    t->n_budgets = 1;
    t->tag[0] = "";
    mpq_set_ui(t->budget[0], 1, 1);
    if (mpq_sgn(t->stage->budget) > 0) mpq_set(t->budget[0], t->stage->budget);
    if (sweep == NULL) return JALI_OK;
    if (rest == NULL) return jali_fail_memory(err);
    for (t->n_budgets = 0; (word = strsep(&rest, ",")) != NULL; t->n_budgets++) {
        size_t i = t->n_budgets;
        if (i == SWEEP)
            return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                             "sweep has at most %d budgets", SWEEP);
        JALI_TRY(jali_rat_parse(t->budget[i], word, "sweep", err));
        if (mpq_sgn(t->budget[i]) <= 0)
            return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                             "sweep=%.40s: a budget is above 0", sweep);
        t->tag[i] = jali_arena_format(t->stage->arena, ".%s%s",
                                      t->stage->law == JALI_LAW_GAUSS ? "rho" : "eps", word);
        if (t->tag[i] == NULL) return jali_fail_memory(err);
    }
    return JALI_OK;
}

jali_status jali_eval_model(jali_stage *stage, jali_err *err)
{
    static const char *const names[] = { "model", "bounds",  "label",      "feature",
                                         "what",  "generic", "resolution", "blocks",
                                         "grid",  "loss",    "sweep" };
    trial t = { .stage = stage, .runs = stage->runs == 0 ? RUNS : stage->runs };
    JALI_TRY(jali_stage_expect(stage, names, sizeof names / sizeof *names, err));
    JALI_TRY(read_spec(&t, err));
    for (size_t i = 0; i < SWEEP; i++) mpq_init(t.budget[i]);
    jali_status status = read_budgets(&t, err);
    if (status == JALI_OK) status = run(&t, err);
    for (size_t i = 0; i < SWEEP; i++) mpq_clear(t.budget[i]);
    jali_model_free(t.model);
    return status;
}
