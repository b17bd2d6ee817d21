/* explain/cluster/kmeans.c — weighted k-means on points that may be shown to anyone.
 *
 * No claim: it sees released points, or rows of a vault that is public by declaration.
 *
 * Greedy k-means++ (Arthur, Vassilvitskii, SODA 2007, with 2 + ln k tries a centre) and Lloyd
 * steps until nothing moves. Centres are laid out eight by eight, column by column, so that
 * one point is compared with eight of them at once; sums are taken block by block and added
 * in the order of the blocks, so the result does not depend on the number of threads.
 */
#include "explain/cluster/kmeans.h"
#include "explain/cluster/stream.h"
#include <string.h>

enum { LANES = 8, BLOCK = 4096, TRIES_MOST = 10 };

typedef struct lanes {
    double x[LANES];
} lanes;

/* ---- the nearest centre -------------------------------------------------------------- */

typedef struct search {
    const jali_points *points;
    size_t k;
    const lanes *centre; /* (k + 7) / 8 groups of d */
    uint32_t *nearest;
    double *square;
} search;

/* Centres that fill the last group up are infinitely far away. */
static lanes *lay_out(const double *centre, size_t k, size_t d, jali_arena *arena)
{
    size_t groups = (k + LANES - 1) / LANES;
    lanes *out = jali_arena_take(arena, groups * d + 1, sizeof *out);
    for (size_t g = 0; out != NULL && g < groups; g++)
        for (size_t j = 0; j < d; j++)
            for (size_t l = 0; l < LANES; l++) {
                size_t c = g * LANES + l;
                out[g * d + j].x[l] = c < k ? centre[c * d + j] : INFINITY;
            }
    return out;
}

static void nearest_of(const search *s, const double *x, uint32_t *best_at, double *best)
{
    size_t d = s->points->d, groups = (s->k + LANES - 1) / LANES;
    *best = INFINITY;
    *best_at = 0;
    for (size_t g = 0; g < groups; g++) {
        lanes far = { { 0 } };
        const lanes *c = s->centre + g * d;
        for (size_t j = 0; j < d; j++)
            for (size_t l = 0; l < LANES; l++) {
                double step = x[j] - c[j].x[l];
                far.x[l] += step * step;
            }
        for (size_t l = 0; l < LANES; l++)
            if (far.x[l] < *best) {
                *best = far.x[l];
                *best_at = (uint32_t)(g * LANES + l);
            }
    }
}

static size_t block_end(const jali_points *p, size_t block)
{
    size_t end = (block + 1) * BLOCK;
    return end < p->n ? end : p->n;
}

static size_t blocks_of(const jali_points *p)
{
    return (p->n + BLOCK - 1) / BLOCK;
}

static void search_block(void *self, unsigned worker, size_t block)
{
    const search *s = self;
    (void)worker;
    for (size_t i = block * BLOCK; i < block_end(s->points, block); i++) {
        uint32_t at;
        double square;
        nearest_of(s, s->points->at + i * s->points->d, &at, &square);
        if (s->nearest != NULL) s->nearest[i] = at;
        if (s->square != NULL) s->square[i] = square;
    }
}

jali_status jali_points_nearest(const jali_points *points, const double *centre, size_t k,
                                jali_pool *pool, uint32_t *nearest, double *square,
                                jali_err *err)
{
    jali_arena arena = JALI_ARENA_INIT;
    search s = { .points = points, .k = k, .nearest = nearest, .square = square };
    s.centre = lay_out(centre, k, points->d, &arena);
    if (s.centre != NULL) jali_pool_each(pool, blocks_of(points), search_block, &s);
    jali_arena_clear(&arena);
    return s.centre != NULL ? JALI_OK : jali_fail_memory(err);
}

/* ---- one start ------------------------------------------------------------------------ */

typedef struct start {
    const jali_points *points;
    size_t k;
    jali_pool *pool;
    double *centre, *sum, *mass;   /* k * d, k * d, k                              */
    uint32_t *nearest;             /* n                                            */
    double *square, *trial, *best; /* n each: to the nearest centre so far, with a
                                      further candidate, with the best of them     */
    const double *candidate;
} start;

static double weight_of(const jali_points *p, size_t i)
{
    return p->weight == NULL ? 1 : p->weight[i];
}

static void trial_block(void *self, unsigned worker, size_t block)
{
    start *s = self;
    const jali_points *p = s->points;
    (void)worker;
    for (size_t i = block * BLOCK; i < block_end(p, block); i++) {
        double far = 0;
        for (size_t j = 0; j < p->d; j++) {
            double step = p->at[i * p->d + j] - s->candidate[j];
            far += step * step;
        }
        s->trial[i] = far < s->square[i] ? far : s->square[i];
    }
}

static double total(const jali_points *p, const double *square)
{
    double sum = 0;
    for (size_t i = 0; i < p->n; i++) sum += weight_of(p, i) * (square == NULL ? 1 : square[i]);
    return sum;
}

/* A point, with probability as its weight times its squared distance (NULL: its weight). */
static size_t pick(const jali_points *p, jali_stream *stream, const double *square)
{
    double left = jali_stream_unit(stream) * total(p, square);
    size_t last = 0;
    for (size_t i = 0; i < p->n; i++) {
        double w = weight_of(p, i) * (square == NULL ? 1 : square[i]);
        if (w <= 0) continue;
        last = i;
        if ((left -= w) < 0) break;
    }
    return last;
}

