/* mech/explain_inside.h — what the files of an explanation tell each other. */
#ifndef JALI_MECH_EXPLAIN_INSIDE_H
#define JALI_MECH_EXPLAIN_INSIDE_H

#include "dice/body.h"
#include "dice/gauss.h"
#include "dice/rate.h"
#include "mech/explain.h"
#include "score/open.h"

/* The noisy vector: how many numbers, and noise that covers all of them together. */
typedef struct jali_vector {
    jali_explain_noise noise;
    bool shared; /* GAUSS: there is a common component */
    jali_gauss own, common;
    jali_body body;
    char *own2, *common2, *eps; /* what the noise points to */
} jali_vector;

/* `budget` is rho (GAUSS) or eps. JALI_E_USAGE: nothing to clear. */
JALI_MUST_USE jali_status jali_vector_init(jali_vector *v, jali_law law, size_t d,
                                           uint64_t sensitivity, uint64_t range,
                                           mpq_srcptr budget, jali_err *err);
void jali_vector_clear(jali_vector *v);

/* Adds the noise to d scores, in place. Paid for by the caller. */
JALI_MUST_USE jali_status jali_vector_add(const jali_vector *v, jali_dice *dice, int64_t *x);

/* One noisy binary search, in one direction: as many draws as the number of ranks has bits. */
typedef struct jali_search {
    jali_law law;
    unsigned draws; /* ceil(log2 predicates) */
    int64_t margin;
    jali_gauss gauss;
    jali_laplace laplace;
} jali_search;

/* `budget` pays for one search: each draw costs a draws-th of it. */
JALI_MUST_USE jali_status jali_search_init(jali_search *s, jali_law law, uint64_t predicates,
                                           uint64_t range, mpq_srcptr budget, double confidence,
                                           jali_err *err);
void jali_search_clear(jali_search *s);

/* All scores in order, those of 0 only counted. */
typedef struct jali_standing {
    int64_t *score; /* other than 0; falling once sorted */
    size_t n, room;
    uint64_t predicates;
    size_t above; /* sorted: how many are above 0 */
} jali_standing;

JALI_MUST_USE jali_status jali_standing_add(jali_standing *s, const int64_t *score, size_t n);
JALI_MUST_USE jali_status jali_standing_sort(jali_standing *s);
void jali_standing_clear(jali_standing *s);

/* The score on rank t, 1 <= t <= predicates. */
int64_t jali_standing_at(const jali_standing *s, uint64_t t);

/* A bound for the rank of a predicate with this score: an upper or a lower one. *drawn counts
 * the draws. */
JALI_MUST_USE jali_status jali_search_bound(const jali_search *s, const jali_standing *standing,
                                            int64_t score, bool upper, jali_dice *dice,
                                            uint64_t *bound, unsigned *drawn);

struct jali_explainer {
    jali_law law;
    jali_ranks ranks;
    size_t k; /* that will be shown */
    uint64_t predicates;
    jali_influence influence;
    mpq_t eps_one; /* of one winner */
    jali_rate rate;
    jali_vector vector;
    jali_search lower, upper;
    size_t n_ranks;
    uint64_t *rank;
    unsigned ready; /* how many of the parts above have to be cleared */
    jali_loss topk_loss, vector_loss, search_loss;
};

/* The rank-th number, from 0, that is not among the n of the rising list; it joins the list,
 * which has room for it. */
uint64_t jali_take_rank(uint64_t *taken, size_t n, uint64_t rank);

/* a + b where it fits, else as near as can be: post-processing, hence free. */
static inline int64_t jali_add_clamped(int64_t a, int64_t b)
{
    int64_t sum;
    if (!__builtin_add_overflow(a, b, &sum)) return sum;
    return a < 0 ? INT64_MIN : INT64_MAX;
}

#endif
