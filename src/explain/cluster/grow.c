/* explain/cluster/grow.c — a tree of boxes, cut where rows are few: DPM's tree, corrected.
 *
 * Claim    grow.tree
 *          Nodes, cuts and counts together cost at most the sum of choice[0 .. depth) and
 *          count[0 .. depth] in 1e-12: of eps in pure DP (Laplace), of rho in zCDP (Gauss),
 *          in the add/remove model for one person.
 * Proof    proofs/grow.md#grow.tree
 * Source   DPM, Algorithm 1, with PRIVACY 4: depth centreness at exp(eps f / Delta), no
 *          lambda, no delta; research/cluster.md 3 and 4 (levels). A cut that is refused has
 *          released its two counts: they are mixed into the node's own. With `again` such
 *          a node is tried at the next level, which has paid for all rows anyway.
 * Law      choice: mech/each.c on split.c's scores. counts: mech/noise.c
 * Spends   as the claim says, level by level; a level without nodes spends nothing
 * Test     tests/explain/cluster/grow_test.c
 * Silent   Time grows with the number of rows and the size of the released tree.
 */
#include "explain/cluster/grow.h"
#include <math.h>

enum { ROOM_CELLS = 1 << 24 }; /* of one level: 64 MB of counts a worker, 128 MB in all */

unsigned jali_grow_depth(size_t axes, uint32_t cells, unsigned wanted)
{
    unsigned depth = wanted > JALI_GROW_DEPTH ? JALI_GROW_DEPTH : wanted;
    while (depth > 1 && (axes * cells) << (depth - 1) > ROOM_CELLS) depth--;
    return depth;
}

typedef struct growing {
    const jali_cluster_run *run;
    const jali_grow *how;
    jali_grown *tree;
    jali_ground ground;
    size_t first;   /* nodes of this level begin here */
    uint32_t *node; /* those to be cut */
    size_t n;
    jali_split_node *box;
    jali_cut *cut, *pending; /* chosen at this level; accepted at the one before */
    size_t n_pending;
    double least;
} growing;

static double variance_of(const growing *g, uint64_t pico)
{
    double sd = jali_cluster_spread(g->run->ask, pico);
    return sd * sd;
}

/* ---- one level --------------------------------------------------------------------------- */

static void find_nodes(growing *g)
{
    const jali_grown *t = g->tree;
    g->n = 0;
    for (size_t v = g->how->again ? 0 : g->first; v < t->n; v++) {
        bool fresh = v >= g->first, large = (double)t->node[v].count >= 2 * g->least;
        if (t->node[v].left >= 0 || !(fresh || large)) continue;
        jali_split_node box = { t->node[v].count, t->node[v].low, t->node[v].high };
        if (jali_split_candidates(&box, t->frame->n) == 0) continue;
        g->node[g->n] = (uint32_t)v;
        g->box[g->n++] = box;
    }
}

static jali_status noisy_counts(growing *g, uint64_t pico, const jali_tally *rows,
                                jali_arena *arena, jali_noisy *out, jali_err *err)
{
    jali_noiser *noiser = NULL;
    JALI_TRY(jali_cluster_noiser(g->run->ask, pico, &noiser, err));
    jali_status status =
        jali_noise_release(noiser, rows, g->run->charge, g->run->dice, arena, out, err);
    jali_noiser_free(noiser);
    return status;
}

/* The root is counted once, at level 0, whether it can be cut or not. */
static jali_status count_root(growing *g, const jali_tally *counts, jali_arena *arena,
                              jali_err *err)
{
    const jali_tally *rows;
    jali_noisy noisy;
    int64_t count = g->how->root;
    if (!g->how->root_known) {
        JALI_TRY(jali_cells_rows(counts, arena, &rows, err));
        JALI_TRY(noisy_counts(g, g->how->count[0], rows, arena, &noisy, err));
        count = noisy.cell[0];
    }
    double deepest = sqrt(variance_of(g, g->how->count[g->how->depth]));
    g->tree->node[0].count = count;
    g->tree->node[0].variance = variance_of(g, g->how->count[0]);
    g->least = g->how->least * (g->how->relative ? (double)count : deepest);
    return JALI_OK;
}

