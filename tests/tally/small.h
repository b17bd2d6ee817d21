/* tests/tally/small.h — small random tables in memory, and the obvious way to count them. */
#ifndef JALI_TESTS_TALLY_SMALL_H
#define JALI_TESTS_TALLY_SMALL_H

#include "engine/columns.h"
#include "tally/inside.h"
#include "tally/open.h"
#include "unit.h"
#include <stdlib.h>

enum { SMALL_COLUMNS = 8 };

typedef struct small {
    size_t rows, n;
    jali_column column[SMALL_COLUMNS];
    char name[SMALL_COLUMNS][16];
    jali_columns *columns;
    uint64_t seed;
} small;

static inline uint64_t small_roll(small *s, uint64_t n)
{
    s->seed ^= s->seed << 13;
    s->seed ^= s->seed >> 7;
    s->seed ^= s->seed << 17;
    return (s->seed >> 11) % n;
}

static inline uint64_t small_code(const small *s, size_t column, size_t row)
{
    uint64_t code = 0; /* little-endian */
    unsigned width = s->column[column].width;
    memcpy(&code, (const char *)s->column[column].codes + row * width, width);
    return code;
}

/* Codes end exactly where the allocation does, so that a sanitizer sees one byte more. */
static inline void small_add(small *s, uint64_t domain, int shape)
{
    unsigned width = jali_column_width(domain);
    char *codes = malloc(s->rows * width + (s->rows == 0));
    jali_column *c = &s->column[s->n];
    CHECK(codes != NULL);
    for (size_t i = 0; i < s->rows; i++) {
        uint64_t code = shape == 0                            ? domain - 1 /* all NULL */
                        : shape == 1 && small_roll(s, 4) != 0 ? 0          /* skewed   */
                                                              : small_roll(s, domain);
        memcpy(codes + i * width, &code, width);
    }
    snprintf(s->name[s->n], sizeof s->name[0], "c%zu", s->n);
    *c = (jali_column){ s->name[s->n], width, domain, s->rows, codes };
    s->n++;
}

static inline void small_open(small *s)
{
    CHECK_OK(jali_columns_borrow(&s->columns, s->column, s->n, NULL));
}

static inline void small_free(small *s)
{
    jali_columns_free(s->columns);
    for (size_t i = 0; i < s->n; i++) free((void *)(uintptr_t)s->column[i].codes);
}

/* A label that reads two columns and says something that is easy to say again. */
static inline uint16_t small_label_of(uint32_t labels, uint64_t a, uint64_t b)
{
    return (uint16_t)((a * 7 + b) % labels);
}

static inline uint64_t small_block_code(const jali_block *b, size_t k, size_t i)
{
    uint64_t code = 0;
    memcpy(&code, (const char *)b->codes[k] + i * b->width[k], b->width[k]);
    return code;
}

static inline void small_label(void *self, const jali_block *block, uint16_t *out)
{
    for (size_t i = 0; i < block->rows; i++)
        out[i] = small_label_of(*(const uint32_t *)self, small_block_code(block, 0, i),
                                small_block_code(block, 1, i));
}

#endif
