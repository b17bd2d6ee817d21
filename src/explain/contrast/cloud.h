/* explain/contrast/cloud.h — weighted points, and the loops that look at all of them.
 *
 * Points are made of released numbers, so floats may do the work. Arrays are padded to whole
 * vectors with points of weight 0. Sums run over fixed lanes in a fixed order: the same cloud
 * gives the same bits whatever else was asked before.
 */
#ifndef JALI_EXPLAIN_CONTRAST_CLOUD_H
#define JALI_EXPLAIN_CONTRAST_CLOUD_H

#include "base/arena.h"
#include "base/err.h"

enum { JALI_SPACE = 3, JALI_CLOUD_LANES = 8, JALI_CENTRES_MOST = 64 };

typedef struct jali_spot {
    float at[JALI_SPACE]; /* unused axes are 0 */
} jali_spot;

typedef struct jali_cloud {
    size_t n;     /* with padding, a multiple of JALI_CLOUD_LANES */
    size_t real;  /* without                                       */
    bool squared; /* k-means: squared distances; else distances    */
    float *x[JALI_SPACE];
    float *w;
} jali_cloud;

/* Room for n points, all of weight 0. */
JALI_MUST_USE jali_status jali_cloud_new(jali_cloud *out, size_t n, bool squared,
                                         jali_arena *arena, jali_err *err);

/* d[q] = distance (squared, if so) of point q to the nearest of k >= 1 centres, who[q] which
 * one, the first of equals; returns sum w d. d and who have cloud->n places; who may be NULL.
 */
double jali_cloud_near(const jali_cloud *cloud, const jali_spot *centre, size_t k, float *d,
                       int32_t *who);

/* For each of k centres the sums of w x, w y, w z and w over its points (4 numbers a centre),
 * with w / (d + floor) instead of w if the cloud is one of distances. */
void jali_cloud_pull(const jali_cloud *cloud, const float *d, const int32_t *who, size_t k,
                     float floor, double *sum);

/* sum w min(a, b), and sum min(0, w a - u). */
double jali_cloud_least(const jali_cloud *cloud, const float *a, const float *b);
double jali_cloud_below(const float *w, const float *a, const float *u, size_t n);

/* Mean and variance of d - minus (NULL: of d) over `each` blocks of n, a multiple of the lanes,
 * place by place. */
void jali_cloud_moments(const float *d, const float *minus, size_t n, size_t each, float *mean,
                        float *variance);

#endif
