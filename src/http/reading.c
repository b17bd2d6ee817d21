/* http/reading.c — what is told for nothing: the schema, the books, stored releases. */
#define _GNU_SOURCE
#include "http/handle.h"
#include <stdlib.h>
#include <string.h>

void http_show(http_exchange *x)
{
    jali_doc *doc = NULL;
    jali_err err;
    jali_status status = jali_vault_show(http_vault_path(x), &doc, &err);
    http_reply(x, status, doc, &err);
}

void http_budget(http_exchange *x)
{
    jali_doc *doc = NULL;
    jali_err err;
    jali_status status = jali_hold_budget(http_vault_of(x)->hold, &doc, &err);
    http_reply(x, status, doc, &err);
}

void http_ledger(http_exchange *x)
{
    jali_doc *doc = NULL;
    jali_err err;
    if (!http_may(x, JALI_AUDITOR, true)) return;
    const char *from = http_query(x, "from");
    jali_status status =
        jali_vault_log(http_vault_path(x), from == NULL ? 1 : atoll(from), &doc, &err);
    http_reply(x, status, doc, &err);
}

void http_verify(http_exchange *x)
{
    jali_doc *doc = NULL;
    jali_err err;
    bool intact;
    if (!http_may(x, JALI_AUDITOR, true)) return;
    jali_status status = jali_vault_verify(http_vault_path(x), &intact, &doc, &err);
    http_reply(x, status, doc, &err);
}

void http_claims(http_exchange *x)
{
    jali_doc *doc = NULL;
    jali_err err;
    if (!http_may(x, JALI_AUDITOR, true)) return;
    jali_status status = jali_claims(NULL, &doc, &err);
    http_reply(x, status, doc, &err);
}

void http_models(http_exchange *x)
{
    jali_doc *doc = NULL;
    jali_err err;
    jali_status status = jali_vault_models(http_vault_path(x), &doc, &err);
    http_reply(x, status, doc, &err);
}

void http_releases(http_exchange *x)
{
    jali_doc *doc = NULL;
    jali_err err;
    jali_status status = jali_hold_releases(http_vault_of(x)->hold, &doc, &err);
    http_reply(x, status, doc, &err);
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

/* What is not read by the page is a file to keep. The word is ours or has been found. */
static void name_file(http_exchange *x, const char *word)
{
    const char *format = http_query(x, "format");
    if (format == NULL || strcmp(format, "json") == 0 || strcmp(format, "blocks") == 0) return;
    snprintf(x->file, sizeof x->file, "%.24s.%.8s", word,
             strcmp(format, "vega") == 0   ? "vl.json"
             : strcmp(format, "text") == 0 ? "txt"
                                           : format);
}

void http_release(http_exchange *x, const char *id)
{
    char key[256];
    jali_doc *doc = NULL;
    jali_err err;
    jali_format format;
    const char *confidence = http_query(x, "confidence");
    if (!http_format_of(x, &format)) return;
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
    jali_status status = jali_hold_release(http_vault_of(x)->hold, id, confidence, &doc, &err);
    http_reply_doc(x, status, doc, format, &err);
    if (x->status == MHD_HTTP_OK) name_file(x, id);
    if (x->status == MHD_HTTP_OK && kept) keep(x, key);
}

/* Releases as one story; ?ids=r1,w1 chooses, in the order to be told. */
void http_report(http_exchange *x)
{
    enum { IDS = 256 };
    const char *id[IDS];
    jali_doc *doc = NULL;
    jali_err err;
    const char *chosen = http_query(x, "ids");
    char *copy = strdup(chosen == NULL ? "" : chosen), *rest = copy;
    jali_report r = { .vault = http_vault_path(x),
                      .id = id,
                      .confidence = http_query(x, "confidence"),
                      .hold = http_vault_of(x)->hold };
    for (char *word; rest != NULL && r.n_ids < IDS && (word = strsep(&rest, ",")) != NULL;)
        if (word[0] != '\0') id[r.n_ids++] = word;
    jali_status status = jali_vault_report(&r, &doc, &err);
    http_reply(x, status, doc, &err);
    name_file(x, "report");
    free(copy);
}

/* What a centre would cost at points of the asker's own, or everywhere: free, a function of the
 * release and the points. They are sent by POST so that no log or history has them. */
void http_points(http_exchange *x, const char *id)
{
    enum { WORDS = 512 };
    const char *word[WORDS];
    json_t *body = NULL;
    jali_doc *doc = NULL;
    jali_err err;
    const char *grid = http_member(x, &body, "grid");
    const json_t *list = json_object_get(body, "points");
    jali_contrast_query q = { .vault = http_vault_path(x),
                              .release = id,
                              .confidence = http_member(x, &body, "confidence"),
                              .word = word,
                              .grid = grid == NULL ? 0 : (unsigned)strtoul(grid, NULL, 10),
                              .threads = 1,
                              .hold = http_vault_of(x)->hold };
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
        http_reply(x, status, doc, &err);
    }
    json_decref(body);
}
