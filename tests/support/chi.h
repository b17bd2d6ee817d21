/* tests/support/chi.h — does a sample follow its law?
 *
 * Pearson's chi-square over bins pooled to at least 50 expected each. A true law is
 * refused with probability 1e-6 (the tail of the limit law, which at 50 a bin is close),
 * and seeds are fixed, so a red run is news and never weather.
 */
#ifndef JALI_TESTS_CHI_H
#define JALI_TESTS_CHI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHI_FALSE_ALARM 1e-6

/* seen[i] of the draws fell into bin i, whose probability is law[i]; laws add up to 1. */
bool chi_fits(const uint64_t *seen, const double *law, size_t n);

/* Are two samples from one law? Bins with fewer than 100 together are pooled. */
bool chi_same(const uint64_t *a, const uint64_t *b, size_t n);

/* P(chi-square with `freedom` degrees >= x) */
double chi_tail(double x, size_t freedom);

#endif
