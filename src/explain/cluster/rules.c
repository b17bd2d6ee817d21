/* explain/cluster/rules.c — clusterings that people wrote: rules, or a function as JSON.
 *
 * No claim: they are made from the request alone, know no data and cost nothing.
 */
#include "base/json.h"
#include "explain/cluster/methods.h"
#include "table/where.h"

enum { RULES_MOST = 4096 };

static bool is_blank(const char *text)
{
    return text[strspn(text, " \t\r\n")] == '\0';
}

/* The end of a rule: a ";" or the end of a line, outside quotes. */
static char *end_of(char *at)
{
    char quote = 0;
    for (; *at != '\0'; at++) {
        if (quote != 0)
            quote = *at == quote ? 0 : quote;
        else if (*at == '\'' || *at == '"')
            quote = *at;
        else if (*at == ';' || *at == '\n')
            break;
    }
    return at;
}

static jali_status parse_one(const jali_schema *schema, const char *text, size_t number,
                             jali_arena *arena, const jali_predicate **out, jali_err *err)
{
    jali_err inner = { 0 };
    jali_status status = jali_where_parse(schema, text, arena, out, &inner);
    if (status == JALI_OK) return status;
    return jali_fail(err, status, inner.reader, "rule %zu: %.400s", number, inner.text);
}

/* Conditions in SQL, one a line or with ";" between; the first that is true, wins. */
static jali_status parse_rules(const jali_cluster_ask *ask, jali_arena *arena,
                               jali_partition *out, jali_err *err)
{
    const jali_schema *schema = ask->geometry->schema;
    const jali_predicate *rule[RULES_MOST];
    char *at = jali_arena_text(arena, jali_cluster_word(ask, "rules"));
    size_t n = 0;
    if (at == NULL) return jali_fail_memory(err);
    for (bool more = true; more;) {
        char *end = end_of(at);
        more = *end != '\0';
        *end = '\0';
        if (!is_blank(at) && n == RULES_MOST)
            return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST, "a list has at most %d rules",
                             RULES_MOST);
        if (!is_blank(at)) {
            JALI_TRY(parse_one(schema, at, n + 1, arena, &rule[n], err));
            n++;
        }
        at = end + 1;
    }
    if (n == 0)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "there is no rule in the list: write conditions as after WHERE, one a "
                         "line");
    return jali_partition_rules(out, schema, rule, (uint32_t)n, arena, err);
}

static jali_status check_rules(const jali_cluster_ask *ask, jali_arena *arena, jali_err *err)
{
    jali_partition p;
    return parse_rules(ask, arena, &p, err);
}

static jali_status run_rules(const jali_cluster_run *r, jali_clustering *out, jali_err *err)
{
    return parse_rules(r->ask, r->arena, &out->partition, err);
}

static const jali_parameter rule_parameters[] = {
    { "rules", NULL, "conditions in SQL, one a line; the first that is true, wins" },
    { 0 },
};

const jali_method jali_method_rules = {
    .name = "rules",
    .summary = "conditions that you write, in order; costs nothing",
    .parameter = rule_parameters,
    .free = true,
    .check = check_rules,
    .run = run_rules,
};

/* ---- a function as JSON ------------------------------------------------------------------ */

/* The partition itself, or a whole clustering ("partition" is its member). */
static jali_status read_given(const jali_cluster_ask *ask, jali_arena *arena,
                              jali_partition *out, jali_err *err)
{
    const char *text = jali_cluster_word(ask, "json");
    json_t *value;
    JALI_TRY(jali_json_parse(&value, text, strlen(text), "the clustering", err));
    const json_t *inside = json_object_get(value, "partition");
    jali_status status = jali_partition_from_json(out, inside != NULL ? inside : value,
                                                  ask->geometry->schema, arena, err);
    json_decref(value);
    return status;
}

static jali_status check_given(const jali_cluster_ask *ask, jali_arena *arena, jali_err *err)
{
    jali_partition p;
    return read_given(ask, arena, &p, err);
}

static jali_status run_given(const jali_cluster_run *r, jali_clustering *out, jali_err *err)
{
    return read_given(r->ask, r->arena, &out->partition, err);
}

static const jali_parameter given_parameters[] = {
    { "json", NULL, "a clustering as JSON: centres, boxes, a tree, rules or modes" },
    { 0 },
};

const jali_method jali_method_given = {
    .name = "given",
    .summary = "a clustering that you have, as JSON; costs nothing",
    .parameter = given_parameters,
    .free = true,
    .check = check_given,
    .run = run_given,
};
