/* explain/contrast/error.c — how far a cost, or a difference of two, may be from the truth.
 *
 * No claim: a function of released numbers and one's own point.
 * Source   research/contrast.md 2.3: noise alone covers only .33 to .89, so the error adds
 * where in its cell the mass may lie (kappa^2 = .3), that points are a sample, that weights
 *          were made non-negative, and what the solver may miss. We look at 2^dims places of a
 *          cell instead of 9: exact for a linear function, and half of the work.
 */
#include "explain/contrast/error.h"
#include <math.h>

static const double kappa_squared = 0.3;

static jali_status place(jali_gauges *g, jali_arena *arena, jali_err *err)
{
    const jali_weights *w = g->weights;
    const float gauss = 0.57735027f; /* 1/sqrt 3 */
    JALI_TRY(jali_cloud_new(&g->at, g->n * g->each, w->cloud.squared, arena, err));
    for (size_t i = 0; i < w->n; i++)
        for (size_t j = 0; j < g->each; j++)
            for (unsigned a = 0; a < w->ground->dims; a++) {
                const jali_plot *c = &w->cell[i];
                g->at.x[a][j * g->n + i] =
                    c->mean[a] + (j >> a & 1 ? gauss : -gauss) * c->reach[a];
            }
    return JALI_OK;
}

jali_status jali_gauges_new(jali_gauges *out, const jali_weights *weights, double row,
                            const jali_spot *base, size_t k, jali_arena *arena, jali_err *err)
{
    jali_gauges g = { .weights = weights, .each = (size_t)1 << weights->ground->dims };
    g.row = row;
    g.n = (weights->n + JALI_CLOUD_LANES - 1) / JALI_CLOUD_LANES * JALI_CLOUD_LANES;
    JALI_TRY(place(&g, arena, err));
    g.base = jali_arena_take(arena, g.at.n, sizeof *g.base);
    if (g.base == NULL) return jali_fail_memory(err);
    jali_cloud_near(&g.at, base, k, g.base, NULL);
    *out = g;
    return JALI_OK;
}

/* The noise of a part whose cells were reconciled with its count. */
static double part_noise(const jali_weights *w, double q, double sum, double squares)
{
    double mean = sum / q;
    double inside = w->cell_variance * (squares - q * mean * mean);
    return (inside > 0 ? inside : 0) +
           sum * sum / (q * q) / (1 / w->part_variance + 1 / (q * w->cell_variance));
}

jali_gauge jali_gauges_read(const jali_gauges *g, const float *d, const float *minus,
                            float *scratch)
{
    const jali_weights *w = g->weights;
    jali_gauge out = { 0 };
    float *means = scratch, *variances = scratch + g->n;
    jali_cloud_moments(d, minus, g->n, g->each, means, variances);
    for (size_t j = 0; j < w->n_parts; j++) {
        double sum = 0, squares = 0;
        for (size_t i = w->first[j]; i < w->first[j + 1]; i++) {
            const jali_plot *c = &w->cell[i];
            double mean = (double)means[i], variance = (double)variances[i];
            sum += mean;
            squares += mean * mean;
            out.by_w += c->w * mean;
            out.by_raw += c->raw * mean;
            out.placement += c->w * c->w * variance;
            out.sampling += c->w * g->row * variance;
        }
        size_t q = w->first[j + 1] - w->first[j];
        if (q > 0) out.noise += part_noise(w, (double)q, sum, squares);
    }
    return out;
}

double jali_gauge_error(const jali_gauge *g, double floor)
{
    double bias = g->by_w - g->by_raw;
    return sqrt(g->noise + kappa_squared * g->placement + g->sampling + bias * bias +
                floor * floor);
}

double jali_placement_share(void)
{
    return sqrt(kappa_squared);
}
