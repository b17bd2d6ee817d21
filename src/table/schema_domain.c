/* table/schema_domain.c — the public domain of one column: enum, bounds, step, bins. */
#include "table/inside.h"

static const json_t *member(const json_t *object, const char *group, const char *key)
{
    return json_object_get(json_object_get(object, group), key);
}

/* Refuses the member `group`.`key` of the field in hand. */
#define REFUSE(r, group, key, ...)                                                             \
    (jali_reading_down((r), (group), 0), jali_reading_fail_key((r), (key), __VA_ARGS__))

/* ---- categories ------------------------------------------------------------------- */

/* Numbers among the categories are kept as the decimal they are, so that 1, "01" and 1.0
 * are one value. */
static jali_status tidy_number(jali_reading *r, const jali_field *f, const char **text)
{
    jali_dec value;
    int64_t days;
    char room[48];
    if (f->type == JALI_STRING || f->type == JALI_BOOLEAN) return JALI_OK;
    if (f->type == JALI_DATE) {
        if (!jali_date_scan(&days, *text, strlen(*text)))
            return jali_reading_fail(r, "column %s: %.40s is not a date like 2024-12-31",
                                     f->name, *text);
        return JALI_OK;
    }
    if (!jali_dec_scan(&value, *text, strlen(*text)) ||
        (f->type != JALI_DECIMAL && value.digits > 0))
        return jali_reading_fail(r, "column %s: %.40s is not %s", f->name, *text,
                                 f->type == JALI_DECIMAL ? "a number" : "a whole number");
    jali_dec_text(room, value);
    *text = jali_arena_text(r->arena, room);
    return *text == NULL ? jali_fail_memory(r->err) : JALI_OK;
}

/* Where undeclared values go: a declared category of that name, or one more. */
static jali_status read_other(jali_reading *r, const json_t *object, jali_field *f,
                              const char **values)
{
    const json_t *other = member(object, "jali", "other");
    if (other == NULL) return JALI_OK;
    if (!json_is_string(other))
        return REFUSE(r, "jali", "other", "column %s: \"other\" must be a text", f->name);
    const char *text = json_string_value(other);
    jali_reading_down(r, "jali", 0);
    jali_reading_down(r, "other", 0);
    JALI_TRY(jali_reading_name(r, "\"other\"", text, false));
    r->depth -= 2;
    for (uint32_t i = 0; i < f->n_values; i++)
        if (strcmp(values[i], text) == 0) f->other = (int32_t)i;
    if (f->other >= 0) return JALI_OK;
    if (f->n_values == JALI_MAX_CATEGORIES)
        return REFUSE(r, "jali", "other",
                      "column %s: with \"other\" there are more than %u categories", f->name,
                      JALI_MAX_CATEGORIES);
    values[f->n_values] = jali_arena_text(r->arena, text);
    if (values[f->n_values] == NULL) return jali_fail_memory(r->err);
    f->other = (int32_t)f->n_values++;
    return JALI_OK;
}

static jali_status read_enum(jali_reading *r, const json_t *object, jali_field *f)
{
    size_t n, twice;
    const char *const *given;
    jali_reading_down(r, "constraints", 0);
    JALI_TRY(jali_reading_list(r, json_object_get(object, "constraints"), "enum",
                               JALI_MAX_CATEGORIES, &n, &given));
    if (n == 0)
        return jali_reading_fail_key(r, "enum", "column %s: \"enum\" is empty", f->name);
    const char **values = jali_arena_take(r->arena, n + 1, sizeof *values);
    if (values == NULL) return jali_fail_memory(r->err);
    jali_reading_down(r, "enum", 0);
    for (size_t i = 0; i < n; i++) {
        values[i] = given[i];
        jali_reading_down(r, NULL, i);
        JALI_TRY(tidy_number(r, f, &values[i]));
        r->depth--;
    }
    r->depth -= 2;
    f->n_values = (uint32_t)n;
    JALI_TRY(read_other(r, object, f, values));
    f->values = values;
    JALI_TRY(jali_words_new(&f->words, values, NULL, f->n_values, r->arena, &twice, r->err));
    if (twice < f->n_values) {
        jali_reading_down(r, "constraints", 0);
        jali_reading_down(r, "enum", 0);
        jali_reading_down(r, NULL, twice);
        return jali_reading_fail(r, "column %s: \"%.60s\" is in \"enum\" twice", f->name,
                                 values[twice]);
    }
    f->kind = JALI_CATEGORY;
    f->domain = (uint64_t)f->n_values + 1;
    return JALI_OK;
}

