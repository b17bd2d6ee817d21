/* eval/profile_truth.c — how good a choice of attributes is, in plain numbers, and the best. */
#include "eval/profile_truth.h"
#include <math.h>
#include <stdlib.h>

enum { MOST_CLUSTERS = 16 };

/* ---- distances --------------------------------------------------------------------------- */

static double at(const jali_crosstab *t, uint32_t a, uint32_t c, uint32_t v)
{
    return t->h[a][(size_t)c * t->values[a] + v];
}

static double size_of(const jali_crosstab *t, uint32_t a, uint32_t c)
{
    double n = 0;
    for (uint32_t v = 0; v < t->values[a]; v++) n += at(t, a, c, v);
    return n;
}

/* TVD between cluster and table; 0 where one is empty. */
static double far_from_all(const jali_crosstab *t, uint32_t c, uint32_t a)
{
    double n = size_of(t, a, c), N = 0, s = 0;
    for (uint32_t v = 0; v < t->values[a]; v++) N += t->H[a][v];
    if (!(n > 0) || !(N > 0)) return 0;
    for (uint32_t v = 0; v < t->values[a]; v++) s += fabs(at(t, a, c, v) / n - t->H[a][v] / N);
    return s / 2;
}

static double tvd(const jali_crosstab *t, uint32_t c, uint32_t d, uint32_t a)
{
    double x = size_of(t, a, c), y = size_of(t, a, d), s = 0;
    if (!(x > 0) || !(y > 0)) return 0;
    for (uint32_t v = 0; v < t->values[a]; v++)
        s += fabs(at(t, a, c, v) / x - at(t, a, d, v) / y);
    return s / 2;
}

/* sum h^2/H; a noisy H is not below h. */
static double sufficient(const jali_crosstab *t, uint32_t c, uint32_t a)
{
    double s = 0;
    for (uint32_t v = 0; v < t->values[a]; v++) {
        double h = at(t, a, c, v), H = fmax(t->H[a][v], h);
        if (h > 0) s += h * h / H;
    }
    return s;
}

/* ---- quality --------------------------------------------------------------------------------
 */

