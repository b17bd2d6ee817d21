/* explain/contrast/pool.c — solutions at public grid nodes, and answers made from them.
 *
 * Claim    contrast.exclusive
 *          An answer of jali_nodes_ask is a deterministic function of the release and of the
 *          asker's own point. So if the release is eps-DP, the answer to i is eps-i-exclusive
 *          DP (Def. 5 of the paper) whoever else asked, in any number and order.
 * Proof    proofs/contrast.md#contrast.exclusive
 * Source   PrivEC / peCluster, Algorithm 4, with the sign of Def. 6; ALGORITHMS 3.4 (no warm
 *          start from another agent); research/contrast.md 3.2 (nodes).
 * Law      none: nothing is drawn here
 * Test     tests/explain/contrast/pool_test.c (permuted and split lists, bit by bit)
 * Silent   An answer published together with its point publishes the point.
 */
#include "explain/contrast/pool.h"
#include "explain/contrast/stream.h"
#include <math.h>
#include <string.h>

/* Nodes along the longest axis, by dimensions; more where many centres make more optima. */
enum { STARTS = 2, DESCENT = 10, LAST = 3, MANY_CENTRES = 15, PASSES = 2 };
static const double solver_floor = 0.001; /* of the cost (research/contrast.md 2.3) */
static const unsigned sides[] = { 0, 64, 16, 6 }, more_sides[] = { 0, 96, 24, 8 };

typedef struct builder {
    jali_nodes *nodes;
    uint64_t stream;
    jali_solver *solver; /* one a thread */
    jali_spot *freed;    /* n sets of k: the node's set, set free     */
    double *freed_cost;
} builder;

static jali_spot node_at(const jali_nodes *n, size_t i)
{
    jali_spot s = { { 0 } };
    for (unsigned a = 0; a < n->weights->ground->dims; a++) {
        s.at[a] = n->from[a] + ((float)(i % n->side[a]) + 0.5f) * n->step[a];
        i /= n->side[a];
    }
    return s;
}

/* Three starts with the node frozen, the best one polished; then without the freeze. */
static void solve_node(void *self, unsigned worker, size_t i)
{
    builder *b = self;
    jali_nodes *n = b->nodes;
    jali_solver *s = &b->solver[worker];
    jali_spot best[JALI_CENTRES_MOST], set[JALI_CENTRES_MOST], spot = node_at(n, i);
    uint64_t stream = b->stream + i; /* the node's own: no order matters */
    jali_fold(&stream, i);
    jali_force(s, n->base, spot, best);
    double least = jali_descend(s, best, true, DESCENT);
    for (unsigned t = 0; t < STARTS && n->k > 1; t++) {
        set[0] = spot;
        jali_seed(s, set, true, &stream);
        double cost = jali_descend(s, set, true, DESCENT);
        if (cost < least) {
            least = cost;
            memcpy(best, set, n->k * sizeof *set);
        }
    }
    jali_polish(s, best, true, s->cloud->real / 64 + 1, PASSES);
    memcpy(n->centre + i * (n->k - 1), best + 1, (n->k - 1) * sizeof *best);
    if (n->k > 1)
        jali_cloud_near(s->cloud, best + 1, n->k - 1, n->rest + i * s->cloud->n, NULL);
    b->freed_cost[i] = jali_descend(s, best, false, DESCENT);
    memcpy(b->freed + i * n->k, best, n->k * sizeof *best);
}

/* The base becomes the best set met anywhere, if it is better. */
static bool improve_base(builder *b)
{
    jali_nodes *n = b->nodes;
    size_t best = n->n;
    double least = n->base_cost;
    for (size_t i = 0; i < n->n; i++)
        if (b->freed_cost[i] < least) {
            least = b->freed_cost[i];
            best = i;
        }
    if (best == n->n) return false;
    jali_spot set[JALI_CENTRES_MOST];
    memcpy(set, b->freed + best * n->k, n->k * sizeof *set);
    double cost = jali_polish(&b->solver[0], set, false, n->weights->cloud.real / 300 + 1, 12);
    if (!(cost < n->base_cost)) return false;
    bool much = cost < n->base_cost * 0.999;
    n->base_cost = cost;
    memcpy(n->base, set, n->k * sizeof *set);
    return much;
}

static void lay_nodes(jali_nodes *n)
{
    const jali_weights *w = n->weights;
    unsigned dims = w->ground->dims, most = (n->k >= MANY_CENTRES ? more_sides : sides)[dims];
    n->n = 1;
    for (unsigned a = 0; a < dims; a++) {
        float near = INFINITY, far = -INFINITY; /* cells tile the public box: its border */
        for (size_t i = 0; i < w->n; i++) {
            near = fminf(near, w->cell[i].centre[a] - w->cell[i].half[a]);
            far = fmaxf(far, w->cell[i].centre[a] + w->cell[i].half[a]);
        }
        n->from[a] = near;
        far -= near;
        n->side[a] = (unsigned)ceilf(far * (float)most);
        if (n->side[a] < 2) n->side[a] = 2;
        n->step[a] = far / (float)n->side[a];
        n->n *= n->side[a];
    }
}

