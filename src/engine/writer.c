/* engine/writer.c — how a folder of column files is made.
 *
 * Files are opened only to append a full buffer, never kept open: 10,000 columns would
 * pass the limit of descriptors, and a buffer of 64 KB makes the extra call cheap.
 */
#define _GNU_SOURCE /* syncfs */
#include "engine/writer.h"
#include "base/file.h"
#include "engine/codes.h"
#include "engine/manifest.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

enum {
    BUFFERS = 64 << 20,     /* bytes for all columns together          */
    BUFFER_LEAST = 4 << 10, /* a page: less would be all system calls  */
    BUFFER_MOST = 256 << 10,
    SYNC_EACH = 64 /* beyond this many files one syncfs is cheaper */
};

struct file {
    const char *path;
    char *buffer; /* while the column grows: of many shards most lie still */
    size_t used;
    uint64_t rows;
    XXH3_state_t *sum;
};

struct jali_columns_writer {
    jali_arena arena;
    const char *folder;
    jali_manifest manifest;
    struct file *file;
    size_t room; /* bytes of one buffer, a multiple of 8 */
};

static jali_status cannot(jali_err *err, const char *verb, const char *path)
{
    return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "cannot %s %s: %s", verb, path,
                     strerror(errno));
}

static jali_status spill(struct file *f, jali_err *err)
{
    int fd = open(f->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0) return cannot(err, "write", f->path);
    size_t done = 0;
    while (done < f->used) {
        ssize_t w = write(fd, f->buffer + done, f->used - done);
        if (w < 0 && errno == EINTR) continue;
        if (w < 0) break;
        done += (size_t)w;
    }
    jali_status status = done < f->used ? cannot(err, "write", f->path) : JALI_OK;
    if (close(fd) != 0 && status == JALI_OK) status = cannot(err, "write", f->path);
    if (status != JALI_OK) return status;
    XXH3_128bits_update(f->sum, f->buffer, f->used);
    f->used = 0;
    return JALI_OK;
}

static jali_status start_file(jali_columns_writer *w, size_t i, const char *name,
                              uint64_t domain, jali_err *err)
{
    char file[32];
    jali_manifest_line *l = &w->manifest.line[i];
    if (name[0] == '\0' || domain == 0 || !jali_text_is_utf8(name, strlen(name)))
        return jali_fail(err, JALI_E_INTERNAL, JALI_FOR_CURATOR,
                         "column %zu needs a UTF-8 name and a domain of at least 1", i);
    jali_manifest_file(file, sizeof file, i, jali_column_width(domain));
    *l = (jali_manifest_line){ .name = jali_arena_text(&w->arena, name),
                               .file = jali_arena_text(&w->arena, file),
                               .width = jali_column_width(domain),
                               .domain = domain };
    struct file *f = &w->file[i];
    f->path = jali_arena_format(&w->arena, "%s/%s", w->folder, file);
    f->sum = XXH3_createState();
    if (l->name == NULL || l->file == NULL || f->path == NULL || f->sum == NULL)
        return jali_fail_memory(err);
    XXH3_128bits_reset(f->sum);
    return JALI_OK;
}

static jali_status start(jali_columns_writer *w, const char *folder, size_t n,
                         const char *const *names, const uint64_t *domains, jali_err *err)
{
    size_t each = BUFFERS / (n + 1);
    w->room = (each < BUFFER_LEAST  ? BUFFER_LEAST
               : each > BUFFER_MOST ? BUFFER_MOST
                                    : each) &
              ~(size_t)63;
    w->folder = jali_arena_text(&w->arena, folder);
    w->manifest.line = jali_arena_take(&w->arena, n + 1, sizeof *w->manifest.line);
    w->file = jali_arena_take(&w->arena, n + 1, sizeof *w->file);
    if (w->folder == NULL || w->manifest.line == NULL || w->file == NULL)
        return jali_fail_memory(err);
    if (mkdir(folder, 0700) != 0) return cannot(err, "make the folder", folder);
    w->manifest.n = n;
    for (size_t i = 0; i < n; i++) JALI_TRY(start_file(w, i, names[i], domains[i], err));
    return JALI_OK;
}

jali_status jali_columns_writer_new(jali_columns_writer **out, const char *folder, size_t n,
                                    const char *const *names, const uint64_t *domains,
                                    jali_err *err)
{
    if (n > JALI_COLUMNS_MAX)
        return jali_fail(err, JALI_E_DATA, JALI_FOR_CURATOR,
                         "%zu columns are more than a vault holds (%u): leave some out", n,
                         JALI_COLUMNS_MAX);
    jali_columns_writer *w = calloc(1, sizeof *w);
    if (w == NULL) return jali_fail_memory(err);
    jali_status status = start(w, folder, n, names, domains, err);
    if (status != JALI_OK) {
        jali_columns_writer_free(w);
        return status;
    }
    *out = w;
    return JALI_OK;
}

