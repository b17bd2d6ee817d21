/* explain/query/compare.c — a comparison of groups, read from a line of text.
 *
 * No claim: nothing here sees a row.
 *
 * Names of groups are people's own words and hold dashes, commas, brackets, even operators
 * ("<=50K"). So a name runs to the next operator that has spaces on both sides; if that is no
 * group, it is cut at operators without spaces until a part of it is one.
 */
#define _POSIX_C_SOURCE 200809L
#include "explain/query/compare.h"
#include "base/rat.h"
#include "base/text.h"
#include <ctype.h>
#include <strings.h>

struct reader {
    const jali_schema *schema;
    const jali_query *query;
    jali_arena *arena;
    jali_comparison *out;
    const char *text;
    size_t at;
    unsigned depth;
};

static jali_status read_sum(struct reader *r, const jali_node **out, jali_err *err);

static jali_status refuse_at(const struct reader *r, size_t at, jali_err *err,
                             const char *words)
{
    unsigned line, column;
    jali_text_place(r->text, at, &line, &column);
    return jali_fail_at(err, JALI_E_USAGE, JALI_FOR_ANALYST, line, column, "%s", words);
}

static void skip_spaces(struct reader *r)
{
    while (isspace((unsigned char)r->text[r->at])) r->at++;
}

static jali_status make(struct reader *r, jali_node from, const jali_node **out, jali_err *err)
{
    jali_node *node = jali_arena_take(r->arena, 1, sizeof *node);
    if (node == NULL) return jali_fail_memory(err);
    *node = from;
    *out = node;
    return JALI_OK;
}

/* ---- names and numbers -------------------------------------------------------------- */

static bool is_operator(char c)
{
    return c != '\0' && strchr("+-*/<>=", c) != NULL;
}

/* Where the name that starts at `from` ends if all operators have spaces around them. */
static size_t spaced_end(const struct reader *r, size_t from)
{
    const char *t = r->text;
    size_t i = from;
    for (; t[i] != '\0'; i++) {
        if (i == from || !is_operator(t[i]) || !isspace((unsigned char)t[i - 1])) continue;
        size_t after = i + 1 + (t[i + 1] == '=');
        if (isspace((unsigned char)t[after]) || t[after] == '"' || t[after] == '\'') break;
    }
    while (i > from && isspace((unsigned char)t[i - 1])) i--;
    return i;
}

static jali_status take_group(struct reader *r, const char *name, size_t n, size_t next,
                              const jali_node **out, jali_err *err)
{
    uint64_t part[JALI_QUERY_GROUPS] = { 0 };
    jali_comparison *c = r->out;
    size_t i = 0;
    bool found;
    *out = NULL;
    JALI_TRY(jali_group_find(r->schema, r->query, name, n, r->arena, part, &found, err));
    if (!found) return JALI_OK;
    while (i < c->n && memcmp(c->part[i], part, sizeof part) != 0) i++;
    if (i == JALI_COMPARE_GROUPS)
        return refuse_at(r, r->at, err, "a question compares at most 16 groups");
    if (i == c->n) {
        memcpy(c->part[i], part, sizeof part);
        c->name[i] = jali_group_name(r->schema, r->query, part, r->arena);
        if (c->name[i] == NULL) return jali_fail_memory(err);
        c->n++;
    }
    r->at = next;
    return make(r, (jali_node){ .kind = JALI_NODE_GROUP, .group = i }, out, err);
}

static jali_status take_number(struct reader *r, size_t end, const jali_node **out,
                               jali_err *err)
{
    mpq_t q;
    size_t from = r->at, n = end - from;
    *out = NULL;
    if (n == 0 || n > JALI_RAT_MAX_TEXT) return JALI_OK;
    const char *text = jali_arena_format(r->arena, "%.*s", (int)n, r->text + from);
    if (text == NULL) return jali_fail_memory(err);
    mpq_init(q);
    bool is = jali_rat_parse(q, text, "a number", NULL) == JALI_OK;
    double value = is ? mpq_get_d(q) : 0;
    mpq_clear(q);
    if (!is) return JALI_OK;
    r->at = end;
    return make(r, (jali_node){ .kind = JALI_NODE_NUMBER, .number = text, .value = value }, out,
                err);
}

