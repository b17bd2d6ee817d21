/* flow/separators.c — all minimal sets of stages that make a data flow private.
 *
 * Claim    flow.separators
 *          The sets are the minimal vertex sets S such that every path from the source to the
 *          sink, both included, meets S: each exactly once, and between two of them at most
 *          |S| sweeps over the graph.
 * Proof    proofs/flow.md#flow.separators
 * Source   ALGORITHMS 6.3, after Berry, Bordat, Cogis, 2000 (minimal separators), directed.
 * Law      none: nothing is drawn
 * Test     tests/flow/separators_test.c (brute force on 1,000 random graphs)
 * Silent   memory, which grows with the number of sets found.
 */
#include "flow/flow.h"
#include <sodium.h>

/* Vertices are bits; two more stand before the source (s) and behind the sink (t). */
typedef struct waiting {
    uint64_t *set;
    size_t size;
    struct waiting *next; /* in its bucket of the hash table */
} waiting;

struct jali_separators {
    jali_arena arena;
    size_t n, words;
    uint32_t s, t;
    uint64_t *out, *in; /* n rows of words: neighbours   */
    waiting **heap;     /* by size, then in order found  */
    size_t n_heap, room_heap;
    waiting **bucket;
    size_t n_buckets, n_seen;
    uint64_t *a, *b, *c, *d; /* scratch sets */
    uint32_t *stack;
};

static bool has(const uint64_t *set, uint32_t v)
{
    return set[v / 64] >> v % 64 & 1;
}

static void put(uint64_t *set, uint32_t v)
{
    set[v / 64] |= 1ull << v % 64;
}

/* Everything reachable from `from` over `edges` without entering `wall`. */
static void reach(const jali_separators *x, const uint64_t *edges, uint32_t from,
                  const uint64_t *wall, uint64_t *out)
{
    size_t n = 0;
    memset(out, 0, x->words * sizeof *out);
    put(out, from);
    x->stack[n++] = from;
    while (n > 0) {
        uint32_t v = x->stack[--n];
        for (size_t w = 0; w < x->words; w++) {
            uint64_t fresh = edges[v * x->words + w] & ~out[w] & ~wall[w];
            out[w] |= fresh;
            for (; fresh != 0; fresh &= fresh - 1)
                x->stack[n++] = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(fresh);
        }
    }
}

/* The part of the border of `side` that touches what reaches t outside it: a minimal
 * separator. False if the side touches t. */
static bool close_side(const jali_separators *x, const uint64_t *side, uint64_t *out)
{
    uint64_t *border = x->c, *far = x->d;
    memset(border, 0, x->words * sizeof *border);
    for (uint32_t v = 0; v < x->n; v++)
        for (size_t w = 0; has(side, v) && w < x->words; w++)
            border[w] |= x->out[v * x->words + w];
    for (size_t w = 0; w < x->words; w++) border[w] &= ~side[w];
    if (has(border, x->t)) return false;
    reach(x, x->in, x->t, border, far);
    memset(out, 0, x->words * sizeof *out);
    for (uint32_t v = 0; v < x->n; v++) {
        uint64_t touches = 0;
        for (size_t w = 0; has(border, v) && w < x->words; w++)
            touches |= x->out[v * x->words + w] & far[w];
        if (touches != 0) put(out, v);
    }
    return true;
}

/* ---- sets seen and waiting --------------------------------------------------------------- */

static uint64_t hash(const jali_separators *x, const uint64_t *set)
{
    static const unsigned char key[16];
    uint64_t h;
    crypto_shorthash_siphash24((unsigned char *)&h, (const unsigned char *)set,
                               x->words * sizeof *set, key);
    return h;
}

static bool smaller(const waiting *a, const waiting *b)
{
    return a->size < b->size;
}

static bool grow_table(jali_separators *x)
{
    size_t room = x->n_buckets == 0 ? 1024 : 2 * x->n_buckets;
    waiting **fresh = jali_arena_take(&x->arena, room, sizeof *fresh);
    if (fresh == NULL) return false;
    for (size_t i = 0; i < x->n_buckets; i++)
        for (waiting *w = x->bucket[i], *next; w != NULL; w = next) {
            next = w->next;
            size_t at = hash(x, w->set) % room;
            w->next = fresh[at];
            fresh[at] = w;
        }
    x->bucket = fresh;
    x->n_buckets = room;
    return true;
}

