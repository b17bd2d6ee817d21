/* mech/interval.c — how far a released number may be from the truth.
 *
 * No claim: post-processing of public parameters, which may therefore use doubles.
 *
 * Laplace has a closed form. The Gaussian is summed term by term while sigma is small; from
 * sigma = 64 on, the midpoint rule of Euler and Maclaurin with its first correction is good
 * to 1e-8 (relative), where one step of q moves the tail by 1e-4 of itself or more.
 */
#include "mech/interval.h"
#include <math.h>

enum { SUM_BELOW = 64, REACH = 40 }; /* terms beyond 40 sigma are below 1e-347 */

static double laplace_tail(double scale, uint64_t q)
{
    double p = exp(-1 / scale);
    return 2 * exp(-((double)q + 1) / scale) / (1 + p);
}

static double summed_tail(double sigma, uint64_t q)
{
    double all = 1, beyond = 0;
    uint64_t last = (uint64_t)(REACH * sigma) + 2;
    for (uint64_t z = last; z > 0; z--) { /* smallest first */
        double term = 2 * exp(-((double)z / sigma) * ((double)z / sigma) / 2);
        if (z > q) beyond += term;
        all += term;
    }
    return beyond / all;
}

static double gauss_tail(double sigma, uint64_t q)
{
    if (sigma < SUM_BELOW) return summed_tail(sigma, q);
    double x = ((double)q + 0.5) / sigma;
    double density = exp(-x * x / 2) / (sigma * sqrt(2 * acos(-1)));
    return erfc(x / sqrt(2)) + 2 * density * x / (24 * sigma);
}

double jali_law_tail(jali_law law, double scale, uint64_t q)
{
    return law == JALI_LAW_LAPLACE ? laplace_tail(scale, q) : gauss_tail(scale, q);
}

/* P(Poisson(x) < a) = Q(a, x): the chance that a gamma variable of whole shape a is above x.
 * Terms by logarithms: a is up to thousands, and exp(-x) alone would be 0. */
static double gamma_above(size_t a, double x)
{
    double sum = 0;
    if (!(x > 0)) return 1;
    for (size_t k = 0; k < a; k++) sum += exp((double)k * log(x) - x - lgamma((double)k + 1));
    return sum < 1 ? sum : 1;
}

/* The level t has weight (2t+1)^d exp(-t/scale), and a number of it is uniform on -t..t. With
 * T = t + 1/2 the level is a gamma variable of shape d+1 (the midpoint rule: good to
 * d^2/scale^2, and scales are of the order of 10^6), and P(|y| > q) = E (1 - (q+1/2)/T)+ =
 * Q(d+1, x) - x/d Q(d, x), x = (q+1/2)/scale. */
double jali_cube_tail(double scale, size_t d, uint64_t q)
{
    double x = ((double)q + 0.5) / scale;
    double p = gamma_above(d + 1, x) - x / (double)d * gamma_above(d, x);
    return p > 0 ? p : 0;
}

typedef struct tail {
    jali_law law;
    double scale;
    size_t d;
} tail;

static double beyond(const tail *t, uint64_t q)
{
    return t->law == JALI_LAW_CUBE ? jali_cube_tail(t->scale, t->d, q)
                                   : jali_law_tail(t->law, t->scale, q);
}

static uint64_t halfwidth(const tail *t, double miss)
{
    const uint64_t most = UINT64_MAX / 4;
    uint64_t high = 1;
    while (high < most && beyond(t, high) > miss) high *= 2;
    if (high >= most) return most;
    uint64_t low = 0; /* the answer is in [low, high] */
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (beyond(t, middle) <= miss)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

uint64_t jali_law_halfwidth(jali_law law, double scale, double miss)
{
    return halfwidth(&(tail){ law, scale, 0 }, miss);
}

uint64_t jali_cube_halfwidth(double scale, size_t d, double miss)
{
    return halfwidth(&(tail){ JALI_LAW_CUBE, scale, d }, miss);
}

/* By bisection on erfc: short, and good to the last bit. */
double jali_normal_halfwidth(double miss)
{
    double low = 0, high = REACH;
    for (int i = 0; i < 100; i++) {
        double z = (low + high) / 2;
        if (erfc(z / sqrt(2)) > miss)
            low = z;
        else
            high = z;
    }
    return high;
}
