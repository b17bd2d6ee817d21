/* http/route.c — which words lead where, and who may go there. No GET spends. */
#define _GNU_SOURCE
#include "http/server.h"
#include <stdlib.h>
#include <string.h>

static const char *path_of(const http_exchange *x)
{
    return x->server->vault[x->session->person.vault].path;
}

static bool may(http_exchange *x, jali_role least, bool auditor_too)
{
    jali_role role = x->session->person.role;
    bool good = role == JALI_CURATOR || role == least || (auditor_too && role == JALI_AUDITOR);
    if (!good) http_reply_error(x, MHD_HTTP_FORBIDDEN, "your role does not allow this", NULL);
    return good;
}

static const char *query(const http_exchange *x, const char *name)
{
    return MHD_lookup_connection_value(x->connection, MHD_GET_ARGUMENT_KIND, name);
}

/* A member of the body that is a text; NULL: none. *body must be json_decref'ed. */
static const char *member(http_exchange *x, json_t **body, const char *name)
{
    if (*body == NULL && x->body != NULL)
        *body = json_loadb(x->body, x->n_body, JSON_REJECT_DUPLICATES, NULL);
    return json_string_value(json_object_get(*body, name));
}

/* ---- reading
 * --------------------------------------------------------------------------------- */

/* The format that is asked for; false: an unknown one, and the reply is written. */
static bool format_of(http_exchange *x, jali_format *out);

/* What all readers end with. */
static void reply(http_exchange *x, jali_status status, jali_doc *doc, const jali_err *err)
{
    jali_format format;
    if (format_of(x, &format))
        http_reply_doc(x, status, doc, format, err);
    else if (status == JALI_OK)
        jali_doc_free(doc);
}

static void show(http_exchange *x)
{
    jali_doc *doc = NULL;
    jali_err err;
    jali_status status = jali_vault_show(path_of(x), &doc, &err);
    reply(x, status, doc, &err);
}

static void budget(http_exchange *x)
{
    jali_doc *doc = NULL;
    jali_err err;
    jali_status status = jali_vault_budget(path_of(x), &doc, &err);
    reply(x, status, doc, &err);
}

static void ledger(http_exchange *x)
{
    jali_doc *doc = NULL;
    jali_err err;
    if (!may(x, JALI_AUDITOR, true)) return;
    const char *from = query(x, "from");
    jali_status status = jali_vault_log(path_of(x), from == NULL ? 1 : atoll(from), &doc, &err);
    reply(x, status, doc, &err);
}

static void verify(http_exchange *x)
{
    jali_doc *doc = NULL;
    jali_err err;
    bool intact;
    if (!may(x, JALI_AUDITOR, true)) return;
    jali_status status = jali_vault_verify(path_of(x), &intact, &doc, &err);
    reply(x, status, doc, &err);
}

static void releases(http_exchange *x)
{
    jali_doc *doc = NULL;
    jali_err err;
    jali_status status = jali_vault_releases(path_of(x), &doc, &err);
    reply(x, status, doc, &err);
}

static bool read_format(const char *word, jali_format *out)
{
    static const struct {
        const char *word;
        jali_format format;
    } known[] = { { "json", JALI_FORMAT_JSON },     { "csv", JALI_FORMAT_CSV },
                  { "svg", JALI_FORMAT_SVG },       { "vega", JALI_FORMAT_VEGA },
                  { "blocks", JALI_FORMAT_BLOCKS }, { "md", JALI_FORMAT_MD },
                  { "html", JALI_FORMAT_HTML },     { "text", JALI_FORMAT_TABLE } };
    *out = JALI_FORMAT_JSON;
    if (word == NULL) return true;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(word, known[i].word) == 0) {
            *out = known[i].format;
            return true;
        }
    return false;
}

static bool format_of(http_exchange *x, jali_format *out)
{
    if (read_format(query(x, "format"), out)) return true;
    http_reply_error(x, MHD_HTTP_BAD_REQUEST,
                     "that format is not known; take json, blocks, csv, svg, vega, md, html or "
                     "text",
                     NULL);
    return false;
}

/* What is left of the budget changes; the rest of a release never does, so it can be kept. */
static void keep(http_exchange *x, const char *key)
{
    json_t *value = json_loadb(x->reply, x->n_reply, 0, NULL);
    if (!json_is_object(value)) {
        json_decref(value);
        return;
    }
    json_object_del(value, "left");
    http_reply_json(x, MHD_HTTP_OK, value);
    if (x->reply != NULL) http_cache_put(x->server->cache, key, x->reply, x->n_reply);
}

