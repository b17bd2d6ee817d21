/* explain/cluster/finish.c — centres become a function of a record, with sizes.
 *
 * Claim    finish.sizes
 *          jali_means_finish and jali_means_rows are pico * 1e-12-DP (Laplace) or -zCDP (Gauss)
 *          in the add/remove model for one person, given the centres, and take at most that;
 *          jali_means_step likewise, with size_pico + sum_pico.
 * Proof    proofs/means.md#finish.sizes
 * Source   ALGORITHMS 10: labels are recomputed from released parameters. The step: Su, Cao,
 *          Li, Bertino, Jin, CODASPY 2016, section 4.
 * Law      counts, and sums of a step, plus noise of mech/noise.c
 * Spends   size_pico, and sum_pico in a step
 * Test     tests/explain/cluster/means_test.c
 * Silent   Time grows with the number of rows, which an analyst must not be shown.
 */
#include "explain/cluster/means.h"
#include <math.h>
#include <string.h>

/* A number's sums begin at the code top / 2 (means.c), the middle or half a step below it. */
double jali_means_origin(const jali_geometry *geometry, size_t axis)
{
    const jali_dimension *d = &geometry->dimension[axis];
    if (d->one_hot || d->domain < 3) return 0;
    uint64_t top = d->domain - 2;
    return d->width * (double)(top / 2) / (double)top;
}

void jali_means_centre(const jali_geometry *geometry, const double *sum, double size,
                       double *centre)
{
    for (size_t j = 0; j < geometry->n; j++) {
        double at = jali_means_origin(geometry, j) + sum[j] / fmax(size, 1);
        centre[j] = fmin(fmax(at, 0), geometry->dimension[j].width);
    }
}

jali_status jali_means_partition(const jali_geometry *geometry, const double *centre, size_t k,
                                 jali_arena *arena, jali_partition *out, jali_err *err)
{
    jali_frame frame;
    size_t axes = geometry->n;
    uint16_t *at = jali_arena_take(arena, k * axes, sizeof *at);
    if (at == NULL) return jali_fail_memory(err);
    JALI_TRY(jali_frame_make(&frame, geometry, NULL, NULL, arena, err));
    for (size_t i = 0; i < k * axes; i++) {
        double x = round(jali_frame_in(&frame, i % axes, centre[i]));
        at[i] = (uint16_t)fmin(fmax(x, 0), frame.axis[i % axes].top);
    }
    return jali_partition_centres(out, &frame, at, (uint32_t)k, arena, err);
}

/* What the rounded centre of the partition says, so that readers see one truth. */
static jali_status centres_of(const jali_geometry *geometry, const jali_partition *p,
                              jali_arena *arena, const double **out, jali_err *err)
{
    jali_frame frame;
    double *centre = jali_arena_take(arena, p->labels * p->axes, sizeof *centre);
    if (centre == NULL) return jali_fail_memory(err);
    JALI_TRY(jali_frame_make(&frame, geometry, NULL, NULL, arena, err));
    for (size_t i = 0; i < p->labels * p->axes; i++)
        centre[i] = jali_frame_out(&frame, i % p->axes, p->centre[i]);
    *out = centre;
    return JALI_OK;
}

jali_status jali_spread_take(const jali_cluster_run *run, size_t k, jali_spread *out,
                             jali_err *err)
{
    size_t axes = run->ask->geometry->n;
    out->label = jali_arena_take(run->arena, k, sizeof *out->label);
    out->axis = jali_arena_take(run->arena, axes, sizeof *out->axis);
    return out->label != NULL && out->axis != NULL ? JALI_OK : jali_fail_memory(err);
}

double jali_spread_axes(const double *sum, size_t axes, jali_spread *spread)
{
    double most = 0;
    for (size_t j = 0; j < axes; j++) most = fmax(most, sum[j]);
    for (size_t j = 0; j < axes; j++) spread->axis[j] = most > 0 ? sum[j] / most : 0;
    return most;
}

