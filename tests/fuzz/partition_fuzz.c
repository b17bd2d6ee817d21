/* tests/fuzz/partition_fuzz.c — clusterings as JSON, from --from and jali assign. */
#include "explain/cluster/sql.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char schema_text[] =
    "{\"fields\":["
    "{\"name\":\"x\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":9}},"
    "{\"name\":\"y\",\"type\":\"number\",\"jali\":{\"step\":\"0.5\"},\"constraints\":{\"minimum\":-5,"
    "\"maximum\":5}},"
    "{\"name\":\"job\",\"type\":\"string\",\"constraints\":{\"enum\":[\"a\",\"b\"]}}]}";

/* A record by its number; codes beyond a domain are NULL. */
static void record(const jali_partition *p, uint64_t number, uint64_t *code)
{
    for (size_t i = 0; i < p->n; i++) {
        number = number * 6364136223846793005u + 1442695040888963407u;
        code[i] = (number >> 33) % p->domain[i];
    }
}

/* By blocks and by hand, before and after writing it down. */
static void check(const jali_partition *p, const jali_partition *again, jali_arena *a)
{
    jali_label label;
    if (p->labels != again->labels || p->labels == 0) abort();
    if (jali_partition_label(p, a, &label, NULL) != JALI_OK) abort();
    for (uint64_t r = 0; r < 16; r++) {
        uint64_t code[JALI_PARTITION_COLUMNS];
        const void *codes[JALI_PARTITION_COLUMNS];
        unsigned width[JALI_PARTITION_COLUMNS];
        uint16_t out;
        record(p, r, code);
        for (size_t i = 0; i < p->n; i++) {
            codes[i] = &code[i];
            width[i] = 8;
        }
        jali_block block = { 1, p->n, codes, width };
        label.label(label.self, &block, &out);
        uint32_t one = jali_partition_of(p, code);
        if (one >= p->labels || out != one || jali_partition_of(again, code) != one) abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    jali_arena a = JALI_ARENA_INIT;
    jali_schema schema;
    jali_partition p, q;
    char *sql;
    json_t *value = json_loadb((const char *)data, size, 0, NULL), *again;
    if (value == NULL) return 0;
    if (jali_schema_parse(&schema, schema_text, strlen(schema_text), "schema", &a, NULL) !=
        JALI_OK)
        abort();
    if (jali_partition_from_json(&p, value, &schema, &a, NULL) == JALI_OK) {
        if (jali_partition_to_json(&p, &again, NULL) != JALI_OK) abort();
        if (jali_partition_from_json(&q, again, &schema, &a, NULL) != JALI_OK) abort();
        check(&p, &q, &a);
        if (jali_cluster_sql(&p, &schema, &a, &sql, NULL) != JALI_OK) abort();
        json_decref(again);
    }
    json_decref(value);
    jali_arena_clear(&a);
    return 0;
}
