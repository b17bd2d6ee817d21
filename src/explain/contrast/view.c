/* explain/contrast/view.c — a stored plan, opened for questions, in the units of its columns.
 *
 * No claim: a function of the release and of one's own point (contrast.exclusive).
 */
#include "explain/contrast/view.h"
#include <math.h>

/* Of the coreset's budget, what goes to the cells (mech/coreset.c). */
static const double cells_share = 0.686;

/* How much of a cost may be an illusion of cells whose mass leans to the centre, by dimensions:
 * measured on heaps (docs/contrast.md). It cancels in differences. */
static const double leaning[] = { 0, 0.005, 0.005, 0.02 };

/* The plan's own cost, by signed weights: they are unbiased. */
static jali_status find_cost(jali_view *v, jali_arena *arena, jali_err *err)
{
    const jali_contrast_release *r = &v->release;
    jali_gauges g;
    double row = r->row / r->unit;
    JALI_TRY(jali_gauges_new(&g, &v->weights, row, r->base, r->ask.centres, arena, err));
    float *scratch = jali_arena_take(arena, 2 * g.n, sizeof *scratch);
    if (scratch == NULL) return jali_fail_memory(err);
    jali_gauge gauge = jali_gauges_read(&g, g.base, NULL, scratch);
    v->cost = fmax(0, gauge.by_raw) * v->scale;
    v->cost_error =
        jali_gauge_error(&gauge, leaning[v->release.ground.dims] * gauge.by_w) * v->scale;
    return JALI_OK;
}

static jali_status find_served(jali_view *v, jali_arena *arena, jali_err *err)
{
    const jali_cloud *c = &v->weights.cloud;
    size_t k = v->release.ask.centres;
    float *d = jali_arena_take(arena, c->n, sizeof *d);
    int32_t *who = jali_arena_take(arena, c->n, sizeof *who);
    v->served = jali_arena_take(arena, k, sizeof *v->served);
    if (d == NULL || who == NULL || v->served == NULL) return jali_fail_memory(err);
    jali_cloud_near(c, v->release.base, k, d, who);
    for (size_t q = 0; q < c->real; q++) v->served[who[q]] += (double)c->w[q] * v->release.unit;
    return JALI_OK;
}

static size_t nearest(const jali_view *v, const jali_plot *cell)
{
    size_t best = 0;
    float least = INFINITY;
    for (size_t k = 0; k < v->release.ask.centres; k++) {
        float d = 0;
        for (unsigned a = 0; a < v->release.ground.dims; a++) {
            float by = cell->centre[a] - v->release.base[k].at[a];
            d += by * by;
        }
        if (d < least) {
            least = d;
            best = k;
        }
    }
    return best;
}

/* A part that one centre serves whole is known by its own count and by the sum of its cells,
 * weighed together; of a part that is divided only the cells are. */
static jali_status find_served_error(jali_view *v, jali_arena *arena, jali_err *err)
{
    const jali_weights *w = &v->weights;
    size_t k = v->release.ask.centres;
    double *error = v->served_error = jali_arena_take(arena, k, sizeof *error);
    if (error == NULL) return jali_fail_memory(err);
    for (size_t p = 0; p < w->n_parts; p++) {
        size_t first = w->first[p], end = w->first[p + 1], one = nearest(v, &w->cell[first]);
        bool whole = true;
        for (size_t i = first; i < end; i++) whole = whole && nearest(v, &w->cell[i]) == one;
        double cells = (double)(end - first) * w->cell_variance;
        if (whole)
            error[one] += w->part_variance * cells / (w->part_variance + cells);
        else
            for (size_t i = first; i < end; i++)
                error[nearest(v, &w->cell[i])] += w->cell_variance;
    }
    for (size_t c = 0; c < k; c++) error[c] = sqrt(error[c]) * v->release.unit;
    return JALI_OK;
}

jali_status jali_view_open(jali_view *out, const char *body, size_t n, bool questions,
                           jali_pool *threads, jali_arena *arena, jali_err *err)
{
    JALI_TRY(jali_contrast_read(&out->release, body, n, arena, err));
    const jali_contrast_release *r = &out->release;
    const jali_coreset *c = &r->coreset;
    out->centre_error = NULL;
    JALI_TRY(jali_weigh(&out->weights, c, &r->ground, r->ask.squared, arena, err));
    out->scale =
        r->unit * (r->ask.squared ? r->ground.length * r->ground.length : r->ground.length);
    double noise = c->law == JALI_LAW_GAUSS ? c->cell_scale / sqrt(2) : c->cell_scale;
    out->strength = fmax(0, out->weights.total) / (noise * cells_share);
    JALI_TRY(find_cost(out, arena, err));
    JALI_TRY(find_served(out, arena, err));
    JALI_TRY(find_served_error(out, arena, err));
    if (!questions) return JALI_OK;
    return jali_nodes_new(&out->nodes, &out->weights, r->base, r->ask.centres, r->row / r->unit,
                          jali_contrast_stream(c), threads, arena, err);
}

bool jali_view_inside(const jali_view *view, const double *at)
{
    const jali_contrast_release *r = &view->release;
    double seen[JALI_SPACE];
    if (r->project.n > 0) jali_project_point(&r->project, at, seen);
    jali_spot s = jali_ground_spot(&r->ground, r->project.n > 0 ? seen : at);
    for (unsigned a = 0; a < r->ground.dims; a++) {
        float from = INFINITY, to = -INFINITY;
        for (size_t i = 0; i < view->weights.n; i++) {
            const jali_plot *c = &view->weights.cell[i];
            from = fminf(from, c->centre[a] - c->half[a]);
            to = fmaxf(to, c->centre[a] + c->half[a]);
        }
        if (!(s.at[a] >= from && s.at[a] <= to)) return false;
    }
    return true;
}

jali_status jali_view_asker(const jali_view *view, jali_asker *out, jali_arena *arena,
                            jali_err *err)
{
    return jali_asker_new(out, &view->nodes, arena, err);
}

jali_contrast_answer jali_view_ask(const jali_view *view, jali_asker *asker, const double *at,
                                   bool with_error)
{
    const jali_contrast_release *r = &view->release;
    double seen[JALI_SPACE];
    if (r->project.n > 0) jali_project_point(&r->project, at, seen);
    jali_spot spot = jali_ground_spot(&r->ground, r->project.n > 0 ? seen : at);
    jali_contrast_answer a = jali_nodes_ask(&view->nodes, asker, spot, with_error, NULL);
    a.cost *= view->scale;
    a.extra *= view->scale;
    a.error *= view->scale;
    a.lower *= view->scale;
    a.upper *= view->scale;
    return a;
}
