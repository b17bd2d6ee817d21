/* mech/combine_fold.c — one attribute more for all sets of clusters: the inner loop.
 *
 * A block of four sets is what its two lowest clusters can be. With f and g the four weights of
 * two blocks, what they give to a block of sums is
 *
 *   f0 g0,   f1 g0 + f0 g1,   f2 g0 + f0 g2,   f3 g0 + f2 g1 + f1 g2 + f0 g3
 *
 * which is (f0 f1 f2 f3) g0 and (f0 f0 f0 f2)(g3 g1 g2 g1) and f1 g2: two vectors and one
 * number, where the first place of the second vector belongs to the fourth sum. Two rounds:
 * the largest exponents, then the sums at those exponents.
 *
 * No claim: the claim is combine.sums in mech/combine_sums.c, which counts the roundings made
 *           here: one a product, one an addition, and terms below 2^-256 of the largest.
 */
#include "mech/combine_inside.h"

enum { TABLES = 6 };

size_t jali_sums_scratch(uint32_t n)
{
    return (size_t)TABLES << (n < 2 ? 2 : n);
}

static void put_sum(jali_sheaf next, size_t s, double sum, double top)
{
    jali_wide w = jali_wide_settle(sum, top); /* products reach 2^512, sums 2^527 */
    w = jali_wide_settle(w.m, w.e);
    next.m[s] = w.m;
    next.e[s] = w.m == 0.0 ? JALI_WIDE_NEVER : w.e;
}

static void fold_plain(uint32_t n, jali_sheaf prev, jali_sheaf g, jali_sheaf next)
{
    size_t sets = (size_t)1 << n;
    for (size_t s = 0; s < sets; s++) {
        double top = JALI_WIDE_NEVER, sum = 0.0;
        size_t t = 0;
        do {
            double e = prev.e[s ^ t] + g.e[t];
            top = e > top ? e : top;
            t = (t - s) & s;
        } while (t != 0);
        do {
            double d = prev.e[s ^ t] + g.e[t] - top;
            sum += prev.m[s ^ t] * g.m[t] * jali_wide_step(d);
            t = (t - s) & s;
        } while (t != 0);
        put_sum(next, s, sum, top);
    }
}

#if defined(__x86_64__)
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))
#define INLINE AVX2 static inline __attribute__((always_inline))

/* Exponents here are times 256, so that they count in powers of two. */
typedef struct tables {
    const double *fm, *gm;         /* as they came                  */
    double *fe, *ge;               /* their exponents               */
    double *fm2, *fe2, *gm2, *ge2; /* f0 f0 f0 f2 and g3 g1 g2 g1 */
} tables;

static void lay_out(uint32_t n, jali_sheaf prev, jali_sheaf g, double *scratch, tables *t)
{
    size_t sets = (size_t)1 << n;
    static const size_t f_at[4] = { 0, 0, 0, 2 }, g_at[4] = { 3, 1, 2, 1 };
    *t = (tables){ prev.m,
                   g.m,
                   scratch,
                   scratch + sets,
                   scratch + 2 * sets,
                   scratch + 3 * sets,
                   scratch + 4 * sets,
                   scratch + 5 * sets };
    for (size_t i = 0; i < sets; i++) {
        size_t f = (i & ~(size_t)3) + f_at[i & 3], h = (i & ~(size_t)3) + g_at[i & 3];
        t->fe[i] = 256 * prev.e[i];
        t->ge[i] = 256 * g.e[i];
        t->fm2[i] = prev.m[f];
        t->fe2[i] = 256 * prev.e[f];
        t->gm2[i] = g.m[h];
        t->ge2[i] = 256 * g.e[h];
    }
}

/* 2^d for whole d <= 0, at least 2^-768: the bits of an exponent, pushed to their place. */
INLINE __m256d steps(__m256d d)
{
    __m256d x = _mm256_max_pd(d, _mm256_set1_pd(-768.0));
    x = _mm256_add_pd(x, _mm256_set1_pd(0x1.8p52 + 1023.0));
    return _mm256_castsi256_pd(_mm256_slli_epi64(_mm256_castpd_si256(x), 52));
}

