/* table/where.c — a SQL condition over the words of a schema. */
#include "table/where.h"
#include "table/where_refuse.h"

typedef struct reading {
    const jali_schema *schema;
    const jali_sql *sql;
    jali_arena *arena;
    jali_err *err;
} reading;

typedef const jali_predicate *predicate;

static jali_status convert(const reading *r, const json_t *node, unsigned depth,
                           predicate *out);

/* Constructors say NULL when memory ends or a limit is passed; a text of JALI_SQL_BYTES is
 * too short to pass one. */
static jali_status made(const reading *r, predicate p, predicate *out)
{
    if (p == NULL) return jali_fail_memory(r->err);
    *out = p;
    return JALI_OK;
}

/* ---- columns --------------------------------------------------------------------- */

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same_letters(const char *a, const char *b)
{
    while (*a != '\0' && lower(*a) == lower(*b)) a++, b++;
    return *a == *b;
}

/* Unquoted names come in small letters; a schema's name may have capitals. */
static const char *as_declared(const jali_schema *schema, const char *name)
{
    const char *only = NULL;
    for (size_t i = 0; i < schema->n; i++) {
        const jali_field *f = &schema->fields[i];
        if (!f->used || !same_letters(f->name, name)) continue;
        if (strcmp(f->name, name) == 0) return f->name;
        if (only != NULL) return name; /* two could be meant: neither is */
        only = f->name;
    }
    return only == NULL ? name : only;
}

jali_status jali_where_column(const jali_schema *schema, const jali_sql *sql,
                              const json_t *node, size_t *out, jali_err *err)
{
    const json_t *body = NULL, *name = NULL;
    jali_sql_kind(node, &body);
    const json_t *fields = json_object_get(body, "fields");
    if (json_array_size(fields) != 1)
        return jali_sql_refuse(sql, node, err,
                               "a name with a point names a table or a schema: there is one "
                               "table, so write the column's name alone");
    if (!jali_sql_is(json_array_get(fields, 0), "String", &name))
        return jali_sql_refuse(sql, node, err, "* is not a column: name one");
    const char *word = json_string_value(json_object_get(name, "sval"));
    word = as_declared(schema, word == NULL ? "" : word);
    return jali_sql_placed(sql, node, jali_schema_find(schema, word, out, err), err);
}

static jali_status column_of(const reading *r, const json_t *node, const jali_field **out)
{
    size_t i;
    JALI_TRY(jali_where_column(r->schema, r->sql, node, &i, r->err));
    *out = &r->schema->fields[i];
    return JALI_OK;
}

static jali_status truth_of_column(const reading *r, const json_t *node, const jali_field *f,
                                   bool value, predicate *out)
{
    if (f->type != JALI_BOOLEAN)
        return jali_sql_refuse(r->sql, node, r->err,
                               "%s is not true or false by itself: compare it with a constant",
                               f->name);
    return made(r, jali_predicate_range(r->arena, f->name, f->domain, value, value), out);
}

/* ---- comparisons ----------------------------------------------------------------- */

typedef enum op { EQ, NE, LT, LE, GT, GE, NO_OP } op;

static op op_named(const char *name)
{
    static const char *const names[] = { "=", "<>", "<", "<=", ">", ">=" };
    for (unsigned i = 0; i < NO_OP; i++)
        if (strcmp(names[i], name) == 0) return (op)i;
    return NO_OP;
}

static op flipped(op o)
{
    static const op other[] = { EQ, NE, GT, GE, LT, LE };
    return other[o];
}

/* The codes for which `field o constant` is true; the caller turns = into <>. TRUE is the
 * code 1 of a boolean, whatever its file calls it. */
static jali_status codes(const reading *r, const jali_field *f, op o, const json_t *node,
                         const jali_sql_constant *c, uint64_t *from, uint64_t *to)
{
    static const jali_compare as[] = { JALI_EQ, JALI_EQ, JALI_LT, JALI_LE, JALI_GT, JALI_GE };
    bool truth = c->type == JALI_SQL_TRUE || c->type == JALI_SQL_FALSE;
    if (truth && f->type == JALI_BOOLEAN && as[o] == JALI_EQ) {
        *from = *to = c->type == JALI_SQL_TRUE;
        return JALI_OK;
    }
    jali_status status = jali_field_range(f, as[o], c->text, from, to, r->err);
    return jali_sql_placed(r->sql, node, status, r->err);
}