void jali_columns_writer_shard(jali_columns_writer *w, const char *set, size_t shard, size_t of)
{
    snprintf(w->manifest.set, sizeof w->manifest.set, "%s", set);
    w->manifest.shard = shard;
    w->manifest.of = of;
}

jali_status jali_columns_writer_column(jali_columns_writer *w, size_t column, size_t rows,
                                       const void *codes, unsigned given, jali_err *err)
{
    struct file *f = &w->file[column];
    const jali_manifest_line *l = &w->manifest.line[column];
    const char *from = codes;
    if (rows > JALI_ROWS_MAX - f->rows)
        return jali_fail(
            err, JALI_E_DATA, JALI_FOR_CURATOR,
            "the table has more than %lu rows, which a vault cannot hold: split it",
            (unsigned long)JALI_ROWS_MAX);
    f->rows += rows;
    if (f->buffer == NULL) f->buffer = malloc(w->room);
    if (f->buffer == NULL) return jali_fail_memory(err);
    while (rows > 0) {
        size_t fits = (w->room - f->used) / l->width, n = rows < fits ? rows : fits;
        if (!jali_codes_narrow(f->buffer + f->used, l->width, from, given, n, l->domain))
            return jali_fail(err, JALI_E_INTERNAL, JALI_FOR_CURATOR,
                             "column \"%.100s\" was given a code outside its domain", l->name);
        f->used += n * l->width;
        from += n * given;
        rows -= n;
        if (f->used == w->room) JALI_TRY(spill(f, err));
    }
    return JALI_OK;
}

jali_status jali_columns_writer_append(jali_columns_writer *w, size_t rows,
                                       const void *const *batch, const unsigned *given,
                                       jali_err *err)
{
    for (size_t i = 0; i < w->manifest.n; i++)
        JALI_TRY(jali_columns_writer_column(w, i, rows, batch[i], given ? given[i] : 8u, err));
    return JALI_OK;
}

jali_status jali_columns_writer_rest(jali_columns_writer *w, size_t column, jali_err *err)
{
    struct file *f = &w->file[column];
    JALI_TRY(spill(f, err));
    free(f->buffer);
    f->buffer = NULL;
    return JALI_OK;
}

static jali_status finish_file(jali_columns_writer *w, size_t i, jali_err *err)
{
    struct file *f = &w->file[i];
    if (f->rows != w->manifest.rows)
        return jali_fail(err, JALI_E_INTERNAL, JALI_FOR_CURATOR,
                         "column \"%.100s\" is not as long as the first column",
                         w->manifest.line[i].name);
    JALI_TRY(jali_columns_writer_rest(w, i, err));
    XXH128_hash_t sum = XXH3_128bits_digest(f->sum);
    w->manifest.line[i].sum[0] = sum.high64;
    w->manifest.line[i].sum[1] = sum.low64;
    return JALI_OK;
}

static jali_status save(const char *path, int (*sync)(int), jali_err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool good = fd >= 0 && sync(fd) == 0;
    jali_status status = good ? JALI_OK : cannot(err, "save", path);
    if (fd >= 0) close(fd);
    return status;
}

static jali_status save_all(jali_columns_writer *w, jali_err *err)
{
    if (w->manifest.n > SYNC_EACH) return save(w->folder, syncfs, err);
    for (size_t i = 0; i < w->manifest.n; i++) JALI_TRY(save(w->file[i].path, fsync, err));
    return JALI_OK;
}

jali_status jali_columns_writer_finish(jali_columns_writer *w, jali_err *err)
{
    jali_text text = { 0 };
    w->manifest.rows = w->manifest.n > 0 ? w->file[0].rows : 0;
    for (size_t i = 0; i < w->manifest.n; i++) JALI_TRY(finish_file(w, i, err));
    JALI_TRY(save_all(w, err));
    const char *path = jali_arena_format(&w->arena, "%s/manifest.json", w->folder);
    if (path == NULL) return jali_fail_memory(err);
    jali_manifest_write(&w->manifest, &text);
    jali_status status = jali_text_status(&text, err);
    if (status == JALI_OK) status = jali_file_replace(path, text.at, text.used, 0600, err);
    jali_text_clear(&text);
    return status;
}

void jali_columns_writer_free(jali_columns_writer *w)
{
    if (w == NULL) return;
    for (size_t i = 0; w->file != NULL && i < w->manifest.n; i++) {
        XXH3_freeState(w->file[i].sum);
        free(w->file[i].buffer);
    }
    jali_arena_clear(&w->arena);
    free(w);
}
