/* mech/interval.h — how far a released number may be from the truth. */
#ifndef JALI_MECH_INTERVAL_H
#define JALI_MECH_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The noises of dice/, as far as a reader has to know them. The cube is for whole vectors of
 * which one person moves every number: P(y) ~ exp(-max |y_i| / scale). */
typedef enum jali_law { JALI_LAW_LAPLACE, JALI_LAW_GAUSS, JALI_LAW_CUBE } jali_law;

/* P(|Z| > q) for discrete Laplace of that scale or discrete Gaussian of that sigma. */
double jali_law_tail(jali_law law, double scale, uint64_t q);

/* The least q with P(|Z| > q) <= miss, 0 < miss < 1: released +- q covers the truth with
 * probability at least 1 - miss. UINT64_MAX / 4 if there is none below. */
uint64_t jali_law_halfwidth(jali_law law, double scale, double miss);

/* The same for one of the d numbers of a cube's vector. */
double jali_cube_tail(double scale, size_t d, uint64_t q);
uint64_t jali_cube_halfwidth(double scale, size_t d, double miss);

/* The z with P(|N(0,1)| > z) = miss: for sums of many noises, which are nearly normal. */
double jali_normal_halfwidth(double miss);

#endif
