/* door/show.c — what is public about a vault or a schema. */
#include "base/json.h"
#include "base/text.h"
#include "door/door.h"
#include "door/vault.h"

static const char *const types[] = { "string", "integer", "number", "boolean", "date", "year" };

static void tell_columns(jali_doc *doc, const jali_schema *s)
{
    static const jali_col cols[] = { { "column", false },
                                     { "type", false },
                                     { "domain", false } };
    jali_doc_table(doc, 3, cols);
    for (size_t i = 0; i < s->n; i++) {
        const jali_field *f = &s->fields[i];
        if (!f->used) continue;
        const char *domain = jali_vault_domain(f, &doc->arena);
        jali_doc_cell(doc, "%s", f->name);
        jali_doc_cell(doc, "%s", types[f->type]);
        jali_doc_cell(doc, "%s", domain == NULL ? "" : domain);
        if (domain == NULL) doc->failed = true;
    }
}

static void tell_person(jali_doc *doc, const jali_schema *s)
{
    if (s->person < 0)
        jali_doc_fact(doc, "person", "a row is a person");
    else
        jali_doc_fact(doc, "person", "%s, at most %u rows each", s->fields[s->person].name,
                      s->rows_per_person);
}

static json_t *columns_json(const jali_schema *s, jali_doc *doc)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < s->n; i++) {
        const jali_field *f = &s->fields[i];
        if (!f->used) continue;
        const char *domain = jali_vault_domain(f, &doc->arena);
        json_t *row =
            json_pack("{s:s,s:s,s:s,s:I}", "column", f->name, "type", types[f->type], "domain",
                      domain == NULL ? "" : domain, "codes", (json_int_t)f->domain);
        if (json_array_append_new(rows, row) != 0) doc->failed = true;
    }
    return rows;
}

static jali_status show_doc(const jali_vault *v, jali_doc **out, jali_err *err)
{
    jali_doc *doc;
    char when[32];
    JALI_TRY(jali_doc_new(&doc, "show", err));
    jali_doc_heading(doc, "%s", v->name);
    jali_vault_tell_public(doc, v->is_public);
    tell_person(doc, &v->schema);
    jali_doc_fact(doc, "cap at creation", "eps %s, delta %s", v->epsilon, v->delta);
    jali_doc_fact(doc, "created", "%s UTC", jali_door_time(when, v->created_ms));
    if (v->place.n > 0)
        jali_doc_fact(doc, "rows", "stay in PostgreSQL, on %zu server%s", v->place.n,
                      v->place.n > 1 ? "s" : "");
    jali_doc_fact(doc, "id", "%s", v->id);
    if (v->schema.draft)
        jali_doc_say(doc,
                     "The schema is a draft that the curator accepted: it was read off the "
                     "data.");
    tell_columns(doc, &v->schema);
    jali_doc_set(doc, "vault", json_string(v->name));
    jali_doc_set(doc, "id", json_string(v->id));
    jali_doc_set(doc, "created_ms", json_integer(v->created_ms));
    jali_doc_set(doc, "cap", json_pack("{s:s,s:s}", "epsilon", v->epsilon, "delta", v->delta));
    jali_doc_set(doc, "schema", jali_schema_json(&v->schema));
    jali_doc_set(doc, "rows", columns_json(&v->schema, doc));
    return jali_doc_finish(doc, JALI_OK, out, err);
}

jali_status jali_vault_show(const char *vault, jali_doc **out, jali_err *err)
{
    jali_vault *v;
    JALI_TRY(jali_vault_open(&v, vault, err));
    jali_status status = show_doc(v, out, err);
    jali_vault_free(v);
    return status;
}

static jali_status check_doc(const jali_schema *s, const char *path, jali_doc **out,
                             jali_err *err)
{
    jali_doc *doc;
    size_t used = 0;
    for (size_t i = 0; i < s->n; i++) used += s->fields[i].used;
    JALI_TRY(jali_doc_new(&doc, "schema", err));
    jali_doc_heading(doc, "%s is good", path);
    jali_doc_fact(doc, "columns", "%zu, and %zu left out", used, s->n - used);
    tell_person(doc, s);
    if (s->draft)
        jali_doc_say(doc,
                     "It is a draft, read off private data: edit it, then remove \"draft\".");
    tell_columns(doc, s);
    jali_doc_set(doc, "draft", json_boolean(s->draft));
    jali_doc_set(doc, "schema", jali_schema_json(s));
    jali_doc_set(doc, "rows", columns_json(s, doc));
    return jali_doc_finish(doc, JALI_OK, out, err);
}

jali_status jali_schema_check(const char *path, jali_doc **out, jali_err *err)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_schema schema;
    jali_status status = jali_schema_load(&schema, path, &arena, err);
    if (status == JALI_OK) status = check_doc(&schema, path, out, err);
    jali_arena_clear(&arena);
    return status;
}
