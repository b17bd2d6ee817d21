/* eval/contrast.c — jali eval contrast: private centres and answers against the real points.
 *
 * The paper's figures (PO, PC, RO, RC, APE, AE) and beside them what the average hides: the
 * error of each asker's answer and how often its interval is right.
 */
#include "eval/contrast.h"
#include "base/rat.h"
#include "explain/contrast/release.h"
#include "report/chart.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIGURES = 10, LEVELS = 8 };
static const char *const names[FIGURES] = { "po", "pc",     "ro",    "rc",         "ape",
                                            "ae", "excess", "error", "cost_error", "cover" };
enum { PO, PC, RO, RC, APE, AE, EXCESS, ERROR, COST_ERROR, COVER };

typedef struct trial {
    jali_stage *stage;
    jali_contrast_ask ask;
    const char *column[JALI_CORESET_DIMS];
    const char *method;
    jali_ground_truth truth;
    unsigned runs;
    double *extra, *error; /* runs * askers of one level */
    double *po, *excess;   /* runs                        */
    double sum[LEVELS][FIGURES], square[LEVELS][FIGURES];
} trial;

static jali_status read_words(trial *t, jali_err *err)
{
    static const char *const known[] = { "columns", "centres", "objective",
                                         "askers",  "method",  "eps" };
    double centres;
    JALI_TRY(jali_stage_expect(t->stage, known, 6, err));
    JALI_TRY(jali_stage_number(t->stage, "centres", 5, &centres, err));
    char *text = jali_arena_text(t->stage->arena, jali_stage_word(t->stage, "columns", "x,y"));
    if (text == NULL) return jali_fail_memory(err);
    for (char *at = text; at != NULL && t->ask.n < JALI_CORESET_DIMS;) {
        char *comma = strchr(at, ',');
        if (comma != NULL) *comma = '\0';
        t->column[t->ask.n++] = at;
        at = comma == NULL ? NULL : comma + 1;
    }
    t->ask.column = t->column;
    t->ask.centres = (size_t)fmax(1, fmin(centres, JALI_CENTRES_MOST));
    t->ask.squared = strcmp(jali_stage_word(t->stage, "objective", "median"), "means") == 0;
    t->method = jali_stage_word(t->stage, "method", "hybrid");
    t->ask.tight = strcmp(t->method, "tight") == 0;
    t->runs = t->stage->runs == 0 ? 10 : t->stage->runs;
    return JALI_OK;
}

/* One private plan: of the product, or of a rival with the same budget. */
static jali_status draw(const trial *t, jali_contrast *plan, mpq_srcptr budget,
                        jali_arena *arena, jali_view *view, jali_err *err)
{
    char *body = NULL;
    jali_charge *charge = NULL;
    if (strcmp(t->method, "hybrid") == 0 || t->ask.tight) {
        JALI_TRY(jali_charge_unpaid(&charge, plan->loss, err));
        jali_status status =
            jali_contrast_run(plan, charge, t->stage->dice, t->stage->pool, arena, &body, err);
        jali_charge_free(charge);
        JALI_TRY(status);
        return jali_view_open(view, body, strlen(body), true, t->stage->pool, arena, err);
    }
    jali_contrast_release r = {
        .ask = t->ask, .unit = 1, .row = 1, .rows = 1, .ground = plan->ground
    };
    jali_weights w;
    jali_solver solver;
    JALI_TRY(jali_rival_coreset(t->method, t->stage, plan, budget, arena, &r.coreset, err));
    uint64_t stream = jali_contrast_stream(&r.coreset);
    r.base = jali_arena_take(arena, t->ask.centres, sizeof *r.base);
    r.centre = jali_arena_take(arena, t->ask.centres * t->ask.n, sizeof *r.centre);
    if (r.base == NULL || r.centre == NULL) return jali_fail_memory(err);
    JALI_TRY(jali_weigh(&w, &r.coreset, &r.ground, t->ask.squared, arena, err));
    JALI_TRY(jali_solver_new(&solver, &w.cloud, t->ask.centres, arena, err));
    jali_solve(&solver, r.base, 20, &stream);
    jali_contrast_place(&r);
    JALI_TRY(jali_contrast_write(&r, arena, &body, err));
    return jali_view_open(view, body, strlen(body), true, t->stage->pool, arena, err);
}

static jali_status one_run(trial *t, unsigned run, jali_contrast *plan, mpq_srcptr budget,
                           jali_err *err)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_view v;
    jali_asker asker;
    jali_spot set[JALI_CENTRES_MOST];
    jali_status status = draw(t, plan, budget, &arena, &v, err);
    if (status == JALI_OK) status = jali_view_asker(&v, &asker, &arena, err);
    if (status == JALI_OK) {
        jali_ground_truth *x = &t->truth;
        double real = jali_cloud_near(&x->cloud, v.nodes.base, x->k, x->solver.d, NULL);
        if (real < x->base_cost) { /* private centres may find a better optimum */
            x->base_cost = real;
            memcpy(x->base, v.nodes.base, x->k * sizeof *x->base);
        }
        t->excess[run] = real;
        t->po[run] = v.cost / v.scale;
        for (size_t i = 0; i < x->askers; i++) {
            jali_contrast_answer a = jali_nodes_ask(&v.nodes, &asker, x->at[i], true, set);
            t->extra[run * x->askers + i] = a.extra;
            t->error[run * x->askers + i] = a.error;
            if (run < 10) jali_truth_learn(x, i, set);
        }
    }
    jali_arena_clear(&arena);
    return status;
}

