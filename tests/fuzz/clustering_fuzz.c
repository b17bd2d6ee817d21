/* Clusterings as strangers send them to jali profile: read or refused in one sentence; what is
 * read has a canonical name, and its function answers every record. */
#include "door/clustering.h"
#include "table/where_schema.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool names_a_release(const char *text)
{
    return text[0] >= 'a' && text[0] <= 'z'; /* would ask a ledger, which is not here */
}

static void try_function(const jali_partition *p)
{
    uint64_t code[JALI_PARTITION_COLUMNS];
    for (uint64_t k = 0; k < 3; k++) {
        for (size_t i = 0; i < p->n; i++) code[i] = k == 0 ? 0 : p->domain[i] - k;
        if (jali_partition_of(p, code) >= p->labels) abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_schema schema;
    jali_partition p;
    jali_err err = { 0 };
    const char *name = NULL;
    char *text = malloc(size + 1);
    if (text == NULL) return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    if (jali_schema_parse(&schema, where_schema, sizeof where_schema - 1, "schema", &arena,
                          NULL) != JALI_OK)
        abort();
    if (!names_a_release(text)) {
        jali_status status = jali_clustering_read(text, &schema, NULL, &arena, &p, &name, &err);
        if (status == JALI_OK) {
            if (name == NULL || p.labels == 0) abort();
            try_function(&p);
        } else if (err.text[0] == '\0' || strchr(err.text, '\n') != NULL) {
            abort();
        }
    }
    jali_arena_clear(&arena);
    free(text);
    return 0;
}
