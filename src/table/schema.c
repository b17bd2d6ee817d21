/* table/schema.c — a Frictionless Table Schema, read strictly.
 *
 * What would change the meaning of a cell and is not understood is refused, because a
 * schema that is half obeyed is a privacy claim about another table.
 */
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "table/inside.h"

static jali_status read_missing(jali_reading *r, const json_t *root, jali_schema *s)
{
    static const char *const usual[] = { "" };
    size_t n, twice;
    JALI_TRY(jali_reading_list(r, root, "missingValues", 1000, &n, &s->missing));
    if (n == SIZE_MAX) {
        s->missing = usual;
        n = 1;
    }
    s->n_missing = n;
    JALI_TRY(jali_words_new(&s->missing_words, s->missing, NULL, n, r->arena, &twice, r->err));
    if (twice == n) return JALI_OK;
    return jali_reading_fail_key(r, "missingValues", "\"%s\" is in missingValues twice",
                                 s->missing[twice]);
}

/* Members of the table's own `jali` object. */
static jali_status read_extension(jali_reading *r, const json_t *root, jali_schema *s,
                                  const char **person)
{
    static const char *const keys[] = { "person", "rowsPerPerson", "draft", "note" };
    for (size_t i = 0; i < 3; i++)
        if (json_object_get(root, keys[i]) != NULL)
            return jali_reading_fail_key(
                r, keys[i], "\"%s\" belongs into the member \"jali\": { ... }", keys[i]);
    const json_t *jali = json_object_get(root, "jali");
    if (jali == NULL) return JALI_OK;
    if (!json_is_object(jali))
        return jali_reading_fail_key(r, "jali", "\"jali\" must be an object { ... }");
    jali_reading_down(r, "jali", 0);
    JALI_TRY(jali_reading_keys(r, jali, "the table's \"jali\"", keys, 4));
    JALI_TRY(jali_reading_flag(r, jali, "draft", &s->draft));
    const json_t *who = json_object_get(jali, "person"),
                 *rows = json_object_get(jali, "rowsPerPerson");
    if (who != NULL && !json_is_string(who))
        return jali_reading_fail_key(r, "person", "\"person\" must name a column");
    if (who != NULL) *person = json_string_value(who);
    if (who != NULL && rows == NULL)
        return jali_reading_fail_key(
            r, "person",
            "\"person\" needs \"rowsPerPerson\": how many rows of one person count");
    if (who == NULL && rows != NULL)
        return jali_reading_fail_key(r, "rowsPerPerson",
                                     "\"rowsPerPerson\" needs \"person\": the column that "
                                     "says whose row it is");
    if (rows != NULL) {
        json_int_t m = json_integer_value(rows);
        if (!json_is_integer(rows) || m < 1 || m > JALI_MAX_ROWS_PER_PERSON)
            return jali_reading_fail_key(
                r, "rowsPerPerson", "\"rowsPerPerson\" must be a whole number from 1 to %u",
                JALI_MAX_ROWS_PER_PERSON);
        s->rows_per_person = (uint32_t)m;
    }
    r->depth--;
    return JALI_OK;
}

static jali_status refuse_twins(jali_reading *r, const jali_schema *s)
{
    const jali_words *unused;
    size_t twice;
    const char **names = jali_arena_take(r->arena, s->n + 1, sizeof *names);
    if (names == NULL) return jali_fail_memory(r->err);
    for (size_t i = 0; i < s->n; i++) names[i] = s->fields[i].name;
    JALI_TRY(jali_words_new(&unused, names, NULL, s->n, r->arena, &twice, r->err));
    if (twice == s->n) return JALI_OK;
    jali_reading_down(r, NULL, twice);
    return jali_reading_fail_key(r, "name", "there are two columns named \"%.60s\"",
                                 names[twice]);
}

/* Before the fields are read: a misspelt person must not look like a missing domain. */
static jali_status check_person(jali_reading *r, const json_t *list, const char *person)
{
    size_t n = json_array_size(list), named = 0;
    const char **names = jali_arena_take(r->arena, n + 1, sizeof *names);
    if (names == NULL) return jali_fail_memory(r->err);
    for (size_t i = 0; i < n; i++) {
        const char *name = json_string_value(json_object_get(json_array_get(list, i), "name"));
        if (name != NULL && strcmp(name, person) == 0) return JALI_OK;
        if (name != NULL) names[named++] = name;
    }
    const char *near = jali_text_nearest(person, names, named);
    jali_reading_down(r, "jali", 0);
    return jali_reading_fail_key(r, "person", "no column is named \"%.60s\"%s%s%s", person,
                                 near ? "; did you mean \"" : "", near ? near : "",
                                 near ? "\"?" : "");
}