static void release(http_exchange *x, const char *id)
{
    char key[256];
    jali_doc *doc = NULL;
    jali_err err;
    jali_format format;
    const char *confidence = query(x, "confidence");
    if (!format_of(x, &format)) return;
    snprintf(key, sizeof key, "%zu %.40s %.40s", x->session->person.vault, id,
             confidence == NULL ? "" : confidence);
    /* A longer text would share its key with others that begin like it. */
    bool kept = format == JALI_FORMAT_JSON && strlen(id) <= 40 &&
                (confidence == NULL || strlen(confidence) <= 40);
    if (kept) x->reply = http_cache_get(x->server->cache, key, &x->n_reply);
    if (x->reply != NULL) {
        x->status = MHD_HTTP_OK;
        x->type = "application/json";
        return;
    }
    jali_status status = jali_vault_release(path_of(x), id, confidence, &doc, &err);
    http_reply_doc(x, status, doc, format, &err);
    if (x->status == MHD_HTTP_OK && kept) keep(x, key);
}

/* What a centre would cost at points of the asker's own, or everywhere: free, a function of the
 * release and the points. They are sent by POST so that no log or history has them. */
static void points(http_exchange *x, const char *id)
{
    enum { WORDS = 512 };
    const char *word[WORDS];
    json_t *body = NULL;
    jali_doc *doc = NULL;
    jali_err err;
    const char *grid = member(x, &body, "grid");
    const json_t *list = json_object_get(body, "points");
    jali_contrast_query q = { .vault = path_of(x),
                              .release = id,
                              .confidence = member(x, &body, "confidence"),
                              .word = word,
                              .grid = grid == NULL ? 0 : (unsigned)strtoul(grid, NULL, 10),
                              .threads = 1 };
    for (; q.n_words < json_array_size(list) && q.n_words < WORDS; q.n_words++) {
        word[q.n_words] = json_string_value(json_array_get(list, q.n_words));
        if (word[q.n_words] == NULL) word[q.n_words] = "";
    }
    if (q.grid > 128 || (q.grid == 0 && q.n_words == 0))
        http_reply_error(
            x, MHD_HTTP_BAD_REQUEST,
            "send {\"points\": [\"1.5\", \"2\"]} or {\"grid\": \"64\"} (at most 128)", NULL);
    else {
        jali_status status = jali_vault_contrast(&q, &doc, &err);
        reply(x, status, doc, &err);
    }
    json_decref(body);
}

/* ---- spending
 * --------------------------------------------------------------------------------- */

/* The price of a request, and a signature that accepts it. */
static void quote(http_exchange *x)
{
    jali_doc *doc = NULL;
    jali_err err;
    int64_t now = http_now_ms();
    jali_spend spend = {
        .vault = path_of(x), .by = x->session->person.name, .now_ms = now, .quote = true
    };
    if (!may(x, JALI_ANALYST, false)) return;
    const char *request = x->body == NULL ? "" : x->body;
    jali_status status = jali_vault_request(request, x->n_body, &spend, &doc, &err);
    reply(x, status, doc, &err);
    if (x->status != MHD_HTTP_OK) return;
    char *signature = http_quote_sign(x->server, &x->session->person, request, now);
    json_t *value = json_loadb(x->reply, x->n_reply, 0, NULL);
    if (signature != NULL && value != NULL) {
        json_object_set_new(value, "quote", json_string(signature));
        json_object_set_new(value, "until_ms", json_integer((json_int_t)(now + HTTP_QUOTE_MS)));
        http_reply_json(x, MHD_HTTP_OK, value);
    } else {
        json_decref(value);
        http_reply_error(x, MHD_HTTP_INTERNAL_SERVER_ERROR, "the price cannot be signed", NULL);
    }
    free(signature);
}

/* A quote, accepted. The same quote sent twice is one request: its print is the key. */
static void spend(http_exchange *x)
{
    json_t *body = NULL;
    const char *why = "send {\"quote\": ...}: ask for a price first";
    char key[HTTP_ID];
    if (!may(x, JALI_ANALYST, false)) return;
    const char *signature = member(x, &body, "quote");
    const char *own =
        MHD_lookup_connection_value(x->connection, MHD_HEADER_KIND, "Idempotency-Key");
    const char *prefer = MHD_lookup_connection_value(x->connection, MHD_HEADER_KIND, "Prefer");
    char *request = signature == NULL ? NULL
                                      : http_quote_open(x->server, &x->session->person,
                                                        signature, http_now_ms(), &why);
    if (request == NULL) {
        http_reply_error(x, MHD_HTTP_BAD_REQUEST, why, NULL);
    } else if (own != NULL && (strlen(own) == 0 || strlen(own) >= HTTP_ID)) {
        free(request);
        http_reply_error(x, MHD_HTTP_BAD_REQUEST, "Idempotency-Key has 1 to 32 bytes", NULL);
    } else {
        snprintf(key, sizeof key, "%.32s", own != NULL ? own : signature);
        http_work_submit(x, request, key,
                         prefer == NULL || strstr(prefer, "respond-async") == NULL);
    }
    json_decref(body);
}

