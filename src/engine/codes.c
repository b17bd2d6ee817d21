/* engine/codes.c — questions asked of a bare array of codes.
 *
 * The vector form takes the largest code instead of comparing each: one instruction for
 * 32 codes, so that the check rides along with the checksum at no cost of its own.
 */
#include "engine/codes.h"
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define LARGEST(type)                                                                          \
    do {                                                                                       \
        const type *at = codes;                                                                \
        type top = 0;                                                                          \
        for (size_t i = 0; i < n; i++) top = at[i] > top ? at[i] : top;                        \
        return top;                                                                            \
    } while (0)

static uint64_t largest(const void *codes, unsigned width, size_t n)
{
    switch (width) {
    case 1:
        LARGEST(uint8_t);
    case 2:
        LARGEST(uint16_t);
    case 4:
        LARGEST(uint32_t);
    default:
        LARGEST(uint64_t);
    }
}

bool jali_codes_below_plain(const void *codes, unsigned width, size_t n, uint64_t domain)
{
    return n == 0 || largest(codes, width, n) < domain;
}

#if defined(__x86_64__)
/* Folds whole vectors into `lane` and returns how many codes that took. */
#define FOLD_MAX(op)                                                                           \
    for (; i + per <= n; i += per) {                                                           \
        const __m256i *from = (const __m256i *)((const char *)codes + i * width);              \
        top = op(top, _mm256_loadu_si256(from));                                               \
    }

__attribute__((target("avx2"))) static bool below_avx2(const void *codes, unsigned width,
                                                       size_t n, uint64_t domain)
{
    size_t per = 32 / width, i = 0;
    __m256i top = _mm256_setzero_si256();
    if (width == 1)
        FOLD_MAX(_mm256_max_epu8)
    else if (width == 2)
        FOLD_MAX(_mm256_max_epu16)
    else
        FOLD_MAX(_mm256_max_epu32)
    unsigned char lane[32];
    _mm256_storeu_si256((__m256i *)lane, top);
    return jali_codes_below_plain(lane, width, per, domain) &&
           jali_codes_below_plain((const char *)codes + i * width, width, n - i, domain);
}
#endif

bool jali_codes_below(const void *codes, unsigned width, size_t n, uint64_t domain)
{
#if defined(__x86_64__)
    if (width < 8 && n > 0 && __builtin_cpu_supports("avx2"))
        return below_avx2(codes, width, n, domain);
#endif
    return jali_codes_below_plain(codes, width, n, domain);
}

#define COPY(to_type, from_type)                                                               \
    do {                                                                                       \
        to_type *restrict put = to;                                                            \
        const from_type *restrict get = from;                                                  \
        for (size_t i = 0; i < n; i++) put[i] = (to_type)get[i];                               \
    } while (0)

#define COPY_FROM(from_type)                                                                   \
    do {                                                                                       \
        if (to_width == 1)                                                                     \
            COPY(uint8_t, from_type);                                                          \
        else if (to_width == 2)                                                                \
            COPY(uint16_t, from_type);                                                         \
        else if (to_width == 4)                                                                \
            COPY(uint32_t, from_type);                                                         \
        else                                                                                   \
            COPY(uint64_t, from_type);                                                         \
    } while (0)

bool jali_codes_narrow(void *to, unsigned to_width, const void *from, unsigned from_width,
                       size_t n, uint64_t domain)
{
    if (!jali_codes_below(from, from_width, n, domain)) return false;
    if (to_width == from_width) {
        if (n > 0) memcpy(to, from, n * to_width);
    } else if (from_width == 1)
        COPY_FROM(uint8_t);
    else if (from_width == 2)
        COPY_FROM(uint16_t);
    else if (from_width == 4)
        COPY_FROM(uint32_t);
    else
        COPY_FROM(uint64_t);
    return true;
}
