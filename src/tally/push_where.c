/* tally/push_where.c — a predicate as SQL, over codes or over the table's own columns. */
#include "engine/remote.h"
#include "tally/push.h"
#include <inttypes.h>

enum { RANGES_LISTED = 3 }; /* ranges of a leaf, one by one */

/* Many ranges name the code once, which may be a long text and a slow one: they are apart and
 * sorted, so a code is in one of them exactly if an odd number of their ends is not above it.
 */
static void put_ends(const jali_predicate *p, const char *code, jali_text *out)
{
    jali_text_format(out, "width_bucket((%s)::int8, '{", code);
    for (size_t i = 0; i < p->n; i++)
        jali_text_format(out, "%s%" PRIu64 ",%" PRIu64, i > 0 ? "," : "", p->ranges[i].lo,
                         p->ranges[i].hi + 1);
    jali_text_add(out, "}'::int8[]) % 2 = 1");
}

static void put_ranges(const jali_predicate *p, const char *code, jali_text *out)
{
    for (size_t i = 0; i < p->n; i++) {
        const jali_range *r = &p->ranges[i];
        jali_text_format(out, r->lo == r->hi ? "%s%s = %" PRIu64 : "%s%s BETWEEN %" PRIu64,
                         i > 0 ? " OR " : "", code, r->lo);
        if (r->lo != r->hi) jali_text_format(out, " AND %" PRIu64, r->hi);
    }
}

/* `code` is the column's code; with `bare` it is NULL where the code would be NULL's. */
static void put_leaf(const jali_predicate *p, const char *code, bool bare, jali_text *out)
{
    jali_text_add(out, "(");
    if (p->n > RANGES_LISTED)
        put_ends(p, code, out);
    else
        put_ranges(p, code, out);
    if (p->null == JALI_TRUE) {
        jali_text_format(out, bare ? "%s%s IS NULL" : "%s%s = ", p->n > 0 ? " OR " : "", code);
        if (!bare) jali_text_format(out, "%" PRIu64, p->domain - 1);
    }
    jali_text_add(out, p->n > 0 || p->null == JALI_TRUE ? ")" : "false)");
}

void jali_push_predicate(const jali_predicate *p,
                         const char *(*code)(void *self, const char *column), void *self,
                         jali_text *out)
{
    if (p->kind == JALI_PREDICATE_CONSTANT) {
        jali_text_add(out, p->null == JALI_TRUE ? "true" : "false");
    } else if (p->kind == JALI_PREDICATE_LEAF) {
        put_leaf(p, code(self, p->column), false, out);
    } else {
        bool all = p->kind == JALI_PREDICATE_AND;
        jali_text_add(out, "(");
        if (p->n == 0) jali_text_add(out, all ? "true" : "false");
        for (size_t i = 0; i < p->n; i++) {
            if (i > 0) jali_text_add(out, all ? " AND " : " OR ");
            jali_push_predicate(p->child[i], code, self, out);
        }
        jali_text_add(out, ")");
    }
}

/* A leaf over a plain whole number is a comparison of the column itself. */
static bool put_plain(const jali_predicate *p, const jali_remote_column *c, jali_text *out)
{
    uint64_t top = p->domain - 2;
    if (c->plain == NULL || p->domain < 2) return false;
    jali_text_add(out, "(");
    for (size_t i = 0; i < p->n; i++) {
        const jali_range *r = &p->ranges[i];
        jali_text_format(out, "%s%s IS NOT NULL", i > 0 ? " OR " : "", c->plain);
        if (r->lo > 0)
            jali_text_format(out, " AND %s >= (%" PRId64 ")", c->plain,
                             c->low + (int64_t)r->lo);
        if (r->hi < top)
            jali_text_format(out, " AND %s <= (%" PRId64 ")", c->plain,
                             c->low + (int64_t)r->hi);
    }
    if (p->null == JALI_TRUE)
        jali_text_format(out, "%s%s IS NULL", p->n > 0 ? " OR " : "", c->plain);
    jali_text_add(out, p->n > 0 || p->null == JALI_TRUE ? ")" : "false)");
    return true;
}

/* A leaf over the table's own column: whatever it is where it is not TRUE, NULL included, AND
 * and OR never make TRUE of it, and WHERE takes TRUE alone. */
static bool put_column(const jali_columns *columns, const jali_predicate *p, jali_text *out)
{
    size_t i;
    if (!jali_columns_find(columns, p->column, &i)) return false;
    const jali_remote_column *c = &jali_columns_remote_of(columns)->column[i];
    if (!put_plain(p, c, out)) put_leaf(p, c->value, true, out);
    return true;
}

bool jali_push_selection(const jali_columns *columns, const jali_predicate *p, jali_text *out)
{
    bool good = true, all = p->kind == JALI_PREDICATE_AND;
    if (p->kind == JALI_PREDICATE_LEAF) return put_column(columns, p, out);
    if (p->kind == JALI_PREDICATE_CONSTANT) {
        jali_text_add(out, p->null == JALI_TRUE ? "true" : "false");
        return true;
    }
    jali_text_add(out, "(");
    if (p->n == 0) jali_text_add(out, all ? "true" : "false");
    for (size_t k = 0; good && k < p->n; k++) {
        if (k > 0) jali_text_add(out, all ? " AND " : " OR ");
        good = jali_push_selection(columns, p->child[k], out);
    }
    jali_text_add(out, ")");
    return good;
}
