/* eval/cluster_metrics.c — how good a clustering is, measured on all rows of a public vault. */
#include "eval/cluster_metrics.h"
#include "explain/cluster/stream.h"
#include <string.h>

/* ---- silhouette ----------------------------------------------------------------------- */

typedef struct pairs {
    const jali_points *points;
    const jali_silhouette *s;
    float *distance;
} pairs;

static void distance_row(void *self, unsigned worker, size_t i)
{
    const pairs *p = self;
    size_t d = p->points->d, n = p->s->n;
    const double *x = p->points->at + p->s->at[i] * d;
    (void)worker;
    for (size_t k = 0; k < n; k++) {
        const double *y = p->points->at + p->s->at[k] * d;
        double far = 0;
        for (size_t j = 0; j < d; j++) far += (x[j] - y[j]) * (x[j] - y[j]);
        p->distance[i * n + k] = (float)sqrt(far);
    }
}

/* The first `n` steps of Fisher and Yates. */
static void draw_sample(uint32_t *at, size_t all, size_t n, uint64_t seed)
{
    jali_stream stream = { seed };
    for (size_t i = 0; i < all; i++) at[i] = (uint32_t)i;
    for (size_t i = 0; i < n; i++) {
        size_t other = i + jali_stream_below(&stream, all - i);
        uint32_t keep = at[i];
        at[i] = at[other];
        at[other] = keep;
    }
}

jali_status jali_silhouette_init(jali_silhouette *out, const jali_points *points, size_t most,
                                 uint64_t seed, jali_pool *pool, jali_arena *arena,
                                 jali_err *err)
{
    size_t n = points->n < most ? points->n : most;
    uint32_t *at = jali_arena_take(arena, points->n + 1, sizeof *at);
    float *distance = jali_arena_take(arena, n * n + 1, sizeof *distance);
    if (at == NULL || distance == NULL) return jali_fail_memory(err);
    draw_sample(at, points->n, n, seed);
    *out = (jali_silhouette){ n, at, distance };
    pairs p = { points, out, distance };
    jali_pool_each(pool, n, distance_row, &p);
    return JALI_OK;
}

typedef struct widths {
    const jali_silhouette *s;
    const uint32_t *label;
    size_t labels;
    const size_t *size; /* of each label within the sample */
    double *sum;        /* labels for each worker          */
    double *width;      /* of each point                   */
} widths;

static void width_of(void *self, unsigned worker, size_t i)
{
    const widths *w = self;
    const jali_silhouette *s = w->s;
    double *sum = w->sum + worker * w->labels, other = INFINITY;
    uint32_t own = w->label[s->at[i]];
    memset(sum, 0, w->labels * sizeof *sum);
    for (size_t k = 0; k < s->n; k++)
        sum[w->label[s->at[k]]] += (double)s->distance[i * s->n + k];
    for (size_t c = 0; c < w->labels; c++)
        if (c != own && w->size[c] > 0 && sum[c] / (double)w->size[c] < other)
            other = sum[c] / (double)w->size[c];
    double mine = w->size[own] > 1 ? sum[own] / (double)(w->size[own] - 1) : 0;
    double larger = mine > other ? mine : other;
    w->width[i] = w->size[own] > 1 && larger > 0 ? (other - mine) / larger : 0;
}

jali_status jali_silhouette_mean(const jali_silhouette *s, const uint32_t *label, size_t labels,
                                 jali_pool *pool, double *out, jali_err *err)
{
    jali_arena arena = JALI_ARENA_INIT;
    size_t *size = jali_arena_take(&arena, labels + 1, sizeof *size), used = 0;
    widths w = { .s = s, .label = label, .labels = labels, .size = size };
    w.sum = jali_arena_take(&arena, jali_pool_threads(pool) * labels + 1, sizeof *w.sum);
    w.width = jali_arena_take(&arena, s->n + 1, sizeof *w.width);
    jali_status status =
        size != NULL && w.sum != NULL && w.width != NULL ? JALI_OK : jali_fail_memory(err);
    if (status == JALI_OK) {
        double sum = 0;
        for (size_t i = 0; i < s->n; i++) used += size[label[s->at[i]]]++ == 0;
        if (used > 1) jali_pool_each(pool, s->n, width_of, &w);
        for (size_t i = 0; i < s->n; i++) sum += w.width[i];
        *out = used > 1 ? sum / (double)s->n : -1;
    }
    jali_arena_clear(&arena);
    return status;
}

/* ---- accuracy ------------------------------------------------------------------------- */

typedef struct matching { /* rows and columns count from 1; 0 stands for nobody */
    size_t n;
    const double *gain;
    double *row_price, *column_price, *slack;
    size_t *row_of, *came_from;
    bool *seen;
} matching;

