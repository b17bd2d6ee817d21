/* tally/kernel.c — the adds, and the portable twin of each vector loop. */
#include "tally/kernel.h"
#include <string.h>

static uint32_t code_at(const jali_part *p, size_t i)
{
    if (p->width == 1) return ((const uint8_t *)p->codes)[i];
    if (p->width == 2) return ((const uint16_t *)p->codes)[i];
    return ((const uint32_t *)p->codes)[i];
}

static uint32_t key_at(const jali_feed *f, size_t i)
{
    uint32_t key = f->labels == NULL ? 0 : f->labels[i];
    for (unsigned j = 0; j < f->n; j++) key = key * f->part[j].domain + code_at(&f->part[j], i);
    return key;
}

static void keys16(const jali_feed *f, size_t from, size_t n, uint16_t *out)
{
    for (size_t i = 0; i < n; i++) out[i] = (uint16_t)key_at(f, from + i);
}

static void keys32(const jali_feed *f, size_t from, size_t n, uint32_t *out)
{
    for (size_t i = 0; i < n; i++) out[i] = key_at(f, from + i);
}

static void few(const uint16_t *keys, size_t n, unsigned cells, uint32_t *table)
{
    (void)cells;
    for (size_t i = 0; i < n; i++) table[keys[i]]++;
}

static void values(const void *codes, unsigned width, size_t n, uint32_t null, uint64_t one,
                   uint64_t *out)
{
    jali_part p = { codes, width, 0 };
    for (size_t i = 0; i < n; i++) {
        uint32_t code = code_at(&p, i);
        out[i] = code == null ? 0 : one + code;
    }
}

static void grid(const jali_halving *by, unsigned n, size_t from, size_t rows, uint32_t none,
                 uint32_t *cell)
{
    for (size_t i = 0; i < rows; i++) {
        uint32_t at = 0, gone = 0;
        for (unsigned k = 0; k < n; k++) {
            jali_part p = { by[k].codes, by[k].width, 0 };
            uint32_t code = code_at(&p, from + i);
            uint32_t top = (uint32_t)((uint64_t)code >> by[k].down << by[k].up);
            at = at << by[k].bits | (top & ((1u << by[k].bits) - 1));
            gone |= (uint32_t) - (uint32_t)(code == by[k].null);
        }
        cell[i] = at + ((none - at) & gone);
    }
}

/* derive.c has the loop that runs anywhere: here is nothing to add to it. */
static size_t bins(const void *codes, unsigned width, size_t n, const jali_binning *by,
                   const uint16_t *labels, uint16_t *out)
{
    (void)codes, (void)width, (void)n, (void)by, (void)labels, (void)out;
    return 0;
}

static void mark(uint16_t *labels, size_t n, uint16_t top, const uint64_t *rows, uint16_t other)
{
    for (size_t i = 0; i < n; i++) {
        uint16_t l = labels[i] < top ? labels[i] : top;
        uint16_t keep = (uint16_t) - (rows == NULL || (rows[i / 64] >> i % 64 & 1));
        labels[i] = (uint16_t)((l & keep) | (other & ~keep));
    }
}

static void within8(const uint8_t *codes, size_t n, const uint8_t set[32], uint64_t *out)
{
    memset(out, 0, (n + 63) / 64 * 8);
    for (size_t i = 0; i < n; i++)
        out[i / 64] |= (uint64_t)(set[codes[i] / 8] >> codes[i] % 8 & 1) << i % 64;
}

static void within(const void *codes, unsigned width, size_t n, const uint32_t *lo,
                   const uint32_t *span, size_t ranges, uint64_t *out)
{
    jali_part p = { codes, width, 0 };
    memset(out, 0, (n + 63) / 64 * 8);
    for (size_t i = 0; i < n; i++) {
        uint32_t code = code_at(&p, i), in = 0;
        for (size_t r = 0; r < ranges; r++) in |= code - lo[r] <= span[r];
        out[i / 64] |= (uint64_t)in << i % 64;
    }
}

const jali_kernels *jali_kernels_plain(void)
{
    static const jali_kernels plain = { "plain", keys16, keys32, few,     values,
                                        grid,    bins,   mark,   within8, within };
    return &plain;
}

/* ---- adds ------------------------------------------------------------------------ */

/* Rows take turns over the copies, in the order 0, 1, ... so that two equal neighbours
 * never wait for each other. With one copy the three others are the same table. */
