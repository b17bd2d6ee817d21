/* table/predicate.c — conditions on a record, over codes, three-valued like SQL. */
#include "table/predicate.h"
#include <stdlib.h>
#include <string.h>

static jali_truth not_(jali_truth t)
{
    return t == JALI_UNKNOWN ? t : t == JALI_TRUE ? JALI_FALSE : JALI_TRUE;
}

/* Kleene's AND and OR: the stronger word wins, unknown beats the weaker. */
static jali_truth both(jali_predicate_kind kind, jali_truth a, jali_truth b)
{
    jali_truth strong = kind == JALI_PREDICATE_AND ? JALI_FALSE : JALI_TRUE;
    if (a == strong || b == strong) return strong;
    return a == JALI_UNKNOWN ? a : b;
}

static jali_predicate *take_node(jali_arena *a, jali_predicate_kind kind, jali_truth null)
{
    jali_predicate *p = jali_arena_take(a, 1, sizeof *p);
    if (p != NULL) *p = (jali_predicate){ .kind = kind, .null = null };
    return p;
}

const jali_predicate *jali_predicate_constant(jali_arena *a, jali_truth value)
{
    return take_node(a, JALI_PREDICATE_CONSTANT, value);
}

static const jali_predicate *take_leaf(jali_arena *a, const char *column, uint64_t domain,
                                       const jali_range *ranges, size_t n, jali_truth null)
{
    jali_predicate *p = take_node(a, JALI_PREDICATE_LEAF, null);
    jali_range *copy = jali_arena_take(a, n + 1, sizeof *copy);
    if (p == NULL || copy == NULL || domain == 0 || n > JALI_PREDICATE_RANGES) return NULL;
    if (n > 0) memcpy(copy, ranges, n * sizeof *copy);
    p->column = jali_arena_text(a, column);
    p->domain = domain;
    p->ranges = copy;
    p->n = n;
    return p->column == NULL ? NULL : p;
}

const jali_predicate *jali_predicate_range(jali_arena *a, const char *column, uint64_t domain,
                                           uint64_t lo, uint64_t hi)
{
    jali_range r = { lo, hi };
    if (domain < 2 || lo > hi || lo > domain - 2)
        return take_leaf(a, column, domain, NULL, 0, JALI_UNKNOWN);
    if (hi > domain - 2) r.hi = domain - 2;
    return take_leaf(a, column, domain, &r, 1, JALI_UNKNOWN);
}

static int by_lo(const void *x, const void *y)
{
    const jali_range *a = x, *b = y;
    return (a->lo > b->lo) - (a->lo < b->lo);
}

/* Sorts, cuts to the known values and joins what touches; returns how many are left. */
static size_t tidy(jali_range *r, size_t n, uint64_t domain)
{
    size_t kept = 0;
    if (n > 1) qsort(r, n, sizeof *r, by_lo);
    for (size_t i = 0; i < n; i++) {
        jali_range x = r[i];
        if (domain < 2 || x.lo > x.hi || x.lo > domain - 2) continue;
        if (x.hi > domain - 2) x.hi = domain - 2;
        if (kept == 0 || x.lo > r[kept - 1].hi + 1) /* no overflow: hi <= domain-2 */
            r[kept++] = x;
        else if (x.hi > r[kept - 1].hi)
            r[kept - 1].hi = x.hi;
    }
    return kept;
}

const jali_predicate *jali_predicate_ranges(jali_arena *a, const char *column, uint64_t domain,
                                            const jali_range *ranges, size_t n, jali_truth null)
{
    jali_range *r = jali_arena_take(a, n + 1, sizeof *r);
    if (r == NULL || n > JALI_PREDICATE_RANGES) return NULL;
    if (n > 0) memcpy(r, ranges, n * sizeof *r);
    return take_leaf(a, column, domain, r, tidy(r, n, domain), null);
}

const jali_predicate *jali_predicate_in(jali_arena *a, const char *column, uint64_t domain,
                                        const uint64_t *codes, size_t n)
{
    jali_range *r = jali_arena_take(a, n + 1, sizeof *r);
    if (r == NULL) return NULL;
    for (size_t i = 0; i < n; i++) r[i] = (jali_range){ codes[i], codes[i] };
    return take_leaf(a, column, domain, r, tidy(r, n, domain), JALI_UNKNOWN);
}

