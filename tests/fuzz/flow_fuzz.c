/* fuzz/flow_fuzz.c — data flows in DOT, and the first sets of those that are accepted. */
#include "flow/flow.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_flow f;
    jali_err err;
    if (jali_flow_parse(&f, (const char *)data, n, "flow.dot", &arena, &err) == JALI_OK) {
        jali_separators *s = NULL;
        uint32_t *set = calloc(f.n + 2, sizeof *set);
        size_t k = 1;
        if (set != NULL && jali_separators_new(&s, &f, NULL) == JALI_OK)
            for (int i = 0; i < 50 && k > 0; i++)
                if (jali_separators_next(s, set, &k, NULL) != JALI_OK) break;
        jali_separators_free(s);
        free(set);
    }
    jali_arena_clear(&arena);
    return 0;
}
