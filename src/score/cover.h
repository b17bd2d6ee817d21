/* score/cover.h — how many rows a ball around each cell of a grid would newly cover, sealed. */
#ifndef JALI_SCORE_COVER_H
#define JALI_SCORE_COVER_H

#include "base/arena.h"
#include "score/score.h"
#include "tally/tally.h"

enum { JALI_COVER_AXES = 16 };

/* A grid of side^axes cells, the first axis slowest; `counts` has one cell a grid cell. A ball
 * of `radius` about a cell holds the cells at most so many steps away along every axis. Cells
 * already covered (public: by balls that were chosen before) count nothing. */
typedef struct jali_cover {
    unsigned axes;
    uint32_t side;
    uint32_t radius;
    const bool *covered; /* side^axes */
} jali_cover;

/* Candidates are all cells. Lives in the arena. JALI_E_INTERNAL: the tally has another size. */
JALI_MUST_USE jali_status jali_score_cover(const jali_cover *cover, const jali_tally *counts,
                                           jali_arena *arena, const jali_scores **out,
                                           jali_err *err);

/* Marks the ball about a chosen cell as covered. */
void jali_cover_mark(const jali_cover *cover, size_t cell, bool *covered);

#endif
