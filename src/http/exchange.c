/* http/exchange.c — one request from its first byte to its reply. */
#define _GNU_SOURCE
#include "http/handle.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- replies ------------------------------------------------------------------------------
 */

void http_reply_json(http_exchange *x, unsigned status, json_t *value)
{
    x->status = status;
    x->type = "application/json";
    free(x->reply);
    x->reply = value == NULL ? NULL : json_dumps(value, JSON_INDENT(1));
    x->n_reply = x->reply == NULL ? 0 : strlen(x->reply);
    if (x->reply == NULL) x->status = MHD_HTTP_INTERNAL_SERVER_ERROR;
    json_decref(value);
}

static json_t *error_json(const char *sentence, const jali_err *err)
{
    json_t *e = json_pack("{s:s}", "sentence", sentence);
    if (err != NULL && err->column > 0) {
        json_object_set_new(e, "line", json_integer(err->line));
        json_object_set_new(e, "column", json_integer(err->column));
    }
    if (err != NULL) json_object_set_new(e, "see", json_string(jali_error_page(err->code)));
    return json_pack("{s:i,s:s,s:o}", "jali", 1, "kind", "error", "error", e);
}

void http_reply_error(http_exchange *x, unsigned status, const char *sentence,
                      const jali_err *err)
{
    http_reply_json(x, status, error_json(sentence, err));
}

/* A plan error may be told: it depends on schema, request and ledger. All else is one opaque
 * sentence, and the true one is the curator's. */
static unsigned error_status(http_server *s, const http_person *who, const char *doing,
                             const jali_err *err, char **text)
{
    char sentence[600];
    bool plan = (err->code == JALI_E_USAGE || err->code == JALI_E_BUDGET) &&
                err->reader == JALI_FOR_ANALYST;
    unsigned status = MHD_HTTP_INTERNAL_SERVER_ERROR;
    if (plan || who->role == JALI_CURATOR) {
        snprintf(sentence, sizeof sentence, "%s", err->text);
        status = err->code == JALI_E_BUDGET  ? MHD_HTTP_PAYMENT_REQUIRED
                 : err->code == JALI_E_USAGE ? MHD_HTTP_BAD_REQUEST
                                             : status;
    } else {
        unsigned long long n = (unsigned long long)atomic_fetch_add(&s->reference, 1) + 1;
        snprintf(sentence, sizeof sentence,
                 "something failed inside; if a charge was made it stands; reference %llu", n);
        http_log(s, (int)who->vault, "reference %llu: %s: %s: %s", n, who->name, doing,
                 err->text);
    }
    json_t *value = error_json(sentence, plan ? err : NULL);
    *text = value == NULL ? NULL : json_dumps(value, JSON_INDENT(1));
    json_decref(value);
    return status;
}

unsigned http_answer(http_server *s, const http_person *who, const char *doing,
                     jali_status status, jali_doc *doc, jali_format format, const jali_err *err,
                     char **text)
{
    jali_style style = { .format = format };
    jali_err problem = err == NULL ? (jali_err){ 0 } : *err;
    char *rendered = NULL;
    if (status == JALI_OK) {
        status = jali_doc_render(doc, &style, &rendered, &problem);
        jali_doc_free(doc);
    }
    if (status != JALI_OK) return error_status(s, who, doing, &problem, text);
    *text = rendered;
    return MHD_HTTP_OK;
}

static const char *type_of(jali_format format)
{
    switch (format) {
    case JALI_FORMAT_CSV:
        return "text/csv; charset=utf-8";
    case JALI_FORMAT_HTML:
        return "text/html; charset=utf-8";
    case JALI_FORMAT_SVG:
        return "image/svg+xml";
    case JALI_FORMAT_MD:
        return "text/markdown; charset=utf-8";
    case JALI_FORMAT_NDJSON:
        return "application/x-ndjson";
    case JALI_FORMAT_TABLE:
    case JALI_FORMAT_SQL:
        return "text/plain; charset=utf-8";
    default:
        return "application/json";
    }
}

