/* explain/query/image.c — general arithmetic over groups: image intervals and the bootstrap.
 *
 * No claim: post-processing of a release.
 *
 * The image (DPXPlain C.4) is computed by interval arithmetic: exact when each group stands
 * once in the question, and wider, never narrower, when it stands there twice. The bootstrap
 * (C.5, bias-corrected percentiles of a parametric resample) is approximate and told as such.
 * Its random numbers are public: one fixed seed, so that one release always tells one story.
 */
#include "explain/query/gap.h"
#include <math.h>

enum { RESAMPLES = 2000 };

static jali_span everything(void)
{
    return (jali_span){ -INFINITY, INFINITY };
}

static jali_span times(jali_span a, jali_span b)
{
    double p[4] = { a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high };
    jali_span out = { INFINITY, -INFINITY };
    for (int i = 0; i < 4; i++) {
        double x = isnan(p[i]) ? 0 : p[i]; /* 0 * infinity: the end that is 0 wins */
        out.low = fmin(out.low, x);
        out.high = fmax(out.high, x);
    }
    return out;
}

static jali_span over(jali_span a, jali_span b)
{
    if (b.low <= 0 && b.high >= 0) return everything();
    return times(a, (jali_span){ 1 / b.high, 1 / b.low });
}

static jali_span sound(jali_span s)
{
    return isnan(s.low) || isnan(s.high) ? everything() : s;
}

jali_span jali_gap_image(const jali_node *node, const jali_span *group)
{
    if (node->kind == JALI_NODE_NUMBER) return (jali_span){ node->value, node->value };
    if (node->kind == JALI_NODE_GROUP) return group[node->group];
    jali_span a = jali_gap_image(node->left, group);
    if (node->kind == JALI_NODE_EXP) return sound((jali_span){ exp(a.low), exp(a.high) });
    if (node->kind == JALI_NODE_LOG)
        return a.low <= 0 ? everything() : sound((jali_span){ log(a.low), log(a.high) });
    jali_span b = jali_gap_image(node->right, group);
    switch (node->kind) {
    case JALI_NODE_ADD:
        return sound((jali_span){ a.low + b.low, a.high + b.high });
    case JALI_NODE_SUBTRACT:
        return sound((jali_span){ a.low - b.high, a.high - b.low });
    case JALI_NODE_TIMES:
        return times(a, b);
    default:
        return over(a, b);
    }
}

double jali_gap_value(const jali_node *node, const double *group)
{
    if (node->kind == JALI_NODE_NUMBER) return node->value;
    if (node->kind == JALI_NODE_GROUP) return group[node->group];
    double a = jali_gap_value(node->left, group);
    if (node->kind == JALI_NODE_EXP) return exp(a);
    if (node->kind == JALI_NODE_LOG) return log(a);
    double b = jali_gap_value(node->right, group);
    switch (node->kind) {
    case JALI_NODE_ADD:
        return a + b;
    case JALI_NODE_SUBTRACT:
        return a - b;
    case JALI_NODE_TIMES:
        return a * b;
    default:
        return a / b;
    }
}

/* ---- the bootstrap ---------------------------------------------------------------------- */

static double uniform(uint64_t *state) /* splitmix64, public */
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return ((double)((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
}

static double noise(jali_law law, double scale, uint64_t *state)
{
    double u = uniform(state), v = uniform(state);
    if (law == JALI_LAW_LAPLACE) return scale * (v < 0.5 ? log(u) : -log(u));
    return scale * sqrt(-2 * log(u)) * cos(2 * acos(-1) * v);
}

static double inside(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

static double resampled(const jali_answer *x, const jali_comparison *c, size_t g,
                        uint64_t *state)
{
    jali_raw raw = jali_answer_raw(x, c->aggregate, g);
    bool again = state != NULL; /* NULL: as released */
    double count = raw.count + (again ? noise(x->ask->law, raw.count_scale, state) : 0);
    if (!raw.has_sum) return count;
    double sum = raw.centred + (again ? noise(x->ask->law, raw.centred_scale, state) : 0);
    if (x->ask->query.aggregate[c->aggregate].kind == JALI_SUM)
        return raw.step * (raw.middle * count + sum);
    double ratio = count > 0 ? raw.middle + sum / count : raw.middle;
    return raw.step * inside(ratio, raw.bottom, raw.top);
}

static double once(const jali_answer *x, const jali_comparison *c, const size_t *cell,
                   uint64_t *state)
{
    double value[JALI_COMPARE_GROUPS], sum = -c->constant;
    for (size_t i = 0; i < c->n; i++) {
        value[i] = resampled(x, c, cell[i], state);
        sum += c->unit * c->weight[i] * value[i];
    }
    return c->linear ? sum : jali_gap_value(c->tree, value);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double normal_cdf(double z)
{
    return erfc(-z / sqrt(2)) / 2;
}

static double normal_inverse(double p)
{
    double low = -9, high = 9;
    for (int i = 0; i < 100; i++) {
        double z = (low + high) / 2;
        if (normal_cdf(z) < p)
            low = z;
        else
            high = z;
    }
    return low;
}

void jali_gap_bootstrap(const jali_answer *answer, const jali_comparison *c, double miss,
                        jali_gap *gap)
{
    size_t cell[JALI_COMPARE_GROUPS];
    if (c->linear && answer->ask->query.aggregate[c->aggregate].kind != JALI_AVG) return;
    for (size_t i = 0; i < c->n; i++) cell[i] = jali_answer_group(answer->ask, c->part[i]);
    double theta[RESAMPLES], found = once(answer, c, cell, NULL);
    uint64_t state = 20230917;
    int below = 0;
    for (int b = 0; b < RESAMPLES; b++) {
        theta[b] = once(answer, c, cell, &state);
        if (!isfinite(theta[b])) return; /* log of what may be negative: no interval */
        below += theta[b] < found;
    }
    qsort(theta, RESAMPLES, sizeof *theta, by_size);
    double z0 = normal_inverse((below + 0.5) / (RESAMPLES + 1));
    double low = normal_cdf(2 * z0 + normal_inverse(miss / 2)) * RESAMPLES;
    double high = normal_cdf(2 * z0 + normal_inverse(1 - miss / 2)) * RESAMPLES;
    gap->boot_low = theta[(int)inside(floor(low), 0, RESAMPLES - 1)];
    gap->boot_high = theta[(int)inside(ceil(high), 0, RESAMPLES - 1)];
    gap->has_boot = true;
}
