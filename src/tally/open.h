/* tally/open.h — the inside of a tally. Only tally/, score/ and mech/ may look. */
#ifndef JALI_TALLY_OPEN_H
#define JALI_TALLY_OPEN_H

#include "tally/tally.h"

/* Cells in the order of the axes, the last one fastest: label, then columns as asked for,
 * each with its NULL last. A histogram has the axes label and bin; a grid, label and cell. */
struct jali_tally {
    size_t n;
    int64_t *cell;
    unsigned axes;
    uint64_t extent[JALI_TALLY_AXES];
    jali_reach reach;
};

struct jali_tallies {
    size_t n;
    jali_tally *counts, *sums; /* n of each; sums[i].cell is NULL where none was asked */
};

/* Of a table with more cells than memory: those that somebody is in. */
struct jali_sparse {
    size_t n;
    const uint64_t *cell;       /* rising                                    */
    const int64_t *count, *sum; /* group first; sum is NULL without a column */
};

#endif
