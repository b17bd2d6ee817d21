/* explain/separate/view.h — what a released profile says: shares, intervals, a sentence.
 *
 * Everything here is read off the release, free of charge and at any confidence.
 */
#ifndef JALI_EXPLAIN_SEPARATE_VIEW_H
#define JALI_EXPLAIN_SEPARATE_VIEW_H

#include "base/arena.h"
#include "base/err.h"
#include "explain/separate/shown.h"
#include "mech/interval.h"

/* How far a number may be off: half its interval, and where that lies. A value that was made
 * consistent need not be its middle; it is always within. */
typedef struct jali_about {
    double value, half, low, high;
} jali_about;

/* One cluster by one attribute. raw are the cells as released; counts are made consistent:
 * not negative, and with the totals that all histograms together speak for. */
typedef struct jali_view_pair {
    uint32_t cluster;
    jali_shown shown;
    double *inside_raw, *inside;          /* shown.values each                  */
    double *elsewhere_raw, *elsewhere;    /* the first may be negative          */
    double spread_in, spread_out;         /* standard deviation of a cell       */
    jali_about inside_all, elsewhere_all; /* rows                               */
    bool too_small;                       /* the noise is larger than the answer */
} jali_view_pair;

typedef struct jali_view {
    const jali_schema *schema;
    uint32_t clusters, each;
    bool paper;
    uint32_t kappa_num, kappa_den, block;
    uint32_t weight[3];
    jali_law law;
    double scale_in, scale_beside, miss;
    jali_view_pair *pair; /* clusters * each */
} jali_view;

/* JALI_E_LEDGER for a body that is not one of ours. Lives in the arena. */
JALI_MUST_USE jali_status jali_view_read(jali_view *out, const jali_schema *schema,
                                         const char *body, size_t n, double miss,
                                         jali_arena *arena, jali_err *err);

/* The share of bars from .. to among all, inside or elsewhere, with its interval. half is
 * NAN where nothing can be said. */
jali_about jali_view_share(const jali_view *view, const jali_view_pair *pair, bool inside,
                           uint32_t from, uint32_t to);

/* The run of bars (of an ordered column; else one bar) that the cluster has most above the
 * rest; false: none stands out of its noise. */
bool jali_view_best(const jali_view *view, const jali_view_pair *pair, uint32_t *from,
                    uint32_t *to);

/* "Cluster 1 (about 12,300 people): lab_proc is mostly 60-70 (34% against 9% elsewhere)". In
 * the arena; NULL: no memory. */
const char *jali_view_sentence(const jali_view *view, const jali_view_pair *pair,
                               jali_arena *arena);

#endif
