/* door/init.c — a vault, made whole or not at all.
 *
 * Everything is written under a temporary name in the parent folder and renamed when it is
 * on disk: a crash or a full disk leaves a folder that nobody takes for a vault, and that the
 * next import under the same name sweeps away (door/sweep.c).
 */
#define _GNU_SOURCE /* renameat2: never onto what exists */
#include "door/init.h"
#include "base/file.h"
#include "base/json.h"
#include "base/postgres.h"
#include "base/rat.h"
#include "budget/ledger.h"
#include "dice/dice.h"
#include "door/vault.h"
#include "engine/manifest.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct making {
    const jali_init *ask;
    jali_arena *arena;
    jali_schema schema;
    jali_cap cap;
    char *target, *work; /* without a slash at the end */
    const char *name;
    unsigned char id[16];
    jali_person_key key;
    char print[JALI_VAULT_PRINT]; /* of schema.json */
    jali_import_report report;
    jali_remote_place place; /* of a table that stays where it is */
} making;

static const char *in_work(making *m, const char *name)
{
    return jali_arena_format(m->arena, "%s/%s", m->work, name);
}

/* The vault's name is its folder's, without ".jali". */
static jali_status name_vault(making *m, jali_err *err)
{
    size_t n = strlen(m->ask->vault);
    while (n > 1 && m->ask->vault[n - 1] == '/') n--;
    m->target = jali_arena_format(m->arena, "%.*s", (int)n, m->ask->vault);
    if (m->target == NULL) return jali_fail_memory(err);
    const char *slash = strrchr(m->target, '/'), *base = slash ? slash + 1 : m->target;
    size_t length = strlen(base);
    if (length > 5 && strcmp(base + length - 5, ".jali") == 0) length -= 5;
    if (length == 0 || base[0] == '.' || length > JALI_LEDGER_MAX_NAME)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_CURATOR,
                         "\"%.80s\" is no name for a vault; take one like hospital.jali, of at "
                         "most %d bytes",
                         base, JALI_LEDGER_MAX_NAME);
    m->name = jali_arena_format(m->arena, "%.*s", (int)length, base);
    m->work = jali_arena_format(m->arena, "%.*s.%s.new-XXXXXX", (int)(base - m->target),
                                m->target, base);
    if (m->name == NULL || m->work == NULL) return jali_fail_memory(err);
    if (jali_file_exists(m->target))
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_CURATOR,
                         "%.200s exists already; choose another name or remove it", m->target);
    return JALI_OK;
}

static jali_status read_cap(making *m, jali_err *err)
{
    mpq_t eps, delta;
    mpq_inits(eps, delta, NULL);
    jali_status status = jali_rat_parse(eps, m->ask->epsilon, "--epsilon", err);
    if (status == JALI_OK) status = jali_rat_parse(delta, m->ask->delta, "--delta", err);
    if (status == JALI_OK) status = jali_cap_make(&m->cap, eps, delta, NULL, err);
    mpq_clears(eps, delta, NULL);
    return status;
}

static jali_status check_ask_above(const char *share, jali_err *err)
{
    mpq_t q;
    if (share == NULL) return JALI_OK;
    mpq_init(q);
    jali_status status = jali_rat_parse(q, share, "--ask-above", err);
    bool good = status == JALI_OK && mpq_sgn(q) >= 0 && mpq_cmp_ui(q, 1, 1) <= 0;
    mpq_clear(q);
    if (status != JALI_OK || good) return status;
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_CURATOR,
                     "--ask-above %.20s is not a part of the cap; take 0 to 1", share);
}

/* A server that is not there is said before the import, not after it. */
static jali_status try_server(const making *m, jali_err *err)
{
    PGconn *link;
    if (m->ask->ledger == NULL) return JALI_OK;
    JALI_TRY(jali_pg_check_server(m->ask->ledger, "--ledger", err));
    JALI_TRY(jali_pg_connect(&link, m->ask->ledger, err));
    PQfinish(link);
    return JALI_OK;
}

