/* door/init_remote.c — a vault over a table that stays in PostgreSQL. */
#include "door/init.h"
#include "door/vault.h"

static jali_status try_place(const jali_init *ask, const jali_schema *schema,
                             const jali_person_key *key, jali_postgres *pg, jali_arena *arena,
                             jali_remote_place *out, jali_err *err)
{
    jali_remote remote;
    if (ask->table == NULL)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_CURATOR,
                         "--postgres needs --table TABLE, or --table SCHEMA.TABLE");
    JALI_TRY(jali_remote_find(pg, ask->table, schema, arena, out, err));
    out->n = ask->n_postgres;
    out->conninfo = ask->postgres;
    JALI_TRY(jali_remote_make(schema, out, key, pg, arena, &remote, err));
    return jali_remote_check(&remote, err);
}

jali_status jali_init_remote(const jali_init *ask, const jali_schema *schema,
                             const jali_person_key *key, jali_arena *arena,
                             jali_remote_place *out, jali_err *err)
{
    jali_postgres *pg;
    JALI_TRY(jali_postgres_new(&pg, ask->postgres, ask->n_postgres, err));
    jali_status status = try_place(ask, schema, key, pg, arena, out, err);
    jali_postgres_free(pg);
    return status;
}

static void tell_types(jali_doc *doc, const jali_remote_place *place)
{
    static const jali_col cols[] = { { "column", false }, { "SQL type", false } };
    jali_doc_table(doc, 2, cols);
    for (size_t i = 0; i < place->n_types; i++) {
        jali_doc_cell(doc, "%s", place->typed[i]);
        jali_doc_cell(doc, "%s", place->type[i]);
    }
}

jali_status jali_init_remote_doc(const jali_remote_place *place, const jali_schema *schema,
                                 const jali_init *ask, const char *vault, jali_doc **out,
                                 jali_err *err)
{
    jali_doc *doc;
    JALI_TRY(jali_doc_new(&doc, "init", err));
    jali_doc_heading(doc, "Made %s", vault);
    jali_vault_tell_public(doc, ask->is_public);
    jali_doc_fact(doc, "table", "%s.%s", place->schema, place->table);
    jali_doc_fact(doc, "servers", "%zu", place->n);
    jali_doc_say(doc, "The rows stay in PostgreSQL: nothing was copied, and no row was read.");
    if (schema->person >= 0 && place->n > 1)
        jali_doc_say(doc, "All rows of a person must lie on one server: a person with rows on "
                          "two of them counts as two.");
    tell_types(doc, place);
    jali_doc_set(doc, "vault", json_string(vault));
    jali_doc_set(doc, "postgres", jali_remote_to_json(place));
    return jali_doc_finish(doc, JALI_OK, out, err);
}
