/* eval/contrast.h — what the trial of contrast is made of: the truth, and coresets to compare.
 */
#ifndef JALI_EVAL_CONTRAST_H
#define JALI_EVAL_CONTRAST_H

#include "eval/eval.h"
#include "explain/contrast/plan.h"
#include "explain/contrast/solve.h"
#include "explain/contrast/view.h"

/* The real points of a public vault, and the best centres known for them. */
typedef struct jali_ground_truth {
    const jali_ground *ground;
    jali_cloud cloud; /* in box units */
    jali_solver solver;
    size_t k, askers;
    jali_spot *base, *at; /* centres; where askers stand */
    double base_cost;
    double *cost; /* with a centre at each asker: best known */
} jali_ground_truth;

JALI_MUST_USE jali_status jali_truth_find(jali_ground_truth *out, const jali_stage *stage,
                                          const jali_contrast *plan, size_t askers,
                                          jali_err *err);

/* Another set for asker i: kept if it is better on the real points than what is known. */
void jali_truth_learn(jali_ground_truth *t, size_t i, const jali_spot *set);

/* Coresets of the same budget, made another way: "grid64", "privtree", "paper". */
JALI_MUST_USE jali_status jali_rival_coreset(const char *method, const jali_stage *stage,
                                             const jali_contrast *plan, mpq_srcptr budget,
                                             jali_arena *arena, jali_coreset *out,
                                             jali_err *err);

#endif