static bool push_heap(jali_separators *x, waiting *w)
{
    if (x->n_heap == x->room_heap) {
        size_t room = x->room_heap == 0 ? 64 : 2 * x->room_heap;
        waiting **heap = jali_arena_take(&x->arena, room, sizeof *heap);
        if (heap == NULL) return false;
        if (x->n_heap > 0) memcpy(heap, x->heap, x->n_heap * sizeof *heap);
        x->heap = heap;
        x->room_heap = room;
    }
    size_t i = x->n_heap++;
    for (; i > 0 && smaller(w, x->heap[(i - 1) / 2]); i = (i - 1) / 2)
        x->heap[i] = x->heap[(i - 1) / 2];
    x->heap[i] = w;
    return true;
}

static waiting *pop_heap(jali_separators *x)
{
    waiting *top = x->heap[0], *last = x->heap[--x->n_heap];
    size_t i = 0;
    for (;;) {
        size_t k = 2 * i + 1;
        if (k >= x->n_heap) break;
        if (k + 1 < x->n_heap && smaller(x->heap[k + 1], x->heap[k])) k++;
        if (!smaller(x->heap[k], last)) break;
        x->heap[i] = x->heap[k];
        i = k;
    }
    x->heap[i] = last;
    return top;
}

/* Remembers a set and lets it wait, unless it was seen. */
static bool meet(jali_separators *x, const uint64_t *set)
{
    if (x->n_seen >= x->n_buckets && !grow_table(x)) return false;
    size_t at = hash(x, set) % x->n_buckets, bytes = x->words * sizeof *set;
    for (waiting *w = x->bucket[at]; w != NULL; w = w->next)
        if (memcmp(w->set, set, bytes) == 0) return true;
    waiting *w = jali_arena_take(&x->arena, 1, sizeof *w);
    uint64_t *copy = jali_arena_take(&x->arena, x->words, sizeof *copy);
    if (w == NULL || copy == NULL) return false;
    memcpy(copy, set, bytes);
    *w = (waiting){ copy, 0, x->bucket[at] };
    for (size_t i = 0; i < x->words; i++) w->size += (size_t)__builtin_popcountll(set[i]);
    x->bucket[at] = w;
    x->n_seen++;
    return push_heap(x, w);
}

/* ---- the search ---------------------------------------------------------------------------
 */

static bool expand(jali_separators *x, const waiting *w)
{
    reach(x, x->out, x->s, w->set, x->a); /* the source's side */
    for (uint32_t v = 0; v < x->n; v++) {
        if (!has(w->set, v) || has(x->out + v * x->words, x->t)) continue;
        put(x->a, v);
        bool closed = close_side(x, x->a, x->b);
        x->a[v / 64] &= ~(1ull << v % 64);
        if (closed && !meet(x, x->b)) return false;
    }
    return true;
}

static bool start(jali_separators *x, const jali_flow *f)
{
    size_t all = x->n * x->words;
    x->out = jali_arena_take(&x->arena, all, sizeof *x->out);
    x->in = jali_arena_take(&x->arena, all, sizeof *x->in);
    x->a = jali_arena_take(&x->arena, 4 * x->words, sizeof *x->a);
    x->stack = jali_arena_take(&x->arena, x->n, sizeof *x->stack);
    if (x->out == NULL || x->in == NULL || x->a == NULL || x->stack == NULL) return false;
    x->b = x->a + x->words;
    x->c = x->b + x->words;
    x->d = x->c + x->words;
    for (size_t e = 0; e < f->n_edges + 2; e++) {
        uint32_t from = e < f->n_edges ? f->from[e] : e == f->n_edges ? x->s : f->sink;
        uint32_t to = e < f->n_edges ? f->to[e] : e == f->n_edges ? f->source : x->t;
        put(x->out + from * x->words, to);
        put(x->in + to * x->words, from);
    }
    put(x->a, x->s);
    return close_side(x, x->a, x->b) && meet(x, x->b);
}

jali_status jali_separators_new(jali_separators **out, const jali_flow *flow, jali_err *err)
{
    jali_separators *x = calloc(1, sizeof *x);
    if (x == NULL) return jali_fail_memory(err);
    x->n = flow->n + 2;
    x->words = (x->n + 63) / 64;
    x->s = (uint32_t)flow->n;
    x->t = (uint32_t)flow->n + 1;
    if (!start(x, flow)) {
        jali_separators_free(x);
        return jali_fail_memory(err);
    }
    *out = x;
    return JALI_OK;
}

void jali_separators_free(jali_separators *x)
{
    if (x == NULL) return;
    jali_arena_clear(&x->arena);
    free(x);
}

jali_status jali_separators_next(jali_separators *x, uint32_t *set, size_t *n, jali_err *err)
{
    size_t k = 0;
    if (x->n_heap > 0) {
        const waiting *w = pop_heap(x);
        for (uint32_t v = 0; v < x->n; v++)
            if (has(w->set, v)) set[k++] = v;
        if (!expand(x, w)) return jali_fail_memory(err);
    }
    *n = k;
    return JALI_OK;
}
