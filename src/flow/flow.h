/* flow/flow.h — data-flow graphs, and where noise in them makes the whole private.
 *
 * A graph tells which stage of an algorithm reads the output of which. Its one source is the
 * private data, its one sink the answer. Replacing the stages of a set S by private ones makes
 * every algorithm with this graph private exactly if S separates source from sink; S may hold
 * source and sink themselves (the DP enabler theorem of "Tailoring Differential Privacy to
 * Any Explainer"). Nothing here sees data.
 */
#ifndef JALI_FLOW_FLOW_H
#define JALI_FLOW_FLOW_H

#include "base/arena.h"
#include "base/err.h"

enum { JALI_FLOW_VERTICES = 2000, JALI_FLOW_EDGES = 200000, JALI_FLOW_BYTES = 4 << 20 };

typedef struct jali_flow {
    size_t n;
    const char *const *name;  /* of each vertex                              */
    const char *const *label; /* what it does; its name if it says nothing   */
    size_t n_edges;
    const uint32_t *from, *to; /* of each edge; no edge twice */
    uint32_t source, sink;
} jali_flow;

/* Reads DOT. Refused with a sentence (JALI_E_DATA, analyst): not DOT, undirected, a cycle, no
 * or several sources or sinks, a vertex on no way between them cannot be. */
JALI_MUST_USE jali_status jali_flow_parse(jali_flow *out, const char *dot, size_t n,
                                          const char *what, jali_arena *arena, jali_err *err);

/* Minimal sets that separate, one after the other, each once, with polynomial delay. */
typedef struct jali_separators jali_separators;

JALI_MUST_USE jali_status jali_separators_new(jali_separators **out, const jali_flow *flow,
                                              jali_err *err);
void jali_separators_free(jali_separators *s); /* NULL is fine */

/* The next set: *n vertices in order; *n = 0 when there is none left. `set` has room for
 * flow->n. Sets found so far wait in order of size, so small ones tend to come first; who wants
 * the order to be exact takes all of them and sorts. */
JALI_MUST_USE jali_status jali_separators_next(jali_separators *s, uint32_t *set, size_t *n,
                                               jali_err *err);

/* The graph with the vertices of a set filled, drawn by Graphviz. *svg in the arena. */
JALI_MUST_USE jali_status jali_flow_draw(const jali_flow *flow, const uint32_t *set, size_t n,
                                         jali_arena *arena, char **svg, jali_err *err);

#endif
