/* explain/cluster/refined.c — DPM's tree finds the seeds, clipped steps find the centres.
 *
 * Claim    refined.release
 *          The clustering is rho-zCDP (Gauss) or eps-DP (Laplace), the whole budget of the
 *          request, in the add/remove model for one person.
 * Proof    proofs/refined.md#refined.release
 * Source   research/cluster.md 3; DPM for the tree. We add a count of the final clusters, so
 *          that a size is the size of the cluster that is shown; everything else gets 98 %.
 * Law      the parts: step.c and grow.c
 * Spends   of the budget: zoom 3 %, tree 20 %, leaf means and steps 75 %, sizes 2 %
 * Test     tests/explain/cluster/refined_test.c
 * Silent   Time grows with the number of rows; how many steps are taken depends on the root's
 *          released count.
 */
#include "explain/cluster/grow.h"
#include "explain/cluster/methods.h"
#include "explain/cluster/pick.h"
#include "explain/cluster/step.h"
#include <math.h>

static const double zoom_share = 0.0294, tree_share = 0.196, walk_share = 0.7546,
                    sizes_share = 0.02;
enum { STEPS_MOST = 7, STEPS_LEAST = 3, MERGE_STARTS = 8, MOST_CELLS = 512 };

typedef struct refining {
    const jali_cluster_run *run;
    jali_walker walker;
    jali_grown tree;
    unsigned steps, done;
    size_t *live; /* the centre of each of the live points */
    json_t *curve;
} refining;

/* ---- zoom: a box that holds most rows -------------------------------------------------------
 */

static jali_status zoom(refining *r, jali_frame *frame, jali_err *err)
{
    jali_walker *w = &r->walker;
    const jali_geometry *g = r->run->ask->geometry;
    jali_stride stride = { .counts = 0.15, .radius = 0.15, .sums = 0.70, .quantile = 0.95 };
    double *at = jali_arena_take(r->run->arena, 3 * g->n, sizeof *at);
    double *low = at + g->n, *high = low + g->n;
    if (at == NULL) return jali_fail_memory(err);
    JALI_TRY(jali_cluster_share(r->run->ask, zoom_share / 2, &stride.pico, err));
    for (size_t j = 0; j < g->n; j++)
        at[j] = jali_frame_in(&w->frame, j, g->dimension[j].width / 2);
    JALI_TRY(jali_walker_take(w, at, 1, err));
    for (int i = 0; i < 2; i++) JALI_TRY(jali_walker_step(w, &stride, err));
    double reach = w->radius * w->frame.unit;
    for (size_t j = 0; j < g->n; j++) {
        double middle = jali_frame_out(&w->frame, j, w->centre[j]);
        low[j] = fmax(middle - reach, 0);
        high[j] = fmin(middle + reach, g->dimension[j].width);
    }
    return jali_frame_make(frame, g, low, high, r->run->arena, err);
}

/* ---- the tree
 * --------------------------------------------------------------------------------- */

static unsigned bits_of(uint32_t k)
{
    unsigned bits = 0;
    while ((1u << bits) < k) bits++;
    return bits;
}

/* Level g gets a share in proportion to 4^(g/3): deeper nodes have fewer rows. The last one is
 * for what is left, two small clusters in one leaf where sizes are unequal, and gets `last` of
 * the one before: more, and all others would have less (docs/cluster-quality.md). */
static jali_status share_levels(const jali_cluster_ask *ask, double share, unsigned levels,
                                double last, uint64_t *pico, jali_err *err)
{
    double weight[JALI_GROW_DEPTH + 1], all = 0;
    for (unsigned g = 0; g < levels; g++) {
        weight[g] = g > 0 && g + 1 == levels ? last * weight[g - 1] : pow(4, g / 3.0);
        all += weight[g];
    }
    for (unsigned g = 0; g < levels; g++)
        JALI_TRY(jali_cluster_share(ask, share * weight[g] / all, &pico[g], err));
    return JALI_OK;
}