static jali_status read_boolean(jali_reading *r, const json_t *object, jali_field *f)
{
    static const char *const names[] = { "false", "true" };
    static const char *const yes[] = { "true", "True", "TRUE", "1" };
    static const char *const no[] = { "false", "False", "FALSE", "0" };
    size_t twice;
    JALI_TRY(jali_reading_list(r, object, "trueValues", 100, &f->n_yes, &f->yes));
    JALI_TRY(jali_reading_list(r, object, "falseValues", 100, &f->n_no, &f->no));
    if (f->n_yes == SIZE_MAX) f->n_yes = sizeof yes / sizeof *yes, f->yes = yes;
    if (f->n_no == SIZE_MAX) f->n_no = sizeof no / sizeof *no, f->no = no;
    size_t n = f->n_yes + f->n_no;
    const char **texts = jali_arena_take(r->arena, n + 1, sizeof *texts);
    int32_t *codes = jali_arena_take(r->arena, n + 1, sizeof *codes);
    if (texts == NULL || codes == NULL) return jali_fail_memory(r->err);
    for (size_t i = 0; i < n; i++) {
        texts[i] = i < f->n_yes ? f->yes[i] : f->no[i - f->n_yes];
        codes[i] = i < f->n_yes;
    }
    JALI_TRY(jali_words_new(&f->words, texts, codes, n, r->arena, &twice, r->err));
    if (twice < n)
        return jali_reading_fail(r, "column %s: \"%.60s\" means true or false twice", f->name,
                                 texts[twice]);
    f->kind = JALI_CATEGORY;
    f->values = names;
    f->n_values = 2;
    f->domain = 3;
    return JALI_OK;
}

/* ---- numbers ---------------------------------------------------------------------- */

/* A bound or an edge as a decimal; a date as its day. r stands on the value. */
static jali_status read_point_value(jali_reading *r, const json_t *value, const jali_field *f,
                                    jali_dec *out)
{
    const char *text;
    JALI_TRY(jali_reading_text(r, value, &text));
    if (f->type == JALI_DATE) {
        out->digits = 0;
        if (jali_date_scan(&out->units, text, strlen(text))) return JALI_OK;
        return jali_reading_fail(r, "column %s: %.40s is not a date like 2024-12-31", f->name,
                                 text);
    }
    if (!jali_dec_scan(out, text, strlen(text)))
        return jali_reading_fail(
            r, "column %s: %.40s is not a decimal number of at most %d digits", f->name, text,
            JALI_MAX_DIGITS);
    return JALI_OK;
}

static jali_status read_step(jali_reading *r, const json_t *object, jali_field *f, bool *given)
{
    const json_t *step = member(object, "jali", "step");
    *given = step != NULL || f->type != JALI_DECIMAL;
    f->step = (jali_dec){ 1, 0 };
    if (step == NULL) return JALI_OK;
    if (f->type == JALI_DATE || f->type == JALI_YEAR)
        return REFUSE(r, "jali", "step", "column %s: a date or year has no \"step\"", f->name);
    jali_reading_down(r, "jali", 0);
    jali_reading_down(r, "step", 0);
    JALI_TRY(read_point_value(r, step, f, &f->step));
    if (f->step.units <= 0 || (f->type == JALI_INTEGER && f->step.digits > 0))
        return jali_reading_fail(r, "column %s: \"step\" must be a positive %s", f->name,
                                 f->type == JALI_INTEGER ? "whole number"
                                                         : "number such as \"0.01\"");
    r->depth -= 2;
    return JALI_OK;
}

/* The value counted in steps, if it is a whole number of them. r stands on the value. */
static jali_status in_steps(jali_reading *r, const jali_field *f, jali_dec value, int64_t *out)
{
    int64_t units, far = (int64_t)JALI_MAX_STEPS;
    char step[48];
    if (!jali_dec_scale(&units, value, f->step.digits) || units % f->step.units != 0) {
        jali_dec_text(step, f->step);
        return jali_reading_fail(r, "column %s: this is not a multiple of the step %s", f->name,
                                 step);
    }
    *out = units / f->step.units;
    if (*out > far || *out < -far)
        return jali_reading_fail(r, "column %s: this is more than 2^53 steps away from 0",
                                 f->name);
    return JALI_OK;
}

