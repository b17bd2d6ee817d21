/* table/import.h — files in, columns of codes out. */
#ifndef JALI_TABLE_IMPORT_H
#define JALI_TABLE_IMPORT_H

#include "engine/duckdb.h"
#include "table/persons.h"
#include "table/schema.h"

typedef struct jali_import_file {
    const char *path;
    bool header;
    uint64_t rows, bad;
    size_t extra; /* columns that the schema does not name */
    jali_scan scan;
} jali_import_file;

/* What happened to the cells: for the curator's eyes only. Lives in the arena. */
typedef struct jali_import_report {
    uint64_t rows_read, rows_kept;
    uint64_t rows_unfit; /* dropped: a required value was missing */
    jali_person_counts persons;
    size_t n_files;
    const jali_import_file *files;
    size_t n_fields;            /* as in the schema           */
    const uint64_t (*fates)[5]; /* cells of each field by jali_fate */
} jali_import_report;

typedef struct jali_import_request {
    const jali_schema *schema;
    const char *const *files;
    size_t n_files;
    const char *folder;         /* of the columns; must not exist         */
    size_t shards;              /* 0 or 1: in one piece (engine/shards.h) */
    const char *set;            /* of shards: 32 hex digits, of this import alone */
    const char *scratch;        /* an existing folder for what is in work */
    const jali_person_key *key; /* fresh; needed where persons are        */
    unsigned threads;           /* 0: one per core                        */
    const jali_progress *progress;
} jali_import_request;

/* Reads every file and writes the columns. Nothing depends on the order of rows or files. */
JALI_MUST_USE jali_status jali_import(const jali_import_request *request, jali_arena *arena,
                                      jali_import_report *out, jali_err *err);

/* Which columns of the file are the fields wanted (used, or the person): index[i] for field
 * i, SIZE_MAX for the others. Sets source->header by what the schema knows. */
JALI_MUST_USE jali_status jali_import_match(const jali_schema *schema, jali_source *source,
                                            size_t *index, size_t *extra, jali_err *err);

#endif