static jali_status plan_tree(const jali_cluster_ask *ask, jali_grow *how, jali_err *err)
{
    mpq_t t, q, alpha;
    mpq_inits(t, q, alpha, NULL);
    jali_status status = jali_cluster_exact(ask, "t", t, err);
    if (status == JALI_OK) status = jali_cluster_exact(ask, "q", q, err);
    if (status == JALI_OK) status = jali_cluster_exact(ask, "alpha", alpha, err);
    if (status == JALI_OK) status = jali_split_make(&how->split, t, q, alpha, err);
    mpq_clears(t, q, alpha, NULL);
    if (status != JALI_OK) return status;
    double cells = jali_cluster_number(ask, "cells"), depth = jali_cluster_number(ask, "depth");
    if (!(cells >= 2 && cells <= MOST_CELLS && depth >= 1 && depth <= JALI_GROW_DEPTH))
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "refined needs cells from 2 to %d and depth from 1 to %d", MOST_CELLS,
                         JALI_GROW_DEPTH);
    how->cells = 2 * (uint32_t)cells;
    unsigned wanted = bits_of(ask->clusters) + 2;
    wanted = wanted > (unsigned)depth ? wanted : (unsigned)depth;
    how->depth = jali_grow_depth(ask->geometry->n, how->cells, wanted);
    how->least = 5;
    how->again = true;
    JALI_TRY(share_levels(ask, tree_share * 0.4, how->depth + 1, 1, how->count, err));
    return share_levels(ask, tree_share * 0.6, how->depth, 0.5, how->choice, err);
}

/* ---- the steps
 * -------------------------------------------------------------------------------- */

/* How many steps the noise leaves sense for (research/cluster.md, low budget). With Laplace
 * noise every further step costs twice as much as with Gauss. */
static unsigned steps_for(const refining *r)
{
    const jali_cluster_ask *ask = r->run->ask;
    double n = fmax((double)r->tree.node[0].count, 0), d = (double)ask->geometry->n;
    double k = ask->clusters > 0 ? ask->clusters : r->tree.leaves;
    double budget = (double)ask->budget_pico * 1e-12;
    double rho = ask->law == JALI_LAW_GAUSS ? budget : budget * budget / (2 * d * 16);
    double rows = 0.15 * n / (k * sqrt(d));
    double most = ask->law == JALI_LAW_GAUSS ? STEPS_MOST : 4;
    return (unsigned)fmin(fmax(floor(1.2 * rho * rows * rows), STEPS_LEAST), most);
}

/* Parts of walk_share: 2 for the means, 1 for each step, 2 for the last. */
static jali_status part_of(const refining *r, double parts, uint64_t *pico, jali_err *err)
{
    return jali_cluster_share(r->run->ask, walk_share * parts / (r->steps + 3), pico, err);
}

static jali_status step(refining *r, jali_err *err)
{
    jali_stride stride = { JALI_STRIDE_SHARES };
    bool last = ++r->done == r->steps;
    JALI_TRY(part_of(r, last ? 2 : 1, &stride.pico, err));
    return jali_walker_step(&r->walker, &stride, err);
}

/* Live centres with their counts. */
static jali_status live_points(refining *r, jali_points *out, jali_err *err)
{
    const jali_walker *w = &r->walker;
    size_t axes = w->frame.n, n = 0;
    double *at = jali_arena_take(r->run->arena, w->k * axes, sizeof *at);
    double *weight = jali_arena_take(r->run->arena, w->k, sizeof *weight);
    r->live = jali_arena_take(r->run->arena, w->k, sizeof *r->live);
    if (at == NULL || weight == NULL || r->live == NULL) return jali_fail_memory(err);
    for (size_t l = 0; l < w->k; l++) {
        if (w->dead[l]) continue;
        r->live[n] = l;
        memcpy(at + n * axes, w->centre + l * axes, axes * sizeof *at);
        weight[n++] = fmax((double)w->count[l], 1);
    }
    if (n == 0) { /* nobody is left: the first stands for all */
        memcpy(at, w->centre, axes * sizeof *at);
        weight[n++] = 1;
    }
    *out = (jali_points){ n, axes, at, weight };
    return JALI_OK;
}

