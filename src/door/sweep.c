/* door/sweep.c — what interrupted imports left behind, removed.
 *
 * Who makes a vault holds a lock on its unfinished folder, and the kernel lets go of it however
 * the process ends. A folder whose lock is free was left by a process that is gone.
 */
#define _GNU_SOURCE
#include "base/file.h"
#include "door/init.h"
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

int jali_init_hold(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

/* Six letters or digits after the mark, as mkdtemp writes them. */
static bool is_unfinished(const char *name, const char *mark)
{
    size_t n = strlen(mark);
    return strncmp(name, mark, n) == 0 && strlen(name + n) == 6 &&
           strspn(name + n, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") ==
               6;
}

static void sweep(const char *folder, const char *mark, jali_arena *arena)
{
    DIR *dir = opendir(folder);
    if (dir == NULL) return;
    for (const struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
        if (!is_unfinished(e->d_name, mark)) continue;
        char *path = jali_arena_format(arena, "%s/%s", folder, e->d_name);
        int lock = path == NULL ? -1 : jali_init_hold(path);
        if (lock < 0) continue;
        jali_file_remove_tree(path);
        close(lock);
    }
    closedir(dir);
}

void jali_vault_sweep(const char *vault)
{
    jali_arena arena = JALI_ARENA_INIT;
    size_t n = strlen(vault);
    while (n > 1 && vault[n - 1] == '/') n--;
    char *path = jali_arena_format(&arena, "%.*s", (int)n, vault);
    char *slash = path == NULL ? NULL : strrchr(path, '/');
    const char *base = slash == NULL ? path : slash + 1;
    char *mark = base == NULL ? NULL : jali_arena_format(&arena, ".%s.new-", base);
    if (slash == path && path != NULL)
        sweep("/", mark, &arena);
    else if (mark != NULL) {
        if (slash != NULL) *slash = '\0';
        sweep(slash == NULL ? "." : path, mark, &arena);
    }
    jali_arena_clear(&arena);
}
