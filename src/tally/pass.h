/* tally/pass.h — one pass over some columns, block by block, for passes of their own shape. */
#ifndef JALI_TALLY_PASS_H
#define JALI_TALLY_PASS_H

#include "engine/columns.h"
#include "tally/geometry.h"
#include "tally/plan.h"

enum { JALI_PASS_ROWS = 8192 }; /* of a block: sums of 16 bits then fit 32 */

typedef struct jali_pass {
    jali_columns *columns;
    size_t n;
    const size_t *column; /* of the vault, in the order in which blocks have them */
    size_t own;           /* bytes of a worker's own memory, zeroed               */
    /* Rows first .. first + block->rows - 1; several threads, each with its own memory. */
    void (*rows)(void *self, void *own, size_t first, const jali_block *block);
    void (*add)(void *self, const void *own); /* after the last block, one by one */
    void *self;
} jali_pass;

/* Checks the files, then walks. What it counts does not depend on the pool. */
JALI_MUST_USE jali_status jali_pass_run(const jali_pass *pass, jali_pool *pool, jali_err *err);

/* The vault's columns that a frame reads, each once, and which of them each axis is of. */
JALI_MUST_USE jali_status jali_pass_columns(const jali_frame *frame,
                                            const jali_columns *columns, jali_arena *arena,
                                            size_t *n, const size_t **column,
                                            const size_t **column_of, jali_err *err);

/* A number for each row, sealed: labels and tree nodes kept from one pass to the next. They
 * are the function of each record that the passes computed, nothing else. */
typedef struct jali_marks {
    size_t rows;
    uint16_t *at;
    uint32_t most;          /* no row has a higher one */
    struct jali_kept *kept; /* of each kind: kept.h */
    jali_arena *arena;
} jali_marks;

/* A tally of `cells` zeros in the arena; NULL when memory ends. */
struct jali_tally *jali_tally_take(jali_arena *arena, size_t cells);

#endif
