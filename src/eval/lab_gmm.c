/* eval/lab_gmm.c — a mixture of Gaussians along the axes, by expectation and maximisation. */
#include "eval/lab.h"
#include <math.h>
#include <string.h>

typedef struct fit {
    const jali_points *points;
    jali_gmm *gmm;
    double floor;
    double *mass, *sum, *square; /* k, k * d, k * d: weighted by what belongs to whom */
    double *part;                /* k: of one row                                     */
} fit;

static double score(const jali_gmm *g, size_t c, const double *x)
{
    double sum = g->offset[c];
    for (size_t j = 0; j < g->d; j++) {
        double step = x[j] - g->mean[c * g->d + j];
        sum -= step * step * g->sharp[c * g->d + j];
    }
    return sum;
}

uint32_t jali_gmm_label(const jali_gmm *g, const double *x)
{
    uint32_t best = 0;
    double most = score(g, 0, x);
    for (size_t c = 1; c < g->k; c++) {
        double s = score(g, c, x);
        if (s > most) {
            most = s;
            best = (uint32_t)c;
        }
    }
    return best;
}

/* Whose row it is, in parts that add up to 1; returns the log of its likelihood. */
static double share_row(const fit *f, const double *x)
{
    const jali_gmm *g = f->gmm;
    double most = -INFINITY, sum = 0;
    for (size_t c = 0; c < g->k; c++) {
        f->part[c] = score(g, c, x);
        if (f->part[c] > most) most = f->part[c];
    }
    for (size_t c = 0; c < g->k; c++) sum += f->part[c] = exp(f->part[c] - most);
    for (size_t c = 0; c < g->k; c++) f->part[c] /= sum;
    return most + log(sum);
}

static void add_row(const fit *f, const double *x)
{
    size_t d = f->gmm->d;
    for (size_t c = 0; c < f->gmm->k; c++) {
        double w = f->part[c];
        if (w < 1e-12) continue;
        f->mass[c] += w;
        for (size_t j = 0; j < d; j++) {
            f->sum[c * d + j] += w * x[j];
            f->square[c * d + j] += w * x[j] * x[j];
        }
    }
}

/* Parameters from sums. A component that nobody belongs to keeps its place, and no weight. */
static void maximise(const fit *f)
{
    jali_gmm *g = f->gmm;
    for (size_t c = 0; c < g->k; c++) {
        double n = f->mass[c];
        g->offset[c] = n > 0 ? log(n / (double)f->points->n) : -INFINITY;
        for (size_t j = 0; j < g->d; j++) {
            size_t i = c * g->d + j;
            double mean = n > 0 ? f->sum[i] / n : g->mean[i];
            double variance = n > 0 ? f->square[i] / n - mean * mean : f->floor;
            if (!(variance > f->floor)) variance = f->floor;
            g->mean[i] = mean;
            g->sharp[i] = 1 / (2 * variance);
            g->offset[c] += 0.5 * log(2 * g->sharp[i]);
        }
    }
}

static void clear_sums(const fit *f)
{
    size_t k = f->gmm->k, d = f->gmm->d;
    memset(f->mass, 0, k * sizeof *f->mass);
    memset(f->sum, 0, k * d * sizeof *f->sum);
    memset(f->square, 0, k * d * sizeof *f->square);
}

static jali_status begin(const fit *f, uint64_t seed, jali_arena *scratch, jali_err *err)
{
    jali_gmm *g = f->gmm;
    const jali_points *p = f->points;
    jali_kmeans how = { g->k, 1, 20, seed };
    double *centre, cost;
    uint32_t *nearest = jali_arena_take(scratch, p->n + 1, sizeof *nearest);
    if (nearest == NULL) return jali_fail_memory(err);
    JALI_TRY(jali_kmeans_run(&how, p, NULL, scratch, &centre, &cost, err));
    JALI_TRY(jali_points_nearest(p, centre, g->k, NULL, nearest, NULL, err));
    memcpy(g->mean, centre, g->k * g->d * sizeof *centre);
    clear_sums(f);
    memset(f->part, 0, g->k * sizeof *f->part);
    for (size_t i = 0; i < p->n; i++) {
        f->part[nearest[i]] = 1;
        add_row(f, p->at + i * p->d);
        f->part[nearest[i]] = 0;
    }
    maximise(f);
    return JALI_OK;
}

static void climb(const fit *f, unsigned rounds)
{
    const jali_points *p = f->points;
    double before = -INFINITY;
    for (unsigned r = 0;; r++) {
        double sum = 0;
        clear_sums(f);
        for (size_t i = 0; i < p->n; i++) {
            sum += share_row(f, p->at + i * p->d);
            add_row(f, p->at + i * p->d);
        }
        f->gmm->fit = p->n > 0 ? sum / (double)p->n : 0;
        bool better = r == 0 || f->gmm->fit > before + 1e-9 * fabs(before);
        if (r >= rounds || !better) return;
        before = f->gmm->fit;
        maximise(f);
    }
}

jali_status jali_gmm_fit(const jali_points *points, size_t k, unsigned rounds, double floor,
                         uint64_t seed, jali_arena *arena, jali_gmm *out, jali_err *err)
{
    jali_arena scratch = JALI_ARENA_INIT;
    size_t d = points->d;
    jali_gmm g = { .k = k, .d = d };
    g.mean = jali_arena_take(arena, k * d, sizeof *g.mean);
    g.sharp = jali_arena_take(arena, k * d, sizeof *g.sharp);
    g.offset = jali_arena_take(arena, k, sizeof *g.offset);
    fit f = { .points = points, .gmm = &g, .floor = floor };
    f.mass = jali_arena_take(&scratch, k, sizeof *f.mass);
    f.sum = jali_arena_take(&scratch, k * d, sizeof *f.sum);
    f.square = jali_arena_take(&scratch, k * d, sizeof *f.square);
    f.part = jali_arena_take(&scratch, k, sizeof *f.part);
    bool good = g.mean != NULL && g.sharp != NULL && g.offset != NULL && f.mass != NULL &&
                f.sum != NULL && f.square != NULL && f.part != NULL;
    jali_status status = good ? begin(&f, seed, &scratch, err) : jali_fail_memory(err);
    if (status == JALI_OK) climb(&f, rounds);
    jali_arena_clear(&scratch);
    if (status == JALI_OK) *out = g;
    return status;
}
