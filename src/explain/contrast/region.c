/* explain/contrast/region.c — how far a released centre may be from the one without noise.
 *
 * No claim: a function of the release. Nothing is drawn from dice/; the redraws are repeatable
 * variety (stream.h), so that the same release has the same intervals.
 *
 * A parametric bootstrap. The weights that the plan's centres were found on are taken for the
 * truth; to them the noise of the release is added anew, as its law and scales say, each cell's
 * mass is moved as far as error.c allows for not knowing where in its cell it lies, and
 * the centres are found again from where they are. How far they go, root mean square, is the
 * standard error. What it does not see: that the tree would have grown otherwise, and a
 * different set of centres that is nearly as good (docs/contrast.md has the coverage).
 */
#include "explain/contrast/region.h"
#include "explain/contrast/error.h"
#include "explain/contrast/stream.h"
#include <math.h>
#include <string.h>

enum { REDRAWS = 64, STEPS = 40 };

/* Of the law that the release names; whole numbers do not matter to a standard error. */
static double noise(jali_law law, double scale, uint64_t *stream)
{
    if (law == JALI_LAW_GAUSS) return scale * jali_next_normal(stream);
    double u = jali_next_unit(stream) - 0.5;
    return (u < 0 ? scale : -scale) * log1p(-2 * fabs(u));
}

/* The release as it might have been, if the weights are the truth. */
static void redraw(const jali_view *v, jali_coreset *out, uint64_t *stream)
{
    const jali_coreset *c = &v->release.coreset;
    const jali_weights *w = &v->weights;
    for (size_t j = 0; j < w->n_parts; j++) {
        double sum = 0;
        for (size_t i = w->first[j]; i < w->first[j + 1]; i++) {
            sum += w->cell[i].w;
            out->cell[i] =
                (int64_t)llround(w->cell[i].w + noise(c->law, c->cell_scale, stream));
        }
        out->part[j].count = (int64_t)llround(sum + noise(c->law, c->part_scale, stream));
    }
}

/* The points of a cell stand together in the cloud; they move together. */
static void shift(jali_weights *w, uint64_t *stream)
{
    size_t each = 1, at = 0;
    for (unsigned a = 0; a < w->ground->dims; a++) each *= w->spread;
    for (size_t i = 0; i < w->n; i++) {
        const jali_plot *c = &w->cell[i];
        if (!(c->w > 0)) continue;
        for (unsigned a = 0; a < w->ground->dims; a++) {
            double by = jali_placement_share() * (double)c->half[a] / sqrt(3);
            float move = (float)(by * jali_next_normal(stream));
            for (size_t q = at; q < at + each; q++) w->cloud.x[a][q] += move;
        }
        at += each;
    }
}

static jali_status one_redraw(const jali_view *v, jali_coreset *c, jali_spot *centre,
                              uint64_t *stream, jali_err *err)
{
    jali_arena scratch = JALI_ARENA_INIT;
    const jali_contrast_release *r = &v->release;
    jali_weights w;
    jali_solver solver;
    redraw(v, c, stream);
    jali_status status = jali_weigh(&w, c, &r->ground, r->ask.squared, &scratch, err);
    if (status == JALI_OK)
        status = jali_solver_new(&solver, &w.cloud, r->ask.centres, &scratch, err);
    if (status == JALI_OK) {
        shift(&w, stream);
        memcpy(centre, r->base, r->ask.centres * sizeof *centre);
        jali_descend(&solver, centre, false, STEPS);
    }
    jali_arena_clear(&scratch);
    return status;
}

jali_status jali_regions(const jali_view *v, jali_arena *arena, double **error, jali_err *err)
{
    const jali_contrast_release *r = &v->release;
    size_t k = r->ask.centres, dims = r->ground.dims;
    jali_coreset c = r->coreset;
    jali_spot centre[JALI_CENTRES_MOST];
    *error = NULL;
    if (r->project.n > 0) return JALI_OK;
    uint64_t stream = jali_contrast_stream(&r->coreset);
    double *sum = jali_arena_take(arena, k * dims, sizeof *sum);
    c.part = jali_arena_take(arena, c.n + 1, sizeof *c.part);
    c.cell = jali_arena_take(arena, c.n_cells + 1, sizeof *c.cell);
    if (sum == NULL || c.part == NULL || c.cell == NULL) return jali_fail_memory(err);
    memcpy(c.part, r->coreset.part, c.n * sizeof *c.part);
    for (int i = 0; i < REDRAWS; i++) {
        JALI_TRY(one_redraw(v, &c, centre, &stream, err));
        for (size_t j = 0; j < k * dims; j++) {
            double by =
                (double)(centre[j / dims].at[j % dims] - r->base[j / dims].at[j % dims]);
            sum[j] += by * by;
        }
    }
    for (size_t j = 0; j < k * dims; j++) sum[j] = sqrt(sum[j] / REDRAWS) * r->ground.length;
    *error = sum;
    return JALI_OK;
}
