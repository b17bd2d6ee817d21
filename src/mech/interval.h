/* mech/interval.h — how far a released number may be from the truth. */
#ifndef JALI_MECH_INTERVAL_H
#define JALI_MECH_INTERVAL_H

#include <stdbool.h>
#include <stdint.h>

/* Two noises of dice/, as far as a reader has to know them. */
typedef enum jali_law { JALI_LAW_LAPLACE, JALI_LAW_GAUSS } jali_law;

/* P(|Z| > q) for discrete Laplace of that scale or discrete Gaussian of that sigma. */
double jali_law_tail(jali_law law, double scale, uint64_t q);

/* The least q with P(|Z| > q) <= miss, 0 < miss < 1: released +- q covers the truth with
 * probability at least 1 - miss. UINT64_MAX / 4 if there is none below. */
uint64_t jali_law_halfwidth(jali_law law, double scale, double miss);

#endif
