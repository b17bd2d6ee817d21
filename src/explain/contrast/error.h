/* explain/contrast/error.h — how far a cost, or a difference of two, may be from the truth. */
#ifndef JALI_EXPLAIN_CONTRAST_ERROR_H
#define JALI_EXPLAIN_CONTRAST_ERROR_H

#include "explain/contrast/weigh.h"

/* Every cell seen at 2^dims places (Gauss's), which give the mean and the variance of a smooth
 * function over it. */
typedef struct jali_gauges {
    const jali_weights *weights;
    size_t n, each; /* cells with padding; 2^dims places of each, block after block */
    jali_cloud at;
    double row;  /* most that one row weighs: sampling is by rows */
    float *base; /* distances to the base centres          */
} jali_gauges;

JALI_MUST_USE jali_status jali_gauges_new(jali_gauges *out, const jali_weights *weights,
                                          double row, const jali_spot *base, size_t k,
                                          jali_arena *arena, jali_err *err);

typedef struct jali_gauge {
    double by_w, by_raw; /* the sum over cells with both weights     */
    double noise, placement, sampling;
} jali_gauge;

/* Of sum w (d - minus), distances d at all places; `minus` may be NULL. `scratch` has room for
 * 2 n. */
jali_gauge jali_gauges_read(const jali_gauges *g, const float *d, const float *minus,
                            float *scratch);

/* How far a cell's mass may lean to one side, in standard deviations of an even cell. */
double jali_placement_share(void);

/* Standard error of what was read. `floor` is for what no cell knows: what the solver may have
 * missed, or that mass leans to one side in all cells. */
double jali_gauge_error(const jali_gauge *g, double floor);

#endif
