/* table/remote.c — a schema over a table in PostgreSQL: what is read, and from where. */
#include "table/remote.h"
#include "table/remote_inside.h"
#include <string.h>

/* ---- finding the table ----------------------------------------------------------------------
 */

static const jali_relation_column *column_of(const jali_relation *r, const char *name)
{
    for (size_t i = 0; i < r->n; i++)
        if (strcmp(r->column[i].name, name) == 0) return &r->column[i];
    return NULL;
}

static bool is_read(const jali_schema *schema, size_t i)
{
    return schema->fields[i].used || schema->person == (int32_t)i;
}

static jali_status no_column(const jali_schema *schema, size_t i, const jali_relation *r,
                             jali_arena *arena, jali_err *err)
{
    const char **names = jali_arena_take(arena, r->n + 1, sizeof *names);
    if (names == NULL) return jali_fail_memory(err);
    for (size_t k = 0; k < r->n; k++) names[k] = r->column[k].name;
    const char *near = jali_text_nearest(schema->fields[i].name, names, r->n);
    return jali_fail(err, JALI_E_DATA, JALI_FOR_CURATOR,
                     "%.100s.%.100s has no column \"%.100s\"%s%.100s%s", r->schema, r->table,
                     schema->fields[i].name, near == NULL ? "" : "; did you mean \"",
                     near == NULL ? "" : near, near == NULL ? "" : "\"?");
}

static jali_status take_types(const jali_schema *schema, const jali_relation *r,
                              jali_arena *arena, jali_remote_place *out, jali_err *err)
{
    const char **typed = jali_arena_take(arena, schema->n + 1, sizeof *typed);
    const char **type = jali_arena_take(arena, schema->n + 1, sizeof *type);
    if (typed == NULL || type == NULL) return jali_fail_memory(err);
    size_t n = 0;
    for (size_t i = 0; i < schema->n; i++) {
        if (!is_read(schema, i)) continue;
        const jali_relation_column *c = column_of(r, schema->fields[i].name);
        if (c == NULL) return no_column(schema, i, r, arena, err);
        if (!c->granted)
            return jali_fail(err, JALI_E_DATA, JALI_FOR_CURATOR,
                             "this role may not select column \"%.100s\" of %.100s.%.100s: "
                             "GRANT SELECT on it, or drop it in the schema",
                             c->name, r->schema, r->table);
        if (jali_family_of(c->type) == JALI_SQL_OF_NOTHING && !schema->fields[i].used)
            return jali_fail(err, JALI_E_DATA, JALI_FOR_CURATOR,
                             "the person's column \"%.100s\" is of the SQL type %.60s, which "
                             "jali does not read: make a view that casts it to text",
                             c->name, c->type);
        typed[n] = schema->fields[i].name;
        type[n++] = c->type;
    }
    out->n_types = n;
    out->typed = typed;
    out->type = type;
    return JALI_OK;
}

/* Servers of one table must agree on what it is. */
static jali_status same_types(const jali_remote_place *a, const jali_remote_place *b,
                              size_t shard, jali_err *err)
{
    for (size_t i = 0; i < a->n_types; i++)
        if (strcmp(a->type[i], b->type[i]) != 0)
            return jali_fail(err, JALI_E_DATA, JALI_FOR_CURATOR,
                             "column \"%.100s\" is %.60s on the first server and %.60s on "
                             "server %zu: shards must have one shape",
                             a->typed[i], a->type[i], b->type[i], shard + 1);
    return JALI_OK;
}

static jali_status split(const char *text, jali_arena *arena, const char **schema,
                         const char **table, jali_err *err)
{
    const char *dot = strchr(text, '.');
    if (text[0] == '\0' || (dot != NULL && (dot == text || dot[1] == '\0')))
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_CURATOR,
                         "\"%.100s\" is no name of a table; write TABLE or SCHEMA.TABLE", text);
    *schema = dot == NULL ? "" : jali_arena_format(arena, "%.*s", (int)(dot - text), text);
    *table = dot == NULL ? text : dot + 1;
    return *schema == NULL ? jali_fail_memory(err) : JALI_OK;
}

jali_status jali_remote_find(jali_postgres *pg, const char *table, const jali_schema *schema,
                             jali_arena *arena, jali_remote_place *out, jali_err *err)
{
    jali_remote_place first = { 0 };
    const char *in = "", *name = table;
    JALI_TRY(split(table, arena, &in, &name, err));
    for (size_t s = 0; s < jali_postgres_shards(pg); s++) {
        jali_relation r;
        jali_remote_place here = { 0 };
        JALI_TRY(jali_postgres_look(pg, s, in, name, arena, &r, err));
        JALI_TRY(take_types(schema, &r, arena, &here, err));
        if (s == 0) {
            first = here;
            first.schema = in = r.schema;
            first.table = name = r.table;
        }
        JALI_TRY(same_types(&first, &here, s, err));
    }
    *out = first;
    return JALI_OK;
}

