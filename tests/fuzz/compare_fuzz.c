/* tests/fuzz/compare_fuzz.c — comparisons from strangers: no crash, one sentence, sound
 * weights. */
#include "../table/where_schema.h"
#include "explain/query/compare.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const jali_comparison *c)
{
    if (c->n == 0 || c->n > JALI_COMPARE_GROUPS || c->words == NULL) abort();
    if (!c->linear && c->tree == NULL) abort();
    for (size_t i = 0; c->linear && i < c->n; i++)
        if (c->weight[i] == 0 || abs(c->weight[i]) > JALI_COMPARE_WEIGHT) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char sql[] = "SELECT COUNT(*) FROM t GROUP BY ward, age";
    jali_arena arena = JALI_ARENA_INIT;
    jali_schema schema;
    jali_query query;
    jali_comparison c;
    jali_err err = { 0 };
    char *text = malloc(size + 1);
    if (text == NULL) return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    if (jali_schema_parse(&schema, where_schema, sizeof where_schema - 1, "schema", &arena,
                          NULL) != JALI_OK)
        abort();
    if (jali_query_parse(&schema, sql, &arena, &query, &err) != JALI_OK) abort();
    if (size > 0 && data[0] == '1') query.n_groups = 1;
    jali_status status = jali_compare_parse(&schema, &query, text, NULL, &arena, &c, &err);
    if (status == JALI_OK)
        check(&c);
    else if (status != JALI_E_USAGE || err.text[0] == '\0' || strchr(err.text, '\n'))
        abort();
    jali_arena_clear(&arena);
    free(text);
    return 0;
}
