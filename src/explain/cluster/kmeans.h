/* explain/cluster/kmeans.h — weighted k-means on points that may be shown to anyone. */
#ifndef JALI_EXPLAIN_CLUSTER_KMEANS_H
#define JALI_EXPLAIN_CLUSTER_KMEANS_H

#include "base/arena.h"
#include "base/err.h"
#include "base/pool.h"

/* n points of d numbers each, row by row; weight NULL: all 1. Weights are not negative. */
typedef struct jali_points {
    size_t n, d;
    const double *at;
    const double *weight;
} jali_points;

typedef struct jali_kmeans {
    size_t k;
    unsigned starts; /* the best of so many is kept                   */
    unsigned rounds; /* Lloyd steps of one start, at most             */
    uint64_t seed;
} jali_kmeans;

/* Centres (k * d, in the arena) and their cost, the weighted sum of squared distances. With
 * fewer distinct points than centres some centres coincide. n = 0 gives centres at 0. */
JALI_MUST_USE jali_status jali_kmeans_run(const jali_kmeans *how, const jali_points *points,
                                          jali_pool *pool, jali_arena *arena, double **centre,
                                          double *cost, jali_err *err);

/* For each point its nearest of k centres (the lowest index among equals) and the square of
 * the distance; either may be NULL. */
JALI_MUST_USE jali_status jali_points_nearest(const jali_points *points, const double *centre,
                                              size_t k, jali_pool *pool, uint32_t *nearest,
                                              double *square, jali_err *err);

#endif