static jali_status check(making *m, jali_err *err)
{
    if ((m->ask->n_data > 0) == (m->ask->n_postgres > 0))
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_CURATOR,
                         "a vault has data files or a table in PostgreSQL, one of them");
    if (m->ask->shards > JALI_SHARDS_MAX)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_CURATOR,
                         "--shards %u are too many: a vault has 1 to %d", m->ask->shards,
                         JALI_SHARDS_MAX);
    JALI_TRY(name_vault(m, err));
    JALI_TRY(read_cap(m, err));
    JALI_TRY(check_ask_above(m->ask->ask_above, err));
    JALI_TRY(try_server(m, err));
    JALI_TRY(jali_schema_load(&m->schema, m->ask->schema, m->arena, err));
    if (m->schema.draft && !m->ask->accept_draft)
        return jali_fail(err, JALI_E_DATA, JALI_FOR_CURATOR,
                         "%.200s is a draft, read off private data: edit it and remove "
                         "\"draft\", or answer for what it leaks by --accept-draft",
                         m->ask->schema);
    return JALI_OK;
}

static jali_status throw_keys(making *m, jali_err *err)
{
    jali_dice *dice;
    JALI_TRY(jali_dice_new(&dice, err));
    jali_status status = jali_dice_bytes(dice, m->id, sizeof m->id);
    if (status == JALI_OK) status = jali_dice_bytes(dice, &m->key, sizeof m->key);
    jali_dice_free(dice);
    if (status == JALI_OK) return JALI_OK;
    return jali_fail(err, status, JALI_FOR_CURATOR, "no randomness for the vault's keys");
}

static void id_text(const making *m, char out[static JALI_VAULT_ID])
{
    for (size_t i = 0; i < sizeof m->id; i++) snprintf(out + 2 * i, 3, "%02x", m->id[i]);
}

static json_t *policy_json(const making *m)
{
    char id[JALI_VAULT_ID];
    const jali_schema *s = &m->schema;
    id_text(m, id);
    json_t *person = s->person < 0 ? json_string("row")
                                   : json_pack("{s:s,s:i}", "column", s->fields[s->person].name,
                                               "rowsPerPerson", (int)s->rows_per_person);
    json_t *policy = json_pack("{s:i,s:s,s:s,s:I,s:{s:s,s:s},s:s,s:s,s:o,s:b,s:s}", "jali",
                               JALI_VAULT_FORMAT, "id", id, "name", m->name, "created_ms",
                               (json_int_t)m->ask->now_ms, "cap", "epsilon", m->ask->epsilon,
                               "delta", m->ask->delta, "ask_above",
                               m->ask->ask_above == NULL ? JALI_ASK_ABOVE : m->ask->ask_above,
                               "neighbours", "add or remove one person", "person", person,
                               "public", (int)m->ask->is_public, "schema", m->print);
    if (policy != NULL && m->place.n > 0 &&
        json_object_set_new(policy, "postgres", jali_remote_to_json(&m->place)) != 0) {
        json_decref(policy);
        return NULL;
    }
    return policy;
}

/* Takes the value, and keeps the print of what was written. */
static jali_status write_json(making *m, const char *name, json_t *value, jali_err *err)
{
    char *text;
    const char *path = in_work(m, name);
    jali_status status = value == NULL || path == NULL ? jali_fail_memory(err) : JALI_OK;
    if (status == JALI_OK) status = jali_json_pretty(value, m->arena, &text, err);
    if (status == JALI_OK) jali_vault_print(m->print, text, strlen(text));
    if (status == JALI_OK) status = jali_file_replace(path, text, strlen(text), 0600, err);
    json_decref(value);
    return status;
}

