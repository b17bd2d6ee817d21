/* base/json.c — JSON by jansson, with sentences instead of NULLs. */
#include "base/json.h"
#include "base/file.h"

jali_status jali_json_parse(json_t **out, const char *bytes, size_t n, const char *what,
                            jali_err *err)
{
    json_error_t why;
    json_t *value = json_loadb(bytes, n, JSON_REJECT_DUPLICATES, &why);
    if (value == NULL)
        return jali_fail_at(err, JALI_E_DATA, JALI_FOR_CURATOR,
                            why.line > 0 ? (unsigned)why.line : 1,
                            why.column > 0 ? (unsigned)why.column : 1,
                            "%s, line %d: this is not JSON: %s", what, why.line, why.text);
    *out = value;
    return JALI_OK;
}

jali_status jali_json_load(json_t **out, const char *path, size_t limit, jali_err *err)
{
    jali_arena arena = JALI_ARENA_INIT;
    char *bytes;
    size_t n;
    jali_status status = jali_file_read(path, limit, &arena, &bytes, &n, err);
    if (status == JALI_OK) status = jali_json_parse(out, bytes, n, path, err);
    jali_arena_clear(&arena);
    return status;
}

static jali_status dump(const json_t *value, size_t flags, jali_arena *arena, char **out,
                        jali_err *err)
{
    char *text = json_dumps(value, flags | JSON_ENCODE_ANY);
    if (text == NULL) return jali_fail_memory(err);
    char *copy = jali_arena_text(arena, text);
    free(text);
    if (copy == NULL) return jali_fail_memory(err);
    *out = copy;
    return JALI_OK;
}

jali_status jali_json_canonical(const json_t *value, jali_arena *arena, char **out,
                                jali_err *err)
{
    return dump(value, JSON_COMPACT | JSON_SORT_KEYS, arena, out, err);
}

jali_status jali_json_pretty(const json_t *value, jali_arena *arena, char **out, jali_err *err)
{
    return dump(value, JSON_INDENT(2), arena, out, err);
}

jali_status jali_json_string(const json_t *object, const char *key, const char *what,
                             const char **out, jali_err *err)
{
    const json_t *member = json_object_get(object, key);
    if (!json_is_string(member))
        return jali_fail(err, JALI_E_DATA, JALI_FOR_CURATOR,
                         member == NULL ? "%s has no \"%s\"" : "%s: \"%s\" must be a text",
                         what, key);
    *out = json_string_value(member);
    return JALI_OK;
}
