/* mech/explain_read.c — intervals of influence and of rank, read off a noisy vector.
 *
 * No claim of privacy: post-processing of what was released, which may therefore use doubles.
 * What is claimed is coverage, of each interval for itself:
 *
 * Claim    explain.read
 *          The exact influence and the true rank of a chosen predicate lie in their intervals
 *          with probability at least `confidence` each, whatever was chosen.
 * Proof    proofs/explain_read.md#explain.read
 * Source   Ours: research B.2 (tests in a fixed order need no union bound), C.2 (tails of
 *          K-norm noise; here with the range, in closed form)
 * Law      as mech/explain_vector.c
 * Test     tests/mech/explain_read_test.c
 * Silent   Not simultaneous: of twenty intervals at 95% one may be expected to miss.
 */
#include "mech/explain.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* ---- tails of K-norm noise ------------------------------------------------------------- */

/* P(Gamma(n) > x), n whole: Poisson's sum, largest terms first met from the top. */
static double upper_gamma(size_t n, double x)
{
    double sum = 0;
    if (x <= 0) return n > 0 ? 1 : 0;
    for (size_t i = n; i-- > 0;) sum += exp((double)i * log(x) - x - lgamma((double)i + 1));
    return sum < 1 ? sum : 1;
}

/* E[(a - z/G)^power ; G > z/a] for G ~ Gamma(d+1), power 1 or 2. */
static double moment(size_t d, double a, double z, int power)
{
    if (a <= 0) return 0;
    double x = z / a, n = (double)d;
    double q0 = upper_gamma(d + 1, x), q1 = upper_gamma(d, x) / n;
    if (power == 1) return a * q0 - z * q1;
    double q2 = d < 2 ? 0 : upper_gamma(d - 1, x) / (n * (n - 1));
    return a * a * q0 - 2 * a * z * q1 + z * z * q2;
}

/* P(|y_i| > z), z in units of reach/eps, r = range/reach in [1, 2]. */
static double value_tail(size_t d, double r, double z)
{
    double n = (double)d, all = (2 - r) * n + r;
    double both = (n - 1) / (2 * r) * (moment(d, 1, z, 2) - moment(d, r - 1, z, 2));
    return 2 / all * (both + moment(d, 1, z, 1));
}

/* P(y_i - y_j > z) */
static double difference_tail(size_t d, double r, double z)
{
    double n = (double)d, all = (2 - r) * n + r, x = z / r;
    double square = (2 - r) * (n - 2) / 2 + r / 2;
    return ((2 - r) * moment(d, 1, x, 1) + square * moment(d, 1, x, 2)) / all;
}

/* The least z with tail(z) <= miss. */
static double quantile(double (*tail)(size_t, double, double), size_t d, double r, double miss)
{
    double lo = 0, hi = 1;
    while (tail(d, r, hi) > miss) hi *= 2;
    for (int i = 0; i < 60; i++) {
        double middle = (lo + hi) / 2;
        if (tail(d, r, middle) > miss)
            lo = middle;
        else
            hi = middle;
    }
    return hi;
}

/* ---- margins, in scores ----------------------------------------------------------------- */

/* Two steps more than the continuous law: what the grid may add. */
static double body_margin(const jali_explain_noise *noise, double miss,
                          double (*tail)(size_t, double, double))
{
    double z = quantile(tail, noise->d, noise->range / noise->reach, miss);
    return ceil(z * noise->reach / noise->eps) + 2;
}

double jali_explain_halfwidth(const jali_explain_noise *noise, double confidence)
{
    if (noise->law == JALI_LAW_LAPLACE) return body_margin(noise, 1 - confidence, value_tail);
    double sigma = sqrt(noise->own * noise->own + noise->common * noise->common);
    return (double)jali_law_halfwidth(JALI_LAW_GAUSS, sigma, 1 - confidence);
}

/* A difference of two numbers passes it with probability at most (1 - confidence)/2 when it
 * should not: what all share cancels. */
static double rank_margin(const jali_explain_noise *noise, double confidence)
{
    double miss = 1 - confidence;
    if (noise->law == JALI_LAW_LAPLACE) return body_margin(noise, miss / 2, difference_tail);
    return (double)jali_law_halfwidth(JALI_LAW_GAUSS, noise->own * sqrt(2), miss) + 1;
}

/* ---- lines ------------------------------------------------------------------------------- */

static void read_rank(const jali_explained *it, double x, double margin,
                      jali_explained_line *line)
{
    uint64_t lo = 1, hi = it->predicates;
    for (size_t i = it->n_ranks; i-- > 0;) { /* from the last rank up */
        if (!(x - (double)it->at_rank[i] > margin)) break;
        hi = it->rank[i] - 1;
    }
    for (size_t i = 0; i < it->n_ranks; i++) { /* from the first rank down */
        if (!((double)it->at_rank[i] - x > margin)) break;
        lo = it->rank[i] + 1;
    }
    if (hi < 1) hi = 1;
    if (lo > it->predicates) lo = it->predicates;
    bool crossed = lo > hi;
    line->rank_low = crossed ? hi : lo;
    line->rank_high = crossed ? lo : hi;
}

void jali_explained_read(const jali_explained *it, double confidence, jali_explained_line *line)
{
    double width = jali_explain_halfwidth(&it->noise, confidence);
    double margin = it->n_ranks > 0 ? rank_margin(&it->noise, confidence) : 0;
    for (size_t i = 0; i < it->k; i++) {
        double x = (double)it->influence[i];
        line[i] = (jali_explained_line){ .influence = x + 0.5, /* scores are rounded down */
                                         .low = x - width,
                                         .high = x + width + 1 };
        if (it->low == NULL) {
            read_rank(it, x, margin, &line[i]);
        } else {
            line[i].rank_low = it->low[i];
            line[i].rank_high = it->high[i];
        }
    }
}

static bool before(const jali_explained_line *a, const jali_explained_line *b)
{
    if (a->high != b->high) return a->high > b->high;
    return a->rank_high < b->rank_high;
}

void jali_explained_order(const jali_explained_line *line, size_t k, size_t *order)
{
    for (size_t i = 0; i < k; i++) { /* at most JALI_EXPLAIN_TOP: insertion will do */
        size_t at = i;
        for (; at > 0 && before(&line[i], &line[order[at - 1]]); at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}
