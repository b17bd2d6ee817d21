/* http/spending.c — a price, its acceptance, and the job that follows. */
#define _GNU_SOURCE
#include "http/handle.h"
#include <stdlib.h>
#include <string.h>

/* The price of a request, and a signature that accepts it. */
void http_quote(http_exchange *x)
{
    jali_doc *doc = NULL;
    jali_err err;
    int64_t now = http_now_ms();
    jali_spend spend = { .vault = http_vault_path(x),
                         .by = x->session->person.name,
                         .now_ms = now,
                         .quote = true,
                         .hold = http_vault_of(x)->hold };
    if (!http_may(x, JALI_ANALYST, false)) return;
    const char *request = x->body == NULL ? "" : x->body;
    jali_status status = jali_vault_request(request, x->n_body, &spend, &doc, &err);
    http_reply(x, status, doc, &err);
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