static jali_status take_either(struct reader *r, size_t end, bool number_first,
                               const jali_node **out, jali_err *err)
{
    size_t from = r->at;
    *out = NULL;
    if (number_first) JALI_TRY(take_number(r, end, out, err));
    if (*out == NULL) JALI_TRY(take_group(r, r->text + from, end - from, end, out, err));
    if (*out == NULL && !number_first) JALI_TRY(take_number(r, end, out, err));
    return JALI_OK;
}

/* The name between quotes; a doubled quote stands for itself. */
static jali_status take_quoted(struct reader *r, const jali_node **out, jali_err *err)
{
    size_t from = r->at, i = from + 1, n = 0;
    char quote = r->text[from];
    char *name = jali_arena_take(r->arena, strlen(r->text + from) + 1, 1);
    if (name == NULL) return jali_fail_memory(err);
    for (; r->text[i] != '\0'; i++) {
        if (r->text[i] == quote && r->text[i + 1] != quote) break;
        if (r->text[i] == quote) i++;
        name[n++] = r->text[i];
    }
    if (r->text[i] == '\0') return refuse_at(r, from, err, "this quote is not closed");
    JALI_TRY(take_group(r, name, n, i + 1, out, err));
    if (*out != NULL) return JALI_OK;
    char words[400];
    jali_group_unknown(r->schema, r->query, name, n, r->arena, words, sizeof words);
    return refuse_at(r, from, err, words);
}

/* ---- factors, products, sums -------------------------------------------------------- */

static jali_status read_inside(struct reader *r, jali_node_kind kind, size_t skip,
                               const jali_node **out, jali_err *err)
{
    size_t from = r->at;
    if (++r->depth > JALI_COMPARE_DEPTH)
        return refuse_at(r, from, err, "these brackets are nested too deep");
    r->at += skip;
    JALI_TRY(read_sum(r, out, err));
    skip_spaces(r);
    if (r->text[r->at] != ')') return refuse_at(r, from, err, "this bracket is not closed");
    r->at++;
    r->depth--;
    if (kind == JALI_NODE_GROUP) return JALI_OK; /* plain brackets */
    return make(r, (jali_node){ .kind = kind, .left = *out }, out, err);
}

static jali_status read_factor(struct reader *r, bool in_product, const jali_node **out,
                               jali_err *err)
{
    skip_spaces(r);
    size_t from = r->at, end = spaced_end(r, from);
    const char *t = r->text;
    if (t[from] == '\0') return refuse_at(r, from, err, "a group or a number is missing here");
    if (t[from] == '"' || t[from] == '\'') return take_quoted(r, out, err);
    size_t next = end + strspn(t + end, " \t\r\n");
    bool number_first = in_product || t[next] == '*' || t[next] == '/';
    JALI_TRY(take_either(r, end, number_first, out, err));
    for (size_t i = from + 1; *out == NULL && i < end; i++)
        if (strchr(")*/+<>=", t[i]) != NULL)
            JALI_TRY(take_either(r, i, number_first || t[i] == '*' || t[i] == '/', out, err));
    if (*out != NULL) return JALI_OK;
    if (t[from] == '(') return read_inside(r, JALI_NODE_GROUP, 1, out, err);
    if (strncmp(t + from, "exp(", 4) == 0) return read_inside(r, JALI_NODE_EXP, 4, out, err);
    if (strncmp(t + from, "log(", 4) == 0) return read_inside(r, JALI_NODE_LOG, 4, out, err);
    char words[400];
    jali_group_unknown(r->schema, r->query, t + from, end - from, r->arena, words,
                       sizeof words);
    return refuse_at(r, from, err, words);
}

static jali_status read_product(struct reader *r, const jali_node **out, jali_err *err)
{
    JALI_TRY(read_factor(r, false, out, err));
    for (;;) {
        skip_spaces(r);
        char c = r->text[r->at];
        if (c != '*' && c != '/') return JALI_OK;
        const jali_node *left = *out, *right;
        r->at++;
        JALI_TRY(read_factor(r, true, &right, err));
        JALI_TRY(make(r,
                      (jali_node){ .kind = c == '*' ? JALI_NODE_TIMES : JALI_NODE_OVER,
                                   .left = left,
                                   .right = right },
                      out, err));
    }
}

