/* explain/cluster/leaves.c — the leaves of a grown tree: their means, and a row's way to them.
 *
 * Claim    grow.means
 *          Given the tree, the means cost `pico` in 1e-12: of eps in pure DP (Laplace), of rho
 *          in zCDP (Gauss), in the add/remove model for one person.
 * Proof    proofs/grow.md#grow.means
 * Source   research/cluster.md 3 and 4 (leaf boxes); PRIVACY 4: an empty leaf gets noise, too.
 * Law      mech/noise.c on ball.c's sums about each leaf's middle, radius its half-diagonal
 * Spends   pico
 * Test     tests/explain/cluster/grow_test.c
 * Silent   Time grows with the number of rows.
 */
#include "explain/cluster/grow.h"
#include <math.h>

/* The box of a leaf in steps of the frame: its middle and half its diagonal, a little more. */
static void ball_of(const jali_grown *t, const jali_grown_node *v, float *middle, float *radius)
{
    double square = 0;
    for (size_t j = 0; j < t->frame->n; j++) {
        const jali_ruler *a = &t->frame->axis[j];
        double low = jali_cell_start(a, t->cells, v->low[j]);
        double high = v->high[j] >= t->cells || a->top == 0
                          ? a->top
                          : jali_cell_start(a, t->cells, v->high[j]);
        middle[j] = (float)((low + high) / 2);
        square += (high - low) / 2 * ((high - low) / 2);
    }
    *radius = (float)(sqrt(square) * 1.001 + 1);
}

static void mean_of(const jali_grown *t, const jali_grown_node *v, const float *middle,
                    const int64_t *sum, double unit, double *out)
{
    double rows = v->count < 1 ? 1 : (double)v->count;
    for (size_t j = 0; j < t->frame->n; j++) {
        const jali_ruler *a = &t->frame->axis[j];
        double low = jali_cell_start(a, t->cells, v->low[j]);
        double high = v->high[j] >= t->cells || a->top == 0
                          ? a->top
                          : jali_cell_start(a, t->cells, v->high[j]);
        out[j] = fmin(fmax(middle[j] + (double)sum[j] * unit / rows, low), high);
    }
}

typedef struct leaves {
    float *middle, *radius;
    uint16_t *leaf_of; /* per node */
    double *centre, *spread;
} leaves;

static jali_status take_leaves(const jali_cluster_run *run, const jali_grown *t, leaves *l,
                               jali_err *err)
{
    size_t axes = t->frame->n;
    l->middle = jali_arena_take(run->arena, t->leaves * axes, sizeof *l->middle);
    l->radius = jali_arena_take(run->arena, t->leaves, sizeof *l->radius);
    l->leaf_of = jali_arena_take(run->arena, t->n, sizeof *l->leaf_of);
    l->centre = jali_arena_take(run->arena, t->leaves * axes, sizeof *l->centre);
    l->spread = jali_arena_take(run->arena, t->leaves, sizeof *l->spread);
    if (l->middle == NULL || l->radius == NULL || l->leaf_of == NULL || l->centre == NULL ||
        l->spread == NULL)
        return jali_fail_memory(err);
    for (size_t v = 0; v < t->n; v++) {
        if (t->node[v].left >= 0) continue;
        l->leaf_of[v] = (uint16_t)t->node[v].leaf;
        ball_of(t, &t->node[v], l->middle + t->node[v].leaf * axes,
                &l->radius[t->node[v].leaf]);
    }
    return JALI_OK;
}