/* ---- the certificate -------------------------------------------------------------------- */

/* Candidates are the centres of cells with weight, every second or third if they are many,
 * and the base. */
static size_t choose_candidates(const jali_weights *w, jali_spot *out)
{
    size_t seen = 0, have = 0, at = 0;
    for (size_t i = 0; i < w->n; i++) seen += w->cell[i].w > 0;
    size_t stride = (seen + JALI_DUAL_CANDIDATES - 1) / JALI_DUAL_CANDIDATES;
    for (size_t i = 0; i < w->n; i++) {
        const jali_plot *c = &w->cell[i];
        if (c->w > 0 && at++ % stride == 0)
            out[have++] = (jali_spot){ { c->centre[0], c->centre[1], c->centre[2] } };
    }
    return have;
}

static jali_status find_dual(jali_nodes *n, jali_arena *arena, jali_err *err)
{
    const jali_cloud *c = &n->weights->cloud;
    jali_arena scratch = JALI_ARENA_INIT;
    jali_spot *spot = jali_arena_take(&scratch, JALI_DUAL_CANDIDATES + n->k + 1, sizeof *spot);
    jali_status status = spot == NULL ? jali_fail_memory(err) : JALI_OK;
    size_t f = 0;
    float *matrix = NULL;
    if (status == JALI_OK) {
        f = choose_candidates(n->weights, spot);
        memcpy(spot + f, n->base, n->k * sizeof *spot);
        f += n->k;
        matrix = jali_arena_take(&scratch, f * c->n, sizeof *matrix);
        if (matrix == NULL) status = jali_fail_memory(err);
    }
    for (size_t i = 0; status == JALI_OK && i < f; i++)
        jali_cloud_near(c, &spot[i], 1, matrix + i * c->n, NULL);
    if (status == JALI_OK)
        status = jali_dual_find(&n->dual, matrix, f, c->n, c->w, n->k, n->base_cost, n->swap.d1,
                                n->swap.d2, JALI_DUAL_STEPS, arena, err);
    n->candidates = f;
    jali_arena_clear(&scratch);
    return status;
}

/* ---- building --------------------------------------------------------------------------- */

static jali_status solve_all(jali_nodes *n, uint64_t stream, jali_pool *threads,
                             jali_arena *scratch, jali_err *err)
{
    unsigned workers = jali_pool_threads(threads);
    builder b = { .nodes = n, .stream = stream };
    b.solver = jali_arena_take(scratch, workers, sizeof *b.solver);
    b.freed = jali_arena_take(scratch, n->n * n->k, sizeof *b.freed);
    b.freed_cost = jali_arena_take(scratch, n->n, sizeof *b.freed_cost);
    if (b.solver == NULL || b.freed == NULL || b.freed_cost == NULL)
        return jali_fail_memory(err);
    for (unsigned i = 0; i < workers; i++)
        JALI_TRY(jali_solver_new(&b.solver[i], &n->weights->cloud, n->k, scratch, err));
    for (unsigned pass = 0; pass < PASSES; pass++) {
        jali_pool_each(threads, n->n, solve_node, &b);
        if (!improve_base(&b)) break;
    }
    return JALI_OK;
}

static jali_status take_room(jali_nodes *n, const jali_spot *start, jali_arena *arena,
                             jali_err *err)
{
    const jali_cloud *c = &n->weights->cloud;
    n->base = jali_arena_take(arena, n->k, sizeof *n->base);
    n->centre = jali_arena_take(arena, n->n * (n->k - 1) + 1, sizeof *n->centre);
    n->rest = jali_arena_take(arena, n->n * c->n, sizeof *n->rest);
    if (n->base == NULL || n->centre == NULL || n->rest == NULL) return jali_fail_memory(err);
    memcpy(n->base, start, n->k * sizeof *start);
    for (size_t i = 0; n->k == 1 && i < n->n * c->n; i++) n->rest[i] = INFINITY;
    return jali_interchange_new(&n->swap, c->n, n->k, n->k, c->w, arena, err);
}