/* ---- columns --------------------------------------------------------------------------------
 */

typedef struct making {
    const jali_schema *schema;
    const jali_remote_place *place;
    jali_arena *arena;
    jali_remote_column *column;
    size_t fields, n;
    jali_text dead; /* rows whose required value is missing, turned around */
} making;

static const char *keep(making *m, jali_text *text)
{
    const char *copy =
        text->failed || text->at == NULL ? NULL : jali_arena_text(m->arena, text->at);
    jali_text_clear(text);
    return copy;
}

static const char *type_of(const making *m, const jali_field *f)
{
    for (size_t i = 0; i < m->place->n_types; i++)
        if (strcmp(m->place->typed[i], f->name) == 0) return m->place->type[i];
    return "";
}

static jali_status add_field(making *m, const jali_field *f, jali_err *err)
{
    jali_text value = { 0 }, group = { 0 }, name = { 0 };
    jali_remote_column *c = &m->column[m->n];
    *c = (jali_remote_column){ .name = f->name, .domain = f->domain };
    jali_status status = jali_remote_value(m->schema, f, type_of(m, f), &value, err);
    if (status == JALI_OK) {
        jali_remote_group(f, type_of(m, f), &group);
        jali_remote_name(&name, f->name);
        bool grouped = group.used > 0;
        c->value = keep(m, &value);
        c->group = grouped ? keep(m, &group) : NULL;
        const char *quoted = keep(m, &name);
        c->column = grouped ? quoted : NULL;
        c->plain = jali_remote_plain(m->schema, f, type_of(m, f)) ? quoted : NULL;
        c->low = f->low;
        if (c->value == NULL || quoted == NULL || (grouped && c->group == NULL))
            status = jali_fail_memory(err);
    }
    jali_text_clear(&value);
    jali_text_clear(&group);
    jali_text_clear(&name);
    m->n += status == JALI_OK;
    if (status == JALI_OK && f->required)
        jali_text_format(&m->dead, "%s(%s) IS NOT NULL", m->dead.used > 0 ? " AND " : "",
                         c->value);
    return status;
}

static jali_status add_bins(making *m, jali_err *err)
{
    size_t at = 0;
    for (size_t i = 0; i < m->schema->n; i++) {
        const jali_field *f = &m->schema->fields[i];
        if (!f->used) continue;
        const char *value = m->column[at++].value;
        if (f->kind != JALI_NUMBER || f->n_bins == 0) continue;
        jali_text bin = { 0 };
        jali_remote_column *c = &m->column[m->n++];
        jali_remote_bin(f, value, &bin);
        *c = (jali_remote_column){ .name = jali_arena_format(m->arena, "%s" JALI_BIN_SUFFIX,
                                                             f->name),
                                   .domain = (uint64_t)f->n_bins + 1,
                                   .value = keep(m, &bin) };
        if (c->name == NULL || c->value == NULL) return jali_fail_memory(err);
    }
    return JALI_OK;
}

/* FROM and WHERE, and the hidden column where persons are declared. */
static jali_status add_rows(making *m, const jali_person_key *key, jali_remote *out,
                            jali_err *err)
{
    jali_text from = { 0 }, where = { 0 }, person = { 0 };
    jali_status status = JALI_OK;
    const char *dead = m->dead.used > 0 ? m->dead.at : NULL;
    jali_remote_name(&from, m->place->schema);
    jali_text_add(&from, ".");
    jali_remote_name(&from, m->place->table);
    if (m->schema->person >= 0)
        status = jali_remote_persons(m->schema, m->place, m->column, m->fields, key, dead,
                                     &from, &where, &person, err);
    else if (dead != NULL)
        jali_text_add(&where, dead);
    bool filtered = where.used > 0;
    if (status == JALI_OK && m->schema->person >= 0) {
        m->column[m->n] = (jali_remote_column){ .name = JALI_PERSON_COLUMN,
                                                .domain = JALI_PERSON_DOMAIN,
                                                .value = keep(m, &person) };
        if (m->column[m->n++].value == NULL) status = jali_fail_memory(err);
    }
    out->rows = keep(m, &from);
    out->bare = m->schema->person < 0;
    out->where = filtered ? keep(m, &where) : NULL;
    if (status == JALI_OK && (out->rows == NULL || (filtered && out->where == NULL)))
        status = jali_fail_memory(err);
    jali_text_clear(&from);
    jali_text_clear(&where);
    jali_text_clear(&person);
    return status;
}

