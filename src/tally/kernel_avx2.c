/* tally/kernel_avx2.c — the vector loops, for CPUs with AVX2.
 *
 * Each does whole vectors and leaves the ragged end to its portable twin, so nothing past
 * the last code is ever read: columns are mapped files, and the page after may not exist.
 */
#include "tally/kernel.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <stdbool.h>
#include <string.h>

#define AVX2 __attribute__((target("avx2")))
#define INLINE AVX2 static inline __attribute__((always_inline))

INLINE __m256i sixteen(const jali_part *p, size_t i)
{
    if (p->width == 1)
        return _mm256_cvtepu8_epi16(
            _mm_loadu_si128((const __m128i *)((const uint8_t *)p->codes + i)));
    return _mm256_loadu_si256((const __m256i *)((const uint16_t *)p->codes + i));
}

/* n is a constant where this is inlined, so that the loop over parts is unrolled. Parts of
 * four bytes never come here: their domain alone would need wider keys. */
INLINE size_t keys16_n(const jali_feed *f, size_t from, size_t rows, uint16_t *out, unsigned n)
{
    __m256i domain[JALI_KEY_PARTS];
    size_t i = 0;
    for (unsigned j = 0; j < n; j++) domain[j] = _mm256_set1_epi16((short)f->part[j].domain);
    for (; i + 16 <= rows; i += 16) {
        __m256i key = _mm256_setzero_si256();
        if (f->labels != NULL)
            key = _mm256_loadu_si256((const __m256i *)(f->labels + from + i));
        for (unsigned j = 0; j < n; j++)
            key = _mm256_add_epi16(_mm256_mullo_epi16(key, domain[j]),
                                   sixteen(&f->part[j], from + i));
        _mm256_storeu_si256((__m256i *)(out + i), key);
    }
    return i;
}

AVX2 static void keys16(const jali_feed *f, size_t from, size_t rows, uint16_t *out)
{
    size_t done = 0;
    switch (f->n) {
    case 1:
        done = keys16_n(f, from, rows, out, 1);
        break;
    case 2:
        done = keys16_n(f, from, rows, out, 2);
        break;
    case 3:
        done = keys16_n(f, from, rows, out, 3);
        break;
    case 4:
        done = keys16_n(f, from, rows, out, 4);
        break;
    default:
        done = keys16_n(f, from, rows, out, f->n);
    }
    jali_kernels_plain()->keys16(f, from + done, rows - done, out + done);
}

INLINE __m256i eight(const jali_part *p, size_t i)
{
    if (p->width == 1) {
        __m128i low = _mm_loadl_epi64((const __m128i *)((const uint8_t *)p->codes + i));
        return _mm256_cvtepu8_epi32(low);
    }
    if (p->width == 2)
        return _mm256_cvtepu16_epi32(
            _mm_loadu_si128((const __m128i *)((const uint16_t *)p->codes + i)));
    return _mm256_loadu_si256((const __m256i *)((const uint32_t *)p->codes + i));
}

AVX2 static void keys32(const jali_feed *f, size_t from, size_t rows, uint32_t *out)
{
    size_t i = 0;
    for (; i + 8 <= rows; i += 8) {
        __m256i key = _mm256_setzero_si256();
        if (f->labels != NULL)
            key =
                _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(f->labels + from + i)));
        for (unsigned j = 0; j < f->n; j++)
            key = _mm256_add_epi32(
                _mm256_mullo_epi32(key, _mm256_set1_epi32((int)f->part[j].domain)),
                eight(&f->part[j], from + i));
        _mm256_storeu_si256((__m256i *)(out + i), key);
    }
    jali_kernels_plain()->keys32(f, from + i, rows - i, out + i);
}

INLINE uint32_t lanes_sum(__m256i bytes)
{
    __m256i four = _mm256_sad_epu8(bytes, _mm256_setzero_si256());
    uint64_t part[4];
    _mm256_storeu_si256((__m256i *)part, four);
    return (uint32_t)(part[0] + part[1] + part[2] + part[3]);
}

