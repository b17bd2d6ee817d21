/* budget/checkpoint.c — a signed note of how far the ledger has come.
 *
 * A restored old copy of a ledger is internally perfect; only something outside it can tell
 * that it once was longer. This is that thing: seven lines of text, the last of which signs
 * the others with Ed25519. It is written after the rows it vouches for are on disk, so it
 * is never ahead of an honest ledger.
 *
 * The key comes from libsodium's own generator: it is a secret, not noise, and dice/ is for
 * noise.
 */
#define _DEFAULT_SOURCE
#include "base/file.h"
#include "budget/inside.h"
#include <fcntl.h>
#include <inttypes.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NOTE_BYTES = 1024, SIGNATURE_HEX = 2 * crypto_sign_BYTES };

/* What is signed, byte for byte; returns its length. */
static size_t note_text(char *out, const jali_checkpoint *c, const unsigned char *verifying)
{
    char key[2 * crypto_sign_PUBLICKEYBYTES + 1];
    sodium_bin2hex(key, sizeof key, verifying, crypto_sign_PUBLICKEYBYTES);
    int n = snprintf(out, NOTE_BYTES,
                     "jali checkpoint %d\nvault %s\nrow %" PRId64 "\nhash %s\ntime %" PRId64
                     "\nkey %s\n",
                     JALI_LEDGER_FORMAT, c->vault, c->seq, c->hash, c->time_ms, key);
    return (size_t)n;
}

static jali_status refuse(const char *path, const char *why, jali_err *err)
{
    return jali_fail(err, JALI_E_LEDGER, JALI_FOR_CURATOR, "the checkpoint %s %s", path, why);
}

/* Takes the lines apart, then writes them again: only the one canonical text passes. */
static bool parse_note(jali_checkpoint *c, const char *text)
{
    int format;
    return sscanf(text,
                  "jali checkpoint %d\nvault %64[^\n]\nrow %" SCNd64
                  "\nhash %64[0-9a-f]\ntime %" SCNd64 "\n",
                  &format, c->vault, &c->seq, c->hash, &c->time_ms) == 5 &&
           format == JALI_LEDGER_FORMAT && c->seq > 0;
}

static bool signature_holds(const char *text, const char *note, size_t n,
                            const unsigned char *verifying)
{
    static const char LABEL[] = "signature ";
    unsigned char signature[crypto_sign_BYTES];
    size_t got;
    if (strncmp(text, note, n) != 0 || strncmp(text + n, LABEL, strlen(LABEL)) != 0)
        return false;
    const char *hex = text + n + strlen(LABEL);
    if (strlen(hex) != SIGNATURE_HEX + 1 || hex[SIGNATURE_HEX] != '\n') return false;
    if (sodium_hex2bin(signature, sizeof signature, hex, SIGNATURE_HEX, NULL, &got, NULL) != 0)
        return false;
    return got == sizeof signature &&
           crypto_sign_verify_detached(signature, (const unsigned char *)note, n, verifying) ==
               0;
}

jali_status jali_checkpoint_read(jali_checkpoint *out, const char *path,
                                 const unsigned char *verifying, jali_err *err)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_checkpoint c = { 0 };
    char note[NOTE_BYTES], *text;
    size_t n;
    if (!jali_file_exists(path))
        return refuse(path,
                      "is missing; put it back, or say where it is: without it nobody can "
                      "tell whether this ledger is an old copy",
                      err);
    jali_status status = jali_file_read(path, NOTE_BYTES, &arena, &text, &n, err);
    if (status == JALI_OK &&
        (!parse_note(&c, text) ||
         !signature_holds(text, note, note_text(note, &c, verifying), verifying)))
        status = refuse(path, "is not signed by the key of this ledger, or was edited", err);
    jali_arena_clear(&arena);
    if (status == JALI_OK) *out = c;
    return status;
}

static jali_status write_note(jali_ledger *ledger, const jali_head *head, jali_err *err)
{
    jali_checkpoint c = { .seq = head->seq, .time_ms = head->time_ms };
    char note[NOTE_BYTES], hex[SIGNATURE_HEX + 1];
    unsigned char signature[crypto_sign_BYTES];
    snprintf(c.vault, sizeof c.vault, "%s", ledger->vault);
    snprintf(c.hash, sizeof c.hash, "%s", head->hash);
    size_t n = note_text(note, &c, ledger->verifying);
    crypto_sign_detached(signature, NULL, (const unsigned char *)note, n, ledger->signing);
    sodium_bin2hex(hex, sizeof hex, signature, sizeof signature);
    n += (size_t)snprintf(note + n, NOTE_BYTES - n, "signature %s\n", hex);
    return jali_file_replace(ledger->checkpoint, note, n, 0644, err);
}

/* Writers take turns on the key file, so that a slow one cannot put an older note over a
 * newer one. */
jali_status jali_checkpoint_write(jali_ledger *ledger, jali_err *err)
{
    jali_head head;
    jali_checkpoint old = { 0 };
    int fd = open(ledger->key, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || flock(fd, LOCK_EX) != 0) {
        if (fd >= 0) close(fd);
        return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                         "cannot sign a checkpoint: the key %s cannot be opened", ledger->key);
    }
    jali_status status = jali_row_head(ledger->store, &head, err);
    if (status == JALI_OK && jali_file_exists(ledger->checkpoint))
        status = jali_checkpoint_read(&old, ledger->checkpoint, ledger->verifying, err);
    if (status == JALI_OK && old.seq < head.seq) status = write_note(ledger, &head, err);
    if (status == JALI_OK) ledger->signed_seq = head.seq > old.seq ? head.seq : old.seq;
    close(fd);
    return status;
}

/* ---- the key ---- */

jali_status jali_key_make(const char *path, unsigned char *verifying, unsigned char *signing,
                          jali_err *err)
{
    char hex[2 * crypto_sign_SECRETKEYBYTES + 2];
    if (jali_file_exists(path))
        return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                         "there is already a key at %s; a new ledger needs a new one", path);
    crypto_sign_keypair(verifying, signing);
    sodium_bin2hex(hex, sizeof hex, signing, crypto_sign_SECRETKEYBYTES);
    hex[sizeof hex - 2] = '\n';
    jali_status status = jali_file_replace(path, hex, sizeof hex - 1, 0600, err);
    sodium_memzero(hex, sizeof hex);
    return status;
}

jali_status jali_key_read(const char *path, unsigned char *signing, jali_err *err)
{
    jali_arena arena = JALI_ARENA_INIT;
    struct stat st;
    char *hex = NULL;
    size_t n = 0, got = 0;
    if (stat(path, &st) == 0 && (st.st_mode & 077) != 0)
        return jali_fail(err, JALI_E_LEDGER, JALI_FOR_CURATOR,
                         "the signing key %s can be read by others; run chmod 600 on it", path);
    jali_status status =
        jali_file_read(path, 2 * crypto_sign_SECRETKEYBYTES + 2, &arena, &hex, &n, err);
    if (status == JALI_OK &&
        (sodium_hex2bin(signing, crypto_sign_SECRETKEYBYTES, hex, n, "\n", &got, NULL) != 0 ||
         got != crypto_sign_SECRETKEYBYTES))
        status = jali_fail(err, JALI_E_LEDGER, JALI_FOR_CURATOR,
                           "%s is not a signing key of a ledger", path);
    if (hex != NULL) sodium_memzero(hex, n);
    jali_arena_clear(&arena);
    return status;
}
