/* http/handle.h — what handlers share, and the table that leads to them. */
#ifndef JALI_HTTP_HANDLE_H
#define JALI_HTTP_HANDLE_H

#include "http/server.h"

/* The table that routes, and that the description is made of. */
typedef struct http_route_row {
    const char *method, *path; /* below /api/v1; * stands for one word, which is passed on */
    void (*plain)(http_exchange *x);
    void (*with)(http_exchange *x, const char *word);
    const char *statuses; /* of its own; 401, 413, 429 and 500 are anybody's */
    const char *summary;
} http_route_row;

extern const http_route_row http_routes[]; /* ends with a nameless one */

/* host.c: is every Host that the request names one of ours? */
bool http_host_is_ours(const http_exchange *x);

/* Path of the vault that the asker's token opens, and its open ledger. */
const char *http_vault_path(const http_exchange *x);
const http_vault *http_vault_of(const http_exchange *x);

/* A curator may; so may this role, and (if so) an auditor. False: the reply is written. */
bool http_may(http_exchange *x, jali_role least, bool auditor_too);

const char *http_query(const http_exchange *x, const char *name);

/* A member of the body that is a text; NULL: none. *body must be json_decref'ed. */
const char *http_member(http_exchange *x, json_t **body, const char *name);

/* The format that the address asks for; false: an unknown one, and the reply is written. */
bool http_format_of(http_exchange *x, jali_format *out);

/* What all readers end with: the document in the format that was asked for. */
void http_reply(http_exchange *x, jali_status status, jali_doc *doc, const jali_err *err);

/* reading.c */
void http_show(http_exchange *x);
void http_budget(http_exchange *x);
void http_ledger(http_exchange *x);
void http_verify(http_exchange *x);
void http_claims(http_exchange *x);
void http_models(http_exchange *x);
void http_releases(http_exchange *x);
void http_release(http_exchange *x, const char *id);
void http_report(http_exchange *x);
void http_points(http_exchange *x, const char *id);

/* spending.c */
void http_quote(http_exchange *x);
void http_spend(http_exchange *x);
void http_job_look(http_exchange *x, const char *id);

/* curating.c */
void http_act(http_exchange *x);
void http_tokens(http_exchange *x);
void http_token_add(http_exchange *x);
void http_token_revoke(http_exchange *x, const char *id);
void http_journal_show(http_exchange *x);

#endif
