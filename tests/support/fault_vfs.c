/* tests/support/fault_vfs.c — a disk that fails on request. */
#define _POSIX_C_SOURCE 200809L
#include "support/fault_vfs.h"
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a write, a truncation or a deletion destroyed, until a sync makes it final. */
typedef struct undo {
    struct undo *before;
    char path[512];
    sqlite3_int64 offset, size; /* where; the length the file had */
    int n;
    char *bytes;
} undo;

typedef struct fault_file {
    sqlite3_file base;
    char path[512];
    sqlite3_file *real;
} fault_file;

static sqlite3_vfs fault_vfs, *real_vfs;
static struct {
    fault_kind kind;
    int at, count, requests;
    undo *last;
} state;

void fault_arm(fault_kind kind, int n)
{
    state.kind = kind;
    state.at = n;
    state.count = state.requests = 0;
}

int fault_count(void)
{
    return state.count;
}

static sqlite3_file *real(sqlite3_file *f)
{
    return ((fault_file *)f)->real;
}

/* ---- the power fails ---- */

static void remember(const char *path, sqlite3_file *f, sqlite3_int64 offset, sqlite3_int64 n)
{
    undo *u = calloc(1, sizeof *u);
    if (u == NULL || path[0] == '\0') abort();
    u->before = state.last;
    memcpy(u->path, path, sizeof u->path);
    f->pMethods->xFileSize(f, &u->size);
    u->offset = offset;
    u->n = (int)(offset >= u->size ? 0 : offset + n > u->size ? u->size - offset : n);
    u->bytes = malloc((size_t)u->n + 1);
    if (u->n > 0) f->pMethods->xRead(f, u->bytes, u->n, offset);
    state.last = u;
}

static void forget(const char *path)
{
    for (undo **at = &state.last; *at != NULL;) {
        undo *u = *at;
        if (strcmp(u->path, path) != 0) {
            at = &u->before;
            continue;
        }
        *at = u->before;
        free(u->bytes);
        free(u);
    }
}

/* Newest first; with `some`, a fixed pattern of them survives. */
static void lose_power(int some)
{
    uint32_t coin = (uint32_t)state.at * 2654435761u + 12345u;
    for (undo *u = state.last; u != NULL; u = u->before) {
        coin = coin * 1664525u + 1013904223u;
        if (some && (coin >> 31)) continue;
        int fd = open(u->path, O_RDWR | O_CREAT, 0600);
        if (fd < 0) abort();
        if (u->n > 0 && pwrite(fd, u->bytes, (size_t)u->n, (off_t)u->offset) != u->n) abort();
        if (!some && ftruncate(fd, (off_t)u->size) != 0) abort();
        close(fd);
    }
    kill(getpid(), SIGKILL);
}

/* Is it now? Does not return if it kills. */
static int is_now(void)
{
    state.count++;
    if (state.kind == FAULT_NONE || state.kind == FAULT_MEMORY || state.count < state.at)
        return 0;
    if (state.count == state.at) {
        if (state.kind == FAULT_KILL) kill(getpid(), SIGKILL);
        if (state.kind == FAULT_POWER || state.kind == FAULT_POWER_SOME)
            lose_power(state.kind == FAULT_POWER_SOME);
    }
    return state.kind == FAULT_SYNC_ONCE || state.kind == FAULT_TORN ? state.count == state.at
                                                                     : 1;
}

/* ---- files ---- */

static int file_close(sqlite3_file *f)
{
    int rc = real(f)->pMethods->xClose(real(f));
    free(real(f));
    return rc;
}

static int file_read(sqlite3_file *f, void *to, int n, sqlite3_int64 at)
{
    return real(f)->pMethods->xRead(real(f), to, n, at);
}

static int file_write(sqlite3_file *f, const void *from, int n, sqlite3_int64 at)
{
    if (is_now()) {
        if (state.kind == FAULT_FULL) return SQLITE_FULL;
        if (state.kind == FAULT_TORN) {
            real(f)->pMethods->xWrite(real(f), from, n / 2, at);
            kill(getpid(), SIGKILL);
        }
    }
    remember(((fault_file *)f)->path, real(f), at, n);
    return real(f)->pMethods->xWrite(real(f), from, n, at);
}

static int file_truncate(sqlite3_file *f, sqlite3_int64 size)
{
    sqlite3_int64 now;
    is_now();
    real(f)->pMethods->xFileSize(real(f), &now);
    if (now > size) remember(((fault_file *)f)->path, real(f), size, now - size);
    return real(f)->pMethods->xTruncate(real(f), size);
}

