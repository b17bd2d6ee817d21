/* explain/contrast/solve.h — k centres on a cloud, one of them perhaps frozen. */
#ifndef JALI_EXPLAIN_CONTRAST_SOLVE_H
#define JALI_EXPLAIN_CONTRAST_SOLVE_H

#include "explain/contrast/cloud.h"
#include "explain/contrast/swap.h"

/* Scratch for one solver at a time. */
typedef struct jali_solver {
    const jali_cloud *cloud;
    size_t k;
    float *d, *e;
    int32_t *who;
    double *sum; /* 4 a centre */
    jali_interchange swap;
    jali_interchange frozen; /* the same with centre 0 fixed */
} jali_solver;

JALI_MUST_USE jali_status jali_solver_new(jali_solver *out, const jali_cloud *cloud, size_t k,
                                          jali_arena *arena, jali_err *err);

/* Lloyd's steps (Weiszfeld's for distances), at most `steps`. Centre 0 stays where it is if
 * `frozen`. centre[0..k) is the best set met; returns its cost. */
double jali_descend(jali_solver *s, jali_spot *centre, bool frozen, unsigned steps);

/* Points drawn with probability w d^p, d from those drawn before; centre 0 is kept if `frozen`.
 */
void jali_seed(jali_solver *s, jali_spot *centre, bool frozen, uint64_t *stream);

/* Swaps over every `stride`-th point, best first, with steps of jali_descend in between, until
 * a pass finds nothing or `passes` are over. Returns the cost. */
double jali_polish(jali_solver *s, jali_spot *centre, bool frozen, size_t stride,
                   unsigned passes);

/* Centres of the whole cloud: several starts, the best polished. */
double jali_solve(jali_solver *s, jali_spot *centre, unsigned starts, uint64_t *stream);

/* Takes the k-1 best of `from` beside `fixed`, as centre[0..k) with `fixed` first. */
void jali_force(jali_solver *s, const jali_spot *from, jali_spot fixed, jali_spot *centre);

#endif
