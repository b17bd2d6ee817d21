/* explain/contrast/pool.h — solutions at public grid nodes, and answers made from them.
 *
 * Everything in a pool is a function of the release and the public box, and is there before
 * the first question. An answer reads the pool and one's own point and writes nothing but
 * scratch: nobody's answer can depend on who asked before (ALGORITHMS 3.4).
 */
#ifndef JALI_EXPLAIN_CONTRAST_POOL_H
#define JALI_EXPLAIN_CONTRAST_POOL_H

#include "base/pool.h"
#include "explain/contrast/dual.h"
#include "explain/contrast/error.h"
#include "explain/contrast/solve.h"

typedef struct jali_nodes {
    const jali_weights *weights;
    size_t k;
    jali_spot *base;  /* k centres of the plan, or better ones met at a node       */
    double base_cost; /* on the cloud, box units                                  */
    unsigned side[JALI_SPACE];
    float step[JALI_SPACE], from[JALI_SPACE]; /* node i of an axis: from + (i + .5) step */
    size_t n;
    jali_spot *centre; /* n sets of k - 1                                         */
    float *rest;       /* n rows: distance of each point to the nearest of them    */
    jali_dual dual;
    size_t candidates;
    jali_gauges gauges;
    jali_interchange swap; /* the base, for the best removal                       */
} jali_nodes;

/* `start` holds the k centres of the release, in box units; `row` is the most a row weighs.
 * Threads share the nodes; what comes out does not depend on how many there are. */
JALI_MUST_USE jali_status jali_nodes_new(jali_nodes *out, const jali_weights *weights,
                                         const jali_spot *start, size_t k, double row,
                                         uint64_t stream, jali_pool *threads, jali_arena *arena,
                                         jali_err *err);

typedef struct jali_contrast_answer {
    double cost;         /* of the best set found with a centre there, box units */
    double extra;        /* cost - base_cost, at least 0                         */
    double error;        /* its standard error; NAN if it was not asked for      */
    double lower, upper; /* certificate: bounds on `extra`, among candidates     */
    double ratio;        /* cost / its lower bound, at least 1                   */
} jali_contrast_answer;

/* Scratch of one thread. */
typedef struct jali_asker {
    jali_solver solver;
    float *d, *gauge, *moments;
    jali_interchange swap;
} jali_asker;

JALI_MUST_USE jali_status jali_asker_new(jali_asker *out, const jali_nodes *nodes,
                                         jali_arena *arena, jali_err *err);

/* A function of nodes and spot alone. set (may be NULL) gets the k centres, the spot first. */
jali_contrast_answer jali_nodes_ask(const jali_nodes *nodes, jali_asker *asker, jali_spot spot,
                                    bool with_error, jali_spot *set);

#endif
