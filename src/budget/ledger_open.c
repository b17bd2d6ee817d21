/* budget/ledger_open.c — making, opening and closing a ledger. */
#define _POSIX_C_SOURCE 200809L
#include "base/file.h"
#include "base/rat.h"
#include "budget/inside.h"
#include <unistd.h>

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
    *out = p;
    return JALI_OK;
}

static jali_status start_sodium(jali_err *err)
{
    if (sodium_init() >= 0) return JALI_OK;
    return jali_fail(err, JALI_E_ENTROPY, JALI_FOR_CURATOR, "libsodium cannot be started");
}

/* ---- making ---- */

static jali_status put_meta(sqlite3 *db, const char *key, const char *value, jali_err *err)
{
    sqlite3_stmt *stmt;
    bool row;
    JALI_TRY(jali_sql_prepare(db, &stmt, "INSERT INTO meta VALUES(?, ?)", err));
    sqlite3_bind_text(stmt, 1, key, -1, SQLITE_STATIC);
    sqlite3_bind_text(stmt, 2, value, -1, SQLITE_STATIC);
    jali_status status = jali_sql_step(stmt, &row, err);
    sqlite3_finalize(stmt);
    return status;
}

/* Row 1 repeats what meta says, so that the chain covers it. */
static jali_status put_first_row(jali_ledger *l, const jali_cap *cap, const jali_hand *by,
                                 jali_err *err)
{
    char key[2 * crypto_sign_PUBLICKEYBYTES + 1], number[24];
    jali_head head;
    json_t *cap_json;
    sodium_bin2hex(key, sizeof key, l->verifying, sizeof l->verifying);
    snprintf(number, sizeof number, "%d", JALI_LEDGER_FORMAT);
    JALI_TRY(put_meta(l->db, "format", number, err));
    JALI_TRY(put_meta(l->db, "vault", l->vault, err));
    JALI_TRY(put_meta(l->db, "verifying_key", key, err));
    snprintf(number, sizeof number, "%lld", (long long)by->now_ms);
    JALI_TRY(put_meta(l->db, "created_ms", number, err));
    JALI_TRY(jali_cap_to_json(&cap_json, cap, err));
    json_t *body = json_pack("{s:i, s:s, s:s, s:o}", "format", JALI_LEDGER_FORMAT, "vault",
                             l->vault, "verifying_key", key, "cap", cap_json);
    return jali_act_append(l->db, by, "create", "", body, &head, err);
}

static jali_status fill_file(jali_ledger *l, const jali_cap *cap, const jali_hand *by,
                             jali_err *err)
{
    char marks[96];
    snprintf(marks, sizeof marks, "PRAGMA application_id=%d; PRAGMA user_version=%d;",
             JALI_LEDGER_APPLICATION, JALI_LEDGER_FORMAT);
    JALI_TRY(jali_sql_open(&l->db, l->file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, err));
    JALI_TRY(jali_sql_run(l->db, "PRAGMA journal_mode=WAL", err));
    JALI_TRY(jali_ledger_begin(l, err));
    jali_status status = jali_sql_run(l->db, marks, err);
    if (status == JALI_OK) status = jali_sql_make_schema(l->db, err);
    if (status == JALI_OK) status = put_first_row(l, cap, by, err);
    JALI_TRY(jali_ledger_end(l, status, err));
    JALI_TRY(jali_file_sync_folder_of(l->file, err));
    return jali_checkpoint_write(l, err);
}

static void remove_with(const char *file, const char *suffix)
{
    char path[4096];
    int n = snprintf(path, sizeof path, "%s%s", file, suffix);
    if (n > 0 && (size_t)n < sizeof path) unlink(path);
}

static jali_status make(const jali_ledger_places *p, const char *vault, const jali_cap *cap,
                        const jali_hand *by, jali_err *err)
{
    jali_ledger l = {
        .file = p->file, .checkpoint = p->checkpoint, .key = p->key, .mode = JALI_LEDGER_WRITE
    };
    snprintf(l.vault, sizeof l.vault, "%s", vault);
    JALI_TRY(jali_key_make(p->key, l.verifying, l.signing, err));
    jali_status status = fill_file(&l, cap, by, err);
    if (sqlite3_close(l.db) != SQLITE_OK && status == JALI_OK)
        status = jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                           "the ledger %s could not be closed", p->file);
    sodium_memzero(l.signing, sizeof l.signing);
    if (status == JALI_OK) return JALI_OK;
    remove_with(p->file, "");
    remove_with(p->file, "-wal");
    remove_with(p->file, "-shm");
    remove_with(p->key, "");
    return status;
}

