/* explain/cluster/means.h — sizes and centred sums of clusters, with noise, for any label.
 *
 * What Lloyd steps, coresets and proxies have in common: each record of the public box adds its
 * offset from the middle of the box to its label, along every axis, and noise follows the box.
 */
#ifndef JALI_EXPLAIN_CLUSTER_MEANS_H
#define JALI_EXPLAIN_CLUSTER_MEANS_H

#include "explain/cluster/cluster.h"

/* All in the measure of the geometry; labels first. */
typedef struct jali_means {
    const int64_t *size;  /* NULL: not asked for                                   */
    double size_scale;    /* of the noise's law                                    */
    double *sum;          /* labels * axes: offsets from the middle; NULL: likewise */
    const double *spread; /* axes: standard deviation of the noise of a sum         */
} jali_means;

/* How far noise moved centres: `label[l] * axis[j]` is the standard deviation of coordinate j
 * of centre l. Axes differ if their widths do, the noisiest has 1. */
typedef struct jali_spread {
    double *label, *axis;
} jali_spread;

/* Spends size_pico on the sizes and sum_pico on the sums, each in grains of the ask's law; 0:
 * not asked for. A label without a function stands for all rows. Everything lives in the arena.
 */
JALI_MUST_USE jali_status jali_means_measure(const jali_cluster_run *run,
                                             const jali_label *label, uint64_t size_pico,
                                             uint64_t sum_pico, jali_arena *arena,
                                             jali_means *out, jali_err *err);

/* Could jali_means_measure be asked for so many labels and so small a part? From public facts,
 * before paying. */
JALI_MUST_USE jali_status jali_means_check(const jali_cluster_ask *ask, uint64_t labels,
                                           uint64_t sum_pico, jali_err *err);

/* Are the shares that a method's parameters name (count, sizes, centre, cover, proxies)
 * positive, and is something left beside them? */
JALI_MUST_USE jali_status jali_means_shares(const jali_cluster_ask *ask, jali_err *err);

/* The place that sums are counted from: the middle of a number, "no" for a category's value. */
double jali_means_origin(const jali_geometry *geometry, size_t axis);

/* origin + sum / size (1 at least), cut to the box, for one label. */
void jali_means_centre(const jali_geometry *geometry, const double *sum, double size,
                       double *centre);

/* k spreads of 0. */
JALI_MUST_USE jali_status jali_spread_take(const jali_cluster_run *run, size_t k,
                                           jali_spread *out, jali_err *err);
/* spread->axis from the noise of sums, along one axis each; the noise of the noisiest one. */
double jali_spread_axes(const double *sum, size_t axes, jali_spread *spread);

/* What ends every method with centres: the function of the nearest of k centres (in the measure
 * of the geometry), their spread (NULL: not known), its sizes for size_pico, and the facts told
 * so far. */
JALI_MUST_USE jali_status jali_means_finish(const jali_cluster_run *run, const double *centre,
                                            const jali_spread *spread, size_t k,
                                            uint64_t size_pico, jali_clustering *out,
                                            jali_err *err);

/* The nearest of k centres as a partition of the public box. */
JALI_MUST_USE jali_status jali_means_partition(const jali_geometry *geometry,
                                               const double *centre, size_t k,
                                               jali_arena *arena, jali_partition *out,
                                               jali_err *err);

/* One k-means step: every centre goes to the noisy mean of what is nearest to it, or stays if
 * its noisy size is below 1. Spends size_pico + sum_pico. spread, or NULL: what noise did; a
 * centre that stays keeps its own. */
JALI_MUST_USE jali_status jali_means_step(const jali_cluster_run *run, uint64_t size_pico,
                                          uint64_t sum_pico, double *centre, size_t k,
                                          jali_spread *spread, jali_err *err);

/* The part of a step that its sizes should get (Su): c of c + d, in a box from -1 to 1. */
double jali_means_size_part(const jali_cluster_ask *ask);

/* n~: the number of rows, for `pico`. */
JALI_MUST_USE jali_status jali_means_rows(const jali_cluster_run *run, uint64_t pico,
                                          int64_t *rows, jali_err *err);

#endif