const jali_predicate *jali_predicate_bits(jali_arena *a, const char *column, uint64_t domain,
                                          const uint64_t *words)
{
    enum { MOST = 1 << 24 }; /* a bitset is for small domains; ranges have no limit */
    if (domain == 0 || domain > MOST) return NULL;
    size_t n = 0, last = (size_t)domain - 1;
    jali_range *r = jali_arena_take(a, last / 2 + 1, sizeof *r);
    if (r == NULL) return NULL;
    for (size_t c = 0; c < last; c++) {
        if ((words[c / 64] >> c % 64 & 1) == 0) continue;
        if (n > 0 && r[n - 1].hi + 1 == c)
            r[n - 1].hi = c;
        else
            r[n++] = (jali_range){ c, c };
    }
    return take_leaf(a, column, domain, r, n, JALI_UNKNOWN);
}

const jali_predicate *jali_predicate_is_null(jali_arena *a, const char *column, uint64_t domain)
{
    return take_leaf(a, column, domain, NULL, 0, JALI_TRUE);
}

/* What lies between the ranges, within the known values. */
static size_t gaps(jali_range *out, const jali_range *r, size_t n, uint64_t domain)
{
    size_t kept = 0;
    uint64_t from = 0;
    for (size_t i = 0; i < n; i++) {
        if (r[i].lo > from) out[kept++] = (jali_range){ from, r[i].lo - 1 };
        from = r[i].hi + 1;
    }
    if (domain >= 2 && from <= domain - 2) out[kept++] = (jali_range){ from, domain - 2 };
    return kept;
}

static const jali_predicate *not_leaf(jali_arena *a, const jali_predicate *p)
{
    jali_range *r = jali_arena_take(a, p->n + 1, sizeof *r);
    if (r == NULL) return NULL;
    size_t n = gaps(r, p->ranges, p->n, p->domain);
    /* The complement has one range more at most; canonical text must stay readable. */
    if (n > JALI_PREDICATE_RANGES) return NULL;
    return take_leaf(a, p->column, p->domain, r, n, not_(p->null));
}

static const jali_predicate *take_inner(jali_arena *a, jali_predicate_kind kind,
                                        const jali_predicate *const *child, size_t n)
{
    jali_predicate *p = take_node(a, kind, JALI_FALSE);
    const jali_predicate **copy = jali_arena_take(a, n + 1, sizeof(void *));
    if (p == NULL || copy == NULL || n > JALI_PREDICATE_NODES) return NULL;
    for (size_t i = 0; i < n; i++)
        if ((copy[i] = child[i]) == NULL) return NULL;
    p->child = copy;
    p->n = n;
    return p;
}

const jali_predicate *jali_predicate_join(jali_arena *a, jali_predicate_kind and_or,
                                          const jali_predicate *const *child, size_t n)
{
    return take_inner(a, and_or, child, n);
}

const jali_predicate *jali_predicate_not(jali_arena *a, const jali_predicate *p)
{
    if (p == NULL) return NULL;
    if (p->kind == JALI_PREDICATE_CONSTANT) return jali_predicate_constant(a, not_(p->null));
    if (p->kind == JALI_PREDICATE_LEAF) return not_leaf(a, p);
    const jali_predicate **child = jali_arena_take(a, p->n + 1, sizeof(void *));
    if (child == NULL) return NULL;
    for (size_t i = 0; i < p->n; i++) child[i] = jali_predicate_not(a, p->child[i]);
    bool and = p->kind == JALI_PREDICATE_AND;
    return take_inner(a, and? JALI_PREDICATE_OR : JALI_PREDICATE_AND, child, p->n);
}

const jali_predicate *jali_predicate_and(jali_arena *a, const jali_predicate *p,
                                         const jali_predicate *q)
{
    return take_inner(a, JALI_PREDICATE_AND, (const jali_predicate *const[]){ p, q }, 2);
}

