/* score/open.h — the inside of scores. Only score/ and mech/ may include this header. */
#ifndef JALI_SCORE_OPEN_H
#define JALI_SCORE_OPEN_H

#include "score/score.h"
#include <stddef.h>
#include <stdint.h>

/* Candidates are the same for all tables; only the scores move with a person. Both bounds
 * are per person (m rows), in steps of the grid, with the rounding counted in. */
struct jali_scores {
    size_t n;
    const int64_t *score;
    uint64_t range;       /* max change - min change over the candidates (PRIVACY R) */
    uint64_t sensitivity; /* max |change| of one candidate                           */
};

#endif
