/* explain/model/words.c — the words of a request that say numbers and labels.
 *
 * No claim: they are functions of the schema and the request.
 */
#include "base/rat.h"
#include "explain/model/portrait.h"

static jali_status number(const char *text, const char *what, double *out, jali_err *err)
{
    mpq_t q;
    mpq_init(q);
    jali_status status = jali_rat_parse(q, text, what, err);
    if (status == JALI_OK) *out = mpq_get_d(q);
    mpq_clear(q);
    return status;
}

jali_status jali_portrait_bounds(const char *low, const char *high, const char *what,
                                 double out[static 2], jali_err *err)
{
    double at[2];
    JALI_TRY(number(low, what, &at[0], err));
    JALI_TRY(number(high, what, &at[1], err));
    if (!(at[0] < at[1]))
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "%s %.40s:%.40s: the first must be the smaller", what, low, high);
    out[0] = at[0];
    out[1] = at[1];
    return JALI_OK;
}

jali_status jali_portrait_label(const jali_schema *schema, const char *label, jali_arena *arena,
                                const jali_field **field, int64_t *is, jali_err *err)
{
    char *name = jali_arena_text(arena, label), *value = NULL;
    size_t at;
    if (name == NULL) return jali_fail_memory(err);
    if (jali_schema_find(schema, name, &at, NULL) != JALI_OK &&
        (value = strchr(name, '=')) != NULL)
        *value++ = '\0';
    JALI_TRY(jali_schema_find(schema, name, &at, err));
    const jali_field *f = &schema->fields[at];
    if (f->domain > UINT32_MAX)
        return jali_fail(
            err, JALI_E_USAGE, JALI_FOR_ANALYST,
            "\"%.100s\" is too fine for a label: give it a wider step in the schema", name);
    int64_t found = -1;
    for (uint32_t i = 0; value != NULL && i < f->n_values; i++)
        if (strcmp(f->values[i], value) == 0) found = i;
    if (value != NULL && found < 0)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "\"%.100s\" has no category \"%.100s\"", name, value);
    if (value == NULL && !jali_model_is_number(f))
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "\"%.100s\" is a category: say which one counts as 1, --label "
                         "%.100s=VALUE",
                         name, name);
    *field = f;
    *is = found;
    return JALI_OK;
}
