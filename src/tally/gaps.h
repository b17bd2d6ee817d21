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

/* alone[L], L = 0 .. most < JALI_GAPS_NEAR: how many set bits have none of the next L set.
 * JALI_GAPS_ZEROS words of zeros follow the bitmap. Two forms that give the same numbers. */
enum { JALI_GAPS_NEAR = 16, JALI_GAPS_ZEROS = 9 };
typedef void jali_gaps_alone(const uint64_t *bitmap, size_t words, unsigned most,
                             int64_t *alone);
jali_gaps_alone jali_gaps_alone_plain;
jali_gaps_alone *jali_gaps_alone_avx512(void); /* NULL: this machine has not got it */

#endif