static jali_status choose_cuts(growing *g, unsigned level, const jali_tally *counts,
                               jali_arena *arena, jali_err *err)
{
    const jali_score_groups *groups;
    jali_each *each = NULL;
    size_t *winner = jali_arena_take(arena, g->n, sizeof *winner);
    if (winner == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < g->n; i++) g->box[i].count = g->tree->node[g->node[i]].count;
    JALI_TRY(jali_score_splits(&g->how->split, counts, g->box, arena, &groups, err));
    JALI_TRY(jali_cluster_each(g->run->ask, g->how->choice[level], &each, err));
    jali_status status =
        jali_choose_each(each, groups, g->run->charge, g->run->dice, winner, err);
    jali_each_free(each);
    for (size_t i = 0; status == JALI_OK && i < g->n; i++) {
        g->cut[i].node = g->node[i];
        jali_split_candidate(&g->box[i], g->tree->frame->n, winner[i], &g->cut[i].axis,
                             &g->cut[i].cell);
    }
    return status;
}

static const uint16_t *copy_side(growing *g, const uint16_t *side, uint32_t axis, uint32_t cell)
{
    size_t n = g->tree->frame->n;
    uint16_t *to = jali_arena_take(g->run->arena, n, sizeof *to);
    if (to == NULL) return NULL;
    memcpy(to, side, n * sizeof *to);
    to[axis] = (uint16_t)cell;
    return to;
}

static jali_status add_children(growing *g, const jali_cut *cut, const int64_t *count,
                                double variance, unsigned level, jali_err *err)
{
    jali_grown *t = g->tree;
    jali_grown_node *parent = &t->node[cut->node], *child = &t->node[t->n];
    for (int side = 0; side < 2; side++)
        child[side] = (jali_grown_node){ .count = count[side],
                                         .variance = variance,
                                         .low = parent->low,
                                         .high = parent->high,
                                         .left = -1,
                                         .right = -1,
                                         .level = level + 1 };
    child[0].high = copy_side(g, parent->high, cut->axis, cut->cell);
    child[1].low = copy_side(g, parent->low, cut->axis, cut->cell);
    if (child[0].high == NULL || child[1].low == NULL) return jali_fail_memory(err);
    parent->axis = cut->axis;
    parent->cell = cut->cell;
    parent->left = (int32_t)t->n;
    parent->right = (int32_t)t->n + 1;
    g->pending[g->n_pending] = *cut;
    g->pending[g->n_pending].left = (uint32_t)t->n;
    g->pending[g->n_pending++].right = (uint32_t)t->n + 1;
    t->n += 2;
    return JALI_OK;
}

/* Both counts of a refused cut are independent news of the node's own. */
static void mix_counts(jali_grown_node *v, const int64_t *count, double variance)
{
    double own = 1 / v->variance, theirs = 1 / (2 * variance);
    double both = (double)count[0] + (double)count[1];
    v->count = llround((own * (double)v->count + theirs * both) / (own + theirs));
    v->variance = 1 / (own + theirs);
}

static jali_status release_children(growing *g, unsigned level, const jali_tally *counts,
                                    jali_arena *arena, jali_err *err)
{
    const jali_tally *rows;
    jali_noisy noisy;
    uint64_t pico = g->how->count[level + 1];
    JALI_TRY(jali_cells_children(counts, g->cut, arena, &rows, err));
    JALI_TRY(noisy_counts(g, pico, rows, arena, &noisy, err));
    g->n_pending = 0;
    g->first = g->tree->n;
    for (size_t i = 0; i < g->n; i++) {
        const int64_t *count = noisy.cell + 2 * i;
        double variance = variance_of(g, pico);
        if ((double)count[0] >= g->least && (double)count[1] >= g->least)
            JALI_TRY(add_children(g, &g->cut[i], count, variance, level, err));
        else
            mix_counts(&g->tree->node[g->node[i]], count, variance);
    }
    return JALI_OK;
}

