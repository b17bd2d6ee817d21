/* base/file.h — whole files, written so that a crash leaves the old one or the new one. */
#ifndef JALI_BASE_FILE_H
#define JALI_BASE_FILE_H

#include "base/arena.h"
#include "base/err.h"
#include <sys/types.h>
#include <time.h>

/* The bytes of a file of at most `limit` bytes, with a terminating zero after them. */
JALI_MUST_USE jali_status jali_file_read(const char *path, size_t limit, jali_arena *arena,
                                         char **bytes, size_t *n, jali_err *err);

/* Replaces `path` atomically: temporary name in the same folder, fsync, rename, fsync of
 * the folder. `mode` is the permission (0600 for keys). */
JALI_MUST_USE jali_status jali_file_replace(const char *path, const void *bytes, size_t n,
                                            unsigned mode, jali_err *err);

/* Makes what was renamed into or out of the folder of `path` durable. */
JALI_MUST_USE jali_status jali_file_sync_folder_of(const char *path, jali_err *err);

/* May `path` be replaced: is it a file, or nothing yet? A device or a folder may not. */
bool jali_file_replaceable(const char *path);

bool jali_file_exists(const char *path);

/* What a file was when somebody read it, so that a later look can tell whether it is still the
 * same without reading it again. Take the mark before the bytes. */
typedef struct jali_file_mark {
    bool there;
    bool settled; /* unchanged for so long that a clock would have told of a change */
    dev_t device;
    ino_t file;
    off_t size;
    struct timespec written, changed;
} jali_file_mark;

jali_file_mark jali_file_mark_at(const char *path);
jali_file_mark jali_file_mark_of(int fd);
/* False also where nobody can tell: the file was changed just before it was marked, and clocks
 * of file systems are coarse. */
bool jali_file_is_as(const char *path, const jali_file_mark *mark);

/* Removes a folder and everything below it, without following links; best effort. */
void jali_file_remove_tree(const char *path);

#endif
