/* door/vault.c — a vault, opened. */
#include "door/vault.h"
#include "base/file.h"
#include "base/json.h"
#include "door/door.h"
#include <sodium.h>

enum { POLICY_BYTES = 1 << 20, PRINT_BYTES = (JALI_VAULT_PRINT - 1) / 2 };

static jali_status broken(const char *path, const char *why, jali_err *err)
{
    return jali_fail(err, JALI_E_DATA, JALI_FOR_CURATOR, "the vault %.200s is broken: %s", path,
                     why);
}

void jali_vault_print(char out[static JALI_VAULT_PRINT], const char *text, size_t n)
{
    unsigned char print[PRINT_BYTES];
    crypto_generichash(print, sizeof print, (const unsigned char *)text, n, NULL, 0);
    sodium_bin2hex(out, JALI_VAULT_PRINT, print, sizeof print);
}

static jali_status read_policy(jali_vault *v, const json_t *p, jali_err *err)
{
    const char *id, *name, *eps, *delta;
    const json_t *cap = json_object_get(p, "cap"), *is_public = json_object_get(p, "public"),
                 *made = json_object_get(p, "created_ms");
    if (json_integer_value(json_object_get(p, "jali")) != JALI_VAULT_FORMAT)
        return broken(v->path,
                      "its policy.json is of another format; use the jali that made it", err);
    JALI_TRY(jali_json_string(p, "id", "policy.json", &id, err));
    JALI_TRY(jali_json_string(p, "name", "policy.json", &name, err));
    JALI_TRY(jali_json_string(cap, "epsilon", "the cap of policy.json", &eps, err));
    JALI_TRY(jali_json_string(cap, "delta", "the cap of policy.json", &delta, err));
    if (!json_is_boolean(is_public) || !json_is_integer(made) ||
        strlen(id) != JALI_VAULT_ID - 1)
        return broken(v->path, "its policy.json lacks \"id\", \"public\" or \"created_ms\"",
                      err);
    memcpy(v->id, id, sizeof v->id);
    v->name = jali_arena_text(&v->arena, name);
    v->epsilon = jali_arena_text(&v->arena, eps);
    v->delta = jali_arena_text(&v->arena, delta);
    const char *above = json_string_value(json_object_get(p, "ask_above"));
    v->ask_above = jali_arena_text(&v->arena, above == NULL ? JALI_ASK_ABOVE : above);
    if (v->name == NULL || v->epsilon == NULL || v->delta == NULL || v->ask_above == NULL)
        return jali_fail_memory(err);
    v->is_public = json_is_true(is_public);
    v->created_ms = json_integer_value(made);
    return JALI_OK;
}

/* Every used field has its column, of its domain: then no code can be read wrongly. */
static jali_status check_columns(const jali_vault *v, jali_err *err)
{
    size_t next = 0;
    const char *set = jali_columns_set(v->columns);
    if (set[0] != '\0' && strcmp(set, v->id) != 0)
        return broken(v->path, "the shards in columns/ are of another import", err);
    for (size_t i = 0; i < v->schema.n; i++) {
        const jali_field *f = &v->schema.fields[i];
        if (!f->used) continue;
        const jali_column *c =
            next < jali_columns_count(v->columns) ? jali_columns_at(v->columns, next++) : NULL;
        if (c == NULL || strcmp(c->name, f->name) != 0 || c->domain != f->domain)
            return broken(v->path, "schema.json and columns/ are not of one import", err);
    }
    return JALI_OK;
}

/* A file that was edited after the import is not read any further. */
static jali_status read_schema(jali_vault *v, const json_t *p, jali_err *err)
{
    char *text, print[JALI_VAULT_PRINT];
    const char *want, *path = v->page[1].path;
    size_t n;
    JALI_TRY(jali_json_string(p, "schema", "policy.json", &want, err));
    JALI_TRY(jali_file_read(path, JALI_MAX_SCHEMA_BYTES, &v->arena, &text, &n, err));
    jali_vault_print(print, text, n);
    if (strcmp(print, want) != 0)
        return broken(v->path,
                      "its schema.json was edited after the import; bring it back, or import "
                      "again with the new schema",
                      err);
    return jali_schema_parse(&v->schema, text, n, path, &v->arena, err);
}

/* The columns of a table elsewhere; no network is touched before somebody asks. */
static jali_status open_remote(jali_vault *v, const json_t *facts, jali_err *err)
{
    jali_postgres *pg;
    jali_person_key key = { { 0 }, { 0 } };
    JALI_TRY(jali_remote_from_json(facts, &v->arena, &v->place, err));
    if (v->schema.person >= 0) JALI_TRY(jali_vault_person_key(v, &key, err));
    JALI_TRY(jali_postgres_new(&pg, v->place.conninfo, v->place.n, err));
    jali_status status =
        jali_remote_make(&v->schema, &v->place, &key, pg, &v->arena, &v->remote, err);
    if (status == JALI_OK) status = jali_columns_remote(&v->columns, &v->remote, err);
    if (status != JALI_OK) jali_postgres_free(pg);
    if (status != JALI_OK) v->remote.postgres = NULL;
    memset(&key, 0, sizeof key);
    return status;
}

static jali_status refuse_crew(const jali_vault *v, jali_err *err)
{
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_CURATOR,
                     "the table of %.200s is counted by its database: run jali instead of "
                     "jali-tally",
                     v->path);
}

