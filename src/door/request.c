/* door/request.c — any request as JSON: the verbs that spend, for servers and other programs.
 */
#include "base/json.h"
#include "base/text.h"
#include "door/door.h"
#include <stdlib.h>

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

/* A whole number from 1 on, as text; 0: not given. */
static unsigned count_of(request *r, const char *name)
{
    const char *text = text_of(r, name);
    char *end;
    if (text == NULL) return 0;
    unsigned long n = strtoul(text, &end, 10);
    if (*end == '\0' && text[0] >= '1' && text[0] <= '9' && n <= 1000000) return (unsigned)n;
    r->bad = true;
    r->which = name;
    return 0;
}

/* "a,b" into its words, in place. */
static size_t split(char *list, const char **word, size_t room)
{
    size_t n = 0;
    for (char *at = list; at != NULL && *at != '\0' && n < room;) {
        char *comma = strchr(at, ',');
        if (comma != NULL) *comma = '\0';
        word[n++] = at;
        at = comma == NULL ? NULL : comma + 1;
    }
    return n;
}

static jali_status run_why(request *r, jali_doc **out, jali_err *err)
{
    enum { COLUMNS = 256 };
    const char *column[COLUMNS], *yes = text_of(r, "inequalities"), *list;
    jali_arena arena = JALI_ARENA_INIT;
    jali_why y = { .release = text_of(r, "release"),
                   .question = text_of(r, "question"),
                   .of = text_of(r, "of"),
                   .top = count_of(r, "top"),
                   .length = count_of(r, "length"),
                   .up_to = count_of(r, "up_to"),
                   .inequalities = yes != NULL && strcmp(yes, "true") == 0,
                   .either = text_of(r, "either"),
                   .predicates = text_of(r, "predicates"),
                   .ranks = text_of(r, "ranks"),
                   .split = text_of(r, "split"),
                   .lower = text_of(r, "lower"),
                   .constants = text_of(r, "constants") };
    list = text_of(r, "columns");
    JALI_TRY(check(r, err));
    if (y.release == NULL) return missing("release", err);
    if (y.question == NULL) return missing("question", err);
    char *copy = jali_arena_text(&arena, list == NULL ? "" : list);
    y.spend = r->spend;
    y.columns = column;
    y.n_columns = copy == NULL ? 0 : split(copy, column, COLUMNS);
    jali_status status = copy == NULL ? jali_fail_memory(err) : jali_vault_why(&y, out, err);
    jali_arena_clear(&arena);
    return status;
}

static const struct {
    const char *verb;
    jali_status (*run)(request *r, jali_doc **out, jali_err *err);
} verbs[] = {
    { "ask", run_ask },
    { "why", run_why },
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