void http_reply_doc(http_exchange *x, jali_status status, jali_doc *doc, jali_format format,
                    const jali_err *err)
{
    free(x->reply);
    x->reply = NULL;
    x->status = http_answer(x->server, &x->session->person, x->path, status, doc, format, err,
                            &x->reply);
    x->n_reply = x->reply == NULL ? 0 : strlen(x->reply);
    x->type = x->status == MHD_HTTP_OK ? type_of(format) : "application/json";
}

static void add_number(struct MHD_Response *r, const char *name, unsigned value)
{
    char text[16];
    snprintf(text, sizeof text, "%u", value);
    if (value > 0) MHD_add_response_header(r, name, text);
}

/* A page of somebody else's making is never shown as one of ours. */
static void add_file(const http_exchange *x, struct MHD_Response *r)
{
    char text[128];
    if (x->file[0] == '\0' || x->status != MHD_HTTP_OK) return;
    snprintf(text, sizeof text, "attachment; filename=\"%s\"", x->file);
    MHD_add_response_header(r, "Content-Disposition", text);
}

static void add_headers(const http_exchange *x, struct MHD_Response *r)
{
    MHD_add_response_header(r, "Content-Type", x->type);
    MHD_add_response_header(
        r, "Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; "
        "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'");
    MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(r, "X-Frame-Options", "DENY");
    MHD_add_response_header(r, "Referrer-Policy", "no-referrer");
    MHD_add_response_header(r, "Cross-Origin-Opener-Policy", "same-origin");
    MHD_add_response_header(r, "Cross-Origin-Resource-Policy", "same-origin");
    if (!x->is_static) MHD_add_response_header(r, "Cache-Control", "no-store");
    if (x->zipped) MHD_add_response_header(r, "Content-Encoding", "gzip");
    if (x->cookie[0] != '\0') MHD_add_response_header(r, "Set-Cookie", x->cookie);
    if (x->allow[0] != '\0') MHD_add_response_header(r, "Allow", x->allow);
    add_number(r, "Retry-After", x->wait_s);
    add_file(x, r);
    if (x->status == MHD_HTTP_UNAUTHORIZED)
        MHD_add_response_header(r, "WWW-Authenticate", "Bearer");
}

/* last: nothing more is read from this connection. */
static enum MHD_Result send_reply(http_exchange *x, bool last)
{
    static const char none[] = "";
    struct MHD_Response *r =
        x->is_static ? MHD_create_response_from_buffer(x->n_reply, (void *)(uintptr_t)x->reply,
                                                       MHD_RESPMEM_PERSISTENT)
                     : MHD_create_response_from_buffer(
                           x->n_reply, x->reply == NULL ? (void *)(uintptr_t)none : x->reply,
                           x->reply == NULL ? MHD_RESPMEM_PERSISTENT : MHD_RESPMEM_MUST_FREE);
    if (r == NULL) return MHD_NO;
    x->reply = NULL; /* the response has it */
    add_headers(x, r);
    if (last) MHD_add_response_header(r, "Connection", "close");
    if (x->session != NULL)
        atomic_fetch_add(
            &x->server->vault[x->session->person.vault].replies[x->status / 100 % 6], 1);
    http_guest_wait(x->server, x->guest, false);
    enum MHD_Result sent = MHD_queue_response(x->connection, x->status, r);
    MHD_destroy_response(r);
    return sent;
}

/* ---- requests ------------------------------------------------------------------------------
 */

static bool take_body(http_exchange *x, const char *data, size_t n)
{
    if (x->n_body + n > HTTP_BODY) {
        x->too_large = true;
        return true;
    }
    char *body = realloc(x->body, x->n_body + n + 1);
    if (body == NULL) return false;
    memcpy(body + x->n_body, data, n);
    x->n_body += n;
    body[x->n_body] = '\0';
    x->body = body;
    return true;
}

static void split_path(http_exchange *x, const char *url)
{
    snprintf(x->path, sizeof x->path, "%s", url);
    char *save = NULL;
    for (char *p = strtok_r(x->path, "/", &save); p != NULL && x->n_pieces < HTTP_PIECES;
         p = strtok_r(NULL, "/", &save))
        x->piece[x->n_pieces++] = p;
}