/* What the policy's text and the schema say, and the columns that belong to it. */
static jali_status read_facts(jali_vault *v, const char *policy, size_t n, const char *columns,
                              unsigned rank, unsigned ranks, jali_err *err)
{
    json_t *facts;
    JALI_TRY(jali_json_parse(&facts, policy, n, v->page[0].path, err));
    jali_status status = read_policy(v, facts, err);
    if (status == JALI_OK) status = read_schema(v, facts, err);
    const json_t *elsewhere = json_object_get(facts, "postgres");
    if (status == JALI_OK)
        status = elsewhere == NULL
                     ? jali_columns_open_share(&v->columns, columns, rank, ranks, err)
                 : ranks > 1 ? refuse_crew(v, err)
                             : open_remote(v, elsewhere, err);
    json_decref(facts);
    return status;
}

static jali_status open_parts(jali_vault *v, unsigned rank, unsigned ranks, jali_err *err)
{
    char *schema, *policy, *columns, *text;
    size_t n;
    JALI_TRY(jali_door_path(v->path, "schema.json", &v->arena, &schema, err));
    JALI_TRY(jali_door_path(v->path, "policy.json", &v->arena, &policy, err));
    JALI_TRY(jali_door_path(v->path, "columns", &v->arena, &columns, err));
    v->page[0] = (jali_vault_page){ policy, jali_file_mark_at(policy) };
    v->page[1] = (jali_vault_page){ schema, jali_file_mark_at(schema) };
    if (!v->page[0].mark.there)
        return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                         "%.200s is not a vault: it has no policy.json", v->path);
    JALI_TRY(jali_file_read(policy, POLICY_BYTES, &v->arena, &text, &n, err));
    JALI_TRY(read_facts(v, text, n, columns, rank, ranks, err));
    return check_columns(v, err);
}

bool jali_vault_as_opened(const jali_vault *vault)
{
    return vault->place.n == 0 && jali_file_is_as(vault->page[0].path, &vault->page[0].mark) &&
           jali_file_is_as(vault->page[1].path, &vault->page[1].mark) &&
           jali_columns_as_opened(vault->columns);
}

jali_status jali_vault_open(jali_vault **out, const char *path, jali_err *err)
{
    return jali_vault_open_share(out, path, 0, 1, err);
}

jali_status jali_vault_open_share(jali_vault **out, const char *path, unsigned rank,
                                  unsigned ranks, jali_err *err)
{
    jali_vault *v = calloc(1, sizeof *v);
    if (v == NULL) return jali_fail_memory(err);
    v->path = jali_arena_text(&v->arena, path);
    jali_status status =
        v->path == NULL ? jali_fail_memory(err) : open_parts(v, rank, ranks, err);
    if (status == JALI_OK)
        *out = v;
    else
        jali_vault_free(v);
    return status;
}

void jali_vault_free(jali_vault *vault)
{
    if (vault == NULL) return;
    jali_columns_free(vault->columns);
    jali_postgres_free(vault->remote.postgres);
    jali_arena_clear(&vault->arena);
    free(vault);
}

jali_status jali_vault_person_key(const jali_vault *vault, jali_person_key *out, jali_err *err)
{
    jali_arena arena = JALI_ARENA_INIT;
    char *path, *bytes = NULL;
    size_t n = 0;
    jali_status status = jali_door_path(vault->path, "person.key", &arena, &path, err);
    if (status == JALI_OK) status = jali_file_read(path, sizeof *out, &arena, &bytes, &n, err);
    if (status == JALI_OK && n != sizeof *out)
        status = broken(vault->path, "its person.key is not 32 bytes long", err);
    if (status == JALI_OK) memcpy(out, bytes, sizeof *out);
    if (bytes != NULL) memset(bytes, 0, n);
    jali_arena_clear(&arena);
    return status;
}

static const char public_words[] =
    "This vault is public: its truth may be shown, and nothing printed from it is private.";

const char *jali_vault_warning(const jali_vault *vault)
{
    return vault->is_public ? public_words : NULL;
}

void jali_vault_tell_public(jali_doc *doc, bool is_public)
{
    if (is_public) jali_doc_say(doc, "%s", public_words);
    jali_doc_set(doc, "public", json_boolean(is_public));
}

bool jali_vault_is_public(const char *path)
{
    jali_vault *v;
    if (jali_vault_open(&v, path, NULL) != JALI_OK) return false;
    bool is_public = v->is_public;
    jali_vault_free(v);
    return is_public;
}

/* The first values that fit a line. */
static const char *list_values(const jali_field *f, jali_arena *arena)
{
    enum { LINE = 56 };
    char line[LINE + 8] = "";
    size_t used = 0;
    uint32_t i = 0;
    for (; i < f->n_values; i++) {
        size_t n = strlen(f->values[i]);
        if (used + n + 2 > LINE) break;
        used += (size_t)snprintf(line + used, sizeof line - used, "%s%s", i ? ", " : "",
                                 f->values[i]);
    }
    if (i == f->n_values) return jali_arena_text(arena, line);
    return jali_arena_format(arena, "%s%s... (%u values)", line, i ? ", " : "", f->n_values);
}

const char *jali_vault_domain(const jali_field *field, jali_arena *arena)
{
    char step[48] = "";
    if (field->kind == JALI_CATEGORY) return list_values(field, arena);
    const char *low = jali_field_text(field, 0, arena),
               *high = jali_field_text(field, field->domain - 2, arena);
    if (low == NULL || high == NULL) return NULL;
    if (field->step.units != 1 || field->step.digits != 0) {
        jali_field unit = *field;
        unit.low = 1;
        unit.domain = 3;
        const char *text = jali_field_text(&unit, 0, arena);
        if (text == NULL) return NULL;
        snprintf(step, sizeof step, " by %s", text);
    }
    if (field->n_bins > 0)
        return jali_arena_format(arena, "%s to %s%s, %u bins", low, high, step, field->n_bins);
    return jali_arena_format(arena, "%s to %s%s", low, high, step);
}
