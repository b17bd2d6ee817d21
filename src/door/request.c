/* door/request.c — any request as JSON: the verbs that spend, for servers and other programs.
 */
#include "base/json.h"
#include "base/text.h"
#include "door/door.h"

enum { MAX_WORDS = 32 };

typedef struct request {
    const json_t *json;
    jali_spend spend;
    const char *known[MAX_WORDS]; /* members that were asked for */
    size_t n_known;
    bool bad; /* a member of the wrong type */
    const char *which;
} request;

/* A member that is a text; NULL: not given. */
static const char *text_of(request *r, const char *name)
{
    const json_t *value = json_object_get(r->json, name);
    if (r->n_known < MAX_WORDS) r->known[r->n_known++] = name;
    if (value == NULL || json_is_null(value)) return NULL;
    if (!json_is_string(value)) {
        r->bad = true;
        r->which = name;
    }
    return json_string_value(value);
}

/* All members are known, and texts: else a typing error would be a default. */
static jali_status check(const request *r, jali_err *err)
{
    const char *key;
    json_t *value;
    if (r->bad)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "\"%s\" must be a text: write numbers as \"0.1\"", r->which);
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

static const struct {
    const char *verb;
    jali_status (*run)(request *r, jali_doc **out, jali_err *err);
} verbs[] = {
    { "ask", run_ask },
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
    request r = { .json = value, .spend = *spend };
    jali_status status = json_is_object(value) ? dispatch(&r, out, err)
                                               : jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                                                           "a request is a JSON object");
    json_decref(value);
    return status;
}
