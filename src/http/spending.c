/* http/spending.c — a price, its acceptance, and the job that follows. */
#define _GNU_SOURCE
#include "http/handle.h"
#include <stdlib.h>
#include <string.h>

/* Adds the signature to the price, which is one JSON object, before its last brace. */
static char *sign(const http_exchange *x, const char *request, int64_t now, size_t *n)
{
    char *quote = http_quote_sign(x->server, &x->session->person, request, now), *all = NULL;
    const char *end = x->reply == NULL ? NULL : strrchr(x->reply, '}');
    while (end != NULL && end > x->reply && end[-1] == '\n') end--;
    if (quote != NULL && end != NULL) {
        int size =
            asprintf(&all, "%.*s,\n  \"quote\": \"%s\",\n  \"until_ms\": %lld\n}\n",
                     (int)(end - x->reply), x->reply, quote, (long long)(now + HTTP_QUOTE_MS));
        *n = size < 0 ? 0 : (size_t)size;
        if (size < 0) all = NULL;
    }
    free(quote);
    return all;
}

/* A price is a JSON object: who wants words takes it with its blocks. */
static bool price_format(http_exchange *x, jali_format *format)
{
    if (!http_format_of(x, format)) return false;
    if (*format == JALI_FORMAT_JSON || *format == JALI_FORMAT_BLOCKS) return true;
    http_reply_error(x, MHD_HTTP_BAD_REQUEST, "a price is told as json or blocks", NULL);
    return false;
}

/* The price of a request, and a signature that accepts it. */
void http_quote(http_exchange *x)
{
    jali_doc *doc = NULL;
    jali_err err;
    jali_format format;
    int64_t now = http_now_ms();
    if (!http_may(x, JALI_ANALYST, false) || !price_format(x, &format)) return;
    jali_spend spend = { .vault = http_vault_path(x),
                         .by = x->session->person.name,
                         .now_ms = now,
                         .quote = true,
                         .hold = http_vault_of(x)->hold,
                         .bare = format == JALI_FORMAT_JSON };
    const char *request = x->body == NULL ? "" : x->body;
    jali_status status = jali_vault_request(request, x->n_body, &spend, &doc, &err);
    http_reply_doc(x, status, doc, format, &err);
    if (x->status != MHD_HTTP_OK) return;
    char *price = sign(x, request, now, &x->n_reply);
    free(x->reply);
    x->reply = price;
    if (price == NULL)
        http_reply_error(x, MHD_HTTP_INTERNAL_SERVER_ERROR, "the price cannot be signed", NULL);
}

/* A quote, accepted. The same quote sent twice is one request: its print is the key. */
void http_spend(http_exchange *x)
{
    json_t *body = NULL;
    const char *why = "send {\"quote\": ...}: ask for a price first";
    char key[HTTP_ID];
    if (!http_may(x, JALI_ANALYST, false)) return;
    const char *signature = http_member(x, &body, "quote");
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

void http_job_look(http_exchange *x, const char *id)
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
