/* tally/nearest_avx512.c — the nearest centre of sixteen rows, for CPUs that multiply and add
 * pairs of 16 bits in one step (AVX-512 with VNNI).
 *
 * Sixteen rows are one vector, so nothing is left to share between centres but the row: eight
 * of them together hide how long a step takes. The sums are the exact ones of nearest.h.
 */
#include "tally/nearest.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vnni")))
#define UNROLLED _Pragma("GCC unroll 8") /* or the sums live in memory */
#define INLINE AVX512 static inline __attribute__((always_inline))

enum { TOGETHER = 8 };

typedef struct leader {
    __m512i best, label, next; /* `next`: the number of the centre to come */
} leader;

/* Ties stay with the one that came first. */
INLINE void take(leader *lead, __m512i score)
{
    __mmask16 less = _mm512_cmpgt_epi32_mask(lead->best, score);
    lead->best = _mm512_min_epi32(lead->best, score);
    lead->label = _mm512_mask_mov_epi32(lead->label, less, lead->next);
    lead->next = _mm512_add_epi32(lead->next, _mm512_set1_epi32(1));
}

/* n is a constant where this is inlined. */
INLINE void centres(const jali_near *c, const int32_t *x, uint32_t l, unsigned n, leader *lead)
{
    __m512i sum[TOGETHER];
    const int32_t *y = c->pair + (size_t)l * c->pairs;
    UNROLLED
    for (unsigned k = 0; k < n; k++) sum[k] = _mm512_set1_epi32(c->norm[l + k]);
    for (size_t p = 0; p < c->pairs; p++) {
        __m512i row = _mm512_loadu_si512(x + 16 * p);
        UNROLLED
        for (unsigned k = 0; k < n; k++)
            sum[k] = _mm512_dpwssd_epi32(sum[k], row, _mm512_set1_epi32(y[k * c->pairs + p]));
    }
    UNROLLED
    for (unsigned k = 0; k < n; k++) take(lead, sum[k]);
}

AVX512 static void all_centres(const jali_near *c, const int32_t *x, int32_t *best,
                               int32_t *label, int32_t *own)
{
    leader lead = { _mm512_set1_epi32(INT32_MAX), _mm512_setzero_si512(),
                    _mm512_setzero_si512() };
    uint32_t l = 0;
    for (; l + TOGETHER <= c->labels; l += TOGETHER) centres(c, x, l, TOGETHER, &lead);
    for (; l < c->labels; l++) centres(c, x, l, 1, &lead);
    _mm512_storeu_si512(best, lead.best);
    _mm512_storeu_si512(label, lead.label);
    if (own == NULL) return;
    __m512i square = _mm512_setzero_si512();
    for (size_t p = 0; p < c->pairs; p++) {
        __m512i row = _mm512_loadu_si512(x + 16 * p);
        square = _mm512_dpwssd_epi32(square, row, row);
    }
    _mm512_storeu_si512(own, square);
}

static size_t ruler(const jali_ruler *a, const void *codes, unsigned width, size_t n,
                    uint32_t bias, int16_t *out)
{
    return jali_near_avx2()->ruler(a, codes, width, n, bias, out);
}

const jali_near_loops *jali_near_avx512(void)
{
    static const jali_near_loops avx512 = { all_centres, ruler };
    bool here = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vnni") &&
                jali_near_avx2() != NULL;
    return here ? &avx512 : NULL;
}
#else
const jali_near_loops *jali_near_avx512(void)
{
    return NULL;
}
#endif
