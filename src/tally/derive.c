/* tally/derive.c — columns computed block by block: bins and grid cells.
 *
 * All without branches on a code, and all total: any code gives a code below the domain of
 * the result.
 */
#include "tally/derive.h"

__extension__ typedef unsigned __int128 wide; /* one instruction on every 64-bit machine */

/* floor(x / step) for 32-bit x by one multiplication: with c = floor(2^64 / step) + 1, c*x
 * exceeds 2^64 x / step by less than 2^64 / step whenever x and step are below 2^32
 * (Granlund and Montgomery 1994); tests/tally/derive_test.c walks the edges. */
static uint32_t divide(uint32_t x, const jali_edge *e)
{
    return (uint32_t)((wide)e->inverse * x >> 64) + (x & e->whole);
}

/* Masks instead of ?: because gcc makes jumps of those, and a jump that is taken by code
 * is slow (7 ns a row against 2) and tells time. */
static uint32_t bin_of(uint32_t code, const jali_edge *e, uint32_t bins, uint32_t null)
{
    int64_t above = (int64_t)code - e->lo, past;
    above &= ~(above >> 63);
    past = (int64_t)divide((uint32_t)above, e) - (bins - 1);
    uint32_t bin = bins - 1 + (uint32_t)(past & past >> 63);
    return bin + ((bins - bin) & (uint32_t) - (uint32_t)(code == null));
}

/* One loop for each width that goes in and out: copying to a common width first costs as
 * much as the bins themselves. */
#define BIN_LOOP(from, to)                                                                     \
    do {                                                                                       \
        const from *in = (const from *)c->codes + first;                                       \
        to *put = out;                                                                         \
        for (size_t i = done; i < n; i++)                                                      \
            put[i] = (to)bin_of(in[i], &edge[label[i & all]], bins, null);                     \
    } while (0)

static void bin_rows(const jali_key_source *s, const jali_columns *columns,
                     const jali_kernels *kernels, const uint16_t *labels, size_t first,
                     size_t n, void *out)
{
    const jali_column *c = jali_columns_at(columns, s->column);
    const jali_edge *edge = s->edge;
    uint32_t null = s->by.null, bins = s->by.bins;
    const uint16_t zero = 0, *label = labels == NULL ? &zero : labels;
    const size_t all = labels == NULL ? 0 : SIZE_MAX; /* without labels, always label[0] */
    size_t done = 0;
    if (s->width == 2 && s->by.shift > 0)
        done = kernels->bins((const char *)c->codes + first * c->width, c->width, n, &s->by,
                             labels, out);
    if (c->width == 1 && s->width == 2)
        BIN_LOOP(uint8_t, uint16_t);
    else if (c->width == 2 && s->width == 2)
        BIN_LOOP(uint16_t, uint16_t);
    else if (s->width == 2)
        BIN_LOOP(uint32_t, uint16_t);
    else if (c->width == 1)
        BIN_LOOP(uint8_t, uint32_t);
    else if (c->width == 2)
        BIN_LOOP(uint16_t, uint32_t);
    else
        BIN_LOOP(uint32_t, uint32_t);
}

enum { CHUNK = 1024 };

static unsigned bits(uint64_t x)
{
    return x == 0 ? 0 : 64 - (unsigned)__builtin_clzll(x);
}

static void halve(const jali_key_source *s, const jali_columns *columns, size_t first,
                  jali_halving *by)
{
    for (unsigned k = 0; k < s->n; k++) {
        const jali_column *c = jali_columns_at(columns, s->grid[k]);
        unsigned have = c->domain < 3 ? 0 : bits(c->domain - 2); /* of the largest value */
        unsigned want = jali_grid_bits(s, k);
        by[k] = (jali_halving){ .codes = (const char *)c->codes + first * c->width,
                                .width = c->width,
                                .down = have > want ? have - want : 0,
                                .up = want > have ? want - have : 0,
                                .bits = want,
                                .null = (uint32_t)(c->domain - 1) };
    }
}

static void grid_rows(const jali_key_source *s, const jali_columns *columns,
                      const jali_kernels *kernels, size_t first, size_t n, void *out)
{
    uint32_t cell[CHUNK], none = (uint32_t)s->domain - 1;
    jali_halving by[JALI_PLAN_GRID_COLUMNS];
    halve(s, columns, first, by);
    if (s->width == 4) kernels->grid(by, s->n, 0, n, none, out);
    for (size_t at = 0; s->width == 2 && at < n; at += CHUNK) {
        size_t part = n - at < CHUNK ? n - at : CHUNK;
        kernels->grid(by, s->n, at, part, none, cell);
        for (size_t i = 0; i < part; i++) ((uint16_t *)out)[at + i] = (uint16_t)cell[i];
    }
}

void jali_derive_codes(const jali_key_source *source, const jali_columns *columns,
                       const jali_kernels *kernels, const uint16_t *labels, size_t first,
                       size_t n, void *out)
{
    if (source->kind == SOURCE_BINS) bin_rows(source, columns, kernels, labels, first, n, out);
    if (source->kind == SOURCE_GRID) grid_rows(source, columns, kernels, first, n, out);
}