jali_status jali_means_finish(const jali_cluster_run *run, const double *centre,
                              const jali_spread *spread, size_t k, uint64_t size_pico,
                              jali_clustering *out, jali_err *err)
{
    const jali_geometry *geometry = run->ask->geometry;
    jali_label label;
    jali_means means = { 0 };
    JALI_TRY(jali_means_partition(geometry, centre, k, run->arena, &out->partition, err));
    JALI_TRY(centres_of(geometry, &out->partition, run->arena, &out->centre, err));
    out->centre_spread = spread == NULL ? NULL : spread->label;
    out->axis_spread = spread == NULL ? NULL : spread->axis;
    if (size_pico == 0) return JALI_OK;
    JALI_TRY(jali_partition_label(&out->partition, run->arena, &label, err));
    JALI_TRY(jali_means_measure(run, &label, size_pico, 0, run->arena, &means, err));
    out->size = means.size;
    out->size_law = run->ask->law;
    out->size_scale = means.size_scale;
    return JALI_OK;
}

/* ---- a step ------------------------------------------------------------------------------ */

static const double typical = 0.225; /* of a cluster's extent, in a box from -1 to 1 (Su) */

/* A count gets c parts where the d coordinates get one each. */
double jali_means_size_part(const jali_cluster_ask *ask)
{
    double d = (double)ask->geometry->n;
    return ask->law == JALI_LAW_GAUSS ? 2 * typical * sqrt(d) : cbrt(4 * d * typical * typical);
}

static void move(const jali_geometry *g, const jali_means *means, size_t k, double *centre,
                 jali_spread *spread)
{
    double most = spread == NULL ? 0 : jali_spread_axes(means->spread, g->n, spread);
    for (size_t c = 0; c < k; c++) {
        double size = (double)means->size[c];
        if (size < 1) continue;
        jali_means_centre(g, means->sum + c * g->n, size, centre + c * g->n);
        if (spread != NULL) spread->label[c] = most / size;
    }
}

jali_status jali_means_step(const jali_cluster_run *run, uint64_t size_pico, uint64_t sum_pico,
                            double *centre, size_t k, jali_spread *spread, jali_err *err)
{
    const jali_geometry *g = run->ask->geometry;
    jali_arena scratch = JALI_ARENA_INIT;
    jali_partition nearest;
    jali_label label;
    jali_means means;
    jali_status status = jali_means_partition(g, centre, k, &scratch, &nearest, err);
    if (status == JALI_OK) status = jali_partition_label(&nearest, &scratch, &label, err);
    if (status == JALI_OK)
        status = jali_means_measure(run, &label, size_pico, sum_pico, &scratch, &means, err);
    if (status == JALI_OK) move(g, &means, k, centre, spread);
    jali_arena_clear(&scratch);
    return status;
}

jali_status jali_means_rows(const jali_cluster_run *run, uint64_t pico, int64_t *rows,
                            jali_err *err)
{
    jali_label whole = { .labels = 1 };
    jali_means means;
    JALI_TRY(jali_means_measure(run, &whole, pico, 0, run->arena, &means, err));
    *rows = means.size[0];
    return JALI_OK;
}

jali_status jali_means_shares(const jali_cluster_ask *ask, jali_err *err)
{
    static const char *const names[] = {
        "count", "sizes", "centre", "cover", "proxies", "step"
    };
    double sum = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (jali_cluster_word(ask, names[i]) == NULL) continue;
        double share = jali_cluster_number(ask, names[i]);
        bool none = share == 0 && strcmp(names[i], "step") == 0; /* it may be left away */
        if (!none && !(share > 0 && share < 1))
            return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                             "%s is a share of the budget, above 0 and below 1, not %.40s",
                             names[i], jali_cluster_word(ask, names[i]));
        sum += share;
    }
    if (sum > 0.95)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "the shares leave less than 0.05 of the budget for the method itself");
    return JALI_OK;
}
