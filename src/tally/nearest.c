/* tally/nearest.c — the nearest of many centres, for blocks of rows. */
#include "tally/nearest.h"
#include <string.h>

enum { ROWS = 16, TILE_PAIRS = JALI_TILE_BYTES / 4, CHUNK = 256 };

static uint32_t half_of(const jali_ruler *a)
{
    return (a->top + 1) / 2;
}

enum { LOOK = 256, FEW = 16 };

static bool is_short(const jali_ruler *a)
{
    return a->domain <= LOOK;
}

static bool is_few(const jali_ruler *a)
{
    return a->domain <= FEW;
}

/* Codes beyond the domain count as NULL, as everywhere. */
static void fill_looks(const jali_ruler *axis, size_t axes, int16_t *look, uint8_t *shuffle)
{
    for (size_t j = 0; j < axes; j++) {
        if (!is_short(&axis[j])) continue;
        for (uint64_t code = 0; code < LOOK; code++) {
            uint64_t known = code < axis[j].domain ? code : axis[j].domain - 1;
            uint32_t at = jali_ruler_at(&axis[j], known) - half_of(&axis[j]);
            look[j * LOOK + code] = (int16_t)at;
            if (code >= FEW) continue;
            shuffle[j * 2 * FEW + code] = (uint8_t)at;
            shuffle[j * 2 * FEW + FEW + code] = (uint8_t)(at >> 8);
        }
    }
}

jali_status jali_near_make(jali_near *out, const jali_ruler *axis, const size_t *column_of,
                           size_t axes, const uint16_t *centre, uint32_t labels,
                           jali_arena *arena, jali_err *err)
{
    size_t pairs = (axes + 1) / 2;
    int16_t *pair = jali_arena_take(arena, 2 * pairs * labels, sizeof *pair);
    int32_t *norm = jali_arena_take(arena, labels, sizeof *norm);
    int16_t *look = jali_arena_take(arena, axes * LOOK + 1, sizeof *look);
    uint8_t *shuffle = jali_arena_take(arena, axes * 2 * FEW + 1, sizeof *shuffle);
    if (pair == NULL || norm == NULL || look == NULL || shuffle == NULL)
        return jali_fail_memory(err);
    fill_looks(axis, axes, look, shuffle);
    for (uint32_t l = 0; l < labels; l++)
        for (size_t j = 0; j < axes; j++) {
            int32_t c = (int32_t)centre[l * axes + j] - (int32_t)half_of(&axis[j]);
            pair[2 * pairs * l + j] = (int16_t)(-2 * c);
            norm[l] += c * c;
        }
    *out = (jali_near){ axes, pairs, labels, axis, column_of, (const int32_t *)pair,
                        norm, look,  shuffle };
    return JALI_OK;
}

/* ---- coordinates ---------------------------------------------------------------------- */

#define INLINE static inline __attribute__((always_inline))
#if defined(__x86_64__)
#define AVX2 __attribute__((target("avx2")))
#define HAS_AVX2 __builtin_cpu_supports("avx2")
#else
#define AVX2
#define HAS_AVX2 false
#endif

INLINE uint32_t code_at(const void *codes, unsigned width, size_t i)
{
    return width == 1   ? ((const uint8_t *)codes)[i]
           : width == 2 ? ((const uint16_t *)codes)[i]
                        : ((const uint32_t *)codes)[i];
}

/* Without branches on a code, in 32-bit lanes; `width` is a constant where this is inlined. */
INLINE void narrow(const jali_ruler *a, const void *codes, unsigned width, size_t n,
                   uint32_t bias, int16_t *out)
{
    const uint32_t low = (uint32_t)a->low, null = (uint32_t)(a->domain - 1), mul = a->mul;
    const uint64_t all =
        a->up > 0 ? a->span >> a->up : (((uint64_t)a->span + 1) << a->down) - 1;
    const uint32_t most = all > UINT32_MAX ? UINT32_MAX : (uint32_t)all, at_null = a->null;
    const unsigned up = a->up, down = a->down;
    for (size_t i = 0; i < n; i++) {
        uint32_t code = code_at(codes, width, i), over = (code > low ? code : low) - low;
        over = over < most ? over : most;
        uint32_t at = ((over << up) >> down) * mul >> 16;
        out[i] = (int16_t)((code == null ? at_null : at) - bias);
    }
}