jali_status jali_ledger_create(const jali_ledger_places *places, const char *vault,
                               const jali_cap *cap, const jali_hand *by, jali_err *err)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_ledger_places p;
    JALI_TRY(start_sodium(err));
    JALI_TRY(jali_check_name(vault, JALI_LEDGER_MAX_NAME, "vault's id", err));
    JALI_TRY(jali_check_name(by->who, JALI_LEDGER_MAX_NAME, "curator's name", err));
    if (!jali_cap_is_sound(cap))
        return jali_fail(err, JALI_E_INTERNAL, JALI_FOR_CURATOR,
                         "the cap was not made by jali_cap_make");
    jali_status status = jali_places_fill(&p, places, &arena, err);
    if (status == JALI_OK && (jali_file_exists(p.file) || jali_file_exists(p.checkpoint)))
        status = jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                           "there is already a ledger or a checkpoint at %s; a ledger is never "
                           "replaced",
                           p.file);
    if (status == JALI_OK) status = make(&p, vault, cap, by, err);
    jali_arena_clear(&arena);
    return status;
}

/* ---- opening ---- */

jali_status jali_check_format(sqlite3 *db, const char *file, jali_err *err)
{
    int64_t application, version;
    JALI_TRY(jali_sql_number(db, "PRAGMA application_id", &application, err));
    JALI_TRY(jali_sql_number(db, "PRAGMA user_version", &version, err));
    if (application != JALI_LEDGER_APPLICATION)
        return jali_fail(err, JALI_E_LEDGER, JALI_FOR_CURATOR, "%s is not a jali ledger", file);
    if (version != JALI_LEDGER_FORMAT)
        return jali_fail(err, JALI_E_LEDGER, JALI_FOR_CURATOR,
                         "the ledger %s has format %lld and this jali knows format %d; use the "
                         "jali that wrote it",
                         file, (long long)version, JALI_LEDGER_FORMAT);
    return JALI_OK;
}

static jali_status get_meta(sqlite3 *db, const char *key, char *out, size_t room, jali_err *err)
{
    sqlite3_stmt *stmt;
    bool row;
    JALI_TRY(jali_sql_prepare(db, &stmt, "SELECT value FROM meta WHERE key = ?", err));
    sqlite3_bind_text(stmt, 1, key, -1, SQLITE_STATIC);
    jali_status status = jali_sql_step(stmt, &row, err);
    out[0] = '\0';
    if (status == JALI_OK && row)
        snprintf(out, room, "%s", (const char *)sqlite3_column_text(stmt, 0));
    sqlite3_finalize(stmt);
    return status;
}

jali_status jali_meta_read(sqlite3 *db, const char *file, char *vault, unsigned char *verifying,
                           jali_err *err)
{
    char key[2 * crypto_sign_PUBLICKEYBYTES + 1];
    size_t got = 0;
    JALI_TRY(get_meta(db, "vault", vault, JALI_LEDGER_MAX_NAME + 1, err));
    JALI_TRY(get_meta(db, "verifying_key", key, sizeof key, err));
    if (vault[0] != '\0' &&
        sodium_hex2bin(verifying, crypto_sign_PUBLICKEYBYTES, key, strlen(key), NULL, &got,
                       NULL) == 0 &&
        got == crypto_sign_PUBLICKEYBYTES)
        return JALI_OK;
    return jali_fail(err, JALI_E_LEDGER, JALI_FOR_CURATOR,
                     "the ledger %s does not say its vault or its key", file);
}

