/* explain/cluster/step.h — the clipped step: released centres, moved by noisy, shortened means.
 *
 * Whoever uses it holds a jali_walker: a frame, centres in steps of that frame, and what the
 * last step released about them.
 */
#ifndef JALI_EXPLAIN_CLUSTER_STEP_H
#define JALI_EXPLAIN_CLUSTER_STEP_H

#include "explain/cluster/cluster.h"
#include "explain/cluster/stream.h"
#include "tally/ball.h"

typedef struct jali_walker {
    const jali_cluster_run *run;
    jali_frame frame;
    jali_marks *marks;
    size_t k;
    double *centre;  /* k * axes, in steps of the frame */
    int64_t *count;  /* k, released by the last step; those before it if none */
    double count_sd; /* of that noise */
    double radius;   /* released by the last step */
    double *spread;  /* k: sd of the noise of a coordinate after the last step, in steps */
    double *before;  /* k: what was released about its count before that */
    double *before_variance; /* k: of that noise; infinite: nothing was */
    bool *dead;              /* k: too small to move, by the last two released counts */
    double dead_at;          /* in their standard deviation: 4, or 2 with little budget */
    jali_stream stream;
} jali_walker;

/* How a step divides what it costs, and which part of the rows the ball shall hold. */
typedef struct jali_stride {
    uint64_t pico;
    double counts, radius, sums; /* shares, at most 1 together */
    double quantile;
} jali_stride;

#define JALI_STRIDE_SHARES .counts = 0.15, .radius = 0.06, .sums = 0.79, .quantile = 0.90

JALI_MUST_USE jali_status jali_walker_init(jali_walker *w, const jali_cluster_run *run,
                                           const jali_frame *frame, jali_err *err);

/* Replaces the centres by k others (copied); counts, and what was before, are forgotten. */
JALI_MUST_USE jali_status jali_walker_take(jali_walker *w, const double *centre, size_t k,
                                           jali_err *err);

/* The step. Costs stride->pico at most. */
JALI_MUST_USE jali_status jali_walker_step(jali_walker *w, const jali_stride *stride,
                                           jali_err *err);

/* Noisy sizes of the clusters about the centres as they are now. */
JALI_MUST_USE jali_status jali_walker_count(jali_walker *w, uint64_t pico, jali_err *err);

/* Each dead centre is put beside the heaviest one (post-processing). */
void jali_walker_reseed(jali_walker *w);
/* Dead centres are dropped; the heaviest stays in any case. */
void jali_walker_bury(jali_walker *w);

/* Centres as coordinates of the frame (k * axes, in the arena). */
JALI_MUST_USE jali_status jali_walker_coordinates(const jali_walker *w, jali_arena *arena,
                                                  uint16_t **out, jali_err *err);

/* The end of a method: labels by the nearest centre, with sizes, centres and spreads. */
JALI_MUST_USE jali_status jali_walker_finish(jali_walker *w, jali_clustering *out,
                                             jali_err *err);

#endif
