/* tally/nearest_avx2.c — the nearest centre of sixteen rows, for CPUs with AVX2. */
#include "tally/nearest.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))
#define UNROLLED _Pragma("GCC unroll 4") /* or the sums live in memory */
#define INLINE AVX2 static inline __attribute__((always_inline))

enum { ROWS = 16, TOGETHER = 4 }; /* centres whose eight sums stay in registers */

INLINE void take(__m256i score, uint32_t l, __m256i *best, __m256i *label)
{
    __m256i less = _mm256_cmpgt_epi32(*best, score);
    *best = _mm256_min_epi32(*best, score);
    *label = _mm256_blendv_epi8(*label, _mm256_set1_epi32((int)l), less);
}

/* n is a constant where this is inlined. */
INLINE void centres(const jali_near *c, const __m256i *x, uint32_t l, unsigned n,
                    __m256i best[2], __m256i label[2])
{
    __m256i sum[TOGETHER][2];
    UNROLLED
    for (unsigned k = 0; k < n; k++) sum[k][0] = sum[k][1] = _mm256_set1_epi32(c->norm[l + k]);
    const int32_t *y = c->pair + (size_t)l * c->pairs;
    for (size_t p = 0; p < c->pairs; p++) {
        __m256i low = x[2 * p], high = x[2 * p + 1];
        UNROLLED
        for (unsigned k = 0; k < n; k++) {
            __m256i pair = _mm256_set1_epi32(y[k * c->pairs + p]);
            sum[k][0] = _mm256_add_epi32(sum[k][0], _mm256_madd_epi16(low, pair));
            sum[k][1] = _mm256_add_epi32(sum[k][1], _mm256_madd_epi16(high, pair));
        }
    }
    UNROLLED
    for (unsigned k = 0; k < n; k++) {
        take(sum[k][0], l + k, &best[0], &label[0]);
        take(sum[k][1], l + k, &best[1], &label[1]);
    }
}

INLINE void own_norm(const jali_near *c, const __m256i *x, __m256i own[2])
{
    own[0] = own[1] = _mm256_setzero_si256();
    for (size_t p = 0; p < c->pairs; p++)
        for (unsigned k = 0; k < 2; k++)
            own[k] = _mm256_add_epi32(own[k], _mm256_madd_epi16(x[2 * p + k], x[2 * p + k]));
}

INLINE void put(int32_t *to, const __m256i v[2])
{
    _mm256_storeu_si256((__m256i *)to, v[0]);
    _mm256_storeu_si256((__m256i *)(to + 8), v[1]);
}

AVX2 static void all_centres(const jali_near *c, const int32_t *x, int32_t *best,
                             int32_t *label, int32_t *own)
{
    __m256i b[2], w[2], o[2];
    b[0] = b[1] = _mm256_set1_epi32(INT32_MAX);
    w[0] = w[1] = _mm256_setzero_si256();
    uint32_t l = 0;
    for (; l + TOGETHER <= c->labels; l += TOGETHER)
        centres(c, (const __m256i *)x, l, TOGETHER, b, w);
    for (; l < c->labels; l++) centres(c, (const __m256i *)x, l, 1, b, w);
    put(best, b);
    put(label, w);
    if (own == NULL) return;
    own_norm(c, (const __m256i *)x, o);
    put(own, o);
}

/* ---- coordinates: eight codes in 32-bit lanes ------------------------------------------ */

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

typedef struct lanes {
    __m256i low, most, mul, null, at_null, bias;
    __m128i up, down;
} lanes;

/* v and mul are below 2^16, so the high half of their 16-bit product is v * mul >> 16. */
INLINE __m256i place(const lanes *k, __m256i code)
{
    __m256i over = _mm256_sub_epi32(_mm256_max_epu32(code, k->low), k->low);
    over = _mm256_min_epu32(over, k->most);
    over = _mm256_srl_epi32(_mm256_sll_epi32(over, k->up), k->down);
    __m256i at = _mm256_mulhi_epu16(over, k->mul);
    at = _mm256_blendv_epi8(at, k->at_null, _mm256_cmpeq_epi32(code, k->null));
    return _mm256_sub_epi32(at, k->bias);
}

INLINE __m256i is_value(const lanes *k, __m256i code)
{
    __m256i at = _mm256_and_si256(_mm256_cmpeq_epi32(code, k->low), k->mul);
    at = _mm256_blendv_epi8(at, k->at_null, _mm256_cmpeq_epi32(code, k->null));
    return _mm256_sub_epi32(at, k->bias);
}

INLINE size_t ruler_of(const jali_ruler *a, const void *codes, unsigned width, size_t n,
                       uint32_t bias, int16_t *out)
{
    uint64_t all = a->up > 0 ? a->span >> a->up : (((uint64_t)a->span + 1) << a->down) - 1;
    lanes k = { .low = _mm256_set1_epi32((int)a->low),
                .most = _mm256_set1_epi32((int)(all > UINT32_MAX ? UINT32_MAX : all)),
                .mul = _mm256_set1_epi32((int)(a->one_hot ? a->top : a->mul)),
                .null = _mm256_set1_epi32((int)(a->domain - 1)),
                .at_null = _mm256_set1_epi32((int)a->null),
                .bias = _mm256_set1_epi32((int)bias),
                .up = _mm_cvtsi32_si128((int)a->up),
                .down = _mm_cvtsi32_si128((int)a->down) };
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        __m256i x = eight_codes(codes, width, i), y = eight_codes(codes, width, i + 8);
        x = a->one_hot ? is_value(&k, x) : place(&k, x);
        y = a->one_hot ? is_value(&k, y) : place(&k, y);
        __m256i both = _mm256_permute4x64_epi64(_mm256_packs_epi32(x, y), 0xd8);
        _mm256_storeu_si256((__m256i *)(out + i), both);
    }
    return i;
}

AVX2 static size_t ruler(const jali_ruler *a, const void *codes, unsigned width, size_t n,
                         uint32_t bias, int16_t *out)
{
    if (width == 1) return ruler_of(a, codes, 1, n, bias, out);
    if (width == 2) return ruler_of(a, codes, 2, n, bias, out);
    return width == 4 ? ruler_of(a, codes, 4, n, bias, out) : 0;
}

const jali_near_loops *jali_near_avx2(void)
{
    static const jali_near_loops avx2 = { all_centres, ruler };
    return __builtin_cpu_supports("avx2") ? &avx2 : NULL;
}
#else
const jali_near_loops *jali_near_avx2(void)
{
    return NULL;
}
#endif
