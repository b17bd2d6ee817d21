/* engine/duckdb_look.c — what kind of file it is, and what its columns are called. */
#define _POSIX_C_SOURCE 200809L
#include "base/text.h"
#include "engine/inside.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct head {
    unsigned char bytes[512];
    size_t n;
    uint64_t size;
} head;

static jali_status refuse(jali_err *err, const char *path, const char *why)
{
    return jali_fail(err, JALI_E_DATA, JALI_FOR_CURATOR, "%s %s", path, why);
}

static jali_status read_head(head *h, const char *path, jali_err *err)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "cannot read %s: %s", path,
                         strerror(errno));
    bool regular = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    ssize_t n = regular ? read(fd, h->bytes, sizeof h->bytes) : 0;
    close(fd);
    if (!regular)
        return refuse(err, path,
                      S_ISDIR(st.st_mode) ? "is a folder; name the files in it"
                                          : "is not a regular file; copy its content to one");
    if (n < 0)
        return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "cannot read %s: %s", path,
                         strerror(errno));
    h->n = (size_t)n;
    h->size = (uint64_t)st.st_size;
    return n == 0 ? refuse(err, path, "is empty; it needs a header and rows") : JALI_OK;
}

static bool begins(const head *h, const char *magic, size_t n)
{
    return h->n >= n && memcmp(h->bytes, magic, n) == 0;
}

static bool is_json(const head *h, const char *path, bool packed)
{
    static const char *const ends[] = { ".json", ".ndjson", ".jsonl" };
    for (size_t i = 0; i < 3; i++) {
        const char *found = strstr(path, ends[i]);
        size_t n = strlen(ends[i]);
        if (found != NULL && (found[n] == '\0' || found[n] == '.')) return true;
    }
    size_t i = begins(h, "\xef\xbb\xbf", 3) ? 3 : 0;
    while (i < h->n && memchr(" \t\r\n", h->bytes[i], 4) != NULL) i++;
    return !packed && i < h->n && (h->bytes[i] == '{' || h->bytes[i] == '[');
}

/* Content decides, not the name; only packed JSON is known by its name. */
static jali_status classify(const head *h, const char *path, jali_source_kind *kind,
                            const char **packing, jali_err *err)
{
    *packing = begins(h, "\x1f\x8b", 2)           ? "gzip"
               : begins(h, "\x28\xb5\x2f\xfd", 4) ? "zstd"
                                                  : "none";
    if (begins(h,
               "\xfd"
               "7zXZ",
               5) ||
        begins(h, "BZh", 3) || begins(h, "PK\x03\x04", 4))
        return refuse(err, path,
                      "is packed by xz, bzip2 or zip; unpack it, or use gzip or zstd");
    if (begins(h, "\xff\xfe", 2) || begins(h, "\xfe\xff", 2))
        return refuse(err, path, "is UTF-16; convert it by `iconv -f utf-16 -t utf-8`");
    if (begins(h, "PAR1", 4)) {
        *kind = JALI_PARQUET;
        return JALI_OK;
    }
    bool packed = strcmp(*packing, "none") != 0;
    *kind = is_json(h, path, packed) ? JALI_JSON : JALI_CSV;
    if (!packed && memchr(h->bytes, '\0', h->n) != NULL)
        return refuse(err, path, "has zero bytes and is no text, Parquet or JSON file");
    return JALI_OK;
}

/* The cells of row 0 become the names; more columns than we take are refused. */
static jali_status take_names(jali_source *s, const char *const *cells, size_t n, size_t stride,
                              jali_arena *arena, jali_err *err)
{
    const char **names = jali_arena_take(arena, n + 1, sizeof *names);
    if (names == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        const char *cell = cells[i * stride];
        names[i] = cell == NULL ? "" : cell;
    }
    s->n = n;
    s->names = names;
    return JALI_OK;
}

static jali_status keep(jali_source *s, jali_text *options, jali_arena *arena, jali_err *err)
{
    jali_status status = jali_text_status(options, err);
    if (status == JALI_OK) {
        s->options = jali_arena_text(arena, options->at);
        if (s->options == NULL) status = jali_fail_memory(err);
    }
    jali_text_clear(options);
    return status;
}

