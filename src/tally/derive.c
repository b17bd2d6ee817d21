/* tally/derive.c — columns computed block by block: bins and grid cells.
 *
 * All without branches on a code, and all total: any code gives a code below the domain of
 * the result.
 */
#include "tally/derive.h"

/* A block of codes widened to 32 bits, so that each loop below exists once. */
static void load(const jali_columns *columns, size_t column, size_t first, size_t n,
                 uint32_t *out)
{
    const jali_column *c = jali_columns_at(columns, column);
    if (c->width == 1)
        for (size_t i = 0; i < n; i++) out[i] = ((const uint8_t *)c->codes)[first + i];
    else if (c->width == 2)
        for (size_t i = 0; i < n; i++) out[i] = ((const uint16_t *)c->codes)[first + i];
    else
        for (size_t i = 0; i < n; i++) out[i] = ((const uint32_t *)c->codes)[first + i];
}

static void store(const uint32_t *from, size_t n, unsigned width, void *out, size_t at)
{
    for (size_t i = 0; width == 2 && i < n; i++) ((uint16_t *)out)[at + i] = (uint16_t)from[i];
    for (size_t i = 0; width == 4 && i < n; i++) ((uint32_t *)out)[at + i] = from[i];
}

static uint64_t high_product(uint64_t a, uint64_t b)
{
    /* b < 2^32, so two 64-bit products are enough. */
    return ((a >> 32) * b + ((a & UINT32_MAX) * b >> 32)) >> 32;
}

/* floor(x / step) for 32-bit x by one multiplication: with c = floor(2^64 / step) + 1, c*x
 * exceeds 2^64 x / step by less than 2^64 / step whenever x and step are below 2^32
 * (Granlund and Montgomery 1994); tests/tally/derive_test.c walks the edges. */
static uint32_t divide(uint32_t x, const jali_edge *e)
{
    return (uint32_t)high_product(e->inverse, x) + (e->step == 1 ? x : 0);
}

enum { CHUNK = 1024 };

static void bins(const jali_key_source *s, const jali_columns *columns, const uint16_t *labels,
                 size_t first, size_t n, uint32_t *code)
{
    uint32_t null = (uint32_t)(jali_columns_at(columns, s->column)->domain - 1);
    load(columns, s->column, first, n, code);
    for (size_t i = 0; i < n; i++) {
        const jali_edge *e = &s->edge[labels == NULL ? 0 : labels[i]];
        uint32_t above = code[i] > e->lo ? code[i] - e->lo : 0, bin = divide(above, e);
        bin = bin < s->bins ? bin : s->bins - 1;
        code[i] = code[i] == null ? s->bins : bin;
    }
}

static unsigned bits(uint64_t x)
{
    return x == 0 ? 0 : 64 - (unsigned)__builtin_clzll(x);
}

static void grid(const jali_key_source *s, const jali_columns *columns, size_t first, size_t n,
                 uint32_t *cell)
{
    uint32_t code[CHUNK], none = (uint32_t)s->domain - 1;
    uint8_t null[CHUNK] = { 0 };
    for (size_t i = 0; i < n; i++) cell[i] = 0;
    for (unsigned k = 0; k < s->n; k++) {
        uint64_t domain = jali_columns_at(columns, s->grid[k])->domain;
        unsigned have = domain < 3 ? 0 : bits(domain - 2); /* of the largest value */
        unsigned down = have > s->bits ? have - s->bits : 0;
        unsigned up = s->bits > have ? s->bits - have : 0;
        load(columns, s->grid[k], first, n, code);
        for (size_t i = 0; i < n; i++) {
            uint32_t top = (uint32_t)((uint64_t)code[i] >> down << up);
            null[i] |= code[i] == domain - 1;
            cell[i] = cell[i] << s->bits | (top & ((1u << s->bits) - 1));
        }
    }
    for (size_t i = 0; i < n; i++) cell[i] = null[i] ? none : cell[i];
}

void jali_derive_codes(const jali_key_source *source, const jali_columns *columns,
                       const uint16_t *labels, size_t first, size_t n, void *out)
{
    uint32_t code[CHUNK];
    for (size_t at = 0; at < n; at += CHUNK) {
        size_t part = n - at < CHUNK ? n - at : CHUNK;
        if (source->kind == SOURCE_BINS)
            bins(source, columns, labels == NULL ? NULL : labels + at, first + at, part, code);
        else
            grid(source, columns, first + at, part, code);
        store(code, part, source->width, out, at);
    }
}
