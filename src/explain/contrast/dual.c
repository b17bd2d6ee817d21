/* explain/contrast/dual.c — a lower bound on what any k centres must cost.
 *
 * No claim: it sees released points only. That the bound is one: proofs/contrast.md (weak
 * duality). Source   ALGORITHMS 3.4; steps as measured in research/contrast.md 3.1: factor 2,
 * times 0.6 after 20 steps without progress, and back to the best multipliers then.
 */
#include "explain/contrast/dual.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE = 20 };

typedef struct ascent {
    const float *matrix, *w;
    size_t f, n, k;
    double *rho;
    size_t *order; /* the k candidates of least rho, least first */
    int32_t *served;
} ascent;

/* The k smallest of rho, by insertion: k is small. */
static void smallest(ascent *a)
{
    size_t have = 0;
    for (size_t i = 0; i < a->f; i++) {
        size_t at = have < a->k ? have : a->k;
        while (at > 0 && a->rho[a->order[at - 1]] > a->rho[i]) {
            if (at < a->k) a->order[at] = a->order[at - 1];
            at--;
        }
        if (at < a->k) a->order[at] = i;
        if (have < a->k) have++;
    }
}

static double evaluate(ascent *a, const float *u, double *all_but_one)
{
    double sum = 0, part = 0;
    size_t k = a->k < a->f ? a->k : a->f;
    for (size_t q = 0; q < a->n; q++) sum += (double)u[q];
    for (size_t i = 0; i < a->f; i++)
        a->rho[i] = jali_cloud_below(a->w, a->matrix + i * a->n, u, a->n);
    smallest(a);
    for (size_t i = 0; i < k; i++) {
        if (i + 1 == a->k) *all_but_one = part;
        part += a->rho[a->order[i]];
    }
    if (k < a->k) *all_but_one = part;
    return sum + part;
}

/* One step along 1 - (how often a point is served); false: nowhere to go. */
static bool step(ascent *a, float *u, double length)
{
    double norm = 0;
    size_t k = a->k < a->f ? a->k : a->f;
    memset(a->served, 0, a->n * sizeof *a->served);
    for (size_t i = 0; i < k; i++) {
        const float *row = a->matrix + a->order[i] * a->n;
        for (size_t q = 0; q < a->n; q++) a->served[q] += a->w[q] * row[q] < u[q];
    }
    for (size_t q = 0; q < a->n; q++)
        if (a->w[q] > 0) norm += (double)((1 - a->served[q]) * (1 - a->served[q]));
    if (norm == 0 || !(length > 0)) return false;
    for (size_t q = 0; q < a->n; q++)
        if (a->w[q] > 0) u[q] += (float)(length / norm * (1 - a->served[q]));
    return true;
}

static void climb(ascent *a, jali_dual *d, float *u, double above, unsigned steps)
{
    double t = 2, best = -INFINITY;
    unsigned waiting = 0;
    for (unsigned i = 0; i < steps; i++) {
        double but_one = 0, bound = evaluate(a, u, &but_one);
        if (bound > best) {
            if (bound > best + 1e-9 * fabs(best)) waiting = 0;
            best = d->bound = bound;
            d->least_most = but_one;
            memcpy(d->u, u, a->n * sizeof *u);
        } else if (++waiting == PATIENCE) {
            t *= 0.6;
            waiting = 0;
            memcpy(u, d->u, a->n * sizeof *u);
            evaluate(a, u, &but_one);
        }
        if (!step(a, u, t * (above - bound > 0 ? above - bound : 0))) break;
    }
}

jali_status jali_dual_find(jali_dual *out, const float *matrix, size_t f, size_t n,
                           const float *w, size_t k, double above, const float *d1,
                           const float *d2, unsigned steps, jali_arena *arena, jali_err *err)
{
    jali_dual d = { .n = n, .f = f, .k = k, .w = w };
    ascent a = { .matrix = matrix, .w = w, .f = f, .n = n, .k = k };
    float *u = jali_arena_take(arena, n + 16, sizeof *u);
    d.u = jali_arena_take(arena, n + 16, sizeof *d.u);
    a.rho = jali_arena_take(arena, f + 1, sizeof *a.rho);
    a.order = jali_arena_take(arena, k + 1, sizeof *a.order);
    a.served = jali_arena_take(arena, n, sizeof *a.served);
    if (u == NULL || d.u == NULL || a.rho == NULL || a.order == NULL || a.served == NULL)
        return jali_fail_memory(err);
    /* A set of one has no second nearest: its place is taken by the nearest, twice. */
    for (size_t q = 0; q < n; q++)
        u[q] = w[q] * (d1[q] + (d2[q] < 1e29f ? d2[q] : 2 * d1[q])) / 2;
    climb(&a, &d, u, above, steps);
    for (size_t q = 0; q < n; q++) d.sum += (double)d.u[q];
    *out = d;
    return JALI_OK;
}

double jali_dual_forced(const jali_dual *dual, const float *d)
{
    return dual->sum + jali_cloud_below(dual->w, d, dual->u, dual->n) + dual->least_most;
}