static void add_run(trial *t, size_t level, unsigned run, double scale, double z)
{
    const jali_ground_truth *x = &t->truth;
    double off = 0, all = 0, pe = 0, covered = 0, n = (double)x->askers;
    for (size_t i = 0; i < x->askers; i++) {
        double truth = fmax(0, x->cost[i] - x->base_cost);
        double e = t->extra[run * x->askers + i];
        off += fabs(e - truth);
        all += truth;
        pe += e;
        covered += fabs(e - truth) <= z * t->error[run * x->askers + i];
    }
    double figure[FIGURES] = { [PO] = t->po[run] * scale,
                               [PC] = (t->po[run] + pe / n) * scale,
                               [RO] = x->base_cost * scale,
                               [RC] = (x->base_cost + all / n) * scale,
                               [APE] = pe / n * scale,
                               [AE] = all / n * scale,
                               [EXCESS] = t->excess[run] / x->base_cost - 1,
                               [ERROR] = all > 0 ? off / all : 0,
                               [COST_ERROR] = fabs(t->po[run] / t->excess[run] - 1),
                               [COVER] = covered / n };
    for (size_t f = 0; f < FIGURES; f++) {
        t->sum[level][f] += figure[f];
        t->square[level][f] += figure[f] * figure[f];
    }
}

static jali_status one_level(trial *t, size_t level, mpq_srcptr budget, const char *text,
                             jali_err *err)
{
    jali_contrast plan;
    jali_stage *s = t->stage;
    JALI_TRY(
        jali_contrast_init(&plan, s->schema, &t->ask, s->law, budget, text, s->arena, err));
    double askers;
    jali_status status = jali_contrast_bind(&plan, s->columns, s->arena, err);
    if (status == JALI_OK) status = jali_stage_number(s, "askers", 100, &askers, err);
    if (status == JALI_OK && level == 0) {
        size_t n = (size_t)fmax(1, fmin(askers, 10000));
        t->extra = jali_arena_take(s->arena, t->runs * n, sizeof *t->extra);
        t->error = jali_arena_take(s->arena, t->runs * n, sizeof *t->error);
        t->po = jali_arena_take(s->arena, t->runs, sizeof *t->po);
        t->excess = jali_arena_take(s->arena, t->runs, sizeof *t->excess);
        jali_ground *kept = jali_arena_take(s->arena, 1, sizeof *kept);
        if (t->extra == NULL || t->error == NULL || t->po == NULL || t->excess == NULL ||
            kept == NULL)
            status = jali_fail_memory(err);
        if (status == JALI_OK) status = jali_truth_find(&t->truth, s, &plan, n, err);
        if (status == JALI_OK) *kept = plan.ground;
        t->truth.ground = kept;
    }
    for (unsigned run = 0; status == JALI_OK && run < t->runs; run++)
        status = one_run(t, run, &plan, budget, err);
    double length = plan.ground.length, scale = t->ask.squared ? length * length : length;
    for (unsigned run = 0; status == JALI_OK && run < t->runs; run++)
        add_run(t, level, run, scale, jali_view_halfwidth(s->miss));
    jali_contrast_clear(&plan);
    return status;
}

static void tell(trial *t, const char *const *label, size_t levels)
{
    jali_axis x = { .name = "epsilon" }, y = { .name = "error of answers", .percent = true };
    for (size_t l = 0; l < levels; l++)
        for (size_t f = 0; f < FIGURES; f++) {
            double n = t->runs, mean = t->sum[l][f] / n;
            double variance = t->square[l][f] / n - mean * mean;
            double sd = n > 1 ? sqrt(fmax(0, variance) * n / (n - 1)) : NAN;
            if (levels == 1)
                jali_stage_figure(t->stage, mean, sd, "eval.contrast.%s", names[f]);
            else
                jali_stage_figure(t->stage, mean, sd, "eval.contrast.%s.%s", names[f],
                                  label[l]);
        }
    jali_chart *chart =
        jali_doc_lines(t->stage->doc, x, y, "How far answers are off, by budget");
    jali_chart_series(chart, t->method);
    for (size_t l = 0; l < levels; l++)
        jali_chart_point(chart, strtod(label[l], NULL),
                         JALI_MARK_POINT(t->sum[l][ERROR] / t->runs));
}

jali_status jali_eval_contrast(jali_stage *stage, jali_err *err)
{
    static const char *const usual[] = { "0.1", "0.5", "1", "2" };
    const char *label[LEVELS];
    size_t levels = 0;
    trial *t = jali_arena_take(stage->arena, 1, sizeof *t);
    if (t == NULL) return jali_fail_memory(err);
    t->stage = stage;
    JALI_TRY(read_words(t, err));
    if (mpq_sgn(stage->budget) > 0)
        label[levels++] = "given";
    else
        for (size_t i = 0; i < 4; i++) label[levels++] = usual[i];
    for (size_t l = 0; l < levels; l++) {
        mpq_t budget;
        mpq_init(budget);
        jali_status status = JALI_OK;
        if (mpq_sgn(stage->budget) > 0)
            mpq_set(budget, stage->budget);
        else
            status = jali_rat_parse(budget, label[l], "eps", err);
        if (status == JALI_OK) status = one_level(t, l, budget, label[l], err);
        mpq_clear(budget);
        JALI_TRY(status);
    }
    tell(t, label, levels);
    return JALI_OK;
}
