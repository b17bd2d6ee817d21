/* tally/select.h — which rows a predicate selects, as a bitmap. */
#ifndef JALI_TALLY_SELECT_H
#define JALI_TALLY_SELECT_H

#include "base/arena.h"
#include "base/err.h"
#include "engine/columns.h"
#include "table/predicate.h"
#include "tally/kernel.h"

typedef struct jali_selection_leaf {
    size_t column; /* in the vault */
    unsigned width;
    const uint64_t *set;           /* one bit a code, for domains up to 65,536, else NULL    */
    const uint64_t *lo64, *span64; /* ranges, NULL's own included when it selects      */
    const uint32_t *lo, *span;     /* the same, for codes of up to 4 bytes             */
    size_t ranges;
} jali_selection_leaf;

/* A canonical predicate bound to the columns of a vault. */
typedef struct jali_selection {
    const jali_predicate *root; /* NULL: every row */
    jali_selection_leaf *leaf;  /* in the order in which a walk meets them */
    size_t n;
    unsigned depth;
} jali_selection;

/* Refuses unknown columns and domains that are not the table's (JALI_E_USAGE). */
JALI_MUST_USE jali_status jali_selection_bind(jali_selection *out, const jali_predicate *where,
                                              const jali_columns *columns, jali_arena *arena,
                                              jali_err *err);

/* Sets bit i of `rows` when row first + i is selected. `scratch` has selection->depth + 1
 * times `words` words, words = (n + 63) / 64; bits from n on are zero. */
void jali_selection_rows(const jali_selection *selection, const jali_columns *columns,
                         const jali_kernels *kernels, size_t first, size_t n, size_t words,
                         uint64_t *rows, uint64_t *scratch);

#endif
