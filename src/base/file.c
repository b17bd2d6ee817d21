/* base/file.c — whole files, written so that a crash leaves the old one or the new one. */
#define _XOPEN_SOURCE 700
#include "base/file.h"
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

static jali_status file_error(jali_err *err, const char *verb, const char *path)
{
    return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "cannot %s %s: %s", verb, path,
                     strerror(errno));
}

static jali_status read_all(int fd, const char *path, char *to, size_t n, jali_err *err)
{
    for (size_t got = 0; got < n;) {
        ssize_t r = read(fd, to + got, n - got);
        if (r < 0 && errno == EINTR) continue;
        if (r < 0) return file_error(err, "read", path);
        if (r == 0)
            return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "%s shrank while being read",
                             path);
        got += (size_t)r;
    }
    return JALI_OK;
}

jali_status jali_file_read(const char *path, size_t limit, jali_arena *arena, char **bytes,
                           size_t *n, jali_err *err)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return file_error(err, "read", path);
    jali_status status = JALI_OK;
    char *room = NULL;
    if (fstat(fd, &st) != 0)
        status = file_error(err, "read", path);
    else if (!S_ISREG(st.st_mode))
        status = jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "%s is not a file", path);
    else if ((uintmax_t)st.st_size > limit)
        status =
            jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                      "%s has more than %zu bytes, which is too large for what it should be",
                      path, limit);
    else if ((room = jali_arena_take(arena, (size_t)st.st_size + 1, 1)) == NULL)
        status = jali_fail_memory(err);
    else
        status = read_all(fd, path, room, (size_t)st.st_size, err);
    close(fd);
    if (status != JALI_OK) return status;
    *bytes = room;
    *n = (size_t)st.st_size;
    return JALI_OK;
}

static bool write_all(int fd, const char *from, size_t n)
{
    while (n > 0) {
        ssize_t w = write(fd, from, n);
        if (w < 0 && errno == EINTR) continue;
        if (w < 0) return false;
        from += w;
        n -= (size_t)w;
    }
    return true;
}

jali_status jali_file_sync_folder_of(const char *path, jali_err *err)
{
    char folder[4096];
    const char *slash = strrchr(path, '/');
    size_t n = slash == NULL ? 0 : slash == path ? 1 : (size_t)(slash - path);
    if (n >= sizeof folder)
        return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "the path %.60s... is too long",
                         path);
    memcpy(folder, path, n);
    folder[n] = '\0';
    int fd = open(n == 0 ? "." : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return file_error(err, "open the folder of", path);
    int bad = fsync(fd);
    jali_status status = bad ? file_error(err, "save the folder of", path) : JALI_OK;
    close(fd);
    return status;
}

bool jali_file_replaceable(const char *path)
{
    struct stat st;
    return stat(path, &st) != 0 || S_ISREG(st.st_mode);
}

jali_status jali_file_replace(const char *path, const void *bytes, size_t n, unsigned mode,
                              jali_err *err)
{
    char temporary[4096];
    int length = snprintf(temporary, sizeof temporary, "%s.new-%ld", path, (long)getpid());
    if (length < 0 || (size_t)length >= sizeof temporary)
        return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "the path %.60s... is too long",
                         path);
    if (!jali_file_replaceable(path))
        return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                         "%.200s is not a plain file, so it is not replaced", path);
    int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, (mode_t)mode);
    if (fd < 0) return file_error(err, "write", path);
    bool good = write_all(fd, bytes, n) && fsync(fd) == 0;
    jali_status status = good ? JALI_OK : file_error(err, "write", path);
    close(fd);
    if (status == JALI_OK && rename(temporary, path) != 0)
        status = file_error(err, "write", path);
    if (status == JALI_OK) return jali_file_sync_folder_of(path, err);
    unlink(temporary);
    return status;
}

bool jali_file_exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st;
    (void)kind;
    (void)at;
    return remove(path);
}

void jali_file_remove_tree(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* ---- marks ---- */

/* Two changes within one tick of a file system's clock look like one. The coarsest that holds
 * vaults ticks every second. */
static bool is_settled(const struct stat *st)
{
    enum { SETTLED_S = 2 };
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    time_t last =
        st->st_mtim.tv_sec > st->st_ctim.tv_sec ? st->st_mtim.tv_sec : st->st_ctim.tv_sec;
    return now.tv_sec - last > SETTLED_S;
}

static jali_file_mark mark_from(const struct stat *st)
{
    return (jali_file_mark){ .there = true,
                             .settled = is_settled(st),
                             .device = st->st_dev,
                             .file = st->st_ino,
                             .size = st->st_size,
                             .written = st->st_mtim,
                             .changed = st->st_ctim };
}

/* That a file is not there is told by its folder at once: such a mark is always settled. */
jali_file_mark jali_file_mark_at(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? mark_from(&st) : (jali_file_mark){ .settled = true };
}

jali_file_mark jali_file_mark_of(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 ? mark_from(&st) : (jali_file_mark){ .settled = false };
}

static bool same_time(struct timespec a, struct timespec b)
{
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

bool jali_file_is_as(const char *path, const jali_file_mark *mark)
{
    if (!mark->settled) return false;
    const jali_file_mark now = jali_file_mark_at(path);
    return now.there == mark->there && now.device == mark->device && now.file == mark->file &&
           now.size == mark->size && same_time(now.written, mark->written) &&
           same_time(now.changed, mark->changed);
}
