/* door/door.c — what the files behind jali.h share. */
#define _POSIX_C_SOURCE 200809L
#include "door/door.h"
#include "base/text.h"
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
    if (stat(vault, &st) != 0 || !S_ISDIR(st.st_mode))
        return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                         "there is no vault %.200s; jali init makes one", vault);
    size_t n = strlen(vault);
    while (n > 1 && vault[n - 1] == '/') n--;
    char *path = jali_arena_format(arena, "%.*s/%s", (int)n, vault, name);
    if (path == NULL) return jali_fail_memory(err);
    *out = path;
    return JALI_OK;
}

char *jali_door_time(char out[static 32], int64_t ms)
{
    time_t seconds = (time_t)(ms / 1000);
    struct tm t;
    if (gmtime_r(&seconds, &t) == NULL || strftime(out, 32, "%Y-%m-%d %H:%M:%S", &t) == 0)
        snprintf(out, 32, "%lld", (long long)ms);
    return out;
}
