/* tests/dice/peel.h — the law of k peeled exponential mechanisms over classes of equals. */
#ifndef JALI_TESTS_DICE_PEEL_H
#define JALI_TESTS_DICE_PEEL_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* A candidate, or many with the same score that are told apart by nobody. */
typedef struct peel_class {
    double log_weight, size;
} peel_class;

/* law[c1 n^(k-1) + ... + ck] = P(first winner in class c1, ..., k-th in class ck). */
static inline void peel_law(const peel_class *at, size_t n, size_t k, double *law)
{
    size_t outcomes = 1;
    for (size_t i = 0; i < k; i++) outcomes *= n;
    for (size_t o = 0; o < outcomes; o++) {
        double left[16], p = 1;
        for (size_t c = 0; c < n; c++) left[c] = at[c].size;
        for (size_t i = 0, unit = outcomes / n, rest = o; i < k; i++) {
            size_t c = rest / unit;
            double all = 0;
            for (size_t j = 0; j < n; j++)
                if (left[j] > 0) all += left[j] * exp(at[j].log_weight - at[c].log_weight);
            p *= left[c] > 0 ? left[c] / all : 0;
            left[c] = left[c] > 0 ? left[c] - 1 : 0;
            rest %= unit;
            unit = unit > 1 ? unit / n : 1;
        }
        law[o] = p;
    }
}

#endif
