/* eval/cluster.c — clusterings against k-means and against true classes, on a public vault. */
#include "explain/cluster/cluster.h"
#include "base/rat.h"
#include "eval/cluster_metrics.h"
#include "eval/cluster_points.h"
#include "eval/eval.h"
#include "eval/open.h"
#include "explain/cluster/stream.h"
#include <math.h>
#include <stdlib.h>

enum { RUNS = 20, STARTS = 20, SAMPLE = 4000, LLOYD = 300, FIGURES = 9, MOST_COLUMNS = 2048 };

typedef struct trial {
    jali_stage *stage;
    const char *data;
    const char *option[32]; /* NAME=VALUE for the methods' parameters */
    size_t options;
    jali_geometry geometry;
    jali_points points;
    double unit; /* of the geometry's measure, in values */
    jali_silhouette silhouette;
    const uint32_t *class_of; /* NULL: no classes are known */
    size_t classes;
    size_t starts; /* stored runs of k-means: centres and mean inertia of one start */
    size_t k;
    double *stored;
    double one_start, best;
    uint32_t *label;
    double *square;
} trial;

/* What a clustering is measured by, in the order of `names`. */
static const char *const names[FIGURES] = { "inertia",        "ratio",    "silhouette",
                                            "accuracy",       "matched",  "kmdist",
                                            "kmdist_reverse", "clusters", "used" };

typedef struct figures {
    size_t n;
    double sum[FIGURES], square[FIGURES];
} figures;

static void add(figures *f, const double x[FIGURES])
{
    f->n++;
    for (size_t i = 0; i < FIGURES; i++) {
        f->sum[i] += x[i];
        f->square[i] += x[i] * x[i];
    }
}

static void tell(trial *t, const char *method, const figures *f)
{
    double n = (double)f->n;
    for (size_t i = 0; i < FIGURES; i++) {
        double mean = f->sum[i] / n, variance = f->square[i] / n - mean * mean;
        if (isnan(mean)) continue; /* no classes */
        double sd = n > 1 ? sqrt(fmax(variance, 0) * n / (n - 1)) : NAN;
        jali_stage_figure(t->stage, mean, sd, "eval.cluster.%s.%s.%s", method, t->data,
                          names[i]);
    }
}

/* ---- one clustering ---------------------------------------------------------------------- */

static double distance_to_stored(const trial *t, const double *centre, size_t k, bool reverse)
{
    double sum = 0;
    size_t d = t->points.d;
    for (size_t s = 0; s < t->starts; s++) {
        const double *other = t->stored + s * t->k * d;
        sum += reverse ? jali_centre_distance(other, t->k, centre, k, d)
                       : jali_centre_distance(centre, k, other, t->k, d);
    }
    return sum / (double)t->starts / t->geometry.diagonal;
}

static size_t count_used(const uint32_t *label, size_t n, size_t k)
{
    bool *seen = calloc(k + 1, sizeof *seen);
    size_t used = 0;
    for (size_t i = 0; seen != NULL && i < n; i++) {
        used += !seen[label[i]];
        seen[label[i]] = true;
    }
    free(seen);
    return used;
}

static jali_status measure(trial *t, const double *centre, size_t k, figures *f, jali_err *err)
{
    const jali_points *p = &t->points;
    double x[FIGURES], inertia = 0;
    jali_accuracy accuracy = { NAN, NAN };
    JALI_TRY(jali_points_nearest(p, centre, k, t->stage->pool, t->label, t->square, err));
    for (size_t i = 0; i < p->n; i++) inertia += t->square[i];
    JALI_TRY(jali_silhouette_mean(&t->silhouette, t->label, k, t->stage->pool, &x[2], err));
    if (t->class_of != NULL)
        JALI_TRY(jali_accuracy_of(t->label, k, t->class_of, t->classes, p->n, &accuracy, err));
    x[0] = inertia * t->unit * t->unit;
    x[1] = t->one_start > 0 ? inertia / t->one_start : 1;
    x[3] = accuracy.majority;
    x[4] = accuracy.matched;
    x[5] = distance_to_stored(t, centre, k, false);
    x[6] = distance_to_stored(t, centre, k, true);
    x[7] = (double)k;
    x[8] = (double)count_used(t->label, p->n, k);
    add(f, x);
    return JALI_OK;
}

/* ---- methods ------------------------------------------------------------------------------
 */

