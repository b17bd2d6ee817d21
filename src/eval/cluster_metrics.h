/* eval/cluster_metrics.h — how good a clustering is, measured on all rows of a public vault. */
#ifndef JALI_EVAL_CLUSTER_METRICS_H
#define JALI_EVAL_CLUSTER_METRICS_H

#include "explain/cluster/kmeans.h"

/* Distances between the points of a sample, kept: every clustering is measured on the same. */
typedef struct jali_silhouette {
    size_t n;
    const uint32_t *at;    /* indices of the points */
    const float *distance; /* n * n                 */
} jali_silhouette;

/* A sample of at most `most` points, without replacement, by `seed`. In the arena. */
JALI_MUST_USE jali_status jali_silhouette_init(jali_silhouette *out, const jali_points *points,
                                               size_t most, uint64_t seed, jali_pool *pool,
                                               jali_arena *arena, jali_err *err);

/* The mean of (b - a) / max(a, b) over the sample, a and b the mean distances to the own and to
 * the nearest other cluster; 0 for a point alone in its cluster, -1 when there is one label
 * only (Rousseeuw 1987; the -1 is DPM's). `label` is of all points, below `labels`. */
JALI_MUST_USE jali_status jali_silhouette_mean(const jali_silhouette *s, const uint32_t *label,
                                               size_t labels, jali_pool *pool, double *out,
                                               jali_err *err);

/* Shares of n rows whose class is the one of their cluster: `majority` lets several clusters
 * stand for one class (DPM, Definition 12; grows with the number of clusters), `matched` lets
 * each class have one cluster at most, in the best of all such matchings. */
typedef struct jali_accuracy {
    double majority, matched;
} jali_accuracy;

JALI_MUST_USE jali_status jali_accuracy_of(const uint32_t *label, size_t labels,
                                           const uint32_t *class_of, size_t classes, size_t n,
                                           jali_accuracy *out, jali_err *err);

/* The mean over the centres of `from` of the distance to the nearest of `to`: KMeans distance
 * as the published program computes it, before its division by the diagonal. */
double jali_centre_distance(const double *from, size_t n_from, const double *to, size_t n_to,
                            size_t d);

/* The largest total of n x n `gain` over all one-to-one assignments, and one that has it. */
JALI_MUST_USE jali_status jali_assignment_best(const double *gain, size_t n, uint32_t *column,
                                               double *total, jali_err *err);

#endif