static jali_status read_sum(struct reader *r, const jali_node **out, jali_err *err)
{
    JALI_TRY(read_product(r, out, err));
    for (;;) {
        skip_spaces(r);
        char c = r->text[r->at];
        if (c != '+' && c != '-') return JALI_OK;
        const jali_node *left = *out, *right;
        r->at++;
        JALI_TRY(read_product(r, &right, err));
        JALI_TRY(make(r,
                      (jali_node){ .kind = c == '+' ? JALI_NODE_ADD : JALI_NODE_SUBTRACT,
                                   .left = left,
                                   .right = right },
                      out, err));
    }
}

/* ---- the whole ------------------------------------------------------------------------ */

static jali_status read_question(struct reader *r, jali_err *err)
{
    const jali_node *left, *right;
    JALI_TRY(read_sum(r, &left, err));
    size_t at = r->at;
    char op = r->text[at];
    if (op != '>' && op != '<')
        return refuse_at(r, at, err,
                         op == '='    ? "a question has a larger side: write > or <"
                         : op == '\0' ? "a question compares: write > or < and what with"
                                      : "here should stand an operator: + - * / > < >= <=");
    r->out->or_equal = r->text[at + 1] == '=';
    r->at += 1 + r->out->or_equal;
    JALI_TRY(read_sum(r, &right, err));
    if (r->text[r->at] != '\0') return refuse_at(r, r->at, err, "the question should end here");
    jali_node less = { .kind = JALI_NODE_SUBTRACT,
                       .left = op == '>' ? left : right,
                       .right = op == '>' ? right : left };
    return make(r, less, &r->out->tree, err);
}

static jali_status check_text(const char *text, jali_err *err)
{
    size_t n = strlen(text);
    const char *why = n > JALI_COMPARE_BYTES                  ? "is too long"
                      : !jali_text_is_utf8(text, n)           ? "is not UTF-8 text"
                      : jali_text_commands(text)              ? "has a control character"
                      : text[strspn(text, " \t\r\n")] == '\0' ? "is empty"
                                                              : NULL;
    if (why == NULL) return JALI_OK;
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "the question %s; write it like \"a > b\"", why);
}

static jali_status find_aggregate(const jali_query *query, const char *of, jali_arena *arena,
                                  size_t *out, jali_err *err)
{
    const char *label[JALI_QUERY_AGGREGATES], *all = "";
    *out = 0;
    if (of == NULL && query->n_aggregates == 1) return JALI_OK;
    for (size_t i = 0; i < query->n_aggregates; i++) {
        label[i] = query->aggregate[i].label;
        if (of != NULL && strcasecmp(label[i], of) == 0) { /* SQL does not look at case */
            *out = i;
            return JALI_OK;
        }
        all = jali_arena_format(arena, "%s%s\"%.40s\"", all, i == 0 ? "" : ", ", label[i]);
        if (all == NULL) return jali_fail_memory(err);
    }
    if (of == NULL)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "the release has several numbers a group: say which by --of, one of "
                         "%.300s",
                         all);
    const char *near = jali_text_nearest(of, label, query->n_aggregates);
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "the release has no number \"%.60s\"; %s%.300s%s", of,
                     near != NULL ? "did you mean \"" : "it has ", near != NULL ? near : all,
                     near != NULL ? "\"?" : "");
}

jali_status jali_compare_parse(const jali_schema *schema, const jali_query *query,
                               const char *text, const char *of, jali_arena *arena,
                               jali_comparison *out, jali_err *err)
{
    jali_comparison c = { 0 };
    struct reader r = { .schema = schema, .query = query, .arena = arena, .out = &c };
    r.text = text;
    JALI_TRY(check_text(text, err));
    JALI_TRY(find_aggregate(query, of, arena, &c.aggregate, err));
    JALI_TRY(read_question(&r, err));
    JALI_TRY(jali_compare_linear(&c, schema, query, arena, err));
    if (c.words == NULL) c.words = jali_arena_text(arena, text);
    if (c.words == NULL) return jali_fail_memory(err);
    *out = c;
    return JALI_OK;
}