static jali_status write_columns(making *m, jali_err *err)
{
    if (m->ask->n_postgres > 0)
        return jali_init_remote(m->ask, &m->schema, &m->key, m->arena, &m->place, err);
    char id[JALI_VAULT_ID];
    id_text(m, id);
    jali_import_request ask = { .schema = &m->schema,
                                .shards = m->ask->shards,
                                .set = id,
                                .files = m->ask->data,
                                .n_files = m->ask->n_data,
                                .folder = in_work(m, "columns"),
                                .scratch = m->work,
                                .key = &m->key,
                                .threads = m->ask->threads,
                                .progress = m->ask->progress };
    if (ask.folder == NULL) return jali_fail_memory(err);
    return jali_import(&ask, m->arena, &m->report, err);
}

static jali_status write_ledger(making *m, jali_err *err)
{
    const char *server = m->ask->ledger;
    jali_ledger_places places = { .file = in_work(m, server == NULL ? "ledger.sqlite"
                                                                    : "ledger.postgresql"),
                                  .server = server };
    jali_hand by = { m->ask->by, m->ask->now_ms };
    char id[JALI_VAULT_ID];
    if (places.file == NULL) return jali_fail_memory(err);
    id_text(m, id); /* a book belongs to one vault, whatever that is called */
    return jali_ledger_create(&places, id, &m->cap, &by, err);
}

/* The slow part first: if the data do not fit, nothing else was done. */
static jali_status fill(making *m, jali_err *err)
{
    JALI_TRY(throw_keys(m, err));
    JALI_TRY(write_columns(m, err));
    const char *key = in_work(m, "person.key");
    if (key == NULL) return jali_fail_memory(err);
    JALI_TRY(jali_file_replace(key, &m->key, sizeof m->key, 0600, err));
    JALI_TRY(write_json(m, "schema.json", jali_schema_json(&m->schema), err));
    JALI_TRY(write_json(m, "policy.json", policy_json(m), err));
    JALI_TRY(write_ledger(m, err));
    return jali_file_sync_folder_of(in_work(m, "x"), err);
}

static jali_status publish(making *m, jali_err *err)
{
    int bad = renameat2(AT_FDCWD, m->work, AT_FDCWD, m->target, RENAME_NOREPLACE);
    /* Some file systems do not know the flag; there, a folder that is not empty still wins. */
    if (bad && errno == EINVAL) bad = rename(m->work, m->target);
    if (bad)
        return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "cannot make %.200s: %s",
                         m->target, strerror(errno));
    jali_status status = jali_file_sync_folder_of(m->target, err);
    /* An error means that there is no vault, so its name is taken back. */
    if (status != JALI_OK && rename(m->target, m->work) != 0) jali_file_remove_tree(m->target);
    return status;
}

static jali_status tell(making *m, jali_doc **out, jali_err *err)
{
    return m->place.n > 0
               ? jali_init_remote_doc(&m->place, &m->schema, m->ask, m->target, out, err)
               : jali_init_doc(&m->report, &m->schema, m->ask, m->target, out, err);
}

/* What is said about it comes first: once it has its name, nothing may fail. */
static jali_status make(making *m, jali_doc **out, jali_err *err)
{
    jali_doc *doc = NULL;
    JALI_TRY(check(m, err));
    jali_vault_sweep(m->target);
    if (mkdtemp(m->work) == NULL)
        return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "cannot write beside %.200s: %s",
                         m->target, strerror(errno));
    int lock = jali_init_hold(m->work);
    jali_status status = fill(m, err);
    if (status == JALI_OK) status = tell(m, &doc, err);
    if (status == JALI_OK) status = publish(m, err);
    if (status == JALI_OK) {
        *out = doc;
    } else {
        jali_doc_free(doc);
        jali_file_remove_tree(m->work);
    }
    if (lock >= 0) close(lock);
    return status;
}

jali_status jali_vault_init(const jali_init *ask, jali_doc **out, jali_err *err)
{
    jali_arena arena = JALI_ARENA_INIT;
    making m = { .ask = ask, .arena = &arena };
    jali_status status = make(&m, out, err);
    memset(&m.key, 0, sizeof m.key);
    jali_arena_clear(&arena);
    return status;
}