INLINE void hot(const jali_ruler *a, const void *codes, unsigned width, size_t n, uint32_t bias,
                int16_t *out)
{
    const uint32_t value = (uint32_t)a->low;
    const int16_t yes = (int16_t)(a->top - bias), no = (int16_t)(0 - bias);
    const int16_t at_null = (int16_t)(a->null - bias);
    const uint32_t null = (uint32_t)(a->domain - 1);
    for (size_t i = 0; i < n; i++) {
        uint32_t code = code_at(codes, width, i);
        out[i] = code == null ? at_null : code == value ? yes : no;
    }
}

INLINE void rows_of(const jali_ruler *a, const void *codes, unsigned width, size_t n,
                    uint32_t bias, int16_t *out)
{
    if (a->one_hot)
        hot(a, codes, width, n, bias, out);
    else
        narrow(a, codes, width, n, bias, out);
}

INLINE void by_width(const jali_ruler *a, const void *codes, unsigned width, size_t n,
                     uint32_t bias, int16_t *out)
{
    if (width == 1)
        rows_of(a, codes, 1, n, bias, out);
    else if (width == 2)
        rows_of(a, codes, 2, n, bias, out);
    else
        rows_of(a, codes, 4, n, bias, out);
}

AVX2 static void by_width_avx2(const jali_ruler *a, const void *codes, unsigned width, size_t n,
                               uint32_t bias, int16_t *out)
{
    by_width(a, codes, width, n, bias, out);
}

void jali_ruler_rows(const jali_ruler *a, const void *codes, unsigned width, size_t n,
                     uint32_t bias, int16_t *out)
{
    const uint64_t *wide = codes;
    if (width == 8)
        for (size_t i = 0; i < n; i++) out[i] = (int16_t)(jali_ruler_at(a, wide[i]) - bias);
    else if (HAS_AVX2)
        by_width_avx2(a, codes, width, n, bias, out);
    else
        by_width(a, codes, width, n, bias, out);
}

/* ---- tiles of rows --------------------------------------------------------------------- */

#if defined(__x86_64__)
#include <immintrin.h>

/* 16 coordinates of one axis, as two vectors of 8. */
AVX2 INLINE void shuffled(const uint8_t *codes, const uint8_t *shuffle, __m128i out[static 2])
{
    __m128i code = _mm_loadu_si128((const __m128i *)codes);
    __m128i low = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)shuffle), code);
    __m128i high = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(shuffle + FEW)), code);
    out[0] = _mm_unpacklo_epi8(low, high);
    out[1] = _mm_unpackhi_epi8(low, high);
}

/* A pair of axes with few codes each, for whole tiles: no code is ever looked at alone. */
AVX2 static void shuffle_pair(const jali_near *c, size_t p, const uint8_t *a, const uint8_t *b,
                              size_t rows, int32_t *x)
{
    const uint8_t *first = c->shuffle + 2 * p * 2 * FEW, *second = first + 2 * FEW;
    for (size_t i = 0; i < rows; i += ROWS) {
        __m128i u[2], v[2], *to = (__m128i *)(x + (i / ROWS * c->pairs + p) * ROWS);
        shuffled(a + i, first, u);
        shuffled(b + i, second, v);
        for (size_t k = 0; k < 2; k++) {
            _mm_storeu_si128(to + 2 * k, _mm_unpacklo_epi16(u[k], v[k]));
            _mm_storeu_si128(to + 2 * k + 1, _mm_unpackhi_epi16(u[k], v[k]));
        }
    }
}

static bool fill_by_shuffle(const jali_near *c, const jali_block *block, size_t p, size_t first,
                            size_t rows, int32_t *x)
{
    if (2 * p + 1 >= c->axes || !HAS_AVX2) return false;
    size_t a = c->column_of[2 * p], b = c->column_of[2 * p + 1];
    if (block->width[a] != 1 || block->width[b] != 1 || !is_few(&c->axis[2 * p]) ||
        !is_few(&c->axis[2 * p + 1]))
        return false;
    shuffle_pair(c, p, (const uint8_t *)block->codes[a] + first,
                 (const uint8_t *)block->codes[b] + first, rows, x);
    return true;
}
#else
static bool fill_by_shuffle(const jali_near *c, const jali_block *block, size_t p, size_t first,
                            size_t rows, int32_t *x)
{
    (void)c, (void)block, (void)p, (void)first, (void)rows, (void)x;
    return false;
}
#endif