/* k centres made of live points, which bring along what is known about them. */
static jali_status take_over(refining *r, const jali_points *p, const double *centre, size_t k,
                             jali_err *err)
{
    jali_walker *w = &r->walker;
    const double *spread = w->spread;
    double variance = w->count_sd * w->count_sd;
    uint32_t *near = jali_arena_take(r->run->arena, p->n, sizeof *near);
    if (near == NULL) return jali_fail_memory(err);
    JALI_TRY(jali_walker_take(w, centre, k, err));
    JALI_TRY(jali_points_nearest(p, centre, k, NULL, near, NULL, err));
    for (size_t i = 0; i < p->n; i++) {
        size_t c = near[i];
        bool first = isinf(w->before_variance[c]);
        w->before[c] += p->weight[i];
        w->before_variance[c] = variance + (first ? 0 : w->before_variance[c]);
        w->spread[c] = hypot(w->spread[c], p->weight[i] * spread[r->live[i]]);
    }
    for (size_t c = 0; c < k; c++) w->spread[c] /= fmax(w->before[c], 1);
    return JALI_OK;
}

/* Exactly k centres: merged, or with dead ones beside the heaviest. */
static jali_status take_k(refining *r, size_t k, jali_err *err)
{
    jali_points p;
    jali_walker *w = &r->walker;
    double *centre = NULL;
    JALI_TRY(live_points(r, &p, err));
    if (p.n > k) {
        JALI_TRY(
            jali_pick_merge(&p, k, MERGE_STARTS, w->stream.at, r->run->arena, &centre, err));
        return take_over(r, &p, centre, k, err);
    }
    centre = jali_arena_take(r->run->arena, k * p.d, sizeof *centre);
    if (centre == NULL) return jali_fail_memory(err);
    memcpy(centre, p.at, p.n * p.d * sizeof *centre);
    JALI_TRY(take_over(r, &p, centre, k, err));
    for (size_t l = 0; l < k; l++) {
        w->count[l] = l < p.n ? (int64_t)p.weight[l] : 0;
        w->dead[l] = l >= p.n;
    }
    jali_walker_reseed(w);
    return JALI_OK;
}

static jali_status choose_k(refining *r, jali_err *err)
{
    jali_points p;
    size_t k;
    double *centre = NULL;
    JALI_TRY(live_points(r, &p, err));
    JALI_TRY(jali_pick_k(&p, 0.7 * r->walker.radius, r->walker.stream.at, r->run->arena, &k,
                         &centre, &r->curve, err));
    return take_over(r, &p, centre, k, err);
}

static jali_status walk(refining *r, jali_err *err)
{
    const jali_cluster_ask *ask = r->run->ask;
    JALI_TRY(step(r, err));
    if (ask->clusters > 0)
        JALI_TRY(take_k(r, ask->clusters, err));
    else {
        JALI_TRY(step(r, err));
        JALI_TRY(choose_k(r, err));
    }
    while (r->done < r->steps) {
        JALI_TRY(step(r, err));
        if (r->done < r->steps) jali_walker_reseed(&r->walker);
    }
    return JALI_OK;
}

/* ---- the whole
 * -------------------------------------------------------------------------------- */

