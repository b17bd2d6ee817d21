/* engine/postgres.h — rows that stay in PostgreSQL: connections, one snapshot, numbers back.
 *
 * A jali_postgres is one or several servers (shards) that hold the rows of one table. Each
 * gets one REPEATABLE READ READ ONLY transaction when it is first looked at, exported to the
 * further connections that count in parallel, and kept until the handle is freed: a request
 * sees one state of the table. Every statement is generated (table/remote.c, tally/push.c)
 * and begins with a comment, so that the server's log shows what jali sent; what a person
 * typed reaches a server only as a parameter of the catalog queries below. The only answers
 * are whole numbers, and who takes them checks their range.
 *
 * Before a charge (open, look, check) a sentence may quote the server, for the curator. While
 * rows are counted it tells the SQLSTATE and nothing else: a view can put a cell into words.
 */
#ifndef JALI_ENGINE_POSTGRES_H
#define JALI_ENGINE_POSTGRES_H

#include "base/arena.h"
#include "base/err.h"

enum {
    JALI_POSTGRES_SHARDS = 64,
    JALI_POSTGRES_LANES = 2,     /* connections that count in parallel, of each server        */
    JALI_POSTGRES_PARTS = 256,   /* foreign partitions that are asked one by one              */
    JALI_POSTGRES_CELLS = 4096,  /* columns of one answer: PostgreSQL itself takes 1,664      */
    JALI_POSTGRES_LEAST = 140000 /* version: numeric has known infinity since 14             */
};

typedef struct jali_postgres jali_postgres;

/* Refuses what libpq cannot read, and a password: that belongs to a service file, ~/.pgpass,
 * PGPASSWORD or the server's peer authentication. Touches no network. */
JALI_MUST_USE jali_status jali_postgres_place(const char *conninfo, jali_err *err);

/* n servers by conninfo (copied); nothing is opened yet. */
JALI_MUST_USE jali_status jali_postgres_new(jali_postgres **out, const char *const *conninfo,
                                            size_t n, jali_err *err);
void jali_postgres_free(jali_postgres *pg); /* NULL is fine */
size_t jali_postgres_shards(const jali_postgres *pg);

/* ---- the catalog --------------------------------------------------------------------- */

typedef struct jali_relation_column {
    const char *name;
    const char *type; /* "int4", "text", ...; "enum"; the type under a domain */
    bool granted;     /* may it be selected? */
    size_t n;         /* enum: its labels, in order */
    const char *const *label;
} jali_relation_column;

typedef struct jali_relation {
    const char *schema, *table;
    size_t n;
    const jali_relation_column *column;
} jali_relation;

/* A table or view of one server, by the role's search path if `schema` is "". In the arena.
 * Sentences are for the curator and may quote the server. */
JALI_MUST_USE jali_status jali_postgres_look(jali_postgres *pg, size_t shard,
                                             const char *schema, const char *table,
                                             jali_arena *arena, jali_relation *out,
                                             jali_err *err);

/* The leaves of a partitioned table as quoted names, if some are foreign tables; a foreign
 * table is its own leaf. *n is 0 if there is no foreign table in it, if the role may not select
 * from every leaf, if row security stands before it, or if there are more than
 * JALI_POSTGRES_PARTS. Of the first server. */
JALI_MUST_USE jali_status jali_postgres_parts(jali_postgres *pg, const char *schema,
                                              const char *table, jali_arena *arena, size_t *n,
                                              const char *const **out, jali_err *err);

/* Runs a statement without rows on every server: are its names and types right, and may it
 * be run? Locks what it reads against being altered until the handle is freed. */
JALI_MUST_USE jali_status jali_postgres_try(jali_postgres *pg, const char *sql, jali_err *err);

/* ---- numbers -------------------------------------------------------------------------- */

typedef struct jali_postgres_query {
    const char *sql; /* a SELECT of `columns` whole numbers */
    size_t columns;
} jali_postgres_query;

/* Called for every row of every answer; rows of one shard come from one thread at a time if
 * there is one query, else from several at once. A status that is not JALI_OK ends all. */
typedef struct jali_postgres_sink {
    jali_status (*row)(void *self, size_t shard, size_t query, const int64_t *cell,
                       jali_err *err);
    void *self;
} jali_postgres_sink;

/* Every query on every server, in parallel, in the handle's snapshots. A NULL among the
 * numbers is refused, and so is a row that is not of `columns` numbers. */
JALI_MUST_USE jali_status jali_postgres_ask(jali_postgres *pg, const jali_postgres_query *query,
                                            size_t n, jali_postgres_sink sink, jali_err *err);

/* A query for each server, of as many columns, through cursors on the caller's thread: for who
 * takes long over a row. The servers wait meanwhile; nobody holds more than a few thousand
 * rows. `keys` 0: server after server. Else rows come in the order of their first `keys`
 * numbers, and of equal ones those of the earlier server first; each query says ORDER BY, and
 * rows that come otherwise are refused. */
JALI_MUST_USE jali_status jali_postgres_stream(jali_postgres *pg,
                                               const jali_postgres_query *query, size_t keys,
                                               jali_postgres_sink sink, jali_err *err);

/* The same for texts, of one query: for drafts, which are as private as the data. */
typedef struct jali_postgres_reader {
    jali_status (*row)(void *self, const char *const *cell, const size_t *bytes, jali_err *err);
    void *self;
} jali_postgres_reader;
JALI_MUST_USE jali_status jali_postgres_texts(jali_postgres *pg, const char *sql,
                                              size_t columns, jali_postgres_reader reader,
                                              jali_err *err);

/* A value that came back is not what the statement can say: a broken server, or a view that
 * changes what it is. Always the same words. */
jali_status jali_postgres_lied(jali_err *err);

#endif
