/* table/where_text.c — a predicate as SQL over the words of a schema. */
#include "base/text.h"
#include "table/where.h"

typedef struct writing {
    const jali_schema *schema;
    jali_arena *arena;
    jali_text text;
    jali_err *err;
} writing;

/* A code as a constant: numbers bare, all else in quotes. */
static jali_status put_value(writing *w, const jali_field *f, uint64_t code)
{
    const char *text = jali_field_text(f, code, w->arena);
    if (text == NULL) return jali_fail_memory(w->err);
    if (f->kind == JALI_NUMBER && f->type != JALI_DATE)
        jali_text_add(&w->text, text);
    else if (f->type == JALI_BOOLEAN)
        jali_text_add(&w->text, code == 1 ? "TRUE" : "FALSE");
    else
        jali_sql_put_text(&w->text, text);
    return JALI_OK;
}

static jali_status put_compare(writing *w, const jali_field *f, const char *op, uint64_t code)
{
    jali_sql_put_name(&w->text, f->name);
    jali_text_add(&w->text, op);
    return put_value(w, f, code);
}

/* Every known value, or none of them; NULL stays unknown. */
static jali_status put_all_or_none(writing *w, const jali_field *f, bool all)
{
    if (f->kind == JALI_NUMBER) return put_compare(w, f, all ? " >= " : " < ", 0);
    JALI_TRY(put_compare(w, f, " = ", 0));
    jali_text_add(&w->text, all ? " OR " : " AND ");
    return put_compare(w, f, " <> ", 0);
}

/* column [NOT] IN (the known codes that are, or are not, in the ranges), or = and <>. */
static jali_status put_list(writing *w, const jali_field *f, const jali_predicate *p,
                            bool negated)
{
    uint64_t values = p->domain - 1, n = 0, in = 0;
    for (size_t i = 0; i < p->n; i++) in += p->ranges[i].hi - p->ranges[i].lo + 1;
    uint64_t listed = negated ? values - in : in;
    if (listed == 1) {
        jali_sql_put_name(&w->text, f->name);
        jali_text_add(&w->text, negated ? " <> " : " = ");
    } else {
        jali_sql_put_name(&w->text, f->name);
        jali_text_add(&w->text, negated ? " NOT IN (" : " IN (");
    }
    size_t r = 0;
    for (uint64_t code = 0; code < values; code++) {
        while (r < p->n && p->ranges[r].hi < code) r++;
        bool inside = r < p->n && p->ranges[r].lo <= code;
        if (inside == negated) continue;
        if (n++ > 0) jali_text_add(&w->text, ", ");
        JALI_TRY(put_value(w, f, code));
    }
    if (listed != 1) jali_text_add(&w->text, ")");
    return JALI_OK;
}

static jali_status put_range(writing *w, const jali_field *f, jali_range range, uint64_t last)
{
    if (range.lo == range.hi) return put_compare(w, f, " = ", range.lo);
    if (range.hi == last) return put_compare(w, f, " >= ", range.lo);
    if (range.lo == 0) return put_compare(w, f, " <= ", range.hi);
    JALI_TRY(put_compare(w, f, " BETWEEN ", range.lo));
    jali_text_add(&w->text, " AND ");
    return put_value(w, f, range.hi);
}

static bool full(const jali_predicate *p)
{
    return p->n == 1 && p->ranges[0].lo == 0 && p->ranges[0].hi == p->domain - 2;
}

/* All but one value: more readable as a hole. */
static bool hole(const jali_predicate *p)
{
    return p->n == 2 && p->ranges[0].lo == 0 && p->ranges[1].hi == p->domain - 2 &&
           p->ranges[0].hi + 2 == p->ranges[1].lo;
}

static bool singles(const jali_predicate *p)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->ranges[i].lo != p->ranges[i].hi) return false;
    return p->n > 1;
}

