/* flow/draw.c — a data-flow graph with one set filled, drawn by Graphviz.
 *
 * The graph is built anew from names and edges: nothing else of the DOT that came in (styles,
 * images, fonts, URLs) reaches the drawing program.
 */
#include "flow/flow.h"
#include <graphviz/gvc.h>
#include <pthread.h>

/* Graphviz has a state of its own: one at a time. Its pango plugin remembers the last font of a
 * context that may be gone (heap-use-after-free, seen by ASan in 2.42), so there is one
 * context, made when it is first needed and kept for good. */
static pthread_mutex_t drawer = PTHREAD_MUTEX_INITIALIZER;
static GVC_t *context;

static void set_text(void *what, const char *key, const char *value)
{
    char k[32], v[512];
    snprintf(k, sizeof k, "%s", key);
    snprintf(v, sizeof v, "%s", value);
    char none[] = "";
    agsafeset(what, k, v, none);
}

static Agraph_t *build(const jali_flow *f, const uint32_t *set, size_t n, Agnode_t **node)
{
    char name[] = "flow", number[16];
    Agraph_t *g = agopen(name, Agdirected, NULL);
    if (g == NULL) return NULL;
    for (uint32_t v = 0; v < f->n; v++) {
        snprintf(number, sizeof number, "v%u", (unsigned)v);
        node[v] = agnode(g, number, 1);
        if (node[v] == NULL) continue;
        set_text(node[v], "label", f->label[v]);
        set_text(node[v], "shape", "box");
        set_text(node[v], "style", "rounded");
        set_text(node[v], "fontname", "sans-serif");
    }
    for (size_t i = 0; i < n; i++) {
        set_text(node[set[i]], "style", "rounded,filled");
        set_text(node[set[i]], "fillcolor", "#f4c95d");
    }
    for (size_t e = 0; e < f->n_edges; e++)
        agedge(g, node[f->from[e]], node[f->to[e]], NULL, 1);
    return g;
}

static bool render(Agraph_t *g, jali_arena *arena, char **svg)
{
    char *bytes = NULL;
    unsigned n = 0;
    if (context == NULL) context = gvContext();
    GVC_t *gvc = context;
    bool good = gvc != NULL && gvLayout(gvc, g, "dot") == 0;
    if (good && gvRenderData(gvc, g, "svg", &bytes, &n) == 0 && bytes != NULL)
        *svg = jali_arena_format(arena, "%.*s", (int)n, bytes);
    if (bytes != NULL) gvFreeRenderData(bytes);
    if (good) gvFreeLayout(gvc, g);
    return *svg != NULL;
}

jali_status jali_flow_draw(const jali_flow *flow, const uint32_t *set, size_t n,
                           jali_arena *arena, char **svg, jali_err *err)
{
    Agnode_t **node = jali_arena_take(arena, flow->n, sizeof *node);
    char *made = NULL;
    if (node == NULL) return jali_fail_memory(err);
    pthread_mutex_lock(&drawer);
    Agraph_t *g = build(flow, set, n, node);
    bool good = g != NULL && render(g, arena, &made);
    if (g != NULL) agclose(g);
    pthread_mutex_unlock(&drawer);
    if (!good)
        return jali_fail(err, JALI_E_ENGINE, JALI_FOR_ANALYST,
                         "Graphviz could not draw the graph; are its plugins installed?");
    *svg = made;
    return JALI_OK;
}
