/* dice/reals.h — exp and log in doubles, branch-free, with proven error bounds.
 *
 * Not libm: its time depends on the argument (exp(0) returns at once), its accuracy is
 * claimed but not proven, and it does not vectorise. These are short enough to prove.
 * The claim and its card are in dice/reals.c.
 */
#ifndef JALI_DICE_REALS_H
#define JALI_DICE_REALS_H

#include <stdint.h>
#include <string.h>

#define JALI_LN2_HIGH 0x1.62e42fefa38p-1  /* 42 bits: times a small integer is exact */
#define JALI_LN2_LOW 0x1.ef35793c7673p-45 /* ln 2 minus that                         */
#define JALI_ROUNDER 0x1.8p52             /* adding it rounds to an integer          */

static inline uint64_t jali_bits_of(double x)
{
    uint64_t b;
    memcpy(&b, &x, sizeof b);
    return b;
}

static inline double jali_of_bits(uint64_t b)
{
    double x;
    memcpy(&x, &b, sizeof x);
    return x;
}

/* The nearest double to w: as a cast, but without the cast's branch. */
static inline double jali_double_of(uint64_t w)
{
    double high = jali_of_bits(w >> 32 | 0x4530000000000000) - 0x1.00000001p84;
    double low = jali_of_bits((w & 0xffffffff) | 0x4330000000000000);
    return high + low;
}

/* exp(-x), 0 <= x <= 64; relative error below 2^-50. */
static inline double jali_exp_minus(double x)
{
    double shifted = x * 0x1.71547652b82fep0 + JALI_ROUNDER;
    double k = shifted - JALI_ROUNDER;
    double r = (k * JALI_LN2_HIGH - x) + k * JALI_LN2_LOW;
    double p = 1.0 / 6227020800;
    p = p * r + 1.0 / 479001600;
    p = p * r + 1.0 / 39916800;
    p = p * r + 1.0 / 3628800;
    p = p * r + 1.0 / 362880;
    p = p * r + 1.0 / 40320;
    p = p * r + 1.0 / 5040;
    p = p * r + 1.0 / 720;
    p = p * r + 1.0 / 120;
    p = p * r + 1.0 / 24;
    p = p * r + 1.0 / 6;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;
    uint64_t down = jali_bits_of(shifted) - jali_bits_of(JALI_ROUNDER); /* k as an integer */
    return p * jali_of_bits((1023 - down) << 52);
}

/* ln(1 + f), sqrt(1/2) - 1 <= f <= sqrt(2) - 1 (within 2^-20); relative error below 2^-50. */
static inline double jali_log_near_one(double f)
{
    double s = f / (2.0 + f), z = s * s;
    double p = 1.0 / 25;
    p = p * z + 1.0 / 23;
    p = p * z + 1.0 / 21;
    p = p * z + 1.0 / 19;
    p = p * z + 1.0 / 17;
    p = p * z + 1.0 / 15;
    p = p * z + 1.0 / 13;
    p = p * z + 1.0 / 11;
    p = p * z + 1.0 / 9;
    p = p * z + 1.0 / 7;
    p = p * z + 1.0 / 5;
    p = p * z + 1.0 / 3;
    return 2.0 * s + 2.0 * s * (z * p);
}

/* x = 2^k m with m between sqrt(1/2) and sqrt(2), for a normal x > 0. */
static inline double jali_split(double x, double *k)
{
    uint64_t bits = jali_bits_of(x);
    uint64_t lifted = bits + (0x3ff0000000000000 - 0x3fe6a09e667f3bcd);
    *k = jali_of_bits(lifted >> 52 | 0x4330000000000000) - (0x1p52 + 1023.0);
    return jali_of_bits(bits - (lifted & 0xfff0000000000000) + 0x3ff0000000000000);
}

/* ln(x), 2^-200 <= x <= 2^64; absolute error below 2^-45. */
static inline double jali_log(double x)
{
    double k, m = jali_split(x, &k);
    return k * JALI_LN2_HIGH + (k * JALI_LN2_LOW + jali_log_near_one(m - 1.0));
}

/* -ln(1 - v), v = w 2^-64, w >= 1; relative error below 2^-49. */
static inline double jali_exponential(uint64_t w)
{
    double v = jali_double_of(w) * 0x1p-64;
    double rest = jali_double_of(0 - w) * 0x1p-64; /* 1 - v */
    double k, m = jali_split(rest, &k);
    double near = -v, far = m - 1.0;
    double f = v < 0x1.2bp-2 ? near : far; /* below 1 - sqrt(1/2), 1 - v would forget v */
    return -(k * JALI_LN2_HIGH + (k * JALI_LN2_LOW + jali_log_near_one(f)));
}

/* The same for JALI_LANES numbers at once, in place: loops that become vectors. */
enum { JALI_LANES = 64 };
void jali_exp_minus_each(double x[static JALI_LANES]);
void jali_log_each(double x[static JALI_LANES]);
void jali_exponential_each(const uint64_t w[static JALI_LANES], double x[static JALI_LANES]);

#endif
