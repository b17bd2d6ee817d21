/* tally/derive.h — columns computed block by block: bins, grid cells, summands. */
#ifndef JALI_TALLY_DERIVE_H
#define JALI_TALLY_DERIVE_H

#include "tally/inside.h"

/* Writes the codes of a BINS or GRID source for n rows from `first`, source->width bytes
 * each. `labels` are those of the source's slice, or NULL. */
void jali_derive_codes(const jali_source *source, const jali_columns *columns,
                       const uint16_t *labels, size_t first, size_t n, void *out);

/* Writes what a row adds to its cell: 0 for NULL, else 1 << shift | code (shift 0: << 63). */
void jali_derive_values(const jali_sum *sum, unsigned shift, const jali_columns *columns,
                        size_t first, size_t n, uint64_t *out);

#endif