static void job(http_exchange *x, const char *id)
{
    http_job_state state;
    unsigned status;
    char *reply = NULL;
    if (!http_work_look(x->server, &x->session->person, id, &state, &status, &reply))
        http_reply_error(x, MHD_HTTP_NOT_FOUND, "there is no such job of yours", NULL);
    else if (state == HTTP_JOB_DONE) {
        x->status = status;
        x->type = "application/json";
        x->reply = reply;
        x->n_reply = reply == NULL ? 0 : strlen(reply);
    } else
        http_reply_json(x, MHD_HTTP_ACCEPTED,
                        json_pack("{s:i,s:s,s:s,s:s}", "jali", 1, "kind", "job", "job", id,
                                  "state", "running"));
}

/* ---- the curator's
 * ------------------------------------------------------------------------------ */

static void done(http_exchange *x, jali_status status, const jali_err *err)
{
    if (status == JALI_OK)
        http_reply_json(x, MHD_HTTP_OK, json_pack("{s:i,s:s}", "jali", 1, "kind", "done"));
    else
        http_reply_doc(x, status, NULL, JALI_FORMAT_JSON, err);
}

static void act(http_exchange *x)
{
    json_t *body = NULL;
    jali_err err = { 0 };
    jali_status status = JALI_OK;
    const char *by = x->session->person.name, *what = member(x, &body, "act");
    const char *share = member(x, &body, "share");
    int64_t now = http_now_ms();
    if (!may(x, JALI_CURATOR, false)) {
        json_decref(body);
        return;
    }
    if (what != NULL && strcmp(what, "quota") == 0 && share != NULL)
        status =
            jali_vault_quota(path_of(x), member(x, &body, "analyst"), share, by, now, &err);
    else if (what != NULL && strcmp(what, "question") == 0 && share != NULL)
        status = jali_vault_question(path_of(x), share, by, now, &err);
    else if (what != NULL && strcmp(what, "raise") == 0 && member(x, &body, "epsilon") != NULL)
        status = jali_vault_raise(path_of(x), member(x, &body, "epsilon"),
                                  member(x, &body, "delta"), by, now, &err);
    else {
        err = (jali_err){ .code = JALI_E_USAGE };
        snprintf(err.text, sizeof err.text,
                 "say {\"act\": \"quota\", \"question\" or \"raise\"} with share or epsilon");
        status = JALI_E_USAGE;
    }
    done(x, status, &err);
    json_decref(body);
}

static void tokens(http_exchange *x)
{
    jali_doc *doc = NULL;
    jali_err err;
    if (!may(x, JALI_CURATOR, false)) return;
    jali_status status = jali_token_list(path_of(x), &doc, &err);
    reply(x, status, doc, &err);
}

static void add_token(http_exchange *x)
{
    json_t *body = NULL;
    jali_err err = { 0 };
    char *token = NULL;
    const char *name = member(x, &body, "name"), *role = member(x, &body, "role");
    if (!may(x, JALI_CURATOR, false)) {
        json_decref(body);
        return;
    }
    jali_role as = role != NULL && strcmp(role, "curator") == 0   ? JALI_CURATOR
                   : role != NULL && strcmp(role, "auditor") == 0 ? JALI_AUDITOR
                                                                  : JALI_ANALYST;
    jali_status status =
        jali_token_add(path_of(x), name == NULL ? "" : name, as, http_now_ms(), &token, &err);
    if (status == JALI_OK)
        http_reply_json(x, MHD_HTTP_OK,
                        json_pack("{s:i,s:s,s:s}", "jali", 1, "kind", "token", "token", token));
    else
        done(x, status, &err);
    jali_free(token);
    json_decref(body);
}

static void revoke_token(http_exchange *x, const char *id)
{
    jali_err err;
    if (!may(x, JALI_CURATOR, false)) return;
    jali_status status = jali_token_revoke(path_of(x), id, http_now_ms(), &err);
    done(x, status, &err);
}

