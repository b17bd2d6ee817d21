/* http/curating.c — what only a curator does: quotas, tokens, the journal. */
#define _GNU_SOURCE
#include "http/handle.h"
#include <stdlib.h>
#include <string.h>

static void done(http_exchange *x, const char *what, jali_status status, const jali_err *err)
{
    http_log(x->server, (int)x->session->person.vault, "%s: %s%s", x->session->person.name,
             what, status == JALI_OK ? "" : " (refused)");
    if (status == JALI_OK)
        http_reply_json(x, MHD_HTTP_OK, json_pack("{s:i,s:s}", "jali", 1, "kind", "done"));
    else
        http_reply_doc(x, status, NULL, JALI_FORMAT_JSON, err);
}

void http_act(http_exchange *x)
{
    json_t *body = NULL;
    jali_err err = { 0 };
    jali_status status = JALI_OK;
    const char *by = x->session->person.name, *what = http_member(x, &body, "act");
    const char *share = http_member(x, &body, "share");
    int64_t now = http_now_ms();
    if (!http_may(x, JALI_CURATOR, false)) {
        json_decref(body);
        return;
    }
    if (what != NULL && strcmp(what, "quota") == 0 && share != NULL)
        status = jali_vault_quota(http_vault_path(x), http_member(x, &body, "analyst"), share,
                                  by, now, &err);
    else if (what != NULL && strcmp(what, "question") == 0 && share != NULL)
        status = jali_vault_question(http_vault_path(x), share, by, now, &err);
    else if (what != NULL && strcmp(what, "raise") == 0 &&
             http_member(x, &body, "epsilon") != NULL)
        status = jali_vault_raise(http_vault_path(x), http_member(x, &body, "epsilon"),
                                  http_member(x, &body, "delta"), by, now, &err);
    else {
        err = (jali_err){ .code = JALI_E_USAGE };
        snprintf(err.text, sizeof err.text,
                 "say {\"act\": \"quota\", \"question\" or \"raise\"} with share or epsilon");
        status = JALI_E_USAGE;
    }
    done(x, what == NULL ? "an act" : what, status, &err);
    json_decref(body);
}

void http_tokens(http_exchange *x)
{
    jali_doc *doc = NULL;
    jali_err err;
    if (!http_may(x, JALI_CURATOR, false)) return;
    jali_status status = jali_token_list(http_vault_path(x), &doc, &err);
    http_reply(x, status, doc, &err);
}

void http_token_add(http_exchange *x)
{
    json_t *body = NULL;
    jali_err err = { 0 };
    char *token = NULL;
    const char *name = http_member(x, &body, "name"), *role = http_member(x, &body, "role");
    if (!http_may(x, JALI_CURATOR, false)) {
        json_decref(body);
        return;
    }
    jali_role as = role != NULL && strcmp(role, "curator") == 0   ? JALI_CURATOR
                   : role != NULL && strcmp(role, "auditor") == 0 ? JALI_AUDITOR
                                                                  : JALI_ANALYST;
    jali_status status = jali_token_add(http_vault_path(x), name == NULL ? "" : name, as,
                                        http_now_ms(), &token, &err);
    done(x, "a new token", status, &err);
    if (status == JALI_OK)
        http_reply_json(x, MHD_HTTP_OK,
                        json_pack("{s:i,s:s,s:s}", "jali", 1, "kind", "token", "token", token));
    jali_free(token);
    json_decref(body);
}

void http_token_revoke(http_exchange *x, const char *id)
{
    jali_err err;
    if (!http_may(x, JALI_CURATOR, false)) return;
    jali_status status = jali_token_revoke(http_vault_path(x), id, http_now_ms(), &err);
    done(x, "a token revoked", status, &err);
}

void http_journal_show(http_exchange *x)
{
    if (!http_may(x, JALI_CURATOR, false)) return;
    http_reply_json(x, MHD_HTTP_OK, http_journal(x->server, x->session->person.vault));
}
