/* table/import_inside.h — an import in work. */
#ifndef JALI_TABLE_IMPORT_INSIDE_H
#define JALI_TABLE_IMPORT_INSIDE_H

#include "engine/columns.h"
#include "table/import.h"
#include "table/spool.h"

/* Where a block keeps what: segment by segment, each block_rows long. */
typedef struct jali_layout {
    size_t n;            /* used fields                                    */
    const size_t *field; /* of the schema                                  */
    const unsigned *width;
    const size_t *segment; /* bytes into the block                         */
    size_t state, person, rank, bytes, block_rows, row_bytes;
} jali_layout;

typedef struct jali_worker {
    struct jali_worker *next, *free_next;
    unsigned char *block, *row;
    size_t rows;
    uint64_t (*fates)[5]; /* of used field i */
    uint64_t unfit;
} jali_worker;

typedef struct jali_importer {
    const jali_import_request *ask;
    const jali_schema *schema;
    jali_layout lay;
    bool persons;
    jali_spool spool;
    pthread_mutex_t lock;
    jali_worker *all, *idle;
    uint64_t *keep; /* one bit a row */
} jali_importer;

/* Decides where a block keeps what. */
JALI_MUST_USE jali_status jali_import_lay_out(jali_importer *im, jali_arena *arena,
                                              jali_err *err);

/* First step: the sink of a scan, called by DuckDB's threads; then the rest of each block. */
jali_status jali_import_take(void *self, const jali_chunk *chunk, jali_err *err);
JALI_MUST_USE jali_status jali_import_flush(jali_importer *im, jali_err *err);
void jali_import_free_workers(jali_importer *im);

/* Second step: the rows in im->keep, `rows` of them, column by column. */
JALI_MUST_USE jali_status jali_import_write(jali_importer *im, uint64_t rows, jali_arena *arena,
                                            jali_err *err);

#endif
