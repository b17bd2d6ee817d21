/* flow/read.c — a data-flow graph in DOT, read by Graphviz's cgraph and checked. */
#define _POSIX_C_SOURCE 200809L
#include "flow/flow.h"
#include <graphviz/cgraph.h>
#include <pthread.h>
#include <stdio.h>

/* cgraph keeps its parser's state in globals. */
static pthread_mutex_t reader = PTHREAD_MUTEX_INITIALIZER;

static int be_silent(char *words)
{
    (void)words;
    return 0;
}

static jali_status wrong(const char *what, const char *why, jali_err *err)
{
    return jali_fail(err, JALI_E_DATA, JALI_FOR_ANALYST, "%.200s %s", what, why);
}

typedef struct building {
    const char *what;
    const char **name, **label;
    uint32_t *from, *to, *degree;
    jali_flow flow;
} building;

static jali_status take(building *b, size_t n, size_t edges, jali_arena *arena, jali_err *err)
{
    b->name = jali_arena_take(arena, n, sizeof *b->name);
    b->label = jali_arena_take(arena, n, sizeof *b->label);
    b->degree = jali_arena_take(arena, n, sizeof *b->degree);
    b->from = jali_arena_take(arena, edges + 1, sizeof *b->from);
    b->to = jali_arena_take(arena, edges + 1, sizeof *b->to);
    bool good = b->name != NULL && b->label != NULL && b->degree != NULL && b->from != NULL &&
                b->to != NULL;
    return good ? JALI_OK : jali_fail_memory(err);
}

static char *copy(const char *text, jali_arena *arena)
{
    char *made = jali_arena_text(arena, text);
    for (char *p = made; p != NULL && *p != '\0'; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7f) *p = ' ';
    return made;
}

/* AGSEQ numbers vertices from 1 in the order in which the text names them. */
static jali_status copy_graph(building *b, Agraph_t *g, jali_arena *arena, jali_err *err)
{
    size_t i = 0;
    char label[] = "label";
    for (Agnode_t *v = agfstnode(g); v != NULL; v = agnxtnode(g, v)) {
        const char *said = agget(v, label);
        b->name[i] = copy(agnameof(v), arena);
        b->label[i] = said == NULL || said[0] == '\0' || strcmp(said, "\\N") == 0
                          ? b->name[i]
                          : copy(said, arena);
        if (b->name[i] == NULL || b->label[i] == NULL) return jali_fail_memory(err);
        i++;
    }
    for (Agnode_t *v = agfstnode(g); v != NULL; v = agnxtnode(g, v))
        for (Agedge_t *e = agfstout(g, v); e != NULL; e = agnxtout(g, e)) {
            uint32_t from = (uint32_t)AGSEQ(v) - 1, to = (uint32_t)AGSEQ(aghead(e)) - 1;
            if (from >= i || to >= i)
                return wrong(b->what, "has vertices that cannot be numbered", err);
            if (from == to) return wrong(b->what, "has a stage that reads itself", err);
            b->from[b->flow.n_edges] = from;
            b->to[b->flow.n_edges++] = to;
        }
    b->flow.n = i;
    return JALI_OK;
}

/* Takes away what nothing else reads, again and again: a cycle stays. */
static jali_status check_cycle(const building *b, jali_arena *arena, jali_err *err)
{
    const jali_flow *f = &b->flow;
    uint32_t *left = jali_arena_take(arena, f->n, sizeof *left);
    uint32_t *stack = jali_arena_take(arena, f->n, sizeof *stack);
    size_t n = 0, gone = 0;
    if (left == NULL || stack == NULL) return jali_fail_memory(err);
    for (size_t e = 0; e < f->n_edges; e++) left[f->from[e]]++;
    for (uint32_t v = 0; v < f->n; v++)
        if (left[v] == 0) stack[n++] = v;
    while (n > 0) {
        uint32_t v = stack[--n];
        gone++;
        for (size_t e = 0; e < f->n_edges; e++)
            if (f->to[e] == v && --left[f->from[e]] == 0) stack[n++] = f->from[e];
    }
    return gone == f->n ? JALI_OK
                        : wrong(b->what,
                                "has a cycle: a data flow comes from the data and goes to "
                                "the answer",
                                err);
}

