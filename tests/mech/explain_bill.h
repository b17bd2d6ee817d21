/* tests/mech/explain_bill.h — an explanation with its budgets, and scores that are held. */
#ifndef JALI_TESTS_MECH_EXPLAIN_BILL_H
#define JALI_TESTS_MECH_EXPLAIN_BILL_H

#include "mech/explain_inside.h"
#include "score/parts.h"
#include "unit.h"

enum { N = 5 };
static const int64_t score[N] = { 300, 0, 200, -100, 260 };
static const jali_scores held = { N, score, 100, 90 };

/* Budgets as texts, so that a test reads as a command does. */
typedef struct bill {
    mpq_t topk, vector, search;
} bill;

static inline void bill_init(bill *b, const char *topk, const char *vector, const char *search)
{
    mpq_inits(b->topk, b->vector, b->search, NULL);
    CHECK(mpq_set_str(b->topk, topk, 10) == 0 && mpq_set_str(b->vector, vector, 10) == 0 &&
          mpq_set_str(b->search, search, 10) == 0);
    mpq_canonicalize(b->topk);
    mpq_canonicalize(b->vector);
    mpq_canonicalize(b->search);
}

static inline void bill_clear(bill *b)
{
    mpq_clears(b->topk, b->vector, b->search, NULL);
}

static inline jali_explain_spec spec_of(const bill *b, jali_law law, jali_ranks ranks, size_t k,
                                        uint64_t n, uint64_t sensitivity, uint64_t range)
{
    return (jali_explain_spec){ .law = law,
                                .ranks = ranks,
                                .k = k,
                                .predicates = n,
                                .influence = { .sensitivity = sensitivity, .range = range },
                                .topk = b->topk,
                                .vector = b->vector,
                                .search = b->search,
                                .confidence = 0.95 };
}

static inline jali_explainer *explainer(const jali_explain_spec *spec)
{
    jali_explainer *x = NULL;
    CHECK_OK(jali_explainer_new(&x, spec, NULL));
    return x;
}

#endif
