/* explain/cluster/dpm.c — DPM as published, corrected: a tree of boxes and their means.
 *
 * Claim    dpm.release
 *          Tree, counts and means are eps-DP (Laplace) or rho-zCDP (Gauss), the whole budget of
 *          the request, in the add/remove model for one person.
 * Proof    proofs/dpm.md#dpm.release
 * Source   DPM (Algorithms 1 and 2) with PRIVACY 4: wide gaps pooled over columns, depth
 *          centreness over the released count, no lambda and no delta, counts of refused cuts
 *          mixed in, means about the middle of the leaf's box. In zCDP the shares are of rho.
 *          Cuts that do not pay for the noise of their means are undone (fold.c; fold=no).
 * Law      the parts: gaps.c with radius.c and mech/choose.c for the interval; grow.c
 * Spends   shares int, cnt, exp and avg of the budget, 1 together; with reading=centres one
 *          fiftieth of avg counts the rows nearest to each centre
 * Test     tests/explain/cluster/refined_test.c
 * Silent   Time grows with the number of rows and the size of the released tree.
 */
#include "explain/cluster/grow.h"
#include "explain/cluster/means.h"
#include "explain/cluster/methods.h"
#include "explain/cluster/step.h"
#include "score/radius.h"
#include "tally/gaps.h"
#include <math.h>

enum { SIGMAS = 30, MOST_CELLS = 512, FOUND_CELLS = 400 };  /* 2 / sigma_step */
static const double sigma_step = 0.005, sizes_share = 0.02; /* of a column's range; of avg */

typedef struct parts {
    double interval, counts, choices, means;
    double cells; /* 0: estimated */
    unsigned depth;
    bool boxes, fold;
    jali_split split;
} parts;

/* ---- what is asked for ---------------------------------------------------------------------
 */

static jali_status read_split(const jali_cluster_ask *ask, jali_split *out, jali_err *err)
{
    mpq_t t, q, alpha;
    mpq_inits(t, q, alpha, NULL);
    jali_status status = jali_cluster_exact(ask, "t", t, err);
    if (status == JALI_OK) status = jali_cluster_exact(ask, "q", q, err);
    if (status == JALI_OK) status = jali_cluster_exact(ask, "alpha", alpha, err);
    if (status == JALI_OK) status = jali_split_make(out, t, q, alpha, err);
    mpq_clears(t, q, alpha, NULL);
    return status;
}

static jali_status read_words(const jali_cluster_ask *ask, bool *boxes, bool *fold,
                              jali_err *err)
{
    const char *word = jali_cluster_word(ask, "reading");
    *boxes = strcmp(word, "boxes") == 0;
    if (!*boxes && strcmp(word, "centres") != 0)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "dpm reads clusters as boxes or as centres, not as \"%.40s\"", word);
    word = jali_cluster_word(ask, "fold");
    *fold = strcmp(word, "yes") == 0;
    if (*fold || strcmp(word, "no") == 0) return JALI_OK;
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "dpm folds cuts back (yes) or not (no), not \"%.40s\"", word);
}

static jali_status read_parts(const jali_cluster_ask *ask, parts *p, jali_err *err)
{
    double depth = jali_cluster_number(ask, "depth");
    *p = (parts){ .interval = jali_cluster_number(ask, "int"),
                  .counts = jali_cluster_number(ask, "cnt"),
                  .choices = jali_cluster_number(ask, "exp"),
                  .means = jali_cluster_number(ask, "avg"),
                  .cells = jali_cluster_number(ask, "cells") };
    double sum = p->interval + p->counts + p->choices + p->means;
    bool fixed = p->cells >= 2 && p->cells <= MOST_CELLS;
    if (!(p->interval >= 0 && p->counts > 0 && p->choices > 0 && p->means > 0 &&
          sum <= 1 + 4e-13) ||
        !(fixed || p->cells == 0) || (!fixed && !(p->interval > 0)))
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "dpm's shares int, cnt, exp and avg must be above 0 and 1 together at "
                         "most, and cells 0 (found out) or 2 to %d",
                         MOST_CELLS);
    if (!(depth >= 1 && depth <= JALI_GROW_DEPTH))
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST, "dpm needs depth from 1 to %d",
                         JALI_GROW_DEPTH);
    p->depth = (unsigned)depth;
    JALI_TRY(read_words(ask, &p->boxes, &p->fold, err));
    return read_split(ask, &p->split, err);
}