static jali_status ask(jali_duckdb *db, const char *before, const char *options,
                       const char *after, const char *path, jali_arena *arena, size_t *rows,
                       size_t *columns, const char *const **cells, jali_err *err)
{
    jali_text sql = { 0 };
    jali_text_add(&sql, before);
    jali_text_add(&sql, options);
    jali_text_add(&sql, after);
    jali_status status = jali_text_status(&sql, err);
    if (status == JALI_OK)
        status = jali_duckdb_query(db, sql.at, arena, rows, columns, cells, err);
    jali_text_clear(&sql);
    if (status != JALI_E_DATA || err == NULL) return status;
    char why[300];
    snprintf(why, sizeof why, "%.290s",
             err->text + (strncmp(err->text, "DuckDB: ", 8) ? 0 : 8));
    bool bytes = strstr(why, "unicode") != NULL || strstr(why, "utf-8") != NULL;
    return jali_fail(err, JALI_E_DATA, JALI_FOR_CURATOR,
                     bytes ? "cannot read %s: it has bytes that are not UTF-8 (%s)"
                           : "cannot read %s: %s",
                     path, why);
}

/* ---- Parquet and JSON: columns have names and types -------------------------------- */

static jali_status describe(jali_duckdb *db, const char *path, const char *options,
                            jali_arena *arena, jali_source *s, jali_err *err)
{
    size_t rows, columns;
    const char *const *cells;
    JALI_TRY(ask(db, "DESCRIBE SELECT * FROM ", options, "", path, arena, &rows, &columns,
                 &cells, err));
    return take_names(s, cells, rows, columns, arena, err);
}

static jali_status look_parquet(jali_duckdb *db, jali_arena *arena, jali_source *s,
                                jali_err *err)
{
    jali_text options = { 0 };
    jali_text_add(&options, "read_parquet(");
    jali_duckdb_literal(&options, s->path);
    jali_text_add(&options, ")");
    JALI_TRY(keep(s, &options, arena, err));
    return describe(db, s->path, s->options, arena, s, err);
}

/* Names by a look at the rows; then every column is asked for as the text it is, so that a
 * late row of another type fails nothing and 0.1 stays 0.1. */
static jali_status look_json(jali_duckdb *db, const char *packing, jali_arena *arena,
                             jali_source *s, jali_err *err)
{
    jali_text options = { 0 };
    if (strcmp(packing, "none") == 0) packing = "uncompressed"; /* its own word for it */
    jali_text_add(&options, "read_json(");
    jali_duckdb_literal(&options, s->path);
    jali_text_format(&options, ", compression = '%s', records = true)", packing);
    JALI_TRY(keep(s, &options, arena, err));
    JALI_TRY(describe(db, s->path, s->options, arena, s, err));
    jali_text_add(&options, "read_json(");
    jali_duckdb_literal(&options, s->path);
    jali_text_format(&options, ", compression = '%s', records = true, columns = {", packing);
    for (size_t i = 0; i < s->n; i++) {
        jali_text_add(&options, i ? ", " : "");
        jali_duckdb_literal(&options, s->names[i]);
        jali_text_add(&options, ": 'VARCHAR'");
    }
    jali_text_add(&options, "})");
    return keep(s, &options, arena, err);
}

/* ---- CSV: a dialect, and perhaps a header ------------------------------------------ */

static bool is_none(const char *text)
{
    return text == NULL || text[0] == '\0' || strcmp(text, "(empty)") == 0;
}

/* What the sniffer found, spelled out: a scan must not guess again, and the sniffer takes
 * "no quote seen in the sample" for "no quotes", which a later row would pay for. */
static void write_dialect(jali_text *o, const char *path, const char *packing,
                          const char *const *d)
{
    const char *quote = is_none(d[1]) ? "\"" : d[1];
    const char *escape = is_none(d[2]) ? quote : d[2];
    jali_text_add(o, "read_csv(");
    jali_duckdb_literal(o, path);
    jali_text_format(o, ", compression = '%s', auto_detect = false, delim = ", packing);
    jali_duckdb_literal(o, is_none(d[0]) ? "," : d[0]);
    jali_text_add(o, ", quote = ");
    jali_duckdb_literal(o, quote);
    jali_text_add(o, ", escape = ");
    jali_duckdb_literal(o, escape);
    if (!is_none(d[3]) && strcmp(d[3], "\\n") != 0) {
        jali_text_add(o, ", new_line = ");
        jali_duckdb_literal(o, d[3]);
    }
    if (!is_none(d[4])) {
        jali_text_add(o, ", comment = ");
        jali_duckdb_literal(o, d[4]);
    }
    jali_text_format(o, ", skip = %s", is_none(d[5]) ? "0" : d[5]);
}