/* ---- the table
 * ------------------------------------------------------------------------------------ */

const http_route_row http_routes[] = {
    { "POST", "session", NULL, NULL, "Shows a token, gets a cookie and the CSRF secret" },
    { "GET", "session", http_present, NULL, "Who is here" },
    { "DELETE", "session", http_logout, NULL, "Ends the session" },
    { "GET", "openapi", NULL, NULL, "This description" },
    { "GET", "vault", show, NULL, "What is public about the table" },
    { "GET", "budget", budget, NULL, "What is spent, by whom, and what is left" },
    { "GET", "releases", releases, NULL, "All releases" },
    { "GET", "releases/*", NULL, release, "One release, told again for free" },
    { "POST", "points/*", NULL, points, "What a centre at your points would cost; free" },
    { "POST", "quotes", quote, NULL, "The price of a request, signed; spends nothing" },
    { "POST", "releases", spend, NULL, "Accepts a quote: pays, draws, stores, answers" },
    { "GET", "jobs/*", NULL, job, "A request that was sent with Prefer: respond-async" },
    { "GET", "ledger", ledger, NULL, "Every row of the ledger (auditor, curator)" },
    { "GET", "ledger/verify", verify, NULL, "Every hash and sum, again (auditor, curator)" },
    { "POST", "acts", act, NULL, "Quota, largest question, raise of the cap (curator)" },
    { "GET", "tokens", tokens, NULL, "Who may come in (curator)" },
    { "POST", "tokens", add_token, NULL, "A new token, shown once (curator)" },
    { "DELETE", "tokens/*", NULL, revoke_token, "Ends a token for good (curator)" },
    { NULL, NULL, NULL, NULL, NULL },
};

/* Do the words of the request, from the third on, match a path of the table? */
static bool matches(const http_exchange *x, const char *path, const char **word)
{
    size_t at = 2;
    while (*path != '\0') {
        size_t n = strcspn(path, "/");
        if (at >= x->n_pieces) return false;
        if (n == 1 && path[0] == '*')
            *word = x->piece[at];
        else if (strlen(x->piece[at]) != n || strncmp(x->piece[at], path, n) != 0)
            return false;
        at++;
        path += n + (path[n] == '/');
    }
    return at == x->n_pieces;
}

static void route_api(http_exchange *x)
{
    bool known = false;
    for (const http_route_row *r = http_routes; r->method != NULL; r++) {
        const char *word = NULL;
        if (!matches(x, r->path, &word)) continue;
        known = true;
        if (strcmp(r->method, x->method) != 0) continue;
        if (r->plain != NULL)
            r->plain(x);
        else if (r->with != NULL)
            r->with(x, word);
        return;
    }
    if (known)
        http_reply_error(x, MHD_HTTP_METHOD_NOT_ALLOWED, "that is not done here", NULL);
    else
        http_reply_error(x, MHD_HTTP_NOT_FOUND, "there is nothing of that name", NULL);
}

static bool takes_gzip(const http_exchange *x)
{
    const char *takes =
        MHD_lookup_connection_value(x->connection, MHD_HEADER_KIND, "Accept-Encoding");
    return takes != NULL && strstr(takes, "gzip") != NULL;
}

static void route_page(http_exchange *x)
{
    const char *type;
    const unsigned char *file =
        http_page(x->n_pieces == 0 ? "index.html" : x->piece[x->n_pieces - 1], takes_gzip(x),
                  &x->n_reply, &type, &x->zipped);
    if (file == NULL || strcmp(x->method, "GET") != 0) {
        http_reply_error(x, MHD_HTTP_NOT_FOUND, "there is nothing of that name", NULL);
        return;
    }
    x->is_static = true;
    x->reply = (char *)(uintptr_t)file;
    x->type = type;
    x->status = MHD_HTTP_OK;
}

void http_route(http_exchange *x)
{
    bool api =
        x->n_pieces >= 2 && strcmp(x->piece[0], "api") == 0 && strcmp(x->piece[1], "v1") == 0;
    if (!api) {
        route_page(x);
        return;
    }
    bool session = x->n_pieces == 3 && strcmp(x->piece[2], "session") == 0;
    if (session && strcmp(x->method, "POST") == 0)
        http_login(x);
    else if (x->n_pieces == 3 && strcmp(x->piece[2], "openapi") == 0 &&
             strcmp(x->method, "GET") == 0)
        http_reply_json(x, MHD_HTTP_OK, http_openapi());
    else if (http_identify(x))
        route_api(x);
}
