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

bool http_random_id(char out[static HTTP_ID])
{
    unsigned char bytes[24];
    randombytes_buf(bytes, sizeof bytes);
    return sodium_bin2base64(out, HTTP_ID, bytes, sizeof bytes,
                             sodium_base64_VARIANT_URLSAFE_NO_PADDING) != NULL;
}

/* When the list of tokens has changed, is this one still on it? */
static bool is_alive(const http_server *s, http_session *e, int64_t now)
{
    const char *vault = s->vault[e->person.vault].path;
    if (e->id[0] == '\0' || e->until_ms <= now) return false;
    uint64_t stamp = jali_token_stamp(vault);
    if (stamp == e->stamp) return true;
    if (!jali_token_alive(vault, e->public_part)) return false;
    e->stamp = stamp;
    return true;
}

/* A free place, or that of the session which would end first. */
static http_session *a_place(http_server *s, int64_t now)
{
    http_session *oldest = &s->session[0];
    for (size_t i = 0; i < HTTP_SESSIONS; i++) {
        http_session *e = &s->session[i];
        if (e->id[0] == '\0' || e->until_ms <= now) return e;
        if (e->until_ms < oldest->until_ms) oldest = e;
    }
    return oldest;
}

/* Whose token, and of which vault? */
static bool check_token(const http_server *s, const char *token, http_session *out)
{
    for (size_t i = 0; i < s->n_vaults; i++) {
        out->stamp = jali_token_stamp(s->vault[i].path);
        if (jali_token_check(s->vault[i].path, token, out->person.name, &out->person.role,
                             NULL) != JALI_OK)
            continue;
        out->person.vault = i;
        return true;
    }
    return false;
}

static bool new_session(http_server *s, const char *token, bool bearer, http_session *out)
{
    int64_t now = http_now_ms();
    *out = (http_session){ .until_ms = now + HTTP_SESSION_MS };
    if (!check_token(s, token, out)) return false;
    snprintf(out->public_part, sizeof out->public_part, "%.*s",
             (int)(6 + strcspn(token + 5, "_")), token);
    if (!http_random_id(out->id) || !http_random_id(out->csrf)) return false;
    if (bearer)
        crypto_generichash(out->token, sizeof out->token, (const unsigned char *)token,
                           strlen(token), s->key, sizeof s->key);
    pthread_mutex_lock(&s->people);
    *a_place(s, now) = *out;
    pthread_mutex_unlock(&s->people);
    return true;
}

/* ---- finding --------------------------------------------------------------------------------
 */

static bool by_cookie(http_server *s, const char *id, http_session *out)
{
    bool found = false;
    int64_t now = http_now_ms();
    if (strlen(id) != HTTP_ID - 1) return false;
    pthread_mutex_lock(&s->people);
    for (size_t i = 0; i < HTTP_SESSIONS && !found; i++) {
        http_session *e = &s->session[i];
        if (e->id[0] == '\0' || sodium_memcmp(e->id, id, HTTP_ID - 1) != 0) continue;
        if (!sodium_is_zero(e->token, sizeof e->token) || !is_alive(s, e, now)) break;
        *out = *e;
        found = true;
    }
    pthread_mutex_unlock(&s->people);
    return found;
}

static bool by_bearer(http_server *s, const char *token, http_session *out)
{
    unsigned char print[HTTP_KEY];
    bool found = false;
    int64_t now = http_now_ms();
    crypto_generichash(print, sizeof print, (const unsigned char *)token, strlen(token), s->key,
                       sizeof s->key);
    pthread_mutex_lock(&s->people);
    for (size_t i = 0; i < HTTP_SESSIONS && !found; i++) {
        http_session *e = &s->session[i];
        if (sodium_memcmp(e->token, print, sizeof print) != 0 || !is_alive(s, e, now)) continue;
        *out = *e;
        found = true;
    }
    pthread_mutex_unlock(&s->people);
    return found || new_session(s, token, true, out);
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
    bool read = strcmp(x->method, "GET") == 0 || strcmp(x->method, "HEAD") == 0;
    if (bearer != NULL && strncmp(bearer, "Bearer ", 7) == 0 &&
        by_bearer(x->server, bearer + 7, &x->own)) {
        x->session = &x->own;
        return true;
    }
    if (bearer == NULL && cookie != NULL && by_cookie(x->server, cookie, &x->own)) {
        x->session = &x->own;
        if (read || has_csrf(x)) return true;
        http_reply_error(x, MHD_HTTP_FORBIDDEN,
                         "the header X-Jali-CSRF is missing or stale; load the page again",
                         NULL);
        return false;
    }
    http_reply_error(x, MHD_HTTP_UNAUTHORIZED,
                     "show a token: in the page, or as Authorization: Bearer", NULL);
    return false;
}

/* ---- coming and going -----------------------------------------------------------------------
 */

static json_t *person_json(const http_server *s, const http_session *e)
{
    static const char *const roles[] = { "analyst", "auditor", "curator" };
    return json_pack("{s:i,s:s,s:s,s:s,s:s,s:s}", "jali", 1, "kind", "session", "name",
                     e->person.name, "role", roles[e->person.role], "vault",
                     s->vault[e->person.vault].name, "csrf", e->csrf);
}

void http_login(http_exchange *x)
{
    json_t *body = x->body == NULL ? NULL : json_loadb(x->body, x->n_body, 0, NULL);
    const char *token = json_string_value(json_object_get(body, "token"));
    if (token == NULL || !new_session(x->server, token, false, &x->own)) {
        http_reply_error(x, MHD_HTTP_UNAUTHORIZED,
                         "this token opens nothing here; ask the curator for one", NULL);
    } else {
        x->session = &x->own;
        snprintf(x->cookie, sizeof x->cookie,
                 "jali=%s; Path=/; HttpOnly; SameSite=Strict; Max-Age=%d%s", x->own.id,
                 HTTP_SESSION_MS / 1000, x->server->tls ? "; Secure" : "");
        http_reply_json(x, MHD_HTTP_OK, person_json(x->server, &x->own));
    }
    json_decref(body);
}

void http_present(http_exchange *x)
{
    http_reply_json(x, MHD_HTTP_OK, person_json(x->server, &x->own));
}

void http_logout(http_exchange *x)
{
    http_server *s = x->server;
    pthread_mutex_lock(&s->people);
    for (size_t i = 0; i < HTTP_SESSIONS; i++)
        if (strcmp(s->session[i].id, x->own.id) == 0)
            s->session[i] = (http_session){ .until_ms = 0 };
    pthread_mutex_unlock(&s->people);
    snprintf(x->cookie, sizeof x->cookie,
             "jali=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0");
    http_reply_json(x, MHD_HTTP_OK, json_pack("{s:i,s:s}", "jali", 1, "kind", "goodbye"));
}
