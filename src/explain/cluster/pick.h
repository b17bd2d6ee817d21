/* explain/cluster/pick.h — how many clusters: released points, merged as far as it pays. */
#ifndef JALI_EXPLAIN_CLUSTER_PICK_H
#define JALI_EXPLAIN_CLUSTER_PICK_H

#include "explain/cluster/kmeans.h"
#include <jansson.h>

/* Weighted k-means of the points to k, `starts` times. Centres in the arena. */
JALI_MUST_USE jali_status jali_pick_merge(const jali_points *points, size_t k, unsigned starts,
                                          uint64_t seed, jali_arena *arena, double **centre,
                                          jali_err *err);

/* The k of the highest silhouette, its centres, and the curve: [[k, silhouette], ...], a new
 * reference. `blur` is a length that points are known within: it stops each point from being
 * its own best cluster. */
JALI_MUST_USE jali_status jali_pick_k(const jali_points *points, double blur, uint64_t seed,
                                      jali_arena *arena, size_t *k, double **centre,
                                      json_t **curve, jali_err *err);

#endif