static void answer(http_exchange *x, const char *url)
{
    if (!http_host_is_ours(x))
        http_reply_error(x, MHD_HTTP_MISDIRECTED_REQUEST,
                         "this server does not answer to that name; the curator may allow it "
                         "by --host NAME",
                         NULL);
    else if (x->too_large)
        http_reply_error(x, MHD_HTTP_CONTENT_TOO_LARGE, "the request has more than 64 kB",
                         NULL);
    else if (strlen(url) >= sizeof x->path)
        http_reply_error(x, MHD_HTTP_URI_TOO_LONG, "the address is too long", NULL);
    else {
        split_path(x, url);
        http_route(x);
    }
}

/* Two who read one connection must agree where a request ends, or one of them takes a part of
 * somebody's body for a request: what can be read in two ways is not read at all. */
struct framing {
    unsigned lengths, codings;
    bool odd;
};

static enum MHD_Result count_framing(void *self, enum MHD_ValueKind kind, const char *name,
                                     const char *value)
{
    struct framing *f = self;
    (void)kind;
    if (strcasecmp(name, "Content-Length") == 0) f->lengths++;
    if (strcasecmp(name, "Transfer-Encoding") != 0) return MHD_YES;
    f->codings++;
    f->odd |= value == NULL || strcasecmp(value, "chunked") != 0;
    return MHD_YES;
}

static bool is_ambiguous(struct MHD_Connection *connection)
{
    struct framing f = { 0 };
    MHD_get_connection_values(connection, MHD_HEADER_KIND, count_framing, &f);
    return f.odd || f.lengths + f.codings > 1;
}

static http_exchange *begin(http_server *s, struct MHD_Connection *connection,
                            const char *method)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    http_exchange *x = calloc(1, sizeof *x);
    if (x == NULL) return NULL;
    /* Of HEAD, which is GET without its body, the library leaves the body out. */
    *x = (http_exchange){ .server = s,
                          .connection = connection,
                          .method = strcmp(method, "HEAD") == 0 ? "GET" : method };
    if (info != NULL) x->guest = info->socket_context;
    http_guest_wait(s, x->guest, false);
    atomic_fetch_add(&s->open, 1);
    return x;
}

enum MHD_Result http_handle(void *self, struct MHD_Connection *connection, const char *url,
                            const char *method, const char *version, const char *data,
                            size_t *n, void **exchange)
{
    http_exchange *x = *exchange;
    (void)version;
    if (x == NULL) {
        x = begin(self, connection, method);
        *exchange = x;
        if (x == NULL || !is_ambiguous(connection)) return x == NULL ? MHD_NO : MHD_YES;
        http_reply_error(x, MHD_HTTP_BAD_REQUEST,
                         "the length of the request is told twice, or in a way that is not "
                         "known here",
                         NULL);
        return send_reply(x, true);
    }
    if (*n > 0) {
        bool good = take_body(x, data, *n);
        *n = 0;
        return good ? MHD_YES : MHD_NO;
    }
    if (x->suspended) { /* the grid's tick has come */
        http_job_state state;
        x->type = "application/json";
        if (!http_work_look(x->server, &x->own.person, x->job_id, &state, &x->status,
                            &x->reply))
            return MHD_NO;
        http_work_forget(x->server, &x->own.person, x->job_id);
        x->n_reply = x->reply == NULL ? 0 : strlen(x->reply);
        return send_reply(x, false);
    }
    http_guest_wait(x->server, x->guest, true);
    answer(x, url);
    return x->suspended ? MHD_YES : send_reply(x, false);
}

void http_done(void *self, struct MHD_Connection *connection, void **exchange,
               enum MHD_RequestTerminationCode why)
{
    http_exchange *x = *exchange;
    http_server *s = self;
    (void)connection;
    (void)why;
    if (x == NULL) return;
    http_guest_wait(s, x->guest, false);
    atomic_fetch_sub(&s->open, 1);
    if (!x->is_static) free(x->reply);
    free(x->body);
    free(x);
    *exchange = NULL;
}
