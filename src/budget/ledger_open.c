/* budget/ledger_open.c — making, opening and closing a ledger. */
#define _POSIX_C_SOURCE 200809L
#include "base/file.h"
#include "base/rat.h"
#include "budget/inside.h"
#include <unistd.h>

static jali_status start_sodium(jali_err *err)
{
    if (sodium_init() >= 0) return JALI_OK;
    return jali_fail(err, JALI_E_ENTROPY, JALI_FOR_CURATOR, "libsodium cannot be started");
}

/* ---- making ---- */

static jali_status put_meta(jali_store *store, const char *key, const char *value,
                            jali_err *err)
{
    const jali_cell cells[] = { jali_cell_text(key), jali_cell_text(value) };
    return jali_store_run(store, "INSERT INTO meta VALUES($1, $2)", cells, 2, err);
}

/* Row 1 repeats what meta says, so that the chain covers it. */
static jali_status put_first_row(jali_ledger *l, const jali_cap *cap, const jali_hand *by,
                                 jali_err *err)
{
    char key[2 * crypto_sign_PUBLICKEYBYTES + 1], number[24];
    json_t *cap_json;
    sodium_bin2hex(key, sizeof key, l->verifying, sizeof l->verifying);
    snprintf(number, sizeof number, "%d", JALI_LEDGER_FORMAT);
    JALI_TRY(put_meta(l->store, "format", number, err));
    JALI_TRY(put_meta(l->store, "vault", l->vault, err));
    JALI_TRY(put_meta(l->store, "verifying_key", key, err));
    snprintf(number, sizeof number, "%lld", (long long)by->now_ms);
    JALI_TRY(put_meta(l->store, "created_ms", number, err));
    JALI_TRY(jali_cap_to_json(&cap_json, cap, err));
    json_t *body = json_pack("{s:i, s:s, s:s, s:o}", "format", JALI_LEDGER_FORMAT, "vault",
                             l->vault, "verifying_key", key, "cap", cap_json);
    return jali_act_append(l->store, by, "create", "", body, &l->seen, err);
}

static jali_status fill_tables(jali_ledger *l, const jali_cap *cap, const jali_hand *by,
                               jali_err *err)
{
    jali_store *store = l->store;
    JALI_TRY(store->kind->check_writable(store, err));
    JALI_TRY(store->kind->begin(store, JALI_STORE_MAKE, err));
    jali_status status = store->kind->make(store, err);
    if (status == JALI_OK) status = put_first_row(l, cap, by, err);
    if (status == JALI_OK) status = store->kind->commit(store, err);
    if (status != JALI_OK) store->kind->rollback(store);
    return status;
}

/* The note is the last thing: without it nothing opens. */
static jali_status fill(jali_ledger *l, const jali_ledger_places *p, const jali_cap *cap,
                        const jali_hand *by, jali_err *err)
{
    jali_status status = JALI_OK;
    if (p->server != NULL) status = jali_pointer_write(p, l->vault, err);
    if (status == JALI_OK) status = jali_places_store(&l->store, p, JALI_STORE_MAKE, err);
    if (status == JALI_OK) status = fill_tables(l, cap, by, err);
    if (status == JALI_OK) status = jali_file_sync_folder_of(l->file, err);
    if (status == JALI_OK) status = jali_checkpoint_write(l, err);
    if (l->store != NULL && !l->store->kind->close(l->store) && status == JALI_OK)
        status = jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                           "the ledger %s could not be closed", p->file);
    return status;
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
    jali_ledger l = { .file = p->file,
                      .name = p->file,
                      .checkpoint = p->checkpoint,
                      .key = p->key,
                      .mode = JALI_LEDGER_WRITE };
    snprintf(l.vault, sizeof l.vault, "%s", vault);
    JALI_TRY(jali_key_make(p->key, l.verifying, l.signing, err));
    jali_status status = fill(&l, p, cap, by, err);
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