jali_status jali_nodes_new(jali_nodes *out, const jali_weights *weights, const jali_spot *start,
                           size_t k, double row, uint64_t stream, jali_pool *threads,
                           jali_arena *arena, jali_err *err)
{
    jali_nodes n = { .weights = weights, .k = k };
    jali_arena scratch = JALI_ARENA_INIT;
    lay_nodes(&n);
    jali_status status = take_room(&n, start, arena, err);
    if (status == JALI_OK)
        n.base_cost = jali_cloud_near(&weights->cloud, n.base, k, n.swap.d1, NULL);
    if (status == JALI_OK) status = solve_all(&n, stream, threads, &scratch, err);
    jali_arena_clear(&scratch);
    if (status != JALI_OK) return status;
    for (size_t i = 0; i < k; i++)
        jali_cloud_near(&weights->cloud, &n.base[i], 1, n.swap.row + i * weights->cloud.n,
                        NULL);
    jali_interchange_refresh(&n.swap);
    JALI_TRY(find_dual(&n, arena, err));
    JALI_TRY(jali_gauges_new(&n.gauges, weights, row, n.base, k, arena, err));
    *out = n;
    return JALI_OK;
}

/* ---- asking ----------------------------------------------------------------------------- */

jali_status jali_asker_new(jali_asker *out, const jali_nodes *nodes, jali_arena *arena,
                           jali_err *err)
{
    jali_asker a = { .swap = nodes->swap }; /* reads the base's rows, writes its own net */
    JALI_TRY(jali_solver_new(&a.solver, &nodes->weights->cloud, nodes->k, arena, err));
    a.d = jali_arena_take(arena, nodes->weights->cloud.n, sizeof *a.d);
    a.gauge = jali_arena_take(arena, nodes->gauges.at.n, sizeof *a.gauge);
    a.swap.net = jali_arena_take(arena, nodes->k + 1, sizeof *a.swap.net);
    a.moments = jali_arena_take(arena, 2 * nodes->gauges.n, sizeof *a.moments);
    if (a.moments == NULL || a.d == NULL || a.gauge == NULL || a.swap.net == NULL)
        return jali_fail_memory(err);
    *out = a;
    return JALI_OK;
}

/* The node of corner `which` around the spot; beyond the border, the border's. */
static size_t corner(const jali_nodes *n, jali_spot spot, unsigned which)
{
    size_t i = 0, stride = 1;
    for (unsigned a = 0; a < n->weights->ground->dims; a++) {
        float at = floorf((spot.at[a] - n->from[a]) / n->step[a] - 0.5f);
        at = fminf(fmaxf(at, 0), (float)(n->side[a] - 2));
        i += ((size_t)at + (which >> a & 1)) * stride;
        stride *= n->side[a];
    }
    return i;
}

/* The best stored set beside the spot: of the nodes around it, or the base less one. */
static void best_start(const jali_nodes *n, jali_asker *asker, jali_spot spot, jali_spot *set)
{
    const jali_cloud *c = &n->weights->cloud;
    size_t out = 0, node = n->n, at = 1;
    double least = n->base_cost - jali_interchange_try(&asker->swap, asker->d, &out);
    for (unsigned which = 0; which < 1u << n->weights->ground->dims; which++) {
        size_t i = corner(n, spot, which);
        double cost = jali_cloud_least(c, n->rest + i * c->n, asker->d);
        if (cost < least) {
            least = cost;
            node = i;
        }
    }
    set[0] = spot;
    if (node < n->n) memcpy(set + 1, n->centre + node * (n->k - 1), (n->k - 1) * sizeof *set);
    for (size_t i = 0; node == n->n && i < n->k; i++)
        if (i != out) set[at++] = n->base[i];
}

jali_contrast_answer jali_nodes_ask(const jali_nodes *nodes, jali_asker *asker, jali_spot spot,
                                    bool with_error, jali_spot *set)
{
    jali_spot own[JALI_CENTRES_MOST];
    jali_contrast_answer out = { .error = NAN };
    if (set == NULL) set = own;
    jali_cloud_near(&nodes->weights->cloud, &spot, 1, asker->d, NULL);
    best_start(nodes, asker, spot, set);
    out.cost = jali_descend(&asker->solver, set, true, LAST);
    out.extra = out.cost > nodes->base_cost ? out.cost - nodes->base_cost : 0;
    double bound = jali_dual_forced(&nodes->dual, asker->d);
    out.ratio = bound > 0 && out.cost > bound ? out.cost / bound : 1;
    out.lower = bound > nodes->base_cost ? bound - nodes->base_cost : 0;
    out.upper = out.cost - nodes->dual.bound;
    if (out.lower > out.extra) out.lower = out.extra; /* better than any candidates are */
    if (out.upper < out.extra) out.upper = out.extra;
    if (with_error) {
        jali_cloud_near(&nodes->gauges.at, set, nodes->k, asker->gauge, NULL);
        jali_gauge g =
            jali_gauges_read(&nodes->gauges, asker->gauge, nodes->gauges.base, asker->moments);
        out.error = jali_gauge_error(&g, solver_floor * nodes->base_cost);
    }
    return out;
}