/* Splits the first row, without names of columns; `strict` wants the next 200 of its kind. */
static jali_status split_first(jali_duckdb *db, jali_source *s, const char *const *dialect,
                               const char *packing, bool strict, jali_arena *arena,
                               jali_err *err)
{
    size_t rows, columns;
    const char *const *cells;
    jali_text options = { 0 };
    write_dialect(&options, s->path, packing, dialect);
    char *found = options.at == NULL ? NULL : strstr(options.at, "auto_detect = false");
    if (found != NULL) memcpy(found, "auto_detect = true ", 19);
    jali_text_add(&options, ", header = false, all_varchar = true");
    jali_text_add(&options, strict ? ")" : ", ignore_errors = true)");
    JALI_TRY(keep(s, &options, arena, err));
    JALI_TRY(ask(db, "SELECT * FROM ", s->options, strict ? " LIMIT 200" : " LIMIT 1", s->path,
                 arena, &rows, &columns, &cells, err));
    if (rows == 0 || columns == 0) return refuse(err, s->path, "has no row that could be read");
    return take_names(s, cells, columns, 1, arena, err);
}

/* The sniffer does not try blanks. A file of one column whose every row has the same count
 * of words, three or more, is a table separated by them; running text is not like that. */
static void try_blanks(jali_duckdb *db, jali_source *s, const char **dialect,
                       const char *packing, jali_arena *arena)
{
    jali_source spaced = *s;
    const char *comma = dialect[0];
    dialect[0] = " ";
    if (split_first(db, &spaced, dialect, packing, true, arena, NULL) == JALI_OK &&
        spaced.n >= 3)
        *s = spaced;
    else
        dialect[0] = comma;
}

static jali_status look_csv(jali_duckdb *db, const char *packing, jali_arena *arena,
                            jali_source *s, jali_err *err)
{
    size_t rows, columns;
    const char *const *d;
    jali_text options = { 0 };
    jali_text_add(&options, "sniff_csv(");
    jali_duckdb_literal(&options, s->path);
    jali_text_format(
        &options, ", compression = '%s', all_varchar = true, ignore_errors = true)", packing);
    JALI_TRY(keep(s, &options, arena, err));
    JALI_TRY(ask(db,
                 "SELECT Delimiter, Quote, Escape, NewLineDelimiter, Comment, SkipRows, "
                 "HasHeader FROM ",
                 s->options, "", s->path, arena, &rows, &columns, &d, err));
    if (rows != 1 || columns != 7)
        return refuse(err, s->path, "does not look like CSV, Parquet or JSON");
    s->header = d[6] != NULL && strcmp(d[6], "true") == 0;
    const char *dialect[6];
    for (size_t i = 0; i < 6; i++) dialect[i] = d[i];
    JALI_TRY(split_first(db, s, dialect, packing, false, arena, err));
    if (s->n == 1) try_blanks(db, s, dialect, packing, arena);
    write_dialect(&options, s->path, packing, dialect);
    jali_text_add(&options, ", columns = {");
    for (size_t i = 0; i < s->n; i++)
        jali_text_format(&options, "%s'c%zu': 'VARCHAR'", i ? ", " : "", i);
    jali_text_add(&options, "}");
    return keep(s, &options, arena, err); /* the scan closes the parenthesis */
}

jali_status jali_duckdb_look(jali_duckdb *db, const char *path, jali_arena *arena,
                             jali_source *out, jali_err *err)
{
    head h;
    const char *packing;
    jali_source s = { .path = jali_arena_text(arena, path) };
    if (s.path == NULL) return jali_fail_memory(err);
    JALI_TRY(read_head(&h, path, err));
    JALI_TRY(classify(&h, path, &s.kind, &packing, err));
    s.bytes = h.size;
    JALI_TRY(s.kind == JALI_PARQUET ? look_parquet(db, arena, &s, err)
             : s.kind == JALI_JSON  ? look_json(db, packing, arena, &s, err)
                                    : look_csv(db, packing, arena, &s, err));
    *out = s;
    return JALI_OK;
}
