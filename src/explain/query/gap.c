/* explain/query/gap.c — how much larger is it, and could it be the noise?
 *
 * No claim: post-processing of a release.
 *
 * Weighted COUNTs and SUMs are sums of whole multiples of independent noise. With Gaussian
 * noise their law is found exactly wherever it is a discrete Gaussian again: adding a Z to a
 * discrete Gaussian of width s makes one of width s' = hypot(s, a sigma), but for a factor
 * within 1 +- 4 exp(-2 pi^2 kappa^2) with kappa = sigma s / s' (complete the square in z, then
 * Poisson's summation; PRIVACY 8, lemma B3d, says the same of a shared component). From
 * kappa = 1 on that is below 2e-8, which is taken off `miss`. Elsewhere each Z is at most one
 * step beyond a normal (Canonne, Kamath, Steinke 2020, Proposition 25), so that sum |a_i|
 * added to the normal's half-width is enough.
 * Laplace noise: two terms of one size have a closed form; else the better of Chernoff's bound
 * and the union bound. The better of the two may be taken: neither looks at the data.
 *
 * AVG: Fieller's set of each group at miss / groups, weighted (research B.5, "strict"): half
 * as wide as the paper's box of four intervals and certain to cover. The square-root
 * combination would be narrower and may fall to 94.6%, so it is not used.
 */
#include "explain/query/gap.h"
#include <float.h>
#include <math.h>

enum { STEPS = 200 };

/* ---- the law of a weighted sum of noise ------------------------------------------------ */

static void sort_by_size(size_t n, const double *a, const double *scale, double *size,
                         double *width)
{
    for (size_t i = 0; i < n; i++) {
        size_t at = i;
        for (; at > 0 && size[at - 1] > fabs(a[i]); at--) {
            size[at] = size[at - 1];
            width[at] = width[at - 1];
        }
        size[at] = fabs(a[i]);
        width[at] = scale[i];
    }
}

static double gauss_half(size_t n, const double *a, const double *scale, double miss)
{
    double size[2 * JALI_COMPARE_GROUPS], width[2 * JALI_COMPARE_GROUPS], s = 0, steps = 0;
    sort_by_size(n, a, scale, size, width);
    bool whole = n > 0 && size[0] == 1;
    for (size_t i = 0; i < n; i++) {
        double wider = hypot(s, size[i] * width[i]);
        if (i > 0 && width[i] * s < wider) whole = false;
        s = wider;
        steps += size[i];
    }
    if (whole) return (double)jali_law_halfwidth(JALI_LAW_GAUSS, s, miss * (1 - 1e-6));
    return jali_normal_halfwidth(miss) * s + steps;
}

/* P(|Z1 + Z2| > q) of two discrete Laplaces of one scale. */
static double pair_tail(double scale, double q)
{
    double p = exp(-1 / scale), c = (1 - p) / (1 + p), first = q + 1;
    double flat = exp(-first / scale) / (1 - p);
    double ramp = exp(-first / scale) * (first / (1 - p) + p / ((1 - p) * (1 - p)));
    return 2 * c * c * (ramp + (1 + p * p) / (1 - p * p) * flat);
}

static double pair_half(double scale, double miss)
{
    double low = 0, high = 1;
    while (pair_tail(scale, high) > miss && high < 1e18) high *= 2;
    while (low < high) {
        double q = floor((low + high) / 2);
        if (pair_tail(scale, q) <= miss)
            high = q;
        else
            low = q + 1;
    }
    return low;
}

/* ln E exp(t a Z), discrete Laplace; the caller keeps t |a| below 1 / scale. */
static double log_moment(double t, double a, double scale)
{
    double p = exp(-1 / scale), x = fabs(t * a);
    return 2 * log1p(-p) - log1p(-p * exp(x)) - log1p(-p * exp(-x));
}

static double chernoff(size_t n, const double *a, const double *scale, double miss)
{
    double limit = INFINITY, best = INFINITY;
    for (size_t i = 0; i < n; i++) limit = fmin(limit, 1 / (scale[i] * fabs(a[i])));
    for (int k = 1; k < STEPS; k++) {
        double t = limit * k / STEPS, sum = log(2 / miss);
        for (size_t i = 0; i < n; i++) sum += log_moment(t, a[i], scale[i]);
        best = fmin(best, sum / t);
    }
    return best;
}

static double laplace_half(size_t n, const double *a, const double *scale, double miss)
{
    if (n == 2 && fabs(a[0]) == fabs(a[1]) && scale[0] == scale[1])
        return fabs(a[0]) * pair_half(scale[0], miss);
    double each = 0;
    for (size_t i = 0; i < n; i++)
        each += fabs(a[i]) *
                (double)jali_law_halfwidth(JALI_LAW_LAPLACE, scale[i], miss / (double)n);
    return n == 1 ? each : fmin(each, chernoff(n, a, scale, miss));
}

