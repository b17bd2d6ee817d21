/* tests/fuzz/where_fuzz.c — conditions from strangers: no crash, and there and back. */
#include "../table/where_schema.h"
#include "table/where.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_schema schema;
    jali_err err = { 0 };
    const jali_predicate *p, *again;
    char *sql, *a, *b, *text = malloc(size + 1);
    if (text == NULL) return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    if (jali_schema_parse(&schema, where_schema, sizeof where_schema - 1, "schema", &arena,
                          NULL) != JALI_OK)
        abort();
    jali_status status = jali_where_parse(&schema, text, &arena, &p, &err);
    if (status == JALI_OK) {
        /* What is longer as SQL than a stranger may send cannot come back. */
        if (jali_where_text(&schema, p, &arena, &sql, NULL) != JALI_OK) abort();
        if (strlen(sql) <= JALI_SQL_BYTES) {
            if (jali_where_parse(&schema, sql, &arena, &again, NULL) != JALI_OK) abort();
            if (jali_predicate_text(p, &arena, &a, NULL) != JALI_OK) abort();
            if (jali_predicate_text(again, &arena, &b, NULL) != JALI_OK) abort();
            if (strcmp(a, b) != 0) abort();
        }
    } else if (status != JALI_E_USAGE || err.text[0] == '\0' || strchr(err.text, '\n')) {
        abort();
    }
    jali_arena_clear(&arena);
    free(text);
    return 0;
}