static jali_status put_ranges(writing *w, const jali_field *f, const jali_predicate *p)
{
    if (hole(p)) return put_compare(w, f, " <> ", p->ranges[0].hi + 1);
    if (!singles(p)) {
        for (size_t i = 0; i < p->n; i++) {
            if (i > 0) jali_text_add(&w->text, " OR ");
            JALI_TRY(put_range(w, f, p->ranges[i], p->domain - 2));
        }
        return JALI_OK;
    }
    jali_sql_put_name(&w->text, f->name);
    for (size_t i = 0; i < p->n; i++) {
        jali_text_add(&w->text, i == 0 ? " IN (" : ", ");
        JALI_TRY(put_value(w, f, p->ranges[i].lo));
    }
    jali_text_add(&w->text, ")");
    return JALI_OK;
}

static jali_status put_known(writing *w, const jali_field *f, const jali_predicate *p)
{
    uint64_t in = 0;
    if (p->n == 0 || full(p)) return put_all_or_none(w, f, p->n > 0);
    if (f->kind == JALI_NUMBER) return put_ranges(w, f, p);
    for (size_t i = 0; i < p->n; i++) in += p->ranges[i].hi - p->ranges[i].lo + 1;
    return put_list(w, f, p, 2 * in > p->domain - 1 && p->domain > 3);
}

/* Does put_known write more than one comparison? */
static bool compound(const jali_field *f, const jali_predicate *p)
{
    if (f->kind != JALI_NUMBER) return p->n == 0 || full(p);
    return p->n > 1 && !hole(p) && !singles(p);
}

static jali_status put_null_test(writing *w, const jali_field *f, bool null)
{
    jali_sql_put_name(&w->text, f->name);
    jali_text_add(&w->text, null ? " IS NULL" : " IS NOT NULL");
    return JALI_OK;
}

/* Leaves whose NULL is true or false are joined with a test for NULL. */
static jali_status put_leaf(writing *w, const jali_predicate *p, bool inside)
{
    size_t i;
    JALI_TRY(jali_schema_find(w->schema, p->column, &i, w->err));
    const jali_field *f = &w->schema->fields[i];
    if (f->domain != p->domain)
        return jali_fail(w->err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "%s has %llu codes here and %llu in the condition: they are of "
                         "different schemas",
                         f->name, (unsigned long long)f->domain, (unsigned long long)p->domain);
    if (p->n == 0 && p->null == JALI_TRUE) return put_null_test(w, f, true);
    if ((p->domain < 2 || full(p)) && p->null == JALI_FALSE) return put_null_test(w, f, false);
    bool joined = p->null != JALI_UNKNOWN, many = compound(f, p);
    bool outer = inside && (joined || many), inner = joined && many;
    if (outer) jali_text_add(&w->text, "(");
    if (inner) jali_text_add(&w->text, "(");
    JALI_TRY(put_known(w, f, p));
    if (inner) jali_text_add(&w->text, ")");
    if (joined) jali_text_add(&w->text, p->null == JALI_TRUE ? " OR " : " AND ");
    if (joined) JALI_TRY(put_null_test(w, f, p->null == JALI_TRUE));
    if (outer) jali_text_add(&w->text, ")");
    return JALI_OK;
}

static jali_status put(writing *w, const jali_predicate *p, bool inside)
{
    static const char *const words[] = { "FALSE", "TRUE", "NULL" };
    if (p->kind == JALI_PREDICATE_CONSTANT) {
        jali_text_add(&w->text, words[p->null]);
        return JALI_OK;
    }
    if (p->kind == JALI_PREDICATE_LEAF) return put_leaf(w, p, inside);
    if (inside) jali_text_add(&w->text, "(");
    for (size_t i = 0; i < p->n; i++) {
        if (i > 0) jali_text_add(&w->text, p->kind == JALI_PREDICATE_AND ? " AND " : " OR ");
        JALI_TRY(put(w, p->child[i], true));
    }
    if (inside) jali_text_add(&w->text, ")");
    return JALI_OK;
}

jali_status jali_where_text(const jali_schema *schema, const jali_predicate *p,
                            jali_arena *arena, char **out, jali_err *err)
{
    writing w = { schema, arena, { 0 }, err };
    jali_status status = put(&w, p, false);
    if (status == JALI_OK) status = jali_text_status(&w.text, err);
    char *copy = status == JALI_OK ? jali_arena_text(arena, w.text.at) : NULL;
    if (status == JALI_OK && copy == NULL) status = jali_fail_memory(err);
    if (status == JALI_OK) *out = copy;
    jali_text_clear(&w.text);
    return status;
}