/* Level i gets a share in proportion to sqrt(2^i): it has 2^i nodes. */
static jali_status share_levels(const jali_cluster_ask *ask, double share, unsigned levels,
                                uint64_t *pico, jali_err *err)
{
    double all = 0;
    for (unsigned i = 0; i < levels; i++) all += pow(2, i / 2.0);
    for (unsigned i = 0; i < levels; i++)
        JALI_TRY(jali_cluster_share(ask, share * pow(2, i / 2.0) / all, &pico[i], err));
    return JALI_OK;
}

/* ---- the interval
 * ------------------------------------------------------------------------------ */

static jali_status choose_sigma(const jali_cluster_run *run, jali_ground *ground, double rows,
                                uint64_t pico, size_t *winner, jali_err *err)
{
    double width[SIGMAS], gap = JALI_USUAL_GAP / fmax(rows, 2);
    const jali_tally *wide;
    const jali_scores *scores;
    jali_chooser *chooser = NULL;
    size_t axes, n;
    for (int i = 0; i < SIGMAS; i++) width[i] = sigma_step * (i + 1) * gap;
    JALI_TRY(jali_gaps_wide(ground, width, SIGMAS, &wide, &axes, err));
    int64_t wanted = llround(0.35 * (double)axes * (fmax(rows, 2) - 1));
    JALI_TRY(jali_score_radius(wide, wanted, ground->arena, &scores, err));
    JALI_TRY(jali_cluster_chooser(run->ask, pico, &chooser, err));
    jali_status status = jali_choose(chooser, scores, run->charge, run->dice, winner, &n, err);
    jali_chooser_free(chooser);
    return status;
}

/* Candidates lie half a standard deviation apart. */
static jali_status find_cells(const jali_cluster_run *run, const parts *p,
                              const jali_frame *frame, double rows, double *cells,
                              jali_err *err)
{
    jali_arena own = JALI_ARENA_INIT;
    jali_ground ground = { frame, run->columns, run->ask->geometry->schema->rows_per_person,
                           run->pool, &own };
    uint64_t pico = 0;
    size_t winner = 0;
    *cells = p->cells;
    if (*cells > 0) return JALI_OK;
    jali_status status = jali_cluster_share(run->ask, p->interval, &pico, err);
    if (status == JALI_OK) status = choose_sigma(run, &ground, rows, pico, &winner, err);
    jali_arena_clear(&own);
    *cells = round(2 / (sigma_step * (double)(winner + 1)));
    return status;
}

/* ---- the whole
 * -------------------------------------------------------------------------------- */

/* Leaves as the tree has them: sizes are of boxes. The widest noise of a leaf stands for all.
 */
static jali_status finish_boxes(const jali_cluster_run *run, const jali_grown *tree,
                                const jali_walker *w, jali_clustering *out, jali_err *err)
{
    double most = 0, *centre = jali_arena_take(run->arena, w->k * w->frame.n, sizeof *centre);
    double *spread = jali_arena_take(run->arena, w->k, sizeof *spread);
    int64_t *size = jali_arena_take(run->arena, w->k, sizeof *size);
    if (centre == NULL || spread == NULL || size == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < w->k * w->frame.n; i++)
        centre[i] = jali_frame_out(&w->frame, i % w->frame.n, w->centre[i]);
    for (size_t v = 0; v < tree->n; v++) {
        if (tree->node[v].left >= 0) continue;
        size[tree->node[v].leaf] = tree->node[v].count;
        most = fmax(most, tree->node[v].variance);
    }
    for (size_t l = 0; l < w->k; l++) spread[l] = w->spread[l] * w->frame.unit;
    bool pure = run->ask->law == JALI_LAW_LAPLACE;
    out->centre = centre;
    out->centre_spread = spread;
    out->size = size;
    out->size_law = run->ask->law;
    out->size_scale = pure ? sqrt(most / 2) : sqrt(most);
    return jali_grow_partition(tree, run->arena, &out->partition, err);
}

static jali_status finish_centres(const jali_cluster_run *run, const parts *p,
                                  const jali_grown *tree, jali_walker *w, jali_clustering *out,
                                  jali_err *err)
{
    uint64_t pico;
    jali_partition *boxes = jali_arena_take(run->arena, 1, sizeof *boxes);
    if (boxes == NULL) return jali_fail_memory(err);
    JALI_TRY(jali_grow_partition(tree, run->arena, boxes, err));
    JALI_TRY(jali_cluster_share(run->ask, p->means * sizes_share, &pico, err));
    JALI_TRY(jali_walker_count(w, pico, err));
    JALI_TRY(jali_walker_finish(w, out, err));
    out->boxes = boxes;
    return JALI_OK;
}

