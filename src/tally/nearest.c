/* tally/nearest.c — the nearest of many centres, for blocks of rows. */
#include "tally/nearest.h"
#include "engine/codes.h"
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

static size_t plain_ruler(const jali_ruler *a, const void *codes, unsigned width, size_t n,
                          uint32_t bias, int16_t *out)
{
    (void)a, (void)codes, (void)width, (void)n, (void)bias, (void)out;
    return 0; /* the ragged end is all there is */
}

void jali_ruler_rows(const jali_ruler *a, const void *codes, unsigned width, size_t n,
                     uint32_t bias, int16_t *out)
{
    size_t i = jali_near_best()->ruler(a, codes, width, n, bias, out);
    for (; i < n; i++)
        out[i] = (int16_t)(jali_ruler_at(a, jali_code_at(codes, width, i)) - bias);
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
    /* Many columns at once are more streams than the machine foresees. */
    for (size_t line = 0; line < n * width; line += 64)
        __builtin_prefetch(codes + n * width + line);
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
        for (size_t i = 0; i < rows; i += ROWS) {
            int16_t *to = (int16_t *)(x + (i * c->pairs + p * ROWS));
            for (size_t k = 0; k < ROWS; k++) {
                to[2 * k] = at[0][i + k];
                to[2 * k + 1] = at[1][i + k];
            }
        }
    }
}

static void plain_own(const jali_near *c, const int32_t *x, int32_t *out)
{
    memset(out, 0, ROWS * sizeof *out);
    for (size_t p = 0; p < c->pairs; p++)
        for (size_t i = 0; i < ROWS; i++) {
            uint32_t a = (uint32_t)x[p * ROWS + i];
            out[i] += (int16_t)a * (int16_t)a + (int16_t)(a >> 16) * (int16_t)(a >> 16);
        }
}

static void plain_centres(const jali_near *c, const int32_t *x, int32_t *best, int32_t *label,
                          int32_t *own)
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
    if (own != NULL) plain_own(c, x, own);
}

const jali_near_loops *jali_near_plain(void)
{
    static const jali_near_loops plain = { plain_centres, plain_ruler };
    return &plain;
}

const jali_near_loops *jali_near_best(void)
{
    const jali_near_loops *wide = jali_near_avx512(), *vectors = jali_near_avx2();
    return wide != NULL ? wide : vectors != NULL ? vectors : jali_near_plain();
}

static size_t tile_rows(const jali_near *c)
{
    size_t rows = TILE_PAIRS / (c->pairs > 0 ? c->pairs : 1) / ROWS * ROWS;
    return rows < ROWS ? ROWS : rows > CHUNK ? CHUNK : rows;
}

void jali_near_rows(const jali_near *c, const jali_block *block, const jali_near_kept *kept,
                    uint16_t *label, uint32_t *square)
{
    const jali_near_loops *loops = jali_near_best();
    _Alignas(64) int32_t own_x[JALI_GEOMETRY_AXES / 2 * ROWS];
    int32_t best[ROWS], which[ROWS] = { 0 }, own[ROWS] = { 0 };
    uint16_t near[ROWS];
    uint32_t far[ROWS];
    size_t rows = tile_rows(c);
    for (size_t first = 0; first < block->rows; first += rows) {
        size_t n = block->rows - first < rows ? block->rows - first : rows;
        int32_t *x = kept != NULL ? kept->x + first * c->pairs : own_x;
        if (kept == NULL || !kept->full)
            fill_tile(c, block, first, n, (n + ROWS - 1) / ROWS * ROWS, x);
        for (size_t i = 0; i < n; i += ROWS) {
            const int32_t *tile = x + i * c->pairs;
            size_t at = first + i, left = n - i < ROWS ? n - i : ROWS;
            loops->centres(c, tile, best, which, square != NULL ? own : NULL);
            for (size_t k = 0; k < ROWS; k++) {
                near[k] = (uint16_t)which[k];
                far[k] = (uint32_t)best[k] + (uint32_t)own[k];
            }
            memcpy(label + at, near, left * sizeof *near);
            if (square != NULL) memcpy(square + at, far, left * sizeof *far);
        }
    }
}
