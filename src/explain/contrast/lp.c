/* explain/contrast/lp.c — k-median with a fixed centre by rounding a linear program.
 *
 * No claim: it sees released points only. Its factor: proofs/contrast.md.
 * Source   Charikar, Guha, Tardos, Shmoys, STOC 1999, as in PrivEC / peCluster 4.1, with the
 *          fixed centre first in the order and never closed (ALGORITHMS 3.1). The linear
 *          program is Clp's.
 */
#include "explain/contrast/lp.h"
#include <Clp_C_Interface.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct rounding {
    const double *distance, *w;
    size_t n, k, fixed;
    double *x, *y;   /* of the program: x[i * n + j], y[i] */
    double *mean;    /* Cbar: what j pays in the program    */
    double *demand;  /* w', after consolidating             */
    size_t *kept, m; /* N', the fixed one first             */
    size_t *near;    /* s(j): nearest other of N', as an index into kept */
    double *open;    /* yhat of kept: 1 or 1/2              */
} rounding;

static double far(const rounding *r, size_t i, size_t j)
{
    return r->distance[i * r->n + j];
}

/* ---- the program ----------------------------------------------------------------------------
 */

typedef struct program {
    int *start, *index;
    double *value, *low, *high, *cost, *row_low, *row_high;
} program;

static bool program_new(program *p, size_t n)
{
    size_t columns = n * n + n, rows = n * n + n + 1, entries = 3 * n * n + n;
    p->start = calloc(columns + 1, sizeof *p->start);
    p->index = calloc(entries, sizeof *p->index);
    p->value = calloc(entries, sizeof *p->value);
    p->low = calloc(columns, sizeof *p->low);
    p->high = calloc(columns, sizeof *p->high);
    p->cost = calloc(columns, sizeof *p->cost);
    p->row_low = calloc(rows, sizeof *p->row_low);
    p->row_high = calloc(rows, sizeof *p->row_high);
    return p->start != NULL && p->index != NULL && p->value != NULL && p->low != NULL &&
           p->high != NULL && p->cost != NULL && p->row_low != NULL && p->row_high != NULL;
}

static void program_free(program *p)
{
    free(p->start);
    free(p->index);
    free(p->value);
    free(p->low);
    free(p->high);
    free(p->cost);
    free(p->row_low);
    free(p->row_high);
}

static void put(program *p, int *at, size_t row, double value)
{
    p->index[*at] = (int)row;
    p->value[(*at)++] = value;
}

/* Rows: j is served (n), x_ij <= y_i (n * n), k are open (1). Columns: x, then y. */
static void write_program(const rounding *r, program *p)
{
    size_t n = r->n;
    int at = 0;
    for (size_t c = 0; c < n * n; c++) {
        size_t i = c / n, j = c % n;
        p->start[c] = at;
        put(p, &at, j, 1);
        put(p, &at, n + c, 1);
        p->high[c] = 1;
        p->cost[c] = r->w[j] * far(r, i, j);
    }
    for (size_t i = 0; i < n; i++) {
        p->start[n * n + i] = at;
        for (size_t j = 0; j < n; j++) put(p, &at, n + i * n + j, -1);
        put(p, &at, n + n * n, 1);
        p->low[n * n + i] = i == r->fixed ? 1 : 0;
        p->high[n * n + i] = 1;
    }
    p->start[n * n + n] = at;
    for (size_t j = 0; j < n; j++) p->row_low[j] = p->row_high[j] = 1;
    for (size_t c = n; c < n + n * n; c++) p->row_low[c] = -DBL_MAX;
    p->row_low[n + n * n] = p->row_high[n + n * n] = (double)(r->k < n ? r->k : n);
}

static jali_status run_program(rounding *r, double *bound, jali_err *err)
{
    program p = { 0 };
    size_t n = r->n, columns = n * n + n;
    Clp_Simplex *clp = program_new(&p, n) ? Clp_newModel() : NULL;
    jali_status status = clp == NULL ? jali_fail_memory(err) : JALI_OK;
    if (status == JALI_OK) {
        write_program(r, &p);
        Clp_setLogLevel(clp, 0);
        Clp_loadProblem(clp, (int)columns, (int)(columns + 1), p.start, p.index, p.value, p.low,
                        p.high, p.cost, p.row_low, p.row_high);
        Clp_dual(clp, 0);
        if (Clp_status(clp) != 0)
            status = jali_fail(err, JALI_E_INTERNAL, JALI_FOR_ANALYST,
                               "the linear program of the centres was not solved");
    }
    if (status == JALI_OK) {
        const double *found = Clp_primalColumnSolution(clp);
        memcpy(r->x, found, n * n * sizeof *r->x);
        memcpy(r->y, found + n * n, n * sizeof *r->y);
        *bound = Clp_objectiveValue(clp);
    }
    if (clp != NULL) Clp_deleteModel(clp);
    program_free(&p);
    return status;
}

/* ---- step 1: consolidate --------------------------------------------------------------------
 */

static void order_by_mean(const rounding *r, size_t *order)
{
    for (size_t j = 0; j < r->n; j++) { /* insertion: n is at most 200 */
        size_t at = j;
        double mine = j == r->fixed ? -1 : r->mean[j];
        for (; at > 0; at--) {
            size_t o = order[at - 1];
            if ((o == r->fixed ? -1 : r->mean[o]) <= mine) break;
            order[at] = o;
        }
        order[at] = j;
    }
}