static void axis_rows(const jali_near *c, const jali_block *block, size_t j, size_t first,
                      size_t n, int16_t *out)
{
    size_t column = c->column_of[j];
    unsigned width = block->width[column];
    const uint8_t *codes = (const uint8_t *)block->codes[column] + first * width;
    const int16_t *look = c->look + j * LOOK;
    if (width == 1 && is_short(&c->axis[j]))
        for (size_t i = 0; i < n; i++) out[i] = look[codes[i]];
    else
        jali_ruler_rows(&c->axis[j], codes, width, n, half_of(&c->axis[j]), out);
}

/* Coordinates of `n` <= rows rows from `first` on, two axes side by side: x[pair][row]. Rows
 * from n on are zero, so that kernels never see a ragged end. */
static void fill_tile(const jali_near *c, const jali_block *block, size_t first, size_t n,
                      size_t rows, int32_t *x)
{
    int16_t at[2][CHUNK];
    for (size_t p = 0; p < c->pairs; p++) {
        if (n == rows && fill_by_shuffle(c, block, p, first, rows, x)) continue;
        memset(at, 0, sizeof at);
        for (size_t j = 2 * p; j < 2 * p + 2 && j < c->axes; j++)
            axis_rows(c, block, j, first, n, at[j % 2]);
        for (size_t i = 0; i < rows; i++)
            x[(i / ROWS * c->pairs + p) * ROWS + i % ROWS] =
                (int32_t)((uint32_t)(uint16_t)at[0][i] | (uint32_t)(uint16_t)at[1][i] << 16);
    }
}

void jali_near_plain(const jali_near *c, const int32_t *x, int32_t *best, int32_t *label)
{
    for (size_t i = 0; i < ROWS; i++) best[i] = INT32_MAX;
    for (uint32_t l = 0; l < c->labels; l++) {
        const int32_t *y = c->pair + l * c->pairs;
        for (size_t i = 0; i < ROWS; i++) {
            int32_t score = c->norm[l];
            for (size_t p = 0; p < c->pairs; p++) {
                uint32_t a = (uint32_t)x[p * ROWS + i], b = (uint32_t)y[p];
                score += (int16_t)a * (int16_t)b + (int16_t)(a >> 16) * (int16_t)(b >> 16);
            }
            label[i] = score < best[i] ? (int32_t)l : label[i];
            best[i] = score < best[i] ? score : best[i];
        }
    }
}

/* |x|^2 of the rows of a tile. */
static void own_norm(const jali_near *c, const int32_t *x, int32_t *out)
{
    memset(out, 0, ROWS * sizeof *out);
    for (size_t p = 0; p < c->pairs; p++)
        for (size_t i = 0; i < ROWS; i++) {
            uint32_t a = (uint32_t)x[p * ROWS + i];
            out[i] += (int16_t)a * (int16_t)a + (int16_t)(a >> 16) * (int16_t)(a >> 16);
        }
}

static size_t tile_rows(const jali_near *c)
{
    size_t rows = TILE_PAIRS / (c->pairs > 0 ? c->pairs : 1) / ROWS * ROWS;
    return rows < ROWS ? ROWS : rows > CHUNK ? CHUNK : rows;
}

void jali_near_rows(const jali_near *c, const jali_block *block, uint16_t *label,
                    uint32_t *square)
{
    jali_near_kernel kernel = jali_near_kernel_best();
    _Alignas(64) int32_t x[JALI_GEOMETRY_AXES / 2 * ROWS];
    int32_t best[ROWS], which[ROWS] = { 0 }, own[ROWS];
    size_t rows = tile_rows(c);
    for (size_t first = 0; first < block->rows; first += rows) {
        size_t n = block->rows - first < rows ? block->rows - first : rows;
        fill_tile(c, block, first, n, rows, x);
        for (size_t i = 0; i < n; i += ROWS) {
            const int32_t *tile = x + i * c->pairs;
            kernel(c, tile, best, which);
            if (square != NULL) own_norm(c, tile, own);
            for (size_t k = 0; k < ROWS && i + k < n; k++) {
                label[first + i + k] = (uint16_t)which[k];
                if (square != NULL)
                    square[first + i + k] = (uint32_t)best[k] + (uint32_t)own[k];
            }
        }
    }
}