static jali_status plan_tree(const jali_cluster_ask *ask, const parts *p, double cells,
                             jali_grow *how, jali_err *err)
{
    *how = (jali_grow){ .split = p->split, .cells = 2 * (uint32_t)cells, .relative = true };
    /* The same depth whatever the interval turns out to be: count[0] is spent before. */
    uint32_t most = 2 * (uint32_t)(p->cells > 0 ? p->cells : FOUND_CELLS);
    how->depth = jali_grow_depth(ask->geometry->n, most, p->depth);
    how->least = pow(2, -(double)how->depth);
    JALI_TRY(share_levels(ask, p->counts, how->depth + 1, how->count, err));
    return share_levels(ask, p->choices, how->depth, how->choice, err);
}

static jali_status grow(const jali_cluster_run *run, const parts *p, jali_walker *w,
                        jali_grown *tree, double *cells, jali_err *err)
{
    jali_grow how;
    int64_t rows = 0;
    uint64_t pico;
    double *centre, *spread;
    JALI_TRY(plan_tree(run->ask, p, FOUND_CELLS, &how, err));
    JALI_TRY(jali_means_rows(run, how.count[0], &rows, err));
    JALI_TRY(find_cells(run, p, &w->frame, (double)rows, cells, err));
    JALI_TRY(plan_tree(run->ask, p, *cells, &how, err));
    how.root_known = true;
    how.root = rows;
    JALI_TRY(jali_grow_tree(run, &w->frame, &how, w->marks, tree, err));
    JALI_TRY(
        jali_cluster_share(run->ask, p->means * (p->boxes ? 1 : 1 - sizes_share), &pico, err));
    JALI_TRY(jali_grow_means(run, tree, pico, &centre, &spread, err));
    if (p->fold) JALI_TRY(jali_grow_fold(tree, centre, spread, run->arena, err));
    JALI_TRY(jali_walker_take(w, centre, tree->leaves, err));
    memcpy(w->spread, spread, w->k * sizeof *spread);
    return JALI_OK;
}

static jali_status run(const jali_cluster_run *run_, jali_clustering *out, jali_err *err)
{
    parts p;
    jali_frame frame;
    jali_walker w;
    jali_grown tree;
    double cells;
    JALI_TRY(read_parts(run_->ask, &p, err));
    JALI_TRY(jali_frame_make(&frame, run_->ask->geometry, NULL, NULL, run_->arena, err));
    JALI_TRY(jali_walker_init(&w, run_, &frame, err));
    JALI_TRY(grow(run_, &p, &w, &tree, &cells, err));
    JALI_TRY(p.boxes ? finish_boxes(run_, &tree, &w, out, err)
                     : finish_centres(run_, &p, &tree, &w, out, err));
    out->told =
        json_pack("{s:I,s:I}", "leaves", (json_int_t)tree.leaves, "cells", (json_int_t)cells);
    return out->told == NULL ? jali_fail_memory(err) : JALI_OK;
}

static jali_status check(const jali_cluster_ask *ask, jali_arena *arena, jali_err *err)
{
    parts p;
    jali_grow how;
    uint64_t least;
    (void)arena;
    JALI_TRY(read_parts(ask, &p, err));
    JALI_TRY(plan_tree(ask, &p, p.cells > 0 ? p.cells : 13, &how, err));
    if (p.cells == 0) JALI_TRY(jali_cluster_share(ask, p.interval, &least, err));
    return jali_cluster_share(ask, p.means * sizes_share, &least, err);
}

static const jali_parameter parameters[] = {
    { "int", "0.04", "share of the budget for the distance of candidates" },
    { "cnt", "0.18", "share for the counts" },
    { "exp", "0.18", "share for the cuts" },
    { "avg", "0.6", "share for the means" },
    { "depth", "7", "levels of the tree" },
    { "t", "0.3", "depth of a cut: its height at q" },
    { "q", "1/12", "depth of a cut: where its slope changes" },
    { "alpha", "5", "weight of emptiness against depth" },
    { "cells", "0", "candidates of an axis; 0: found out" },
    { "fold", "yes", "undo cuts that do not pay for their noise; no: as published" },
    { "reading", "boxes", "clusters are boxes, or the rows nearest to centres" },
    { 0 },
};

const jali_method jali_method_dpm = {
    .name = "dpm",
    .summary = "the tree of boxes of Loebel and others, as corrected",
    .parameter = parameters,
    .check = check,
    .run = run,
};
