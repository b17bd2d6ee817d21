/* explain/cluster/fold.c — leaves of a tree whose cut does not pay for its noise become one.
 *
 * No claim: released counts, cuts and means in, a smaller tree out; post-processing.
 *
 * Two leaves of one cut have n1, n2 rows and means m1, m2, whose noise has the variances v1, v2
 * in each of d coordinates. The cut takes n1 n2 / (n1 + n2) |m1 - m2|^2 off the inertia, where
 * noise makes the square about d (v1 + v2) too large, and its two means put d (n1 v1 + n2 v2)
 * on it, where one mean of both would put d (n1 + n2) v. A cut that does not pay is undone.
 * From the deepest cuts upwards, so that whole branches can fold.
 */
#include "explain/cluster/grow.h"
#include <math.h>
#include <string.h>

static double rows_of(const jali_grown_node *v)
{
    return fmax((double)v->count, 1);
}

static bool pays(const jali_grown *t, const jali_grown_node *l, const jali_grown_node *r,
                 const double *centre, const double *spread)
{
    size_t axes = t->frame->n;
    const double *m1 = centre + l->leaf * axes, *m2 = centre + r->leaf * axes;
    double n1 = rows_of(l), n2 = rows_of(r), all = n1 + n2, d = (double)axes, square = 0;
    double v1 = spread[l->leaf] * spread[l->leaf], v2 = spread[r->leaf] * spread[r->leaf];
    double v = (n1 * n1 * v1 + n2 * n2 * v2) / (all * all);
    for (size_t j = 0; j < axes; j++) square += (m1[j] - m2[j]) * (m1[j] - m2[j]);
    return n1 * n2 / all * (square - d * (v1 + v2)) > d * (n1 * v1 + n2 * v2 - all * v);
}

/* The node's own count and those of its children are independent news of one number. */
static void count_again(jali_grown_node *v, const jali_grown_node *l, const jali_grown_node *r)
{
    double own = 1 / v->variance, theirs = 1 / (l->variance + r->variance);
    double both = (double)l->count + (double)r->count;
    v->count = llround((own * (double)v->count + theirs * both) / (own + theirs));
    v->variance = 1 / (own + theirs);
}

/* The mean of both goes to the place of the left one, which is the node's now. */
static void fold(jali_grown *t, jali_grown_node *v, double *centre, double *spread)
{
    const jali_grown_node *l = &t->node[v->left], *r = &t->node[v->right];
    size_t axes = t->frame->n;
    double a = rows_of(l), b = rows_of(r);
    double *to = centre + l->leaf * axes, *from = centre + r->leaf * axes;
    for (size_t j = 0; j < axes; j++) to[j] = (a * to[j] + b * from[j]) / (a + b);
    spread[l->leaf] = hypot(a * spread[l->leaf], b * spread[r->leaf]) / (a + b);
    count_again(v, l, r);
    v->leaf = l->leaf;
    v->left = v->right = -1;
}

/* place: where each node that the root still leads to goes, in the old order; -1: nowhere. */
static size_t find_places(const jali_grown *t, int32_t *place)
{
    size_t kept = 0;
    for (size_t v = 0; v < t->n; v++) place[v] = v == 0 ? 0 : -1;
    for (size_t v = 0; v < t->n; v++) { /* children come after their parents */
        if (place[v] < 0 || t->node[v].left < 0) continue;
        place[t->node[v].left] = place[t->node[v].right] = 0;
    }
    for (size_t v = 0; v < t->n; v++)
        if (place[v] == 0) place[v] = (int32_t)kept++;
    return kept;
}

/* Leaves are numbered anew, and their means follow. */
static void close_up(jali_grown *t, const int32_t *place, const double *old, double *centre,
                     double *spread)
{
    size_t axes = t->frame->n;
    const double *old_spread = old + t->leaves * axes;
    t->leaves = 0;
    for (size_t v = 0; v < t->n; v++) {
        if (place[v] < 0) continue;
        jali_grown_node node = t->node[v];
        if (node.left >= 0) {
            node.left = place[node.left];
            node.right = place[node.right];
        } else {
            memcpy(centre + t->leaves * axes, old + node.leaf * axes, axes * sizeof *centre);
            spread[t->leaves] = old_spread[node.leaf];
            node.leaf = t->leaves++;
        }
        t->node[place[v]] = node;
    }
}

jali_status jali_grow_fold(jali_grown *t, double *centre, double *spread, jali_arena *arena,
                           jali_err *err)
{
    size_t axes = t->frame->n;
    int32_t *place = jali_arena_take(arena, t->n, sizeof *place);
    double *old = jali_arena_take(arena, t->leaves * (axes + 1), sizeof *old);
    if (place == NULL || old == NULL) return jali_fail_memory(err);
    for (size_t i = t->n; i-- > 0;) {
        jali_grown_node *v = &t->node[i];
        if (v->left < 0) continue;
        const jali_grown_node *l = &t->node[v->left], *r = &t->node[v->right];
        if (l->left >= 0 || r->left >= 0) continue;
        if (!pays(t, l, r, centre, spread)) fold(t, v, centre, spread);
    }
    size_t kept = find_places(t, place);
    memcpy(old, centre, t->leaves * axes * sizeof *old);
    memcpy(old + t->leaves * axes, spread, t->leaves * sizeof *old);
    close_up(t, place, old, centre, spread);
    t->n = kept;
    return JALI_OK;
}
