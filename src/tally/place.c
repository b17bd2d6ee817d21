/* tally/place.c — real places of rows in a frame, row by row.
 *
 * Columns come axis by axis and sums want row by row: eight axes of eight rows are turned
 * around in registers where vectors have them; elsewhere, and at ragged ends, one by one. Both
 * give the same floats, because each is one exact difference and one rounded product.
 */
#include "tally/place.h"
#include "engine/codes.h"

jali_place jali_place_of(const jali_ruler *a, size_t column)
{
    double slope = jali_ruler_slope(a);
    return (jali_place){ .ruler = a,
                         .column = column,
                         .step = (float)(slope > 0 ? 1 / slope : 0),
                         .null = (float)a->null,
                         .top = (float)a->top,
                         .narrow = a->domain <= INT32_MAX };
}

static float place_one(const jali_place *p, uint64_t code)
{
    const jali_ruler *a = p->ruler;
    if (code + 1 == a->domain) return p->null;
    if (a->one_hot) return code == a->low ? p->top : 0;
    return (float)((int64_t)code - (int64_t)a->low) * p->step;
}

static void place_slowly(const jali_place *place, size_t axes, const jali_block *block,
                         size_t first, size_t n, float *out, size_t stride)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < JALI_PLACE_SIDE; j++) {
            size_t c = j < axes ? place[j].column : 0;
            uint64_t code = jali_code_at(block->codes[c], block->width[c], first + i);
            out[i * stride + j] = j < axes ? place_one(&place[j], code) : 0;
        }
}

void jali_place_rows(const jali_place *place, size_t n_axes, const jali_block *block,
                     size_t first, size_t n, float *out, size_t stride)
{
    for (size_t j = 0; j < n_axes; j += JALI_PLACE_SIDE) {
        size_t axes = n_axes - j < JALI_PLACE_SIDE ? n_axes - j : JALI_PLACE_SIDE;
        if (n < JALI_PLACE_TILE ||
            !jali_place_eight(place + j, axes, block, first, out + j, stride))
            place_slowly(place + j, axes, block, first, n, out + j, stride);
    }
}

#if defined(__x86_64__)
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))
#define INLINE AVX2 static inline __attribute__((always_inline))
#define UNROLLED _Pragma("GCC unroll 8") /* or vectors go through memory */

enum { EIGHTS = JALI_PLACE_TILE / 8 };

INLINE __m256i eight_codes(const void *codes, unsigned width, size_t i)
{
    if (width == 1)
        return _mm256_cvtepu8_epi32(
            _mm_loadl_epi64((const void *)((const uint8_t *)codes + i)));
    if (width == 2)
        return _mm256_cvtepu16_epi32(
            _mm_loadu_si128((const void *)((const uint16_t *)codes + i)));
    return _mm256_loadu_si256((const void *)((const uint32_t *)codes + i));
}

/* A tile of one axis. `width` and `one_hot` are constants where this is inlined. */
INLINE void axis_tile(const jali_place *p, const void *codes, unsigned width, bool one_hot,
                      size_t first, __m256 *out)
{
    const jali_ruler *a = p->ruler;
    const __m256i low = _mm256_set1_epi32((int)a->low);
    const __m256i none = _mm256_set1_epi32((int)(a->domain - 1));
    const __m256 step = _mm256_set1_ps(one_hot ? p->top : p->step);
    const __m256 null = _mm256_set1_ps(p->null);
    UNROLLED
    for (size_t i = 0; i < EIGHTS; i++) {
        __m256i code = eight_codes(codes, width, first + 8 * i);
        __m256 at =
            one_hot ? _mm256_and_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(code, low)), step)
                    : _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_sub_epi32(code, low)), step);
        __m256i is_null = _mm256_cmpeq_epi32(code, none);
        out[8 * i] = _mm256_blendv_ps(at, null, _mm256_castsi256_ps(is_null));
    }
}

INLINE void axis_of_width(const jali_place *p, const jali_block *b, unsigned width,
                          size_t first, __m256 *out)
{
    if (p->ruler->one_hot)
        axis_tile(p, b->codes[p->column], width, true, first, out);
    else
        axis_tile(p, b->codes[p->column], width, false, first, out);
}

INLINE void place_axis(const jali_place *p, const jali_block *b, size_t first, __m256 *out)
{
    unsigned width = b->width[p->column];
    if (width == 1)
        axis_of_width(p, b, 1, first, out);
    else if (width == 2)
        axis_of_width(p, b, 2, first, out);
    else
        axis_of_width(p, b, 4, first, out);
}

/* Rows become columns: pairs, fours, halves. */
INLINE void turn_around(__m256 v[8])
{
    __m256 t[8], u[8];
    UNROLLED
    for (int i = 0; i < 4; i++) {
        t[2 * i] = _mm256_unpacklo_ps(v[2 * i], v[2 * i + 1]);
        t[2 * i + 1] = _mm256_unpackhi_ps(v[2 * i], v[2 * i + 1]);
    }
    UNROLLED
    for (int i = 0; i < 2; i++) {
        u[4 * i] = _mm256_shuffle_ps(t[4 * i], t[4 * i + 2], 0x44);
        u[4 * i + 1] = _mm256_shuffle_ps(t[4 * i], t[4 * i + 2], 0xee);
        u[4 * i + 2] = _mm256_shuffle_ps(t[4 * i + 1], t[4 * i + 3], 0x44);
        u[4 * i + 3] = _mm256_shuffle_ps(t[4 * i + 1], t[4 * i + 3], 0xee);
    }
    UNROLLED
    for (int i = 0; i < 4; i++) {
        v[i] = _mm256_permute2f128_ps(u[i], u[i + 4], 0x20);
        v[i + 4] = _mm256_permute2f128_ps(u[i], u[i + 4], 0x31);
    }
}

AVX2 static void eight_axes(const jali_place *place, size_t axes, const jali_block *block,
                            size_t first, float *out, size_t stride)
{
    /* Many columns at once are more streams than the machine foresees. */
    for (size_t j = 0; j < axes; j++) {
        unsigned width = block->width[place[j].column];
        const char *ahead =
            (const char *)block->codes[place[j].column] + (first + 2 * JALI_PLACE_TILE) * width;
        for (size_t line = 0; line < JALI_PLACE_TILE * width; line += 64)
            _mm_prefetch(ahead + line, _MM_HINT_T0);
    }
    __m256 v[EIGHTS][8];
    for (size_t j = 0; j < axes; j++) place_axis(&place[j], block, first, &v[0][j]);
    for (size_t j = axes; j < 8; j++)
        for (size_t i = 0; i < EIGHTS; i++) v[i][j] = _mm256_setzero_ps();
    for (size_t i = 0; i < EIGHTS; i++) {
        turn_around(v[i]);
        UNROLLED
        for (size_t k = 0; k < 8; k++) _mm256_storeu_ps(out + (8 * i + k) * stride, v[i][k]);
    }
}

bool jali_place_eight(const jali_place *place, size_t axes, const jali_block *block,
                      size_t first, float *out, size_t stride)
{
    if (!__builtin_cpu_supports("avx2")) return false;
    for (size_t j = 0; j < axes; j++)
        if (!place[j].narrow || block->width[place[j].column] > 4) return false;
    eight_axes(place, axes, block, first, out, stride);
    return true;
}
#else
bool jali_place_eight(const jali_place *place, size_t axes, const jali_block *block,
                      size_t first, float *out, size_t stride)
{
    (void)place, (void)axes, (void)block, (void)first, (void)out, (void)stride;
    return false;
}
#endif
