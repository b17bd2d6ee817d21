/* table/remote_draft.c — a draft of a table in PostgreSQL: from its catalog, or its rows, too.
 */
#include "table/draft_facts.h"
#include "table/remote_inside.h"
#include <string.h>

static const char note[] =
    "This schema was read off the catalog, which knows names and types and no bounds: declare "
    "what is publicly known, then remove \"draft\" and this note.";

typedef struct drafting {
    jali_arena arena;
    size_t n;
    jali_facts *facts;
} drafting;

/* A name that a schema refuses would make the whole draft one that init refuses. */
static bool nameable(const char *name)
{
    size_t n = strlen(name), tail = strlen(JALI_BIN_SUFFIX);
    return !jali_text_commands(name) && strpbrk(name, "\t\n\r") == NULL &&
           strcmp(name, JALI_PERSON_COLUMN) != 0 &&
           (n < tail || strcmp(name + n - tail, JALI_BIN_SUFFIX) != 0);
}

static const char *type_word(jali_family family)
{
    return family == JALI_SQL_OF_INTEGER                                  ? "integer"
           : family == JALI_SQL_OF_NUMERIC || family == JALI_SQL_OF_FLOAT ? "number"
           : family == JALI_SQL_OF_DATE || family == JALI_SQL_OF_STAMP    ? "date"
           : family == JALI_SQL_OF_BOOLEAN                                ? "boolean"
                                                                          : "string";
}

/* What a type cannot be is not guessed from its rows: '7' in a text column stays a text. */
static void start(drafting *d, jali_facts *f, const jali_relation_column *c, bool rows)
{
    jali_family family = jali_family_of(c->type);
    bool number = family == JALI_SQL_OF_INTEGER || family == JALI_SQL_OF_NUMERIC ||
                  family == JALI_SQL_OF_FLOAT;
    bool day = family == JALI_SQL_OF_DATE || family == JALI_SQL_OF_STAMP;
    *f = (jali_facts){ .name = c->name,
                       .not_number = !number,
                       .not_date = !day,
                       .not_year = family != JALI_SQL_OF_INTEGER };
    if (number || day) f->type = type_word(family);
    if (family == JALI_SQL_OF_NOTHING)
        f->left = jali_arena_format(
            &d->arena, "jali does not read the type %.100s: cast it in a view; left out",
            c->type);
    if (!rows) f->unseen = type_word(family);
}

/* DDL is no row: the labels of an enum and the two values of a boolean are told. */
static bool tell_types(drafting *d, const jali_relation_column *c, jali_facts *f)
{
    static const char *const both[] = { "true", "false" };
    bool two = jali_family_of(c->type) == JALI_SQL_OF_BOOLEAN, good = true;
    const char *const *word = two ? both : c->label;
    for (size_t i = 0; good && i < (two ? 2 : c->n); i++)
        good = jali_facts_add(f, &d->arena, word[i], strlen(word[i]));
    return good;
}

static jali_status take(void *self, const char *const *cell, const size_t *n, jali_err *err)
{
    drafting *d = self;
    for (size_t i = 0; i < d->n; i++)
        if (!jali_facts_add(&d->facts[i], &d->arena, cell[i] == NULL ? "" : cell[i], n[i]))
            return jali_fail_memory(err);
    return JALI_OK;
}

/* What is NULL or clamped later is no value that a draft could learn from: it would make a
 * list of words of a number. */
static void add_cell(const jali_relation_column *c, jali_text *sql)
{
    jali_family family = jali_family_of(c->type);
    jali_text name = { 0 };
    jali_remote_name(&name, c->name);
    if (name.failed)
        sql->failed = true;
    else if (family == JALI_SQL_OF_NOTHING)
        jali_text_add(sql, "NULL::text");
    else if (family == JALI_SQL_OF_NUMERIC || family == JALI_SQL_OF_FLOAT)
        jali_text_format(
            sql, "CASE WHEN %s NOT IN ('NaN', 'Infinity', '-Infinity') THEN %s::text END",
            name.at, name.at);
    else if (family == JALI_SQL_OF_DATE || family == JALI_SQL_OF_STAMP)
        jali_text_format(sql,
                         "CASE WHEN %s::date BETWEEN '0001-01-01'::date AND '9999-12-31'::date "
                         "THEN %s::date::text END",
                         name.at, name.at);
    else
        jali_text_format(sql, "%s::text", name.at);
    jali_text_clear(&name);
}

static void write_query(const drafting *d, const jali_relation *r, jali_text *sql)
{
    jali_text_add(sql, "/* jali: draft */ SELECT ");
    for (size_t i = 0, k = 0; i < r->n; i++) {
        if (k == d->n || r->column[i].name != d->facts[k].name) continue;
        jali_text_add(sql, k++ > 0 ? ", " : "");
        add_cell(&r->column[i], sql);
    }
    jali_text_add(sql, " FROM ");
    jali_remote_name(sql, r->schema);
    jali_text_add(sql, ".");
    jali_remote_name(sql, r->table);
}

static jali_status read_all(drafting *d, jali_postgres *pg, const jali_relation *r, bool rows,
                            jali_err *err)
{
    jali_text sql = { 0 };
    size_t readable = 0;
    d->facts = calloc(r->n + 1, sizeof *d->facts);
    if (d->facts == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < r->n; i++) {
        const jali_relation_column *c = &r->column[i];
        if (!c->granted || !nameable(c->name)) continue;
        start(d, &d->facts[d->n], c, rows);
        if (!rows && !tell_types(d, c, &d->facts[d->n])) return jali_fail_memory(err);
        readable += jali_family_of(c->type) != JALI_SQL_OF_NOTHING;
        d->n++;
    }
    if (readable == 0)
        return jali_fail(err, JALI_E_DATA, JALI_FOR_CURATOR,
                         "%.100s.%.100s has no column that this role may select and jali can "
                         "read",
                         r->schema, r->table);
    if (!rows) return JALI_OK;
    write_query(d, r, &sql);
    jali_status status = jali_text_status(&sql, err);
    if (status == JALI_OK)
        status = jali_postgres_texts(pg, sql.at, d->n, (jali_postgres_reader){ take, d }, err);
    jali_text_clear(&sql);
    return status;
}

static jali_status look(drafting *d, jali_postgres *pg, const char *table, jali_relation *out,
                        jali_err *err)
{
    const char *dot = strchr(table, '.');
    char *schema =
        jali_arena_format(&d->arena, "%.*s", dot == NULL ? 0 : (int)(dot - table), table);
    if (schema == NULL) return jali_fail_memory(err);
    return jali_postgres_look(pg, 0, schema, dot == NULL ? table : dot + 1, &d->arena, out,
                              err);
}

jali_status jali_remote_draft(jali_postgres *pg, const char *table, bool rows, json_t **out,
                              jali_err *err)
{
    drafting d = { .arena = JALI_ARENA_INIT };
    jali_relation r;
    jali_status status = look(&d, pg, table, &r, err);
    if (status == JALI_OK) status = read_all(&d, pg, &r, rows, err);
    if (status == JALI_OK) {
        json_t *schema = jali_draft_schema(d.facts, d.n, rows ? NULL : note);
        if (schema == NULL) status = jali_fail_memory(err);
        if (schema != NULL) *out = schema;
    }
    for (size_t i = 0; d.facts != NULL && i < d.n; i++) {
        free(d.facts[i].slots);
        free(d.facts[i].values);
    }
    free(d.facts);
    jali_arena_clear(&d.arena);
    return status;
}