static jali_status grow_level(growing *g, unsigned level, jali_arena *arena, jali_err *err)
{
    const jali_tally *counts;
    const uint32_t root = 0;
    bool alone = level == 0 && g->n == 0; /* a root that cannot be cut is still counted */
    g->ground.arena = arena;
    JALI_TRY(jali_cells_count(&g->ground, g->how->cells, g->tree->marks, g->pending,
                              g->n_pending, alone ? &root : g->node, alone ? 1 : g->n, &counts,
                              err));
    g->n_pending = 0;
    if (level == 0) JALI_TRY(count_root(g, counts, arena, err));
    if (g->n == 0) return JALI_OK;
    JALI_TRY(choose_cuts(g, level, counts, arena, err));
    return release_children(g, level, counts, arena, err);
}

/* ---- the tree ------------------------------------------------------------------------------
 */

static jali_status prepare(growing *g, jali_err *err)
{
    jali_arena *arena = g->run->arena;
    jali_grown *t = g->tree;
    size_t most = (size_t)2 << g->how->depth, axes = t->frame->n;
    uint16_t *low = jali_arena_take(arena, axes, sizeof *low);
    uint16_t *high = jali_arena_take(arena, axes, sizeof *high);
    t->node = jali_arena_take(arena, most, sizeof *t->node);
    g->node = jali_arena_take(arena, most, sizeof *g->node);
    g->box = jali_arena_take(arena, most, sizeof *g->box);
    g->cut = jali_arena_take(arena, most, sizeof *g->cut);
    g->pending = jali_arena_take(arena, most, sizeof *g->pending);
    if (low == NULL || high == NULL || t->node == NULL || g->node == NULL || g->box == NULL ||
        g->cut == NULL || g->pending == NULL)
        return jali_fail_memory(err);
    /* An axis without length has one cell: nothing to cut. */
    for (size_t j = 0; j < axes; j++)
        high[j] = (uint16_t)(t->frame->axis[j].top == 0 ? 1 : g->how->cells);
    t->node[0] = (jali_grown_node){ .low = low, .high = high, .left = -1, .right = -1 };
    t->n = 1;
    return JALI_OK;
}

static jali_status settle(growing *g, jali_err *err)
{
    jali_arena own = JALI_ARENA_INIT;
    const jali_tally *none;
    jali_status status = JALI_OK;
    g->ground.arena = &own;
    if (g->n_pending > 0)
        status = jali_cells_count(&g->ground, g->how->cells, g->tree->marks, g->pending,
                                  g->n_pending, NULL, 0, &none, err);
    jali_arena_clear(&own);
    for (size_t v = 0; v < g->tree->n; v++)
        if (g->tree->node[v].left < 0) g->tree->node[v].leaf = g->tree->leaves++;
    return status;
}

jali_status jali_grow_tree(const jali_cluster_run *run, const jali_frame *frame,
                           const jali_grow *how, jali_marks *marks, jali_grown *out,
                           jali_err *err)
{
    *out = (jali_grown){ .frame = frame, .cells = how->cells, .marks = marks };
    growing g = { .run = run, .how = how, .tree = out };
    g.ground = (jali_ground){ frame, run->columns, run->ask->geometry->schema->rows_per_person,
                              run->pool, NULL };
    JALI_TRY(prepare(&g, err));
    if ((frame->n * how->cells) << (how->depth - 1) <= ROOM_CELLS / 2)
        jali_marks_keep(marks, JALI_KEEP_CELLS); /* both together stay below 128 MB */
    for (unsigned level = 0; level < how->depth; level++) {
        jali_arena own = JALI_ARENA_INIT;
        find_nodes(&g);
        jali_status status = JALI_OK;
        if (g.n > 0 || level == 0) status = grow_level(&g, level, &own, err);
        jali_arena_clear(&own);
        if (status != JALI_OK) return status;
        if (g.n == 0) break;
    }
    return settle(&g, err);
}