/* Counts the keys first..first+3 among `n` vectors of bytes; n <= 255 keeps a lane whole. */
INLINE void count_four(const __m256i *keys, size_t n, unsigned first, uint32_t *table)
{
    __m256i sum[4], want[4];
    for (int c = 0; c < 4; c++) {
        sum[c] = _mm256_setzero_si256();
        want[c] = _mm256_set1_epi8((char)(first + (unsigned)c));
    }
    for (size_t i = 0; i < n; i++) {
        __m256i key = _mm256_load_si256(keys + i);
        for (int c = 0; c < 4; c++)
            sum[c] = _mm256_sub_epi8(sum[c], _mm256_cmpeq_epi8(key, want[c]));
    }
    for (int c = 0; c < 4; c++) table[c] += lanes_sum(sum[c]);
}

/* A mask per cell instead of an add per row: the keys of a chunk, as bytes, are compared
 * with each cell's number and the matches counted 32 at a time. */
AVX2 static void few(const uint16_t *keys, size_t n, unsigned cells, uint32_t *table)
{
    __m256i bytes[JALI_KEY_CHUNK / 32];
    uint32_t seen[JALI_MASK_CELLS + 3] = { 0 };
    size_t vectors = n / 32;
    for (size_t i = 0; i < vectors; i++) {
        const __m256i *from = (const __m256i *)(keys + 32 * i);
        bytes[i] = _mm256_packus_epi16(_mm256_loadu_si256(from), _mm256_loadu_si256(from + 1));
    }
    for (unsigned c = 0; c < cells; c += 4) count_four(bytes, vectors, c, seen + c);
    for (unsigned c = 0; c < cells; c++) table[c] += seen[c];
    jali_kernels_plain()->few(keys + 32 * vectors, n - 32 * vectors, cells, table);
}

AVX2 static void values(const void *codes, unsigned width, size_t n, uint32_t null,
                        uint64_t one, uint64_t *out)
{
    jali_part p = { codes, width, 0 };
    const __m256i none = _mm256_set1_epi32((int)null), add = _mm256_set1_epi64x((long long)one);
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        __m256i code = eight(&p, i), gone = _mm256_cmpeq_epi32(code, none);
        for (int half = 0; half < 2; half++) {
            __m128i c = half ? _mm256_extracti128_si256(code, 1) : _mm256_castsi256_si128(code);
            __m128i g = half ? _mm256_extracti128_si256(gone, 1) : _mm256_castsi256_si128(gone);
            __m256i sum = _mm256_add_epi64(_mm256_cvtepu32_epi64(c), add);
            _mm256_storeu_si256((__m256i *)(out + i + 4 * half),
                                _mm256_andnot_si256(_mm256_cvtepi32_epi64(g), sum));
        }
    }
    jali_kernels_plain()->values((const char *)codes + i * width, width, n - i, null, one,
                                 out + i);
}

/* n is a constant where this is inlined, and so is the width: a branch on it, eight rows at a
 * time, would cost as much as the rest. */
INLINE size_t grid_n(const jali_halving *by, unsigned n, size_t from, size_t rows,
                     uint32_t none, uint32_t *out, unsigned width)
{
    const __m256i gone_at = _mm256_set1_epi32((int)none);
    size_t i = 0;
    for (; i + 8 <= rows; i += 8) {
        __m256i cell = _mm256_setzero_si256(), gone = cell;
        for (unsigned k = 0; k < n; k++) {
            jali_part p = { by[k].codes, width == 0 ? by[k].width : width, 0 };
            __m256i code = eight(&p, from + i);
            __m256i mask = _mm256_set1_epi32((int)((1u << by[k].bits) - 1));
            __m256i top = _mm256_srl_epi32(code, _mm_cvtsi32_si128((int)by[k].down));
            top = _mm256_sll_epi32(top, _mm_cvtsi32_si128((int)by[k].up));
            cell = _mm256_sll_epi32(cell, _mm_cvtsi32_si128((int)by[k].bits));
            cell = _mm256_or_si256(cell, _mm256_and_si256(top, mask));
            gone = _mm256_or_si256(
                gone, _mm256_cmpeq_epi32(code, _mm256_set1_epi32((int)by[k].null)));
        }
        _mm256_storeu_si256((__m256i *)(out + i), _mm256_blendv_epi8(cell, gone_at, gone));
    }
    return i;
}

