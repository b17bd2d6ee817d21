/* explain/cluster/grow.h — a tree of boxes, cut where rows are few: DPM's tree, corrected. */
#ifndef JALI_EXPLAIN_CLUSTER_GROW_H
#define JALI_EXPLAIN_CLUSTER_GROW_H

#include "explain/cluster/cluster.h"
#include "score/split.h"
#include "tally/ball.h"
#include "tally/cells.h"

enum { JALI_GROW_DEPTH = 16 };

/* Between n standard normal numbers the share of gaps wider than z is the mean over x ~ N(0, 1)
 * of exp(-n phi(x) z): a function of n z alone, and 0.35 where n z is this. */
#define JALI_USUAL_GAP 4.1359300124

typedef struct jali_grow {
    jali_split split;
    uint32_t cells; /* half-cells of an axis: two for each candidate */
    unsigned depth;
    uint64_t choice[JALI_GROW_DEPTH];    /* pico of the choices of level g             */
    uint64_t count[JALI_GROW_DEPTH + 1]; /* pico of the counts of level g; 0: the root */
    double least;    /* a child below is no child; see `relative`                    */
    bool again;      /* a leaf whose cut was refused is tried at every further level */
    bool relative;   /* least is a share of the root's count; else of the deepest
                        level's standard deviation                                   */
    bool root_known; /* count[0] was spent before: root is what it released          */
    int64_t root;
} jali_grow;

typedef struct jali_grown_node {
    int64_t count;              /* released */
    double variance;            /* of its noise */
    const uint16_t *low, *high; /* its box, in half-cells */
    uint32_t axis, cell;        /* where it was cut; children -1: it was not */
    int32_t left, right;
    unsigned level;
    uint32_t leaf; /* its number among the leaves, if it is one */
} jali_grown_node;

typedef struct jali_grown {
    const jali_frame *frame;
    uint32_t cells;
    size_t n;
    jali_grown_node *node; /* 0 is the root; children after their parents */
    uint32_t leaves;
    jali_marks *marks; /* every row's node */
} jali_grown;

/* A depth that memory allows, from public facts. */
unsigned jali_grow_depth(size_t axes, uint32_t cells, unsigned wanted);

/* Costs the sum of choice[0 .. depth) and count[0 .. depth]. Lives in the run's arena. */
JALI_MUST_USE jali_status jali_grow_tree(const jali_cluster_run *run, const jali_frame *frame,
                                         const jali_grow *how, jali_marks *marks,
                                         jali_grown *out, jali_err *err);

/* Means of the leaves, in steps of the frame (leaves * axes): noisy sums in the leaf's ball
 * over the released count, kept in the leaf's box. Costs `pico`. `spread`: leaves. */
JALI_MUST_USE jali_status jali_grow_means(const jali_cluster_run *run, const jali_grown *tree,
                                          uint64_t pico, double **centre, double **spread,
                                          jali_err *err);

/* Cuts that do not pay for the noise of their leaves' means are undone, from below; means and
 * spreads follow (post-processing). The marks of rows are those of the tree before. */
JALI_MUST_USE jali_status jali_grow_fold(jali_grown *tree, double *centre, double *spread,
                                         jali_arena *arena, jali_err *err);

/* The tree as a function of codes. */
JALI_MUST_USE jali_status jali_grow_partition(const jali_grown *tree, jali_arena *arena,
                                              jali_partition *out, jali_err *err);

#endif
