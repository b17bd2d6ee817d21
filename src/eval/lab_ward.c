/* eval/lab_ward.c — Ward's agglomerative tree of a sample, cut into k parts.
 *
 * Nearest-neighbour chains (Murtagh, Computer Journal 1983) with the update of Lance and
 * Williams: n^2 time and memory for the sample, and the same tree as the greedy order.
 */
#include "eval/lab.h"
#include "explain/cluster/stream.h"
#include <stdlib.h>
#include <string.h>

typedef struct ward {
    size_t n, d;
    float *far;    /* n * n: by how much the sum of squares would grow, doubled */
    double *size;  /* 0: merged into another                                    */
    uint32_t *own; /* the sample point's present cluster                        */
} ward;

typedef struct merge {
    uint32_t a, b;
    float height;
} merge;

static uint32_t nearest(const ward *w, uint32_t a, int64_t before)
{
    uint32_t best = a;
    float least = INFINITY;
    if (before >= 0) { /* prefer the one that we came from: chains then end */
        best = (uint32_t)before;
        least = w->far[a * w->n + best];
    }
    for (uint32_t b = 0; b < w->n; b++)
        if (b != a && w->size[b] > 0 && w->far[a * w->n + b] < least) {
            least = w->far[a * w->n + b];
            best = b;
        }
    return best;
}

/* b goes into a. */
static void join(ward *w, uint32_t a, uint32_t b)
{
    double na = w->size[a], nb = w->size[b];
    float ab = w->far[a * w->n + b];
    for (size_t c = 0; c < w->n; c++) {
        double nc = w->size[c];
        if (c == a || c == b || nc <= 0) continue;
        float *ac = &w->far[a * w->n + c];
        *ac = (float)(((na + nc) * (double)*ac + (nb + nc) * (double)w->far[b * w->n + c] -
                       nc * (double)ab) /
                      (na + nb + nc));
        w->far[c * w->n + a] = *ac;
    }
    w->size[a] = na + nb;
    w->size[b] = 0;
}

static void grow(ward *w, merge *merges, uint32_t *chain)
{
    size_t length = 0, made = 0;
    while (made + 1 < w->n) {
        if (length == 0) {
            uint32_t first = 0;
            while (w->size[first] <= 0) first++;
            chain[length++] = first;
        }
        uint32_t a = chain[length - 1];
        uint32_t b = nearest(w, a, length > 1 ? (int64_t)chain[length - 2] : -1);
        if (length > 1 && b == chain[length - 2]) {
            merges[made++] = (merge){ a, b, w->far[a * w->n + b] };
            join(w, a, b);
            length -= 2;
        } else {
            chain[length++] = b;
        }
    }
}

static int lower(const void *x, const void *y)
{
    const merge *a = x, *b = y;
    return a->height < b->height ? -1 : a->height > b->height;
}

static uint32_t root(uint32_t *own, uint32_t a)
{
    while (own[a] != a) a = own[a] = own[own[a]];
    return a;
}

/* The n - k lowest merges, then the mean of each part. */
static size_t cut(ward *w, merge *merges, size_t k, const double *x, double *centre)
{
    size_t parts = 0;
    qsort(merges, w->n - 1, sizeof *merges, lower);
    for (uint32_t i = 0; i < w->n; i++) w->own[i] = i;
    for (size_t i = 0; i + k < w->n; i++)
        w->own[root(w->own, merges[i].b)] = root(w->own, merges[i].a);
    for (uint32_t i = 0; i < w->n; i++) {
        if (root(w->own, i) != i) continue;
        double count = 0, *mean = centre + parts++ * w->d;
        for (uint32_t m = 0; m < w->n; m++) {
            if (root(w->own, m) != i) continue;
            count++;
            for (size_t j = 0; j < w->d; j++) mean[j] += x[m * w->d + j];
        }
        for (size_t j = 0; j < w->d; j++) mean[j] /= count;
    }
    return parts;
}

static void sample(const jali_points *p, size_t n, uint64_t seed, double *x)
{
    jali_stream stream = { seed };
    size_t taken = 0;
    for (size_t i = 0; i < p->n && taken < n; i++)
        if (jali_stream_below(&stream, p->n - i) < n - taken)
            memcpy(x + taken++ * p->d, p->at + i * p->d, p->d * sizeof *x);
}

static void distances(ward *w, const double *x)
{
    for (size_t a = 0; a < w->n; a++)
        for (size_t b = 0; b < w->n; b++) {
            double far = 0;
            for (size_t j = 0; j < w->d; j++) {
                double step = x[a * w->d + j] - x[b * w->d + j];
                far += step * step;
            }
            w->far[a * w->n + b] = (float)far;
        }
    for (size_t a = 0; a < w->n; a++) w->size[a] = 1;
}

jali_status jali_agglomerate(const jali_points *points, size_t k, size_t most, uint64_t seed,
                             jali_arena *arena, double **centre, size_t *n_centres,
                             jali_err *err)
{
    jali_arena scratch = JALI_ARENA_INIT;
    size_t n = points->n < most ? points->n : most, d = points->d;
    ward w = { .n = n, .d = d };
    double *out = jali_arena_take(arena, k * d, sizeof *out), *x;
    x = jali_arena_take(&scratch, n * d + 1, sizeof *x);
    w.far = jali_arena_take(&scratch, n * n + 1, sizeof *w.far);
    w.size = jali_arena_take(&scratch, n + 1, sizeof *w.size);
    w.own = jali_arena_take(&scratch, n + 1, sizeof *w.own);
    merge *merges = jali_arena_take(&scratch, n + 1, sizeof *merges);
    uint32_t *chain = jali_arena_take(&scratch, n + 1, sizeof *chain);
    bool good = out != NULL && x != NULL && w.far != NULL && w.size != NULL && w.own != NULL &&
                merges != NULL && chain != NULL;
    if (good && n > 0) {
        sample(points, n, seed, x);
        distances(&w, x);
        grow(&w, merges, chain);
        *n_centres = cut(&w, merges, k, x, out);
    } else if (good) {
        *n_centres = 1; /* of no rows at all: one cluster at the origin */
    }
    jali_arena_clear(&scratch);
    if (!good) return jali_fail_memory(err);
    *centre = out;
    return JALI_OK;
}