AVX2 static void grid(const jali_halving *by, unsigned n, size_t from, size_t rows,
                      uint32_t none, uint32_t *cell)
{
    bool wide = n == 2 && by[0].width == 4 && by[1].width == 4; /* the plane of contrast */
    size_t done = wide ? grid_n(by, 2, from, rows, none, cell, 4)
                       : grid_n(by, n, from, rows, none, cell, 0);
    jali_kernels_plain()->grid(by, n, from + done, rows - done, none, cell + done);
}

/* The quotient of eight codes: products of 64 bits, the even lanes and the odd ones. */
INLINE __m256i quotient(__m256i x, __m256i magic, __m128i shift)
{
    __m256i even = _mm256_srl_epi64(_mm256_mul_epu32(x, magic), shift);
    __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64(x, 32), _mm256_srli_epi64(magic, 32));
    odd = _mm256_slli_epi64(_mm256_srl_epi64(odd, shift), 32);
    return _mm256_blend_epi32(even, odd, 0xaa);
}

AVX2 static size_t bins(const void *codes, unsigned width, size_t n, const jali_binning *by,
                        const uint16_t *labels, uint16_t *out)
{
    jali_part p = { codes, width, 0 };
    const __m128i shift = _mm_cvtsi32_si128((int)by->shift);
    const __m256i last = _mm256_set1_epi32((int)by->bins - 1);
    const __m256i none = _mm256_set1_epi32((int)by->bins);
    const __m256i null = _mm256_set1_epi32((int)by->null);
    __m256i lo = _mm256_set1_epi32((int)by->lo[0]),
            magic = _mm256_set1_epi32((int)by->magic[0]);
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        __m256i code = eight(&p, i);
        if (labels != NULL) {
            __m256i l = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(labels + i)));
            lo = _mm256_i32gather_epi32((const int *)by->lo, l, 4);
            magic = _mm256_i32gather_epi32((const int *)by->magic, l, 4);
        }
        __m256i above = _mm256_sub_epi32(_mm256_max_epu32(code, lo), lo);
        __m256i bin = _mm256_min_epu32(quotient(above, magic, shift), last);
        bin = _mm256_blendv_epi8(bin, none, _mm256_cmpeq_epi32(code, null));
        _mm_storeu_si128(
            (__m128i *)(out + i),
            _mm_packus_epi32(_mm256_castsi256_si128(bin), _mm256_extracti128_si256(bin, 1)));
    }
    return i;
}

AVX2 static void mark(uint16_t *labels, size_t n, uint16_t top, const uint64_t *rows,
                      uint16_t other)
{
    const __m256i bit = _mm256_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048,
                                          4096, 8192, 16384, (short)0x8000);
    const __m256i most = _mm256_set1_epi16((short)top), out = _mm256_set1_epi16((short)other);
    size_t i = 0;
    for (; i + 64 <= n; i += 64) {
        uint64_t word = rows == NULL ? UINT64_MAX : rows[i / 64];
        for (unsigned q = 0; q < 4; q++) {
            __m256i *at = (__m256i *)(labels + i + 16 * q);
            __m256i l = _mm256_min_epu16(_mm256_loadu_si256(at), most);
            __m256i pick = _mm256_set1_epi16((short)(word >> 16 * q));
            __m256i in = _mm256_cmpeq_epi16(_mm256_and_si256(pick, bit), bit);
            _mm256_storeu_si256(at, _mm256_blendv_epi8(out, l, in));
        }
    }
    jali_kernels_plain()->mark(labels + i, n - i, top, rows == NULL ? NULL : rows + i / 64,
                               other);
}

