/* http/person.c — who is asking: tokens, cookies, and proof against other people's pages.
 *
 * A browser shows its token once and gets a cookie that scripts cannot read and other sites
 * cannot send; what changes something needs a second secret in a header. A program shows its
 * token with every request. Checking a token is slow on purpose, so the answer is remembered
 * until the list of tokens changes.
 */
#define _GNU_SOURCE
#include "http/server.h"
#include <sodium.h>
#include <string.h>

void http_random_id(char out[static HTTP_ID])
{
    unsigned char bytes[24];
    randombytes_buf(bytes, sizeof bytes);
    sodium_bin2base64(out, HTTP_ID, bytes, sizeof bytes,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

/* ---- the sessions ------------------------------------------------------------------- */

/* A cookie is never a token, nor a token a cookie: `kind` keeps their prints apart. */
static void print_secret(const http_server *s, char kind, const char *secret,
                         unsigned char out[static HTTP_KEY])
{
    crypto_generichash_state state;
    crypto_generichash_init(&state, s->key, sizeof s->key, HTTP_KEY);
    crypto_generichash_update(&state, (const unsigned char *)&kind, 1);
    crypto_generichash_update(&state, (const unsigned char *)secret, strlen(secret));
    crypto_generichash_final(&state, out, HTTP_KEY);
}

static http_session *set_of(http_server *s, const unsigned char *print)
{
    return s->session[(print[0] | (size_t)print[1] << 8) % HTTP_SESSION_SETS];
}

/* With the lock: the session of this print, if there is one. */
static http_session *find(http_server *s, const unsigned char *print)
{
    http_session *set = set_of(s, print), *found = NULL;
    for (size_t i = 0; i < HTTP_SESSION_WAYS; i++)
        if (sodium_memcmp(set[i].print, print, HTTP_KEY) == 0) found = &set[i];
    return found;
}

/* When the list of tokens has changed, is this one still on it? Asks the disk, so without the
 * lock, and of a copy. */
static bool is_alive(http_server *s, http_session *copy)
{
    const char *vault = s->vault[copy->person.vault].path;
    uint64_t stamp = jali_token_stamp(vault);
    if (stamp == copy->stamp) return true;
    if (jali_token_entry(vault, copy->public_part) != copy->entry) return false;
    pthread_mutex_lock(&s->people);
    http_session *e = find(s, copy->print);
    if (e != NULL && e->entry == copy->entry) e->stamp = stamp;
    pthread_mutex_unlock(&s->people);
    copy->stamp = stamp;
    return true;
}

static bool look_up(http_server *s, const unsigned char *print, http_session *out)
{
    pthread_mutex_lock(&s->people);
    const http_session *e = find(s, print);
    const bool found = e != NULL && e->until_ms > http_now_ms();
    if (found) *out = *e;
    pthread_mutex_unlock(&s->people);
    return found && is_alive(s, out);
}

/* In the place of the one of its set that ends first; a free one has ended already. */
static void keep(http_server *s, const http_session *session)
{
    http_session *set = set_of(s, session->print), *first = set;
    pthread_mutex_lock(&s->people);
    for (size_t i = 1; i < HTTP_SESSION_WAYS; i++)
        if (set[i].until_ms < first->until_ms) first = &set[i];
    *first = *session;
    pthread_mutex_unlock(&s->people);
}

static void forget(http_server *s, const unsigned char *print)
{
    pthread_mutex_lock(&s->people);
    http_session *e = find(s, print);
    if (e != NULL) *e = (http_session){ .until_ms = 0 };
    pthread_mutex_unlock(&s->people);
}

/* ---- finding ------------------------------------------------------------------------- */

/* Whose token, and of which vault? Slow on purpose. */
static bool check_token(const http_server *s, const char *token, http_session *out)
{
    *out = (http_session){ .until_ms = 0 };
    for (size_t i = 0; i < s->n_vaults; i++) {
        out->stamp = jali_token_stamp(s->vault[i].path);
        if (jali_token_check(s->vault[i].path, token, out->person.name, &out->person.role,
                             NULL) != JALI_OK)
            continue;
        out->person.vault = i;
        snprintf(out->public_part, sizeof out->public_part, "%.*s",
                 (int)(6 + strcspn(token + 5, "_")), token);
        out->entry = jali_token_entry(s->vault[i].path, out->public_part);
        return out->entry != 0;
    }
    return false;
}

static bool nobody(http_exchange *x, const char *sentence)
{
    http_reply_error(x, MHD_HTTP_UNAUTHORIZED, sentence, NULL);
    return false;
}

/* Somebody else may have shown the same token while we waited to check it. */
static bool by_bearer(http_exchange *x, const char *token)
{
    unsigned char print[HTTP_KEY];
    print_secret(x->server, 'b', token, print);
    if (look_up(x->server, print, &x->own)) return true;
    if (!http_guard_enter(x)) return false;
    bool known = look_up(x->server, print, &x->own);
    if (!known && check_token(x->server, token, &x->own)) {
        memcpy(x->own.print, print, sizeof print);
        x->own.until_ms = http_now_ms() + HTTP_BEARER_MS;
        keep(x->server, &x->own);
        known = true;
    }
    http_guard_leave(x, known);
    return known || nobody(x, "this token opens nothing here; ask the curator for one");
}

static bool by_cookie(http_exchange *x, const char *id)
{
    unsigned char print[HTTP_KEY];
    print_secret(x->server, 'c', id, print);
    return look_up(x->server, print, &x->own);
}

/* What changes something must come from our own page. */
static bool has_csrf(const http_exchange *x)
{
    const char *given =
        MHD_lookup_connection_value(x->connection, MHD_HEADER_KIND, "X-Jali-CSRF");
    return given != NULL && strlen(given) == HTTP_ID - 1 &&
           sodium_memcmp(given, x->own.csrf, HTTP_ID - 1) == 0;
}

bool http_identify(http_exchange *x)
{
    const char *bearer =
        MHD_lookup_connection_value(x->connection, MHD_HEADER_KIND, "Authorization");
    const char *cookie = MHD_lookup_connection_value(x->connection, MHD_COOKIE_KIND, "jali");
    bool read = strcmp(x->method, "GET") == 0;
    if (bearer != NULL && strncmp(bearer, "Bearer ", 7) == 0) {
        if (by_bearer(x, bearer + 7)) x->session = &x->own;
        return x->session != NULL;
    }
    if (bearer != NULL || cookie == NULL || !by_cookie(x, cookie))
        return nobody(x, "show a token: in the page, or as Authorization: Bearer");
    x->session = &x->own;
    if (read || has_csrf(x)) return true;
    http_reply_error(x, MHD_HTTP_FORBIDDEN,
                     "the header X-Jali-CSRF is missing or stale; load the page again", NULL);
    return false;
}

/* ---- coming and going ---------------------------------------------------------------- */

static json_t *person_json(const http_server *s, const http_session *e)
{
    static const char *const roles[] = { "analyst", "auditor", "curator" };
    return json_pack("{s:i,s:s,s:s,s:s,s:s,s:s}", "jali", 1, "kind", "session", "name",
                     e->person.name, "role", roles[e->person.role], "vault",
                     s->vault[e->person.vault].name, "csrf", e->csrf);
}

/* A cookie and its second secret, for a token that was just checked. */
static void open_session(http_exchange *x)
{
    char id[HTTP_ID];
    http_random_id(id);
    http_random_id(x->own.csrf);
    print_secret(x->server, 'c', id, x->own.print);
    x->own.until_ms = http_now_ms() + HTTP_SESSION_MS;
    keep(x->server, &x->own);
    x->session = &x->own;
    snprintf(x->cookie, sizeof x->cookie,
             "jali=%s; Path=/; HttpOnly; SameSite=Strict; Max-Age=%d%s", id,
             HTTP_SESSION_MS / 1000, x->server->tls ? "; Secure" : "");
    http_log(x->server, (int)x->own.person.vault, "%s came in by browser", x->own.person.name);
    http_reply_json(x, MHD_HTTP_OK, person_json(x->server, &x->own));
}

void http_login(http_exchange *x)
{
    json_t *body = x->body == NULL ? NULL : json_loadb(x->body, x->n_body, 0, NULL);
    const char *token = json_string_value(json_object_get(body, "token"));
    if (token == NULL)
        nobody(x, "send {\"token\": ...}");
    else if (http_guard_enter(x)) {
        bool known = check_token(x->server, token, &x->own);
        http_guard_leave(x, known);
        if (known)
            open_session(x);
        else
            nobody(x, "this token opens nothing here; ask the curator for one");
    }
    json_decref(body);
}

void http_present(http_exchange *x)
{
    http_reply_json(x, MHD_HTTP_OK, person_json(x->server, &x->own));
}

void http_logout(http_exchange *x)
{
    forget(x->server, x->own.print);
    snprintf(x->cookie, sizeof x->cookie,
             "jali=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0");
    http_reply_json(x, MHD_HTTP_OK, json_pack("{s:i,s:s}", "jali", 1, "kind", "goodbye"));
}