static jali_status grow(refining *r, const jali_frame *frame, jali_err *err)
{
    jali_grow how = { 0 };
    uint64_t means;
    double *centre, *spread;
    JALI_TRY(plan_tree(r->run->ask, &how, err));
    /* One centre has marked every row 0, the root: the marks and their room serve on. */
    r->walker.frame = *frame;
    r->walker.stream = (jali_stream){ 0 };
    JALI_TRY(jali_grow_tree(r->run, &r->walker.frame, &how, r->walker.marks, &r->tree, err));
    r->steps = steps_for(r);
    JALI_TRY(part_of(r, 2, &means, err));
    JALI_TRY(jali_grow_means(r->run, &r->tree, means, &centre, &spread, err));
    if (r->steps < STEPS_MOST) r->walker.dead_at = 2;
    for (size_t v = 0; v < r->tree.n; v++)
        jali_stream_fold(&r->walker.stream, r->tree.node[v].count);
    JALI_TRY(jali_walker_take(&r->walker, centre, r->tree.leaves, err));
    for (size_t v = 0; v < r->tree.n; v++) {
        const jali_grown_node *leaf = &r->tree.node[v];
        if (leaf->left >= 0) continue;
        r->walker.spread[leaf->leaf] = spread[leaf->leaf];
        r->walker.before[leaf->leaf] = (double)leaf->count;
        r->walker.before_variance[leaf->leaf] = leaf->variance;
    }
    return JALI_OK;
}

static json_t *told_of(const refining *r)
{
    double radius = r->walker.radius * r->walker.frame.unit;
    json_t *told = json_pack("{s:I,s:I,s:f}", "leaves", (json_int_t)r->tree.leaves, "steps",
                             (json_int_t)r->steps, "radius", radius);
    if (told != NULL && r->curve != NULL) json_object_set(told, "silhouette", r->curve);
    return told;
}

static jali_status run_all(refining *r, jali_clustering *out, jali_err *err)
{
    jali_frame whole, frame;
    uint64_t sizes;
    JALI_TRY(jali_frame_make(&whole, r->run->ask->geometry, NULL, NULL, r->run->arena, err));
    JALI_TRY(jali_walker_init(&r->walker, r->run, &whole, err));
    jali_marks_keep(r->walker.marks, JALI_KEEP_PLACES);
    JALI_TRY(zoom(r, &frame, err));
    JALI_TRY(grow(r, &frame, err));
    JALI_TRY(walk(r, err));
    jali_walker_bury(&r->walker);
    JALI_TRY(jali_cluster_share(r->run->ask, sizes_share, &sizes, err));
    JALI_TRY(jali_walker_count(&r->walker, sizes, err));
    out->told = told_of(r);
    if (out->told == NULL) return jali_fail_memory(err);
    return jali_walker_finish(&r->walker, out, err);
}

static jali_status run(const jali_cluster_run *run_, jali_clustering *out, jali_err *err)
{
    refining r = { .run = run_ };
    jali_status status = run_all(&r, out, err);
    json_decref(r.curve);
    return status;
}

/* The smallest part of all must still be drawn for, whatever is released on the way. */
static jali_status check(const jali_cluster_ask *ask, jali_arena *arena, jali_err *err)
{
    jali_grow how = { 0 };
    uint64_t least;
    (void)arena;
    JALI_TRY(plan_tree(ask, &how, err));
    JALI_TRY(jali_cluster_share(ask, zoom_share / 2 * 0.15 * 0.5, &least, err));
    return jali_cluster_share(ask, walk_share / (STEPS_MOST + 3) * 0.06 * 0.5, &least, err);
}

static const jali_parameter parameters[] = {
    { "cells", "64", "cells of an axis that the tree may cut" },
    { "depth", "9", "levels of the tree" },
    { "t", "0.3", "depth of a cut: its height at q" },
    { "q", "1/12", "depth of a cut: where its slope changes" },
    { "alpha", "5", "weight of emptiness against depth" },
    { 0 },
};

const jali_method jali_method_refined = {
    .name = "refined",
    .summary = "a private tree finds seeds, clipped steps find the centres",
    .parameter = parameters,
    .takes_clusters = true,
    .check = check,
    .run = run,
};