static jali_status constant_of(const reading *r, const json_t *node, jali_sql_constant *out)
{
    if (!jali_sql_is_constant(node)) return jali_where_refuse(r->sql, node, r->err);
    return jali_sql_read_constant(r->sql, node, r->arena, out, r->err);
}

static jali_status compare(const reading *r, const jali_field *f, op o, const json_t *constant,
                           predicate *out)
{
    jali_sql_constant c;
    uint64_t from, to;
    JALI_TRY(constant_of(r, constant, &c));
    if (c.type == JALI_SQL_NULL)
        return made(r, jali_predicate_constant(r->arena, JALI_UNKNOWN), out);
    JALI_TRY(codes(r, f, o, constant, &c, &from, &to));
    predicate p = jali_predicate_range(r->arena, f->name, f->domain, from, to);
    return made(r, o == NE ? jali_predicate_not(r->arena, p) : p, out);
}

static jali_status convert_compare(const reading *r, const json_t *node, const json_t *body,
                                   const char *name, predicate *out)
{
    const json_t *left = json_object_get(body, "lexpr"),
                 *right = json_object_get(body, "rexpr");
    op o = op_named(name);
    const jali_field *f;
    if (o == NO_OP || left == NULL)
        return jali_where_refuse_operator(r->sql, node, "AEXPR_OP", name, r->err);
    bool column_first = jali_sql_is(left, "ColumnRef", NULL);
    if (!column_first && !jali_sql_is(right, "ColumnRef", NULL))
        return jali_where_refuse(r->sql, jali_sql_is_constant(left) ? right : left, r->err);
    JALI_TRY(column_of(r, column_first ? left : right, &f));
    return compare(r, f, column_first ? o : flipped(o), column_first ? right : left, out);
}

static jali_status column_on_the_left(const reading *r, const json_t *body,
                                      const jali_field **out)
{
    const json_t *left = json_object_get(body, "lexpr");
    if (jali_sql_is(left, "ColumnRef", NULL)) return column_of(r, left, out);
    return jali_where_refuse(r->sql, left, r->err);
}

static const json_t *items_of(const json_t *body)
{
    const json_t *list = NULL;
    jali_sql_is(json_object_get(body, "rexpr"), "List", &list);
    return json_object_get(list, "items");
}

/* x IN (1, NULL) is x = 1 OR unknown. */
static jali_status convert_in(const reading *r, const json_t *body, bool negated,
                              predicate *out)
{
    const jali_field *f;
    const json_t *items = items_of(body);
    json_t *item;
    size_t i, n = 0;
    bool unknown = false;
    JALI_TRY(column_on_the_left(r, body, &f));
    uint64_t *code = jali_arena_take(r->arena, json_array_size(items) + 1, sizeof *code);
    if (code == NULL) return jali_fail_memory(r->err);
    json_array_foreach(items, i, item)
    {
        jali_sql_constant c;
        uint64_t from, to;
        JALI_TRY(constant_of(r, item, &c));
        unknown = unknown || c.type == JALI_SQL_NULL;
        if (c.type == JALI_SQL_NULL) continue;
        JALI_TRY(codes(r, f, EQ, item, &c, &from, &to));
        if (from <= to) code[n++] = from;
    }
    predicate p = jali_predicate_in(r->arena, f->name, f->domain, code, n);
    if (unknown)
        p = jali_predicate_or(r->arena, p, jali_predicate_constant(r->arena, JALI_UNKNOWN));
    return made(r, negated ? jali_predicate_not(r->arena, p) : p, out);
}

static jali_status convert_between(const reading *r, const json_t *body, bool negated,
                                   predicate *out)
{
    const jali_field *f;
    const json_t *items = items_of(body);
    predicate low, high;
    JALI_TRY(column_on_the_left(r, body, &f));
    JALI_TRY(compare(r, f, GE, json_array_get(items, 0), &low));
    JALI_TRY(compare(r, f, LE, json_array_get(items, 1), &high));
    predicate p = jali_predicate_and(r->arena, low, high);
    return made(r, negated ? jali_predicate_not(r->arena, p) : p, out);
}

