/* table/sql.c — SQL text as PostgreSQL's own parser reads it, with places kept. */
#include "table/sql.h"
#include "base/text.h"
#include <pg_query.h>
#include <stdarg.h>

/* ---- places ---------------------------------------------------------------------- */

const char *jali_sql_kind(const json_t *node, const json_t **body)
{
    void *member = json_is_object(node) ? json_object_iter((json_t *)(uintptr_t)node) : NULL;
    if (member == NULL || json_object_size(node) != 1) return NULL;
    if (body != NULL) *body = json_object_iter_value(member);
    return json_object_iter_key(member);
}

bool jali_sql_is(const json_t *node, const char *kind, const json_t **body)
{
    const char *its = jali_sql_kind(node, body);
    return its != NULL && strcmp(its, kind) == 0;
}

/* The offset of a node in what was parsed: its own, or the first one below it. -1: none. */
static json_int_t location(const json_t *node, int depth)
{
    const char *key;
    json_t *member;
    size_t i;
    json_int_t at = -1;
    if (depth > 64) return -1;
    const json_t *own = json_object_get(node, "location");
    if (json_is_integer(own) && json_integer_value(own) >= 0) return json_integer_value(own);
    if (json_is_object(node)) {
        json_object_foreach((json_t *)(uintptr_t)node, key, member)
        {
            at = location(member, depth + 1);
            if (at >= 0) return at;
        }
    }
    json_array_foreach(node, i, member)
    {
        at = location(member, depth + 1);
        if (at >= 0) return at;
    }
    return -1;
}

static void place(const jali_sql *sql, const json_t *node, unsigned *line, unsigned *column)
{
    json_int_t at = location(node, 0);
    size_t offset = at < (json_int_t)sql->before ? 0 : (size_t)at - sql->before;
    jali_text_place(sql->text, offset, line, column);
}

jali_status jali_sql_refuse(const jali_sql *sql, const json_t *node, jali_err *err,
                            const char *fmt, ...)
{
    char words[sizeof err->text];
    unsigned line, column;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(words, sizeof words, fmt, ap);
    va_end(ap);
    place(sql, node, &line, &column);
    return jali_fail_at(err, JALI_E_USAGE, JALI_FOR_ANALYST, line, column, "%s", words);
}

jali_status jali_sql_placed(const jali_sql *sql, const json_t *node, jali_status status,
                            jali_err *err)
{
    if (status != JALI_OK && err != NULL) place(sql, node, &err->line, &err->column);
    return status;
}

/* ---- parsing --------------------------------------------------------------------- */

/* PostgreSQL counts characters from 1 in what was parsed; `before` is ASCII. */
static jali_status syntax_error(const jali_sql *sql, const PgQueryError *why, const char *what,
                                jali_err *err)
{
    size_t skip =
        why->cursorpos > (int)sql->before ? (size_t)why->cursorpos - 1 - sql->before : 0;
    size_t at = 0;
    unsigned line, column;
    for (; sql->text[at] != '\0'; at++) {
        bool starts = ((unsigned char)sql->text[at] & 0xc0) != 0x80;
        if (starts && skip-- == 0) break;
    }
    jali_text_place(sql->text, at, &line, &column);
    return jali_fail_at(err, JALI_E_USAGE, JALI_FOR_ANALYST, line, column,
                        "%s cannot be read: %.200s", what, why->message);
}

static jali_status check_text(const char *text, const char *what, jali_err *err)
{
    size_t n = strlen(text);
    if (n > JALI_SQL_BYTES)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "%s has %zu bytes, more than %d: say it shorter", what, n,
                         JALI_SQL_BYTES);
    if (!jali_text_is_utf8(text, n))
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST, "%s is not UTF-8 text", what);
    if (jali_text_commands(text))
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "%s has a control character; write it without", what);
    if (text[strspn(text, " \t\r\n;")] == '\0')
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "%s is empty: write it, or leave it out", what);
    return JALI_OK;
}

static jali_status one_select(jali_sql *sql, const char *what, jali_err *err)
{
    const json_t *stmts = json_object_get(sql->tree, "stmts");
    const json_t *first = json_array_get(stmts, 0), *second = json_array_get(stmts, 1);
    if (second != NULL) {
        json_int_t at = json_integer_value(json_object_get(second, "stmt_location"));
        size_t offset = at < (json_int_t)sql->before ? 0 : (size_t)at - sql->before;
        unsigned line, column;
        jali_text_place(sql->text, offset, &line, &column);
        return jali_fail_at(err, JALI_E_USAGE, JALI_FOR_ANALYST, line, column,
                            "%s goes on after its semicolon: ask one thing at a time", what);
    }
    if (!jali_sql_is(json_object_get(first, "stmt"), "SelectStmt", &sql->select))
        return jali_fail_at(err, JALI_E_USAGE, JALI_FOR_ANALYST, 1, 1,
                            "%s is not a SELECT: nothing else can be asked", what);
    return JALI_OK;
}

static jali_status read_tree(jali_sql *sql, const char *whole, const char *what, jali_err *err)
{
    PgQueryParseResult result = pg_query_parse(whole);
    jali_status status = JALI_OK;
    if (result.error != NULL)
        status = syntax_error(sql, result.error, what, err);
    else if ((sql->tree = json_loads(result.parse_tree, 0, NULL)) == NULL)
        /* jansson stops at 2,048 levels, long after anything that makes sense. */
        status = jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                           "%s is nested too deeply: say it more simply", what);
    pg_query_free_parse_result(result);
    return status;
}

jali_status jali_sql_parse(jali_sql *out, const char *before, const char *text,
                           const char *what, jali_err *err)
{
    char whole[64 + JALI_SQL_BYTES + 1];
    jali_sql sql = { .text = text, .before = strlen(before) };
    if (sql.before > 64)
        return jali_fail(err, JALI_E_INTERNAL, JALI_FOR_ANALYST,
                         "what is put before %s is too long", what);
    JALI_TRY(check_text(text, what, err));
    snprintf(whole, sizeof whole, "%s%s", before, text);
    jali_status status = read_tree(&sql, whole, what, err);
    if (status == JALI_OK) status = one_select(&sql, what, err);
    if (status == JALI_OK)
        *out = sql;
    else
        json_decref(sql.tree);
    return status;
}

void jali_sql_clear(jali_sql *sql)
{
    json_decref(sql->tree);
    *sql = (jali_sql){ 0 };
}