double jali_gap_half(jali_law law, size_t n, const double *a, const double *scale, double miss)
{
    double some[2 * JALI_COMPARE_GROUPS], width[2 * JALI_COMPARE_GROUPS];
    size_t m = 0;
    for (size_t i = 0; i < n; i++) {
        if (a[i] == 0) continue; /* a middle of 0 */
        some[m] = a[i];
        width[m++] = scale[i];
    }
    return law == JALI_LAW_GAUSS ? gauss_half(m, some, width, miss)
                                 : laplace_half(m, some, width, miss);
}

/* ---- weighted sums ------------------------------------------------------------------- */

static void sum_gap(const jali_answer *x, const jali_comparison *c, const size_t *cell,
                    double miss, jali_gap *out)
{
    double a[2 * JALI_COMPARE_GROUPS], scale[2 * JALI_COMPARE_GROUPS], value = 0, step = 1;
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++) {
        jali_raw raw = jali_answer_raw(x, c->aggregate, cell[i]);
        double count = raw.has_sum ? raw.middle : 1;
        step = raw.step;
        value += c->weight[i] * (count * raw.count + (raw.has_sum ? raw.centred : 0));
        a[n] = c->weight[i] * count;
        scale[n++] = raw.count_scale;
        if (!raw.has_sum) continue;
        a[n] = c->weight[i];
        scale[n++] = raw.centred_scale;
    }
    double half = jali_gap_half(x->ask->law, n, a, scale, miss);
    out->value = c->unit * step * value - c->constant;
    out->low = out->value - c->unit * step * half;
    out->high = out->value + c->unit * step * half;
    out->how = "the law of the noise itself";
}

static void average_gap(const jali_answer *x, const jali_comparison *c, const size_t *cell,
                        double miss, jali_gap *out)
{
    for (size_t i = 0; i < c->n; i++) {
        jali_estimate e = jali_answer_at(x, c->aggregate, cell[i], miss / (double)c->n);
        double w = c->unit * c->weight[i];
        out->value += w * e.value;
        out->low += w * (w > 0 ? e.low : e.high);
        out->high += w * (w > 0 ? e.high : e.low);
        out->bounded = out->bounded && e.bounded;
    }
    out->value -= c->constant;
    out->low -= c->constant;
    out->high -= c->constant;
    out->how = x->ask->law == JALI_LAW_GAUSS ? "Fieller's set of each group"
                                             : "the box of sum and count of each group";
}

/* ---- general arithmetic ---------------------------------------------------------------- */

static void tree_gap(const jali_answer *x, const jali_comparison *c, const size_t *cell,
                     double miss, jali_gap *out)
{
    jali_span span[JALI_COMPARE_GROUPS];
    double value[JALI_COMPARE_GROUPS];
    for (size_t i = 0; i < c->n; i++) {
        jali_estimate e = jali_answer_at(x, c->aggregate, cell[i], miss / (double)c->n);
        value[i] = e.value;
        span[i] = (jali_span){ e.low, e.high };
        out->bounded = out->bounded && e.bounded;
    }
    jali_span image = jali_gap_image(c->tree, span);
    out->value = jali_gap_value(c->tree, value);
    out->low = image.low;
    out->high = image.high;
    if (!isfinite(image.low) || !isfinite(image.high)) out->bounded = false;
    if (!isfinite(out->value)) out->value = 0;
    out->how = "the image of the intervals of all groups";
}

static void judge(jali_gap *gap)
{
    gap->verdict = gap->low > 0    ? JALI_VERDICT_YES
                   : gap->high < 0 ? JALI_VERDICT_REVERSED
                                   : JALI_VERDICT_NOISE;
}

void jali_gap_of(const jali_answer *answer, const jali_comparison *c, double miss,
                 jali_gap *out)
{
    size_t cell[JALI_COMPARE_GROUPS];
    jali_gap gap = { .bounded = true, .smallest = INFINITY };
    for (size_t i = 0; i < c->n; i++) {
        cell[i] = jali_answer_group(answer->ask, c->part[i]);
        double count = jali_answer_raw(answer, c->aggregate, cell[i]).count;
        if (count < gap.smallest) gap.least = i;
        gap.smallest = fmin(gap.smallest, count);
    }
    bool average = answer->ask->query.aggregate[c->aggregate].kind == JALI_AVG;
    if (!c->linear)
        tree_gap(answer, c, cell, miss, &gap);
    else if (average)
        average_gap(answer, c, cell, miss, &gap);
    else
        sum_gap(answer, c, cell, miss, &gap);
    judge(&gap);
    *out = gap;
}