static jali_status convert_expression(const reading *r, const json_t *node, const json_t *body,
                                      predicate *out)
{
    const json_t *name = NULL;
    const char *kind = json_string_value(json_object_get(body, "kind"));
    jali_sql_is(json_array_get(json_object_get(body, "name"), 0), "String", &name);
    const char *word = json_string_value(json_object_get(name, "sval"));
    if (kind == NULL || word == NULL) return jali_where_refuse(r->sql, node, r->err);
    bool list = items_of(body) != NULL;
    if (strcmp(kind, "AEXPR_OP") == 0) return convert_compare(r, node, body, word, out);
    if (strcmp(kind, "AEXPR_IN") == 0 && list)
        return convert_in(r, body, strcmp(word, "<>") == 0, out);
    if (strcmp(kind, "AEXPR_BETWEEN") == 0 && list) return convert_between(r, body, false, out);
    if (strcmp(kind, "AEXPR_NOT_BETWEEN") == 0 && list)
        return convert_between(r, body, true, out);
    return jali_where_refuse_operator(r->sql, node, kind, word, r->err);
}

/* ---- the rest -------------------------------------------------------------------- */

static jali_status convert_null_test(const reading *r, const json_t *body, predicate *out)
{
    const char *kind = json_string_value(json_object_get(body, "nulltesttype"));
    const json_t *arg = json_object_get(body, "arg");
    const jali_field *f;
    if (!jali_sql_is(arg, "ColumnRef", NULL)) {
        if (jali_sql_is_constant(arg)) return jali_where_refuse(r->sql, arg, r->err);
        return jali_sql_refuse(r->sql, body, r->err,
                               "only a column can be asked IS NULL: name it before IS");
    }
    JALI_TRY(column_of(r, arg, &f));
    predicate p = jali_predicate_is_null(r->arena, f->name, f->domain);
    bool negated = kind != NULL && strcmp(kind, "IS_NOT_NULL") == 0;
    return made(r, negated ? jali_predicate_not(r->arena, p) : p, out);
}

/* IS TRUE is never unknown: NULL IS TRUE is false, NULL IS NOT TRUE is true. */
static jali_status convert_boolean_test(const reading *r, const json_t *body, predicate *out)
{
    static const struct {
        const char *kind;
        bool value, negated;
    } tests[] = { { "IS_TRUE", true, false },
                  { "IS_NOT_TRUE", true, true },
                  { "IS_FALSE", false, false },
                  { "IS_NOT_FALSE", false, true } };
    const char *kind = json_string_value(json_object_get(body, "booltesttype"));
    const json_t *arg = json_object_get(body, "arg");
    const jali_field *f;
    predicate is;
    if (!jali_sql_is(arg, "ColumnRef", NULL))
        return jali_sql_refuse(r->sql, body, r->err,
                               "only a column can be asked IS TRUE or IS FALSE: leave it out, "
                               "or write NOT before the condition");
    JALI_TRY(column_of(r, arg, &f));
    JALI_TRY(truth_of_column(r, arg, f, true, &is));
    predicate null = jali_predicate_is_null(r->arena, f->name, f->domain);
    predicate known = jali_predicate_not(r->arena, null);
    for (size_t i = 0; kind != NULL && i < sizeof tests / sizeof *tests; i++) {
        if (strcmp(tests[i].kind, kind) != 0) continue;
        JALI_TRY(truth_of_column(r, arg, f, tests[i].value, &is));
        predicate p = jali_predicate_and(r->arena, is, known);
        return made(r, tests[i].negated ? jali_predicate_not(r->arena, p) : p, out);
    }
    if (kind != NULL && strcmp(kind, "IS_UNKNOWN") == 0) return made(r, null, out);
    return made(r, known, out);
}

static jali_status convert_logic(const reading *r, const json_t *node, const json_t *body,
                                 unsigned depth, predicate *out)
{
    const char *word = json_string_value(json_object_get(body, "boolop"));
    const json_t *args = json_object_get(body, "args");
    json_t *arg;
    size_t i;
    predicate all = NULL, one;
    if (word == NULL || json_array_size(args) == 0)
        return jali_where_refuse(r->sql, node, r->err);
    json_array_foreach(args, i, arg)
    {
        JALI_TRY(convert(r, arg, depth + 1, &one));
        if (i == 0)
            all = one;
        else if (strcmp(word, "AND_EXPR") == 0)
            all = jali_predicate_and(r->arena, all, one);
        else
            all = jali_predicate_or(r->arena, all, one);
    }
    if (strcmp(word, "NOT_EXPR") == 0) all = jali_predicate_not(r->arena, all);
    return made(r, all, out);
}

