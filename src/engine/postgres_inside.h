/* engine/postgres_inside.h — a server in hand. */
#ifndef JALI_ENGINE_POSTGRES_INSIDE_H
#define JALI_ENGINE_POSTGRES_INSIDE_H

#include "engine/postgres.h"
#include <libpq-fe.h>
#include <pthread.h>

typedef struct jali_shard {
    const char *conninfo;
    PGconn *lane[JALI_POSTGRES_LANES]; /* lane 0 holds the snapshot; NULL: not open */
    char snapshot[64];                 /* "": not exported yet */
} jali_shard;

struct jali_postgres {
    jali_arena arena;
    pthread_mutex_t lock; /* one question at a time */
    size_t n;
    jali_shard *shard;
};

/* Opens lane k of a shard, if it is not, in the shard's snapshot. */
JALI_MUST_USE jali_status jali_shard_open(jali_shard *shard, size_t lane, jali_err *err);

/* Exports the snapshot of lane 0, once. */
JALI_MUST_USE jali_status jali_shard_export(jali_shard *shard, jali_err *err);

/* Opens lanes 0 .. lanes-1 of every server after a charge, when a sentence may not quote. */
JALI_MUST_USE jali_status jali_postgres_open_quietly(jali_postgres *pg, size_t lanes,
                                                     jali_err *err);

/* Ends the statement that runs on a connection, if one does; NULL is fine. */
void jali_shard_cancel(PGconn *conn);

/* A whole number as it travels: 2, 4 or 8 bytes, the highest first. */
bool jali_postgres_number(const void *at, size_t width, int64_t *out);

/* What the server said, in one line, for the curator; and the same while rows are counted. */
jali_status jali_shard_fail(const jali_shard *shard, PGconn *conn, const PGresult *result,
                            jali_err *err);
jali_status jali_shard_fail_counting(PGconn *conn, const PGresult *result, jali_err *err);

#endif
