/* tally/gaps.h — how many gaps between neighbouring values are wide, pooled over columns. */
#ifndef JALI_TALLY_GAPS_H
#define JALI_TALLY_GAPS_H

#include "tally/ball.h"

/* For each of n widths, given as shares of a column's range, the number of gaps between
 * neighbouring values of a column that are wider, added up over the frame's columns that are
 * numbers or codes (one-hot ones have none). *axes: how many columns those are. */
JALI_MUST_USE jali_status jali_gaps_wide(const jali_ground *ground, const double *width,
                                         size_t n, const jali_tally **counts, size_t *axes,
                                         jali_err *err);

#endif
