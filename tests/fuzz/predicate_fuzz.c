/* tests/fuzz/predicate_fuzz.c — predicates as JSON from release files and requests. */
#include "base/json.h"
#include "table/predicate.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A record whose code depends on the column's name, so that merging wrongly shows. */
static uint64_t code_of(void *self, const char *column)
{
    uint64_t h = *(const uint64_t *)self;
    for (; *column != '\0'; column++) h = (h ^ (unsigned char)*column) * 0x100000001b3u;
    return h % 7;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    jali_arena a = JALI_ARENA_INIT;
    json_t *value = json_loadb((const char *)data, size, JSON_DECODE_ANY, NULL), *again;
    const jali_predicate *p, *q;
    char *first, *second;
    if (value == NULL) return 0;
    if (jali_predicate_from_json(value, &a, &p, NULL) == JALI_OK) {
        const jali_predicate *c = jali_predicate_canonical(&a, p);
        if (c == NULL) abort();
        for (uint64_t record = 0; record < 8; record++)
            if (jali_predicate_value(p, code_of, &record) !=
                jali_predicate_value(c, code_of, &record))
                abort();
        if (jali_predicate_text(p, &a, &first, NULL) != JALI_OK) abort();
        again = json_loads(first, JSON_DECODE_ANY, NULL);
        if (again == NULL) abort();
        if (jali_predicate_from_json(again, &a, &q, NULL) != JALI_OK) abort();
        if (jali_predicate_text(q, &a, &second, NULL) != JALI_OK) abort();
        if (strcmp(first, second) != 0) abort();
        json_decref(again);
    }
    json_decref(value);
    jali_arena_clear(&a);
    return 0;
}
