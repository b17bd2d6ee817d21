/* Division by multiplication is division: every edge of every step that could break it. */
#include "small.h"
#include "tally/derive.h"

enum { STEPS = 400 };

/* Codes just below, at and above multiples of the step, up to 2^32 - 2. */
SENTENCE(bins_are_exact_at_their_edges)
{
    UNUSED_STATE;
    uint64_t seed = 9;
    for (int k = 0; k < STEPS; k++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        uint32_t step = k < 40 ? (uint32_t)k + 1 : (uint32_t)(seed >> (32 + k % 30)) | 1u;
        if (k % 4 == 3) step = UINT32_MAX - (uint32_t)k;
        uint32_t codes[60], out[60];
        for (uint32_t i = 0; i < 20; i++) {
            uint64_t most = UINT32_MAX / step, at = (most - (i * most / 20)) * step;
            for (uint32_t d = 0; d < 3; d++) {
                uint64_t code = at + d > 0 ? at + d - 1 : 0;
                codes[3 * i + d] = code < UINT32_MAX - 1 ? (uint32_t)code : UINT32_MAX - 2;
            }
        }
        jali_columns *columns;
        const jali_column c = { "x", 4, 1ull << 32, 60, codes };
        CHECK_OK(jali_columns_borrow(&columns, &c, 1, NULL));
        const jali_edge edge = { 0, step == 1 ? UINT32_MAX : 0,
                                 step == 1 ? 0 : UINT64_MAX / step + 1 };
        jali_key_source s = { SOURCE_BINS, .bins = UINT32_MAX - 1, .domain = UINT32_MAX,
                              .width = 4, .edge = &edge };
        jali_derive_codes(&s, columns, jali_kernels_best(), NULL, 0, 60, out);
        for (int i = 0; i < 60; i++) CHECK(out[i] == codes[i] / step);
        jali_columns_free(columns);
    }
}

RUN_ALL(TEST(bins_are_exact_at_their_edges))
