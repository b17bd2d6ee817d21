/* explain/cluster/grid.c — noisy counts of a grid, then k-means on its cells (EUGkM).
 *
 * Claim    grid.release
 *          The clustering is eps-DP (Laplace) or rho-zCDP (Gauss) in the add/remove model for
 *          one person, with the budget of the ask.
 * Proof    proofs/grid.md#grid.release
 * Source   Su, Cao, Li, Bertino, Jin, CODASPY 2016: (n eps / 10)^(2d/(2+d)) cells, n being a
 *          released count, and one Lloyd step at the end (their hybrid; step=0: EUGkM). We
 *          depart: sides are powers of two, and there are no more cells than rows, since each
 *          costs noise whoever is in it (100,000 rows, ten columns: 2^16, not 2^19). All cells
 *          get noise, empty ones too; negative ones are taken off the others in equal parts
 *          (ALGORITHMS 1.2).
 * Law      mech/noise.c on every cell; means.c in the step
 * Spends   `count` for the number of rows, `step` for the step, `sizes` at the end, the rest
 *          on the cells
 * Test     tests/explain/cluster/rivals_test.c
 * Silent   Time grows with the released number of cells.
 */
#include "explain/cluster/kmeans.h"
#include "explain/cluster/means.h"
#include "explain/cluster/methods.h"
#include "explain/cluster/stream.h"
#include <stdlib.h>

enum { CELL_BITS = 22, CELLS_KEPT = 4000, STARTS = 2, ROUNDS = 50 };

typedef struct parts {
    uint64_t rows, cells, count, sum, sizes; /* of the step: count + sum */
} parts;

static jali_status split(const jali_cluster_ask *ask, parts *out, jali_err *err)
{
    double rows = jali_cluster_number(ask, "count"), sizes = jali_cluster_number(ask, "sizes");
    double step = jali_cluster_number(ask, "step"), d = (double)ask->geometry->n;
    double count = jali_means_size_part(ask);
    *out = (parts){ 0 };
    JALI_TRY(jali_cluster_share(ask, rows, &out->rows, err));
    JALI_TRY(jali_cluster_share(ask, sizes, &out->sizes, err));
    JALI_TRY(jali_cluster_share(ask, 1 - rows - sizes - step, &out->cells, err));
    if (step == 0) return JALI_OK;
    JALI_TRY(jali_cluster_share(ask, step * count / (d + count), &out->count, err));
    return jali_cluster_share(ask, step * d / (d + count), &out->sum, err);
}

static jali_status check(const jali_cluster_ask *ask, jali_arena *arena, jali_err *err)
{
    const jali_geometry *g = ask->geometry;
    parts p;
    (void)arena;
    JALI_TRY(jali_means_shares(ask, err));
    for (size_t j = 0; j < g->n; j++)
        if (g->dimension[j].one_hot)
            return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                             "a grid is made of numbers, and \"%.100s\" is not one: leave it "
                             "away, or write %.100s:codes",
                             g->schema->fields[g->dimension[j].field].name,
                             g->schema->fields[g->dimension[j].field].name);
    if (g->n > JALI_PLAN_GRID_COLUMNS)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "a grid of %zu columns has too many cells: name at most %d", g->n,
                         JALI_PLAN_GRID_COLUMNS);
    for (size_t j = 0; j < g->n; j++)
        if (g->dimension[j].domain > UINT32_MAX)
            return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                             "\"%.100s\" is too fine for a grid: give it a wider step in the "
                             "schema",
                             g->schema->fields[g->dimension[j].field].name);
    JALI_TRY(split(ask, &p, err));
    return p.sum > 0 ? jali_means_check(ask, ask->clusters, p.sum, err) : JALI_OK;
}

/* How often columns are halved, all together. Laplace noise as wide as ours has an eps of
 * 2 sqrt(rho). */
static unsigned bits_for(const jali_cluster_ask *ask, uint64_t pico, double rows)
{
    double d = (double)ask->geometry->n, m = ask->geometry->schema->rows_per_person;
    double budget = (double)pico * 1e-12;
    double eps = (ask->law == JALI_LAW_GAUSS ? 2 * sqrt(budget) : budget) / m;
    double cells = pow(fmax(rows * eps / 10, 1), 2 * d / (2 + d));
    return (unsigned)fmin(floor(log2(fmax(fmin(cells, rows), 2))), CELL_BITS);
}

