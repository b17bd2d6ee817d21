/* explain/query/parse.c — from PostgreSQL's parse tree to a typed plan.
 *
 * No claim: nothing here sees a row. A whitelist: the nodes below are taken, all others
 * are refused at their place.
 */
#include "base/text.h"
#include "explain/query/query.h"
#include "table/sql.h"
#include "table/where.h"

struct reader {
    const jali_schema *schema;
    const jali_sql *sql;
    jali_arena *arena;
    jali_query *query;
};

/* Parts of a SELECT that mean a question we do not answer, and what to write instead. */
static const struct {
    const char *part, *words;
} refused[] = {
    { "distinctClause", "DISTINCT is not answered; name the groups in GROUP BY instead" },
    { "intoClause", "SELECT INTO writes; ask a plain SELECT" },
    { "havingClause", "HAVING would hide groups by their true values; all groups are "
                      "answered, look at those you want" },
    { "windowClause", "window functions are not answered; use GROUP BY" },
    { "withClause", "WITH is not answered; write the condition in WHERE" },
    { "valuesLists", "VALUES is not a question about the table" },
    { "sortClause", "ORDER BY is not needed: every group is answered, sort what you get" },
    { "limitCount", "LIMIT would hide groups; all groups are answered" },
    { "limitOffset", "OFFSET would hide groups; all groups are answered" },
    { "lockingClause", "a question takes no locks" },
    { "larg", "UNION, INTERSECT and EXCEPT are not answered; ask twice" },
};

/* A clause has no place of its own; its first node does. */
static const json_t *first_node(const json_t *clause)
{
    return json_is_array(clause) && json_array_size(clause) > 0 ? json_array_get(clause, 0)
                                                                : clause;
}

static jali_status refuse_parts(const struct reader *r, jali_err *err)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const json_t *part = json_object_get(r->sql->select, refused[i].part);
        if (part != NULL)
            return jali_sql_refuse(r->sql, first_node(part), err, "%s", refused[i].words);
    }
    return JALI_OK;
}

static jali_status read_from(const struct reader *r, jali_err *err)
{
    const json_t *from = json_object_get(r->sql->select, "fromClause"), *body;
    if (json_array_size(from) == 0)
        return jali_fail_at(err, JALI_E_USAGE, JALI_FOR_ANALYST, 1, 1,
                            "the question names no table: SELECT ... FROM %s",
                            r->schema->name == NULL ? "TABLE" : r->schema->name);
    const json_t *item = json_array_get(from, 0);
    if (json_array_size(from) > 1 || !jali_sql_is(item, "RangeVar", &body))
        return jali_sql_refuse(r->sql, json_array_get(from, json_array_size(from) > 1), err,
                               "a vault is one table: joins and subqueries are not answered");
    const char *name = json_string_value(json_object_get(body, "relname"));
    if (r->schema->name != NULL && name != NULL && strcmp(name, r->schema->name) != 0)
        return jali_sql_refuse(r->sql, item, err,
                               "there is no table \"%.60s\" here; it is \"%s\"", name,
                               r->schema->name);
    return JALI_OK;
}

/* ---- GROUP BY ----------------------------------------------------------------------- */

static jali_status check_group(const struct reader *r, const json_t *node, size_t field,
                               jali_err *err)
{
    const jali_field *f = &r->schema->fields[field];
    for (size_t i = 0; i < r->query->n_groups; i++)
        if (r->query->group[i] == field)
            return jali_sql_refuse(r->sql, node, err, "GROUP BY names \"%s\" twice", f->name);
    if (r->query->n_groups == JALI_QUERY_GROUPS)
        return jali_sql_refuse(r->sql, node, err, "GROUP BY takes at most %d columns",
                               JALI_QUERY_GROUPS);
    if (f->kind == JALI_NUMBER && f->n_bins == 0 && f->domain > JALI_QUERY_VALUES + 1)
        return jali_sql_refuse(
            r->sql, node, err,
            "\"%s\" has too many values to be groups; the curator can declare "
            "\"bins\" for it in the schema",
            f->name);
    return JALI_OK;
}

static jali_status read_groups(const struct reader *r, jali_err *err)
{
    const json_t *clause = json_object_get(r->sql->select, "groupClause"), *node;
    uint64_t cells = 1;
    size_t i, field;
    json_array_foreach((json_t *)(uintptr_t)clause, i, node)
    {
        if (!jali_sql_is(node, "ColumnRef", NULL))
            return jali_sql_refuse(r->sql, node, err, "GROUP BY takes names of columns only");
        JALI_TRY(jali_where_column(r->schema, r->sql, node, &field, err));
        JALI_TRY(check_group(r, node, field, err));
        r->query->group[r->query->n_groups++] = field;
        cells *= jali_query_parts(&r->schema->fields[field]);
        if (cells > JALI_QUERY_CELLS)
            return jali_sql_refuse(r->sql, node, err,
                                   "these columns make more than %d groups; leave one out",
                                   JALI_QUERY_CELLS);
    }
    return JALI_OK;
}

