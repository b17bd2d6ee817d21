/* engine/columns_inside.h — columns, wherever their codes are. */
#ifndef JALI_ENGINE_COLUMNS_INSIDE_H
#define JALI_ENGINE_COLUMNS_INSIDE_H

#include "base/arena.h"
#include "engine/columns.h"
#include "engine/manifest.h"
#include "engine/remote.h"
#include "engine/shards.h"
#include <pthread.h>
#include <stdatomic.h>

struct jali_columns {
    jali_arena arena;
    const char *folder;
    jali_shards shards;
    jali_manifest manifest; /* of all shards together; of codes in memory */
    const jali_crew *crew;
    jali_column *column;
    _Atomic(const void *) *mapped;
    jali_file_mark **mark; /* of each mapped column: its files, by shard          */
    atomic_int_least64_t *believed_until; /* seconds of the clock; in memory: for ever */
    uint32_t *slot;                       /* open addressing by name; index + 1, 0 is free */
    size_t slots;                         /* a power of two, at least twice the columns    */
    bool borrowed;                        /* nothing to unmap                               */
    pthread_mutex_t lock;
    const jali_remote *remote; /* NULL: files, or memory                         */
    atomic_bool loaded;        /* remote: its rows were fetched                   */
    size_t parts;              /* remote: foreign tables that are the table       */
    const char *const *part;
};

/* The names and domains of c->manifest become columns without codes. */
JALI_MUST_USE jali_status jali_columns_enter(jali_columns *c, jali_err *err);

/* Fetches every column of a remote table; the caller holds the lock. */
JALI_MUST_USE jali_status jali_remote_fetch(jali_columns *c, jali_err *err);

/* Looks whether the table is foreign, in parts; before a charge. */
JALI_MUST_USE jali_status jali_remote_divide(jali_columns *c, jali_err *err);

#endif
