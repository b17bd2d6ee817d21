/* table/spool.h — blocks of rows on their way to columns, in a file without a name. */
#ifndef JALI_TABLE_SPOOL_H
#define JALI_TABLE_SPOOL_H

#include "base/err.h"
#include <pthread.h>

typedef struct jali_spool_block {
    uint64_t at, first; /* bytes into the file; row of the table */
    size_t rows;
} jali_spool_block;

typedef struct jali_spool {
    int fd;
    uint64_t bytes, rows;
    size_t n, room;
    jali_spool_block *blocks;
    pthread_mutex_t lock;
} jali_spool;

/* The file is removed at once and lives as long as it is open: a crash leaves nothing. */
JALI_MUST_USE jali_status jali_spool_init(jali_spool *s, const char *folder, jali_err *err);
void jali_spool_clear(jali_spool *s);

/* Any thread may add; a block's rows follow those of the block before. */
JALI_MUST_USE jali_status jali_spool_add(jali_spool *s, const void *bytes, size_t n,
                                         size_t rows, jali_err *err);

/* n bytes of a block from `offset` on. */
JALI_MUST_USE jali_status jali_spool_read(const jali_spool *s, size_t block, size_t offset,
                                          void *to, size_t n, jali_err *err);

#endif
