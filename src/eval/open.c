/* eval/open.c — clusterings that are not private, as methods: for public vaults only. */
#include "eval/open.h"
#include "eval/cluster_points.h"
#include "eval/lab.h"
#include "explain/cluster/means.h"
#include <math.h>

enum { STARTS = 20, ROUNDS = 300, WARD_SAMPLE = 3000, GMM_ROUNDS = 100, MODE_ROWS = 200000 };

static uint64_t seed_of(const jali_cluster_ask *ask)
{
    return (uint64_t)jali_cluster_number(ask, "seed");
}

static jali_status check(const jali_cluster_ask *ask, jali_arena *arena, jali_err *err)
{
    double seed = jali_cluster_number(ask, "seed");
    (void)arena;
    if (seed >= 0 && seed <= 1e9 && seed == floor(seed)) return JALI_OK;
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "seed must be a whole number from 0 to 1000000000");
}

/* Sizes without noise: the table is public. */
static jali_status count_sizes(const jali_cluster_run *r, jali_clustering *out, jali_err *err)
{
    jali_arena scratch = JALI_ARENA_INIT;
    const jali_partition *p = &out->partition;
    int64_t *size = jali_arena_take(r->arena, p->labels, sizeof *size);
    uint32_t **code = jali_arena_take(&scratch, p->n + 1, sizeof *code);
    uint64_t *one = jali_arena_take(&scratch, p->n + 1, sizeof *one);
    jali_status status =
        size == NULL || code == NULL || one == NULL ? jali_fail_memory(err) : JALI_OK;
    for (size_t i = 0; status == JALI_OK && i < p->n; i++)
        status = jali_cluster_codes(r->columns, p->columns[i], &scratch, &code[i], err);
    uint64_t rows = jali_columns_rows(r->columns);
    for (uint64_t row = 0; status == JALI_OK && row < rows; row++) {
        for (size_t i = 0; i < p->n; i++) one[i] = code[i][row];
        size[jali_partition_of(p, one)]++;
    }
    jali_arena_clear(&scratch);
    out->size = size;
    out->size_law = JALI_LAW_LAPLACE;
    out->size_scale = 1e-3; /* intervals of no width */
    return status;
}

static jali_status finish(const jali_cluster_run *r, const double *centre, size_t k,
                          jali_clustering *out, jali_err *err)
{
    JALI_TRY(jali_means_finish(r, centre, NULL, k, 0, out, err));
    return count_sizes(r, out, err);
}

static jali_status run_kmeans(const jali_cluster_run *r, jali_clustering *out, jali_err *err)
{
    jali_arena scratch = JALI_ARENA_INIT;
    jali_kmeans how = { r->ask->clusters, STARTS, ROUNDS, seed_of(r->ask) };
    jali_points points;
    double *centre, cost;
    jali_status status =
        jali_cluster_points(r->ask->geometry, r->columns, &scratch, &points, err);
    if (status == JALI_OK)
        status = jali_kmeans_run(&how, &points, r->pool, r->arena, &centre, &cost, err);
    jali_arena_clear(&scratch);
    return status == JALI_OK ? finish(r, centre, how.k, out, err) : status;
}

static jali_status run_ward(const jali_cluster_run *r, jali_clustering *out, jali_err *err)
{
    jali_arena scratch = JALI_ARENA_INIT;
    jali_points points;
    double *centre;
    size_t k;
    jali_status status =
        jali_cluster_points(r->ask->geometry, r->columns, &scratch, &points, err);
    if (status == JALI_OK)
        status = jali_agglomerate(&points, r->ask->clusters, WARD_SAMPLE, seed_of(r->ask),
                                  r->arena, &centre, &k, err);
    jali_arena_clear(&scratch);
    if (status != JALI_OK) return status;
    out->told = json_pack("{s:i}", "sample", WARD_SAMPLE);
    return finish(r, centre, k, out, err);
}

/* The mixture in the steps of a frame: means rounded, widths and offsets in its units. */
static jali_status to_mixture(const jali_cluster_run *r, const jali_gmm *g,
                              jali_clustering *out, jali_err *err)
{
    jali_frame frame;
    size_t n = g->k * g->d;
    uint16_t *centre = jali_arena_take(r->arena, n, sizeof *centre);
    double *sharp = jali_arena_take(r->arena, n, sizeof *sharp);
    double *offset = jali_arena_take(r->arena, g->k, sizeof *offset);
    if (centre == NULL || sharp == NULL || offset == NULL) return jali_fail_memory(err);
    JALI_TRY(jali_frame_make(&frame, r->ask->geometry, NULL, NULL, r->arena, err));
    for (size_t i = 0; i < n; i++) {
        double at = round(jali_frame_in(&frame, i % g->d, g->mean[i]));
        double one = jali_frame_out(&frame, i % g->d, 1) - jali_frame_out(&frame, i % g->d, 0);
        centre[i] = (uint16_t)fmin(fmax(at, 0), frame.axis[i % g->d].top);
        sharp[i] = g->sharp[i] * one * one;
    }
    for (size_t c = 0; c < g->k; c++) /* a component that nobody belongs to never wins */
        offset[c] = isfinite(g->offset[c]) ? -g->offset[c] : 1e300;
    JALI_TRY(jali_partition_mixture(&out->partition, &frame, centre, sharp, offset,
                                    (uint32_t)g->k, r->arena, err));
    out->centre = g->mean;
    return JALI_OK;
}

