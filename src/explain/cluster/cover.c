/* explain/cluster/cover.c — balls that cover many records, then k-means on them (EM-MC).
 *
 * Claim    cover.release
 *          The clustering is eps-DP (Laplace) or rho-zCDP (Gauss) in the add/remove model for
 *          one person, with the budget of the ask.
 * Proof    proofs/cover.md#cover.release
 * Source   Nguyen, Chaturvedi, Xu, AAAI 2021, corrected: the scale of the projection comes from
 *          the public box (the program takes the data's largest norm), every pick is paid for
 *          (range 1, so eps^2/8 each: at 640 picks and delta 1e-8 that is less noise than the
 *          analysis of Gupta et al., which one radius has), clusters are dropped by noisy
 *          counts, averages are centred in the box (FLAG 15). Cells of a grid over at most 8
 *          directions stand for points, balls are of the largest coordinate: then one pass
 *          answers all picks.
 * Law      mech/choose.c for each pick; mech/noise.c for proxies and averages
 * Spends   `cover` for the picks in equal parts, `proxies` for their counts, `sizes` at the
 *          end, the rest for the averages (a fifth of it for counts)
 * Test     tests/explain/cluster/rivals_test.c
 * Silent   Time grows with the number of rows, which an analyst must not be shown.
 */
#include "score/cover.h"
#include "explain/cluster/kmeans.h"
#include "explain/cluster/means.h"
#include "explain/cluster/methods.h"
#include "explain/cluster/stream.h"
#include "tally/project.h"
#include <string.h>

enum { AXES = 8, CELLS_MOST = 60000, SIDE_MOST = 240, RADII = 16, STARTS = 16, ROUNDS = 100 };

typedef struct cover {
    const jali_cluster_run *run;
    jali_cell_grid grid;
    size_t axes, cells;
    const char **column;
    size_t n_columns;
    bool *covered;
    size_t *pick; /* cells chosen, each once */
    size_t n_picks;
    jali_stream stream;
} cover;

typedef struct parts {
    uint64_t pick, proxies, count, sum, sizes;
} parts;

/* ---- public facts ----------------------------------------------------------------------- */

static size_t axes_of(const jali_cluster_ask *ask)
{
    return ask->geometry->n < AXES ? ask->geometry->n : AXES;
}

static uint32_t side_of(size_t axes)
{
    double side = floor(pow(CELLS_MOST, 1 / (double)axes));
    return side > SIDE_MOST ? SIDE_MOST : (uint32_t)side;
}

/* 0, 1, 2, 4, ... cells to each side, while a ball is smaller than the grid. */
static size_t radii_of(uint32_t side, uint32_t radius[RADII])
{
    size_t n = 0;
    for (uint32_t r = 0; r < side / 2 && n < RADII; r = r == 0 ? 1 : 2 * r) radius[n++] = r;
    if (n == 0) radius[n++] = 0;
    return n;
}

static jali_status split(const jali_cluster_ask *ask, parts *out, jali_err *err)
{
    uint32_t radius[RADII];
    double picks = (double)radii_of(side_of(axes_of(ask)), radius) * ask->clusters;
    double first = jali_cluster_number(ask, "cover"), last = jali_cluster_number(ask, "sizes");
    double proxies = jali_cluster_number(ask, "proxies"), rest = 1 - first - proxies - last;
    JALI_TRY(jali_cluster_share(ask, first / picks, &out->pick, err));
    JALI_TRY(jali_cluster_share(ask, proxies, &out->proxies, err));
    JALI_TRY(jali_cluster_share(ask, rest * 0.2, &out->count, err));
    JALI_TRY(jali_cluster_share(ask, rest * 0.8, &out->sum, err));
    return jali_cluster_share(ask, last, &out->sizes, err);
}

static jali_status check(const jali_cluster_ask *ask, jali_arena *arena, jali_err *err)
{
    parts p;
    (void)arena;
    JALI_TRY(jali_means_shares(ask, err));
    if (ask->clusters > 1000)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "cover finds at most 1000 clusters, not %u", (unsigned)ask->clusters);
    JALI_TRY(split(ask, &p, err));
    return jali_means_check(ask, ask->clusters, p.sum, err);
}

