/* explain/cluster/pick.c — how many clusters: released points, merged as far as it pays.
 *
 * No claim: released numbers in, numbers out; post-processing.
 *
 * The silhouette is that of the points, weighted by their released counts, simplified to the
 * two nearest centres: (b - a) / b with a^2 = d1 + blur^2 and b^2 = d2 + blur^2. Without the
 * blur k = all points would always win (research/cluster.md 3.5).
 */
#include "explain/cluster/pick.h"
#include <math.h>

enum { DENSE = 32, STRIDE = 3, LAST = 4, STARTS = 3, ROUNDS = 100 };

jali_status jali_pick_merge(const jali_points *points, size_t k, unsigned starts, uint64_t seed,
                            jali_arena *arena, double **centre, jali_err *err)
{
    jali_kmeans how = { .k = k, .starts = starts, .rounds = ROUNDS, .seed = seed };
    double cost;
    return jali_kmeans_run(&how, points, NULL, arena, centre, &cost, err);
}

static double square_of(const double *a, const double *b, size_t d)
{
    double all = 0;
    for (size_t j = 0; j < d; j++) all += (a[j] - b[j]) * (a[j] - b[j]);
    return all;
}

static double silhouette(const jali_points *p, const double *centre, size_t k, double blur)
{
    double sum = 0, weight = 0;
    for (size_t i = 0; i < p->n; i++) {
        double d1 = INFINITY, d2 = INFINITY, w = p->weight == NULL ? 1 : p->weight[i];
        for (size_t c = 0; c < k; c++) {
            double d = square_of(p->at + i * p->d, centre + c * p->d, p->d);
            if (d < d1) {
                d2 = d1;
                d1 = d;
            } else if (d < d2) {
                d2 = d;
            }
        }
        double a = sqrt(d1 + blur * blur), b = sqrt(d2 + blur * blur);
        sum += w * (b > 0 ? (b - a) / b : 0);
        weight += w;
    }
    return weight > 0 ? sum / weight : 0;
}

static bool is_tried(size_t k, size_t n)
{
    return k <= DENSE || (k - DENSE) % STRIDE == 0 || k + LAST >= n;
}

jali_status jali_pick_k(const jali_points *points, double blur, uint64_t seed,
                        jali_arena *arena, size_t *k, double **centre, json_t **curve,
                        jali_err *err)
{
    double best = -INFINITY;
    json_t *list = json_array();
    jali_status status = list == NULL ? jali_fail_memory(err) : JALI_OK;
    *k = 0;
    for (size_t t = points->n < 2 ? 1 : 2; status == JALI_OK && t <= points->n; t++) {
        double *at = NULL;
        if (!is_tried(t, points->n)) continue;
        status = jali_pick_merge(points, t, STARTS, seed + t, arena, &at, err);
        if (status != JALI_OK) break;
        double s = t < 2 ? 0 : silhouette(points, at, t, blur);
        json_array_append_new(list, json_pack("[I,f]", (json_int_t)t, s));
        if (s > best) {
            best = s;
            *k = t;
            *centre = at;
        }
    }
    if (status == JALI_OK)
        *curve = list;
    else
        json_decref(list);
    return status;
}
