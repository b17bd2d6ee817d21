/* score/radius.h — how near a number of rows comes to what is wanted, sealed. */
#ifndef JALI_SCORE_RADIUS_H
#define JALI_SCORE_RADIUS_H

#include "base/arena.h"
#include "base/err.h"
#include "score/score.h"
#include "tally/tally.h"

/* A candidate for each cell: minus the distance of its count from `wanted`, a released number.
 * `counts` has cells that one person moves by at most its reach.linf each. */
JALI_MUST_USE jali_status jali_score_radius(const jali_tally *counts, int64_t wanted,
                                            jali_arena *arena, const jali_scores **out,
                                            jali_err *err);

#endif
