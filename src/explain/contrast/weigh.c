/* explain/contrast/weigh.c — from a coreset's noisy counts to weights and points.
 *
 * No claim: a function of released numbers.
 * Source   research/contrast.md 0 and 1.3: constrained inference between a part and its cells
 *          (Hay, Rastogi, Miklau, Suciu, VLDB 2010), Norm-Sub inside each part and not over all
 *          cells, where half of the noise of empty cells would survive; cells spread over
 *          sub-points, so that centres do not stick to cell centres.
 */
#include "explain/contrast/lean.h"
#include <math.h>
#include <stdlib.h>

double jali_law_variance(jali_law law, double scale)
{
    const double least = 1e-9; /* weights are divided by it */
    if (law == JALI_LAW_GAUSS) return fmax(scale * scale, least);
    double p = exp(-1 / scale), q = -expm1(-1 / scale);
    return fmax(2 * p / (q * q), least);
}

static int falling(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x > y ? -1 : x < y;
}

void jali_norm_sub(double *x, size_t n, double target, double *order)
{
    double sum = 0, off = 0;
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) order[i] = x[i];
    qsort(order, n, sizeof *order, falling);
    for (size_t i = 0; i < n; i++) {
        sum += order[i];
        double t = (sum - target) / (double)(i + 1);
        if (i > 0 && order[i] <= t) break;
        off = t;
        kept = i + 1;
    }
    for (size_t i = 0; i < n && kept > 0; i++) x[i] = x[i] > off ? x[i] - off : 0;
}

jali_spot jali_ground_spot(const jali_ground *ground, const double *at)
{
    jali_spot s = { { 0 } };
    for (unsigned a = 0; a < ground->dims; a++)
        s.at[a] = (float)((at[a] - ground->origin[a]) / ground->length);
    return s;
}

/* ---- geometry --------------------------------------------------------------------------- */

static void place_cell(const jali_ground *f, const jali_coreset_part *p, size_t i,
                       jali_plot *out)
{
    uint32_t k[JALI_SPACE] = { (uint32_t)(i / p->grid[2] / p->grid[1]),
                               (uint32_t)(i / p->grid[2] % p->grid[1]),
                               (uint32_t)(i % p->grid[2]) };
    for (unsigned a = 0; a < f->dims; a++) {
        double step = f->step[a] / f->length;
        double lo = step * jali_coreset_border(p->lo[a], p->hi[a], p->grid[a], k[a]);
        double hi = step * jali_coreset_border(p->lo[a], p->hi[a], p->grid[a], k[a] + 1);
        out->centre[a] = (float)((lo + hi) / 2);
        out->half[a] = (float)((hi - lo) / 2);
        out->mean[a] = out->centre[a];
        out->reach[a] = out->half[a];
    }
}

static size_t cells_of(const jali_coreset_part *p)
{
    return (size_t)p->grid[0] * p->grid[1] * p->grid[2];
}

/* ---- weights ---------------------------------------------------------------------------- */

/* The part's own count and the sum of its cells are two opinions of one number. */
static double reconcile(jali_weights *w, const jali_coreset *c, size_t j)
{
    const jali_coreset_part *p = &c->part[j];
    size_t q = cells_of(p);
    double sum = 0, trust = 1 / w->part_variance, other = 1 / ((double)q * w->cell_variance);
    for (size_t i = 0; i < q; i++) sum += (double)c->cell[p->first + i];
    double best = ((double)p->count * trust + sum * other) / (trust + other);
    for (size_t i = 0; i < q; i++)
        w->cell[p->first + i].raw = (double)c->cell[p->first + i] + (best - sum) / (double)q;
    return best;
}

/* A part of less than one unit is too little to tell its cells apart. */
static void share_out(jali_weights *w, const jali_coreset *c, size_t j, double total, double *x,
                      double *order)
{
    const jali_coreset_part *p = &c->part[j];
    size_t q = cells_of(p);
    for (size_t i = 0; i < q; i++) x[i] = total > 1 ? w->cell[p->first + i].raw : 1;
    jali_norm_sub(x, q, total, order);
    for (size_t i = 0; i < q; i++) w->cell[p->first + i].w = x[i];
}