static size_t nearest_kept(const rounding *r, size_t j, size_t but)
{
    size_t best = r->m;
    for (size_t i = 0; i < r->m; i++)
        if (i != but &&
            (best == r->m || far(r, r->kept[i], j) < far(r, r->kept[best], j) ||
             (far(r, r->kept[i], j) == far(r, r->kept[best], j) && r->kept[i] < r->kept[best])))
            best = i;
    return best;
}

static void consolidate(rounding *r, size_t *order)
{
    for (size_t j = 0; j < r->n; j++) {
        r->mean[j] = 0;
        r->demand[j] = r->w[j];
        for (size_t i = 0; i < r->n; i++) r->mean[j] += far(r, i, j) * r->x[i * r->n + j];
    }
    order_by_mean(r, order);
    r->m = 0;
    for (size_t o = 0; o < r->n; o++) {
        size_t j = order[o];
        if (j != r->fixed && !(r->w[j] > 0)) continue; /* nobody lives there */
        size_t s = r->m == 0 ? 0 : nearest_kept(r, j, r->m);
        if (r->m > 0 && far(r, r->kept[s], j) <= 4 * r->mean[j] + 1e-9) {
            r->demand[r->kept[s]] += r->demand[j];
            r->demand[j] = 0;
        } else
            r->kept[r->m++] = j;
    }
}

/* ---- step 2: halves -------------------------------------------------------------------------
 */

/* The fixed centre and the 2k - m - 1 dearest are open, the others half. */
static void halve(rounding *r)
{
    for (size_t j = 0; j < r->m; j++) {
        r->near[j] = nearest_kept(r, r->kept[j], j);
        r->open[j] = j == 0 ? 1 : 0.5;
    }
    for (size_t left = 2 * r->k > r->m ? 2 * r->k - r->m - 1 : 0; left > 0; left--) {
        size_t best = r->m;
        double most = -1;
        for (size_t j = 1; j < r->m; j++) {
            double pays = r->demand[r->kept[j]] * far(r, r->kept[j], r->kept[r->near[j]]);
            if (r->open[j] < 1 && pays > most) {
                most = pays;
                best = j;
            }
        }
        if (best == r->m) return;
        r->open[best] = 1;
    }
}

/* ---- step 3: whole --------------------------------------------------------------------------
 */

/* Steps from j to the root of its tree: a neighbour that is open, or the first of a pair that
 * are each other's nearest. */
static size_t depth_of(const rounding *r, size_t j, size_t *root)
{
    size_t depth = 0;
    for (;;) {
        size_t s = r->near[j];
        bool pair = r->near[s] == j && j < s;
        if (r->open[s] == 1 || pair) break;
        j = s;
        depth++;
    }
    *root = j;
    return depth;
}

/* In every tree the smaller of the two colours opens. */
static void open_trees(const rounding *r, jali_lp *out)
{
    for (size_t root = 0; root < r->m; root++) {
        size_t count[2] = { 0, 0 }, top;
        if (r->open[root] == 1) {
            out->set[out->n++] = r->kept[root];
            continue;
        }
        if (depth_of(r, root, &top) != 0) continue;
        for (size_t j = 0; j < r->m; j++)
            if (r->open[j] < 1) {
                size_t depth = depth_of(r, j, &top);
                if (top == root) count[depth % 2]++;
            }
        size_t colour = count[0] <= count[1] ? 0 : 1;
        for (size_t j = 0; j < r->m; j++)
            if (r->open[j] < 1 && depth_of(r, j, &top) % 2 == colour && top == root)
                out->set[out->n++] = r->kept[j];
    }
}

static void cost_of(const rounding *r, jali_lp *out)
{
    out->cost = 0;
    for (size_t j = 0; j < r->n; j++) {
        double least = INFINITY;
        for (size_t i = 0; i < out->n; i++) least = fmin(least, far(r, out->set[i], j));
        out->cost += r->w[j] * least;
    }
}

jali_status jali_lp_solve(jali_lp *out, const double *distance, const double *w, size_t n,
                          size_t k, size_t fixed, jali_arena *arena, jali_err *err)
{
    rounding r = { .distance = distance, .w = w, .n = n, .k = k, .fixed = fixed };
    jali_lp found = { 0 };
    if (n == 0 || n > JALI_LP_POINTS || k == 0 || fixed >= n)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "the linear program is for 1 to %d points and a centre among them",
                         JALI_LP_POINTS);
    r.x = jali_arena_take(arena, n * n, sizeof *r.x);
    r.y = jali_arena_take(arena, n, sizeof *r.y);
    r.mean = jali_arena_take(arena, n, sizeof *r.mean);
    r.demand = jali_arena_take(arena, n, sizeof *r.demand);
    r.open = jali_arena_take(arena, n, sizeof *r.open);
    r.kept = jali_arena_take(arena, n, sizeof *r.kept);
    r.near = jali_arena_take(arena, n, sizeof *r.near);
    found.set = jali_arena_take(arena, n, sizeof *found.set);
    size_t *order = jali_arena_take(arena, n, sizeof *order);
    if (r.x == NULL || r.y == NULL || r.mean == NULL || r.demand == NULL || r.open == NULL ||
        r.kept == NULL || r.near == NULL || found.set == NULL || order == NULL)
        return jali_fail_memory(err);
    JALI_TRY(run_program(&r, &found.bound, err));
    consolidate(&r, order);
    if (r.m <= k)
        for (size_t j = 0; j < r.m; j++) found.set[found.n++] = r.kept[j];
    else {
        halve(&r);
        open_trees(&r, &found);
    }
    cost_of(&r, &found);
    *out = found;
    return JALI_OK;
}
