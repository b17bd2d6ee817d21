/* explain/contrast/solve.c — k centres on a cloud, one of them perhaps frozen.
 *
 * No claim: it sees a cloud made of released numbers, and its own variety comes from them.
 * Source   Lloyd; Arthur, Vassilvitskii, SODA 2007 (seeding by D^2); Weiszfeld with
 *          over-relaxation 1.5 and a floor of 1e-4 box sides under distances, keeping the best
 *          set met because it is not monotone (research/contrast.md 0, 7).
 */
#include "explain/contrast/solve.h"
#include "explain/contrast/stream.h"
#include <math.h>
#include <string.h>

static const double relax = 1.5, still = 1e-7;
static const float floor_distance = 1e-4f;

jali_status jali_solver_new(jali_solver *out, const jali_cloud *cloud, size_t k,
                            jali_arena *arena, jali_err *err)
{
    jali_solver s = { .cloud = cloud, .k = k };
    s.d = jali_arena_take(arena, cloud->n, sizeof *s.d);
    s.e = jali_arena_take(arena, cloud->n, sizeof *s.e);
    s.who = jali_arena_take(arena, cloud->n, sizeof *s.who);
    s.sum = jali_arena_take(arena, 4 * k, sizeof *s.sum);
    if (s.d == NULL || s.e == NULL || s.who == NULL || s.sum == NULL)
        return jali_fail_memory(err);
    JALI_TRY(jali_interchange_new(&s.swap, cloud->n, k, k, cloud->w, arena, err));
    s.frozen = s.swap; /* one memory, two rules */
    s.frozen.fixed = 0;
    *out = s;
    return JALI_OK;
}

/* ---- steps ------------------------------------------------------------------------------ */

static size_t worst_point(const jali_solver *s)
{
    size_t worst = 0;
    float most = -1;
    for (size_t q = 0; q < s->cloud->real; q++)
        if (s->cloud->w[q] * s->d[q] > most) {
            most = s->cloud->w[q] * s->d[q];
            worst = q;
        }
    return worst;
}

static jali_spot point_at(const jali_cloud *c, size_t q)
{
    return (jali_spot){ { c->x[0][q], c->x[1][q], c->x[2][q] } };
}

/* Moves the centres; a centre without points goes to the point that pays most. */
static void move(jali_solver *s, jali_spot *centre, bool frozen)
{
    bool stray = false;
    double by = s->cloud->squared ? 1 : relax;
    jali_cloud_pull(s->cloud, s->d, s->who, s->k, floor_distance, s->sum);
    for (size_t i = frozen ? 1 : 0; i < s->k; i++) {
        const double *sum = s->sum + 4 * i;
        if (sum[3] > 0) {
            for (unsigned a = 0; a < JALI_SPACE; a++) {
                double from = (double)centre[i].at[a];
                centre[i].at[a] = (float)(from + by * (sum[a] / sum[3] - from));
            }
        } else if (!stray && s->cloud->real > 0) {
            stray = true; /* one at a time, or all strays meet in one place */
            centre[i] = point_at(s->cloud, worst_point(s));
        }
    }
}

double jali_descend(jali_solver *s, jali_spot *centre, bool frozen, unsigned steps)
{
    jali_spot best[JALI_CENTRES_MOST];
    double least = jali_cloud_near(s->cloud, centre, s->k, s->d, s->who), before = least;
    memcpy(best, centre, s->k * sizeof *best);
    for (unsigned i = 0; i < steps; i++) {
        move(s, centre, frozen);
        double cost = jali_cloud_near(s->cloud, centre, s->k, s->d, s->who);
        if (cost < least) {
            least = cost;
            memcpy(best, centre, s->k * sizeof *best);
        }
        if (fabs(before - cost) <= still * cost) break;
        before = cost;
    }
    memcpy(centre, best, s->k * sizeof *best);
    return least;
}

/* ---- starts ----------------------------------------------------------------------------- */

