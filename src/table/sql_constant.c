/* table/sql_constant.c — literals of a parsed SQL text, and how to write them again. */
#include "base/text.h"
#include "table/sql.h"

/* DATE '2024-12-31' is a cast in the tree; it is the one way SQL has to write a date. */
static const json_t *date_literal(const json_t *node)
{
    const json_t *cast, *literal;
    if (!jali_sql_is(node, "TypeCast", &cast)) return NULL;
    const json_t *names = json_object_get(json_object_get(cast, "typeName"), "names");
    const json_t *name;
    if (json_array_size(names) != 1 || !jali_sql_is(json_array_get(names, 0), "String", &name))
        return NULL;
    const char *word = json_string_value(json_object_get(name, "sval"));
    if (word == NULL || strcmp(word, "date") != 0) return NULL;
    const json_t *arg = json_object_get(cast, "arg");
    if (!jali_sql_is(arg, "A_Const", &literal)) return NULL;
    return json_object_get(literal, "sval") != NULL ? arg : NULL;
}

bool jali_sql_is_constant(const json_t *node)
{
    return jali_sql_is(node, "A_Const", NULL) || date_literal(node) != NULL;
}

/* libpg_query 15 prints an integer only if it is above 0: -3 and 0 are both {}. So the sign
 * and the digits are read where they stand. What is printed must agree. */
static jali_status whole_number(const jali_sql *sql, const json_t *node, const json_t *ival,
                                jali_arena *arena, const char **out, jali_err *err)
{
    const json_t *body, *printed = json_object_get(ival, "ival");
    jali_sql_kind(node, &body);
    json_int_t at = json_integer_value(json_object_get(body, "location"));
    bool minus = false;
    if (json_is_integer(printed) && json_integer_value(printed) > 0) {
        *out = jali_arena_format(arena, "%lld", (long long)json_integer_value(printed));
        return *out == NULL ? jali_fail_memory(err) : JALI_OK;
    }
    const char *p = sql->text;
    if (at >= (json_int_t)sql->before && (size_t)at - sql->before <= strlen(sql->text))
        p += (size_t)at - sql->before;
    for (; *p == '-' || strchr(" \t\r\n", *p) != NULL; p++) {
        if (*p == '\0') break;
        minus ^= *p == '-';
    }
    size_t digits = strspn(p, "0123456789");
    bool zero = strspn(p, "0") == digits;
    if (digits == 0 || (!minus && !zero))
        return jali_sql_refuse(sql, node, err,
                               "this number cannot be read: write it plainly, as in -3");
    *out = jali_arena_format(arena, "%s%.*s", minus && !zero ? "-" : "", (int)digits, p);
    return *out == NULL ? jali_fail_memory(err) : JALI_OK;
}

/* The inner text of {"fval":{"fval":"2.5"}}; "" is printed as an empty object by some. */
static jali_status inner_text(const json_t *member, const char *key, jali_arena *arena,
                              const char **out, jali_err *err)
{
    const char *text = json_string_value(json_object_get(member, key));
    *out = jali_arena_text(arena, text == NULL ? "" : text);
    return *out == NULL ? jali_fail_memory(err) : JALI_OK;
}

static jali_status read_literal(const jali_sql *sql, const json_t *node, jali_arena *arena,
                                jali_sql_constant *out, jali_err *err)
{
    const json_t *body = NULL, *member;
    jali_sql_kind(node, &body);
    jali_sql_constant c = { JALI_SQL_NULL, "" };
    if ((member = json_object_get(body, "ival")) != NULL) {
        c.type = JALI_SQL_NUMBER;
        JALI_TRY(whole_number(sql, node, member, arena, &c.text, err));
    } else if ((member = json_object_get(body, "fval")) != NULL) {
        c.type = JALI_SQL_NUMBER;
        JALI_TRY(inner_text(member, "fval", arena, &c.text, err));
    } else if ((member = json_object_get(body, "sval")) != NULL) {
        c.type = JALI_SQL_TEXT;
        JALI_TRY(inner_text(member, "sval", arena, &c.text, err));
    } else if ((member = json_object_get(body, "boolval")) != NULL) {
        bool yes = json_is_true(json_object_get(member, "boolval"));
        c = yes ? (jali_sql_constant){ JALI_SQL_TRUE, "true" }
                : (jali_sql_constant){ JALI_SQL_FALSE, "false" };
    } else if (!json_is_true(json_object_get(body, "isnull"))) {
        return jali_sql_refuse(sql, node, err,
                               "this kind of constant is not known here: write a number or a "
                               "text in single quotes");
    }
    *out = c;
    return JALI_OK;
}