static jali_status convert_constant(const reading *r, const json_t *node, predicate *out)
{
    static const jali_truth truth[] = { [JALI_SQL_NULL] = JALI_UNKNOWN,
                                        [JALI_SQL_TRUE] = JALI_TRUE,
                                        [JALI_SQL_FALSE] = JALI_FALSE };
    jali_sql_constant c;
    JALI_TRY(jali_sql_read_constant(r->sql, node, r->arena, &c, r->err));
    if (c.type == JALI_SQL_NUMBER || c.type == JALI_SQL_TEXT)
        return jali_sql_refuse(r->sql, node, r->err,
                               "a number or text is not a condition: compare a column with it");
    return made(r, jali_predicate_constant(r->arena, truth[c.type]), out);
}

static jali_status convert_column(const reading *r, const json_t *node, predicate *out)
{
    const jali_field *f;
    JALI_TRY(column_of(r, node, &f));
    return truth_of_column(r, node, f, true, out);
}

static jali_status convert(const reading *r, const json_t *node, unsigned depth, predicate *out)
{
    const json_t *body = NULL;
    const char *kind = jali_sql_kind(node, &body);
    if (depth > JALI_PREDICATE_DEPTH)
        return jali_sql_refuse(r->sql, node, r->err,
                               "the condition is nested more than %d deep: say it more simply",
                               JALI_PREDICATE_DEPTH);
    if (kind == NULL) return jali_where_refuse(r->sql, node, r->err);
    if (strcmp(kind, "A_Expr") == 0) return convert_expression(r, node, body, out);
    if (strcmp(kind, "BoolExpr") == 0) return convert_logic(r, node, body, depth, out);
    if (strcmp(kind, "NullTest") == 0) return convert_null_test(r, body, out);
    if (strcmp(kind, "BooleanTest") == 0) return convert_boolean_test(r, body, out);
    if (strcmp(kind, "ColumnRef") == 0) return convert_column(r, node, out);
    if (strcmp(kind, "A_Const") == 0) return convert_constant(r, node, out);
    return jali_where_refuse(r->sql, node, r->err);
}

jali_status jali_where_tree(const jali_schema *schema, const jali_sql *sql,
                            const json_t *clause, jali_arena *arena, const jali_predicate **out,
                            jali_err *err)
{
    reading r = { schema, sql, arena, err };
    predicate p;
    JALI_TRY(convert(&r, clause, 0, &p));
    return made(&r, jali_predicate_canonical(arena, p), out);
}

/* Only the WHERE clause may have come from the text. */
static jali_status nothing_but_where(const jali_sql *sql, const json_t **clause, jali_err *err)
{
    static const char *const ours[] = { "targetList", "whereClause", "limitOption", "op" };
    const char *key;
    json_t *member;
    json_object_foreach((json_t *)(uintptr_t)sql->select, key, member)
    {
        bool known = false;
        for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
            known = known || strcmp(ours[i], key) == 0;
        if (!known)
            return jali_sql_refuse(sql, member, err,
                                   "a condition ends before GROUP BY, ORDER BY, LIMIT, UNION "
                                   "and the like: write only what stands after WHERE");
    }
    *clause = json_object_get(sql->select, "whereClause");
    return JALI_OK;
}

jali_status jali_where_parse(const jali_schema *schema, const char *text, jali_arena *arena,
                             const jali_predicate **out, jali_err *err)
{
    jali_sql sql;
    const json_t *clause = NULL;
    JALI_TRY(jali_sql_parse(&sql, "SELECT 1 WHERE ", text, "the condition", err));
    jali_status status = nothing_but_where(&sql, &clause, err);
    if (status == JALI_OK) status = jali_where_tree(schema, &sql, clause, arena, out, err);
    jali_sql_clear(&sql);
    return status;
}
