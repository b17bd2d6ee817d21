/* tally/derive.h — columns computed block by block: bins and grid cells. */
#ifndef JALI_TALLY_DERIVE_H
#define JALI_TALLY_DERIVE_H

#include "tally/inside.h"

/* Writes the codes of a BINS or GRID source for n rows from `first`, source->width bytes
 * each. `labels` are those of the source's slice, or NULL. */
void jali_derive_codes(const jali_key_source *source, const jali_columns *columns,
                       const jali_kernels *kernels, const uint16_t *labels, size_t first,
                       size_t n, void *out);

#endif
