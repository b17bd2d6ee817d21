/* eval/lab.h — clusterings that are not private, for vaults that are public by declaration.
 *
 * They look at rows and give back parameters of a function of one record, like every other
 * clustering. Nothing here may touch a vault with somebody to protect: door/ refuses it.
 */
#ifndef JALI_EVAL_LAB_H
#define JALI_EVAL_LAB_H

#include "explain/cluster/kmeans.h"

/* Round clusters along the axes: argmax of offset - sum_j (x_j - mean_j)^2 * sharp_j, where
 * offset = ln share + 1/2 sum_j ln(2 sharp_j) and sharp = 1 / (2 variance). */
typedef struct jali_gmm {
    size_t k, d;
    double *mean, *sharp, *offset;
    double fit; /* mean log-likelihood of a row, without the constant */
} jali_gmm;

/* Expectation and maximisation from one k-means start, at most `rounds` times. A variance is
 * never below `floor` (public: a share of the box), so that no cluster closes on one point. */
JALI_MUST_USE jali_status jali_gmm_fit(const jali_points *points, size_t k, unsigned rounds,
                                       double floor, uint64_t seed, jali_arena *arena,
                                       jali_gmm *out, jali_err *err);
uint32_t jali_gmm_label(const jali_gmm *gmm, const double *x);

/* Ward's tree of at most `most` sampled points, cut at k: the means of its k parts, from which
 * every other record takes the nearest. */
JALI_MUST_USE jali_status jali_agglomerate(const jali_points *points, size_t k, size_t most,
                                           uint64_t seed, jali_arena *arena, double **centre,
                                           size_t *n_centres, jali_err *err);

/* n records of d codes each; the best of `starts`, each at most `rounds` times. Modes are k * d
 * codes; cost is the number of cells that differ from their record's mode. */
typedef struct jali_records {
    size_t n, d;
    const uint32_t *at;
    const uint64_t *domain;
} jali_records;

JALI_MUST_USE jali_status jali_kmodes_run(const jali_kmeans *how, const jali_records *records,
                                          jali_arena *arena, uint32_t **mode, double *cost,
                                          jali_err *err);

#endif
