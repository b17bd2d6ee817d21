/* table/schema_field.c — one column of a schema. */
#include "table/inside.h"

static const char *const type_names[] = { "string",  "integer", "number",
                                          "boolean", "date",    "year" };

static jali_status read_type(jali_reading *r, const json_t *object, jali_field *f)
{
    const json_t *type = json_object_get(object, "type");
    const char *text = type == NULL ? "string" : json_string_value(type);
    for (size_t i = 0; text != NULL && i < 6; i++) {
        if (strcmp(text, type_names[i]) != 0) continue;
        f->type = (jali_type)i;
        return JALI_OK;
    }
    return jali_reading_fail_key(r, "type",
                                 "the type of column %s must be string, integer, number, "
                                 "boolean, date or year",
                                 f->name);
}

/* Frictionless members that would change what a cell means and that we do not follow. */
static jali_status refuse_unread(jali_reading *r, const json_t *object, const jali_field *f)
{
    static const char *const unread[] = { "groupChar",  "bareNumber",    "missingValues",
                                          "categories", "step",          "bins",
                                          "other",      "drop",          "enum",
                                          "minimum",    "maximum",       "required",
                                          "person",     "rowsPerPerson", "draft" };
    static const char *const belongs[] = { NULL,
                                           NULL,
                                           "the table",
                                           "constraints",
                                           "jali",
                                           "jali",
                                           "jali",
                                           "jali",
                                           "constraints",
                                           "constraints",
                                           "constraints",
                                           "constraints",
                                           "the table's jali",
                                           "the table's jali",
                                           "the table's jali" };
    for (size_t i = 0; i < sizeof unread / sizeof *unread; i++) {
        if (json_object_get(object, unread[i]) == NULL) continue;
        if (belongs[i] != NULL)
            return jali_reading_fail_key(r, unread[i], "column %s: \"%s\" belongs into %s",
                                         f->name, unread[i], belongs[i]);
        return jali_reading_fail_key(r, unread[i], "column %s: \"%s\" is not supported",
                                     f->name, unread[i]);
    }
    const char *format = json_string_value(json_object_get(object, "format"));
    if (format != NULL && strcmp(format, "default") != 0 && f->type != JALI_STRING)
        return jali_reading_fail_key(r, "format",
                                     "column %s: only the default format is supported%s",
                                     f->name, f->type == JALI_DATE ? ", 2024-12-31" : "");
    return JALI_OK;
}

static jali_status read_point(jali_reading *r, const json_t *object, jali_field *f)
{
    const json_t *value = json_object_get(object, "decimalChar");
    const char *text = value == NULL ? "." : json_string_value(value);
    f->point = text == NULL ? '\0' : text[0];
    if (f->point != '.' && f->point != ',')
        return jali_reading_fail_key(
            r, "decimalChar", "column %s: \"decimalChar\" must be \".\" or \",\"", f->name);
    return JALI_OK;
}

/* The member `key` as an object of known members; NULL if absent. r ends one step down. */
static jali_status enter(jali_reading *r, const json_t *object, const char *key,
                         const char *const *keys, size_t n, const jali_field *f)
{
    char where[JALI_MAX_NAME + 40];
    const json_t *inner = json_object_get(object, key);
    if (inner != NULL && !json_is_object(inner))
        return jali_reading_fail_key(r, key, "column %s: \"%s\" must be an object { ... }",
                                     f->name, key);
    snprintf(where, sizeof where, "\"%s\" of column %s", key, f->name);
    jali_reading_down(r, key, 0);
    if (inner != NULL) JALI_TRY(jali_reading_keys(r, inner, where, keys, n));
    return JALI_OK;
}

static jali_status check_members(jali_reading *r, const json_t *object, jali_field *f,
                                 bool *drop)
{
    static const char *const rules[] = { "required", "enum", "minimum", "maximum", "unique" };
    static const char *const ours[] = { "step", "bins", "other", "drop" };
    JALI_TRY(enter(r, object, "constraints", rules, 5, f));
    JALI_TRY(
        jali_reading_flag(r, json_object_get(object, "constraints"), "required", &f->required));
    r->depth--;
    JALI_TRY(enter(r, object, "jali", ours, 4, f));
    JALI_TRY(jali_reading_flag(r, json_object_get(object, "jali"), "drop", drop));
    r->depth--;
    return JALI_OK;
}

jali_status jali_field_read(jali_reading *r, const json_t *object, const char *person,
                            jali_field *out)
{
    jali_field f = { .other = -1, .point = '.' };
    bool drop = false;
    if (!json_is_object(object))
        return jali_reading_fail(r, "a field is an object { \"name\": ... }");
    if (!json_is_string(json_object_get(object, "name")))
        return jali_reading_fail(r, "this field has no \"name\"");
    jali_reading_down(r, "name", 0);
    JALI_TRY(jali_reading_text(r, json_object_get(object, "name"), &f.name));
    JALI_TRY(jali_reading_name(r, "a column's name", f.name, false));
    size_t length = strlen(f.name), tail = strlen(JALI_BIN_SUFFIX);
    if (strcmp(f.name, JALI_PERSON_COLUMN) == 0 ||
        (length >= tail && strcmp(f.name + length - tail, JALI_BIN_SUFFIX) == 0))
        return jali_reading_fail(r, "names like %s are ours; rename the column", f.name);
    r->depth--;
    const json_t *title = json_object_get(object, "title");
    if (json_is_string(title)) JALI_TRY(jali_reading_text(r, title, &f.title));
    JALI_TRY(read_type(r, object, &f));
    JALI_TRY(refuse_unread(r, object, &f));
    JALI_TRY(read_point(r, object, &f));
    JALI_TRY(check_members(r, object, &f, &drop));
    f.used = !drop && (person == NULL || strcmp(person, f.name) != 0);
    if (f.used) JALI_TRY(jali_field_read_domain(r, object, &f));
    *out = f;
    return JALI_OK;
}
