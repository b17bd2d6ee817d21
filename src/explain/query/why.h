/* explain/query/why.h — why is one group above another? (phase 3)
 *
 * The predicates that explain a comparison best, their influences and their ranks: priced from
 * public facts, drawn once by mech/explain.h, read from the stored body as often as one likes.
 */
#ifndef JALI_EXPLAIN_QUERY_WHY_H
#define JALI_EXPLAIN_QUERY_WHY_H

#include "explain/query/ask.h"
#include "explain/query/compare.h"
#include "explain/query/reasons.h"
#include "mech/explain.h"

/* What is 0 or NULL was not said. */
typedef struct jali_why_words {
    jali_reasons_words reasons;
    size_t top;            /* 5                                                             */
    const char *ranks;     /* "shared" or "search"                                          */
    const char *split;     /* "paper", or shares of top-k, influences and ranks, "0.3,0.7"  */
    const char *lower;     /* search: share of the lower bound of a rank; 1/10              */
    const char *constants; /* "proven", or "paper" for comparison on public vaults          */
    double miss;           /* search: ranks are searched for at this confidence             */
} jali_why_words;

typedef struct jali_inquiry {
    const jali_ask *ask;
    const jali_comparison *comparison;
    jali_law law;
    jali_reasons reasons;
    jali_influence influence;
    jali_groups groups;
    jali_study study;
    jali_explainer *explainer;
    jali_ranks ranks;
    jali_loss loss;
    double unit;       /* a score times this is in the numbers of the question: rows, or values
                          of the column (AVG: times rows)                                   */
    const char *plan;  /* canonical                                                         */
    const char *exact; /* the loss in words, for the auditor                                */
    const char *share[3];
    double miss; /* search: of the ranks */
} jali_inquiry;

/* Everything that can be refused is refused here, from public facts: `budget` > 0 is eps for
 * Laplace and rho for Gauss, for all of it. Borrows ask, comparison and columns. Texts live in
 * the arena; clear the rest by jali_inquiry_clear. */
JALI_MUST_USE jali_status jali_inquiry_init(jali_inquiry *out, const jali_ask *ask,
                                            const jali_comparison *comparison,
                                            const jali_why_words *words, jali_law law,
                                            mpq_srcptr budget, jali_columns *columns,
                                            jali_arena *arena, jali_err *err);
void jali_inquiry_clear(jali_inquiry *inquiry);

/* Half the width of an interval of influence, in the numbers of the question: known before. */
double jali_inquiry_half(const jali_inquiry *inquiry, double miss);

/* Counts, takes its parts of the receipt, draws. *body is the release: JSON in the arena, with
 * the answer it explains (`of`, "r1") and the wordings, so that it can be told again. */
JALI_MUST_USE jali_status jali_inquiry_run(const jali_inquiry *inquiry, const char *of,
                                           const char *question, const char *label,
                                           jali_pool *pool, jali_charge *charge,
                                           jali_dice *dice, jali_arena *arena, char **body,
                                           jali_err *err);

/* ---- reading it ------------------------------------------------------------------------ */

typedef struct jali_told {
    const char *of, *question, *label; /* the answer explained, the wording, the aggregate */
    const char *const *where;          /* the k predicates as SQL                          */
    jali_explained drawn;
    double unit;
    jali_ranks ranks;
    double ranks_at;       /* search: the confidence of the ranks                          */
    const char *constants; /* "proven" or "paper"                                          */
    const char *const *left_out; /* columns without bins, which took no part               */
    size_t n_left_out;
} jali_told;

/* Reads a stored body. JALI_E_LEDGER if it is not one. In the arena. */
JALI_MUST_USE jali_status jali_told_read(jali_told *out, const char *body, size_t n,
                                         jali_arena *arena, jali_err *err);

/* explain/query/why_split.c: the parts of a budget. Shares are exact and add up to 1. */
typedef struct jali_why_split {
    jali_ranks ranks;
    mpq_t topk, vector, search, lower; /* budgets, rounded down to the ledger's grain; share */
    const char *share[3];
} jali_why_split;
JALI_MUST_USE jali_status jali_why_split_init(jali_why_split *out, const jali_why_words *words,
                                              jali_law law, mpq_srcptr budget,
                                              jali_arena *arena, jali_err *err);
void jali_why_split_clear(jali_why_split *split);

/* explain/query/why_body.c: what was drawn, as JSON in the arena. */
JALI_MUST_USE jali_status jali_inquiry_body(const jali_inquiry *inquiry, const char *of,
                                            const char *question, const char *label,
                                            const jali_explained *drawn, jali_arena *arena,
                                            char **body, jali_err *err);

#endif
