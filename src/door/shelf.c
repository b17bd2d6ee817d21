/* door/shelf.c — a list in a JSON file of a vault, replaced whole under a lock. */
#define _GNU_SOURCE
#include "door/shelf.h"
#include "base/file.h"
#include "door/door.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

enum { FORMAT = 1, MAX_BYTES = 1 << 20 };

void jali_shelf_close(jali_shelf *s)
{
    json_decref(s->json);
    if (s->lock >= 0) close(s->lock);
    jali_arena_clear(&s->arena);
}

static jali_status load(jali_shelf *s, const char *name, jali_err *err)
{
    if (!jali_file_exists(s->path))
        s->json = json_pack("{s:i,s:[]}", "jali", FORMAT, name);
    else
        JALI_TRY(jali_json_load(&s->json, s->path, MAX_BYTES, err));
    if (s->json == NULL) return jali_fail_memory(err);
    s->items = json_object_get(s->json, name);
    if (json_is_array(s->items) &&
        json_integer_value(json_object_get(s->json, "jali")) == FORMAT)
        return JALI_OK;
    return jali_fail(err, JALI_E_DATA, JALI_FOR_CURATOR, "%.200s is not a list of %s", s->path,
                     name);
}

static jali_status lock(jali_shelf *s, const char *vault, const char *name, jali_err *err)
{
    char *path, *file = jali_arena_format(&s->arena, "%s.lock", name);
    if (file == NULL) return jali_fail_memory(err);
    JALI_TRY(jali_door_path(vault, file, &s->arena, &path, err));
    s->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (s->lock >= 0 && flock(s->lock, LOCK_EX) == 0) return JALI_OK;
    return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                     "the %s of %.200s cannot be locked: %s", name, vault, strerror(errno));
}

jali_status jali_shelf_open(jali_shelf *s, const char *vault, const char *name, bool write,
                            jali_err *err)
{
    *s = (jali_shelf){ .lock = -1 };
    char *file = jali_arena_format(&s->arena, "%s.json", name);
    jali_status status = file == NULL ? jali_fail_memory(err)
                                      : jali_door_path(vault, file, &s->arena, &s->path, err);
    if (status == JALI_OK && write) status = lock(s, vault, name, err);
    if (status == JALI_OK) status = load(s, name, err);
    if (status != JALI_OK) jali_shelf_close(s);
    return status;
}

jali_status jali_shelf_save(jali_shelf *s, jali_err *err)
{
    char *text = json_dumps(s->json, JSON_INDENT(2));
    if (text == NULL) return jali_fail_memory(err);
    jali_status status = jali_file_replace(s->path, text, strlen(text), 0600, err);
    free(text);
    return status;
}

const char *jali_shelf_word(const json_t *item, const char *key)
{
    const char *text = json_string_value(json_object_get(item, key));
    return text == NULL ? "" : text;
}