static int rising(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The mean over orders of a group of sum over members of the distance to the nearest before
 * (1 for the first): 1/m + sum d_(r) / (r (r + 1)) for each member. */
static double spread_of_group(const jali_crosstab *t, const uint32_t *chosen, uint32_t a)
{
    double d[256], sum = 0;
    for (uint32_t c = 0; c < t->clusters; c++) {
        uint32_t n = 0;
        if (chosen[c] != a) continue;
        for (uint32_t e = 0; e < t->clusters; e++)
            if (e != c && chosen[e] == a) d[n++] = tvd(t, c, e, a);
        qsort(d, n, sizeof *d, rising);
        sum += 1.0 / (n + 1);
        for (uint32_t r = 0; r < n; r++) sum += d[r] / ((r + 1.0) * (r + 2.0));
    }
    return sum;
}

static double diversity(const jali_crosstab *t, jali_quality_kind kind, const uint32_t *chosen)
{
    double sum = 0, pairs = t->clusters * (t->clusters - 1.0) / 2;
    if (kind == JALI_QUALITY_PAPER) {
        for (uint32_t a = 0; a < t->attributes; a++) sum += spread_of_group(t, chosen, a);
        return sum / t->clusters;
    }
    for (uint32_t c = 0; c < t->clusters; c++)
        for (uint32_t e = 0; e < c; e++)
            sum += chosen[c] == chosen[e] ? tvd(t, c, e, chosen[c]) : 1;
    return pairs > 0 ? sum / pairs : 0;
}

double jali_profile_quality(const jali_crosstab *t, jali_quality_kind kind,
                            const double weight[static 3], const uint32_t *chosen)
{
    double I = 0, S = 0;
    for (uint32_t c = 0; c < t->clusters; c++) {
        double s = sufficient(t, c, chosen[c]);
        I += far_from_all(t, c, chosen[c]) / t->clusters;
        if (kind == JALI_QUALITY_PAPER)
            S += t->rows > 0 ? s / t->rows : 0;
        else
            S += t->size[c] > 0 ? s / t->size[c] / t->clusters : 0;
    }
    return weight[0] * I + weight[1] * S + weight[2] * diversity(t, kind, chosen);
}

double jali_profile_mae(const uint32_t *a, const uint32_t *b, uint32_t clusters)
{
    double n = 0;
    for (uint32_t c = 0; c < clusters; c++) n += a[c] != b[c];
    return n / clusters;
}

/* ---- terms --------------------------------------------------------------------------------
 */

static jali_status terms_take(const jali_crosstab *t, jali_arena *arena, jali_plain_terms *out,
                              jali_err *err)
{
    size_t n = (size_t)t->clusters * t->attributes;
    *out = (jali_plain_terms){ .clusters = t->clusters, .attributes = t->attributes };
    out->U = jali_arena_take(arena, n, sizeof *out->U);
    out->W = jali_arena_take(arena, n * t->clusters, sizeof *out->W);
    return out->U == NULL || out->W == NULL ? jali_fail_memory(err) : JALI_OK;
}

static void set_W(const jali_crosstab *t, double weight, bool sized, jali_plain_terms *out)
{
    uint32_t K = t->clusters;
    double pairs = K > 1 ? K * (K - 1.0) / 2 : 1;
    for (uint32_t a = 0; a < t->attributes; a++)
        for (uint32_t c = 0; c < K; c++)
            for (uint32_t e = 0; e < K; e++) {
                double least = sized ? fmin(t->size[c], t->size[e]) : 1;
                out->W[((size_t)a * K + c) * K + e] =
                    c == e ? 0 : weight * least * (1 - tvd(t, c, e, a)) / pairs;
            }
}

jali_status jali_plain_glscore(const jali_crosstab *t, const double weight[static 3],
                               jali_arena *arena, jali_plain_terms *out, jali_err *err)
{
    JALI_TRY(terms_take(t, arena, out, err));
    for (uint32_t c = 0; c < t->clusters; c++)
        for (uint32_t a = 0; a < t->attributes; a++)
            out->U[(size_t)c * t->attributes + a] =
                (weight[0] * t->size[c] * far_from_all(t, c, a) +
                 weight[1] * sufficient(t, c, a)) /
                t->clusters;
    set_W(t, weight[2], true, out);
    return JALI_OK;
}

jali_status jali_plain_tabee(const jali_crosstab *t, const double weight[static 3],
                             jali_arena *arena, jali_plain_terms *out, jali_err *err)
{
    JALI_TRY(terms_take(t, arena, out, err));
    for (uint32_t c = 0; c < t->clusters; c++)
        for (uint32_t a = 0; a < t->attributes; a++) {
            double n = size_of(t, a, c), s = n > 0 ? sufficient(t, c, a) / n : 0;
            out->U[(size_t)c * t->attributes + a] =
                (weight[0] * far_from_all(t, c, a) + weight[1] * s) / t->clusters;
        }
    set_W(t, weight[2], false, out);
    return JALI_OK;
}

/* ---- search --------------------------------------------------------------------------------
 */

jali_status jali_plain_candidates(const jali_plain_terms *terms, uint32_t k, jali_arena *arena,
                                  uint32_t **out, jali_err *err)
{
    uint32_t A = terms->attributes;
    uint32_t *list = jali_arena_take(arena, (size_t)terms->clusters * k, sizeof *list);
    bool *taken = jali_arena_take(arena, A, sizeof *taken);
    if (list == NULL || taken == NULL) return jali_fail_memory(err);
    for (uint32_t c = 0; c < terms->clusters; c++) {
        memset(taken, 0, A * sizeof *taken);
        for (uint32_t i = 0; i < k; i++) {
            uint32_t best = A;
            for (uint32_t a = 0; a < A; a++)
                if (!taken[a] &&
                    (best == A || terms->U[(size_t)c * A + a] > terms->U[(size_t)c * A + best]))
                    best = a;
            taken[best] = true;
            list[(size_t)c * k + i] = best;
        }
    }
    *out = list;
    return JALI_OK;
}

/* The largest sums over a frontier of attributes: mech/combine_sums.c with max for plus. */
typedef struct frontier {
    const jali_plain_terms *terms;
    double *best;    /* [attribute + 1][set] */
    uint16_t *taken; /* [attribute][set]     */
    double *gain;    /* [set]                */
} frontier;

static uint32_t takers(const frontier *f, const uint32_t *list, uint32_t k, uint32_t a)
{
    uint32_t set = 0;
    for (uint32_t c = 0; c < f->terms->clusters; c++) {
        bool may = list == NULL;
        for (uint32_t i = 0; i < k && list != NULL; i++) may |= list[(size_t)c * k + i] == a;
        if (may) set |= 1u << c;
    }
    return set;
}

static void fill_gain(frontier *f, uint32_t a, uint32_t set)
{
    const jali_plain_terms *t = f->terms;
    f->gain[0] = 0;
    for (uint32_t s = (0 - set) & set; s != 0; s = (s - set) & set) {
        uint32_t c = (uint32_t)__builtin_ctz(s), rest = s & (s - 1);
        double g = f->gain[rest] + t->U[(size_t)c * t->attributes + a];
        for (uint32_t r = rest; r != 0; r &= r - 1)
            g -= t->W[((size_t)a * t->clusters + c) * t->clusters + (uint32_t)__builtin_ctz(r)];
        f->gain[s] = g;
    }
}

static void step(frontier *f, uint32_t a, uint32_t set, size_t sets)
{
    const double *from = f->best + (size_t)a * sets;
    double *to = f->best + (size_t)(a + 1) * sets;
    for (uint32_t s = 0; s < sets; s++) {
        uint32_t can = s & set, x = 0, best = 0;
        double top = from[s];
        while ((x = (x - can) & can) != 0) {
            double y = from[s ^ x] + f->gain[x];
            if (y > top) {
                top = y;
                best = x;
            }
        }
        to[s] = top;
        f->taken[(size_t)a * sets + s] = (uint16_t)best;
    }
}

jali_status jali_plain_best(const jali_plain_terms *terms, const uint32_t *list, uint32_t k,
                            jali_arena *arena, uint32_t *chosen, jali_err *err)
{
    size_t sets = (size_t)1 << terms->clusters, A = terms->attributes;
    if (terms->clusters > MOST_CLUSTERS)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "the best of all combinations is found for at most %d clusters",
                         MOST_CLUSTERS);
    frontier f = { terms, jali_arena_take(arena, (A + 1) * sets, sizeof(double)),
                   jali_arena_take(arena, A * sets, sizeof(uint16_t)),
                   jali_arena_take(arena, sets, sizeof(double)) };
    if (f.best == NULL || f.taken == NULL || f.gain == NULL) return jali_fail_memory(err);
    for (size_t s = 0; s < sets; s++) f.best[s] = s == 0 ? 0 : -INFINITY;
    for (uint32_t a = 0; a < A; a++) {
        uint32_t set = takers(&f, list, k, a);
        fill_gain(&f, a, set);
        step(&f, a, set, sets);
    }
    size_t s = sets - 1;
    for (size_t a = A; a-- > 0;) {
        uint32_t x = f.taken[a * sets + s];
        for (uint32_t c = 0; c < terms->clusters; c++)
            if (x >> c & 1) chosen[c] = (uint32_t)a;
        s ^= x;
    }
    return JALI_OK;
}
