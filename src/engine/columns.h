/* engine/columns.h — the vault's own column files: raw codes, mapped.
 *
 * Everything is a code. A category is its index; a number is its offset (x - min) / step.
 * Codes run from 0 to domain-1 and the LAST code is always NULL, so a column that can
 * hold v values has domain v+1, and domain 1 is a column that is NULL throughout. A code
 * takes 1, 2, 4 or 8 bytes, little-endian, the narrowest that fits the domain.
 *
 * The folder holds `manifest.json` and one bare array a column (`0000.u8`, `0001.u16`...).
 * Opening reads the manifest only. Files are mapped when first asked for, and checked
 * whole (checksum, and no code outside its domain) before the first scan: a kernel that
 * counts codes then cannot leave its table. What is wrong with a file is told to the
 * curator in one sentence (JALI_E_ENGINE).
 */
#ifndef JALI_ENGINE_COLUMNS_H
#define JALI_ENGINE_COLUMNS_H

#include "base/err.h"
#include "base/pool.h"

/* Counts of rows fit 32 bits, and sums of codes below 2^31 fit 63: public facts on which
 * tally/ rests its proof that nothing overflows. A table with more rows is refused here. */
#define JALI_ROWS_MAX UINT32_MAX
#define JALI_COLUMNS_MAX 100000u

typedef struct jali_columns jali_columns;

typedef struct jali_column {
    const char *name;
    unsigned width;    /* 1, 2, 4 or 8 bytes a code, unsigned, little-endian       */
    uint64_t domain;   /* codes 0..domain-1, the last one is NULL                  */
    uint64_t rows;     /* private: never shown to an analyst                       */
    const void *codes; /* NULL until mapped; not readable past rows * width bytes  */
} jali_column;

/* The bytes a code of this domain takes. */
unsigned jali_column_width(uint64_t domain);

/* Opens a folder; no column is touched. Fails with JALI_E_ENGINE, for the curator. */
JALI_MUST_USE jali_status jali_columns_open(jali_columns **out, const char *folder,
                                            jali_err *err);

/* Of a table in shards (engine/shards.h) only those that rank `rank` of `ranks` counts. */
JALI_MUST_USE jali_status jali_columns_open_share(jali_columns **out, const char *folder,
                                                  unsigned rank, unsigned ranks, jali_err *err);
const char *jali_columns_set(const jali_columns *columns); /* "" for a table in one piece */

/* Others who hold the other shards and count with us (tally/crew.h); NULL: nobody. Borrowed. */
void jali_columns_join(jali_columns *columns, const jali_crew *crew);
const jali_crew *jali_columns_crew(const jali_columns *columns);

/* The same for codes that are already in memory (generated tables, tests, the bench):
 * names and codes are borrowed until free; codes outside their domain are refused. */
JALI_MUST_USE jali_status jali_columns_borrow(jali_columns **out, const jali_column *column,
                                              size_t n, jali_err *err);
void jali_columns_free(jali_columns *columns); /* unmaps; NULL is fine */

size_t jali_columns_count(const jali_columns *columns);
uint64_t jali_columns_rows(const jali_columns *columns); /* private */

/* The public facts of column i (codes may still be NULL). Valid until free. */
const jali_column *jali_columns_at(const jali_columns *columns, size_t i);
bool jali_columns_find(const jali_columns *columns, const char *name, size_t *i);

/* Maps column i and checks the size of its file; may be called by several threads. */
JALI_MUST_USE jali_status jali_columns_map(jali_columns *columns, size_t i,
                                           const jali_column **out, jali_err *err);

/* Maps and reads column i whole, at most once a minute: checksum and largest code. */
JALI_MUST_USE jali_status jali_columns_verify(jali_columns *columns, size_t i, jali_err *err);

/* The same for n columns, over a pool (NULL: the caller alone). */
JALI_MUST_USE jali_status jali_columns_verify_all(jali_columns *columns, const size_t *index,
                                                  size_t n, jali_pool *pool, jali_err *err);

/* Are the files on disk those that were opened and mapped, by their marks (base/file.h)? False
 * where nobody can tell: just after a change, in memory, in a database. */
bool jali_columns_as_opened(const jali_columns *columns);

/* Before a charge: can these columns be read? Files are verified as above; of a table that
 * stays in a database the connection, the names, the types and the rights are tried, and
 * no row is touched, because what a row makes of it must not be seen unpaid. */
JALI_MUST_USE jali_status jali_columns_check_all(jali_columns *columns, const size_t *index,
                                                 size_t n, jali_pool *pool, jali_err *err);

/* ---- tables that stay in a database (engine/remote.h) */

typedef struct jali_remote jali_remote;

/* What SQL says of the columns, or NULL: they are files, or memory. */
const jali_remote *jali_columns_remote_of(const jali_columns *columns);

/* Fetches the codes of all columns, once for each handle: rows have no order that two
 * statements would share, so columns that belong together come together. Files and memory
 * are there already. jali_columns_map and _verify do it, too; whoever asks for the number of
 * rows before must say it. */
JALI_MUST_USE jali_status jali_columns_load(jali_columns *columns, jali_err *err);
bool jali_columns_loaded(const jali_columns *columns);

/* The foreign tables that are its partitions, as SQL, or itself if it is foreign: known after
 * jali_columns_check_all. None where parts cannot be asked one by one: then *n is 0. */
const char *const *jali_columns_parts(const jali_columns *columns, size_t *n);

/* The codes of n columns of a table in a database that was not loaded, at most `rows` rows at a
 * time, the codes of a row side by side, in no order: for who looks at each row once. Domains
 * are at most 2^32. Nothing is kept; a status that is not JALI_OK ends it. */
typedef struct jali_columns_reader {
    jali_status (*batch)(void *self, const uint32_t *code, size_t rows, jali_err *err);
    void *self;
} jali_columns_reader;
JALI_MUST_USE jali_status jali_columns_stream(const jali_columns *columns, const size_t *index,
                                              size_t n, size_t rows, jali_columns_reader reader,
                                              jali_err *err);

#endif
