/* door/door.c — what the files behind jali.h share. */
#define _POSIX_C_SOURCE 200809L
#include "door/door.h"
#include "base/text.h"
#include "budget/words.h"
#include <sys/stat.h>

const char *jali_version(void)
{
    return JALI_VERSION;
}

const char *jali_nearest(const char *word, const char *const *words, size_t n)
{
    return jali_text_nearest(word, words, n);
}

jali_status jali_door_path(const char *vault, const char *name, jali_arena *arena, char **out,
                           jali_err *err)
{
    struct stat st;
    if (stat(vault, &st) != 0)
        return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                         "there is no vault %.200s; jali init makes one", vault);
    if (!S_ISDIR(st.st_mode))
        return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                         "%.200s is a file, not a vault; jali init makes one of it", vault);
    size_t n = strlen(vault);
    while (n > 1 && vault[n - 1] == '/') n--;
    char *path = jali_arena_format(arena, "%.*s/%s", (int)n, vault, name);
    if (path == NULL) return jali_fail_memory(err);
    *out = path;
    return JALI_OK;
}

void jali_door_set_loss(jali_doc *doc, const char *key, jali_loss loss)
{
    json_t *value = NULL;
    if (jali_loss_to_json(&value, loss, NULL) != JALI_OK) value = NULL;
    jali_doc_set(doc, key, value);
}

void jali_door_tell_left(jali_doc *doc, const jali_cap *cap, jali_loss sum)
{
    char text[JALI_LOSS_TEXT];
    if (!doc->bare) jali_doc_fact(doc, "left", "%s", jali_left_words(text, cap, sum));
    jali_door_set_loss(doc, "left", jali_cap_left(cap, sum));
}

char *jali_door_time(char out[static 32], int64_t ms)
{
    time_t seconds = (time_t)(ms / 1000);
    struct tm t;
    if (gmtime_r(&seconds, &t) == NULL || strftime(out, 32, "%Y-%m-%d %H:%M:%S", &t) == 0)
        snprintf(out, 32, "%lld", (long long)ms);
    return out;
}