/* k-means, `starts` times from one start each: what the others are held against. */
static jali_status run_kmeans(trial *t, jali_err *err)
{
    size_t d = t->points.d;
    figures f = { 0 };
    t->stored = jali_arena_take(t->stage->arena, t->starts * t->k * d, sizeof *t->stored);
    if (t->stored == NULL) return jali_fail_memory(err);
    t->best = INFINITY;
    for (size_t s = 0; s < t->starts; s++) {
        jali_arena scratch = JALI_ARENA_INIT;
        jali_kmeans how = { t->k, 1, LLOYD, 1000 + s };
        double *centre, cost = 0;
        jali_status status =
            jali_kmeans_run(&how, &t->points, t->stage->pool, &scratch, &centre, &cost, err);
        if (status == JALI_OK)
            memcpy(t->stored + s * t->k * d, centre, t->k * d * sizeof *centre);
        t->one_start += cost / (double)t->starts;
        t->best = fmin(t->best, cost);
        jali_arena_clear(&scratch);
        if (status != JALI_OK) return status;
    }
    for (size_t s = 0; s < t->starts; s++)
        JALI_TRY(measure(t, t->stored + s * t->k * d, t->k, &f, err));
    tell(t, "kmeans", &f);
    jali_stage_figure(t->stage, t->best * t->unit * t->unit, NAN,
                      "eval.cluster.kmeans.%s.best_inertia", t->data);
    return JALI_OK;
}

static jali_status release_once(const trial *t, const jali_cluster_ask *ask, jali_arena *arena,
                                jali_clustering *out, jali_err *err)
{
    jali_charge *charge = NULL;
    JALI_TRY(jali_charge_unpaid(&charge, ask->loss, err));
    jali_cluster_run run = { ask,  t->stage->columns, charge, t->stage->dice, t->stage->pool,
                             arena };
    jali_status status = ask->method->run(&run, out, err);
    jali_charge_free(charge);
    return status;
}

static jali_status run_once(trial *t, jali_cluster_ask *ask, figures *f, jali_err *err)
{
    jali_arena scratch = JALI_ARENA_INIT;
    jali_clustering c = { 0 };
    jali_status status = release_once(t, ask, &scratch, &c, err);
    if (status == JALI_OK && c.centre == NULL)
        status = jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                           "the method %s has no centres to measure by", ask->method->name);
    if (status == JALI_OK) status = measure(t, c.centre, c.partition.labels, f, err);
    json_decref(c.told);
    jali_arena_clear(&scratch);
    return status;
}

static uint64_t budget_of(const jali_stage *stage)
{
    uint64_t pico = 0;
    return jali_rat_down(&pico, stage->budget, JALI_LOSS_DIGITS) ? pico : 0;
}

/* "refined" may choose k: "refined*" says that it shall. */
static jali_status run_method(trial *t, const char *word, jali_err *err)
{
    jali_stage *stage = t->stage;
    char name[48];
    size_t length = strlen(word);
    bool free_k = length > 1 && word[length - 1] == '*';
    snprintf(name, sizeof name, "%.*s", (int)(free_k ? length - 1 : length), word);
    jali_cluster_ask ask = { .geometry = &t->geometry,
                             .law = stage->law,
                             .budget_pico = budget_of(stage),
                             .option = t->option,
                             .n_options = t->options };
    figures f = { 0 };
    JALI_TRY(jali_any_method_find(name, &ask.method, err));
    if (!free_k && (ask.method->takes_clusters || ask.method->needs_clusters))
        ask.clusters = (uint32_t)t->k;
    JALI_TRY(jali_cluster_plan(&ask, stage->arena, err));
    for (unsigned i = 0; i < (stage->runs > 0 ? stage->runs : RUNS); i++)
        JALI_TRY(run_once(t, &ask, &f, err));
    snprintf(name + strlen(name), sizeof name - strlen(name), "%s", free_k ? "_k" : "");
    tell(t, name, &f);
    return JALI_OK;
}

/* ---- the words ----------------------------------------------------------------------------
 */

static jali_status split_words(const char *list, jali_arena *arena, const char **word,
                               size_t most, size_t *n, jali_err *err)
{
    char *copy = jali_arena_text(arena, list), *save = NULL;
    *n = 0;
    if (copy == NULL) return jali_fail_memory(err);
    for (char *w = strtok_r(copy, ",", &save); w != NULL; w = strtok_r(NULL, ",", &save)) {
        if (*n == most)
            return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                             "there are more than %zu words in \"%.40s...\"", most, list);
        word[(*n)++] = w;
    }
    return JALI_OK;
}

/* Without columns=, every number that is not the label. */
static jali_status choose_columns(const jali_stage *stage, const char *label, const char **name,
                                  size_t *n, jali_err *err)
{
    const char *list = jali_stage_word(stage, "columns", NULL);
    if (list != NULL) return split_words(list, stage->arena, name, MOST_COLUMNS, n, err);
    *n = 0;
    for (size_t i = 0; i < stage->schema->n && *n < MOST_COLUMNS; i++) {
        const jali_field *f = &stage->schema->fields[i];
        if (f->used && f->kind == JALI_NUMBER && strcmp(f->name, label) != 0)
            name[(*n)++] = f->name;
    }
    return JALI_OK;
}

