/* explain/contrast/cloud.c — weighted points, and the loops that look at all of them.
 *
 * No claim: sums over points that a release has told already.
 */
#include "explain/contrast/cloud.h"
#include <math.h>
#include <string.h>

typedef float lanes __attribute__((vector_size(32)));
typedef int32_t masks __attribute__((vector_size(32)));

/* Wider registers where there are some. The order of the sums is written down below, so that
 * both versions give the same bits. Sanitizers do not survive the dispatcher. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                         \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

/* Floats are added up for this many points, then go on as doubles. */
enum { RUN = 512 };

jali_status jali_cloud_new(jali_cloud *out, size_t n, bool squared, jali_arena *arena,
                           jali_err *err)
{
    size_t padded = (n + JALI_CLOUD_LANES - 1) / JALI_CLOUD_LANES * JALI_CLOUD_LANES;
    if (padded == 0) padded = JALI_CLOUD_LANES;
    jali_cloud c = { .n = padded, .real = n, .squared = squared };
    for (unsigned a = 0; a < JALI_SPACE; a++) {
        c.x[a] = jali_arena_take(arena, padded + 16, sizeof(float));
        if (c.x[a] == NULL) return jali_fail_memory(err);
    }
    c.w = jali_arena_take(arena, padded + 16, sizeof(float));
    if (c.w == NULL) return jali_fail_memory(err);
    *out = c;
    return JALI_OK;
}

static inline __attribute__((always_inline)) void load(lanes *to, const float *from)
{
    memcpy(to, from, sizeof *to);
}

static inline __attribute__((always_inline)) double total(const lanes *sum)
{
    double t = 0;
    for (int i = 0; i < JALI_CLOUD_LANES; i++) t += (double)(*sum)[i];
    return t;
}

static inline __attribute__((always_inline)) void roots(lanes *v)
{
    for (int i = 0; i < JALI_CLOUD_LANES; i++) (*v)[i] = sqrtf((*v)[i]);
}

WIDE static double wide_near(const jali_cloud *cloud, const jali_spot *centre, size_t k,
                             float *d, int32_t *who)
{
    double cost = 0;
    lanes sum = { 0 };
    for (size_t q = 0; q < cloud->n; q += JALI_CLOUD_LANES) {
        lanes x, y, z, w, best, zero = { 0 };
        masks index = { 0 };
        load(&x, cloud->x[0] + q);
        load(&y, cloud->x[1] + q);
        load(&z, cloud->x[2] + q);
        load(&w, cloud->w + q);
        best = zero + INFINITY;
        for (size_t i = 0; i < k; i++) {
            lanes a = x - centre[i].at[0], b = y - centre[i].at[1], c = z - centre[i].at[2];
            lanes far = a * a + b * b + c * c;
            masks nearer = far < best, other = ~nearer;
            best = (lanes)(((masks)far & nearer) | ((masks)best & other));
            index = ((int32_t)i & nearer) | (index & other);
        }
        if (!cloud->squared) roots(&best);
        memcpy(d + q, &best, sizeof best);
        if (who != NULL) memcpy(who + q, &index, sizeof index);
        sum += w * best;
        if (q % RUN == RUN - JALI_CLOUD_LANES) {
            cost += total(&sum);
            sum = zero;
        }
    }
    return cost + total(&sum);
}

/* More centres than this are better served one point at a time. */
enum { FEW = 12 };

WIDE static void pull_few(const jali_cloud *cloud, const float *d, const int32_t *who, size_t k,
                          float floor, double *sum)
{
    lanes part[4 * FEW], zero = { 0 };
    for (size_t i = 0; i < 4 * k; i++) part[i] = zero;
    for (size_t q = 0; q < cloud->n; q += JALI_CLOUD_LANES) {
        lanes x, y, z, w, far;
        masks owner;
        load(&x, cloud->x[0] + q);
        load(&y, cloud->x[1] + q);
        load(&z, cloud->x[2] + q);
        load(&w, cloud->w + q);
        load(&far, d + q);
        memcpy(&owner, who + q, sizeof owner);
        if (!cloud->squared) w /= far + floor;
        for (size_t i = 0; i < k; i++) {
            lanes mine = (lanes)((masks)w & (owner == (int32_t)i));
            part[4 * i] += mine * x;
            part[4 * i + 1] += mine * y;
            part[4 * i + 2] += mine * z;
            part[4 * i + 3] += mine;
        }
        if (q % RUN == RUN - JALI_CLOUD_LANES)
            for (size_t i = 0; i < 4 * k; i++) {
                sum[i] += total(&part[i]);
                part[i] = zero;
            }
    }
    for (size_t i = 0; i < 4 * k; i++) sum[i] += total(&part[i]);
}