static size_t draw_point(const jali_solver *s, const float *d, uint64_t *stream)
{
    const jali_cloud *c = s->cloud;
    double all = 0, at = 0;
    for (size_t q = 0; q < c->real; q++)
        all += (double)c->w[q] * (d == NULL ? 1 : (double)d[q]);
    double until = jali_next_unit(stream) * all;
    for (size_t q = 0; q < c->real; q++) {
        at += (double)c->w[q] * (d == NULL ? 1 : (double)d[q]);
        if (at > until) return q;
    }
    return c->real > 0 ? c->real - 1 : 0; /* every point has its centre already */
}

void jali_seed(jali_solver *s, jali_spot *centre, bool frozen, uint64_t *stream)
{
    if (!frozen) centre[0] = point_at(s->cloud, draw_point(s, NULL, stream));
    jali_cloud_near(s->cloud, centre, 1, s->d, NULL);
    for (size_t i = 1; i < s->k; i++) {
        centre[i] = point_at(s->cloud, draw_point(s, s->d, stream));
        jali_cloud_near(s->cloud, &centre[i], 1, s->e, NULL);
        for (size_t q = 0; q < s->cloud->n; q++)
            if (s->e[q] < s->d[q]) s->d[q] = s->e[q];
    }
}

/* ---- swaps ------------------------------------------------------------------------------ */

static void write_rows(jali_solver *s, jali_interchange *x, const jali_spot *centre)
{
    for (size_t i = 0; i < s->k; i++)
        jali_cloud_near(s->cloud, &centre[i], 1, x->row + i * s->cloud->n, NULL);
}

/* The best of the swaps with every stride-th point, made if it lowers the cost. */
static bool swap_once(jali_solver *s, jali_spot *centre, bool frozen, size_t stride,
                      double *cost)
{
    jali_interchange *x = frozen ? &s->frozen : &s->swap;
    double best = 0;
    size_t in = 0, out = 0;
    write_rows(s, x, centre);
    double now = jali_interchange_refresh(x);
    for (size_t q = stride / 2; q < s->cloud->real; q += stride) {
        size_t leaves;
        jali_spot o = point_at(s->cloud, q);
        jali_cloud_near(s->cloud, &o, 1, s->e, NULL);
        double by = jali_interchange_try(x, s->e, &leaves);
        if (by > best) {
            best = by;
            in = q;
            out = leaves;
        }
    }
    if (!(best > 1e-6 * now)) return false;
    centre[out] = point_at(s->cloud, in);
    *cost = now - best;
    return true;
}

double jali_polish(jali_solver *s, jali_spot *centre, bool frozen, size_t stride,
                   unsigned passes)
{
    double cost = jali_descend(s, centre, frozen, 4);
    if (frozen && s->k == 1) return cost;
    for (unsigned i = 0; i < passes; i++) {
        if (!swap_once(s, centre, frozen, stride, &cost)) break;
        cost = jali_descend(s, centre, frozen, 6);
    }
    return jali_descend(s, centre, frozen, 20);
}

double jali_solve(jali_solver *s, jali_spot *centre, unsigned starts, uint64_t *stream)
{
    jali_spot start[JALI_CENTRES_MOST];
    double least = INFINITY;
    for (unsigned i = 0; i < starts; i++) {
        jali_seed(s, start, false, stream);
        double cost = jali_descend(s, start, false, 12);
        if (cost < least || i == 0) {
            least = cost;
            memcpy(centre, start, s->k * sizeof *start);
        }
    }
    return jali_polish(s, centre, false, s->cloud->real / 96 + 1, 6);
}

void jali_force(jali_solver *s, const jali_spot *from, jali_spot fixed, jali_spot *centre)
{
    size_t out = 0, n = 1;
    write_rows(s, &s->swap, from);
    jali_interchange_refresh(&s->swap);
    jali_cloud_near(s->cloud, &fixed, 1, s->e, NULL);
    jali_interchange_try(&s->swap, s->e, &out);
    centre[0] = fixed;
    for (size_t i = 0; i < s->k; i++)
        if (i != out) centre[n++] = from[i];
}