#define SPREAD(TYPE, KEY)                                                                      \
    const size_t step = (size_t)f->cells;                                                      \
    TYPE *const t0 = f->table, *const t1 = f->copies > 1 ? t0 + step : t0;                     \
    TYPE *const t2 = f->copies > 2 ? t1 + step : t0, *const t3 =                               \
                                                         f->copies > 2 ? t2 + step : t1;       \
    const KEY *const k = keys;                                                                 \
    size_t i = 0

static void add_count16(const jali_feed *f, const uint16_t *keys, size_t n)
{
    SPREAD(uint32_t, uint16_t);
    for (; i + 4 <= n; i += 4) {
        uint64_t four; /* one load for four keys */
        memcpy(&four, k + i, 8);
        t0[(uint16_t)four]++;
        t1[(uint16_t)(four >> 16)]++;
        t2[(uint16_t)(four >> 32)]++;
        t3[four >> 48]++;
    }
    for (; i < n; i++) t0[k[i]]++;
}

static void add_count32(const jali_feed *f, const uint32_t *keys, size_t n)
{
    SPREAD(uint32_t, uint32_t);
    for (; i + 4 <= n; i += 4) {
        t0[k[i]]++;
        t1[k[i + 1]]++;
        t2[k[i + 2]]++;
        t3[k[i + 3]]++;
    }
    for (; i < n; i++) t0[k[i]]++;
}

#define ADD_PACKED(KEY)                                                                        \
    do {                                                                                       \
        SPREAD(uint64_t, KEY);                                                                 \
        for (; i + 4 <= n; i += 4) {                                                           \
            t0[k[i]] += v[i];                                                                  \
            t1[k[i + 1]] += v[i + 1];                                                          \
            t2[k[i + 2]] += v[i + 2];                                                          \
            t3[k[i + 3]] += v[i + 3];                                                          \
        }                                                                                      \
        for (; i < n; i++) t0[k[i]] += v[i];                                                   \
    } while (0)

static void add_packed16(const jali_feed *f, const uint16_t *keys, const uint64_t *v, size_t n)
{
    ADD_PACKED(uint16_t);
}

static void add_packed32(const jali_feed *f, const uint32_t *keys, const uint64_t *v, size_t n)
{
    ADD_PACKED(uint32_t);
}

static void add_wide(uint64_t *t, size_t key, uint64_t v)
{
    t[2 * key] += v >> 63;
    t[2 * key + 1] += v & (UINT64_MAX >> 1);
}

static void feed16(const jali_kernels *kernels, const jali_feed *f, size_t from, size_t n)
{
    uint16_t keys[JALI_KEY_CHUNK];
    kernels->keys16(f, from, n, keys);
    if (f->kind == JALI_CELL_PACKED)
        add_packed16(f, keys, f->values + from, n);
    else if (f->kind == JALI_CELL_WIDE)
        for (size_t i = 0; i < n; i++) add_wide(f->table, keys[i], f->values[from + i]);
    else if (f->cells <= JALI_MASK_CELLS)
        kernels->few(keys, n, (unsigned)f->cells, f->table);
    else
        add_count16(f, keys, n);
}

/* One wide column without a label is its own key. */
static const uint32_t *find_keys32(const jali_kernels *kernels, const jali_feed *f, size_t from,
                                   size_t n, uint32_t *room)
{
    if (f->labels == NULL && f->n == 1 && f->part[0].width == 4)
        return (const uint32_t *)f->part[0].codes + from;
    kernels->keys32(f, from, n, room);
    return room;
}

static void feed32(const jali_kernels *kernels, const jali_feed *f, size_t from, size_t n)
{
    uint32_t room[JALI_KEY_CHUNK];
    const uint32_t *keys = find_keys32(kernels, f, from, n, room);
    if (f->kind == JALI_CELL_PACKED)
        add_packed32(f, keys, f->values + from, n);
    else if (f->kind == JALI_CELL_WIDE)
        for (size_t i = 0; i < n; i++) add_wide(f->table, keys[i], f->values[from + i]);
    else
        add_count32(f, keys, n);
}

void jali_kernel_feed(const jali_kernels *kernels, const jali_feed *f)
{
    for (size_t from = 0; from < f->rows; from += JALI_KEY_CHUNK) {
        size_t left = f->rows - from, n = left < JALI_KEY_CHUNK ? left : JALI_KEY_CHUNK;
        if (f->cells <= JALI_KEY16_CELLS)
            feed16(kernels, f, from, n);
        else
            feed32(kernels, f, from, n);
    }
}
