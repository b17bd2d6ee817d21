/* bench/reading.c — the time of reading columns once, which other times are held against. */
#define _POSIX_C_SOURCE 200809L
#include "reading.h"
#include "bench.h"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#if defined(__x86_64__)
__attribute__((target("avx2"))) static uint64_t add_bytes(const char *at, size_t n)
{
    __m256i sum[4] = { _mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256(),
                       _mm256_setzero_si256() };
    const __m256i zero = _mm256_setzero_si256();
    size_t i = 0;
    uint64_t part[4], total = 0;
    for (; i + 128 <= n; i += 128)
        for (size_t k = 0; k < 4; k++) {
            __m256i v = _mm256_loadu_si256((const __m256i *)(at + i + 32 * k));
            sum[k] = _mm256_add_epi64(sum[k], _mm256_sad_epu8(v, zero));
        }
    for (size_t k = 0; k < 4; k++) {
        _mm256_storeu_si256((__m256i *)part, sum[k]);
        total += part[0] + part[1] + part[2] + part[3];
    }
    for (; i < n; i++) total += (unsigned char)at[i];
    return total;
}
#else
static uint64_t add_bytes(const char *at, size_t n)
{
    uint64_t total = 0;
    for (size_t i = 0; i < n; i++) total += (unsigned char)at[i];
    return total;
}
#endif

uint64_t bench_read_once(const jali_columns *columns)
{
    uint64_t total = 0;
    for (size_t i = 0; i < jali_columns_count(columns); i++) {
        const jali_column *c = jali_columns_at(columns, i);
        total += add_bytes(c->codes, (size_t)c->rows * c->width);
    }
    return total;
}

double bench_in_turns(const jali_columns *columns, void (*work)(void *), void *self,
                      double *read)
{
    double reads[BENCH_ROUNDS], works[BENCH_ROUNDS];
    uint64_t total = 0;
    for (int i = -1; i < BENCH_ROUNDS; i++) { /* the first turn warms up */
        total += bench_read_once(columns);    /* work may have pushed them out of the cache */
        double start = bench_cpu_seconds();
        total += bench_read_once(columns);
        double middle = bench_cpu_seconds();
        work(self);
        if (i < 0) continue;
        reads[i] = middle - start;
        works[i] = bench_cpu_seconds() - middle;
    }
    bench_need(total > 0, "nothing was read");
    *read = bench_middle(reads, BENCH_ROUNDS);
    return bench_middle(works, BENCH_ROUNDS);
}
