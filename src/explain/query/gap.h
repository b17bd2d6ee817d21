/* explain/query/gap.h — how much larger is it, and could it be the noise? (phase 2, free)
 *
 * Post-processing of a stored answer: the interval of "larger side less smaller side" at any
 * confidence, again and again, for nothing.
 */
#ifndef JALI_EXPLAIN_QUERY_GAP_H
#define JALI_EXPLAIN_QUERY_GAP_H

#include "explain/query/answer.h"
#include "explain/query/compare.h"

typedef enum jali_verdict {
    JALI_VERDICT_YES,     /* the data says so          */
    JALI_VERDICT_NOISE,   /* could be the noise        */
    JALI_VERDICT_REVERSED /* it is the other way round */
} jali_verdict;

typedef struct jali_gap {
    double value, low, high; /* covers with probability at least 1 - miss over the noise     */
    bool bounded;            /* false: the noise says nothing about some group, whose domain
                                stands in for its interval; both ends may be infinite        */
    jali_verdict verdict;
    const char *how;            /* the interval's making, in a few words                    */
    double boot_low, boot_high; /* bias-corrected bootstrap: narrower, approximately right    */
    bool has_boot;              /* set by jali_gap_bootstrap                                 */
    double smallest;            /* of the groups' noisy row counts */
    size_t least;               /* the group that has it           */
} jali_gap;

void jali_gap_of(const jali_answer *answer, const jali_comparison *c, double miss,
                 jali_gap *out);

/* Adds the bootstrap's interval, for AVG and general arithmetic: some milliseconds. */
void jali_gap_bootstrap(const jali_answer *answer, const jali_comparison *c, double miss,
                        jali_gap *gap);

/* ---- inside ----------------------------------------------------------------------- */

/* The least half-width that sum of a[i] Z_i stays within, but for `miss`: Z_i independent
 * noise of that law and scale[i]; never less than it should be. */
double jali_gap_half(jali_law law, size_t n, const double *a, const double *scale, double miss);

/* explain/query/image.c: the image of the groups' intervals (C.4). */
typedef struct jali_span {
    double low, high;
} jali_span;
jali_span jali_gap_image(const jali_node *node, const jali_span *group);
double jali_gap_value(const jali_node *node, const double *group);

#endif
