/* budget/ledger_place.c — where a ledger lies: its file, its note, its key, its server.
 *
 * A ledger on a server has a small file in the vault that points to it: FILE.postgresql, JSON,
 * without a password. The note and the key lie beside it, in the vault, out of the reach of
 * whoever runs the server.
 */
#include "base/file.h"
#include "base/postgres.h"
#include "budget/inside.h"

enum { POINTER_BYTES = 8192 };

jali_status jali_places_fill(jali_ledger_places *out, const jali_ledger_places *places,
                             jali_arena *arena, jali_err *err)
{
    jali_ledger_places p = { .file = jali_arena_text(arena, places->file) };
    p.checkpoint = places->checkpoint != NULL
                       ? jali_arena_text(arena, places->checkpoint)
                       : jali_arena_format(arena, "%s.checkpoint", places->file);
    p.key = places->key != NULL ? jali_arena_text(arena, places->key)
                                : jali_arena_format(arena, "%s.key", places->file);
    if (p.file == NULL || p.checkpoint == NULL || p.key == NULL) return jali_fail_memory(err);
    if (places->server != NULL) {
        JALI_TRY(jali_pg_check_server(places->server, "--ledger", err));
        p.server = jali_arena_text(arena, places->server);
        if (p.server == NULL) return jali_fail_memory(err);
    }
    *out = p;
    return JALI_OK;
}

static bool is_pointer(const char *file)
{
    static const char suffix[] = ".postgresql";
    size_t n = strlen(file), m = strlen(suffix);
    return n > m && strcmp(file + n - m, suffix) == 0;
}

jali_status jali_pointer_write(const jali_ledger_places *places, const char *vault,
                               jali_err *err)
{
    jali_arena arena = JALI_ARENA_INIT;
    char *text;
    if (!is_pointer(places->file))
        return jali_fail(err, JALI_E_INTERNAL, JALI_FOR_CURATOR,
                         "the file that points to a server is called .postgresql");
    json_t *value = json_pack("{s:i,s:s,s:s}", "jali", JALI_LEDGER_FORMAT, "vault", vault,
                              "server", places->server);
    jali_status status =
        value == NULL ? jali_fail_memory(err) : jali_json_pretty(value, &arena, &text, err);
    if (status == JALI_OK)
        status = jali_file_replace(places->file, text, strlen(text), 0600, err);
    json_decref(value);
    jali_arena_clear(&arena);
    return status;
}

static jali_status open_pointer(jali_store **out, const char *file, jali_err *err)
{
    json_t *value;
    JALI_TRY(jali_json_load(&value, file, POINTER_BYTES, err));
    const char *vault = json_string_value(json_object_get(value, "vault"));
    const char *server = json_string_value(json_object_get(value, "server"));
    jali_status status = JALI_OK;
    if (vault == NULL || server == NULL ||
        jali_check_name(vault, JALI_LEDGER_MAX_NAME, "vault", NULL) != JALI_OK ||
        json_integer_value(json_object_get(value, "jali")) != JALI_LEDGER_FORMAT)
        status = jali_fail(err, JALI_E_LEDGER, JALI_FOR_CURATOR,
                           "%s does not say where the ledger is: it needs jali %d, vault and "
                           "server",
                           file, JALI_LEDGER_FORMAT);
    if (status == JALI_OK) status = jali_pg_check_server(server, file, err);
    if (status == JALI_OK) status = jali_store_open_server(out, server, vault, err);
    json_decref(value);
    return status;
}

jali_status jali_places_store(jali_store **out, const jali_ledger_places *places,
                              jali_store_mode mode, jali_err *err)
{
    if (mode != JALI_STORE_MAKE && !jali_file_exists(places->file))
        return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "there is no ledger at %s",
                         places->file);
    if (is_pointer(places->file)) return open_pointer(out, places->file, err);
    return jali_store_open_file(out, places->file, mode, err);
}
