/* eval/contrast.c — jali eval contrast: private centres and answers against the real points.
 *
 * The paper's figures (PO, PC, RO, RC, APE, AE) and beside them what the average hides: the
 * error of each asker's answer and how often its interval is right.
 */
#include "eval/contrast.h"
#include "base/rat.h"
#include "explain/contrast/region.h"
#include "report/chart.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIGURES = 13, LEVELS = 4, METHODS = 5 };
static const char *const names[FIGURES] = {
    "po",    "pc",         "ro",        "rc",    "ape",          "ae",          "excess",
    "error", "cost_error", "cost_bias", "cover", "centre_cover", "centre_width"
};
enum {
    PO,
    PC,
    RO,
    RC,
    APE,
    AE,
    EXCESS,
    ERROR,
    COST_ERROR,
    COST_BIAS,
    COVER,
    CENTRE_COVER,
    CENTRE_WIDTH
};

/* What one method found at one budget. */
typedef struct record {
    double *extra, *error; /* runs * askers */
    double *po, *excess;   /* runs          */
    double *place, *about; /* runs * centres * columns: centres, their standard errors */
    double *off;           /* runs: error of answers, for differences of methods */
    double sum[FIGURES], square[FIGURES];
} record;

typedef struct trial {
    jali_stage *stage;
    jali_contrast_ask ask;
    const char *column[JALI_CORESET_DIMS];
    const char *method[METHODS];
    size_t methods, levels;
    const char *label[LEVELS];
    jali_ground_truth truth;
    unsigned runs;
    record record[LEVELS][METHODS];
    double scale; /* of a cost */
} trial;

/* Cuts "a,b,c"; what is beyond `most` is left out. */
static jali_status cut_list(jali_stage *s, const char *list, const char **out, size_t most,
                            size_t *n, jali_err *err)
{
    char *text = jali_arena_text(s->arena, list);
    if (text == NULL) return jali_fail_memory(err);
    for (char *at = text; at != NULL && *n < most;) {
        char *comma = strchr(at, ',');
        if (comma != NULL) *comma = '\0';
        out[(*n)++] = at;
        at = comma == NULL ? NULL : comma + 1;
    }
    return JALI_OK;
}

static jali_status read_words(trial *t, jali_err *err)
{
    static const char *const known[] = { "columns", "centres", "objective",
                                         "askers",  "method",  "cells" };
    jali_stage *s = t->stage;
    double centres, cells;
    JALI_TRY(jali_stage_expect(s, known, 6, err));
    JALI_TRY(jali_stage_number(s, "centres", 5, &centres, err));
    JALI_TRY(jali_stage_number(s, "cells", 0, &cells, err));
    JALI_TRY(cut_list(s, jali_stage_word(s, "columns", "x,y"), t->column, JALI_CORESET_DIMS,
                      &t->ask.n, err));
    JALI_TRY(cut_list(s, jali_stage_word(s, "method", "hybrid"), t->method, METHODS,
                      &t->methods, err));
    t->ask.column = t->column;
    t->ask.cap = (uint32_t)fmax(0, fmin(cells, UINT32_MAX));
    t->ask.centres = (size_t)fmax(1, fmin(centres, JALI_CENTRES_MOST));
    t->ask.squared = strcmp(jali_stage_word(s, "objective", "median"), "means") == 0;
    t->runs = s->runs == 0 ? 10 : s->runs;
    return JALI_OK;
}

