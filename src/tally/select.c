/* tally/select.c — which rows a predicate selects, as a bitmap.
 *
 * Every leaf becomes the set of codes that make it true, NULL's code included when NULL
 * does; "unknown" is then simply "not in the set". Since a tree has no NOT node, a row is
 * selected exactly when AND and OR over these bits say so. Every leaf is computed for
 * every row, whatever the others said: the work depends on the predicate alone.
 */
#include "tally/select.h"
#include <string.h>

enum { SET_DOMAIN = 65536, RANGES_BY_VECTOR = 8 /* above, a lookup a row is cheaper */ };

static jali_status bind_ranges(jali_selection_leaf *leaf, const jali_predicate *p,
                               jali_arena *arena, jali_err *err)
{
    size_t n = p->n + 1, k = 0;
    uint64_t *lo = jali_arena_take(arena, n, 8), *span = jali_arena_take(arena, n, 8);
    uint32_t *lo32 = jali_arena_take(arena, n, 4), *span32 = jali_arena_take(arena, n, 4);
    if (lo == NULL || span == NULL || lo32 == NULL || span32 == NULL)
        return jali_fail_memory(err);
    for (; k < p->n; k++) {
        lo[k] = p->ranges[k].lo;
        span[k] = p->ranges[k].hi - p->ranges[k].lo;
    }
    if (p->null == JALI_TRUE) lo[k++] = p->domain - 1; /* its span is 0 */
    for (size_t i = 0; i < k; i++) {
        lo32[i] = (uint32_t)lo[i];
        span32[i] = (uint32_t)span[i];
    }
    leaf->lo64 = lo;
    leaf->span64 = span;
    leaf->lo = lo32;
    leaf->span = span32;
    leaf->ranges = k;
    return JALI_OK;
}

static jali_status bind_set(jali_selection_leaf *leaf, uint64_t domain, jali_arena *arena,
                            jali_err *err)
{
    size_t words = domain <= 256 ? 4 : ((size_t)domain + 63) / 64;
    uint64_t *set = jali_arena_take(arena, words, sizeof *set);
    if (set == NULL) return jali_fail_memory(err);
    for (size_t r = 0; r < leaf->ranges; r++)
        for (uint64_t c = 0; c <= leaf->span64[r]; c++) {
            uint64_t code = leaf->lo64[r] + c;
            set[code / 64] |= 1ull << code % 64;
        }
    leaf->set = set;
    return JALI_OK;
}

static jali_status bind_leaf(jali_selection *s, const jali_predicate *p,
                             const jali_columns *columns, jali_arena *arena, jali_err *err)
{
    size_t i;
    if (!jali_columns_find(columns, p->column, &i))
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "the table has no column \"%.100s\", which the condition names",
                         p->column);
    const jali_column *c = jali_columns_at(columns, i);
    if (c->domain != p->domain)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "the condition on \"%.100s\" was made for a column with another "
                         "domain: state it again for this table",
                         p->column);
    jali_selection_leaf *leaf = &s->leaf[s->n++];
    *leaf = (jali_selection_leaf){ .column = i, .width = c->width };
    JALI_TRY(bind_ranges(leaf, p, arena, err));
    return p->domain <= SET_DOMAIN ? bind_set(leaf, p->domain, arena, err) : JALI_OK;
}

static jali_status bind(jali_selection *s, const jali_predicate *p, unsigned depth,
                        const jali_columns *columns, jali_arena *arena, jali_err *err)
{
    if (depth > s->depth) s->depth = depth;
    if (p->kind == JALI_PREDICATE_CONSTANT) return JALI_OK;
    if (p->kind == JALI_PREDICATE_LEAF) return bind_leaf(s, p, columns, arena, err);
    for (size_t i = 0; i < p->n; i++)
        JALI_TRY(bind(s, p->child[i], depth + 1, columns, arena, err));
    return JALI_OK;
}

static size_t count_nodes(const jali_predicate *p)
{
    size_t n = 1;
    for (size_t i = 0; p->kind >= JALI_PREDICATE_AND && i < p->n; i++)
        n += count_nodes(p->child[i]);
    return n;
}

jali_status jali_selection_bind(jali_selection *out, const jali_predicate *where,
                                const jali_columns *columns, jali_arena *arena, jali_err *err)
{
    jali_selection s = { .root = jali_predicate_canonical(arena, where) };
    if (s.root == NULL) return jali_fail_memory(err);
    s.leaf = jali_arena_take(arena, count_nodes(s.root), sizeof *s.leaf);
    if (s.leaf == NULL) return jali_fail_memory(err);
    JALI_TRY(bind(&s, s.root, 0, columns, arena, err));
    *out = s;
    return JALI_OK;
}

/* ---- rows ------------------------------------------------------------------------ */

typedef struct walk {
    const jali_selection *s;
    const jali_columns *columns;
    const jali_kernels *kernels;
    size_t first, n, words, leaf;
} walk;

static void lookup16(const uint16_t *codes, size_t n, const uint64_t *set, uint64_t *out)
{
    for (size_t i = 0; i < n; i++)
        out[i / 64] |= (set[codes[i] / 64] >> codes[i] % 64 & 1) << i % 64;
}

static void within64(const uint64_t *codes, size_t n, const jali_selection_leaf *leaf,
                     uint64_t *out)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t in = 0;
        for (size_t r = 0; r < leaf->ranges; r++)
            in |= codes[i] - leaf->lo64[r] <= leaf->span64[r];
        out[i / 64] |= in << i % 64;
    }
}

static void leaf_rows(const walk *w, const jali_selection_leaf *leaf, uint64_t *out)
{
    const jali_column *c = jali_columns_at(w->columns, leaf->column);
    const void *codes = (const char *)c->codes + w->first * c->width;
    memset(out, 0, w->words * sizeof *out);
    if (c->width == 1)
        w->kernels->within8(codes, w->n, (const uint8_t *)leaf->set, out);
    else if (c->width == 2 && leaf->ranges > RANGES_BY_VECTOR)
        lookup16(codes, w->n, leaf->set, out);
    else if (c->width < 8)
        w->kernels->within(codes, c->width, w->n, leaf->lo, leaf->span, leaf->ranges, out);
    else
        within64(codes, w->n, leaf, out);
}

static void node_rows(walk *w, const jali_predicate *p, uint64_t *out, uint64_t *scratch)
{
    bool and = p->kind == JALI_PREDICATE_AND;
    if (p->kind == JALI_PREDICATE_LEAF) {
        leaf_rows(w, &w->s->leaf[w->leaf++], out);
        return;
    }
    bool all = p->kind == JALI_PREDICATE_CONSTANT ? p->null == JALI_TRUE : and;
    memset(out, all ? 0xff : 0, w->words * sizeof *out);
    for (size_t i = 0; p->kind != JALI_PREDICATE_CONSTANT && i < p->n; i++) {
        node_rows(w, p->child[i], scratch, scratch + w->words);
        for (size_t k = 0; k < w->words; k++)
            out[k] = and? out[k] & scratch[k] : out[k] | scratch[k];
    }
}

void jali_selection_rows(const jali_selection *selection, const jali_columns *columns,
                         const jali_kernels *kernels, size_t first, size_t n, size_t words,
                         uint64_t *rows, uint64_t *scratch)
{
    walk w = { selection, columns, kernels, first, n, words, 0 };
    node_rows(&w, selection->root, rows, scratch);
    if (n % 64 != 0) rows[n / 64] &= (1ull << n % 64) - 1;
}
