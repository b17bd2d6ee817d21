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

INLINE void place_eight(const jali_place *p, const jali_block *b, size_t row, __m256 *out)
{
    const jali_ruler *a = p->ruler;
    __m256i code = eight_codes(b->codes[p->column], b->width[p->column], row);
    __m256i low = _mm256_set1_epi32((int)a->low);
    __m256 at =
        _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_sub_epi32(code, low)), _mm256_set1_ps(p->step));
    if (a->one_hot)
        at = _mm256_and_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(code, low)),
                           _mm256_set1_ps(p->top));
    __m256i null = _mm256_cmpeq_epi32(code, _mm256_set1_epi32((int)(a->domain - 1)));
    *out = _mm256_blendv_ps(at, _mm256_set1_ps(p->null), _mm256_castsi256_ps(null));
}

/* Rows become columns: pairs, fours, halves. */
INLINE void turn_around(__m256 v[8])
{
    __m256 t[8], u[8];
    for (int i = 0; i < 4; i++) {
        t[2 * i] = _mm256_unpacklo_ps(v[2 * i], v[2 * i + 1]);
        t[2 * i + 1] = _mm256_unpackhi_ps(v[2 * i], v[2 * i + 1]);
    }
    for (int i = 0; i < 2; i++) {
        u[4 * i] = _mm256_shuffle_ps(t[4 * i], t[4 * i + 2], 0x44);
        u[4 * i + 1] = _mm256_shuffle_ps(t[4 * i], t[4 * i + 2], 0xee);
        u[4 * i + 2] = _mm256_shuffle_ps(t[4 * i + 1], t[4 * i + 3], 0x44);
        u[4 * i + 3] = _mm256_shuffle_ps(t[4 * i + 1], t[4 * i + 3], 0xee);
    }
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
    for (size_t i = 0; i < JALI_PLACE_TILE; i += 8) {
        __m256 v[8];
        for (size_t j = 0; j < 8; j++) {
            v[j] = _mm256_setzero_ps();
            if (j < axes) place_eight(&place[j], block, first + i, &v[j]);
        }
        turn_around(v);
        for (size_t k = 0; k < 8; k++) _mm256_storeu_ps(out + (i + k) * stride, v[k]);
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
