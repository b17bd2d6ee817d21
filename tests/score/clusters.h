/* tests/score/clusters.h — small tables of clusters, and the scores in plain doubles.
 *
 * A table is h[c][A][v] with the same sum over v for every A of a cluster: every such array
 * is one of a real table, attributes being filled independently of each other.
 */
#ifndef JALI_TESTS_SCORE_CLUSTERS_H
#define JALI_TESTS_SCORE_CLUSTERS_H

#include "score/open.h"
#include "tally/open.h"
#include "unit.h"
#include <math.h>
#include <stdlib.h>

enum { MC = 6, MA = 8, MV = 3 };

typedef struct crowd {
    int C, A, V;
    int64_t n[MC], h[MC][MA][MV];
} crowd;

static inline uint64_t crowd_roll(uint64_t *seed, uint64_t n)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return (*seed >> 11) % n;
}

static inline double crowd_real(uint64_t *seed)
{
    return (double)crowd_roll(seed, 1 << 30) * 0x1p-30;
}

static inline int64_t crowd_rows(const crowd *d)
{
    int64_t n = 0;
    for (int c = 0; c < d->C; c++) n += d->n[c];
    return n;
}

static inline int64_t crowd_whole(const crowd *d, int A, int v)
{
    int64_t H = 0;
    for (int c = 0; c < d->C; c++) H += d->h[c][A][v];
    return H;
}

static inline double plain_int(const crowd *d, int c, int A)
{
    double n = (double)crowd_rows(d), s = 0;
    for (int v = 0; n > 0 && v < d->V; v++)
        s += fabs((double)d->h[c][A][v] - (double)d->n[c] / n * (double)crowd_whole(d, A, v));
    return s / 2;
}

static inline double plain_suf(const crowd *d, int c, int A, double kappa)
{
    double s = 0;
    for (int v = 0; v < d->V; v++) {
        double h = (double)d->h[c][A][v], H = (double)crowd_whole(d, A, v);
        if (h > 0) s += h * h / (h + kappa * (H - h));
    }
    return s;
}

/* min(n) (1 - TVD) */
static inline double plain_like(const crowd *d, int c, int e, int A)
{
    double s = 0, x = (double)d->n[c], y = (double)d->n[e];
    if (x == 0 || y == 0) return 0;
    for (int v = 0; v < d->V; v++)
        s += fabs((double)d->h[c][A][v] / x - (double)d->h[e][A][v] / y);
    return fmin(x, y) * (1 - s / 2);
}

/* One row more in cluster 0, with value 0 of every attribute. */
static inline crowd crowd_joined(const crowd *d)
{
    crowd e = *d;
    e.n[0]++;
    for (int A = 0; A < d->A; A++) e.h[0][A][0]++;
    return e;
}

static inline void crowd_deal(int64_t n, int64_t *h, int V, uint64_t *seed)
{
    for (int v = 0; v < V - 1; v++) {
        double u = crowd_real(seed);
        int64_t x = u < .3 ? 0 : u < .5 ? n : (int64_t)crowd_roll(seed, (uint64_t)n + 1);
        h[v] = x;
        n -= x;
    }
    h[V - 1] = n;
}

static inline void crowd_make(crowd *d, int C, int A, int V, uint64_t *seed)
{
    *d = (crowd){ .C = C, .A = A, .V = V };
    for (int c = 0; c < C; c++) {
        uint64_t most = 1;
        for (uint64_t q = crowd_roll(seed, 5); q > 0; q--) most *= 10;
        d->n[c] = (int64_t)crowd_roll(seed, most + 1);
        for (int a = 0; a < A; a++) crowd_deal(d->n[c], d->h[c][a], V, seed);
    }
}

/* The sealed tables of a crowd, as tally/ would have made them. */
typedef struct sealed {
    int64_t cell[MA][MC * MV];
    jali_tally tally[MA];
    const jali_tally *counts[MA];
} sealed;

static inline void crowd_seal(const crowd *d, sealed *s)
{
    for (int a = 0; a < d->A; a++) {
        for (int c = 0; c < d->C; c++)
            for (int v = 0; v < d->V; v++) s->cell[a][c * d->V + v] = d->h[c][a][v];
        s->tally[a] = (jali_tally){ .n = (size_t)(d->C * d->V),
                                    .cell = s->cell[a],
                                    .axes = 2,
                                    .extent = { (uint64_t)d->C, (uint64_t)d->V },
                                    .reach = { 1, 1, 1, 1 } };
        s->counts[a] = &s->tally[a];
    }
}

#endif
