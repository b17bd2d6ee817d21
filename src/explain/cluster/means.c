/* explain/cluster/means.c — sizes and centred sums of clusters, with noise, for any label.
 *
 * Claim    means.release
 *          For a label that is a function of one record and of what was released before,
 *          jali_means_measure is (size_pico + sum_pico) * 1e-12-DP (Laplace) or -zCDP (Gauss)
 *          in the add/remove model for one person, and takes at most that from the receipt.
 * Proof    proofs/means.md#means.release
 * Source   Su, Cao, Li, Bertino, Jin, CODASPY 2016, section 3: sums centred in the box, so that
 *          add/remove is covered (the published programs sum from one end, FLAG 14). The share
 *          of an axis follows its width; every label gets noise, empty ones as well (FLAG 9).
 * Law      each size and each sum plus noise of mech/noise.c
 * Spends   size_pico on sizes; sum_pico on the columns, a part each
 * Test     tests/explain/cluster/means_test.c
 * Silent   Time grows with the number of rows, which an analyst must not be shown.
 */
#include "explain/cluster/means.h"
#include <math.h>
#include <string.h>

/* The axes of one column: one number, or all values of a category (a row has one of them). */
typedef struct group {
    size_t axis, axes;
    const jali_field *field;
    bool one_hot;
    double half; /* how far one row moves it, in the measure of the geometry */
    uint64_t centre, pico;
    size_t table;
} group;

typedef struct groups {
    size_t n;
    group *at;
} groups;

/* ---- parts ------------------------------------------------------------------------------ */

/* Axes without width hold one value only: nothing to measure. */
static jali_status make_groups(const jali_geometry *g, jali_arena *arena, groups *out,
                               jali_err *err)
{
    out->n = 0;
    out->at = jali_arena_take(arena, g->n + 1, sizeof *out->at);
    if (out->at == NULL) return jali_fail_memory(err);
    for (size_t j = 0; j < g->n;) {
        const jali_dimension *d = &g->dimension[j];
        const jali_field *f = &g->schema->fields[d->field];
        size_t axes = d->one_hot ? (size_t)(d->domain - 1) : 1;
        uint64_t top = d->domain < 2 ? 0 : d->domain - 2;
        if (d->width > 0)
            out->at[out->n++] = (group){ .axis = j,
                                         .axes = axes,
                                         .field = f,
                                         .one_hot = d->one_hot,
                                         .half = d->one_hot ? d->width : d->width / 2,
                                         .centre = top / 2 };
        j += axes;
    }
    return JALI_OK;
}

/* Noise energy sum axes half^2 / part (Gauss) or / part^2 (Laplace) is least for these. */
static double weight(const group *g, jali_law law)
{
    double axes = (double)g->axes;
    return law == JALI_LAW_GAUSS ? g->half * sqrt(axes) : cbrt(g->half * g->half * axes);
}

static jali_status share_out(groups *all, jali_law law, uint64_t pico, jali_err *err)
{
    double sum = 0;
    for (size_t i = 0; i < all->n; i++) sum += weight(&all->at[i], law);
    for (size_t i = 0; i < all->n; i++) {
        double part = (double)pico * weight(&all->at[i], law) / sum;
        all->at[i].pico = (uint64_t)floor(part * (1 - 1e-9));
        if (all->at[i].pico == 0)
            return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                             "this budget is too small to be split over %zu columns; give more",
                             all->n);
    }
    return JALI_OK;
}

/* How far one row moves a cell of the group's tally. */
static uint64_t row_reach(const group *g)
{
    uint64_t top = g->field->domain - 2;
    return g->one_hot ? 1 : top - g->centre > g->centre ? top - g->centre : g->centre;
}

static jali_status check_group(const jali_cluster_ask *ask, const group *g, uint64_t labels,
                               jali_err *err)
{
    uint64_t all = ask->geometry->schema->rows_per_person * row_reach(g);
    jali_reach reach = { 1, all, all, all };
    jali_noiser *noiser;
    double scale;
    if (g->one_hot && (labels + 1) * g->field->domain > JALI_PLAN_CELLS / 64)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "\"%.100s\" has too many values for %llu clusters: take fewer, or the "
                         "column by its codes",
                         g->field->name, (unsigned long long)labels);
    if (!g->one_hot && g->field->domain - 2 > JALI_PLAN_SUM_CODES)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "\"%.100s\" has so many steps between its bounds that a sum could "
                         "overflow: give it a wider step or narrower bounds in the schema",
                         g->field->name);
    JALI_TRY(jali_cluster_noiser(ask, g->pico, &noiser, err));
    jali_status status = jali_noiser_scale(noiser, &reach, &scale, err);
    jali_noiser_free(noiser);
    return status;
}

