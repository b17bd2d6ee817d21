/* eval/profile_table.c — rows of a public vault, clustered and counted in the open. */
#include "eval/profile_table.h"
#include "eval/cluster_points.h"
#include "tally/open.h"
#include <math.h>

enum { STARTS = 2, ROUNDS = 60 };

/* The same stream on every machine: samples of a trial are no secret. */
static uint64_t roll(uint64_t *seed)
{
    uint64_t z = *seed += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static uint16_t bar_of(const jali_schema *schema, const jali_shown *s, uint32_t code)
{
    const jali_field *f = &schema->fields[s->field];
    if (code + 1 >= f->domain) return (uint16_t)(s->values - 1);
    if (s->kind == JALI_SHOWN_BINS) return (uint16_t)jali_field_bin_of(f, code);
    return (uint16_t)(s->kind == JALI_SHOWN_CUT ? code / s->step : code);
}

jali_status jali_open_rows_read(const jali_stage *stage, jali_open_rows *out, jali_err *err)
{
    const jali_schema *schema = stage->schema;
    jali_shown *shown = jali_arena_take(stage->arena, schema->n, sizeof *shown);
    uint16_t **bar = jali_arena_take(stage->arena, schema->n, sizeof(uint16_t *));
    if (shown == NULL || bar == NULL) return jali_fail_memory(err);
    *out = (jali_open_rows){ .rows = (size_t)jali_columns_rows(stage->columns),
                             .shown = shown,
                             .bar = bar,
                             .arena = stage->arena };
    for (size_t i = 0; i < schema->n; i++) {
        jali_arena scratch = { 0 };
        uint32_t *code = NULL;
        if (!schema->fields[i].used || !jali_shown_of(schema, i, &shown[out->attributes]))
            continue;
        uint16_t *to = jali_arena_take(stage->arena, out->rows + 1, sizeof *to);
        jali_status status = to == NULL
                                 ? jali_fail_memory(err)
                                 : jali_cluster_codes(stage->columns, schema->fields[i].name,
                                                      &scratch, &code, err);
        for (size_t r = 0; status == JALI_OK && r < out->rows; r++)
            to[r] = bar_of(schema, &shown[out->attributes], code[r]);
        jali_arena_clear(&scratch);
        if (status != JALI_OK) return status;
        bar[out->attributes++] = to;
    }
    return JALI_OK;
}

jali_status jali_open_labels(const jali_stage *stage, uint32_t clusters, uint32_t **label,
                             jali_err *err)
{
    const jali_schema *schema = stage->schema;
    const char **name = jali_arena_take(stage->arena, schema->n, sizeof(char *));
    jali_arena scratch = { 0 };
    jali_geometry space;
    jali_points points;
    jali_shown shown;
    double *centre, cost;
    size_t n = 0;
    if (name == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < schema->n; i++) {
        if (!schema->fields[i].used || !jali_shown_of(schema, i, &shown)) continue;
        name[n++] = jali_arena_format(stage->arena, "%s:codes", schema->fields[i].name);
    }
    *label = jali_arena_take(stage->arena, (size_t)jali_columns_rows(stage->columns) + 1,
                             sizeof **label);
    jali_kmeans how = { clusters, STARTS, ROUNDS, 20240607 };
    jali_status status = *label == NULL ? jali_fail_memory(err) : JALI_OK;
    if (status == JALI_OK)
        status = jali_geometry_make(&space, schema, name, n, JALI_SCALE_BOUNDS, &scratch, err);
    if (status == JALI_OK)
        status = jali_cluster_points(&space, stage->columns, &scratch, &points, err);
    if (status == JALI_OK)
        status = jali_kmeans_run(&how, &points, stage->pool, &scratch, &centre, &cost, err);
    if (status == JALI_OK)
        status = jali_points_nearest(&points, centre, clusters, stage->pool, *label, NULL, err);
    jali_arena_clear(&scratch);
    return status;
}

/* ---- counting -------------------------------------------------------------------------------
 */

typedef struct counting {
    const jali_open_rows *rows;
    const uint32_t *label;
    uint32_t clusters;
    const bool *in;
    jali_arena *arena;
} counting;

static jali_tally *tally_take(const counting *k, uint32_t values)
{
    jali_tally *t = jali_arena_take(k->arena, 1, sizeof *t);
    size_t n = (size_t)k->clusters * values;
    int64_t *cell = jali_arena_take(k->arena, n, sizeof *cell);
    if (t == NULL || cell == NULL) return NULL;
    memset(cell, 0, n * sizeof *cell);
    *t = (jali_tally){ .n = n,
                       .cell = cell,
                       .axes = 2,
                       .extent = { k->clusters, values },
                       .reach = { 1, 1, 1, 1 } };
    return t;
}

static jali_tally *count(const counting *k, uint32_t a)
{
    jali_tally *t = tally_take(k, k->rows->shown[a].values);
    for (size_t r = 0; t != NULL && r < k->rows->rows; r++)
        if (k->in[r]) t->cell[k->label[r] * t->extent[1] + k->rows->bar[a][r]]++;
    return t;
}

/* Expected counts of a twin, rounded so that every cluster keeps its size. */
static jali_tally *twin_of(const counting *k, const jali_tally *t, double keep)
{
    size_t V = (size_t)t->extent[1];
    jali_tally *twin = tally_take(k, (uint32_t)V);
    double all = 0;
    if (twin == NULL) return NULL;
    for (size_t i = 0; i < t->n; i++) all += (double)t->cell[i];
    for (size_t c = 0; c < k->clusters; c++) {
        double size = 0, carry = 0;
        for (size_t v = 0; v < V; v++) size += (double)t->cell[c * V + v];
        for (size_t v = 0; v < V; v++) {
            double H = 0;
            for (size_t e = 0; e < k->clusters; e++) H += (double)t->cell[e * V + v];
            double want = keep * (double)t->cell[c * V + v] +
                          (1 - keep) * size * (all > 0 ? H / all : 0) + carry;
            twin->cell[c * V + v] = (int64_t)floor(want + 0.5);
            carry = want - (double)twin->cell[c * V + v];
        }
    }
    return twin;
}

static jali_status open_truth(jali_open_tables *out, uint32_t clusters, uint32_t n,
                              jali_arena *arena, jali_err *err)
{
    jali_crosstab *t = &out->truth;
    uint32_t *values = jali_arena_take(arena, n, sizeof *values);
    *t = (jali_crosstab){ clusters,
                          n,
                          values,
                          jali_arena_take(arena, n, sizeof(double *)),
                          jali_arena_take(arena, n, sizeof(double *)),
                          jali_arena_take(arena, clusters, sizeof(double)),
                          0 };
    if (values == NULL || t->h == NULL || t->H == NULL || t->size == NULL)
        return jali_fail_memory(err);
    for (uint32_t a = 0; a < n; a++) {
        const jali_tally *c = out->counts[a];
        values[a] = (uint32_t)c->extent[1];
        t->h[a] = jali_arena_take(arena, c->n, sizeof(double));
        t->H[a] = jali_arena_take(arena, values[a], sizeof(double));
        if (t->h[a] == NULL || t->H[a] == NULL) return jali_fail_memory(err);
        for (uint32_t v = 0; v < values[a]; v++) t->H[a][v] = 0;
        for (size_t i = 0; i < c->n; i++) {
            t->h[a][i] = (double)c->cell[i];
            t->H[a][i % values[a]] += (double)c->cell[i];
        }
    }
    for (uint32_t c = 0; c < clusters; c++) {
        t->size[c] = 0;
        for (uint32_t v = 0; v < values[0]; v++) t->size[c] += t->h[0][c * values[0] + v];
        t->rows += t->size[c];
    }
    return JALI_OK;
}

jali_status jali_open_count(const jali_open_rows *rows, const uint32_t *label,
                            uint32_t clusters, double share, double twins, uint64_t seed,
                            jali_arena *arena, jali_open_tables *out, jali_err *err)
{
    uint32_t n = rows->attributes * (twins > 0 ? 2 : 1);
    bool *in = jali_arena_take(arena, rows->rows + 1, sizeof *in);
    out->counts = jali_arena_take(arena, n, sizeof(jali_tally *));
    if (in == NULL || out->counts == NULL) return jali_fail_memory(err);
    for (size_t r = 0; r < rows->rows; r++)
        in[r] = (double)(roll(&seed) >> 11) * 0x1p-53 < share;
    counting k = { rows, label, clusters, in, arena };
    for (uint32_t a = 0; a < n; a++) {
        uint32_t own = a % rows->attributes;
        out->counts[a] =
            a < rows->attributes ? count(&k, a) : twin_of(&k, out->counts[own], twins);
        if (out->counts[a] == NULL) return jali_fail_memory(err);
    }
    return open_truth(out, clusters, n, arena, err);
}
