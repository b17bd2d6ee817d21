/* tally/margin.h — from units that were counted to tables that were asked for. */
#ifndef JALI_TALLY_MARGIN_H
#define JALI_TALLY_MARGIN_H

#include "tally/inside.h"
#include "tally/open.h"

/* Adds the memory of another worker, or of a copy, to the first. */
void jali_margin_merge(const jali_layout *layout, void *into, const void *from);
void jali_margin_fold(const jali_layout *layout, void *memory);

/* Reads table `t` off its unit. counts and sums (NULL: none) are zeroed, t->cells long. */
void jali_margin_read(const jali_plan *plan, const jali_layout *layout, size_t table,
                      const void *memory, int64_t *counts, int64_t *sums);

#endif
