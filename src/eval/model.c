/* eval/model.c — how near a private portrait of a model comes to the true one.
 *
 * For every column: the curve at a fine grid without noise is the truth; a drawn curve is
 * joined by straight lines, and both are compared at 1,000 places between the public bounds
 * (at every category, for categories). mise is the mean squared difference over the runs,
 * rmse_over_sd its root over the true curve's own deviation. Nothing here is private.
 */
#include "eval/eval.h"
#include "explain/model/curve.h"
#include "explain/model/portrait.h"
#include "tally/open.h"
#include <math.h>
#include <stdlib.h>

enum { PLACES = 1000, FINE = 101, RUNS = 10 };

typedef struct trial {
    jali_stage *stage;
    jali_model *model;
    jali_portrait_spec spec;
    mpq_t budget;
    unsigned runs;
    unsigned better, columns; /* where the specific curve beats the generic one */
    unsigned char key[16];
} trial;

typedef struct curve {
    size_t n;
    uint32_t *code;
    double *y;
} curve;

static double at(const curve *c, double code)
{
    size_t i = 1;
    while (i + 1 < c->n && code > c->code[i]) i++;
    double far = (double)c->code[i] - (double)c->code[i - 1];
    double t = (code - c->code[i - 1]) / far;
    return c->y[i - 1] + (c->y[i] - c->y[i - 1]) * (t < 0 ? 0 : t > 1 ? 1 : t);
}

static size_t places(const jali_field *f)
{
    return f->kind == JALI_CATEGORY ? (size_t)f->domain - 1 : PLACES;
}

static double place(const jali_field *f, size_t i)
{
    return f->kind == JALI_CATEGORY ? (double)i
                                    : (double)i * (double)(f->domain - 2) / (PLACES - 1);
}

/* ---- the truth ----------------------------------------------------------------------------
 */

static jali_probe probe_of(const trial *t, const jali_portrait *p)
{
    jali_probe probe = p->probe;
    probe.columns = t->stage->columns;
    probe.key = t->key;
    return probe;
}

static jali_status true_curve(const trial *t, const jali_portrait *p, bool ale, curve *out,
                              jali_err *err)
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
    JALI_TRY(jali_portrait_bind(p, t->stage->columns, t->key, NULL, NULL, err));
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

static double distance(const jali_likeness *l, const curve *truth, const jali_field *f,
                       jali_arena *arena)
{
    curve c = { l->n, jali_arena_take(arena, l->n, sizeof *c.code),
                jali_arena_take(arena, l->n, sizeof *c.y) };
    double sum = 0;
    if (c.code == NULL || c.y == NULL) return NAN;
    for (size_t i = 0; i < l->n; i++) {
        c.code[i] = l->code[i];
        c.y[i] = l->at[i].value;
    }
    for (size_t i = 0; i < places(f); i++) {
        double d = at(&c, place(f, i)) - at(truth, place(f, i));
        sum += d * d;
    }
    return sum / (double)places(f);
}

static double deviation(const curve *truth, const jali_field *f)
{
    double sum = 0, squares = 0, n = (double)places(f);
    for (size_t i = 0; i < places(f); i++) sum += at(truth, place(f, i)) / n;
    for (size_t i = 0; i < places(f); i++) {
        double d = at(truth, place(f, i)) - sum;
        squares += d * d / n;
    }
    return sqrt(squares);
}

static jali_status run_once(const trial *t, const jali_portrait_spec *spec, const curve *truth,
                            double *mise, jali_err *err)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_portrait p;
    jali_likeness l;
    jali_status status = jali_portrait_init(&p, t->stage->schema, t->model, spec, t->stage->law,
                                            t->budget, &arena, err);
    if (status == JALI_OK) status = draw(t, &p, &arena, &l, err);
    if (status == JALI_OK) *mise = distance(&l, truth, p.field, &arena);
    jali_portrait_clear(&p);
    jali_arena_clear(&arena);
    return status;
}

