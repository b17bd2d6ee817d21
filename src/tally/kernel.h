/* tally/kernel.h — the loops that touch every row.
 *
 * A cell's address is a mixed-radix number, the key: label, then one code a part. Keys are
 * computed by vectors into a small buffer and spent by scalar adds, since AVX2 has no
 * scatter. Measured on a Zen 3 core (ns a row, one thread, quiet machine):
 *   keys of 3 byte columns   0.10      masks of 16 cells      0.12
 *   add, table in L1         0.33      add, table in L2       0.6 to 0.8
 *   add, 3 of 4 rows in one cell: 1.5 with one table, 0.8 with two, 0.45 with four
 *     (a load must wait for the store before it), hence the interleaved copies.
 * So a column costs least when several share one add: see tally/layout.c.
 */
#ifndef JALI_TALLY_KERNEL_H
#define JALI_TALLY_KERNEL_H

#include <stddef.h>
#include <stdint.h>

enum {
    JALI_KEY_PARTS = 8,
    JALI_KEY_CHUNK = 1024,     /* rows whose keys are held at once: 2 or 4 KB      */
    JALI_MASK_CELLS = 32,      /* up to here comparing beats adding                 */
    JALI_KEY16_CELLS = 1 << 16 /* keys above take four bytes                        */
};

typedef enum jali_cell_kind {
    JALI_CELL_COUNT,  /* uint32_t                                            */
    JALI_CELL_PACKED, /* uint64_t: count above, sum below; one add does both */
    JALI_CELL_WIDE    /* two uint64_t: count, sum                            */
} jali_cell_kind;

typedef struct jali_part {
    const void *codes; /* of the first row */
    unsigned width;    /* 1, 2 or 4        */
    uint32_t domain;
} jali_part;

/* One unit of work: rows of one block, added to one table. */
typedef struct jali_feed {
    size_t rows;
    const uint16_t *labels; /* NULL: no label */
    const uint64_t *values; /* PACKED: count << shift | code; WIDE: count << 63 | code */
    unsigned n;
    jali_part part[JALI_KEY_PARTS];
    uint64_t cells;
    jali_cell_kind kind;
    unsigned copies;
    void *table; /* copies * cells */
} jali_feed;

/* How a column enters a grid: its top `bits` bits. */
typedef struct jali_halving {
    const void *codes; /* of the first row */
    unsigned width;    /* 1, 2 or 4        */
    unsigned down, up, bits;
    uint32_t null;
} jali_halving;

/* Equal bins per label, divided by multiplication: floor((code - lo) / step) is
 * (code - lo) * magic >> shift. shift 0: no such 32-bit magic for all labels. */
typedef struct jali_binning {
    const uint32_t *lo, *magic;
    unsigned shift;
    uint32_t bins, null;
} jali_binning;

typedef struct jali_kernels {
    const char *name;
    void (*keys16)(const jali_feed *feed, size_t from, size_t n, uint16_t *out);
    void (*keys32)(const jali_feed *feed, size_t from, size_t n, uint32_t *out);
    void (*few)(const uint16_t *keys, size_t n, unsigned cells, uint32_t *table);
    /* out[i] = codes[i] == null ? 0 : one + codes[i] */
    void (*values)(const void *codes, unsigned width, size_t n, uint32_t null, uint64_t one,
                   uint64_t *out);
    /* The cell of rows from .. from+rows-1: of each column in turn the top bits, code >> down
     * << up, after those of the columns before; `none` where a code is null */
    void (*grid)(const jali_halving *by, unsigned n, size_t from, size_t rows, uint32_t none,
                 uint32_t *cell);
    /* Bins of as many rows as vectors take, from the first on; returns how many. */
    size_t (*bins)(const void *codes, unsigned width, size_t n, const jali_binning *by,
                   const uint16_t *labels, uint16_t *out);
    /* labels[i] = bit i of `rows` set ? min(labels[i], top) : other */
    void (*mark)(uint16_t *labels, size_t n, uint16_t top, const uint64_t *rows,
                 uint16_t other);
    /* bit i of out = codes[i] is in the set; `set` has one bit a code, for byte codes */
    void (*within8)(const uint8_t *codes, size_t n, const uint8_t set[32], uint64_t *out);
    /* the same for n ranges, for codes of 2 and 4 bytes; spans are hi - lo */
    void (*within)(const void *codes, unsigned width, size_t n, const uint32_t *lo,
                   const uint32_t *span, size_t ranges, uint64_t *out);
} jali_kernels;

const jali_kernels *jali_kernels_plain(void); /* the twin that runs anywhere */
const jali_kernels *jali_kernels_best(void);  /* chosen by what this CPU has */

void jali_kernel_feed(const jali_kernels *kernels, const jali_feed *feed);

#endif