static jali_status find_weights(jali_weights *w, const jali_coreset *c, jali_err *err)
{
    size_t room = c->n > c->n_cells ? c->n : c->n_cells;
    double *total = malloc(3 * (room + 1) * sizeof *total);
    if (total == NULL) return jali_fail_memory(err);
    double *x = total + room + 1, *order = x + room + 1;
    for (size_t j = 0; j < c->n; j++) {
        total[j] = reconcile(w, c, j);
        w->total += total[j];
    }
    jali_norm_sub(total, c->n, w->total > 1 ? w->total : 1, order);
    for (size_t j = 0; j < c->n; j++) share_out(w, c, j, total[j], x, order);
    free(total);
    return JALI_OK;
}

/* ---- points ----------------------------------------------------------------------------- */

static unsigned choose_spread(const jali_weights *w)
{
    size_t seen = 0, three = 1, two = 1;
    for (size_t i = 0; i < w->n; i++) seen += w->cell[i].w > 0;
    for (unsigned a = 0; a < w->ground->dims; a++) {
        three *= 3;
        two *= 2;
    }
    return three * seen <= 2000 ? 3 : two * seen <= 2400 ? 2 : 1;
}

static void spread_cell(jali_weights *w, const jali_plot *c, size_t each, size_t *at)
{
    unsigned s = w->spread;
    for (size_t i = 0; i < each; i++) {
        size_t rest = i;
        for (unsigned a = 0; a < w->ground->dims; a++) {
            float place = (float)(2 * (rest % s) + 1) / (float)s - 1;
            w->cloud.x[a][*at] = c->mean[a] + c->reach[a] * place;
            rest /= s;
        }
        w->cloud.w[*at] = (float)(c->w / (double)each);
        (*at)++;
    }
}

static jali_status make_points(jali_weights *w, bool squared, jali_arena *arena, jali_err *err)
{
    size_t seen = 0, each = 1, at = 0;
    w->spread = choose_spread(w);
    for (unsigned a = 0; a < w->ground->dims; a++) each *= w->spread;
    for (size_t i = 0; i < w->n; i++) seen += w->cell[i].w > 0;
    JALI_TRY(jali_cloud_new(&w->cloud, seen * each, squared, arena, err));
    for (size_t i = 0; i < w->n; i++)
        if (w->cell[i].w > 0) spread_cell(w, &w->cell[i], each, &at);
    return JALI_OK;
}

jali_status jali_weigh(jali_weights *out, const jali_coreset *coreset,
                       const jali_ground *ground, bool squared, jali_arena *arena,
                       jali_err *err)
{
    jali_weights w = { .ground = ground,
                       .n = coreset->n_cells,
                       .n_parts = coreset->n,
                       .part_variance = jali_law_variance(coreset->law, coreset->part_scale),
                       .cell_variance = jali_law_variance(coreset->law, coreset->cell_scale) };
    w.cell = jali_arena_take(arena, w.n + 1, sizeof *w.cell);
    w.first = jali_arena_take(arena, w.n_parts + 1, sizeof *w.first);
    if (w.cell == NULL || w.first == NULL) return jali_fail_memory(err);
    for (size_t j = 0; j < coreset->n; j++) {
        const jali_coreset_part *p = &coreset->part[j];
        w.first[j] = p->first;
        for (size_t i = 0; i < cells_of(p); i++) {
            w.cell[p->first + i].part = j;
            place_cell(ground, p, i, &w.cell[p->first + i]);
        }
    }
    w.first[w.n_parts] = w.n;
    JALI_TRY(find_weights(&w, coreset, err));
    JALI_TRY(jali_lean(w.cell, coreset, err));
    JALI_TRY(make_points(&w, squared, arena, err));
    *out = w;
    return JALI_OK;
}