/* ---- the grid ---------------------------------------------------------------------------- */

/* The axes themselves, if there are few; else random directions. */
static void draw_direction(cover *c, size_t k, size_t axes, int16_t *to)
{
    bool own = axes <= AXES;
    for (size_t j = 0; j < axes; j++) {
        double g = own ? (j == k ? JALI_DIRECTION_SIZE : 0)
                       : round(jali_stream_normal(&c->stream) * JALI_DIRECTION_SIZE / 4.5);
        to[j] = (int16_t)fmin(fmax(g, -JALI_DIRECTION_SIZE), JALI_DIRECTION_SIZE);
    }
}

/* Half the length that the grid has along a direction: all of the box for an axis, else 2.5
 * standard deviations of a record anywhere in the box. */
static double reach_of(const jali_frame *f, const int16_t *direction)
{
    double square = 0;
    for (size_t j = 0; j < f->n; j++) {
        double half = (f->axis[j].top + 1) / 2.0 * direction[j];
        square += f->n <= AXES ? half * half : 2.5 * 2.5 * half * half / 3;
    }
    return sqrt(square);
}

static void bind_columns(cover *c, size_t *column_of)
{
    const jali_geometry *g = c->run->ask->geometry;
    for (size_t j = 0; j < g->n; j++) {
        if (j == 0 || g->dimension[j].field != g->dimension[j - 1].field)
            c->column[c->n_columns++] = g->schema->fields[g->dimension[j].field].name;
        column_of[j] = c->n_columns - 1;
    }
}

static jali_status make_grid(cover *c, jali_err *err)
{
    const jali_geometry *g = c->run->ask->geometry;
    jali_arena *arena = c->run->arena;
    jali_frame frame;
    size_t n = c->axes;
    int16_t *direction = jali_arena_take(arena, n * g->n, sizeof *direction);
    int32_t *low = jali_arena_take(arena, n, sizeof *low);
    int32_t *step = jali_arena_take(arena, n, sizeof *step);
    size_t *column_of = jali_arena_take(arena, g->n, sizeof *column_of);
    c->column = jali_arena_take(arena, g->n, sizeof *c->column);
    if (direction == NULL || low == NULL || step == NULL || column_of == NULL ||
        c->column == NULL)
        return jali_fail_memory(err);
    JALI_TRY(jali_frame_make(&frame, g, NULL, NULL, arena, err));
    bind_columns(c, column_of);
    for (size_t k = 0; k < n; k++) {
        draw_direction(c, k, g->n, direction + k * g->n);
        double reach = reach_of(&frame, direction + k * g->n);
        low[k] = (int32_t)-reach;
        step[k] = (int32_t)fmax(ceil(2 * reach / c->grid.cells), 1);
    }
    c->grid.on = (jali_projection){ g->n, n, frame.axis, column_of, direction };
    c->grid.low = low;
    c->grid.step = step;
    return JALI_OK;
}

static jali_label label_by(cover *c, const uint16_t *map, uint32_t labels)
{
    c->grid.map = map;
    return (jali_label){ .labels = labels,
                         .n = c->n_columns,
                         .columns = c->column,
                         .label = jali_cell_grid_rows,
                         .self = &c->grid,
                         .made = JALI_LABEL_GRID,
                         .of = &c->grid };
}

/* ---- picks ------------------------------------------------------------------------------- */

static jali_status pick_one(cover *c, const jali_chooser *chooser, uint32_t radius,
                            const jali_tally *counts, jali_err *err)
{
    jali_arena scratch = JALI_ARENA_INIT;
    const jali_cluster_run *r = c->run;
    jali_cover ball = { (unsigned)c->axes, c->grid.cells, radius, c->covered };
    const jali_scores *scores;
    size_t winner = 0, n, known = 0;
    jali_status status = jali_score_cover(&ball, counts, &scratch, &scores, err);
    if (status == JALI_OK)
        status = jali_choose(chooser, scores, r->charge, r->dice, &winner, &n, err);
    if (status == JALI_OK) {
        jali_cover_mark(&ball, winner, c->covered);
        while (known < c->n_picks && c->pick[known] != winner) known++;
        if (known == c->n_picks) c->pick[c->n_picks++] = winner;
        jali_stream_fold(&c->stream, (int64_t)winner);
    }
    jali_arena_clear(&scratch);
    return status;
}