/* ---- cells to points ------------------------------------------------------------------- */

static unsigned bit_length(uint64_t x)
{
    return x == 0 ? 0 : 64 - (unsigned)__builtin_clzll(x);
}

/* The middle of a cell along one axis, in the measure of the geometry; negative if no value
 * of the column lies in it. */
static double middle(const jali_dimension *d, uint64_t cell, unsigned bits)
{
    if (d->domain < 3) return cell == 0 ? 0 : -1;
    uint64_t top = d->domain - 2;
    unsigned have = bit_length(top);
    double size = ldexp(1, (int)have - (int)bits), low = size * (double)cell;
    if (low > (double)top) return -1;
    double high = fmin(low + fmax(size - 1, 0), (double)top);
    return (low + high) / 2 / (double)top * d->width;
}

/* tau with sum of max(w - tau, 0) = `total`: what is negative is taken off the others. Cells at
 * or below the low end of the search add nothing and are dropped; most go in the first turns.
 */
static double level_for(const int64_t *cell, size_t cells, double total, double *room)
{
    double low = 0, high = 0;
    size_t n = 0;
    for (size_t i = 0; i < cells; i++) {
        if (cell[i] <= 0) continue;
        room[n++] = (double)cell[i];
        high = fmax(high, (double)cell[i]);
    }
    for (int turn = 0; turn < 60; turn++) {
        double tau = (low + high) / 2, sum = 0;
        size_t left = 0;
        for (size_t i = 0; i < n; i++) sum += fmax(room[i] - tau, 0);
        if (sum <= total) {
            high = tau;
            continue;
        }
        low = tau;
        for (size_t i = 0; i < n; i++)
            if (room[i] > low) room[left++] = room[i];
        n = left;
    }
    return high;
}

typedef struct heavy {
    size_t cell;
    double weight;
} heavy;

static int heavier(const void *x, const void *y)
{
    const heavy *a = x, *b = y;
    if (a->weight != b->weight) return a->weight > b->weight ? -1 : 1;
    return a->cell < b->cell ? -1 : a->cell > b->cell;
}

static jali_status to_points(const jali_geometry *g, const int64_t *cell, size_t cells,
                             unsigned bits, double total, jali_arena *arena, jali_points *out,
                             jali_err *err)
{
    heavy *list = jali_arena_take(arena, cells + 1, sizeof *list);
    double *room = jali_arena_take(arena, cells + 1, sizeof *room);
    size_t n = 0, kept;
    if (list == NULL || room == NULL) return jali_fail_memory(err);
    double tau = level_for(cell, cells, fmax(total, 1), room);
    for (size_t i = 0; i < cells; i++)
        if ((double)cell[i] > tau) list[n++] = (heavy){ i, (double)cell[i] - tau };
    qsort(list, n, sizeof *list, heavier);
    kept = n < CELLS_KEPT ? n : CELLS_KEPT;
    double *at = jali_arena_take(arena, kept * g->n + 1, sizeof *at);
    double *weight = jali_arena_take(arena, kept + 1, sizeof *weight);
    if (at == NULL || weight == NULL) return jali_fail_memory(err);
    n = 0;
    for (size_t i = 0; i < kept; i++) {
        bool inside = true;
        for (size_t j = g->n, left = list[i].cell; j-- > 0;) {
            unsigned own = bits / (unsigned)g->n + (j < bits % g->n); /* tally/plan.h */
            double x = middle(&g->dimension[j], left & (((size_t)1 << own) - 1), own);
            left >>= own;
            at[n * g->n + j] = x;
            inside = inside && x >= 0;
        }
        if (inside) weight[n++] = list[i].weight;
    }
    *out = (jali_points){ n, g->n, at, weight };
    return JALI_OK;
}

/* A middle stands for its cell: what a number anywhere in it deviates by. */
static void cell_spread(const jali_geometry *g, unsigned bits, size_t k, jali_spread *out)
{
    double most = 0;
    for (size_t j = 0; j < g->n; j++) {
        unsigned own = bits / (unsigned)g->n + (j < bits % g->n);
        out->axis[j] = ldexp(g->dimension[j].width, -(int)own) / sqrt(12);
        most = fmax(most, out->axis[j]);
    }
    for (size_t j = 0; j < g->n; j++) out->axis[j] /= most > 0 ? most : 1;
    for (size_t c = 0; c < k; c++) out->label[c] = most;
}