jali_status jali_means_check(const jali_cluster_ask *ask, uint64_t labels, uint64_t sum_pico,
                             jali_err *err)
{
    jali_arena scratch = JALI_ARENA_INIT;
    groups all;
    jali_status status = make_groups(ask->geometry, &scratch, &all, err);
    if (status == JALI_OK) status = share_out(&all, ask->law, sum_pico, err);
    for (size_t i = 0; status == JALI_OK && i < all.n; i++)
        status = check_group(ask, &all.at[i], labels, err);
    jali_arena_clear(&scratch);
    return status;
}

/* ---- one pass ---------------------------------------------------------------------------- */

typedef struct pass {
    const jali_cluster_run *run;
    const jali_label *label;
    groups all;
    jali_plan *plan;
    size_t sizes; /* its table */
    const jali_tallies *tallies;
    jali_arena *arena;
} pass;

static jali_status plan_pass(pass *p, bool sizes, jali_err *err)
{
    const jali_schema *schema = p->run->ask->geometry->schema;
    size_t slice = 0; /* every row, no label */
    JALI_TRY(jali_plan_new(&p->plan, p->run->columns, schema->rows_per_person, err));
    if (p->label->label != NULL)
        JALI_TRY(jali_plan_slice(p->plan, p->label, NULL, &slice, err));
    if (sizes) JALI_TRY(jali_plan_counts(p->plan, slice, NULL, 0, &p->sizes, err));
    for (size_t i = 0; i < p->all.n; i++) {
        group *g = &p->all.at[i];
        JALI_TRY(g->one_hot
                     ? jali_plan_counts(p->plan, slice, &g->field->name, 1, &g->table, err)
                     : jali_plan_sums(p->plan, slice, NULL, 0, g->field->name, g->centre,
                                      &g->table, err));
    }
    return jali_plan_run(p->plan, p->run->pool, p->arena, &p->tallies, err);
}

static jali_status release(const pass *p, uint64_t pico, const jali_tally *tally,
                           jali_noisy *out, jali_err *err)
{
    jali_noiser *noiser;
    JALI_TRY(jali_cluster_noiser(p->run->ask, pico, &noiser, err));
    jali_status status =
        jali_noise_release(noiser, tally, p->run->charge, p->run->dice, p->arena, out, err);
    jali_noiser_free(noiser);
    return status;
}

/* One code, in the measure of the geometry. */
static double step_of(const jali_geometry *geometry, const group *g)
{
    double width = geometry->dimension[g->axis].width;
    return g->one_hot ? width : width / (double)(g->field->domain - 2);
}

static jali_status release_group(const pass *p, const group *g, jali_means *out, double *spread,
                                 jali_err *err)
{
    const jali_geometry *geometry = p->run->ask->geometry;
    double step = step_of(geometry, g);
    const jali_tally *tally = g->one_hot ? jali_tallies_counts(p->tallies, g->table)
                                         : jali_tallies_sums(p->tallies, g->table);
    size_t stride = g->one_hot ? (size_t)g->field->domain : 1;
    jali_noisy noisy;
    JALI_TRY(release(p, g->pico, tally, &noisy, err));
    for (size_t l = 0; l < p->label->labels; l++)
        for (size_t v = 0; v < g->axes; v++)
            out->sum[l * geometry->n + g->axis + v] = step * (double)noisy.cell[l * stride + v];
    for (size_t v = 0; v < g->axes; v++)
        spread[g->axis + v] =
            step * noisy.scale * (noisy.law == JALI_LAW_LAPLACE ? sqrt(2) : 1);
    return JALI_OK;
}

static jali_status release_all(pass *p, uint64_t size_pico, uint64_t sum_pico, jali_means *out,
                               jali_err *err)
{
    size_t axes = p->run->ask->geometry->n;
    jali_noisy sizes;
    if (size_pico > 0) {
        JALI_TRY(release(p, size_pico, jali_tallies_counts(p->tallies, p->sizes), &sizes, err));
        out->size = sizes.cell;
        out->size_scale = sizes.scale;
    }
    if (sum_pico == 0) return JALI_OK;
    double *spread = jali_arena_take(p->arena, axes, sizeof *spread);
    out->sum = jali_arena_take(p->arena, p->label->labels * axes, sizeof *out->sum);
    if (spread == NULL || out->sum == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < p->all.n; i++)
        JALI_TRY(release_group(p, &p->all.at[i], out, spread, err));
    out->spread = spread;
    return JALI_OK;
}

jali_status jali_means_measure(const jali_cluster_run *run, const jali_label *label,
                               uint64_t size_pico, uint64_t sum_pico, jali_arena *arena,
                               jali_means *out, jali_err *err)
{
    pass p = { .run = run, .label = label, .arena = arena };
    jali_means means = { 0 };
    if (sum_pico > 0) {
        JALI_TRY(make_groups(run->ask->geometry, arena, &p.all, err));
        JALI_TRY(share_out(&p.all, run->ask->law, sum_pico, err));
    }
    jali_status status = plan_pass(&p, size_pico > 0, err);
    if (status == JALI_OK) status = release_all(&p, size_pico, sum_pico, &means, err);
    jali_plan_free(p.plan);
    if (status == JALI_OK) *out = means;
    return status;
}
