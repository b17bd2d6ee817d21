/* table/spool.c — blocks of rows on their way to columns, in a file without a name. */
#define _XOPEN_SOURCE 700
#include "table/spool.h"
#include "engine/columns.h"
#include <errno.h>
#include <unistd.h>

static jali_status cannot(jali_err *err, const char *verb)
{
    return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "cannot %s the rows in work: %s",
                     verb, strerror(errno));
}

jali_status jali_spool_init(jali_spool *s, const char *folder, jali_err *err)
{
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/rows-XXXXXX", folder);
    if (n < 0 || (size_t)n >= sizeof path)
        return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "the path %.60s... is too long",
                         folder);
    int fd = mkstemp(path);
    if (fd < 0) return cannot(err, "write");
    unlink(path);
    *s = (jali_spool){ .fd = fd, .lock = PTHREAD_MUTEX_INITIALIZER };
    return JALI_OK;
}

void jali_spool_clear(jali_spool *s)
{
    close(s->fd);
    free(s->blocks);
    pthread_mutex_destroy(&s->lock);
}

/* Under the lock: the next place in the file and the next rows of the table. */
static jali_status reserve(jali_spool *s, size_t bytes, size_t rows, uint64_t *at,
                           jali_err *err)
{
    if (rows > JALI_ROWS_MAX - s->rows)
        return jali_fail(
            err, JALI_E_DATA, JALI_FOR_CURATOR,
            "the table has more than %lu rows, which a vault cannot hold: split it",
            (unsigned long)JALI_ROWS_MAX);
    if (s->n == s->room) {
        size_t room = s->room == 0 ? 64 : s->room * 2;
        jali_spool_block *more = realloc(s->blocks, room * sizeof *more);
        if (more == NULL) return jali_fail_memory(err);
        s->blocks = more;
        s->room = room;
    }
    s->blocks[s->n++] = (jali_spool_block){ s->bytes, s->rows, rows };
    *at = s->bytes;
    s->bytes += bytes;
    s->rows += rows;
    return JALI_OK;
}

jali_status jali_spool_add(jali_spool *s, const void *bytes, size_t n, size_t rows,
                           jali_err *err)
{
    uint64_t at = 0;
    pthread_mutex_lock(&s->lock);
    jali_status status = reserve(s, n, rows, &at, err);
    pthread_mutex_unlock(&s->lock);
    for (const char *from = bytes; status == JALI_OK && n > 0;) {
        ssize_t w = pwrite(s->fd, from, n, (off_t)at);
        if (w < 0 && errno == EINTR) continue;
        if (w < 0) return cannot(err, "write");
        from += w;
        at += (uint64_t)w;
        n -= (size_t)w;
    }
    return status;
}

jali_status jali_spool_read(const jali_spool *s, size_t block, size_t offset, void *to,
                            size_t n, jali_err *err)
{
    uint64_t at = s->blocks[block].at + offset;
    for (char *into = to; n > 0;) {
        ssize_t r = pread(s->fd, into, n, (off_t)at);
        if (r < 0 && errno == EINTR) continue;
        if (r < 0) return cannot(err, "read");
        if (r == 0)
            return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "the rows in work shrank");
        into += r;
        at += (uint64_t)r;
        n -= (size_t)r;
    }
    return JALI_OK;
}