/* ---- the list of SELECT --------------------------------------------------------------- */

static const struct {
    const char *name;
    jali_aggregate_kind kind;
} functions[] = { { "count", JALI_COUNT_VALUES }, { "sum", JALI_SUM }, { "avg", JALI_AVG } };

static const char *function_name(const json_t *call)
{
    const json_t *names = json_object_get(call, "funcname"), *body;
    const json_t *last = json_array_get(names, json_array_size(names) - 1);
    if (!jali_sql_is(last, "String", &body)) return "";
    const char *name = json_string_value(json_object_get(body, "sval"));
    return name == NULL ? "" : name;
}

static jali_status find_function(const struct reader *r, const json_t *node, const json_t *call,
                                 jali_aggregate_kind *kind, jali_err *err)
{
    const char *name = function_name(call);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(name, functions[i].name) == 0) {
            *kind = functions[i].kind;
            return JALI_OK;
        }
    return jali_sql_refuse(r->sql, node, err, "%.40s() is not answered; take COUNT, SUM or AVG",
                           name);
}

static jali_status refuse_trimmings(const struct reader *r, const json_t *node,
                                    const json_t *call, jali_err *err)
{
    static const char *const trimmings[] = {
        "agg_distinct", "agg_filter", "agg_order", "over", "agg_within_group", "func_variadic"
    };
    for (size_t i = 0; i < sizeof trimmings / sizeof *trimmings; i++)
        if (json_object_get(call, trimmings[i]) != NULL)
            return jali_sql_refuse(
                r->sql, node, err,
                "DISTINCT, FILTER, ORDER BY and OVER inside an aggregate are "
                "not answered; put a condition in WHERE");
    return JALI_OK;
}

static jali_status read_argument(const struct reader *r, const json_t *node, const json_t *call,
                                 jali_aggregate *out, jali_err *err)
{
    const json_t *args = json_object_get(call, "args");
    if (json_is_true(json_object_get(call, "agg_star"))) {
        if (out->kind != JALI_COUNT_VALUES)
            return jali_sql_refuse(r->sql, node, err, "only COUNT takes a star");
        out->kind = JALI_COUNT_ROWS;
        return JALI_OK;
    }
    if (json_array_size(args) != 1 || !jali_sql_is(json_array_get(args, 0), "ColumnRef", NULL))
        return jali_sql_refuse(r->sql, node, err,
                               "an aggregate takes the name of one column, without arithmetic");
    const json_t *argument = json_array_get(args, 0);
    JALI_TRY(jali_where_column(r->schema, r->sql, argument, &out->field, err));
    const jali_field *f = &r->schema->fields[out->field];
    if (out->kind != JALI_COUNT_VALUES && f->kind != JALI_NUMBER && f->type != JALI_BOOLEAN)
        return jali_sql_refuse(
            r->sql, argument, err,
            "\"%s\" is not a number, so it has no sum; COUNT it, or GROUP BY it", f->name);
    return JALI_OK;
}

static const char *default_label(const struct reader *r, const jali_aggregate *a)
{
    static const char *const names[] = { "COUNT(*)", "COUNT(%s)", "SUM(%s)", "AVG(%s)" };
    if (a->kind == JALI_COUNT_ROWS) return names[0];
    const char *column = r->schema->fields[a->field].name;
    jali_text text = { 0 };
    jali_text_add_n(&text, names[a->kind], strcspn(names[a->kind], "%"));
    jali_text_add(&text, column);
    jali_text_add(&text, ")");
    const char *copy = text.failed ? NULL : jali_arena_text(r->arena, text.at);
    jali_text_clear(&text);
    return copy;
}

/* Two columns of one name would be one member of a JSON row, and one of them lost. */
static jali_status check_label(const struct reader *r, const json_t *node,
                               const jali_aggregate *a, jali_err *err)
{
    const jali_query *q = r->query;
    bool taken = false;
    for (size_t i = 0; i < q->n_groups; i++)
        taken = taken || strcmp(r->schema->fields[q->group[i]].name, a->label) == 0;
    for (size_t i = 0; i < q->n_aggregates; i++) {
        const jali_aggregate *b = &q->aggregate[i];
        bool same = b->kind == a->kind && b->field == a->field;
        taken = taken || (!same && strcmp(b->label, a->label) == 0);
    }
    if (!taken) return JALI_OK;
    return jali_sql_refuse(r->sql, node, err,
                           "two columns of the answer are named \"%.60s\"; give this one "
                           "another name by AS",
                           a->label);
}

