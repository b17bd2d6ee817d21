/* explain/contrast/weigh.h — from a coreset's noisy counts to weights and points.
 *
 * Positions are in box units: the longest side of the public box is 1. Each cell keeps two
 * weights: `raw`, signed and unbiased, for costs that are reported, and `w`, not negative, for
 * finding centres.
 */
#ifndef JALI_EXPLAIN_CONTRAST_WEIGH_H
#define JALI_EXPLAIN_CONTRAST_WEIGH_H

#include "explain/contrast/cloud.h"
#include "mech/coreset.h"

/* Where fine cell f of an axis begins: origin + f * step, in the units of the columns. */
typedef struct jali_ground {
    unsigned dims;
    double origin[JALI_SPACE], step[JALI_SPACE];
    double length; /* of a box unit, in the units of the columns */
} jali_ground;

typedef struct jali_plot {
    float centre[JALI_SPACE], half[JALI_SPACE]; /* box units */
    float mean[JALI_SPACE], reach[JALI_SPACE]; /* an even box with the mass's guessed moments */
    double raw, w;
    size_t part;
} jali_plot;

typedef struct jali_weights {
    const jali_ground *ground;
    size_t n, n_parts;
    jali_plot *cell;
    size_t *first;        /* of each part; n_parts + 1 of them                    */
    double total;         /* sum of raw                                           */
    double part_variance; /* of the noise of a part's count and of a cell's       */
    double cell_variance;
    unsigned spread; /* points of the cloud along each side of a cell        */
    jali_cloud cloud;
} jali_weights;

/* Variance of discrete Laplace of that scale, or of the Gaussian. */
double jali_law_variance(jali_law law, double scale);

/* Least squares between parts and cells, then Norm-Sub over parts and inside each. */
JALI_MUST_USE jali_status jali_weigh(jali_weights *out, const jali_coreset *coreset,
                                     const jali_ground *ground, bool squared, jali_arena *arena,
                                     jali_err *err);

/* x[i] becomes max(x[i] - t, 0) with t such that they sum to `target` >= 0; all equal if they
 * cannot. `order` has room for n. */
void jali_norm_sub(double *x, size_t n, double target, double *order);

jali_spot jali_ground_spot(const jali_ground *ground, const double *at);

#endif