/* The nearest column that was not seen yet, from the row that holds `column`. */
static size_t next_column(matching *m, size_t column, double *step)
{
    size_t row = m->row_of[column], best = 0;
    *step = INFINITY;
    for (size_t j = 1; j <= m->n; j++) {
        if (m->seen[j]) continue;
        double loss =
            -m->gain[(row - 1) * m->n + j - 1] - m->row_price[row] - m->column_price[j];
        if (loss < m->slack[j]) {
            m->slack[j] = loss;
            m->came_from[j] = column;
        }
        if (m->slack[j] < *step) {
            *step = m->slack[j];
            best = j;
        }
    }
    return best;
}

static void raise_prices(matching *m, double step)
{
    for (size_t j = 0; j <= m->n; j++) {
        if (m->seen[j]) {
            m->row_price[m->row_of[j]] += step;
            m->column_price[j] -= step;
        } else {
            m->slack[j] -= step;
        }
    }
}

/* Kuhn 1955, by shortest augmenting paths (Jonker, Volgenant 1987). */
static void match_row(matching *m, size_t row)
{
    size_t column = 0;
    m->row_of[0] = row;
    for (size_t j = 0; j <= m->n; j++) {
        m->slack[j] = INFINITY;
        m->seen[j] = false;
    }
    do {
        double step;
        m->seen[column] = true;
        size_t next = next_column(m, column, &step);
        raise_prices(m, step);
        column = next;
    } while (m->row_of[column] != 0);
    for (size_t before; column != 0; column = before) {
        before = m->came_from[column];
        m->row_of[column] = m->row_of[before];
    }
}

jali_status jali_assignment_best(const double *gain, size_t n, uint32_t *column, double *total,
                                 jali_err *err)
{
    jali_arena arena = JALI_ARENA_INIT;
    matching m = { .n = n, .gain = gain };
    m.row_price = jali_arena_take(&arena, n + 1, sizeof *m.row_price);
    m.column_price = jali_arena_take(&arena, n + 1, sizeof *m.column_price);
    m.slack = jali_arena_take(&arena, n + 1, sizeof *m.slack);
    m.row_of = jali_arena_take(&arena, n + 1, sizeof *m.row_of);
    m.came_from = jali_arena_take(&arena, n + 1, sizeof *m.came_from);
    m.seen = jali_arena_take(&arena, n + 1, sizeof *m.seen);
    bool good = m.row_price != NULL && m.column_price != NULL && m.slack != NULL &&
                m.row_of != NULL && m.came_from != NULL && m.seen != NULL;
    if (good) {
        *total = 0;
        for (size_t i = 1; i <= n; i++) match_row(&m, i);
        for (size_t j = 1; j <= n; j++) {
            *total += gain[(m.row_of[j] - 1) * n + j - 1];
            if (column != NULL) column[m.row_of[j] - 1] = (uint32_t)(j - 1);
        }
    }
    jali_arena_clear(&arena);
    return good ? JALI_OK : jali_fail_memory(err);
}

jali_status jali_accuracy_of(const uint32_t *label, size_t labels, const uint32_t *class_of,
                             size_t classes, size_t n, jali_accuracy *out, jali_err *err)
{
    jali_arena arena = JALI_ARENA_INIT;
    size_t side = labels > classes ? labels : classes;
    double *both = jali_arena_take(&arena, side * side + 1, sizeof *both), major = 0, matched;
    jali_status status = both == NULL ? jali_fail_memory(err) : JALI_OK;
    if (status == JALI_OK) {
        for (size_t i = 0; i < n; i++) both[label[i] * side + class_of[i]]++;
        for (size_t c = 0; c < labels; c++) {
            double most = 0;
            for (size_t y = 0; y < classes; y++)
                if (both[c * side + y] > most) most = both[c * side + y];
            major += most;
        }
        status = jali_assignment_best(both, side, NULL, &matched, err);
    }
    if (status == JALI_OK && n > 0)
        *out = (jali_accuracy){ major / (double)n, matched / (double)n };
    else if (status == JALI_OK)
        *out = (jali_accuracy){ 0, 0 };
    jali_arena_clear(&arena);
    return status;
}

/* ---- centres -------------------------------------------------------------------------- */

double jali_centre_distance(const double *from, size_t n_from, const double *to, size_t n_to,
                            size_t d)
{
    double sum = 0;
    for (size_t i = 0; i < n_from; i++) {
        double best = INFINITY;
        for (size_t k = 0; k < n_to; k++) {
            double far = 0;
            for (size_t j = 0; j < d; j++) {
                double step = from[i * d + j] - to[k * d + j];
                far += step * step;
            }
            if (far < best) best = far;
        }
        sum += sqrt(best);
    }
    return n_from == 0 ? 0 : sum / (double)n_from;
}