jali_status jali_check_version(const char *name, int64_t version, jali_err *err)
{
    if (version == JALI_LEDGER_FORMAT) return JALI_OK;
    return jali_fail(err, JALI_E_LEDGER, JALI_FOR_CURATOR,
                     "the ledger %s has format %lld and this jali knows format %d; use the "
                     "jali that wrote it",
                     name, (long long)version, JALI_LEDGER_FORMAT);
}

static jali_status get_meta(jali_store *store, const char *key, char *out, size_t room,
                            jali_err *err)
{
    const jali_cell which = jali_cell_text(key);
    jali_rows rows;
    bool found;
    JALI_TRY(jali_rows_first(&rows, store, "SELECT value FROM meta WHERE key = $1", &which, 1,
                             &found, err));
    snprintf(out, room, "%s", found ? jali_rows_text(&rows, 0) : "");
    jali_rows_finish(&rows);
    return JALI_OK;
}

jali_status jali_meta_read(jali_store *store, char *vault, unsigned char *verifying,
                           jali_err *err)
{
    char key[2 * crypto_sign_PUBLICKEYBYTES + 1];
    size_t got = 0;
    JALI_TRY(get_meta(store, "vault", vault, JALI_LEDGER_MAX_NAME + 1, err));
    JALI_TRY(get_meta(store, "verifying_key", key, sizeof key, err));
    if (vault[0] != '\0' &&
        sodium_hex2bin(verifying, crypto_sign_PUBLICKEYBYTES, key, strlen(key), NULL, &got,
                       NULL) == 0 &&
        got == crypto_sign_PUBLICKEYBYTES)
        return JALI_OK;
    return jali_fail(err, JALI_E_LEDGER, JALI_FOR_CURATOR,
                     "the ledger %s does not say its vault or its key", store->name);
}

static jali_status check_key(jali_ledger *l, jali_err *err)
{
    unsigned char verifying[crypto_sign_PUBLICKEYBYTES];
    JALI_TRY(jali_key_read(l->key, l->signing, err));
    crypto_sign_ed25519_sk_to_pk(verifying, l->signing);
    if (sodium_memcmp(verifying, l->verifying, sizeof verifying) == 0) return JALI_OK;
    return jali_fail(err, JALI_E_LEDGER, JALI_FOR_CURATOR,
                     "the key %s does not belong to the ledger %s", l->key, l->name);
}

/* A release is found, and an analyst's charges are summed, by an index that no hash covers:
 * where it says something else than the rows, it would answer with another's release or give
 * a quota back. */
static jali_status check_pages(jali_ledger *l, jali_err *err)
{
    char why[200];
    JALI_TRY(l->store->kind->check_pages(l->store, why, sizeof why, err));
    if (why[0] == '\0') return JALI_OK;
    return jali_fail(err, JALI_E_LEDGER, JALI_FOR_CURATOR,
                     "the ledger %s is damaged beside its rows, which are good: %s; copy it, "
                     "run sqlite3 %s REINDEX, then jali ledger verify",
                     l->name, why, l->file);
}

/* All rows are hashed again, not only the new ones: a running sum edited in an old row would
 * give budget back to whoever asks next. */
static jali_status check_against_note(jali_ledger *l, const jali_checkpoint *note,
                                      jali_err *err)
{
    jali_head head;
    JALI_TRY(jali_row_head(l->store, &head, err));
    if (strcmp(note->vault, l->vault) != 0)
        return jali_fail(err, JALI_E_LEDGER, JALI_FOR_CURATOR,
                         "the checkpoint %s is of another vault", l->checkpoint);
    if (head.seq < note->seq)
        return jali_fail(err, JALI_E_LEDGER, JALI_FOR_CURATOR,
                         "the ledger %s is an old copy: it ends at row %lld, but row %lld was "
                         "signed; bring back the newest copy",
                         l->name, (long long)head.seq, (long long)note->seq);
    JALI_TRY(jali_ledger_check_chain(l->store, note, err));
    JALI_TRY(check_pages(l, err));
    if (head.seq > l->seen.seq) l->seen = head;
    return JALI_OK;
}

