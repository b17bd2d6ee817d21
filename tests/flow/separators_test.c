/* Refutes flow.separators if it can: all subsets of 1,000 random graphs, the flows that we
 * ship, and DOT that is no data flow. */
#include "base/file.h"
#include "flow/flow.h"
#include "unit.h"
#include <stdlib.h>

enum { MOST = 12, GRAPHS = 1000 };

static uint64_t seed = 20261116;

static uint64_t roll(uint64_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (seed >> 11) % n;
}

/* Edges go upward, so there is no cycle; everybody gets a way in and a way out. */
static size_t random_flow(size_t n, unsigned percent, uint32_t *from, uint32_t *to)
{
    size_t edges = 0;
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = a + 1; b < n; b++)
            if (roll(100) < percent) {
                from[edges] = a;
                to[edges++] = b;
            }
    for (uint32_t v = 0; v < n; v++) {
        bool in = v == 0, out = v + 1 == n;
        for (size_t e = 0; e < edges; e++) {
            in = in || to[e] == v;
            out = out || from[e] == v;
        }
        if (!in) from[edges] = 0, to[edges++] = v;
        if (!out && v > 0) from[edges] = v, to[edges++] = (uint32_t)n - 1;
        if (!out && v == 0) from[edges] = 0, to[edges++] = (uint32_t)n - 1;
    }
    return edges;
}

/* Does every path from vertex 0 to the last one meet the set? Both ends included. */
static bool separates(const jali_flow *f, uint32_t set)
{
    uint32_t seen = set & 1 ? 0 : 1, before = 0;
    while (seen != before) {
        before = seen;
        for (size_t e = 0; e < f->n_edges; e++)
            if ((seen >> f->from[e] & 1) && !(set >> f->to[e] & 1)) seen |= 1u << f->to[e];
    }
    return !(seen >> f->sink & 1);
}

static bool minimal(const jali_flow *f, uint32_t set)
{
    if (!separates(f, set)) return false;
    for (uint32_t v = 0; v < f->n; v++)
        if ((set >> v & 1) && separates(f, set & ~(1u << v))) return false;
    return true;
}

static void agrees_with_brute_force(const jali_flow *f)
{
    static unsigned char listed[1 << MOST];
    jali_separators *s;
    uint32_t set[MOST + 2];
    size_t n;
    memset(listed, 0, sizeof listed);
    CHECK_OK(jali_separators_new(&s, f, NULL));
    for (;;) {
        uint32_t bits = 0;
        CHECK_OK(jali_separators_next(s, set, &n, NULL));
        if (n == 0) break;
        for (size_t i = 0; i < n; i++) bits |= 1u << set[i];
        CHECK(!listed[bits]); /* each once */
        listed[bits] = 1;
    }
    jali_separators_free(s);
    for (uint32_t bits = 0; bits < 1u << f->n; bits++) CHECK(listed[bits] == minimal(f, bits));
}

SENTENCE(it_lists_what_brute_force_finds_on_a_thousand_graphs) /* flow.separators */
{
    UNUSED_STATE;
    uint32_t from[200], to[200];
    for (int i = 0; i < GRAPHS; i++) {
        jali_flow f = { .n = 2 + roll(MOST - 1), .from = from, .to = to };
        f.n_edges = random_flow(f.n, (unsigned)(10 + roll(60)), from, to);
        f.sink = (uint32_t)f.n - 1;
        agrees_with_brute_force(&f);
    }
}

static jali_status parse(jali_flow *f, const char *dot, jali_arena *arena, jali_err *err)
{
    return jali_flow_parse(f, dot, strlen(dot), "it.dot", arena, err);
}

SENTENCE(the_example_of_the_supplement_has_its_three_sets)
{
    UNUSED_STATE;
    jali_arena arena = JALI_ARENA_INIT;
    jali_flow f;
    jali_separators *s;
    uint32_t set[8];
    size_t n, sizes[4] = { 0 }, found = 0;
    CHECK_OK(parse(&f, "digraph { a -> 1; a -> 2; 1 -> 2; 1 -> b; 2 -> b }", &arena, NULL));
    CHECK(f.n == 4 && f.n_edges == 5 && strcmp(f.name[f.source], "a") == 0);
    CHECK_OK(jali_separators_new(&s, &f, NULL));
    while (jali_separators_next(s, set, &n, NULL) == JALI_OK && n > 0) sizes[n]++, found++;
    CHECK(found == 3 && sizes[1] == 2 && sizes[2] == 1);
    jali_separators_free(s);
    jali_arena_clear(&arena);
}