/* minimum or maximum, if present. */
static jali_status read_bound(jali_reading *r, const json_t *object, const char *key,
                              const jali_field *f, int64_t *out, bool *given)
{
    const json_t *value = member(object, "constraints", key);
    jali_dec at;
    *given = value != NULL;
    if (value == NULL) return JALI_OK;
    jali_reading_down(r, "constraints", 0);
    jali_reading_down(r, key, 0);
    JALI_TRY(read_point_value(r, value, f, &at));
    JALI_TRY(in_steps(r, f, at, out));
    r->depth -= 2;
    return JALI_OK;
}

/* The edges of `bins` as decimals, strictly rising; *n = 0 if there are none. */
static jali_status read_edges(jali_reading *r, const json_t *object, const jali_field *f,
                              size_t *n, jali_dec **out)
{
    const json_t *bins = member(object, "jali", "bins");
    *n = 0;
    if (bins == NULL) return JALI_OK;
    size_t count = json_array_size(bins);
    if (!json_is_array(bins) || count < 2 || count > JALI_MAX_CATEGORIES)
        return REFUSE(r, "jali", "bins",
                      "column %s: \"bins\" must be a list of 2 to %u rising edges", f->name,
                      JALI_MAX_CATEGORIES);
    jali_dec *edges = jali_arena_take(r->arena, count, sizeof *edges);
    if (edges == NULL) return jali_fail_memory(r->err);
    unsigned digits = 0;
    jali_reading_down(r, "jali", 0);
    jali_reading_down(r, "bins", 0);
    for (size_t i = 0; i < count; i++) {
        jali_reading_down(r, NULL, i);
        JALI_TRY(read_point_value(r, json_array_get(bins, i), f, &edges[i]));
        if (edges[i].digits > digits) digits = edges[i].digits;
        r->depth--;
    }
    for (size_t i = 0; i < count; i++) {
        jali_reading_down(r, NULL, i);
        if (!jali_dec_scale(&edges[i].units, edges[i], digits))
            return jali_reading_fail(r, "column %s: this edge is too far from 0", f->name);
        edges[i].digits = digits;
        if (i > 0 && edges[i].units <= edges[i - 1].units)
            return jali_reading_fail(r, "column %s: this edge is not above the one before",
                                     f->name);
        r->depth--;
    }
    r->depth -= 2;
    *n = count;
    *out = edges;
    return JALI_OK;
}

/* A number known by its bin only: a category whose values are intervals. */
static jali_status make_binned(jali_reading *r, jali_field *f, const jali_dec *edges, size_t n)
{
    f->kind = JALI_CATEGORY;
    f->binned = true;
    f->cut = edges;
    f->n_bins = f->n_values = (uint32_t)(n - 1);
    f->domain = (uint64_t)f->n_values + 1;
    const char **values = jali_arena_take(r->arena, f->n_values, sizeof *values);
    if (values == NULL) return jali_fail_memory(r->err);
    for (uint32_t b = 0; b < f->n_bins; b++)
        if ((values[b] = jali_field_bin(f, b, r->arena)) == NULL)
            return jali_fail_memory(r->err);
    f->values = values;
    return JALI_OK;
}

static jali_status place_edges(jali_reading *r, jali_field *f, const jali_dec *edges, size_t n)
{
    uint64_t *codes = jali_arena_take(r->arena, n, sizeof *codes);
    if (codes == NULL) return jali_fail_memory(r->err);
    jali_reading_down(r, "jali", 0);
    jali_reading_down(r, "bins", 0);
    for (size_t i = 0; i < n; i++) {
        int64_t at;
        jali_reading_down(r, NULL, i);
        JALI_TRY(in_steps(r, f, edges[i], &at));
        codes[i] = (uint64_t)(at - f->low);
        r->depth--;
    }
    r->depth -= 2;
    f->edge = codes;
    f->n_bins = (uint32_t)(n - 1);
    return JALI_OK;
}