static jali_status pick_all(cover *c, uint64_t pico, jali_err *err)
{
    const jali_cluster_ask *ask = c->run->ask;
    const jali_schema *schema = ask->geometry->schema;
    uint32_t radius[RADII];
    size_t radii = radii_of(c->grid.cells, radius), slice, table;
    const jali_tallies *tallies;
    jali_plan *plan = NULL;
    jali_chooser *chooser = NULL;
    jali_label label = label_by(c, NULL, (uint32_t)c->cells);
    jali_status status = jali_cluster_chooser(ask, pico, &chooser, err);
    if (status == JALI_OK)
        status = jali_plan_new(&plan, c->run->columns, schema->rows_per_person, err);
    if (status == JALI_OK) status = jali_plan_slice(plan, &label, NULL, &slice, err);
    if (status == JALI_OK) status = jali_plan_counts(plan, slice, NULL, 0, &table, err);
    if (status == JALI_OK)
        status = jali_plan_run(plan, c->run->pool, c->run->arena, &tallies, err);
    for (size_t i = 0; status == JALI_OK && i < radii * ask->clusters; i++)
        status = pick_one(c, chooser, radius[i / ask->clusters],
                          jali_tallies_counts(tallies, table), err);
    jali_plan_free(plan);
    jali_chooser_free(chooser);
    return status;
}

/* ---- proxies ----------------------------------------------------------------------------- */

static void place_of(const cover *c, size_t cell, double *at)
{
    for (size_t k = c->axes; k-- > 0; cell /= c->grid.cells)
        at[k] = (double)(cell % c->grid.cells);
}

/* map[cell] = the nearest pick. */
static jali_status nearest_pick(const cover *c, uint16_t *map, jali_err *err)
{
    jali_arena scratch = JALI_ARENA_INIT;
    double *all = jali_arena_take(&scratch, c->cells * c->axes, sizeof *all);
    double *pick = jali_arena_take(&scratch, c->n_picks * c->axes, sizeof *pick);
    uint32_t *near = jali_arena_take(&scratch, c->cells, sizeof *near);
    jali_status status =
        all != NULL && pick != NULL && near != NULL ? JALI_OK : jali_fail_memory(err);
    if (status == JALI_OK) {
        jali_points points = { c->cells, c->axes, all, NULL };
        for (size_t i = 0; i < c->cells; i++) place_of(c, i, all + i * c->axes);
        for (size_t i = 0; i < c->n_picks; i++) place_of(c, c->pick[i], pick + i * c->axes);
        status = jali_points_nearest(&points, pick, c->n_picks, c->run->pool, near, NULL, err);
    }
    for (size_t i = 0; status == JALI_OK && i < c->cells; i++) map[i] = (uint16_t)near[i];
    jali_arena_clear(&scratch);
    return status;
}

/* The k-means of the picks, weighted by noisy counts; map[cell] becomes the group of its pick.
 */
static jali_status group_picks(cover *c, uint64_t pico, uint16_t *map, size_t *groups,
                               jali_err *err)
{
    jali_arena *arena = c->run->arena;
    size_t n = c->n_picks;
    jali_means means;
    jali_label label = label_by(c, map, (uint32_t)n);
    double *at = jali_arena_take(arena, n * c->axes, sizeof *at), *centre, cost;
    double *weight = jali_arena_take(arena, n, sizeof *weight);
    uint32_t *near = jali_arena_take(arena, n, sizeof *near);
    if (at == NULL || weight == NULL || near == NULL) return jali_fail_memory(err);
    JALI_TRY(jali_means_measure(c->run, &label, pico, 0, arena, &means, err));
    for (size_t i = 0; i < n; i++) {
        place_of(c, c->pick[i], at + i * c->axes);
        weight[i] = means.size[i] > 0 ? (double)means.size[i] : 0;
    }
    jali_points points = { n, c->axes, at, weight };
    jali_kmeans how = { c->run->ask->clusters < n ? c->run->ask->clusters : n, STARTS, ROUNDS,
                        jali_stream_word(&c->stream) };
    JALI_TRY(jali_kmeans_run(&how, &points, c->run->pool, arena, &centre, &cost, err));
    JALI_TRY(jali_points_nearest(&points, centre, how.k, NULL, near, NULL, err));
    for (size_t i = 0; i < c->cells; i++) map[i] = (uint16_t)near[map[i]];
    *groups = how.k;
    return JALI_OK;
}

