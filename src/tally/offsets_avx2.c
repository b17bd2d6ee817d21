/* tally/offsets_avx2.c — rows as whole vectors in balls, eight rows at a time, with AVX2.
 *
 * The same sums in the same order as offsets.c, so the same floats. Eight rows share one root
 * and one division, which are what a row alone would wait for.
 */
#include "tally/offsets.h"

#if defined(__x86_64__)
#include "tally/ball.h"
#include <immintrin.h>

#define UNROLLED _Pragma("GCC unroll 8") /* or vectors go through memory */
#define INLINE __attribute__((target("avx2"))) static inline __attribute__((always_inline))

enum { SIDE = JALI_OFFSET_SIDE, ROWS = 8, FLUSH = 4, AHEAD = 4 * ROWS };

/* ((x0 + x4) + (x2 + x6)) + ((x1 + x5) + (x3 + x7)) of each of eight vectors. */
INLINE __m256 add_up(const __m256 far[static ROWS])
{
    __m256 half[4], two[2];
    UNROLLED
    for (int i = 0; i < 4; i++)
        half[i] = _mm256_add_ps(_mm256_permute2f128_ps(far[i], far[i + 4], 0x20),
                                _mm256_permute2f128_ps(far[i], far[i + 4], 0x31));
    UNROLLED
    for (int i = 0; i < 2; i++)
        two[i] = _mm256_add_ps(_mm256_shuffle_ps(half[2 * i], half[2 * i + 1], 0x44),
                               _mm256_shuffle_ps(half[2 * i], half[2 * i + 1], 0xee));
    return _mm256_add_ps(_mm256_shuffle_ps(two[0], two[1], 0x88),
                         _mm256_shuffle_ps(two[0], two[1], 0xdd));
}

/* From a row's place to its offset; returns its squares, lane by lane. */
INLINE __m256 offset(const jali_offsets *s, size_t sides, const float *centre,
                     const float *place, __m256 *at)
{
    __m256 far = _mm256_setzero_ps();
    UNROLLED
    for (size_t j = 0; j < sides; j++) {
        __m256 x = _mm256_loadu_ps(place + j * SIDE);
        if (s->top != NULL) {
            x = _mm256_andnot_ps(_mm256_cmp_ps(x, _mm256_setzero_ps(), _CMP_LT_OS), x);
            __m256 top = _mm256_loadu_ps(s->top + j * SIDE);
            x = _mm256_blendv_ps(x, top, _mm256_cmp_ps(x, top, _CMP_GT_OS));
        }
        at[j] = _mm256_sub_ps(x, _mm256_loadu_ps(centre + j * SIDE));
        far = _mm256_add_ps(far, _mm256_mul_ps(at[j], at[j]));
    }
    return far;
}

/* Between -32767 and 32767 whatever came in: see offsets.c. */
INLINE __m256i to_whole(__m256 x)
{
    const __m256 magic = _mm256_set1_ps(12582912.0f);
    __m256i y = _mm256_sub_epi32(_mm256_castps_si256(_mm256_add_ps(x, magic)),
                                 _mm256_castps_si256(magic));
    y = _mm256_min_epi32(y, _mm256_set1_epi32(JALI_BALL_UNITS));
    return _mm256_max_epi32(y, _mm256_set1_epi32(-JALI_BALL_UNITS));
}

INLINE uint64_t add_up_whole(__m256i x)
{
    __m128i both = _mm_add_epi64(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
    return (uint64_t)_mm_cvtsi128_si64(_mm_add_epi64(both, _mm_unpackhi_epi64(both, both)));
}

/* The offset made whole, in its own place. Returns its squared length, by whole numbers. */
INLINE uint64_t shorten(float scale, size_t sides, __m256 *at)
{
    const __m256i low = _mm256_set1_epi64x(0xffffffff);
    __m256i square = _mm256_setzero_si256(), all = square;
    UNROLLED
    for (size_t j = 0; j < sides; j++) {
        __m256i y = to_whole(_mm256_mul_ps(at[j], _mm256_set1_ps(scale)));
        at[j] = _mm256_castsi256_ps(y);
        square = _mm256_add_epi32(square, _mm256_mullo_epi32(y, y));
        if (j % FLUSH == FLUSH - 1 || j + 1 == sides) {
            all = _mm256_add_epi64(all, _mm256_add_epi64(_mm256_and_si256(square, low),
                                                         _mm256_srli_epi64(square, 32)));
            square = _mm256_setzero_si256();
        }
    }
    return add_up_whole(all);
}

INLINE void add_row(const __m256 *at, size_t sides, int32_t *to)
{
    for (size_t j = 0; j < sides; j++) {
        __m256i *cell = (__m256i *)(void *)(to + j * SIDE);
        _mm256_storeu_si256(
            cell, _mm256_add_epi32(_mm256_loadu_si256(cell), _mm256_castps_si256(at[j])));
    }
}

/* `sides` is a constant where it is small. */
INLINE void add_eight(const jali_offsets *s, size_t sides, const float *place,
                      const uint16_t *label, __m256 *at, int32_t *sum)
{
    size_t stride = sides * SIDE;
    __m256 far[ROWS];
    float radius[ROWS], scale[ROWS];
    UNROLLED
    for (size_t i = 0; i < ROWS; i++) {
        far[i] =
            offset(s, sides, s->centre + label[i] * stride, place + i * stride, at + i * sides);
        radius[i] = s->radius[label[i]];
    }
    __m256 length = _mm256_sqrt_ps(add_up(far)), own = _mm256_loadu_ps(radius);
    _mm256_storeu_ps(scale,
                     _mm256_div_ps(_mm256_set1_ps(s->target), _mm256_max_ps(length, own)));
    for (size_t i = 0; i < ROWS; i++) {
        uint64_t all = shorten(scale[i], sides, at + i * sides);
        if (all <= (uint64_t)JALI_BALL_UNITS * JALI_BALL_UNITS)
            add_row(at + i * sides, sides, sum + label[i] * stride);
    }
}

/* Rows to come, into the second cache: the first is full of centres and sums, which what the
 * machine foresees by itself would throw out. Asking for what is past the end does no harm. */
INLINE void fetch(const float *place, size_t bytes)
{
    for (size_t line = 0; line < bytes; line += 64)
        _mm_prefetch((const char *)place + line, _MM_HINT_T1);
}

INLINE void add_rows(const jali_offsets *s, size_t sides, const float *place,
                     const uint16_t *label, size_t n, int32_t *sum)
{
    __m256 at[ROWS * JALI_GEOMETRY_AXES / SIDE];
    size_t i = 0;
    for (; i + ROWS <= n; i += ROWS) {
        fetch(place + (i + AHEAD) * sides * SIDE, ROWS * sides * SIDE * sizeof *place);
        add_eight(s, sides, place + i * sides * SIDE, label + i, at, sum);
    }
    if (i < n) jali_offsets_plain(s, place + i * sides * SIDE, label + i, n - i, sum);
}

__attribute__((target("avx2"))) static void add(const jali_offsets *s, const float *place,
                                                const uint16_t *label, size_t n, int32_t *sum)
{
    if (s->sides == 1)
        add_rows(s, 1, place, label, n, sum);
    else if (s->sides == 2)
        add_rows(s, 2, place, label, n, sum);
    else
        add_rows(s, s->sides, place, label, n, sum);
}

jali_offsets_add *jali_offsets_avx2(void)
{
    return __builtin_cpu_supports("avx2") ? add : NULL;
}
#else
jali_offsets_add *jali_offsets_avx2(void)
{
    return NULL;
}
#endif
