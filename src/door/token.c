/* door/token.c — secrets that let people in by a server: tokens.json of a vault.
 *
 * A token is jali_ID_SECRET; the secret has 192 random bits and is kept as argon2id only.
 */
#define _GNU_SOURCE
#include "base/text.h"
#include "door/door.h"
#include "door/shelf.h"
#include <sodium.h>
#include <stdlib.h>
#include <sys/stat.h>

enum {
    MAX_TOKENS = 1000,
    SECRET_BYTES = 24,
    SECRET_TEXT = 33 /* base64, with its end */
};

static const char *const roles[] = { "analyst", "auditor", "curator" };

static bool is_revoked(const json_t *token)
{
    return json_object_get(token, "revoked_ms") != NULL;
}

static json_t *find(const jali_shelf *b, const char *id, size_t n)
{
    size_t i;
    json_t *token;
    json_array_foreach(b->items, i, token)
    {
        const char *known = jali_shelf_word(token, "id");
        if (strlen(known) == n && memcmp(known, id, n) == 0) return token;
    }
    return NULL;
}

/* ---- adding ----------------------------------------------------------------------------- */

static jali_status check_name(const char *name, jali_err *err)
{
    size_t n = strlen(name);
    if (n > 0 && n < JALI_NAME && jali_text_is_utf8(name, n) && !jali_text_commands(name) &&
        strchr(name, '\n') == NULL && strchr(name, '\t') == NULL)
        return JALI_OK;
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_CURATOR,
                     "a name has 1 to %d bytes of plain text", JALI_NAME - 1);
}

static jali_status new_token(jali_shelf *b, const char *name, jali_role role, int64_t now_ms,
                             char **out, jali_err *err)
{
    unsigned char secret[SECRET_BYTES];
    char text[SECRET_TEXT], hash[crypto_pwhash_STRBYTES], id[16], whole[64];
    randombytes_buf(secret, sizeof secret);
    sodium_bin2base64(text, sizeof text, secret, sizeof secret,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    snprintf(id, sizeof id, "t%zu", json_array_size(b->items) + 1);
    snprintf(whole, sizeof whole, "jali_%s_%s", id, text);
    if (crypto_pwhash_str(hash, text, strlen(text), crypto_pwhash_OPSLIMIT_INTERACTIVE,
                          crypto_pwhash_MEMLIMIT_INTERACTIVE) != 0)
        return jali_fail_memory(err);
    json_t *token = json_pack("{s:s,s:s,s:s,s:s,s:I}", "id", id, "name", name, "role",
                              roles[role], "hash", hash, "created_ms", (json_int_t)now_ms);
    if (json_array_append_new(b->items, token) != 0) return jali_fail_memory(err);
    char *copy = strdup(whole);
    sodium_memzero(whole, sizeof whole);
    sodium_memzero(text, sizeof text);
    if (copy == NULL) return jali_fail_memory(err);
    jali_status status = jali_shelf_save(b, err);
    if (status == JALI_OK)
        *out = copy;
    else
        free(copy);
    return status;
}

jali_status jali_token_add(const char *vault, const char *name, jali_role role, int64_t now_ms,
                           char **token, jali_err *err)
{
    jali_shelf b;
    JALI_TRY(check_name(name, err));
    JALI_TRY(jali_shelf_open(&b, vault, "tokens", true, err));
    jali_status status = JALI_OK;
    if (json_array_size(b.items) >= MAX_TOKENS)
        status = jali_fail(err, JALI_E_USAGE, JALI_FOR_CURATOR,
                           "the vault has %d tokens already; remove tokens.json to begin anew",
                           MAX_TOKENS);
    if (status == JALI_OK) status = new_token(&b, name, role, now_ms, token, err);
    jali_shelf_close(&b);
    return status;
}

jali_status jali_token_revoke(const char *vault, const char *id, int64_t now_ms, jali_err *err)
{
    jali_shelf b;
    JALI_TRY(jali_shelf_open(&b, vault, "tokens", true, err));
    json_t *token = find(&b, id, strlen(id));
    jali_status status = JALI_OK;
    if (token == NULL)
        status = jali_fail(err, JALI_E_USAGE, JALI_FOR_CURATOR,
                           "there is no token \"%.20s\"; jali token list names them", id);
    else if (!is_revoked(token)) {
        if (json_object_set_new(token, "revoked_ms", json_integer((json_int_t)now_ms)) != 0)
            status = jali_fail_memory(err);
        else
            status = jali_shelf_save(&b, err);
    }
    jali_shelf_close(&b);
    return status;
}

/* ---- looking ---------------------------------------------------------------------------- */

jali_status jali_token_list(const char *vault, jali_doc **out, jali_err *err)
{
    static const jali_col cols[] = { { "id", false },
                                     { "name", false },
                                     { "role", false },
                                     { "made (UTC)", false },
                                     { "", false } };
    jali_shelf b;
    jali_doc *doc;
    size_t i;
    json_t *token;
    JALI_TRY(jali_shelf_open(&b, vault, "tokens", false, err));
    jali_status status = jali_doc_new(&doc, "tokens", err);
    if (status == JALI_OK) {
        json_t *rows = json_array();
        jali_doc_table(doc, sizeof cols / sizeof *cols, cols);
        json_array_foreach(b.items, i, token)
        {
            char made[32];
            json_int_t ms = json_integer_value(json_object_get(token, "created_ms"));
            jali_door_time(made, ms);
            jali_doc_cell(doc, "%s", jali_shelf_word(token, "id"));
            jali_doc_cell(doc, "%s", jali_shelf_word(token, "name"));
            jali_doc_cell(doc, "%s", jali_shelf_word(token, "role"));
            jali_doc_cell(doc, "%s", made);
            jali_doc_cell(doc, "%s", is_revoked(token) ? "revoked" : "");
            json_t *row = json_pack("{s:s,s:s,s:s,s:I,s:b}", "id", jali_shelf_word(token, "id"),
                                    "name", jali_shelf_word(token, "name"), "role",
                                    jali_shelf_word(token, "role"), "created_ms", ms, "revoked",
                                    is_revoked(token));
            if (json_array_append_new(rows, row) != 0) doc->failed = true;
        }
        jali_doc_set(doc, "rows", rows);
        status = jali_doc_finish(doc, JALI_OK, out, err);
    }
    jali_shelf_close(&b);
    return status;
}

static jali_status nobody(jali_err *err)
{
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "this token opens nothing here; ask the curator for one");
}

