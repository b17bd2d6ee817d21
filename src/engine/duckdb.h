/* engine/duckdb.h — rows of somebody's file, as texts, in parallel.
 *
 * DuckDB reads CSV of any dialect, Parquet, JSON and NDJSON, plain or by gzip or zstd.
 * Every cell comes out as the text it is in the file (numbers of Parquet as their shortest
 * decimal), because only text can be rounded exactly. The library is loaded when the first
 * file is opened and not before. Errors may quote data and are for the curator.
 */
#ifndef JALI_ENGINE_DUCKDB_H
#define JALI_ENGINE_DUCKDB_H

#include "base/arena.h"
#include "base/err.h"
#include "base/progress.h"

typedef struct jali_duckdb jali_duckdb;

/* `threads` = 0: one per core. Nothing is written to disk, no network is touched. */
JALI_MUST_USE jali_status jali_duckdb_new(jali_duckdb **out, unsigned threads, jali_err *err);
void jali_duckdb_free(jali_duckdb *db); /* NULL is fine */

typedef enum jali_source_kind { JALI_CSV, JALI_PARQUET, JALI_JSON } jali_source_kind;

/* What a file looks like from outside. Lives in the arena. */
typedef struct jali_source {
    const char *path;
    jali_source_kind kind;
    uint64_t bytes;
    size_t n;                 /* columns                                                */
    const char *const *names; /* of Parquet and JSON; of CSV the cells of the first row */
    bool header;              /* the first row of a CSV looks like names; may be changed */
    const char *options;      /* inside: how DuckDB is to read it                       */
} jali_source;

/* Refuses what is no file, is empty, or is of no known format. */
JALI_MUST_USE jali_status jali_duckdb_look(jali_duckdb *db, const char *path, jali_arena *arena,
                                           jali_source *out, jali_err *err);

/* Some rows of the asked-for columns. Only valid inside the call that shows them. */
typedef struct jali_chunk {
    size_t rows; /* at most JALI_CHUNK_ROWS */
    size_t columns;
    const void *const *data;
    const uint64_t *const *valid; /* a NULL mask: no cell of the column is NULL */
} jali_chunk;

enum { JALI_CHUNK_ROWS = 2048 };

/* The text of a cell, not terminated; NULL for NULL. */
static inline const char *jali_chunk_text(const jali_chunk *chunk, size_t column, size_t row,
                                          size_t *n)
{
    /* DuckDB's string: 4 bytes of length, then 12 bytes of text or 4 more and a pointer. */
    const uint64_t *valid = chunk->valid[column];
    if (valid != NULL && (valid[row / 64] >> (row % 64) & 1) == 0) return NULL;
    const char *cell = (const char *)chunk->data[column] + row * 16;
    uint32_t length = *(const uint32_t *)(const void *)cell;
    *n = length;
    return length <= 12 ? cell + 4 : *(const char *const *)(const void *)(cell + 8);
}

/* Called by several threads at once, in no order; a status that is not JALI_OK ends the
 * scan with the error it wrote. */
typedef struct jali_sink {
    jali_status (*take)(void *self, const jali_chunk *chunk, jali_err *err);
    void *self;
} jali_sink;

/* Lines of a CSV that could not be taken apart; they were left out. */
typedef struct jali_bad_line {
    uint64_t line;
    const char *why;
} jali_bad_line;

enum { JALI_BAD_SHOWN = 20, JALI_BAD_COUNTED = 1000 };

typedef struct jali_scan {
    uint64_t bad; /* lines left out; JALI_BAD_COUNTED: that many or more */
    size_t n_shown;
    jali_bad_line shown[JALI_BAD_SHOWN]; /* the first; texts in the arena */
} jali_scan;

/* Shows every row of columns[0..n-1] to the sink, once. Bytes that are not UTF-8 refuse the
 * whole file. */
JALI_MUST_USE jali_status jali_duckdb_scan(jali_duckdb *db, const jali_source *source,
                                           const size_t *columns, size_t n, jali_sink sink,
                                           const jali_progress *progress, jali_arena *arena,
                                           jali_scan *out, jali_err *err);

/* Runs one statement of ours and gives column 0 of its first rows as texts (NULL cells as
 * NULL): for tests and figures that compare with DuckDB itself. */
JALI_MUST_USE jali_status jali_duckdb_query(jali_duckdb *db, const char *sql, jali_arena *arena,
                                            size_t *rows, size_t *columns,
                                            const char *const **cells, jali_err *err);

#endif