/* Bins and bounds must tell the same story; either may be left out. */
static jali_status join_bounds(jali_reading *r, jali_field *f, const jali_dec *edges, size_t n,
                               bool has_low, bool has_high)
{
    int64_t first, last;
    jali_reading_down(r, "jali", 0);
    jali_reading_down(r, "bins", 0);
    JALI_TRY(in_steps(r, f, edges[0], &first));
    JALI_TRY(in_steps(r, f, edges[n - 1], &last));
    if ((has_low && f->low != first) || (has_high && f->high != last))
        return jali_reading_fail(r,
                                 "column %s: the first and last edge of \"bins\" must be "
                                 "\"minimum\" and \"maximum\"",
                                 f->name);
    r->depth -= 2;
    f->low = first;
    f->high = last;
    return JALI_OK;
}

static jali_status read_number(jali_reading *r, const json_t *object, jali_field *f)
{
    bool stepped, has_low, has_high;
    size_t n;
    jali_dec *edges = NULL;
    JALI_TRY(read_step(r, object, f, &stepped));
    JALI_TRY(read_edges(r, object, f, &n, &edges));
    if (n > 0 && !stepped) {
        /* Bounds beside the edges may only repeat them; a fine step says so exactly. */
        f->step = (jali_dec){ 1, edges[0].digits };
    } else if (!stepped) {
        return jali_reading_fail(
            r,
            "column %s is a number: add to its \"jali\" a \"step\" such as "
            "\"0.01\", or \"bins\" with edges",
            f->name);
    }
    JALI_TRY(read_bound(r, object, "minimum", f, &f->low, &has_low));
    JALI_TRY(read_bound(r, object, "maximum", f, &f->high, &has_high));
    if (n == 0 && (!has_low || !has_high))
        return jali_reading_fail(r, "column %s has no \"%s\" in its constraints", f->name,
                                 has_low ? "maximum" : "minimum");
    if (n > 0) JALI_TRY(join_bounds(r, f, edges, n, has_low, has_high));
    if (n > 0 && !stepped) return make_binned(r, f, edges, n);
    if (f->low > f->high)
        return REFUSE(r, "constraints", "minimum", "column %s: minimum is above maximum",
                      f->name);
    if ((uint64_t)(f->high - f->low) + 2 > JALI_MAX_STEPS)
        return REFUSE(r, "constraints", "maximum",
                      "column %s has more than 2^53 steps between its bounds", f->name);
    f->kind = JALI_NUMBER;
    f->domain = (uint64_t)(f->high - f->low) + 2;
    return n > 0 ? place_edges(r, f, edges, n) : JALI_OK;
}

/* ---- which of them ---------------------------------------------------------------- */

jali_status jali_field_read_domain(jali_reading *r, const json_t *object, jali_field *f)
{
    bool has_enum = member(object, "constraints", "enum") != NULL;
    bool has_bins = member(object, "jali", "bins") != NULL;
    const char *bound = member(object, "constraints", "minimum") != NULL   ? "minimum"
                        : member(object, "constraints", "maximum") != NULL ? "maximum"
                                                                           : NULL;
    bool number = f->type != JALI_STRING && f->type != JALI_BOOLEAN;
    if (f->type == JALI_BOOLEAN && has_enum)
        return REFUSE(r, "constraints", "enum", "column %s: a boolean needs no \"enum\"",
                      f->name);
    if (bound != NULL && (has_enum || !number))
        return REFUSE(r, "constraints", bound,
                      "column %s: \"%s\" is for numbers without \"enum\"", f->name, bound);
    if (!number || has_enum) {
        const char *ours = has_bins                                 ? "bins"
                           : member(object, "jali", "step") != NULL ? "step"
                                                                    : NULL;
        if (ours != NULL)
            return REFUSE(r, "jali", ours, "column %s: \"%s\" is for numbers without \"enum\"",
                          f->name, ours);
    }
    if (!has_enum && member(object, "jali", "other") != NULL)
        return REFUSE(r, "jali", "other", "column %s: \"other\" needs an \"enum\"", f->name);
    if (f->type == JALI_BOOLEAN) return read_boolean(r, object, f);
    if (has_enum) return read_enum(r, object, f);
    if (number && (bound != NULL || has_bins)) return read_number(r, object, f);
    return jali_reading_fail(
        r,
        "column %s has no public domain: give its constraints %s, or leave "
        "it out by \"jali\": {\"drop\": true}",
        f->name, number ? "\"minimum\" and \"maximum\"" : "an \"enum\"");
}