static jali_status read_fields(jali_reading *r, const json_t *root, const char *person,
                               jali_schema *s)
{
    const json_t *list = json_object_get(root, "fields");
    if (!json_is_array(list) || json_array_size(list) == 0)
        return jali_reading_fail_key(r, "fields",
                                     "a schema needs \"fields\": [ {\"name\": ...}, ... ]");
    s->n = json_array_size(list);
    if (s->n > JALI_MAX_COLUMNS)
        return jali_reading_fail_key(r, "fields", "there are %zu columns; the limit is %u",
                                     s->n, JALI_MAX_COLUMNS);
    if (person != NULL) JALI_TRY(check_person(r, list, person));
    jali_field *fields = jali_arena_take(r->arena, s->n, sizeof *fields);
    if (fields == NULL) return jali_fail_memory(r->err);
    s->fields = fields;
    jali_reading_down(r, "fields", 0);
    for (size_t i = 0; i < s->n; i++) {
        jali_reading_down(r, NULL, i);
        JALI_TRY(jali_field_read(r, json_array_get(list, i), person, &fields[i]));
        r->depth--;
        if (person != NULL && strcmp(person, fields[i].name) == 0) s->person = (int32_t)i;
    }
    JALI_TRY(refuse_twins(r, s));
    r->depth--;
    return JALI_OK;
}

static const char *nearest_field(const jali_schema *s, const char *name)
{
    const char **names = malloc((s->n + 1) * sizeof *names), *near = NULL;
    size_t n = 0;
    if (names == NULL) return NULL;
    for (size_t i = 0; i < s->n; i++)
        if (s->fields[i].used) names[n++] = s->fields[i].name;
    near = jali_text_nearest(name, names, n);
    free(names);
    return near;
}

/* A missing value that is also a category could never be counted as one. */
static jali_status check_missing(jali_reading *r, const jali_schema *s)
{
    for (size_t i = 0; i < s->n; i++) {
        const jali_field *f = &s->fields[i];
        if (!f->used || f->kind != JALI_CATEGORY || f->binned) continue;
        for (size_t k = 0; k < s->n_missing; k++) {
            if (jali_words_find(f->words, s->missing[k], strlen(s->missing[k])) < 0) continue;
            jali_reading_down(r, "fields", 0);
            jali_reading_down(r, NULL, i);
            return jali_reading_fail(r,
                                     "\"%s\" is a value of column %s and also in "
                                     "missingValues; remove it from one of them",
                                     s->missing[k], f->name);
        }
    }
    return JALI_OK;
}

static jali_status read_root(jali_reading *r, const json_t *root, jali_schema *out)
{
    jali_schema s = { .person = -1, .rows_per_person = 1 };
    const char *person = NULL;
    if (!json_is_object(root)) return jali_reading_fail(r, "a schema is an object { ... }");
    const json_t *name = json_object_get(root, "name");
    if (name != NULL) {
        jali_reading_down(r, "name", 0);
        JALI_TRY(jali_reading_text(r, name, &s.name));
        JALI_TRY(jali_reading_name(r, "the table's name", s.name, false));
        r->depth--;
    }
    JALI_TRY(read_missing(r, root, &s));
    JALI_TRY(read_extension(r, root, &s, &person));
    JALI_TRY(read_fields(r, root, person, &s));
    JALI_TRY(check_missing(r, &s));
    *out = s;
    return JALI_OK;
}

jali_status jali_schema_parse(jali_schema *out, const char *bytes, size_t n, const char *what,
                              jali_arena *arena, jali_err *err)
{
    json_t *root;
    jali_reading r = { .text = bytes, .n = n, .what = what, .arena = arena, .err = err };
    JALI_TRY(jali_json_parse(&root, bytes, n, what, err));
    jali_status status = read_root(&r, root, out);
    json_decref(root);
    return status;
}

jali_status jali_schema_load(jali_schema *out, const char *path, jali_arena *arena,
                             jali_err *err)
{
    char *bytes;
    size_t n;
    JALI_TRY(jali_file_read(path, JALI_MAX_SCHEMA_BYTES, arena, &bytes, &n, err));
    return jali_schema_parse(out, bytes, n, path, arena, err);
}

jali_status jali_schema_find(const jali_schema *schema, const char *name, size_t *out,
                             jali_err *err)
{
    for (size_t i = 0; i < schema->n; i++) {
        if (!schema->fields[i].used || strcmp(schema->fields[i].name, name) != 0) continue;
        *out = i;
        return JALI_OK;
    }
    const char *near = nearest_field(schema, name);
    if (near != NULL)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "there is no column \"%.60s\"; did you mean \"%s\"?", name, near);
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "there is no column \"%.60s\"; `jali show` lists them", name);
}