const jali_predicate *jali_predicate_or(jali_arena *a, const jali_predicate *p,
                                        const jali_predicate *q)
{
    return take_inner(a, JALI_PREDICATE_OR, (const jali_predicate *const[]){ p, q }, 2);
}

jali_truth jali_predicate_value(const jali_predicate *p,
                                uint64_t (*code)(void *self, const char *column), void *self)
{
    if (p->kind == JALI_PREDICATE_CONSTANT) return p->null;
    if (p->kind == JALI_PREDICATE_LEAF) {
        uint64_t c = code(self, p->column);
        if (c >= p->domain - 1) return p->null;
        jali_truth t = JALI_FALSE;
        for (size_t i = 0; i < p->n; i++)
            if (c >= p->ranges[i].lo && c <= p->ranges[i].hi) t = JALI_TRUE;
        return t;
    }
    jali_truth t = p->kind == JALI_PREDICATE_AND ? JALI_TRUE : JALI_FALSE;
    for (size_t i = 0; i < p->n; i++)
        t = both(p->kind, t, jali_predicate_value(p->child[i], code, self));
    return t;
}

/* ---- the one form ---------------------------------------------------------------- */

static const jali_predicate *merge_leaves(jali_arena *a, jali_predicate_kind kind,
                                          const jali_predicate *p, const jali_predicate *q)
{
    size_t n = p->n + q->n, m = 0;
    jali_range *r = jali_arena_take(a, n + 3, sizeof *r);
    if (r == NULL) return NULL;
    if (kind == JALI_PREDICATE_OR) {
        memcpy(r, p->ranges, p->n * sizeof *r);
        memcpy(r + p->n, q->ranges, q->n * sizeof *r);
        m = tidy(r, n, p->domain);
    } else {
        for (size_t i = 0, j = 0; i < p->n && j < q->n;) {
            jali_range x = p->ranges[i], y = q->ranges[j];
            jali_range cut = { x.lo > y.lo ? x.lo : y.lo, x.hi < y.hi ? x.hi : y.hi };
            if (cut.lo <= cut.hi) r[m++] = cut;
            if (x.hi < y.hi)
                i++;
            else
                j++;
        }
    }
    return take_leaf(a, p->column, p->domain, r, m, both(kind, p->null, q->null));
}

static int compare(const jali_predicate *p, const jali_predicate *q);

static int compare_leaves(const jali_predicate *p, const jali_predicate *q)
{
    int order = strcmp(p->column, q->column);
    if (order == 0) order = (p->domain > q->domain) - (p->domain < q->domain);
    if (order == 0) order = (int)p->null - (int)q->null;
    if (order == 0) order = (p->n > q->n) - (p->n < q->n);
    for (size_t i = 0; order == 0 && i < p->n; i++) {
        jali_range x = p->ranges[i], y = q->ranges[i];
        order = x.lo != y.lo ? (x.lo > y.lo) - (x.lo < y.lo) : (x.hi > y.hi) - (x.hi < y.hi);
    }
    return order;
}

static int compare(const jali_predicate *p, const jali_predicate *q)
{
    int order = (int)p->kind - (int)q->kind;
    if (order != 0) return order;
    if (p->kind == JALI_PREDICATE_CONSTANT) return (int)p->null - (int)q->null;
    if (p->kind == JALI_PREDICATE_LEAF) return compare_leaves(p, q);
    order = (p->n > q->n) - (p->n < q->n);
    for (size_t i = 0; order == 0 && i < p->n; i++) order = compare(p->child[i], q->child[i]);
    return order;
}

static int by_order(const void *x, const void *y)
{
    return compare(*(const jali_predicate *const *)x, *(const jali_predicate *const *)y);
}

/* A leaf that says the same for every code, NULL included, is a constant. */
static const jali_predicate *fold_leaf(jali_arena *a, const jali_predicate *p)
{
    uint64_t known = 0;
    for (size_t i = 0; i < p->n; i++) known += p->ranges[i].hi - p->ranges[i].lo + 1;
    bool none = known == 0, all = known == p->domain - 1;
    if ((none && p->null == JALI_FALSE) || (all && p->null == JALI_TRUE) || p->domain == 1)
        return jali_predicate_constant(a, p->null);
    return p;
}