static jali_status check_key(jali_ledger *l, jali_err *err)
{
    unsigned char verifying[crypto_sign_PUBLICKEYBYTES];
    JALI_TRY(jali_key_read(l->key, l->signing, err));
    crypto_sign_ed25519_sk_to_pk(verifying, l->signing);
    if (sodium_memcmp(verifying, l->verifying, sizeof verifying) == 0) return JALI_OK;
    return jali_fail(err, JALI_E_LEDGER, JALI_FOR_CURATOR,
                     "the key %s does not belong to the ledger %s", l->key, l->file);
}

/* All rows are hashed again, not only the new ones: a running sum edited in an old row would
 * give budget back to whoever asks next. */
static jali_status check_against_note(jali_ledger *l, const jali_checkpoint *note,
                                      jali_err *err)
{
    jali_head head;
    JALI_TRY(jali_row_head(l->db, &head, err));
    if (strcmp(note->vault, l->vault) != 0)
        return jali_fail(err, JALI_E_LEDGER, JALI_FOR_CURATOR,
                         "the checkpoint %s is of another vault", l->checkpoint);
    if (head.seq < note->seq)
        return jali_fail(err, JALI_E_LEDGER, JALI_FOR_CURATOR,
                         "the ledger %s is an old copy: it ends at row %lld, but row %lld was "
                         "signed; bring back the newest copy",
                         l->file, (long long)head.seq, (long long)note->seq);
    l->signed_seq = note->seq;
    return jali_ledger_check_chain(l->db, l->file, note, err);
}

/* The note is read before the rows: a writer may append in between, never the reverse. All
 * rows are read at one moment, or a release could be seen whose charge came after the look. */
static jali_status check_rows(jali_ledger *l, jali_err *err)
{
    jali_checkpoint note;
    JALI_TRY(jali_checkpoint_read(&note, l->checkpoint, l->verifying, err));
    JALI_TRY(jali_sql_run(l->db, "BEGIN", err));
    jali_status status = check_against_note(l, &note, err);
    sqlite3_exec(l->db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

static jali_status open_file(jali_ledger *l, jali_err *err)
{
    int flags = l->mode == JALI_LEDGER_WRITE ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
    if (!jali_file_exists(l->file))
        return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "there is no ledger at %s",
                         l->file);
    JALI_TRY(jali_sql_open(&l->db, l->file, flags, err));
    JALI_TRY(jali_check_format(l->db, l->file, err));
    JALI_TRY(jali_sql_check_schema(l->db, l->file, err));
    JALI_TRY(jali_meta_read(l->db, l->file, l->vault, l->verifying, err));
    if (l->mode == JALI_LEDGER_WRITE) {
        JALI_TRY(check_key(l, err));
        JALI_TRY(jali_sql_run(l->db, "PRAGMA journal_mode=WAL", err));
    }
    return check_rows(l, err);
}

static void discard(jali_ledger *l)
{
    sqlite3_close(l->db);
    sodium_memzero(l->signing, sizeof l->signing);
    jali_arena_clear(&l->arena);
    pthread_mutex_destroy(&l->lock);
    free(l);
}

jali_status jali_ledger_open(jali_ledger **out, const jali_ledger_places *places,
                             jali_ledger_mode mode, jali_err *err)
{
    jali_ledger_places p = { 0 };
    JALI_TRY(start_sodium(err));
    jali_ledger *l = calloc(1, sizeof *l);
    if (l == NULL) return jali_fail_memory(err);
    pthread_mutex_init(&l->lock, NULL);
    l->mode = mode;
    jali_status status = jali_places_fill(&p, places, &l->arena, err);
    l->file = p.file;
    l->checkpoint = p.checkpoint;
    l->key = p.key;
    if (status == JALI_OK) status = open_file(l, err);
    if (status == JALI_OK)
        *out = l;
    else
        discard(l);
    return status;
}

jali_status jali_ledger_close(jali_ledger *ledger, jali_err *err)
{
    if (ledger == NULL) return JALI_OK;
    jali_status status = JALI_OK;
    if (ledger->mode == JALI_LEDGER_WRITE && !ledger->dead)
        status = jali_checkpoint_write(ledger, err);
    discard(ledger);
    return status;
}

bool jali_ledger_failed(jali_ledger *ledger)
{
    pthread_mutex_lock(&ledger->lock);
    bool failed = ledger->dead;
    pthread_mutex_unlock(&ledger->lock);
    return failed;
}