static unsigned tries_for(size_t k)
{
    unsigned tries = 2 + (unsigned)log((double)k);
    return tries < TRIES_MOST ? tries : TRIES_MOST;
}

static void swap(double **a, double **b)
{
    double *t = *a;
    *a = *b;
    *b = t;
}

/* The first centre is any point; so is every one once all points sit on centres. */
static void seed_one(start *s, jali_stream *stream, size_t c)
{
    const jali_points *p = s->points;
    bool spread = c > 0 && total(p, s->square) > 0;
    double least = INFINITY;
    for (unsigned t = 0; t < (spread ? tries_for(s->k) : 1); t++) {
        s->candidate = p->at + pick(p, stream, spread ? s->square : NULL) * p->d;
        jali_pool_each(s->pool, blocks_of(p), trial_block, s);
        double cost = total(p, s->trial);
        if (t > 0 && cost >= least) continue;
        least = cost;
        memcpy(s->centre + c * p->d, s->candidate, p->d * sizeof *s->centre);
        swap(&s->trial, &s->best);
    }
    swap(&s->square, &s->best);
}

static void seed(start *s, jali_stream *stream)
{
    for (size_t i = 0; i < s->points->n; i++) s->square[i] = INFINITY;
    for (size_t c = 0; c < s->k; c++) seed_one(s, stream, c);
}

static size_t farthest(const start *s)
{
    size_t best = 0;
    for (size_t i = 1; i < s->points->n; i++)
        if (weight_of(s->points, i) * s->square[i] >
            weight_of(s->points, best) * s->square[best])
            best = i;
    return best;
}

/* Means of what is nearest. A centre left alone goes to the point that costs most. */
static void move(start *s)
{
    size_t d = s->points->d;
    memset(s->sum, 0, s->k * d * sizeof *s->sum);
    memset(s->mass, 0, s->k * sizeof *s->mass);
    for (size_t i = 0; i < s->points->n; i++) {
        double w = weight_of(s->points, i), *sum = s->sum + s->nearest[i] * d;
        s->mass[s->nearest[i]] += w;
        for (size_t j = 0; j < d; j++) sum[j] += w * s->points->at[i * d + j];
    }
    for (size_t c = 0; c < s->k; c++) {
        double *centre = s->centre + c * d;
        if (s->mass[c] > 0) {
            for (size_t j = 0; j < d; j++) centre[j] = s->sum[c * d + j] / s->mass[c];
            continue;
        }
        size_t far = farthest(s);
        memcpy(centre, s->points->at + far * d, d * sizeof *centre);
        s->square[far] = 0;
    }
}

static jali_status run_start(start *s, jali_stream *stream, unsigned rounds, double *cost,
                             jali_err *err)
{
    const jali_points *p = s->points;
    seed(s, stream);
    double before = INFINITY;
    for (unsigned r = 0;; r++) {
        JALI_TRY(jali_points_nearest(p, s->centre, s->k, s->pool, s->nearest, s->square, err));
        *cost = total(p, s->square);
        if (r >= rounds || *cost >= before) return JALI_OK;
        before = *cost;
        move(s);
    }
}

/* ---- the best of several --------------------------------------------------------------- */

static bool take_start(start *s, jali_arena *arena)
{
    size_t n = s->points->n, d = s->points->d;
    s->centre = jali_arena_take(arena, s->k * d, sizeof *s->centre);
    s->sum = jali_arena_take(arena, s->k * d, sizeof *s->sum);
    s->mass = jali_arena_take(arena, s->k, sizeof *s->mass);
    s->nearest = jali_arena_take(arena, n, sizeof *s->nearest);
    s->square = jali_arena_take(arena, n, sizeof *s->square);
    s->trial = jali_arena_take(arena, n, sizeof *s->trial);
    s->best = jali_arena_take(arena, n, sizeof *s->best);
    return s->centre != NULL && s->sum != NULL && s->mass != NULL && s->nearest != NULL &&
           s->square != NULL && s->trial != NULL && s->best != NULL;
}

static jali_status best_start(const jali_kmeans *how, start *s, double *centre, double *cost,
                              jali_err *err)
{
    jali_stream stream = { how->seed };
    *cost = INFINITY;
    for (unsigned i = 0; i < how->starts; i++) {
        double one;
        JALI_TRY(run_start(s, &stream, how->rounds, &one, err));
        if (i > 0 && one >= *cost) continue;
        *cost = one;
        memcpy(centre, s->centre, s->k * s->points->d * sizeof *centre);
    }
    return JALI_OK;
}

jali_status jali_kmeans_run(const jali_kmeans *how, const jali_points *points, jali_pool *pool,
                            jali_arena *arena, double **centre, double *cost, jali_err *err)
{
    jali_arena scratch = JALI_ARENA_INIT;
    start s = { .points = points, .k = how->k, .pool = pool };
    double *out = jali_arena_take(arena, how->k * points->d + 1, sizeof *out), least = 0;
    jali_status status =
        out != NULL && take_start(&s, &scratch) ? JALI_OK : jali_fail_memory(err);
    if (status == JALI_OK && points->n > 0) status = best_start(how, &s, out, &least, err);
    jali_arena_clear(&scratch);
    if (status != JALI_OK) return status;
    *centre = out;
    *cost = least;
    return JALI_OK;
}