void jali_cloud_pull(const jali_cloud *cloud, const float *d, const int32_t *who, size_t k,
                     float floor, double *sum)
{
    memset(sum, 0, 4 * k * sizeof *sum);
    if (k <= FEW) {
        pull_few(cloud, d, who, k, floor, sum);
        return;
    }
    for (size_t q = 0; q < cloud->real; q++) {
        float w = cloud->squared ? cloud->w[q] : cloud->w[q] / (d[q] + floor);
        double *to = sum + 4 * who[q];
        to[0] += (double)(w * cloud->x[0][q]);
        to[1] += (double)(w * cloud->x[1][q]);
        to[2] += (double)(w * cloud->x[2][q]);
        to[3] += (double)w;
    }
}

WIDE static double wide_least(const jali_cloud *cloud, const float *a, const float *b)
{
    double cost = 0;
    lanes sum = { 0 }, zero = { 0 };
    for (size_t q = 0; q < cloud->n; q += JALI_CLOUD_LANES) {
        lanes x, y, w;
        load(&x, a + q);
        load(&y, b + q);
        load(&w, cloud->w + q);
        masks less = x < y;
        sum += w * (lanes)(((masks)x & less) | ((masks)y & ~less));
        if (q % RUN == RUN - JALI_CLOUD_LANES) {
            cost += total(&sum);
            sum = zero;
        }
    }
    return cost + total(&sum);
}

WIDE static double wide_below(const float *w, const float *a, const float *u, size_t n)
{
    double all = 0;
    lanes sum = { 0 }, zero = { 0 };
    for (size_t q = 0; q < n; q += JALI_CLOUD_LANES) {
        lanes x, y, z;
        load(&x, w + q);
        load(&y, a + q);
        load(&z, u + q);
        lanes over = x * y - z;
        sum += (lanes)((masks)over & (over < zero));
        if (q % RUN == RUN - JALI_CLOUD_LANES) {
            all += total(&sum);
            sum = zero;
        }
    }
    return all + total(&sum);
}

WIDE static void wide_moments(const float *d, const float *minus, size_t n, size_t each,
                              float *mean, float *variance)
{
    lanes zero = { 0 };
    float share = 1 / (float)each;
    for (size_t i = 0; i < n; i += JALI_CLOUD_LANES) {
        lanes sum = zero, squares = zero;
        for (size_t j = 0; j < each; j++) {
            lanes x, y = zero;
            load(&x, d + j * n + i);
            if (minus != NULL) load(&y, minus + j * n + i);
            x -= y;
            sum += x;
            squares += x * x;
        }
        lanes m = sum * share, v = squares * share - m * m;
        v = (lanes)((masks)v & (v > zero));
        memcpy(mean + i, &m, sizeof m);
        memcpy(variance + i, &v, sizeof v);
    }
}

/* ---- for others: GCC exports a function that it clones, however hidden it was declared, so
 * only these plain ones have a name outside. */

double jali_cloud_near(const jali_cloud *cloud, const jali_spot *centre, size_t k, float *d,
                       int32_t *who)
{
    return wide_near(cloud, centre, k, d, who);
}

double jali_cloud_least(const jali_cloud *cloud, const float *a, const float *b)
{
    return wide_least(cloud, a, b);
}

double jali_cloud_below(const float *w, const float *a, const float *u, size_t n)
{
    return wide_below(w, a, u, n);
}

void jali_cloud_moments(const float *d, const float *minus, size_t n, size_t each, float *mean,
                        float *variance)
{
    wide_moments(d, minus, n, each, mean, variance);
}
