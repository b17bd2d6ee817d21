/* tally/nearest_avx2.c — the nearest centre of sixteen rows, for CPUs with AVX2. */
#include "tally/nearest.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))
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
    for (unsigned k = 0; k < n; k++) sum[k][0] = sum[k][1] = _mm256_set1_epi32(c->norm[l + k]);
    const int32_t *y = c->pair + (size_t)l * c->pairs;
    for (size_t p = 0; p < c->pairs; p++) {
        __m256i low = x[2 * p], high = x[2 * p + 1];
        for (unsigned k = 0; k < n; k++) {
            __m256i pair = _mm256_set1_epi32(y[k * c->pairs + p]);
            sum[k][0] = _mm256_add_epi32(sum[k][0], _mm256_madd_epi16(low, pair));
            sum[k][1] = _mm256_add_epi32(sum[k][1], _mm256_madd_epi16(high, pair));
        }
    }
    for (unsigned k = 0; k < n; k++) {
        take(sum[k][0], l + k, &best[0], &label[0]);
        take(sum[k][1], l + k, &best[1], &label[1]);
    }
}

AVX2 static void nearest(const jali_near *c, const int32_t *x, int32_t *best, int32_t *label)
{
    __m256i b[2], w[2];
    b[0] = b[1] = _mm256_set1_epi32(INT32_MAX);
    w[0] = w[1] = _mm256_setzero_si256();
    uint32_t l = 0;
    for (; l + TOGETHER <= c->labels; l += TOGETHER)
        centres(c, (const __m256i *)x, l, TOGETHER, b, w);
    for (; l < c->labels; l++) centres(c, (const __m256i *)x, l, 1, b, w);
    for (unsigned k = 0; k < 2; k++) {
        _mm256_storeu_si256((__m256i *)(best + 8 * k), b[k]);
        _mm256_storeu_si256((__m256i *)(label + 8 * k), w[k]);
    }
}

jali_near_kernel jali_near_kernel_best(void)
{
    return __builtin_cpu_supports("avx2") ? nearest : jali_near_plain;
}
#else
jali_near_kernel jali_near_kernel_best(void)
{
    return jali_near_plain;
}
#endif
