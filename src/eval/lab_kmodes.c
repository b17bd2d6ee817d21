/* eval/lab_kmodes.c — k-modes: clusters of records of categories.
 *
 * Huang, Data Mining and Knowledge Discovery 1998: nearest mode by the number of columns that
 * differ (the lowest among equals), then the most frequent value of each column (the lowest
 * code among equals). The first modes are records, drawn apart as in k-means++.
 */
#include "eval/lab.h"
#include "explain/cluster/stream.h"
#include <string.h>

typedef struct modes {
    const jali_records *r;
    size_t k;
    uint32_t *mode, *nearest, *far; /* k * d, n, n */
    size_t *count;                  /* k times the widest domain */
    uint64_t widest;
} modes;

static uint32_t differ(const jali_records *r, const uint32_t *a, const uint32_t *b)
{
    uint32_t n = 0;
    for (size_t j = 0; j < r->d; j++) n += a[j] != b[j];
    return n;
}

static double assign(modes *m, size_t k)
{
    double cost = 0;
    for (size_t i = 0; i < m->r->n; i++) {
        m->far[i] = UINT32_MAX;
        for (size_t c = 0; c < k; c++) {
            uint32_t far = differ(m->r, m->r->at + i * m->r->d, m->mode + c * m->r->d);
            if (far >= m->far[i]) continue;
            m->far[i] = far;
            m->nearest[i] = (uint32_t)c;
        }
        cost += m->far[i];
    }
    return cost;
}

/* Only the newest mode can be nearer than those before it. */
static double look_at(modes *m, size_t newest)
{
    double cost = 0;
    for (size_t i = 0; i < m->r->n; i++) {
        uint32_t far = differ(m->r, m->r->at + i * m->r->d, m->mode + newest * m->r->d);
        if (newest == 0 || far < m->far[i]) m->far[i] = far;
        cost += m->far[i];
    }
    return cost;
}

static void begin(modes *m, jali_stream *stream)
{
    const jali_records *r = m->r;
    for (size_t c = 0; c < m->k; c++) {
        double cost = c == 0 ? 0 : look_at(m, c - 1), left = jali_stream_unit(stream) * cost;
        size_t at = jali_stream_below(stream, r->n);
        for (size_t i = 0; cost > 0 && i < r->n; i++)
            if (m->far[i] > 0) {
                at = i;
                if ((left -= m->far[i]) < 0) break;
            }
        memcpy(m->mode + c * r->d, r->at + at * r->d, r->d * sizeof *m->mode);
    }
}

static void move(modes *m)
{
    const jali_records *r = m->r;
    for (size_t j = 0; j < r->d; j++) {
        memset(m->count, 0, m->k * m->widest * sizeof *m->count);
        for (size_t i = 0; i < r->n; i++)
            m->count[m->nearest[i] * m->widest + r->at[i * r->d + j]]++;
        for (size_t c = 0; c < m->k; c++) {
            const size_t *count = m->count + c * m->widest;
            uint32_t *mode = &m->mode[c * r->d + j];
            for (uint32_t v = 0; v < r->domain[j]; v++)
                if (count[v] > count[*mode]) *mode = v;
        }
    }
}

static double run_start(modes *m, jali_stream *stream, unsigned rounds)
{
    begin(m, stream);
    double cost = assign(m, m->k);
    for (unsigned i = 0; i < rounds; i++) {
        move(m);
        double now = assign(m, m->k);
        if (now >= cost) break;
        cost = now;
    }
    return cost;
}

jali_status jali_kmodes_run(const jali_kmeans *how, const jali_records *records,
                            jali_arena *arena, uint32_t **mode, double *cost, jali_err *err)
{
    jali_arena scratch = JALI_ARENA_INIT;
    jali_stream stream = { how->seed };
    size_t n = records->n, d = records->d, k = how->k;
    modes m = { .r = records, .k = k, .widest = 1 };
    for (size_t j = 0; j < d; j++)
        if (records->domain[j] > m.widest) m.widest = records->domain[j];
    uint32_t *out = jali_arena_take(arena, k * d, sizeof *out);
    m.mode = jali_arena_take(&scratch, k * d, sizeof *m.mode);
    m.nearest = jali_arena_take(&scratch, n + 1, sizeof *m.nearest);
    m.far = jali_arena_take(&scratch, n + 1, sizeof *m.far);
    m.count = jali_arena_take(&scratch, k * m.widest, sizeof *m.count);
    bool good =
        out != NULL && m.mode != NULL && m.nearest != NULL && m.far != NULL && m.count != NULL;
    if (good) *cost = 0;
    for (unsigned i = 0; good && n > 0 && i < how->starts; i++) {
        double one = run_start(&m, &stream, how->rounds);
        if (i > 0 && one >= *cost) continue;
        *cost = one;
        memcpy(out, m.mode, k * d * sizeof *out);
    }
    jali_arena_clear(&scratch);
    if (!good) return jali_fail_memory(err);
    *mode = out;
    return JALI_OK;
}