/* How long the measure's 1 is, in values: the widest bounds, if columns keep their values. */
static double unit_of(const jali_geometry *g, bool values)
{
    double longest = 0;
    for (size_t j = 0; values && j < g->n; j++) {
        const jali_field *f = &g->schema->fields[g->dimension[j].field];
        if (g->dimension[j].one_hot || f->domain < 3) continue;
        double step = f->kind == JALI_NUMBER
                          ? (double)f->step.units * pow(10, -(double)f->step.digits)
                          : 1;
        longest = fmax(longest, step * (double)(f->domain - 2));
    }
    return longest > 0 ? longest : 1;
}

static jali_status read_classes(trial *t, const char *label, jali_err *err)
{
    jali_stage *stage = t->stage;
    uint32_t *code;
    size_t field;
    if (label[0] == '\0') return JALI_OK;
    JALI_TRY(jali_schema_find(stage->schema, label, &field, err));
    t->classes = (size_t)stage->schema->fields[field].domain;
    if (t->classes > 4096)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "\"%.100s\" has too many values to be a class", label);
    JALI_TRY(jali_cluster_codes(stage->columns, label, stage->arena, &code, err));
    t->class_of = code;
    return JALI_OK;
}

static jali_status prepare(trial *t, jali_err *err)
{
    jali_stage *stage = t->stage;
    const char *label = jali_stage_word(stage, "label", "");
    bool values = strcmp(jali_stage_word(stage, "scale", "values"), "values") == 0;
    const char **column = jali_arena_take(stage->arena, MOST_COLUMNS, sizeof *column);
    size_t n;
    double k, starts, sample;
    if (column == NULL) return jali_fail_memory(err);
    JALI_TRY(choose_columns(stage, label, column, &n, err));
    JALI_TRY(jali_geometry_make(&t->geometry, stage->schema, column, n,
                                values ? JALI_SCALE_VALUES : JALI_SCALE_BOUNDS, stage->arena,
                                err));
    JALI_TRY(jali_stage_number(stage, "clusters", 0, &k, err));
    JALI_TRY(jali_stage_number(stage, "starts", STARTS, &starts, err));
    JALI_TRY(jali_stage_number(stage, "sample", SAMPLE, &sample, err));
    if (!(k >= 1 && k <= 10000 && starts >= 1 && starts <= 1000 && sample >= 2 &&
          sample <= 20000))
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "give clusters=K from 1 to 10000, starts= from 1 to 1000 and sample= "
                         "from 2 to 20000");
    t->k = (size_t)k;
    t->starts = (size_t)starts;
    t->unit = unit_of(&t->geometry, values);
    t->data = jali_stage_word(stage, "data", stage->name);
    JALI_TRY(jali_cluster_points(&t->geometry, stage->columns, stage->arena, &t->points, err));
    t->label = jali_arena_take(stage->arena, t->points.n + 1, sizeof *t->label);
    t->square = jali_arena_take(stage->arena, t->points.n + 1, sizeof *t->square);
    if (t->label == NULL || t->square == NULL) return jali_fail_memory(err);
    JALI_TRY(read_classes(t, label, err));
    return jali_silhouette_init(&t->silhouette, &t->points, (size_t)sample, 4711, stage->pool,
                                stage->arena, err);
}

jali_status jali_eval_cluster(jali_stage *stage, jali_err *err)
{
    static const char *const words[] = { "columns", "label",  "clusters", "methods", "data",
                                         "starts",  "sample", "scale",    "set" };
    const char *method[32];
    size_t n;
    trial t = { .stage = stage };
    JALI_TRY(jali_stage_expect(stage, words, sizeof words / sizeof *words, err));
    JALI_TRY(split_words(jali_stage_word(stage, "methods", "refined"), stage->arena, method, 32,
                         &n, err));
    JALI_TRY(split_words(jali_stage_word(stage, "set", ""), stage->arena, t.option, 32,
                         &t.options, err));
    if (mpq_sgn(stage->budget) <= 0)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "say what one run may spend: --epsilon E or --rho R");
    JALI_TRY(prepare(&t, err));
    jali_doc_fact(stage->doc, "silhouette", "exact, on a sample of %zu rows", t.silhouette.n);
    jali_doc_fact(stage->doc, "runs", "%u of each private method, %zu of k-means",
                  stage->runs > 0 ? stage->runs : RUNS, t.starts);
    JALI_TRY(run_kmeans(&t, err));
    for (size_t i = 0; i < n; i++) JALI_TRY(run_method(&t, method[i], err));
    return JALI_OK;
}
