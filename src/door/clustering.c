/* door/clustering.c — the clustering that a request names: a stored one, JSON, or rules. */
#include "door/clustering.h"
#include "door/vault.h"
#include "table/where.h"

enum { PLAIN_NAME = 4096 }; /* longer clusterings are named by their print */

/* Is it an id and no JSON? */
static bool is_id(const char *text)
{
    size_t n = strlen(text);
    if (n < 2 || n > 20) return false;
    for (size_t i = 0; i < n; i++) {
        bool letter = text[i] >= 'a' && text[i] <= 'z',
             digit = text[i] >= '0' && text[i] <= '9';
        if (i == 0 ? !letter : !digit) return false;
    }
    return true;
}

static jali_status stored(const char *id, jali_ledger *ledger, jali_arena *arena, json_t **out,
                          jali_err *err)
{
    jali_release release;
    JALI_TRY(jali_ledger_find_id(ledger, id, arena, &release, err));
    if (release.id[0] != 'c')
        return jali_fail(
            err, JALI_E_USAGE, JALI_FOR_ANALYST,
            "%.20s is not a clustering: name one that jali cluster stored (c1), or "
            "write it as JSON",
            id);
    return jali_json_parse(out, release.body, release.n, id, err);
}

static jali_status read_rules(const json_t *list, const jali_schema *schema, jali_arena *arena,
                              jali_partition *out, jali_err *err)
{
    size_t n = json_array_size(list);
    const jali_predicate **rule = jali_arena_take(arena, n + 1, sizeof(jali_predicate *));
    if (rule == NULL) return jali_fail_memory(err);
    if (n == 0 || n >= JALI_PLAN_LABELS)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "\"rules\" must be a list of 1 to %d conditions in SQL",
                         JALI_PLAN_LABELS - 1);
    for (size_t i = 0; i < n; i++) {
        const char *text = json_string_value(json_array_get(list, i));
        if (text == NULL)
            return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                             "rule %zu is not a condition in SQL, written as a text", i + 1);
        JALI_TRY(jali_where_parse(schema, text, arena, &rule[i], err));
    }
    return jali_partition_rules(out, schema, rule, (uint32_t)n, arena, err);
}

static bool are_texts(const json_t *list)
{
    return json_is_array(list) && json_is_string(json_array_get(list, 0));
}

static jali_status read_value(const json_t *value, const jali_schema *schema, jali_arena *arena,
                              jali_partition *out, jali_err *err)
{
    const json_t *inner = json_object_get(value, "partition");
    const json_t *one = inner == NULL ? value : inner;
    if (json_object_get(one, "kind") == NULL || are_texts(json_object_get(one, "rules"))) {
        const json_t *rules = json_object_get(one, "rules");
        if (!json_is_array(rules))
            return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                             "this is no clustering: it has neither \"kind\" nor \"rules\"");
        return read_rules(rules, schema, arena, out, err);
    }
    return jali_partition_from_json(out, one, schema, arena, err);
}

/* The canonical text, or its print where that would fill the ledger. */
static jali_status name_of(const jali_partition *p, jali_arena *arena, const char **out,
                           jali_err *err)
{
    json_t *value;
    char *text, print[JALI_VAULT_PRINT];
    JALI_TRY(jali_partition_to_json(p, &value, err));
    jali_status status = jali_json_canonical(value, arena, &text, err);
    json_decref(value);
    if (status != JALI_OK) return status;
    size_t n = strlen(text);
    if (n > PLAIN_NAME) {
        jali_vault_print(print, text, n);
        text = jali_arena_format(arena, "print %s", print);
        if (text == NULL) return jali_fail_memory(err);
    }
    *out = text;
    return JALI_OK;
}

/* What is read is the request's own, so that a mistake in it is the analyst's. */
static jali_status parse(const char *text, json_t **out, jali_err *err)
{
    jali_status status = jali_json_parse(out, text, strlen(text), "the clustering", err);
    if (status != JALI_E_DATA) return status;
    if (err != NULL) {
        err->code = JALI_E_USAGE;
        err->reader = JALI_FOR_ANALYST;
    }
    return JALI_E_USAGE;
}

jali_status jali_clustering_read(const char *text, const jali_schema *schema,
                                 jali_ledger *ledger, jali_arena *arena, jali_partition *out,
                                 const char **canonical, jali_err *err)
{
    json_t *value;
    if (is_id(text))
        JALI_TRY(stored(text, ledger, arena, &value, err));
    else
        JALI_TRY(parse(text, &value, err));
    jali_status status = read_value(value, schema, arena, out, err);
    json_decref(value);
    return status == JALI_OK ? name_of(out, arena, canonical, err) : status;
}