/* One private plan: of the product, or of a rival with the same budget. */
static jali_status draw(const trial *t, const char *method, jali_contrast *plan,
                        mpq_srcptr budget, jali_arena *arena, jali_view *view, jali_err *err)
{
    char *body = NULL;
    jali_charge *charge = NULL;
    if (strcmp(method, "hybrid") == 0 || plan->ask.tight) {
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
    JALI_TRY(jali_rival_coreset(method, t->stage, plan, budget, arena, &r.coreset, err));
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

static jali_status keep_centres(const trial *t, record *r, unsigned run, const jali_view *v,
                                jali_arena *arena, jali_err *err)
{
    size_t n = t->ask.centres * t->ask.n;
    double *error;
    JALI_TRY(jali_regions(v, arena, &error, err));
    memcpy(r->place + run * n, v->release.centre, n * sizeof *r->place);
    memcpy(r->about + run * n, error, n * sizeof *r->about);
    return JALI_OK;
}

/* How many coordinates of the best centres known lie in the interval of the nearest released
 * one, and how wide these are, as a share of the box. */
static void judge_centres(const trial *t, const record *r, unsigned run, double z,
                          double *cover, double *width)
{
    const jali_ground_truth *x = &t->truth;
    size_t n = t->ask.n, k = t->ask.centres;
    const double *place = r->place + run * n * k, *about = r->about + run * n * k;
    *cover = *width = 0;
    for (size_t c = 0; c < k; c++) {
        double least = INFINITY, want[JALI_SPACE] = { 0 };
        size_t near = 0;
        for (size_t a = 0; a < n; a++)
            want[a] = x->ground->origin[a] + (double)x->base[c].at[a] * x->ground->length;
        for (size_t i = 0; i < k; i++) {
            double d = 0;
            for (size_t a = 0; a < n; a++) d += pow(place[i * n + a] - want[a], 2);
            if (d < least) {
                least = d;
                near = i;
            }
        }
        for (size_t a = 0; a < n; a++) {
            double half = z * about[near * n + a];
            *cover += (fabs(place[near * n + a] - want[a]) <= half) / (double)(n * k);
            *width += half / x->ground->length / (double)(n * k);
        }
    }
}

static jali_status one_run(trial *t, record *r, const char *method, unsigned run,
                           jali_contrast *plan, mpq_srcptr budget, jali_err *err)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_view v;
    jali_asker asker;
    jali_spot set[JALI_CENTRES_MOST];
    jali_status status = draw(t, method, plan, budget, &arena, &v, err);
    if (status == JALI_OK) status = jali_view_asker(&v, &asker, &arena, err);
    if (status == JALI_OK) {
        jali_ground_truth *x = &t->truth;
        double real = jali_cloud_near(&x->cloud, v.nodes.base, x->k, x->solver.d, NULL);
        if (real < x->base_cost) { /* private centres may find a better optimum */
            x->base_cost = real;
            memcpy(x->base, v.nodes.base, x->k * sizeof *x->base);
        }
        r->excess[run] = real;
        status = keep_centres(t, r, run, &v, &arena, err);
        r->po[run] = v.cost / v.scale;
        for (size_t i = 0; i < x->askers; i++) {
            jali_contrast_answer a = jali_nodes_ask(&v.nodes, &asker, x->at[i], true, set);
            r->extra[run * x->askers + i] = a.extra;
            r->error[run * x->askers + i] = a.error;
            if (run < 10) jali_truth_learn(x, i, set);
        }
    }
    jali_arena_clear(&arena);
    return status;
}

static void add_run(const trial *t, record *r, unsigned run, double z)
{
    const jali_ground_truth *x = &t->truth;
    double off = 0, all = 0, pe = 0, covered = 0, n = (double)x->askers, scale = t->scale;
    for (size_t i = 0; i < x->askers; i++) {
        double truth = fmax(0, x->cost[i] - x->base_cost);
        double e = r->extra[run * x->askers + i];
        off += fabs(e - truth);
        all += truth;
        pe += e;
        covered += fabs(e - truth) <= z * r->error[run * x->askers + i];
    }
    double inside, width;
    judge_centres(t, r, run, z, &inside, &width);
    double bias = r->po[run] / r->excess[run] - 1;
    double figure[FIGURES] = { [PO] = r->po[run] * scale,
                               [PC] = (r->po[run] + pe / n) * scale,
                               [RO] = x->base_cost * scale,
                               [RC] = (x->base_cost + all / n) * scale,
                               [APE] = pe / n * scale,
                               [AE] = all / n * scale,
                               [EXCESS] = r->excess[run] / x->base_cost - 1,
                               [ERROR] = all > 0 ? off / all : 0,
                               [COST_ERROR] = fabs(bias),
                               [COST_BIAS] = bias,
                               [COVER] = covered / n,
                               [CENTRE_COVER] = inside,
                               [CENTRE_WIDTH] = width };
    r->off[run] = figure[ERROR];
    for (size_t f = 0; f < FIGURES; f++) {
        r->sum[f] += figure[f];
        r->square[f] += figure[f] * figure[f];
    }
}

static jali_status make_record(const trial *t, record *r, jali_err *err)
{
    jali_arena *arena = t->stage->arena;
    size_t n = t->runs * t->truth.askers;
    r->extra = jali_arena_take(arena, n, sizeof *r->extra);
    r->error = jali_arena_take(arena, n, sizeof *r->error);
    r->po = jali_arena_take(arena, t->runs, sizeof *r->po);
    r->excess = jali_arena_take(arena, t->runs, sizeof *r->excess);
    r->off = jali_arena_take(arena, t->runs, sizeof *r->off);
    size_t places = t->runs * t->ask.centres * t->ask.n;
    r->place = jali_arena_take(arena, places, sizeof *r->place);
    r->about = jali_arena_take(arena, places, sizeof *r->about);
    bool made = r->place != NULL && r->about != NULL && r->extra != NULL && r->error != NULL &&
                r->po != NULL && r->excess != NULL && r->off != NULL;
    return made ? JALI_OK : jali_fail_memory(err);
}

/* Askers and their truth are found once: every method at every budget meets the same. */
static jali_status find_truth(trial *t, const jali_contrast *plan, jali_err *err)
{
    double askers;
    JALI_TRY(jali_stage_number(t->stage, "askers", 100, &askers, err));
    size_t n = (size_t)fmax(1, fmin(askers, 10000));
    jali_ground *kept = jali_arena_take(t->stage->arena, 1, sizeof *kept);
    if (kept == NULL) return jali_fail_memory(err);
    JALI_TRY(jali_truth_find(&t->truth, t->stage, plan, n, err));
    *kept = plan->ground;
    t->truth.ground = kept;
    t->scale = t->ask.squared ? kept->length * kept->length : kept->length;
    return JALI_OK;
}

static jali_status one_method(trial *t, size_t level, size_t m, mpq_srcptr budget,
                              jali_err *err)
{
    jali_contrast plan;
    jali_stage *s = t->stage;
    record *r = &t->record[level][m];
    t->ask.tight = strcmp(t->method[m], "tight") == 0;
    JALI_TRY(jali_contrast_init(&plan, s->schema, &t->ask, s->law, budget, t->label[level],
                                s->arena, err));
    jali_status status = jali_contrast_bind(&plan, s->columns, s->arena, err);
    if (status == JALI_OK && t->truth.askers == 0) status = find_truth(t, &plan, err);
    if (status == JALI_OK) status = make_record(t, r, err);
    for (unsigned run = 0; status == JALI_OK && run < t->runs; run++)
        status = one_run(t, r, t->method[m], run, &plan, budget, err);
    jali_contrast_clear(&plan);
    return status;
}

static jali_status one_level(trial *t, size_t level, jali_err *err)
{
    mpq_t budget;
    mpq_init(budget);
    jali_status status = JALI_OK;
    if (mpq_sgn(t->stage->budget) > 0)
        mpq_set(budget, t->stage->budget);
    else
        status = jali_rat_parse(budget, t->label[level], "eps", err);
    for (size_t m = 0; status == JALI_OK && m < t->methods; m++)
        status = one_method(t, level, m, budget, err);
    mpq_clear(budget);
    return status;
}

/* ---- telling ---------------------------------------------------------------------------- */

static void tell_mean(trial *t, double sum, double square, const char *what, size_t method,
                      size_t level)
{
    double n = t->runs, mean = sum / n, variance = square / n - mean * mean;
    double sd = n > 1 ? sqrt(fmax(0, variance) * n / (n - 1)) : NAN;
    const char *dot = t->methods > 1 ? "." : "",
               *name = t->methods > 1 ? t->method[method] : "";
    jali_stage_figure(t->stage, mean, sd, "eval.contrast.%s%s%s%s%s", what, dot, name,
                      t->levels > 1 ? "." : "", t->levels > 1 ? t->label[level] : "");
}

/* By how much a method errs more than the first, run by run. */
static void tell_worse(trial *t, size_t method, size_t level)
{
    double sum = 0, square = 0;
    for (unsigned run = 0; run < t->runs; run++) {
        double more = t->record[level][method].off[run] - t->record[level][0].off[run];
        sum += more;
        square += more * more;
    }
    tell_mean(t, sum, square, "worse", method, level);
}

static void tell(trial *t)
{
    jali_axis x = { .name = "epsilon" }, y = { .name = "error of answers", .percent = true };
    jali_chart *chart =
        jali_doc_lines(t->stage->doc, x, y, "How far answers are off, by budget");
    for (size_t m = 0; m < t->methods; m++) {
        jali_chart_series(chart, t->method[m]);
        for (size_t l = 0; l < t->levels; l++) {
            const record *r = &t->record[l][m];
            for (size_t f = 0; f < FIGURES; f++)
                tell_mean(t, r->sum[f], r->square[f], names[f], m, l);
            if (m > 0) tell_worse(t, m, l);
            jali_chart_point(chart, strtod(t->label[l], NULL),
                             JALI_MARK_POINT(r->sum[ERROR] / t->runs));
        }
    }
}

jali_status jali_eval_contrast(jali_stage *stage, jali_err *err)
{
    static const char *const usual[LEVELS] = { "0.1", "0.5", "1", "2" };
    trial *t = jali_arena_take(stage->arena, 1, sizeof *t);
    if (t == NULL) return jali_fail_memory(err);
    t->stage = stage;
    JALI_TRY(read_words(t, err));
    if (mpq_sgn(stage->budget) > 0)
        t->label[t->levels++] = "given";
    else
        while (t->levels < LEVELS) {
            t->label[t->levels] = usual[t->levels];
            t->levels++;
        }
    for (size_t l = 0; l < t->levels; l++) JALI_TRY(one_level(t, l, err));
    double z = jali_normal_halfwidth(stage->miss); /* truth has been learnt from all runs */
    for (size_t l = 0; l < t->levels; l++)
        for (size_t m = 0; m < t->methods; m++)
            for (unsigned run = 0; run < t->runs; run++) add_run(t, &t->record[l][m], run, z);
    tell(t);
    return JALI_OK;
}