/* ---- the method ------------------------------------------------------------------------- */

static jali_status measure(const jali_cluster_run *r, unsigned bits, uint64_t pico,
                           jali_arena *arena, jali_noisy *out, jali_err *err)
{
    const jali_geometry *g = r->ask->geometry;
    const char *column[JALI_PLAN_GRID_COLUMNS];
    const jali_tallies *tallies;
    jali_plan *plan = NULL;
    jali_noiser *noiser = NULL;
    size_t table;
    for (size_t j = 0; j < g->n; j++) column[j] = g->schema->fields[g->dimension[j].field].name;
    jali_status status = jali_plan_new(&plan, r->columns, g->schema->rows_per_person, err);
    if (status == JALI_OK) status = jali_plan_grid(plan, 0, column, g->n, bits, &table, err);
    if (status == JALI_OK) status = jali_plan_run(plan, r->pool, arena, &tallies, err);
    if (status == JALI_OK) status = jali_cluster_noiser(r->ask, pico, &noiser, err);
    if (status == JALI_OK)
        status = jali_noise_release(noiser, jali_tallies_counts(tallies, table), r->charge,
                                    r->dice, arena, out, err);
    jali_noiser_free(noiser);
    jali_plan_free(plan);
    return status;
}

static jali_status cells_to_centres(const jali_cluster_run *r, uint64_t pico, int64_t rows,
                                    double **centre, jali_spread *spread, json_t **told,
                                    jali_err *err)
{
    const jali_cluster_ask *ask = r->ask;
    jali_arena scratch = JALI_ARENA_INIT;
    jali_stream stream = { 0 };
    jali_noisy noisy;
    jali_points points;
    double cost;
    unsigned bits = bits_for(ask, pico, (double)rows);
    jali_status status = measure(r, bits, pico, &scratch, &noisy, err);
    if (status == JALI_OK) /* the last cell holds those with a NULL among their values */
        status = to_points(ask->geometry, noisy.cell, noisy.n - 1, bits, (double)rows, &scratch,
                           &points, err);
    cell_spread(ask->geometry, bits, ask->clusters, spread);
    jali_stream_fold(&stream, rows);
    jali_kmeans how = { ask->clusters, STARTS, ROUNDS, jali_stream_word(&stream) };
    if (status == JALI_OK)
        status = jali_kmeans_run(&how, &points, r->pool, r->arena, centre, &cost, err);
    if (status == JALI_OK)
        *told = json_pack("{s:i,s:I,s:I,s:I}", "halvings", (int)bits, "cells",
                          (json_int_t)(noisy.n - 1), "kept", (json_int_t)points.n, "rows",
                          (json_int_t)rows);
    jali_arena_clear(&scratch);
    return status;
}

static jali_status run(const jali_cluster_run *r, jali_clustering *out, jali_err *err)
{
    size_t k = r->ask->clusters;
    int64_t rows;
    double *centre;
    jali_spread spread;
    parts p;
    JALI_TRY(split(r->ask, &p, err));
    JALI_TRY(jali_spread_take(r, k, &spread, err));
    JALI_TRY(jali_means_rows(r, p.rows, &rows, err));
    JALI_TRY(cells_to_centres(r, p.cells, rows, &centre, &spread, &out->told, err));
    if (p.sum > 0) JALI_TRY(jali_means_step(r, p.count, p.sum, centre, k, &spread, err));
    return jali_means_finish(r, centre, &spread, k, p.sizes, out, err);
}

static const jali_parameter parameters[] = {
    { "count", "0.02", "share of the budget for the number of rows" },
    { "step", "0.5", "share of the budget for a last k-means step; 0: none" },
    { "sizes", "0.03", "share of the budget for the sizes" },
    { 0 },
};

const jali_method jali_method_grid = {
    .name = "grid",
    .summary = "noisy counts of a grid, k-means on its cells, one step (EUGkM, hybrid)",
    .parameter = parameters,
    .needs_clusters = true,
    .takes_clusters = true,
    .check = check,
    .run = run,
};