/* The figures of one design and one column. */
static jali_status curves(const trial *t, const jali_portrait_spec *spec, const curve *truth,
                          const jali_field *f, const char *kind, double *out, jali_err *err)
{
    double sum = 0, squares = 0, mise = 0, n = t->runs;
    for (unsigned i = 0; i < t->runs; i++) {
        JALI_TRY(run_once(t, spec, truth, &mise, err));
        sum += mise;
        squares += mise * mise;
    }
    double sd = sqrt(fmax(0, squares / n - sum / n * (sum / n)));
    double far = deviation(truth, f);
    jali_stage_figure(t->stage, sum / n, sd, "eval.model.%s.%s.mise", kind, f->name);
    if (far > 0)
        jali_stage_figure(t->stage, sqrt(sum / n) / far, NAN, "eval.model.%s.%s.rmse_over_sd",
                          kind, f->name);
    *out = sum / n;
    return JALI_OK;
}

static jali_status one_design(trial *t, const jali_field *f, bool ale, bool generic,
                              jali_err *err)
{
    jali_portrait p;
    curve truth;
    double specific, blocks;
    jali_portrait_spec spec = t->spec;
    spec.feature = f->name;
    spec.kind = ale ? JALI_PORTRAIT_ALE : JALI_PORTRAIT_PDP;
    spec.of = ale ? JALI_OF_ALE : JALI_OF_PDP;
    spec.quantiles = ale && t->spec.quantiles;
    jali_status status = jali_portrait_init(&p, t->stage->schema, t->model, &spec,
                                            t->stage->law, t->budget, t->stage->arena, err);
    if (status == JALI_OK) status = true_curve(t, &p, ale, &truth, err);
    jali_portrait_clear(&p);
    JALI_TRY(status);
    JALI_TRY(curves(t, &spec, &truth, f, ale ? "ale" : "pdp", &specific, err));
    if (!generic) return JALI_OK;
    spec.kind = JALI_PORTRAIT_PLOT;
    JALI_TRY(curves(t, &spec, &truth, f, ale ? "plot_ale" : "plot_pdp", &blocks, err));
    t->better += specific < blocks;
    t->columns++;
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

static jali_status kendall(const trial *t, jali_portrait_kind kind, const char *name,
                           jali_err *err)
{
    jali_portrait_spec spec = t->spec;
    double sum = 0, squares = 0, n = t->runs;
    const jali_tally *sums = NULL;
    spec.kind = kind;
    spec.of = JALI_OF_PFI;
    for (unsigned i = 0; i < t->runs; i++) {
        jali_portrait p;
        jali_likeness l;
        jali_status status = jali_portrait_init(&p, t->stage->schema, t->model, &spec,
                                                t->stage->law, t->budget, t->stage->arena, err);
        jali_probe probe = probe_of(t, &p);
        if (status == JALI_OK && i == 0)
            status = jali_probe_pfi(&probe, t->stage->arena, &sums, err);
        if (status == JALI_OK) status = draw(t, &p, t->stage->arena, &l, err);
        double k = status == JALI_OK ? concordant(&l, t->model, sums->cell) : 0;
        jali_portrait_clear(&p);
        JALI_TRY(status);
        sum += k;
        squares += k * k;
    }
    jali_stage_figure(t->stage, sum / n, sqrt(fmax(0, squares / n - sum / n * (sum / n))),
                      "eval.model.%s.kendall", name);
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
    if (t->columns > 0) {
        jali_stage_figure(t->stage, t->better, NAN, "eval.model.specific_wins");
        jali_stage_figure(t->stage, t->columns, NAN, "eval.model.specific_of");
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
        .absolute = strcmp(jali_stage_word(t->stage, "loss", "squared"), "absolute") == 0,
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
    JALI_TRY(kendall(t, JALI_PORTRAIT_PFI, "pfi", err));
    return generic ? kendall(t, JALI_PORTRAIT_RANK, "rank_pfi", err) : JALI_OK;
}

jali_status jali_eval_model(jali_stage *stage, jali_err *err)
{
    static const char *const names[] = { "model",   "bounds",     "label",  "feature", "what",
                                         "generic", "resolution", "blocks", "grid",    "loss" };
    trial t = { .stage = stage, .runs = stage->runs == 0 ? RUNS : stage->runs };
    JALI_TRY(jali_stage_expect(stage, names, sizeof names / sizeof *names, err));
    JALI_TRY(read_spec(&t, err));
    mpq_init(t.budget);
    if (mpq_sgn(stage->budget) > 0)
        mpq_set(t.budget, stage->budget);
    else
        mpq_set_ui(t.budget, 1, 1);
    jali_status status = run(&t, err);
    mpq_clear(t.budget);
    jali_model_free(t.model);
    return status;
}
