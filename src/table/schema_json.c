/* table/schema_json.c — a schema as JSON again, in one form. */
#include "table/inside.h"

static const char *const type_names[] = { "string",  "integer", "number",
                                          "boolean", "date",    "year" };

static bool put(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0;
}

static json_t *texts(const char *const *text, size_t n)
{
    json_t *list = json_array();
    bool good = list != NULL;
    for (size_t i = 0; good && i < n; i++)
        good = json_array_append_new(list, json_string(text[i])) == 0;
    if (good) return list;
    json_decref(list);
    return NULL;
}

/* Whole numbers as numbers, the rest as texts, which JSON readers do not round. */
static json_t *point(const jali_field *f, jali_dec value)
{
    char room[48];
    if (f->type == JALI_DATE)
        jali_date_text(room, value.units);
    else if (f->type != JALI_DECIMAL)
        return json_integer(value.units);
    else
        jali_dec_text(room, value);
    return json_string(room);
}

static json_t *edges(const jali_field *f)
{
    json_t *list = json_array();
    bool good = list != NULL;
    for (uint32_t i = 0; good && i <= f->n_bins; i++) {
        jali_dec at = f->binned ? f->cut[i] : jali_field_value(f, f->edge[i]);
        good = json_array_append_new(list, point(f, at)) == 0;
    }
    if (good) return list;
    json_decref(list);
    return NULL;
}

static bool put_constraints(const jali_field *f, json_t *rules)
{
    bool good = !f->required || put(rules, "required", json_true());
    if (f->kind == JALI_NUMBER)
        return good && put(rules, "minimum", point(f, jali_field_value(f, 0))) &&
               put(rules, "maximum", point(f, jali_field_value(f, f->domain - 2)));
    if (f->type == JALI_BOOLEAN || f->binned) return good;
    return good && put(rules, "enum", texts(f->values, f->n_values));
}

static bool put_extension(const jali_field *f, json_t *ours)
{
    char room[48];
    if (!f->used) return put(ours, "drop", json_true());
    bool good = true;
    if (f->other >= 0) good = put(ours, "other", json_string(f->values[f->other]));
    if (f->kind == JALI_NUMBER && f->type != JALI_DATE && f->type != JALI_YEAR) {
        jali_dec_text(room, f->step);
        good = good && put(ours, "step", json_string(room));
    }
    if (f->n_bins > 0) good = good && put(ours, "bins", edges(f));
    return good;
}

static json_t *field_json(const jali_field *f)
{
    json_t *object = json_object(), *rules = json_object(), *ours = json_object();
    char decimal[2] = { f->point, '\0' };
    bool good = put(object, "name", json_string(f->name)) &&
                (f->title == NULL || put(object, "title", json_string(f->title))) &&
                put(object, "type", json_string(type_names[f->type]));
    if (f->point != '.') good = good && put(object, "decimalChar", json_string(decimal));
    if (f->used && f->type == JALI_BOOLEAN)
        good = good && put(object, "trueValues", texts(f->yes, f->n_yes)) &&
               put(object, "falseValues", texts(f->no, f->n_no));
    if (f->used) good = good && put_constraints(f, rules);
    good = good && put_extension(f, ours);
    if (json_object_size(rules) > 0)
        good = good && json_object_set(object, "constraints", rules) == 0;
    if (json_object_size(ours) > 0) good = good && json_object_set(object, "jali", ours) == 0;
    json_decref(rules);
    json_decref(ours);
    if (good) return object;
    json_decref(object);
    return NULL;
}

static bool put_table(const jali_schema *s, json_t *root)
{
    json_t *ours = json_object();
    bool good = ours != NULL;
    if (s->draft) good = good && put(ours, "draft", json_true());
    if (s->person >= 0)
        good = good && put(ours, "person", json_string(s->fields[s->person].name)) &&
               put(ours, "rowsPerPerson", json_integer(s->rows_per_person));
    if (json_object_size(ours) > 0) good = good && json_object_set(root, "jali", ours) == 0;
    json_decref(ours);
    return good && put(root, "missingValues", texts(s->missing, s->n_missing));
}

json_t *jali_schema_json(const jali_schema *schema)
{
    json_t *root = json_object(), *fields = json_array();
    bool good = root != NULL && fields != NULL;
    if (schema->name != NULL) good = good && put(root, "name", json_string(schema->name));
    good = good && put_table(schema, root);
    for (size_t i = 0; good && i < schema->n; i++)
        good = json_array_append_new(fields, field_json(&schema->fields[i])) == 0;
    good = good && json_object_set(root, "fields", fields) == 0;
    json_decref(fields);
    if (good) return root;
    json_decref(root);
    return NULL;
}
