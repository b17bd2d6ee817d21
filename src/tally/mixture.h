/* tally/mixture.h — the most likely of Gaussians along the axes, for partition.c.
 *
 * In doubles, unlike every other kind: such a mixture is fitted on public tables only
 * (eval/open.c) or written by the analyst, and no release is decided by it alone. The order of
 * the additions is fixed, so labels are the same on every machine with IEEE arithmetic.
 */
#ifndef JALI_TALLY_MIXTURE_H
#define JALI_TALLY_MIXTURE_H

#include "tally/partition.h"

uint32_t jali_mixture_of(const jali_partition *p, const uint64_t *code);

/* For jali_label: self is the partition. */
void jali_mixture_rows(void *self, const jali_block *block, uint16_t *out);

#endif
