/* table/reading.c — a schema's members, refused with their line and column. */
#include "base/text.h"
#include "table/inside.h"
#include <stdarg.h>

JALI_PRINTF(5, 0)
static jali_status refuse(const jali_reading *r, const jali_step *path, size_t depth,
                          int at_key, const char *fmt, va_list ap)
{
    char sentence[400];
    unsigned line, column;
    size_t at = jali_json_place(r->text, r->n, path, depth, at_key);
    jali_text_place(r->text, at, &line, &column);
    vsnprintf(sentence, sizeof sentence, fmt, ap);
    return jali_fail_at(r->err, JALI_E_DATA, JALI_FOR_CURATOR, line, column,
                        "%s, line %u, column %u: %s", r->what, line, column, sentence);
}

jali_status jali_reading_fail(const jali_reading *r, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    jali_status status = refuse(r, r->path, r->depth, 0, fmt, ap);
    va_end(ap);
    return status;
}

jali_status jali_reading_fail_key(jali_reading *r, const char *key, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    jali_reading_down(r, key, 0);
    jali_status status = refuse(r, r->path, r->depth, 1, fmt, ap);
    r->depth--;
    va_end(ap);
    return status;
}

/* The shortest decimal that reads back as the same double: what the curator typed. */
static void real_text(char out[static 40], double value)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(out, 40, "%.*g", digits, value);
        if (strtod(out, NULL) == value) return;
    }
}

jali_status jali_reading_text(jali_reading *r, const json_t *value, const char **out)
{
    char room[40] = "";
    const char *text = room;
    if (json_is_string(value))
        text = json_string_value(value);
    else if (json_is_integer(value))
        snprintf(room, sizeof room, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        real_text(room, json_real_value(value));
    else if (json_is_boolean(value))
        text = json_is_true(value) ? "true" : "false";
    else
        return jali_reading_fail(r, "this must be a text or a number");
    *out = jali_arena_text(r->arena, text);
    return *out == NULL ? jali_fail_memory(r->err) : JALI_OK;
}

jali_status jali_reading_flag(jali_reading *r, const json_t *object, const char *key, bool *out)
{
    const json_t *value = json_object_get(object, key);
    if (value == NULL) return JALI_OK;
    if (!json_is_boolean(value))
        return jali_reading_fail_key(r, key, "\"%s\" must be true or false", key);
    *out = json_is_true(value);
    return JALI_OK;
}

jali_status jali_reading_name(jali_reading *r, const char *what, const char *text, bool empty)
{
    size_t n = strlen(text);
    if (n == 0 && !empty) return jali_reading_fail(r, "%s must not be empty", what);
    if (n > JALI_MAX_NAME)
        return jali_reading_fail(r, "%s has %zu bytes; the limit is %u", what, n,
                                 JALI_MAX_NAME);
    if (jali_text_commands(text) || strpbrk(text, "\t\n\r") != NULL)
        return jali_reading_fail(r, "%s has a control character; remove it", what);
    return JALI_OK;
}

jali_status jali_reading_list(jali_reading *r, const json_t *object, const char *key,
                              size_t limit, size_t *n, const char *const **out)
{
    const json_t *list = json_object_get(object, key);
    *n = SIZE_MAX;
    if (list == NULL) return JALI_OK;
    if (!json_is_array(list))
        return jali_reading_fail_key(r, key, "\"%s\" must be a list [...]", key);
    size_t count = json_array_size(list);
    if (count > limit)
        return jali_reading_fail_key(r, key, "\"%s\" has %zu values; the limit is %zu", key,
                                     count, limit);
    const char **texts = jali_arena_take(r->arena, count + 1, sizeof *texts);
    if (texts == NULL) return jali_fail_memory(r->err);
    jali_reading_down(r, key, 0);
    for (size_t i = 0; i < count; i++) {
        jali_reading_down(r, NULL, i);
        JALI_TRY(jali_reading_text(r, json_array_get(list, i), &texts[i]));
        JALI_TRY(jali_reading_name(r, "a value", texts[i], true));
        r->depth--;
    }
    r->depth--;
    *n = count;
    *out = texts;
    return JALI_OK;
}

jali_status jali_reading_keys(jali_reading *r, const json_t *object, const char *where,
                              const char *const *keys, size_t n)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        size_t i = 0;
        while (i < n && strcmp(key, keys[i]) != 0) i++;
        if (i < n) continue;
        const char *near = jali_text_nearest(key, keys, n);
        if (near != NULL)
            return jali_reading_fail_key(
                r, key, "%s has no member \"%.60s\"; did you mean \"%s\"?", where, key, near);
        return jali_reading_fail_key(r, key, "%s has no member \"%.60s\"; remove it", where,
                                     key);
    }
    return JALI_OK;
}