INLINE double step(double d)
{
    return jali_wide_step(d * (1.0 / 256));
}

/* The largest exponents that the four sums of block s are made of. */
INLINE void tops(const tables *t, size_t s, double out[static 4])
{
    __m256d a = _mm256_set1_pd(256 * JALI_WIDE_NEVER), b = a;
    double c = 256 * JALI_WIDE_NEVER, two[4];
    size_t h = 0;
    do {
        size_t f = (s ^ h) * 4, g = h * 4;
        a = _mm256_max_pd(
            a, _mm256_add_pd(_mm256_loadu_pd(t->fe + f), _mm256_broadcast_sd(t->ge + g)));
        b = _mm256_max_pd(
            b, _mm256_add_pd(_mm256_loadu_pd(t->fe2 + f), _mm256_loadu_pd(t->ge2 + g)));
        double e = t->fe[f + 1] + t->ge[g + 2];
        c = e > c ? e : c;
        h = (h - s) & s;
    } while (h != 0);
    _mm256_storeu_pd(out, a);
    _mm256_storeu_pd(two, b);
    for (size_t i = 1; i < 4; i++) out[i] = two[i] > out[i] ? two[i] : out[i];
    out[3] = two[0] > out[3] ? two[0] : out[3];
    out[3] = c > out[3] ? c : out[3];
}

INLINE void sums(const tables *t, size_t s, const double top[static 4], double out[static 4])
{
    __m256d first = _mm256_loadu_pd(top), a = _mm256_setzero_pd(), b = a;
    __m256d second = _mm256_setr_pd(top[3], top[1], top[2], top[3]);
    double c = 0, two[4];
    size_t h = 0;
    do {
        size_t f = (s ^ h) * 4, g = h * 4;
        __m256d d = _mm256_add_pd(_mm256_loadu_pd(t->fe + f), _mm256_broadcast_sd(t->ge + g));
        __m256d p = _mm256_mul_pd(_mm256_loadu_pd(t->fm + f), _mm256_broadcast_sd(t->gm + g));
        a = _mm256_add_pd(a, _mm256_mul_pd(p, steps(_mm256_sub_pd(d, first))));
        d = _mm256_add_pd(_mm256_loadu_pd(t->fe2 + f), _mm256_loadu_pd(t->ge2 + g));
        p = _mm256_mul_pd(_mm256_loadu_pd(t->fm2 + f), _mm256_loadu_pd(t->gm2 + g));
        b = _mm256_add_pd(b, _mm256_mul_pd(p, steps(_mm256_sub_pd(d, second))));
        c += t->fm[f + 1] * t->gm[g + 2] * step(t->fe[f + 1] + t->ge[g + 2] - top[3]);
        h = (h - s) & s;
    } while (h != 0);
    _mm256_storeu_pd(out, a);
    _mm256_storeu_pd(two, b);
    for (size_t i = 1; i < 4; i++) out[i] += two[i];
    out[3] += two[0] + c;
}

AVX2 static void fold_vectors(uint32_t n, jali_sheaf prev, jali_sheaf g, jali_sheaf next,
                              double *scratch)
{
    tables t;
    lay_out(n, prev, g, scratch, &t);
    for (size_t s = 0; s < (size_t)1 << (n - 2); s++) {
        double top[4], sum[4];
        tops(&t, s, top);
        sums(&t, s, top, sum);
        for (size_t i = 0; i < 4; i++) put_sum(next, 4 * s + i, sum[i], top[i] * (1.0 / 256));
    }
}
#endif

void jali_sums_fold(uint32_t n, jali_sheaf prev, jali_sheaf g, jali_sheaf next, double *scratch)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        fold_vectors(n, prev, g, next, scratch);
        return;
    }
#endif
    (void)scratch;
    fold_plain(n, prev, g, next);
}