static jali_status verify(const jali_shelf *b, const char *token, char name[JALI_NAME],
                          jali_role *role, jali_err *err)
{
    if (strncmp(token, "jali_", 5) != 0) return nobody(err);
    const char *id = token + 5, *secret = strchr(id, '_');
    if (secret == NULL || strlen(secret + 1) >= SECRET_TEXT) return nobody(err);
    const json_t *known = find(b, id, (size_t)(secret - id));
    if (known == NULL || is_revoked(known) ||
        crypto_pwhash_str_verify(jali_shelf_word(known, "hash"), secret + 1,
                                 strlen(secret + 1)) != 0)
        return nobody(err);
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        if (strcmp(roles[i], jali_shelf_word(known, "role")) == 0) {
            *role = (jali_role)i;
            snprintf(name, JALI_NAME, "%s", jali_shelf_word(known, "name"));
            return JALI_OK;
        }
    return nobody(err);
}

jali_status jali_token_check(const char *vault, const char *token, char name[JALI_NAME],
                             jali_role *role, jali_err *err)
{
    jali_shelf b;
    JALI_TRY(jali_shelf_open(&b, vault, "tokens", false, err));
    jali_status status = verify(&b, token, name, role, err);
    jali_shelf_close(&b);
    return status;
}

uint64_t jali_token_entry(const char *vault, const char *token)
{
    jali_shelf b;
    uint64_t entry = 0;
    const char *id = strncmp(token, "jali_", 5) == 0 ? token + 5 : NULL;
    if (id == NULL || jali_shelf_open(&b, vault, "tokens", false, NULL) != JALI_OK) return 0;
    const json_t *known = find(&b, id, strcspn(id, "_"));
    if (known != NULL && !is_revoked(known)) {
        const char *hash = jali_shelf_word(known, "hash"); /* salted: no two are equal */
        unsigned char print[crypto_generichash_BYTES_MIN];
        crypto_generichash(print, sizeof print, (const unsigned char *)hash, strlen(hash), NULL,
                           0);
        memcpy(&entry, print, sizeof entry);
    }
    jali_shelf_close(&b);
    return entry;
}

uint64_t jali_token_stamp(const char *vault)
{
    char path[4096];
    struct stat st = { 0 };
    int n = snprintf(path, sizeof path, "%s/tokens.json", vault);
    if (n > 0 && n < (int)sizeof path) stat(path, &st);
    return (uint64_t)st.st_mtim.tv_sec * 1000000000 + (uint64_t)st.st_mtim.tv_nsec +
           (uint64_t)st.st_ino;
}