static jali_status run_gmm(const jali_cluster_run *r, jali_clustering *out, jali_err *err)
{
    jali_arena scratch = JALI_ARENA_INIT;
    const jali_geometry *geometry = r->ask->geometry;
    double floor_ = pow(geometry->diagonal / sqrt((double)geometry->n) * 1e-3, 2);
    jali_points points;
    jali_gmm g;
    jali_status status = jali_cluster_points(geometry, r->columns, &scratch, &points, err);
    if (status == JALI_OK)
        status = jali_gmm_fit(&points, r->ask->clusters, GMM_ROUNDS, fmax(floor_, 1e-12),
                              seed_of(r->ask), r->arena, &g, err);
    jali_arena_clear(&scratch);
    if (status == JALI_OK) status = to_mixture(r, &g, out, err);
    return status == JALI_OK ? count_sizes(r, out, err) : status;
}

/* ---- categories -------------------------------------------------------------------------- */

static size_t fields_of(const jali_geometry *g, size_t *field)
{
    size_t n = 0;
    for (size_t j = 0; j < g->n; j++)
        if (j == 0 || g->dimension[j].field != g->dimension[j - 1].field)
            field[n++] = g->dimension[j].field;
    return n;
}

/* Records row by row; of a long table the first MODE_ROWS. */
static jali_status read_records(const jali_cluster_run *r, const size_t *field, size_t d,
                                jali_arena *arena, jali_records *out, jali_err *err)
{
    const jali_schema *schema = r->ask->geometry->schema;
    uint64_t all = jali_columns_rows(r->columns);
    size_t n = (size_t)(all < MODE_ROWS ? all : MODE_ROWS);
    uint32_t *at = jali_arena_take(arena, n * d + 1, sizeof *at), *code;
    uint64_t *domain = jali_arena_take(arena, d, sizeof *domain);
    if (at == NULL || domain == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < d; i++) {
        const jali_field *f = &schema->fields[field[i]];
        domain[i] = f->domain;
        JALI_TRY(jali_cluster_codes(r->columns, f->name, arena, &code, err));
        for (size_t row = 0; row < n; row++) at[row * d + i] = code[row];
    }
    *out = (jali_records){ n, d, at, domain };
    return JALI_OK;
}

static jali_status check_kmodes(const jali_cluster_ask *ask, jali_arena *arena, jali_err *err)
{
    for (size_t j = 0; j < ask->geometry->n; j++)
        if (ask->geometry->dimension[j].domain > 65536)
            return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                             "a column has too many values to have a mode: leave it away");
    return check(ask, arena, err);
}

static jali_status run_kmodes(const jali_cluster_run *r, jali_clustering *out, jali_err *err)
{
    jali_arena scratch = JALI_ARENA_INIT;
    const jali_geometry *g = r->ask->geometry;
    jali_kmeans how = { r->ask->clusters, 5, 50, seed_of(r->ask) };
    size_t *field = jali_arena_take(&scratch, g->n, sizeof *field), d = 0;
    uint64_t *mode = NULL;
    jali_records records;
    uint32_t *found;
    double cost;
    jali_status status = field == NULL ? jali_fail_memory(err) : JALI_OK;
    if (status == JALI_OK) {
        d = fields_of(g, field);
        mode = jali_arena_take(&scratch, how.k * d, sizeof *mode);
        status = mode == NULL ? jali_fail_memory(err)
                              : read_records(r, field, d, &scratch, &records, err);
    }
    if (status == JALI_OK)
        status = jali_kmodes_run(&how, &records, &scratch, &found, &cost, err);
    for (size_t i = 0; status == JALI_OK && i < how.k * d; i++) mode[i] = found[i];
    if (status == JALI_OK)
        status = jali_partition_modes(&out->partition, g->schema, field, d, mode, NULL,
                                      r->ask->clusters, r->arena, err);
    jali_arena_clear(&scratch);
    return status == JALI_OK ? count_sizes(r, out, err) : status;
}

/* ---- the table --------------------------------------------------------------------------- */

static const jali_parameter parameters[] = {
    { "seed", "1", "another start" },
    { 0 },
};

#define OPEN(word, words, checks, runs)                                                        \
    {                                                                                          \
        .name = word, .summary = words, .parameter = parameters, .needs_clusters = true,       \
        .takes_clusters = true, .open = true, .check = checks, .run = runs                     \
    }

static const jali_method kmeans =
    OPEN("kmeans", "best of 20 starts; not private, for public vaults", check, run_kmeans);
static const jali_method ward =
    OPEN("agglomerative", "Ward's tree of a sample; not private, for public vaults", check,
         run_ward);
static const jali_method kmodes =
    OPEN("kmodes", "k-modes of categories; not private, for public vaults", check_kmodes,
         run_kmodes);

static const jali_method gmm =
    OPEN("gmm", "Gaussians along the axes; not private, for public vaults", check, run_gmm);

const jali_method *const jali_open_methods[] = { &kmeans, &gmm, &ward, &kmodes, NULL };

jali_status jali_any_method_find(const char *name, const jali_method **out, jali_err *err)
{
    for (size_t i = 0; jali_open_methods[i] != NULL; i++)
        if (strcmp(jali_open_methods[i]->name, name) == 0) {
            *out = jali_open_methods[i];
            return JALI_OK;
        }
    return jali_method_find(name, out, err);
}