static jali_status add_aggregate(const struct reader *r, const json_t *node, const json_t *call,
                                 const char *label, jali_err *err)
{
    jali_query *q = r->query;
    jali_aggregate a = { 0 };
    if (q->n_aggregates == JALI_QUERY_AGGREGATES)
        return jali_sql_refuse(r->sql, node, err, "a question has at most %d aggregates",
                               JALI_QUERY_AGGREGATES);
    JALI_TRY(find_function(r, node, call, &a.kind, err));
    JALI_TRY(refuse_trimmings(r, node, call, err));
    JALI_TRY(read_argument(r, node, call, &a, err));
    a.label = label == NULL ? default_label(r, &a) : jali_arena_text(r->arena, label);
    if (a.label == NULL) return jali_fail_memory(err);
    JALI_TRY(check_label(r, node, &a, err));
    q->aggregate[q->n_aggregates++] = a;
    return JALI_OK;
}

static jali_status check_grouped(const struct reader *r, const json_t *node, jali_err *err)
{
    size_t field;
    JALI_TRY(jali_where_column(r->schema, r->sql, node, &field, err));
    for (size_t i = 0; i < r->query->n_groups; i++)
        if (r->query->group[i] == field) return JALI_OK;
    return jali_sql_refuse(r->sql, node, err,
                           "\"%s\" is not in GROUP BY: single rows are never shown",
                           r->schema->fields[field].name);
}

static jali_status read_targets(const struct reader *r, jali_err *err)
{
    const json_t *list = json_object_get(r->sql->select, "targetList"), *item, *target, *call;
    size_t i;
    json_array_foreach((json_t *)(uintptr_t)list, i, item)
    {
        if (!jali_sql_is(item, "ResTarget", &target))
            return jali_sql_refuse(r->sql, item, err, "this cannot stand in SELECT");
        const json_t *value = json_object_get(target, "val");
        const char *label = json_string_value(json_object_get(target, "name"));
        if (jali_sql_is(value, "FuncCall", &call))
            JALI_TRY(add_aggregate(r, value, call, label, err));
        else if (jali_sql_is(value, "ColumnRef", NULL))
            JALI_TRY(check_grouped(r, value, err));
        else
            return jali_sql_refuse(r->sql, value, err,
                                   "SELECT takes columns of GROUP BY and COUNT, SUM, AVG; "
                                   "arithmetic, casts and subqueries are not answered");
    }
    if (r->query->n_aggregates == 0)
        return jali_fail_at(err, JALI_E_USAGE, JALI_FOR_ANALYST, 1, 1,
                            "the question asks for no number: add COUNT(*), SUM or AVG");
    return JALI_OK;
}

static jali_status read_select(const struct reader *r, jali_err *err)
{
    const json_t *where = json_object_get(r->sql->select, "whereClause");
    JALI_TRY(refuse_parts(r, err));
    JALI_TRY(read_from(r, err));
    JALI_TRY(read_groups(r, err));
    JALI_TRY(read_targets(r, err));
    if (where == NULL) return JALI_OK;
    return jali_where_tree(r->schema, r->sql, where, r->arena, &r->query->where, err);
}

jali_status jali_query_parse(const jali_schema *schema, const char *text, jali_arena *arena,
                             jali_query *out, jali_err *err)
{
    jali_sql sql;
    jali_query query = { 0 };
    JALI_TRY(jali_sql_parse(&sql, "", text, "the question", err));
    struct reader r = { schema, &sql, arena, &query };
    jali_status status = read_select(&r, err);
    jali_sql_clear(&sql);
    if (status == JALI_OK) *out = query;
    return status;
}

uint64_t jali_query_parts(const jali_field *f)
{
    return f->kind == JALI_NUMBER && f->n_bins > 0 ? (uint64_t)f->n_bins + 1 : f->domain;
}

const char *jali_query_part(const jali_field *f, uint64_t g, jali_arena *arena)
{
    if (f->kind == JALI_NUMBER && f->n_bins > 0)
        return g < f->n_bins ? jali_field_bin(f, (uint32_t)g, arena)
                             : jali_field_text(f, jali_field_null(f), arena);
    return jali_field_text(f, g, arena);
}
