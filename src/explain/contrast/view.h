/* explain/contrast/view.h — a stored plan, opened for questions, in the units of its columns.
 */
#ifndef JALI_EXPLAIN_CONTRAST_VIEW_H
#define JALI_EXPLAIN_CONTRAST_VIEW_H

#include "explain/contrast/pool.h"
#include "explain/contrast/release.h"
#include "mech/interval.h"

typedef struct jali_view {
    jali_contrast_release release;
    jali_weights weights;
    jali_nodes nodes;        /* only if it was opened for questions         */
    double scale;            /* of a cost: from box units to what is shown  */
    double strength;         /* about n eps: below 1000 an answer is an order of magnitude */
    double cost, cost_error; /* of the plan's centres, by unbiased weights           */
    double *served;          /* weight that each centre serves, in units of the weight column */
    double
        *centre_error; /* of each coordinate of each centre, if it was asked for (region.h) */
    double *served_error; /* standard error of that, by the noise alone           */
} jali_view;

/* Reads a release; with `questions` also lays the nodes, which takes a while. */
JALI_MUST_USE jali_status jali_view_open(jali_view *out, const char *body, size_t n,
                                         bool questions, jali_pool *threads, jali_arena *arena,
                                         jali_err *err);

/* Is the point (release.ask.n numbers) inside the public box? */
bool jali_view_inside(const jali_view *view, const double *at);

/* Scratch for one thread, then answers in shown units. */
JALI_MUST_USE jali_status jali_view_asker(const jali_view *view, jali_asker *out,
                                          jali_arena *arena, jali_err *err);
jali_contrast_answer jali_view_ask(const jali_view *view, jali_asker *asker, const double *at,
                                   bool with_error);

#endif
