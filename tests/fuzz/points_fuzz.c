/* tests/fuzz/points_fuzz.c — points from strangers: no crash, finite numbers, one sentence. */
#include "door/contrast.h"
#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_points p;
    jali_err err = { 0 };
    size_t dims = size == 0 ? 1 : 1 + data[0] % 4;
    char *text = malloc(size + 1);
    if (text == NULL) return 0;
    memcpy(text, data, size);
    jali_status status = jali_points_csv(&p, text, size, dims, &arena, &err);
    if (status == JALI_OK) {
        if (p.n == 0 || p.dims != dims) abort();
        for (size_t i = 0; i < p.n * dims; i++)
            if (!isfinite(p.at[i])) abort();
    } else if (err.text[0] == '\0' || strchr(err.text, '\n'))
        abort();
    jali_arena_clear(&arena);
    free(text);
    return 0;
}