/* The stages that src/explain/model perturbs are among the sets listed for its own flow. */
static bool lists(const char *file, const char *const *stage, size_t want)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_flow f;
    jali_separators *s;
    uint32_t set[32];
    char *dot;
    size_t bytes, n;
    bool found = false;
    CHECK_OK(jali_file_read(file, 1 << 20, &arena, &dot, &bytes, NULL));
    CHECK_OK(jali_flow_parse(&f, dot, bytes, file, &arena, NULL));
    CHECK(f.n <= 30);
    CHECK_OK(jali_separators_new(&s, &f, NULL));
    while (jali_separators_next(s, set, &n, NULL) == JALI_OK && n > 0) {
        size_t same = 0;
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < want; k++) same += strcmp(f.name[set[i]], stage[k]) == 0;
        found = found || (n == want && same == want);
    }
    jali_separators_free(s);
    jali_arena_clear(&arena);
    return found;
}

SENTENCE(the_stages_we_perturb_are_among_the_sets_of_our_own_flows)
{
    UNUSED_STATE;
#define LISTS(file, ...)                                                                       \
    lists(JALI_FLOWS "/" file, (const char *const[]){ __VA_ARGS__ },                           \
          sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))
    CHECK(LISTS("pdp.dot", "sums", "count", "histogram"));
    CHECK(LISTS("ale.dot", "quantiles", "effects", "counts"));
    CHECK(LISTS("pfi.dot", "errors", "count"));
    CHECK(LISTS("plot.dot", "sum", "histogram"));
    CHECK(LISTS("rank.dot", "votes"));
    CHECK(!LISTS("pdp.dot", "sums", "count")); /* the rug alone would leak */
    CHECK(!LISTS("ale.dot", "effects", "counts"));
}

static void refused(const char *dot, const char *words)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_flow f;
    jali_err err = { 0 };
    CHECK(parse(&f, dot, &arena, &err) == JALI_E_DATA);
    CHECK_REFUSED(err, JALI_E_DATA, JALI_FOR_ANALYST, words);
    jali_arena_clear(&arena);
}

SENTENCE(what_is_no_data_flow_is_refused)
{
    UNUSED_STATE;
    refused("digraph {", "not a graph");
    refused("hello", "not a graph");
    refused("", "not a graph");
    refused("graph { a -- b }", "undirected");
    refused("digraph { }", "no vertices");
    refused("digraph { a -> b; b -> c; c -> b; c -> d }", "cycle");
    refused("digraph { a -> a }", "reads itself");
    refused("digraph { a -> c; b -> c }", "2 vertices that nothing flows into");
    refused("digraph { a -> b; a -> c }", "2 vertices that nothing flows out of");
    refused("digraph { a }", "two vertices");
    refused("digraph { a -> b } digraph { a -> c }", "more than one graph");
    refused("digraph { a -> b }\ndigraph { }\ngraph { }", "more than one graph");
    refused("digraph { a -> b } hello", "what is no graph");
    refused("digraph { a -> b } digraph { a -> ", "what is no graph");
    refused("digraph { a }", "two vertices"); /* nothing is left of those before */
}

SENTENCE(a_set_can_be_drawn)
{
    UNUSED_STATE;
    jali_arena arena = JALI_ARENA_INIT;
    jali_flow f;
    char *svg;
    const uint32_t set[] = { 1 };
    CHECK_OK(parse(&f, "digraph { a [label=\"<rows> & more\"]; a -> m -> b }", &arena, NULL));
    CHECK_OK(jali_flow_draw(&f, set, 1, &arena, &svg, NULL));
    CHECK(strstr(svg, "<svg") != NULL && strstr(svg, "#f4c95d") != NULL);
    CHECK(strstr(svg, "&lt;rows&gt; &amp; more") != NULL);
    jali_arena_clear(&arena);
}

RUN_ALL(TEST(it_lists_what_brute_force_finds_on_a_thousand_graphs),
        TEST(the_example_of_the_supplement_has_its_three_sets),
        TEST(the_stages_we_perturb_are_among_the_sets_of_our_own_flows),
        TEST(what_is_no_data_flow_is_refused), TEST(a_set_can_be_drawn))