static bool same_column(const jali_predicate *p, const jali_predicate *q)
{
    return p->kind == JALI_PREDICATE_LEAF && q->kind == JALI_PREDICATE_LEAF &&
           p->domain == q->domain && strcmp(p->column, q->column) == 0;
}

/* Merges n leaves of one column, halving: one by one would copy n^2 ranges. */
static const jali_predicate *merge_run(jali_arena *a, jali_predicate_kind kind,
                                       const jali_predicate *const *leaf, size_t n)
{
    if (n == 1) return leaf[0];
    const jali_predicate *p = merge_run(a, kind, leaf, n / 2);
    const jali_predicate *q = merge_run(a, kind, leaf + n / 2, n - n / 2);
    return p == NULL || q == NULL ? NULL : merge_leaves(a, kind, p, q);
}

typedef struct list {
    const jali_predicate **at;
    size_t n;
} list;

static size_t count_nodes(const jali_predicate *p)
{
    size_t n = 1;
    for (size_t i = 0; p->kind >= JALI_PREDICATE_AND && i < p->n; i++)
        n += count_nodes(p->child[i]);
    return n;
}

/* Canonical children of one AND or OR, with those of equal kind spliced in. */
static bool gather(jali_arena *a, jali_predicate_kind kind, const jali_predicate *p, list *out)
{
    for (size_t i = 0; i < p->n; i++) {
        const jali_predicate *c = jali_predicate_canonical(a, p->child[i]);
        if (c == NULL) return false;
        if (c->kind == kind)
            for (size_t k = 0; k < c->n; k++) out->at[out->n++] = c->child[k];
        else
            out->at[out->n++] = c;
    }
    return true;
}

/* Leaves of a column become one, repeats go; *constant collects what was constant. */
static bool squeeze(jali_arena *a, jali_predicate_kind kind, list *l, jali_truth *constant)
{
    size_t n = l->n, run;
    qsort(l->at, n, sizeof(void *), by_order);
    l->n = 0;
    for (size_t i = 0; i < n; i += run) {
        const jali_predicate *p = l->at[i];
        for (run = 1; i + run < n && same_column(p, l->at[i + run]);) run++;
        if (p->kind == JALI_PREDICATE_LEAF) {
            if ((p = merge_run(a, kind, l->at + i, run)) == NULL) return false;
            if ((p = fold_leaf(a, p)) == NULL) return false;
        }
        if (p->kind == JALI_PREDICATE_CONSTANT)
            *constant = both(kind, *constant, p->null);
        else if (l->n == 0 || compare(l->at[l->n - 1], p) != 0)
            l->at[l->n++] = p;
    }
    return true;
}

/* Puts the constant back where it counts: alone if it decides, first if it is unknown. */
static bool settle(jali_arena *a, jali_predicate_kind kind, list *l, jali_truth constant)
{
    jali_truth idle = kind == JALI_PREDICATE_AND ? JALI_TRUE : JALI_FALSE;
    if (constant == idle && l->n > 0) return true;
    if (constant != JALI_UNKNOWN) l->n = 0;
    memmove(l->at + 1, l->at, l->n * sizeof(void *));
    l->at[0] = jali_predicate_constant(a, constant);
    l->n++;
    return l->at[0] != NULL;
}

const jali_predicate *jali_predicate_canonical(jali_arena *a, const jali_predicate *p)
{
    if (p == NULL || p->kind == JALI_PREDICATE_CONSTANT) return p;
    if (p->kind == JALI_PREDICATE_LEAF) return fold_leaf(a, p);
    list l = { jali_arena_take(a, count_nodes(p) + 1, sizeof(void *)), 0 };
    jali_truth constant = p->kind == JALI_PREDICATE_AND ? JALI_TRUE : JALI_FALSE;
    if (l.at == NULL || !gather(a, p->kind, p, &l)) return NULL;
    if (!squeeze(a, p->kind, &l, &constant) || !settle(a, p->kind, &l, constant)) return NULL;
    return l.n == 1 ? l.at[0] : take_inner(a, p->kind, l.at, l.n);
}
