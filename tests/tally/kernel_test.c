/* Each vector loop against its portable twin, at every length around its vectors. */
#include "small.h"

enum { N = 200 };

static void fill(void *at, size_t bytes, uint64_t *seed)
{
    for (size_t i = 0; i < bytes; i++) {
        *seed = *seed * 6364136223846793005u + 1442695040888963407u;
        ((uint8_t *)at)[i] = (uint8_t)(*seed >> 56);
    }
}

/* Memory that ends where the rows do, so that a sanitizer sees a step too far. */
static void *exactly(const void *from, size_t bytes)
{
    void *p = malloc(bytes + (bytes == 0));
    memcpy(p, from, bytes);
    return p;
}

SENTENCE(membership_by_shuffles_is_membership)
{
    UNUSED_STATE;
    const jali_kernels *a = jali_kernels_best(), *b = jali_kernels_plain();
    uint64_t seed = 1;
    for (size_t n = 0; n <= N; n++) {
        uint8_t raw[N], set[32];
        uint64_t x[4] = { 0 }, y[4] = { 0 };
        fill(raw, N, &seed);
        fill(set, 32, &seed);
        uint8_t *codes = exactly(raw, n);
        a->within8(codes, n, set, x);
        b->within8(codes, n, set, y);
        CHECK(memcmp(x, y, sizeof x) == 0);
        for (size_t i = 0; i < n; i++)
            CHECK((y[i / 64] >> i % 64 & 1) == (uint64_t)(set[raw[i] / 8] >> raw[i] % 8 & 1));
        free(codes);
    }
}

SENTENCE(ranges_by_vectors_are_ranges)
{
    UNUSED_STATE;
    const jali_kernels *a = jali_kernels_best(), *b = jali_kernels_plain();
    const uint32_t lo[] = { 10, 0x7fffff00, 0xfffffff0 }, span[] = { 50, 0x1000, 15 };
    uint64_t seed = 2;
    for (unsigned width = 2; width <= 4; width *= 2)
        for (size_t n = 0; n <= N; n++) {
            uint8_t raw[4 * N];
            uint64_t x[4] = { 0 }, y[4] = { 0 };
            fill(raw, sizeof raw, &seed);
            for (size_t i = 0; i + 8 < N; i += 3) memset(raw + i * width, 0xff, width);
            for (size_t i = 1; i + 8 < N; i += 3) memset(raw + i * width + 1, 0, width - 1);
            void *codes = exactly(raw, n * width);
            a->within(codes, width, n, lo, span, 3, x);
            b->within(codes, width, n, lo, span, 3, y);
            CHECK(memcmp(x, y, sizeof x) == 0);
            free(codes);
        }
}

SENTENCE(labels_are_cut_and_marked_alike)
{
    UNUSED_STATE;
    const jali_kernels *a = jali_kernels_best(), *b = jali_kernels_plain();
    uint64_t seed = 3;
    for (size_t n = 0; n <= N; n++) {
        uint16_t x[N], y[N];
        uint64_t rows[4];
        fill(x, sizeof x, &seed);
        fill(rows, sizeof rows, &seed);
        memcpy(y, x, sizeof x);
        a->mark(x, n, 40000, n % 2 ? rows : NULL, 40001);
        b->mark(y, n, 40000, n % 2 ? rows : NULL, 40001);
        CHECK(memcmp(x, y, sizeof x) == 0);
        for (size_t i = 0; i < n; i++) CHECK(y[i] <= 40001);
    }
}

SENTENCE(summands_keep_null_at_nothing)
{
    UNUSED_STATE;
    const jali_kernels *a = jali_kernels_best(), *b = jali_kernels_plain();
    uint64_t seed = 4;
    for (unsigned width = 1; width <= 4; width *= 2)
        for (size_t n = 0; n <= N; n++) {
            uint8_t raw[4 * N];
            uint64_t x[N] = { 0 }, y[N] = { 0 };
            uint32_t null = width == 4 ? UINT32_MAX : (1u << 8 * width) - 1;
            fill(raw, sizeof raw, &seed);
            for (size_t i = 0; i < N; i += 3) memset(raw + i * width, 0xff, width);
            void *codes = exactly(raw, n * width);
            a->values(codes, width, n, null, 1ull << 40, x);
            b->values(codes, width, n, null, 1ull << 40, y);
            CHECK(memcmp(x, y, sizeof x) == 0 && (n == 0 || y[0] == 0));
            free(codes);
        }
}

SENTENCE(grids_are_halved_alike)
{
    UNUSED_STATE;
    const jali_kernels *a = jali_kernels_best(), *b = jali_kernels_plain();
    uint64_t seed = 6;
    for (unsigned width = 1; width <= 4; width *= 2)
        for (size_t n = 0; n <= N; n++) {
            uint8_t raw[4 * N];
            unsigned bits = (unsigned)n % 9, have = 8 * width;
            uint32_t none = 1u << 3 * bits;
            fill(raw, sizeof raw, &seed);
            void *codes = exactly(raw, n * width);
            jali_halving by = { .codes = codes,
                                .width = width,
                                .down = have > bits ? have - bits : 0,
                                .up = n % 3 == 0 ? 1 : 0,
                                .bits = bits,
                                .null = raw[0] };
            jali_halving three[] = { by, by, by };
            for (unsigned k = 1; k <= 3; k++) {
                size_t from = n / 4;
                uint32_t x[N] = { 0 }, y[N] = { 0 };
                a->grid(three, k, from, n - from, none, x);
                b->grid(three, k, from, n - from, none, y);
                CHECK(memcmp(x, y, sizeof x) == 0);
                CHECK(width > 1 || n == 0 || n > 3 || y[0] == none);
            }
            free(codes);
        }
}

SENTENCE(masks_count_what_adds_count)
{
    UNUSED_STATE;
    const jali_kernels *a = jali_kernels_best(), *b = jali_kernels_plain();
    uint64_t seed = 5;
    for (unsigned cells = 1; cells <= JALI_MASK_CELLS; cells++)
        for (size_t n = 0; n <= JALI_KEY_CHUNK; n += n < 70 ? 1 : 119) {
            uint16_t keys[JALI_KEY_CHUNK];
            uint32_t x[JALI_MASK_CELLS + 1] = { 0 }, y[JALI_MASK_CELLS + 1] = { 0 };
            fill(keys, sizeof keys, &seed);
            for (size_t i = 0; i < n; i++) keys[i] = (uint16_t)(keys[i] % cells);
            a->few(keys, n, cells, x);
            b->few(keys, n, cells, y);
            CHECK(memcmp(x, y, sizeof x) == 0);
        }
}

/* All rows in one cell: the lanes that count matches must not wrap. */
SENTENCE(a_whole_chunk_in_one_cell_is_counted)
{
    UNUSED_STATE;
    uint16_t keys[JALI_KEY_CHUNK] = { 0 };
    uint32_t x[4] = { 0 };
    jali_kernels_best()->few(keys, JALI_KEY_CHUNK, 2, x);
    CHECK(x[0] == JALI_KEY_CHUNK && x[1] == 0 && x[2] == 0);
}

RUN_ALL(TEST(membership_by_shuffles_is_membership), TEST(ranges_by_vectors_are_ranges),
        TEST(labels_are_cut_and_marked_alike), TEST(summands_keep_null_at_nothing),
        TEST(grids_are_halved_alike), TEST(masks_count_what_adds_count),
        TEST(a_whole_chunk_in_one_cell_is_counted))
