/* eval/profile_truth.h — how good a choice of attributes is, in plain numbers, and the best.
 *
 * Tables may be noisy (DP-Naive) or true; nothing here is private.
 */
#ifndef JALI_EVAL_PROFILE_TRUTH_H
#define JALI_EVAL_PROFILE_TRUTH_H

#include "base/arena.h"
#include "base/err.h"
#include "tally/tally.h"

/* Counts h[attribute][cluster * values + v], and H[attribute][v] of all rows. */
typedef struct jali_crosstab {
    uint32_t clusters, attributes;
    const uint32_t *values;
    double **h, **H;
    double *size, rows;
} jali_crosstab;

/* Two readings of Quality: the paper's formulas, and the published code's (ALGORITHMS 7.4). */
typedef enum jali_quality_kind { JALI_QUALITY_PAPER, JALI_QUALITY_CODE } jali_quality_kind;

double jali_profile_quality(const jali_crosstab *t, jali_quality_kind kind,
                            const double weight[static 3], const uint32_t *chosen);

/* What a search maximises: U(c, A) summed, less W(c, c', A) where A is shared. */
typedef struct jali_plain_terms {
    uint32_t clusters, attributes;
    double *U, *W; /* [c][A], [A][c][c'] */
} jali_plain_terms;

/* GlScore with kappa = 1, or TabEE's: the code's Quality up to a constant. */
JALI_MUST_USE jali_status jali_plain_glscore(const jali_crosstab *t,
                                             const double weight[static 3], jali_arena *arena,
                                             jali_plain_terms *out, jali_err *err);
JALI_MUST_USE jali_status jali_plain_tabee(const jali_crosstab *t,
                                           const double weight[static 3], jali_arena *arena,
                                           jali_plain_terms *out, jali_err *err);

/* The k best attributes of each cluster by U, best first: clusters * k. */
JALI_MUST_USE jali_status jali_plain_candidates(const jali_plain_terms *terms, uint32_t k,
                                                jali_arena *arena, uint32_t **out,
                                                jali_err *err);

/* The best combination; `list` of k each, NULL: all attributes. At most 16 clusters. */
JALI_MUST_USE jali_status jali_plain_best(const jali_plain_terms *terms, const uint32_t *list,
                                          uint32_t k, jali_arena *arena, uint32_t *chosen,
                                          jali_err *err);

/* The share of clusters that have another attribute. */
double jali_profile_mae(const uint32_t *a, const uint32_t *b, uint32_t clusters);

#endif
