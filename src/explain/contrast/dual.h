/* explain/contrast/dual.h — a lower bound on what any k centres must cost. */
#ifndef JALI_EXPLAIN_CONTRAST_DUAL_H
#define JALI_EXPLAIN_CONTRAST_DUAL_H

#include "explain/contrast/cloud.h"

enum { JALI_DUAL_CANDIDATES = 512, JALI_DUAL_STEPS = 300 };

/* Multipliers that depend on points and candidates only: every asker shares them. */
typedef struct jali_dual {
    size_t n, f, k;
    const float *w;
    float *u;
    double sum;        /* of u                                     */
    double least_most; /* sum of the k - 1 smallest rho            */
    double bound;      /* on the best k candidates, none forced    */
} jali_dual;

/* From distances of f candidates to n points (a multiple of the lanes), and a cost `above` that
 * some k candidates have. d1 and d2 are those of a good set: where the search begins. */
JALI_MUST_USE jali_status jali_dual_find(jali_dual *out, const float *matrix, size_t f,
                                         size_t n, const float *w, size_t k, double above,
                                         const float *d1, const float *d2, unsigned steps,
                                         jali_arena *arena, jali_err *err);

/* With one centre forced, whose distances are d: a bound on it and any k - 1 candidates. */
double jali_dual_forced(const jali_dual *dual, const float *d);

#endif
