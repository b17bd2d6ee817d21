/* door/request.c — any request as JSON: the verbs that spend, for servers and other programs.
 */
#define _DEFAULT_SOURCE
#include "base/json.h"
#include "base/text.h"
#include "door/door.h"
#include <stdlib.h>

enum { MAX_WORDS = 32, MAX_LIST = 256 };

typedef struct request {
    const json_t *json;
    jali_arena *arena;
    jali_spend spend;
    const char *known[MAX_WORDS]; /* members that were asked for */
    size_t n_known;
    const char *list[MAX_LIST]; /* of the one member that is a list of texts */
    const char *bad;            /* a member of the wrong type; NULL: none    */
    const char *wants;          /* what it should have been                  */
} request;

/* A member that is a text; NULL: not given. */
static const char *text_of(request *r, const char *name)
{
    const json_t *value = json_object_get(r->json, name);
    if (r->n_known < MAX_WORDS) r->known[r->n_known++] = name;
    if (value == NULL || json_is_null(value)) return NULL;
    if (!json_is_string(value)) {
        r->bad = name;
        r->wants = "a text: write numbers as \"0.1\"";
    }
    return json_string_value(value);
}

/* A member that is a list of texts, or one text with commas in it. */
static size_t list_of(request *r, const char *name, jali_arena *arena)
{
    const json_t *value = json_object_get(r->json, name);
    size_t n = 0;
    if (json_is_array(value)) {
        if (r->n_known < MAX_WORDS) r->known[r->n_known++] = name;
        for (; n < json_array_size(value) && n < MAX_LIST; n++) {
            r->list[n] = json_string_value(json_array_get(value, n));
            if (r->list[n] != NULL) continue;
            r->bad = name;
            r->wants = "a list of texts";
            return 0;
        }
        return n;
    }
    const char *text = text_of(r, name);
    char *copy = text == NULL ? NULL : jali_arena_text(arena, text), *rest = copy;
    for (char *word; rest != NULL && n < MAX_LIST && (word = strsep(&rest, ",")) != NULL;)
        r->list[n++] = word;
    return n;
}

/* A small whole number, written as a text; 0: not given. */
static unsigned count_of(request *r, const char *name)
{
    const char *text = text_of(r, name);
    char *end;
    if (text == NULL) return 0;
    unsigned long n = strtoul(text, &end, 10);
    if (*end == '\0' && text[0] >= '1' && text[0] <= '9' && n <= 1000000) return (unsigned)n;
    r->bad = name;
    r->wants = "a whole number above 0, as a text";
    return 0;
}

static bool flag_of(request *r, const char *name)
{
    const json_t *value = json_object_get(r->json, name);
    if (r->n_known < MAX_WORDS) r->known[r->n_known++] = name;
    if (value != NULL && !json_is_boolean(value)) {
        r->bad = name;
        r->wants = "true or false";
    }
    return json_is_true(value);
}

/* All members are known, and texts: else a typing error would be a default. */
static jali_status check(const request *r, jali_err *err)
{
    const char *key;
    json_t *value;
    if (r->bad != NULL)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST, "\"%s\" must be %s", r->bad,
                         r->wants);
    json_object_foreach((json_t *)r->json, key, value)
    {
        size_t i = 0;
        while (i < r->n_known && strcmp(r->known[i], key) != 0) i++;
        if (i < r->n_known) continue;
        const char *near = jali_text_nearest(key, r->known, r->n_known);
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "the request has an unknown member \"%.40s\"%s%s%s", key,
                         near == NULL ? "" : "; did you mean \"", near == NULL ? "" : near,
                         near == NULL ? "" : "\"?");
    }
    return JALI_OK;
}

static jali_status missing(const char *name, jali_err *err)
{
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST, "the request has no \"%s\"", name);
}

/* ---- the verbs --------------------------------------------------------------------------- */

static jali_status run_ask(request *r, jali_doc **out, jali_err *err)
{
    jali_question q = { .sql = text_of(r, "sql"), .error = text_of(r, "error") };
    JALI_TRY(check(r, err));
    if (q.sql == NULL) return missing("sql", err);
    q.spend = r->spend;
    return jali_vault_ask(&q, out, err);
}

static jali_status run_why(request *r, jali_doc **out, jali_err *err)
{
    jali_why q = { .release = text_of(r, "release"),
                   .question = text_of(r, "question"),
                   .of = text_of(r, "of"),
                   .top = count_of(r, "top"),
                   .length = count_of(r, "length"),
                   .up_to = count_of(r, "up_to"),
                   .inequalities = flag_of(r, "inequalities"),
                   .either = text_of(r, "either"),
                   .predicates = text_of(r, "predicates"),
                   .ranks = text_of(r, "ranks"),
                   .split = text_of(r, "split"),
                   .lower = text_of(r, "lower"),
                   .constants = text_of(r, "constants"),
                   .n_columns = list_of(r, "columns", r->arena),
                   .columns = r->list };
    JALI_TRY(check(r, err));
    if (q.release == NULL) return missing("release", err);
    if (q.question == NULL) return missing("question", err);
    q.spend = r->spend;
    return jali_vault_why(&q, out, err);
}