/* Bit lookup by shuffles: the low four bits of a code pick a byte out of two tables of 16,
 * the high four pick the table and the bit in it. */
INLINE __m256i in_set(__m256i code, __m256i low_half, __m256i high_half, __m256i bits)
{
    const __m256i nibble = _mm256_set1_epi8(15);
    __m256i low = _mm256_and_si256(code, nibble);
    __m256i high = _mm256_and_si256(_mm256_srli_epi16(code, 4), nibble);
    __m256i a = _mm256_shuffle_epi8(low_half, low), b = _mm256_shuffle_epi8(high_half, low);
    __m256i row = _mm256_blendv_epi8(a, b, code); /* the top bit of the code decides */
    __m256i bit = _mm256_shuffle_epi8(bits, high);
    return _mm256_cmpeq_epi8(_mm256_and_si256(row, bit), bit);
}

AVX2 static void within8(const uint8_t *codes, size_t n, const uint8_t set[32], uint64_t *out)
{
    uint8_t turned[2][16] = { { 0 } }; /* [code / 128][code % 16], bit code / 16 % 8 */
    for (unsigned c = 0; c < 256; c++)
        turned[c / 128][c % 16] |= (uint8_t)((set[c / 8] >> c % 8 & 1) << c / 16 % 8);
    __m256i low = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)turned[0]));
    __m256i high = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)turned[1]));
    __m256i bits = _mm256_setr_epi8(1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128,
                                    1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128);
    size_t i = 0;
    for (; i + 64 <= n; i += 64) {
        const __m256i *at = (const __m256i *)(codes + i);
        __m256i a = in_set(_mm256_loadu_si256(at), low, high, bits);
        __m256i b = in_set(_mm256_loadu_si256(at + 1), low, high, bits);
        out[i / 64] = (uint64_t)(uint32_t)_mm256_movemask_epi8(a) |
                      (uint64_t)(uint32_t)_mm256_movemask_epi8(b) << 32;
    }
    if (i < n) jali_kernels_plain()->within8(codes + i, n - i, set, out + i / 64);
}

/* code - lo <= span, unsigned, as "the smaller of the two is the difference". */
INLINE __m256i in_ranges(__m256i code, const uint32_t *lo, const uint32_t *span, size_t ranges)
{
    __m256i in = _mm256_setzero_si256();
    for (size_t r = 0; r < ranges; r++) {
        __m256i away = _mm256_sub_epi32(code, _mm256_set1_epi32((int)lo[r]));
        __m256i most = _mm256_set1_epi32((int)span[r]);
        in = _mm256_or_si256(in, _mm256_cmpeq_epi32(_mm256_min_epu32(away, most), away));
    }
    return in;
}

AVX2 static void within(const void *codes, unsigned width, size_t n, const uint32_t *lo,
                        const uint32_t *span, size_t ranges, uint64_t *out)
{
    jali_part p = { codes, width, 0 };
    size_t i = 0;
    for (; i + 64 <= n; i += 64) {
        uint64_t word = 0;
        for (unsigned q = 0; q < 8; q++) {
            __m256i in = in_ranges(eight(&p, i + 8 * q), lo, span, ranges);
            word |= (uint64_t)(uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(in)) << 8 * q;
        }
        out[i / 64] = word;
    }
    if (i < n)
        jali_kernels_plain()->within((const char *)codes + i * width, width, n - i, lo, span,
                                     ranges, out + i / 64);
}

const jali_kernels *jali_kernels_best(void)
{
    static const jali_kernels avx2 = { "avx2", keys16, keys32, few,     values,
                                       grid,   bins,   mark,   within8, within };
    return __builtin_cpu_supports("avx2") ? &avx2 : jali_kernels_plain();
}
#else
const jali_kernels *jali_kernels_best(void)
{
    return jali_kernels_plain();
}
#endif