static int file_sync(sqlite3_file *f, int flags)
{
    if (is_now() && (state.kind == FAULT_SYNC || state.kind == FAULT_SYNC_ONCE))
        return SQLITE_IOERR_FSYNC;
    int rc = real(f)->pMethods->xSync(real(f), flags);
    if (rc == SQLITE_OK) forget(((fault_file *)f)->path);
    return rc;
}

static int file_size(sqlite3_file *f, sqlite3_int64 *size)
{
    return real(f)->pMethods->xFileSize(real(f), size);
}

static int file_lock(sqlite3_file *f, int how)
{
    return real(f)->pMethods->xLock(real(f), how);
}

static int file_unlock(sqlite3_file *f, int how)
{
    return real(f)->pMethods->xUnlock(real(f), how);
}

static int file_check_lock(sqlite3_file *f, int *out)
{
    return real(f)->pMethods->xCheckReservedLock(real(f), out);
}

static int file_control(sqlite3_file *f, int op, void *arg)
{
    return real(f)->pMethods->xFileControl(real(f), op, arg);
}

static int file_sector(sqlite3_file *f)
{
    return real(f)->pMethods->xSectorSize(real(f));
}

static int file_device(sqlite3_file *f)
{
    return real(f)->pMethods->xDeviceCharacteristics(real(f));
}

static int shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **out)
{
    return real(f)->pMethods->xShmMap(real(f), page, size, extend, out);
}

static int shm_lock(sqlite3_file *f, int offset, int n, int flags)
{
    return real(f)->pMethods->xShmLock(real(f), offset, n, flags);
}

static void shm_barrier(sqlite3_file *f)
{
    real(f)->pMethods->xShmBarrier(real(f));
}

static int shm_unmap(sqlite3_file *f, int drop)
{
    return real(f)->pMethods->xShmUnmap(real(f), drop);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_lock,
    .xFileControl = file_control,
    .xSectorSize = file_sector,
    .xDeviceCharacteristics = file_device,
    .xShmMap = shm_map,
    .xShmLock = shm_lock,
    .xShmBarrier = shm_barrier,
    .xShmUnmap = shm_unmap,
};

static int vfs_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *f, int flags, int *out)
{
    fault_file *file = (fault_file *)f;
    (void)vfs;
    memset(file, 0, sizeof *file);
    file->real = calloc(1, (size_t)real_vfs->szOsFile);
    if (file->real == NULL) return SQLITE_NOMEM;
    if (path != NULL) strncpy(file->path, path, sizeof file->path - 1);
    int rc = real_vfs->xOpen(real_vfs, path, file->real, flags, out);
    if (rc == SQLITE_OK)
        file->base.pMethods = &methods;
    else
        free(file->real);
    return rc;
}

/* A deletion that is not synced can come back after a power cut, whole. */
static int vfs_delete(sqlite3_vfs *vfs, const char *path, int sync)
{
    (void)vfs;
    is_now();
    forget(path);
    int fd = open(path, O_RDONLY);
    if (fd >= 0 && !sync) {
        undo *u = calloc(1, sizeof *u);
        if (u == NULL) abort();
        strncpy(u->path, path, sizeof u->path - 1);
        u->size = lseek(fd, 0, SEEK_END);
        u->n = (int)u->size;
        u->bytes = malloc((size_t)u->n + 1);
        if (pread(fd, u->bytes, (size_t)u->n, 0) != u->n) abort();
        u->before = state.last;
        state.last = u;
    }
    if (fd >= 0) close(fd);
    return real_vfs->xDelete(real_vfs, path, sync);
}

/* ---- memory ---- */

static sqlite3_mem_methods real_memory;

static int memory_fails(void)
{
    return state.kind == FAULT_MEMORY && ++state.requests == state.at;
}

static void *memory_take(int n)
{
    return memory_fails() ? NULL : real_memory.xMalloc(n);
}

static void *memory_grow(void *old, int n)
{
    return memory_fails() ? NULL : real_memory.xRealloc(old, n);
}

void fault_install(void)
{
    sqlite3_mem_methods memory;
    sqlite3_shutdown();
    sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real_memory);
    memory = real_memory;
    memory.xMalloc = memory_take;
    memory.xRealloc = memory_grow;
    if (sqlite3_config(SQLITE_CONFIG_MALLOC, &memory) != SQLITE_OK) abort();
    real_vfs = sqlite3_vfs_find(NULL);
    fault_vfs = *real_vfs;
    fault_vfs.zName = "fault";
    fault_vfs.pNext = NULL;
    fault_vfs.szOsFile = (int)sizeof(fault_file);
    fault_vfs.xOpen = vfs_open;
    fault_vfs.xDelete = vfs_delete;
    sqlite3_vfs_register(&fault_vfs, 1);
}