/* A clustering may be an id, or JSON as a member of its own. */
static const char *clustering_of(request *r)
{
    const json_t *value = json_object_get(r->json, "clustering");
    if (!json_is_object(value)) return text_of(r, "clustering");
    r->known[r->n_known++] = "clustering";
    char *text = json_dumps(value, JSON_COMPACT);
    const char *copy = text == NULL ? NULL : jali_arena_text(r->arena, text);
    free(text);
    return copy;
}

static jali_status run_profile(request *r, jali_doc **out, jali_err *err)
{
    jali_profiling q = { .clustering = clustering_of(r),
                         .method = text_of(r, "method"),
                         .sufficiency = text_of(r, "sufficiency"),
                         .weights = text_of(r, "weights"),
                         .candidates = text_of(r, "candidates"),
                         .per_cluster = text_of(r, "per_cluster"),
                         .n_columns = list_of(r, "columns", r->arena),
                         .column = r->list };
    JALI_TRY(check(r, err));
    if (q.clustering == NULL) return missing("clustering", err);
    q.spend = r->spend;
    return jali_vault_profile(&q, out, err);
}

static jali_status run_cluster(request *r, jali_doc **out, jali_err *err)
{
    jali_cluster_request q = { .method = text_of(r, "method"),
                               .clusters = text_of(r, "clusters"),
                               .delta = text_of(r, "delta"),
                               .scale = text_of(r, "scale"),
                               .n_columns = list_of(r, "columns", r->arena),
                               .columns = r->list };
    JALI_TRY(check(r, err));
    if (q.n_columns == 0) return missing("columns", err);
    q.spend = r->spend;
    return jali_vault_cluster(&q, out, err);
}

static jali_status run_contrast(request *r, jali_doc **out, jali_err *err)
{
    jali_centres q = { .columns = text_of(r, "columns"),
                       .weight = text_of(r, "weight"),
                       .centres = text_of(r, "centres"),
                       .objective = text_of(r, "objective"),
                       .bounds = text_of(r, "bounds"),
                       .cells = text_of(r, "cells"),
                       .tight = flag_of(r, "tight") };
    JALI_TRY(check(r, err));
    if (q.columns == NULL) return missing("columns", err);
    if (q.centres == NULL) return missing("centres", err);
    q.spend = r->spend;
    return jali_vault_centres(&q, out, err);
}

/* By registered name only: what is run on rows is the curator's to choose. */
static jali_status run_model(request *r, jali_doc **out, jali_err *err)
{
    jali_model_question q = { .what = text_of(r, "what"),
                              .model = text_of(r, "model"),
                              .feature = text_of(r, "feature"),
                              .range = text_of(r, "range"),
                              .explainer = text_of(r, "explainer"),
                              .grid = text_of(r, "grid"),
                              .loss = text_of(r, "loss"),
                              .resolution = count_of(r, "resolution"),
                              .blocks = count_of(r, "blocks"),
                              .registered = true };
    JALI_TRY(check(r, err));
    if (q.what == NULL) return missing("what", err);
    if (q.model == NULL) return missing("model", err);
    q.spend = r->spend;
    return jali_vault_model(&q, out, err);
}

static const struct {
    const char *verb;
    jali_status (*run)(request *r, jali_doc **out, jali_err *err);
} verbs[] = {
    { "ask", run_ask },         { "why", run_why },           { "profile", run_profile },
    { "cluster", run_cluster }, { "contrast", run_contrast }, { "model", run_model },
};

enum { VERBS = sizeof verbs / sizeof *verbs };

static jali_status dispatch(request *r, jali_doc **out, jali_err *err)
{
    const char *names[VERBS], *verb = text_of(r, "verb");
    r->spend.epsilon = text_of(r, "epsilon");
    r->spend.rho = text_of(r, "rho");
    r->spend.confidence = text_of(r, "confidence");
    if (verb == NULL) return missing("verb", err);
    for (size_t i = 0; i < VERBS; i++) {
        if (strcmp(verbs[i].verb, verb) == 0) return verbs[i].run(r, out, err);
        names[i] = verbs[i].verb;
    }
    const char *near = jali_text_nearest(verb, names, VERBS);
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "\"%.40s\" is not a verb that spends%s%s", verb,
                     near == NULL ? "" : "; did you mean ", near == NULL ? "" : near);
}

jali_status jali_vault_request(const char *json, size_t n, const jali_spend *spend,
                               jali_doc **out, jali_err *err)
{
    json_t *value;
    jali_err why = { 0 };
    if (jali_json_parse(&value, json, n, "the request", &why) != JALI_OK)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST, "%s", why.text);
    jali_arena arena = JALI_ARENA_INIT;
    request r = { .json = value, .arena = &arena, .spend = *spend };
    jali_status status = json_is_object(value) ? dispatch(&r, out, err)
                                               : jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                                                           "a request is a JSON object");
    json_decref(value);
    jali_arena_clear(&arena);
    return status;
}