/* The one vertex without edges into it (or out of it). */
static jali_status find_end(building *b, const uint32_t *ends, const char *what, uint32_t *out,
                            jali_err *err)
{
    size_t found = 0;
    memset(b->degree, 0, b->flow.n * sizeof *b->degree);
    for (size_t e = 0; e < b->flow.n_edges; e++) b->degree[ends[e]]++;
    for (uint32_t v = 0; v < b->flow.n; v++)
        if (b->degree[v] == 0) {
            *out = v;
            found++;
        }
    if (found == 1) return JALI_OK;
    return jali_fail(err, JALI_E_DATA, JALI_FOR_ANALYST,
                     "%.200s has %zu vertices %s; there must be one", b->what, found, what);
}

static jali_status check(building *b, jali_arena *arena, jali_err *err)
{
    b->flow.name = b->name;
    b->flow.label = b->label;
    b->flow.from = b->from;
    b->flow.to = b->to;
    JALI_TRY(check_cycle(b, arena, err));
    JALI_TRY(find_end(b, b->to, "that nothing flows into (the data)", &b->flow.source, err));
    JALI_TRY(
        find_end(b, b->from, "that nothing flows out of (the answer)", &b->flow.sink, err));
    return b->flow.n < 2 ? wrong(b->what, "needs at least two vertices", err) : JALI_OK;
}

static jali_status build(building *b, Agraph_t *g, jali_arena *arena, jali_err *err)
{
    if (g == NULL) return wrong(b->what, "is not a graph in DOT", err);
    if (!agisdirected(g)) return wrong(b->what, "is undirected: write digraph and ->", err);
    size_t n = (size_t)agnnodes(g), edges = (size_t)agnedges(g);
    if (n == 0) return wrong(b->what, "has no vertices", err);
    if (n > JALI_FLOW_VERTICES || edges > JALI_FLOW_EDGES)
        return jali_fail(err, JALI_E_DATA, JALI_FOR_ANALYST,
                         "%.200s has %zu vertices and %zu edges; %d and %d are the most",
                         b->what, n, edges, JALI_FLOW_VERTICES, JALI_FLOW_EDGES);
    JALI_TRY(take(b, n, edges, arena, err));
    JALI_TRY(copy_graph(b, g, arena, err));
    return check(b, arena, err);
}

/* What follows the graph is read as well: cgraph would keep it for whoever reads next, and a
 * second graph that nobody looks at is a mistake of somebody. */
static jali_status read_one(building *b, FILE *from, jali_arena *arena, jali_err *err)
{
    Agraph_t *g = agread(from, NULL), *second = NULL;
    bool rest = false;
    agreseterrors();
    if (g != NULL) {
        second = agread(from, NULL);
        rest = second != NULL || agreseterrors() != 0;
    }
    jali_status status =
        rest ? wrong(b->what,
                     second != NULL ? "has more than one graph: give each a file of its own"
                                    : "goes on after its graph with what is no graph",
                     err)
             : build(b, g, arena, err);
    for (; second != NULL; second = agread(from, NULL)) agclose(second);
    if (g != NULL) agclose(g);
    return status;
}

jali_status jali_flow_parse(jali_flow *out, const char *dot, size_t n, const char *what,
                            jali_arena *arena, jali_err *err)
{
    building b = { .what = what };
    if (n > JALI_FLOW_BYTES || memchr(dot, '\0', n) != NULL)
        return wrong(what, "is not a graph in DOT", err);
    if (n == 0) return wrong(what, "is not a graph in DOT", err);
    FILE *from = fmemopen((void *)(uintptr_t)dot, n, "r");
    if (from == NULL) return jali_fail_memory(err);
    pthread_mutex_lock(&reader);
    agusererrf before = agseterrf(be_silent);
    agseterr(AGMAX);
    jali_status status = read_one(&b, from, arena, err);
    agseterrf(before);
    pthread_mutex_unlock(&reader);
    fclose(from);
    if (status == JALI_OK) *out = b.flow;
    return status;
}
