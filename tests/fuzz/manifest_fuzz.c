/* tests/fuzz/manifest_fuzz.c — the page of a columns folder, from whoever can write there. */
#include "engine/manifest.h"
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The seal is computed here, or nothing behind it would ever be reached. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    jali_arena a = JALI_ARENA_INIT;
    jali_manifest m;
    jali_text again = { 0 };
    char *bytes = malloc(size + 64), *copy = malloc(size + 64);
    if (bytes == NULL || copy == NULL) abort();
    memcpy(bytes, data, size);
    XXH128_hash_t seal = XXH3_128bits(bytes, size);
    size_t n = size + (size_t)snprintf(bytes + size, 64, "],\"xxh3\":\"%016llx%016llx\"}\n",
                                       (unsigned long long)seal.high64,
                                       (unsigned long long)seal.low64);
    memcpy(copy, bytes, n);
    if (jali_manifest_read(&m, bytes, n, &a, "manifest", NULL) == JALI_OK) {
        jali_manifest_write(&m, &again);
        if (again.used != n || memcmp(again.at, copy, n) != 0) abort(); /* one form only */
    }
    jali_text_clear(&again);
    jali_arena_clear(&a);
    free(bytes);
    free(copy);
    return 0;
}