jali_status jali_sql_read_constant(const jali_sql *sql, const json_t *node, jali_arena *arena,
                                   jali_sql_constant *out, jali_err *err)
{
    const json_t *date = date_literal(node);
    return read_literal(sql, date != NULL ? date : node, arena, out, err);
}

/* ---- writing --------------------------------------------------------------------- */

/* Words that PostgreSQL does not take as a bare column name. */
static const char *const reserved[] = { "all",
                                        "analyse",
                                        "analyze",
                                        "and",
                                        "any",
                                        "array",
                                        "as",
                                        "asc",
                                        "asymmetric",
                                        "authorization",
                                        "between",
                                        "bigint",
                                        "binary",
                                        "bit",
                                        "boolean",
                                        "both",
                                        "case",
                                        "cast",
                                        "char",
                                        "character",
                                        "check",
                                        "coalesce",
                                        "collate",
                                        "collation",
                                        "column",
                                        "concurrently",
                                        "constraint",
                                        "create",
                                        "cross",
                                        "current_catalog",
                                        "current_date",
                                        "current_role",
                                        "current_schema",
                                        "current_time",
                                        "current_timestamp",
                                        "current_user",
                                        "dec",
                                        "decimal",
                                        "default",
                                        "deferrable",
                                        "desc",
                                        "distinct",
                                        "do",
                                        "else",
                                        "end",
                                        "except",
                                        "exists",
                                        "extract",
                                        "false",
                                        "fetch",
                                        "float",
                                        "for",
                                        "foreign",
                                        "freeze",
                                        "from",
                                        "full",
                                        "grant",
                                        "greatest",
                                        "group",
                                        "grouping",
                                        "having",
                                        "ilike",
                                        "in",
                                        "initially",
                                        "inner",
                                        "inout",
                                        "int",
                                        "integer",
                                        "intersect",
                                        "interval",
                                        "into",
                                        "is",
                                        "isnull",
                                        "join",
                                        "lateral",
                                        "leading",
                                        "least",
                                        "left",
                                        "like",
                                        "limit",
                                        "localtime",
                                        "localtimestamp",
                                        "national",
                                        "natural",
                                        "nchar",
                                        "none",
                                        "normalize",
                                        "not",
                                        "notnull",
                                        "null",
                                        "nullif",
                                        "numeric",
                                        "offset",
                                        "on",
                                        "only",
                                        "or",
                                        "order",
                                        "out",
                                        "outer",
                                        "overlaps",
                                        "overlay",
                                        "placing",
                                        "position",
                                        "precision",
                                        "primary",
                                        "real",
                                        "references",
                                        "returning",
                                        "right",
                                        "row",
                                        "select",
                                        "session_user",
                                        "setof",
                                        "similar",
                                        "smallint",
                                        "some",
                                        "substring",
                                        "symmetric",
                                        "table",
                                        "tablesample",
                                        "then",
                                        "time",
                                        "timestamp",
                                        "to",
                                        "trailing",
                                        "treat",
                                        "trim",
                                        "true",
                                        "union",
                                        "unique",
                                        "user",
                                        "using",
                                        "values",
                                        "varchar",
                                        "variadic",
                                        "verbose",
                                        "when",
                                        "where",
                                        "window",
                                        "with",
                                        "xmlattributes",
                                        "xmlconcat",
                                        "xmlelement",
                                        "xmlexists",
                                        "xmlforest",
                                        "xmlnamespaces",
                                        "xmlparse",
                                        "xmlpi",
                                        "xmlroot",
                                        "xmlserialize",
                                        "xmltable" };

static bool plain(const char *name)
{
    static const char *const letters = "abcdefghijklmnopqrstuvwxyz_";
    if (*name == '\0' || strchr(letters, *name) == NULL) return false;
    if (name[strspn(name, "abcdefghijklmnopqrstuvwxyz_0123456789")] != '\0') return false;
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(reserved[i], name) == 0) return false;
    return true;
}

static void put_quoted(jali_text *to, const char *text, char quote)
{
    jali_text_add_n(to, &quote, 1);
    for (; *text != '\0'; text++) {
        if (*text == quote) jali_text_add_n(to, &quote, 1);
        jali_text_add_n(to, text, 1);
    }
    jali_text_add_n(to, &quote, 1);
}

void jali_sql_put_name(jali_text *to, const char *name)
{
    if (plain(name))
        jali_text_add(to, name);
    else
        put_quoted(to, name, '"');
}

void jali_sql_put_text(jali_text *to, const char *text)
{
    put_quoted(to, text, '\'');
}