static const char *trial_of(making *m, const jali_remote *r)
{
    jali_text sql = { 0 };
    jali_text_add(&sql, "/* jali: trial */ SELECT ");
    for (size_t i = 0; i < m->n; i++)
        jali_text_format(&sql, "%s%s", i > 0 ? ", " : "", m->column[i].value);
    jali_text_format(&sql, " FROM %s", r->rows);
    if (r->where != NULL) jali_text_format(&sql, " WHERE %s", r->where);
    jali_text_add(&sql, " LIMIT 0");
    return keep(m, &sql);
}

static jali_status make(making *m, const jali_person_key *key, jali_remote *out, jali_err *err)
{
    for (size_t i = 0; i < m->schema->n; i++)
        if (m->schema->fields[i].used) JALI_TRY(add_field(m, &m->schema->fields[i], err));
    m->fields = m->n;
    if (m->n == 0)
        return jali_fail(err, JALI_E_DATA, JALI_FOR_CURATOR,
                         "the schema drops every column; nothing would be left to ask about");
    JALI_TRY(add_bins(m, err));
    JALI_TRY(jali_text_status(&m->dead, err));
    JALI_TRY(add_rows(m, key, out, err));
    out->trial = trial_of(m, out);
    out->n = m->n;
    out->column = m->column;
    return out->trial == NULL ? jali_fail_memory(err) : JALI_OK;
}

jali_status jali_remote_make(const jali_schema *schema, const jali_remote_place *place,
                             const jali_person_key *key, jali_postgres *pg, jali_arena *arena,
                             jali_remote *out, jali_err *err)
{
    making m = { .schema = schema, .place = place, .arena = arena };
    jali_remote r = { .postgres = pg,
                      .schema = place->schema,
                      .table = place->table,
                      .n_types = place->n_types,
                      .typed = place->typed,
                      .type = place->type };
    m.column = jali_arena_take(arena, 2 * schema->n + 2, sizeof *m.column);
    if (m.column == NULL) return jali_fail_memory(err);
    jali_status status = make(&m, key, &r, err);
    jali_text_clear(&m.dead);
    if (status == JALI_OK) *out = r;
    return status;
}

/* ---- policy.json
 * ------------------------------------------------------------------------------ */

json_t *jali_remote_to_json(const jali_remote_place *place)
{
    json_t *servers = json_array(), *types = json_object();
    bool good = servers != NULL && types != NULL;
    for (size_t i = 0; good && i < place->n; i++)
        good = json_array_append_new(servers, json_string(place->conninfo[i])) == 0;
    for (size_t i = 0; good && i < place->n_types; i++)
        good = json_object_set_new(types, place->typed[i], json_string(place->type[i])) == 0;
    if (!good) {
        json_decref(servers);
        json_decref(types);
        return NULL;
    }
    return json_pack("{s:o,s:s,s:s,s:o}", "servers", servers, "schema", place->schema, "table",
                     place->table, "types", types);
}

jali_status jali_remote_from_json(const json_t *value, jali_arena *arena,
                                  jali_remote_place *out, jali_err *err)
{
    json_t *servers = json_object_get(value, "servers"),
           *types = json_object_get(value, "types"), *type;
    const char *schema = json_string_value(json_object_get(value, "schema")),
               *table = json_string_value(json_object_get(value, "table")), *name;
    size_t n = json_array_size(servers), k = 0;
    const char **conninfo = jali_arena_take(arena, n + 1, sizeof *conninfo);
    const char **typed = jali_arena_take(arena, json_object_size(types) + 1, sizeof *typed);
    const char **of = jali_arena_take(arena, json_object_size(types) + 1, sizeof *of);
    if (conninfo == NULL || typed == NULL || of == NULL) return jali_fail_memory(err);
    bool good = n > 0 && schema != NULL && table != NULL;
    for (size_t i = 0; good && i < n; i++) {
        const char *text = json_string_value(json_array_get(servers, i));
        good = text != NULL && (conninfo[i] = jali_arena_text(arena, text)) != NULL;
    }
    json_object_foreach(types, name, type)
    {
        good = good && json_is_string(type);
        if (!good) break;
        typed[k] = jali_arena_text(arena, name);
        of[k] = jali_arena_text(arena, json_string_value(type));
        good = typed[k] != NULL && of[k] != NULL;
        k++;
    }
    if (!good)
        return jali_fail(err, JALI_E_DATA, JALI_FOR_CURATOR,
                         "the \"postgres\" of policy.json lacks \"servers\", \"schema\", "
                         "\"table\" or \"types\"");
    *out = (jali_remote_place){
        n, conninfo, jali_arena_text(arena, schema), jali_arena_text(arena, table), k, typed, of
    };
    return out->schema == NULL || out->table == NULL ? jali_fail_memory(err) : JALI_OK;
}
