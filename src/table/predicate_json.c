/* table/predicate_json.c — predicates as text, for plans, release files and fuzzers. */
#include "base/json.h"
#include "table/predicate.h"
#include <string.h>

static json_t *number(uint64_t x)
{
    /* jansson's integers are signed; a domain may use all 64 bits (hashes of persons). */
    char digits[24];
    if (x <= INT64_MAX) return json_integer((json_int_t)x);
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)x);
    return json_string(digits);
}

static const char *const truth_words[] = { "false", "true", "unknown" };

static json_t *constant(jali_truth t)
{
    return t == JALI_UNKNOWN ? json_null() : json_boolean(t == JALI_TRUE);
}

static json_t *range_list(const jali_predicate *p)
{
    json_t *list = json_array();
    for (size_t i = 0; list != NULL && i < p->n; i++) {
        jali_range r = p->ranges[i];
        json_t *one = number(r.lo);
        if (r.lo != r.hi) one = json_pack("[o,o]", one, number(r.hi));
        if (json_array_append_new(list, one) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static json_t *write_node(const jali_predicate *p)
{
    if (p->kind == JALI_PREDICATE_CONSTANT) return constant(p->null);
    if (p->kind == JALI_PREDICATE_LEAF)
        return json_pack("{s:s,s:o,s:o,s:s}", "column", p->column, "domain", number(p->domain),
                         "in", range_list(p), "null", truth_words[p->null]);
    json_t *list = json_array();
    for (size_t i = 0; list != NULL && i < p->n; i++)
        if (json_array_append_new(list, write_node(p->child[i])) != 0) {
            json_decref(list);
            return NULL;
        }
    return json_pack("{s:o}", p->kind == JALI_PREDICATE_AND ? "and" : "or", list);
}

jali_status jali_predicate_to_json(const jali_predicate *p, json_t **out, jali_err *err)
{
    json_t *value = write_node(p);
    if (value == NULL) return jali_fail_memory(err);
    *out = value;
    return JALI_OK;
}

jali_status jali_predicate_text(const jali_predicate *p, jali_arena *a, char **out,
                                jali_err *err)
{
    json_t *value = NULL;
    p = jali_predicate_canonical(a, p);
    if (p == NULL) return jali_fail_memory(err);
    JALI_TRY(jali_predicate_to_json(p, &value, err));
    jali_status status = jali_json_canonical(value, a, out, err);
    json_decref(value);
    return status;
}

/* ---- reading --------------------------------------------------------------------- */

typedef struct reading {
    jali_arena *arena;
    jali_err *err;
    size_t nodes;
} reading;

static jali_status refuse(const reading *r, const char *why)
{
    return jali_fail(r->err, JALI_E_USAGE, JALI_FOR_ANALYST, "this predicate %s", why);
}

static bool read_number(const json_t *value, uint64_t *out)
{
    if (json_is_integer(value) && json_integer_value(value) >= 0) {
        *out = (uint64_t)json_integer_value(value);
        return true;
    }
    const char *text = json_string_value(value);
    if (text == NULL || *text == '\0' || strlen(text) > 20) return false;
    uint64_t x = 0;
    for (; *text != '\0'; text++)
        if (*text < '0' || *text > '9' || __builtin_mul_overflow(x, 10u, &x) ||
            __builtin_add_overflow(x, (uint64_t)(*text - '0'), &x))
            return false;
    *out = x;
    return true;
}

static bool read_range(const json_t *value, jali_range *out)
{
    if (!json_is_array(value)) {
        bool good = read_number(value, &out->lo);
        out->hi = out->lo;
        return good;
    }
    return json_array_size(value) == 2 && read_number(json_array_get(value, 0), &out->lo) &&
           read_number(json_array_get(value, 1), &out->hi);
}

static bool read_truth(const json_t *value, jali_truth *out)
{
    const char *word = json_string_value(value);
    if (value == NULL) return true; /* left out: a comparison, unknown for NULL */
    for (int t = JALI_FALSE; word != NULL && t <= JALI_UNKNOWN; t++)
        if (strcmp(word, truth_words[t]) == 0) {
            *out = (jali_truth)t;
            return true;
        }
    return false;
}

static jali_status read_leaf(reading *r, const json_t *value, const jali_predicate **out)
{
    const char *column = json_string_value(json_object_get(value, "column"));
    const json_t *list = json_object_get(value, "in"), *null = json_object_get(value, "null");
    uint64_t domain = 0;
    jali_truth t = JALI_UNKNOWN;
    if (column == NULL || column[0] == '\0' || !json_is_array(list) ||
        !read_number(json_object_get(value, "domain"), &domain) || domain == 0)
        return refuse(r, "needs \"column\", \"domain\" (at least 1) and \"in\" (a list)");
    if (!read_truth(null, &t))
        return refuse(r, "has a \"null\" that is not true, false or unknown");
    if (json_object_size(value) != (null == NULL ? 3 : 4))
        return refuse(r, "has a member that means nothing here");
    size_t n = json_array_size(list);
    if (n > JALI_PREDICATE_RANGES)
        return refuse(r, "lists more ranges than 65,536: use a wider range");
    jali_range *ranges = jali_arena_take(r->arena, n + 1, sizeof *ranges);
    if (ranges == NULL) return jali_fail_memory(r->err);
    for (size_t i = 0; i < n; i++)
        if (!read_range(json_array_get(list, i), &ranges[i]))
            return refuse(r, "has a range that is neither a code nor a pair of codes");
    *out = jali_predicate_ranges(r->arena, column, domain, ranges, n, t);
    return *out == NULL ? jali_fail_memory(r->err) : JALI_OK;
}

static jali_status read_node(reading *r, const json_t *value, int depth,
                             const jali_predicate **out);

static jali_status read_inner(reading *r, const json_t *list, jali_predicate_kind kind,
                              int depth, const jali_predicate **out)
{
    size_t n = json_array_size(list);
    if (!json_is_array(list)) return refuse(r, "has an \"and\" or \"or\" that is not a list");
    const jali_predicate **child = jali_arena_take(r->arena, n + 1, sizeof(void *));
    if (child == NULL) return jali_fail_memory(r->err);
    for (size_t i = 0; i < n; i++)
        JALI_TRY(read_node(r, json_array_get(list, i), depth, &child[i]));
    *out = jali_predicate_join(r->arena, kind, child, n);
    return *out == NULL ? jali_fail_memory(r->err) : JALI_OK;
}

static jali_status read_not(reading *r, const json_t *value, int depth,
                            const jali_predicate **out)
{
    const jali_predicate *p = NULL;
    JALI_TRY(read_node(r, value, depth, &p));
    p = jali_predicate_not(r->arena, p);
    if (p == NULL) return jali_fail_memory(r->err);
    *out = p;
    return JALI_OK;
}

static jali_status read_node(reading *r, const json_t *value, int depth,
                             const jali_predicate **out)
{
    if (depth > JALI_PREDICATE_DEPTH) return refuse(r, "is nested deeper than 64 levels");
    if (++r->nodes > JALI_PREDICATE_NODES) return refuse(r, "has more than 65,536 parts");
    if (json_is_null(value) || json_is_boolean(value)) {
        jali_truth t = json_is_null(value)   ? JALI_UNKNOWN
                       : json_is_true(value) ? JALI_TRUE
                                             : JALI_FALSE;
        *out = jali_predicate_constant(r->arena, t);
        return *out == NULL ? jali_fail_memory(r->err) : JALI_OK;
    }
    if (!json_is_object(value))
        return refuse(r, "must be true, false, null or an object at every level");
    if (json_object_get(value, "column") != NULL) return read_leaf(r, value, out);
    if (json_object_size(value) != 1)
        return refuse(r, "has an object that is neither a leaf nor one of and, or, not");
    json_t *inner = json_object_get(value, "and");
    if (inner != NULL) return read_inner(r, inner, JALI_PREDICATE_AND, depth + 1, out);
    inner = json_object_get(value, "or");
    if (inner != NULL) return read_inner(r, inner, JALI_PREDICATE_OR, depth + 1, out);
    inner = json_object_get(value, "not");
    if (inner != NULL) return read_not(r, inner, depth + 1, out);
    return refuse(r, "has an object that is neither a leaf nor one of and, or, not");
}

jali_status jali_predicate_from_json(const json_t *value, jali_arena *a,
                                     const jali_predicate **out, jali_err *err)
{
    reading r = { a, err, 0 };
    const jali_predicate *p = NULL;
    JALI_TRY(read_node(&r, value, 0, &p));
    *out = p;
    return JALI_OK;
}
