/* explain/contrast/swap.c — single-swap local search: Whitaker's fast interchange.
 *
 * No claim: it sees released points only. What its answers are worth is proven in
 * proofs/contrast.md (What solvers are worth).
 * Source   Whitaker, INFOR 21, 1983; Resende, Werneck, 2007; ALGORITHMS 3.2, 3.3.
 */
#include "explain/contrast/swap.h"
#include <math.h>
#include <string.h>

jali_status jali_interchange_new(jali_interchange *out, size_t n, size_t k, size_t fixed,
                                 const float *w, jali_arena *arena, jali_err *err)
{
    jali_interchange x = { .n = n, .k = k, .fixed = fixed, .w = w };
    x.row = jali_arena_take(arena, n * k + 1, sizeof *x.row);
    x.d1 = jali_arena_take(arena, n + 1, sizeof *x.d1);
    x.d2 = jali_arena_take(arena, n + 1, sizeof *x.d2);
    x.n1 = jali_arena_take(arena, n + 1, sizeof *x.n1);
    x.loss = jali_arena_take(arena, k + 1, sizeof *x.loss);
    x.net = jali_arena_take(arena, k + 1, sizeof *x.net);
    if (x.row == NULL || x.d1 == NULL || x.d2 == NULL || x.n1 == NULL || x.loss == NULL ||
        x.net == NULL)
        return jali_fail_memory(err);
    *out = x;
    return JALI_OK;
}

/* A set of one centre has no second nearest: far away, but finite, so that differences are. */
static const float nowhere = 1e30f;

double jali_interchange_refresh(jali_interchange *x)
{
    double cost = 0;
    for (size_t q = 0; q < x->n; q++) {
        x->d1[q] = x->d2[q] = nowhere;
        x->n1[q] = 0;
    }
    for (size_t s = 0; s < x->k; s++)
        for (size_t q = 0; q < x->n; q++) {
            float d = x->row[s * x->n + q];
            if (d < x->d1[q]) {
                x->d2[q] = x->d1[q];
                x->d1[q] = d;
                x->n1[q] = (uint32_t)s;
            } else if (d < x->d2[q])
                x->d2[q] = d;
        }
    memset(x->loss, 0, x->k * sizeof *x->loss);
    for (size_t q = 0; q < x->n; q++) {
        double w = (double)x->w[q];
        cost += w * (double)x->d1[q];
        x->loss[x->n1[q]] += w * ((double)x->d2[q] - (double)x->d1[q]);
    }
    return cost;
}

/* Instead of the only centre: no second nearest, and no difference of huge numbers. */
static double replace_only(const jali_interchange *x, const float *d)
{
    double by = 0;
    if (x->fixed == 0) return -INFINITY;
    for (size_t q = 0; q < x->n; q++) by += (double)x->w[q] * ((double)x->d1[q] - (double)d[q]);
    return by;
}

double jali_interchange_try(jali_interchange *x, const float *d, size_t *out)
{
    *out = 0;
    if (x->k == 1) return replace_only(x, d);
    double gain = 0, least = INFINITY;
    size_t best = 0;
    memcpy(x->net, x->loss, x->k * sizeof *x->net);
    for (size_t q = 0; q < x->n; q++) {
        if (d[q] >= x->d2[q]) continue;
        double w = (double)x->w[q], d1 = (double)x->d1[q], d2 = (double)x->d2[q];
        double far = (double)d[q], worst = far > d1 ? far : d1;
        if (far < d1) gain += w * (d1 - far);
        x->net[x->n1[q]] -= w * (d2 - worst);
    }
    for (size_t s = 0; s < x->k; s++)
        if (s != x->fixed && x->net[s] < least) {
            least = x->net[s];
            best = s;
        }
    *out = best;
    return gain - least;
}

void jali_interchange_put(jali_interchange *x, size_t s, const float *d)
{
    memcpy(x->row + s * x->n, d, x->n * sizeof *d);
}

/* ---- on a matrix ------------------------------------------------------------------------ */

static double best_swap(jali_interchange *x, const float *matrix, size_t f, size_t *in,
                        size_t *out)
{
    double best = -INFINITY;
    for (size_t o = 0; o < f; o++) {
        size_t s;
        double by = jali_interchange_try(x, matrix + o * x->n, &s);
        if (by > best) {
            best = by;
            *in = o;
            *out = s;
        }
    }
    return best;
}

jali_status jali_swap_matrix(const float *matrix, size_t f, size_t n, const float *w, size_t k,
                             size_t fixed, const size_t *start, double tau, size_t *set,
                             double *cost, jali_arena *arena, jali_err *err)
{
    jali_interchange x;
    JALI_TRY(jali_interchange_new(&x, n, k, fixed, w, arena, err));
    for (size_t s = 0; s < k; s++) {
        set[s] = start[s];
        jali_interchange_put(&x, s, matrix + start[s] * n);
    }
    *cost = jali_interchange_refresh(&x);
    if (k == 1 && fixed == 0) return JALI_OK; /* nothing may move */
    for (;;) {
        size_t in = 0, out = 0;
        double by = best_swap(&x, matrix, f, &in, &out);
        if (!(by > *cost * tau / (double)k) || !(by > 1e-12 * *cost)) return JALI_OK;
        set[out] = in;
        jali_interchange_put(&x, out, matrix + in * n);
        double now = jali_interchange_refresh(&x);
        bool rounding = !(now < *cost);
        *cost = now;
        if (rounding) return JALI_OK;
    }
}