static jali_status sum_leaves(const jali_cluster_run *run, const jali_grown *t, leaves *l,
                              uint64_t pico, jali_arena *arena, jali_err *err)
{
    const jali_tally *sums;
    jali_noiser *noiser = NULL;
    jali_noisy noisy;
    size_t axes = t->frame->n;
    jali_ground ground = { t->frame, run->columns, run->ask->geometry->schema->rows_per_person,
                           run->pool, arena };
    jali_balls balls = { .labels = t->leaves,
                         .centre = l->middle,
                         .radius = l->radius,
                         .label_of = l->leaf_of,
                         .marks = (uint32_t)t->n,
                         .inside = true };
    JALI_TRY(jali_ball_sums(&ground, t->marks, &balls, &sums, err));
    JALI_TRY(jali_cluster_noiser(run->ask, pico, &noiser, err));
    jali_status status =
        jali_noise_release(noiser, sums, run->charge, run->dice, arena, &noisy, err);
    jali_noiser_free(noiser);
    if (status != JALI_OK) return status;
    for (size_t v = 0; v < t->n; v++) {
        uint32_t leaf = t->node[v].leaf;
        if (t->node[v].left >= 0) continue;
        double unit = l->radius[leaf] * jali_ball_unit(axes);
        mean_of(t, &t->node[v], l->middle + leaf * axes, noisy.cell + leaf * axes, unit,
                l->centre + leaf * axes);
        double sd = noisy.law == JALI_LAW_LAPLACE ? noisy.scale * sqrt(2) : noisy.scale;
        l->spread[leaf] = sd * unit / fmax((double)t->node[v].count, 1);
    }
    return JALI_OK;
}

jali_status jali_grow_means(const jali_cluster_run *run, const jali_grown *tree, uint64_t pico,
                            double **centre, double **spread, jali_err *err)
{
    leaves l;
    jali_arena own = JALI_ARENA_INIT;
    JALI_TRY(take_leaves(run, tree, &l, err));
    jali_status status = sum_leaves(run, tree, &l, pico, &own, err);
    jali_arena_clear(&own);
    if (status != JALI_OK) return status;
    *centre = l.centre;
    *spread = l.spread;
    return JALI_OK;
}

/* ---- the tree as a function of codes
 * --------------------------------------------------------- */

static jali_partition_node node_of(const jali_grown *t, const jali_grown_node *v,
                                   const uint32_t *number, uint32_t column)
{
    const jali_ruler *a = &t->frame->axis[v->axis];
    jali_partition_node out = { .column = column, .equal = a->one_hot };
    uint32_t start = jali_cell_start(a, t->cells, v->cell);
    out.cut = a->one_hot ? a->low : jali_ruler_code(a, start);
    out.null_right = jali_cell_at(a, t->cells, a->null) >= v->cell;
    const jali_grown_node *left = &t->node[v->left], *right = &t->node[v->right];
    out.left = left->left < 0 ? ~(int32_t)left->leaf : (int32_t)number[v->left];
    out.right = right->left < 0 ? ~(int32_t)right->leaf : (int32_t)number[v->right];
    return out;
}

jali_status jali_grow_partition(const jali_grown *t, jali_arena *arena, jali_partition *out,
                                jali_err *err)
{
    size_t axes = t->frame->n, n = 0, fields = 0;
    const jali_geometry *geometry = t->frame->space;
    uint32_t *number = jali_arena_take(arena, t->n, sizeof *number);
    jali_partition_node *node = jali_arena_take(arena, t->n, sizeof *node);
    size_t *field = jali_arena_take(arena, axes, sizeof *field);
    uint32_t *column = jali_arena_take(arena, axes, sizeof *column);
    if (number == NULL || node == NULL || field == NULL || column == NULL)
        return jali_fail_memory(err);
    for (size_t j = 0; j < axes; j++) {
        size_t f = geometry->dimension[j].field;
        if (fields == 0 || field[fields - 1] != f) field[fields++] = f;
        column[j] = (uint32_t)fields - 1;
    }
    for (size_t v = 0; v < t->n; v++)
        if (t->node[v].left >= 0) number[v] = (uint32_t)n++;
    for (size_t v = 0; v < t->n; v++)
        if (t->node[v].left >= 0)
            node[number[v]] = node_of(t, &t->node[v], number, column[t->node[v].axis]);
    return jali_partition_tree(out, geometry->schema, field, fields, node, n, t->leaves, arena,
                               err);
}
