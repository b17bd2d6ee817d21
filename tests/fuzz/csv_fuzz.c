/* Any bytes as a data file: refused in a sentence, or read into codes inside the domains. */
#define _XOPEN_SOURCE 700
#include "table/import.h"
#include <assert.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static const char text[] =
    "{\"missingValues\": [\"\", \"?\"], \"jali\": {\"person\": \"id\", \"rowsPerPerson\": 1}, "
    "\"fields\": [{\"name\": \"id\"}, {\"name\": \"a\", \"type\": \"integer\", \"constraints\": "
    "{\"minimum\": -5, \"maximum\": 300}}, {\"name\": \"b\", \"constraints\": {\"enum\": [\"x\", "
    "\"y\"]}, \"jali\": {\"other\": \"z\"}}, {\"name\": \"c\", \"type\": \"number\", \"jali\": "
    "{\"bins\": [0, 0.5, 1]}}, {\"name\": \"d\", \"type\": \"date\", \"constraints\": {\"minimum\": "
    "\"2000-01-01\", \"maximum\": \"2030-01-01\"}}]}";

static jali_status take(void *self, const jali_chunk *chunk, jali_err *err)
{
    const jali_schema *s = self;
    (void)err;
    assert(chunk->columns == s->n && chunk->rows <= JALI_CHUNK_ROWS);
    for (size_t c = 0; c < chunk->columns; c++)
        for (size_t r = 0; r < chunk->rows; r++) {
            size_t n = 0;
            jali_fate fate;
            const char *cell = jali_chunk_text(chunk, c, r, &n);
            if (cell == NULL || !s->fields[c].used) continue;
            assert(jali_field_code(s, &s->fields[c], cell, n, &fate) < s->fields[c].domain);
        }
    return JALI_OK;
}

/* One database for the life of the fuzzer: starting one takes longer than a scan. */
static jali_duckdb *database(void)
{
    static jali_duckdb *db;
    if (db == NULL && jali_duckdb_new(&db, 1, NULL) != JALI_OK) abort();
    return db;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    char path[] = "jali-fuzz-XXXXXX";
    jali_arena arena = JALI_ARENA_INIT;
    jali_schema schema;
    jali_source source;
    jali_scan scan;
    jali_err err = { .text = "" };
    size_t index[8], extra;
    int fd = mkstemp(path);
    assert(fd >= 0 && write(fd, data, n) == (ssize_t)n);
    close(fd);
    assert(jali_schema_parse(&schema, text, sizeof text - 1, "s", &arena, NULL) == JALI_OK);
    jali_status status = jali_duckdb_look(database(), path, &arena, &source, &err);
    if (status == JALI_OK) status = jali_import_match(&schema, &source, index, &extra, &err);
    if (status == JALI_OK)
        status = jali_duckdb_scan(database(), &source, index, schema.n,
                                  (jali_sink){ take, &schema }, NULL, &arena, &scan, &err);
    if (status != JALI_OK)
        assert(err.text[0] != '\0' && strchr(err.text, '\n') == NULL &&
               status != JALI_E_INTERNAL);
    unlink(path);
    jali_arena_clear(&arena);
    return 0;
}
