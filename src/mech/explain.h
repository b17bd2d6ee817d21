/* mech/explain.h — the predicates that explain best, with influences and ranks, and the price.
 *
 * Three draws, each with its part of the budget, over the scores of one study:
 *
 *   top-k    the k predicates of the largest influence, by one-shot noise
 *   vector   their influences and, with JALI_RANKS_SHARED, the influences that stand on a
 *            few public ranks: one noisy vector for all, from which intervals of influence
 *            and of rank are read free of charge, at any confidence (jali_explained_read)
 *   search   with JALI_RANKS_SEARCH instead of those ranks: two noisy binary searches for
 *            each chosen predicate, as the paper has it, the loop put right (PRIVACY 2)
 *
 *            law            top-k                    vector                  search
 *   GAUSS    zCDP vault     k peeled exponential     discrete Gaussians,     discrete Gaussian
 *                           mechanisms               one of them common
 *   LAPLACE  pure vault     exponential noise        K-norm noise            discrete Laplace
 */
#ifndef JALI_MECH_EXPLAIN_H
#define JALI_MECH_EXPLAIN_H

#include "base/arena.h"
#include "budget/charge.h"
#include "mech/interval.h"
#include "score/study.h"

typedef struct jali_dice jali_dice; /* named, not included: who calls us may */
                                    /* pass the dice but not throw them      */

enum { JALI_EXPLAIN_TOP = 1000 }; /* most predicates shown */

typedef enum jali_ranks { JALI_RANKS_SHARED, JALI_RANKS_SEARCH } jali_ranks;

/* Budgets are eps for LAPLACE and rho for GAUSS, all above 0 (search: with SEARCH only). */
typedef struct jali_explain_spec {
    jali_law law;
    jali_ranks ranks;
    size_t k;                 /* as asked for: a smaller space gives fewer                   */
    uint64_t predicates;      /* jali_space_size                                             */
    jali_influence influence; /* what one person moves                                      */
    mpq_srcptr topk, vector, search;
    mpq_srcptr lower;  /* SEARCH: share of the lower bound, 0 < lower < 1; NULL: 1/10       */
    double confidence; /* SEARCH: of the intervals of rank, 0 < confidence < 1; the shared
                          ranks are read at any confidence afterwards                       */
} jali_explain_spec;

/* The noise of the vector, in scores: enough to read it again. Exact numbers as "n/d". */
typedef struct jali_explain_noise {
    jali_law law;
    size_t d;           /* numbers in the vector                                          */
    double own, common; /* GAUSS: sigma of each coordinate's noise, and of what all share */
    const char *own2, *common2; /* the same squared, exactly ("0" without a common one)     */
    double reach, range; /* LAPLACE: the body |y| <= reach, max - min <= range, in scores  */
    double eps;          /* LAPLACE                                                        */
    const char *exact_eps;
} jali_explain_noise;

typedef struct jali_explainer jali_explainer;

/* A sampler and its price, from public facts. Copies the budgets. JALI_E_USAGE: a budget that
 * is not positive or too small to be drawn for, k = 0 or above JALI_EXPLAIN_TOP, no predicates.
 */
JALI_MUST_USE jali_status jali_explainer_new(jali_explainer **out,
                                             const jali_explain_spec *spec, jali_err *err);
void jali_explainer_free(jali_explainer *explainer); /* NULL is fine */

/* What a run takes out of the charge: never above the budgets, when those are whole in the
 * ledger's grain (1e-12; jali_rat_down). The parts, and all of it. */
jali_loss jali_explainer_topk_loss(const jali_explainer *explainer);
jali_loss jali_explainer_vector_loss(const jali_explainer *explainer);
jali_loss jali_explainer_search_loss(const jali_explainer *explainer); /* SHARED: nothing */
jali_loss jali_explainer_loss(const jali_explainer *explainer);

/* Before anything is paid: the predicates that will be shown, the noise of the vector, its
 * public ranks, and the half-width in scores of an interval of influence. Borrowed. */
size_t jali_explainer_k(const jali_explainer *explainer);
const jali_explain_noise *jali_explainer_noise(const jali_explainer *explainer);
size_t jali_explainer_ranks(const jali_explainer *explainer, const uint64_t **rank);
double jali_explain_halfwidth(const jali_explain_noise *noise, double confidence);

/* What was drawn: may be shown to anyone. Arrays in the arena. */
typedef struct jali_explained {
    uint64_t predicates;
    size_t k;
    const uint64_t *chosen;   /* numbers in the space, as drawn, the best first      */
    const int64_t *influence; /* k noisy scores                                      */
    size_t n_ranks;           /* SHARED: public ranks, rising; SEARCH: 0             */
    const uint64_t *rank;
    const int64_t *at_rank;     /* noisy scores on those ranks                         */
    const uint64_t *low, *high; /* SEARCH: k bounds of the rank each; SHARED: NULL   */
    jali_explain_noise noise;
} jali_explained;

/*
 * Counts, spends the parts of the receipt one after the other, draws. No row is read twice.
 *
 *   *out     written only on JALI_OK; arrays live in the arena
 *   fails    JALI_E_USAGE, JALI_E_INTERNAL (not paid, or another study than was priced):
 * nothing drawn; JALI_E_NOMEM, JALI_E_ENGINE, JALI_E_ENTROPY: paid, nothing released
 */
JALI_MUST_USE jali_status jali_explain_run(const jali_explainer *explainer,
                                           const jali_study *study, jali_charge *charge,
                                           jali_dice *dice, jali_arena *arena,
                                           jali_explained *out, jali_err *err);

/* The same from scores that jali_study_scores holds (eval: many runs, one count). */
JALI_MUST_USE jali_status jali_explain_draw(const jali_explainer *explainer,
                                            const jali_scores *scores, jali_charge *charge,
                                            jali_dice *dice, jali_arena *arena,
                                            jali_explained *out, jali_err *err);

/* ---- reading it: free, as often as one likes ------------------------------------------- */

/* One line of the table. Influences in scores: times spec.den/spec.num they are rows (COUNT) or
 * steps of the column (SUM, AVG). [low, high] holds the exact influence, before it was rounded
 * to the grid; [rank_low, rank_high] the true rank; each with probability >= confidence. */
typedef struct jali_explained_line {
    double influence, low, high;
    uint64_t rank_low, rank_high;
} jali_explained_line;

/* k lines in the order of `chosen`. Needs what is in `it` alone, so a stored release can be
 * read again. SEARCH: ranks are as they were searched for, at the confidence of the spec. */
void jali_explained_read(const jali_explained *it, double confidence,
                         jali_explained_line *line);

/* The order in which the lines are shown (4.4): by the upper end of influence, the larger
 * first, then by the upper end of rank, then as drawn. order[0..k) are indices of lines. */
void jali_explained_order(const jali_explained_line *line, size_t k, size_t *order);

#endif
