/* http/route.c — which words lead where. No GET spends. */
#define _GNU_SOURCE
#include "http/handle.h"
#include <string.h>

const http_route_row http_routes[] = {
    { "POST", "session", NULL, NULL, "200",
      "Shows a token, gets a cookie and the CSRF secret" },
    { "GET", "session", http_present, NULL, "200", "Who is here" },
    { "DELETE", "session", http_logout, NULL, "200", "Ends the session" },
    { "GET", "openapi", NULL, NULL, "200", "This description" },
    { "GET", "vault", http_show, NULL, "200 400", "What is public about the table" },
    { "GET", "budget", http_budget, NULL, "200 400", "What is spent, by whom, what is left" },
    { "GET", "releases", http_releases, NULL, "200 400", "All releases" },
    { "GET", "releases/*", NULL, http_release, "200 400", "One release, told again for free" },
    { "GET", "models", http_models, NULL, "200 400",
      "Models that may be asked about, by name" },
    { "GET", "report", http_report, NULL, "200 400", "Releases as one page, for free" },
    { "POST", "points/*", NULL, http_points, "200 400",
      "What a centre at your points would cost; free, and the points are not kept" },
    { "POST", "quotes", http_quote, NULL, "200 400 402 403",
      "The price of a request, signed; spends nothing" },
    { "POST", "releases", http_spend, NULL, "200 202 400 402 403",
      "Accepts a quote: pays, draws, stores, answers" },
    { "GET", "jobs/*", NULL, http_job_look, "200 202 402 404",
      "A request that was sent with Prefer: respond-async" },
    { "GET", "ledger", http_ledger, NULL, "200 400 403", "Its rows (auditor, curator)" },
    { "GET", "ledger/verify", http_verify, NULL, "200 400 403",
      "Every hash and sum, again (auditor, curator)" },
    { "GET", "claims", http_claims, NULL, "200 400 403",
      "What is promised, by which mechanism, with its proof and test (auditor, curator)" },
    { "POST", "acts", http_act, NULL, "200 400 403",
      "Quota, largest question, raise of the cap (curator)" },
    { "GET", "tokens", http_tokens, NULL, "200 400 403", "Who may come in (curator)" },
    { "POST", "tokens", http_token_add, NULL, "200 400 403", "A token, shown once (curator)" },
    { "DELETE", "tokens/*", NULL, http_token_revoke, "200 400 403",
      "Ends a token for good (curator)" },
    { "GET", "journal", http_journal_show, NULL, "200 403",
      "What the server did lately, and how often (curator)" },
    { NULL, NULL, NULL, NULL, NULL, NULL },
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

static void allow(http_exchange *x, const char *method)
{
    size_t n = strlen(x->allow);
    snprintf(x->allow + n, sizeof x->allow - n, "%s%s%s", n > 0 ? ", " : "", method,
             strcmp(method, "GET") == 0 ? ", HEAD" : "");
}

static void route_api(http_exchange *x)
{
    for (const http_route_row *r = http_routes; r->method != NULL; r++) {
        const char *word = NULL;
        if (!matches(x, r->path, &word)) continue;
        if (strcmp(r->method, x->method) != 0) {
            allow(x, r->method);
            continue;
        }
        x->allow[0] = '\0';
        if (r->plain != NULL)
            r->plain(x);
        else if (r->with != NULL)
            r->with(x, word);
        return;
    }
    if (x->allow[0] != '\0')
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
    if (file == NULL) {
        http_reply_error(x, MHD_HTTP_NOT_FOUND, "there is nothing of that name", NULL);
        return;
    }
    if (strcmp(x->method, "GET") != 0) {
        x->zipped = false;
        allow(x, "GET");
        http_reply_error(x, MHD_HTTP_METHOD_NOT_ALLOWED, "that is not done here", NULL);
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