/* Averages of the groups; a group whose noisy count is below 1 has no centre. */
static jali_status average(cover *c, const parts *p, const uint16_t *map, size_t groups,
                           double *centre, jali_spread *spread, size_t *k, jali_err *err)
{
    const jali_geometry *g = c->run->ask->geometry;
    jali_label label = label_by(c, map, (uint32_t)groups);
    jali_means means;
    JALI_TRY(jali_means_measure(c->run, &label, p->count, p->sum, c->run->arena, &means, err));
    double most = jali_spread_axes(means.spread, g->n, spread);
    *k = 0;
    for (size_t i = 0; i < groups; i++) {
        double size = (double)means.size[i];
        if (size < 1) continue;
        spread->label[*k] = most / size;
        jali_means_centre(g, means.sum + i * g->n, size, centre + (*k)++ * g->n);
    }
    if (*k == 0) /* nothing is left: the middle of the box */
        for (size_t j = 0; j < g->n; j++) centre[j] = jali_means_origin(g, j);
    if (*k == 0) *k = 1;
    return JALI_OK;
}

static jali_status run(const jali_cluster_run *r, jali_clustering *out, jali_err *err)
{
    const jali_cluster_ask *ask = r->ask;
    cover c = { .run = r, .axes = axes_of(ask), .cells = 1, .stream = { 20240607 } };
    size_t most = RADII * (size_t)ask->clusters, groups = 0, k = 0;
    parts p;
    jali_spread spread;
    c.grid.cells = side_of(c.axes);
    for (size_t i = 0; i < c.axes; i++) c.cells *= c.grid.cells;
    c.covered = jali_arena_take(r->arena, c.cells, sizeof *c.covered);
    c.pick = jali_arena_take(r->arena, most, sizeof *c.pick);
    uint16_t *map = jali_arena_take(r->arena, c.cells, sizeof *map);
    double *centre =
        jali_arena_take(r->arena, ask->clusters * ask->geometry->n, sizeof *centre);
    if (c.covered == NULL || c.pick == NULL || map == NULL || centre == NULL)
        return jali_fail_memory(err);
    JALI_TRY(split(ask, &p, err));
    JALI_TRY(make_grid(&c, err));
    JALI_TRY(pick_all(&c, p.pick, err));
    JALI_TRY(nearest_pick(&c, map, err));
    JALI_TRY(group_picks(&c, p.proxies, map, &groups, err));
    JALI_TRY(jali_spread_take(r, ask->clusters, &spread, err));
    JALI_TRY(average(&c, &p, map, groups, centre, &spread, &k, err));
    out->told = json_pack("{s:i,s:i,s:i}", "directions", (int)c.axes, "side", (int)c.grid.cells,
                          "picks", (int)c.n_picks);
    return jali_means_finish(r, centre, &spread, k, p.sizes, out, err);
}

static const jali_parameter parameters[] = {
    { "cover", "0.2", "share of the budget for choosing balls" },
    { "proxies", "0.2", "share of the budget for counting what is nearest to them" },
    { "sizes", "0.03", "share of the budget for the sizes" },
    { 0 },
};

const jali_method jali_method_cover = {
    .name = "cover",
    .summary = "balls that cover many records, then k-means on them (EM-MC)",
    .parameter = parameters,
    .needs_clusters = true,
    .takes_clusters = true,
    .check = check,
    .run = run,
};
