/* engine/writer.h — how a folder of column files is made.
 *
 * The writer fills a folder that must not exist yet. The manifest comes last, after every
 * file is on disk, so a folder without one is a crash and nothing else. The caller names
 * the folder; to make a whole vault appear at once, write below a temporary name and rename.
 */
#ifndef JALI_ENGINE_WRITER_H
#define JALI_ENGINE_WRITER_H

#include "engine/columns.h"

typedef struct jali_columns_writer jali_columns_writer;

/* Names must differ, be UTF-8 and not empty; domains are at least 1. Copies both. */
JALI_MUST_USE jali_status jali_columns_writer_new(jali_columns_writer **out, const char *folder,
                                                  size_t n, const char *const *names,
                                                  const uint64_t *domains, jali_err *err);

/* The folder is shard `shard` of `of` of the import `set` (32 hex digits). Before finish. */
void jali_columns_writer_shard(jali_columns_writer *writer, const char *set, size_t shard,
                               size_t of);

/* Appends `rows` codes to every column: batch[i] points to the codes of column i, each
 * given[i] bytes wide (1, 2, 4 or 8; NULL: all are 8 bytes). A code outside its domain is
 * our mistake and refused (JALI_E_INTERNAL); the folder is then only good for removal. */
JALI_MUST_USE jali_status jali_columns_writer_append(jali_columns_writer *writer, size_t rows,
                                                     const void *const *batch,
                                                     const unsigned *given, jali_err *err);

/* One column at a time, for importers that work column by column. finish() refuses
 * columns of different length. Different columns may be appended to by different threads. */
JALI_MUST_USE jali_status jali_columns_writer_column(jali_columns_writer *writer, size_t column,
                                                     size_t rows, const void *codes,
                                                     unsigned given, jali_err *err);

/* The column will not grow for a while: its buffer goes to the file. */
JALI_MUST_USE jali_status jali_columns_writer_rest(jali_columns_writer *writer, size_t column,
                                                   jali_err *err);

/* Saves everything (fsync), then the manifest. The writer is still to be freed. */
JALI_MUST_USE jali_status jali_columns_writer_finish(jali_columns_writer *writer,
                                                     jali_err *err);

/* Closes files; removes nothing. NULL is fine. */
void jali_columns_writer_free(jali_columns_writer *writer);

#endif
