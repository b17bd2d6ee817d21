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
        jali_key_source s = { SOURCE_BINS, .by = { .bins = UINT32_MAX - 1, .null = UINT32_MAX },
                              .domain = UINT32_MAX, .width = 4, .edge = &edge };
        jali_derive_codes(&s, columns, jali_kernels_best(), NULL, 0, 60, out);
        for (int i = 0; i < 60; i++) CHECK(out[i] == codes[i] / step);
        jali_columns_free(columns);
    }
}

/* Every code of a two-byte column, by steps for which the vectors' 32-bit magic is used. */
SENTENCE(every_code_finds_its_bin)
{
    UNUSED_STATE;
    enum { DOMAIN = 65536 };
    uint16_t *codes = malloc(DOMAIN * sizeof *codes), *out = malloc(DOMAIN * sizeof *out);
    for (uint32_t i = 0; i < DOMAIN; i++) codes[i] = (uint16_t)i;
    const jali_column c = { "x", 2, DOMAIN, DOMAIN, codes };
    jali_columns *columns;
    CHECK_OK(jali_columns_borrow(&columns, &c, 1, NULL));
    for (uint32_t k = 0; k < 120; k++) {
        uint32_t step = k < 60 ? k + 2 : k < 90 ? (k - 59) * 641 : 65535 - k * 17, lo = k * 3;
        uint32_t bins = 65535 / step + 1;
        jali_plan *plan;
        size_t t;
        CHECK_OK(jali_plan_new(&plan, columns, 1, NULL));
        CHECK_OK(jali_plan_histogram(plan, 0, "x", bins, &lo, &step, &t, NULL));
        const jali_key_source *s = &PLAN_SOURCE(plan, 0);
        CHECK(s->width == 2 && s->by.shift > 0);
        jali_derive_codes(s, columns, jali_kernels_best(), NULL, 0, DOMAIN, out);
        for (uint32_t i = 0; i + 1 < DOMAIN; i++)
            CHECK(out[i] == (i < lo ? 0 : (i - lo) / step));
        CHECK(out[DOMAIN - 1] == bins);
        jali_plan_free(plan);
    }
    jali_columns_free(columns);
    free(codes);
    free(out);
}

RUN_ALL(TEST(bins_are_exact_at_their_edges), TEST(every_code_finds_its_bin))
