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

/* A whole number from 1 on, in digits alone; none at all is `other`. */
static bool read_number(const char *text, int64_t other, int64_t most, int64_t *out)
{
    *out = other;
    if (text == NULL) return true;
    size_t n = strspn(text, "0123456789");
    if (n == 0 || n > 18 || text[n] != '\0') return false;
    *out = atoll(text);
    return *out >= 1 && *out <= most;
}

void http_ledger(http_exchange *x)
{
    jali_doc *doc = NULL;
    jali_err err;
    int64_t from;
    if (!http_may(x, JALI_AUDITOR, true)) return;
    if (!read_number(http_query(x, "from"), 1, INT64_MAX, &from)) {
        http_reply_error(x, MHD_HTTP_BAD_REQUEST,
                         "from is the number of a row, 1 or more: ?from=100", NULL);
        return;
    }
    jali_status status = jali_vault_log(http_vault_path(x), from, &doc, &err);
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
    for (char *word; r.n_ids < IDS && (word = strsep(&rest, ",")) != NULL;)
        if (word[0] != '\0') id[r.n_ids++] = word;
    if (rest != NULL)
        http_reply_error(x, MHD_HTTP_BAD_REQUEST,
                         "a report has at most 256 releases in ids; leave some out", NULL);
    else {
        jali_status status = jali_vault_report(&r, &doc, &err);
        http_reply(x, status, doc, &err);
        name_file(x, "report");
    }
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
    int64_t grid;
    bool good = read_number(http_member(x, &body, "grid"), 0, 128, &grid);
    const json_t *list = json_object_get(body, "points");
    const size_t n = json_array_size(list);
    jali_contrast_query q = { .vault = http_vault_path(x),
                              .release = id,
                              .confidence = http_member(x, &body, "confidence"),
                              .word = word,
                              .grid = (unsigned)grid,
                              .threads = 1,
                              .hold = http_vault_of(x)->hold };
    for (; q.n_words < n && q.n_words < WORDS; q.n_words++) {
        word[q.n_words] = json_string_value(json_array_get(list, q.n_words));
        if (word[q.n_words] == NULL) word[q.n_words] = "";
    }
    if (!good || n > WORDS || (grid == 0 && n == 0))
        http_reply_error(x, MHD_HTTP_BAD_REQUEST,
                         "send {\"points\": [\"1.5\", \"2\"]} with at most 512 words or "
                         "{\"grid\": \"64\"}, 1 to 128",
                         NULL);
    else {
        jali_status status = jali_vault_contrast(&q, &doc, &err);
        http_reply(x, status, doc, &err);
    }
    json_decref(body);
}