/* What this handle itself has seen binds like a signature, if it is newer. */
static void prefer_seen(const jali_ledger *l, jali_checkpoint *note)
{
    if (l->seen.seq <= note->seq) return;
    note->seq = l->seen.seq;
    memcpy(note->hash, l->seen.hash, sizeof note->hash);
}

/* The note is read before the rows: a writer may append in between, never the reverse. All
 * rows are read at one moment, or a release could be seen whose charge came after the look. */
static jali_status check_rows(jali_ledger *l, jali_err *err)
{
    jali_checkpoint note;
    JALI_TRY(jali_checkpoint_read(&note, l->checkpoint, l->verifying, err));
    l->signed_seq = note.seq;
    prefer_seen(l, &note);
    JALI_TRY(l->store->kind->begin(l->store, JALI_STORE_READ, err));
    jali_status status = check_against_note(l, &note, err);
    l->store->kind->rollback(l->store);
    return status;
}

static jali_status check_all(jali_ledger *l, jali_err *err)
{
    const jali_store_kind *kind = l->store->kind;
    JALI_TRY(kind->check_format(l->store, err));
    JALI_TRY(kind->check_schema(l->store, err));
    JALI_TRY(jali_meta_read(l->store, l->vault, l->verifying, err));
    if (l->mode == JALI_LEDGER_WRITE) {
        JALI_TRY(check_key(l, err));
        JALI_TRY(kind->check_writable(l->store, err));
    }
    return check_rows(l, err);
}

jali_status jali_ledger_check_again(jali_ledger *ledger, jali_err *err)
{
    return check_all(ledger, err);
}

static jali_status open_store(jali_ledger *l, const jali_ledger_places *places, jali_err *err)
{
    jali_ledger_places p;
    JALI_TRY(jali_places_fill(&p, places, &l->arena, err));
    l->file = p.file;
    l->checkpoint = p.checkpoint;
    l->key = p.key;
    JALI_TRY(jali_places_store(
        &l->store, &p, l->mode == JALI_LEDGER_WRITE ? JALI_STORE_WRITE : JALI_STORE_READ, err));
    l->name = l->store->name;
    return check_all(l, err);
}

static void discard(jali_ledger *l)
{
    if (l->reader != NULL) l->reader->kind->close(l->reader);
    if (l->store != NULL) l->store->kind->close(l->store);
    sodium_memzero(l->signing, sizeof l->signing);
    jali_arena_clear(&l->arena);
    pthread_mutex_destroy(&l->lock);
    pthread_mutex_destroy(&l->reading);
    pthread_mutex_destroy(&l->gate);
    free(l);
}

jali_status jali_ledger_open(jali_ledger **out, const jali_ledger_places *places,
                             jali_ledger_mode mode, jali_err *err)
{
    JALI_TRY(start_sodium(err));
    jali_ledger *l = calloc(1, sizeof *l);
    if (l == NULL) return jali_fail_memory(err);
    pthread_mutex_init(&l->lock, NULL);
    pthread_mutex_init(&l->reading, NULL);
    pthread_mutex_init(&l->gate, NULL);
    l->mode = mode;
    jali_status status = open_store(l, places, err);
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

bool jali_ledger_failed(const jali_ledger *ledger)
{
    return ledger->dead;
}

/* Readers who look at the file while a commit waits for the disk see what was committed
 * before, all of it. A server's ledger stays as it is: its one connection is for all. */
jali_status jali_ledger_read_beside(jali_ledger *ledger, jali_err *err)
{
    if (ledger->store->kind->recover != NULL || ledger->reader != NULL) return JALI_OK;
    return jali_store_open_file(&ledger->reader, ledger->file, JALI_STORE_READ, err);
}
