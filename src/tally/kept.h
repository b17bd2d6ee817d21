/* tally/kept.h — what rows look like in a frame, kept from one pass to the next.
 *
 * Several passes over one frame turn the same codes into the same coordinates. Where a table
 * is small enough the first of them writes the coordinates down and the others read them. What
 * is kept is what would be computed again, so nothing but time depends on it.
 */
#ifndef JALI_TALLY_KEPT_H
#define JALI_TALLY_KEPT_H

#include "tally/ball.h"

enum {
    JALI_KEPT_CELLS,
    JALI_KEPT_PAIRS,
    JALI_KEPT_PLACES,
    JALI_KEPT_COORDINATES,
    JALI_KEPT_KINDS
};

/* Of which frame, columns and cells. An arena's large blocks are aligned for vectors. */
typedef struct jali_kept {
    bool wanted, full;
    const jali_columns *columns;
    size_t n, bytes;
    uint32_t cells;
    jali_ruler *axis;
    char *at;
} jali_kept;

/* Room for `bytes`, full if a pass has filled it for this very ground; NULL if nothing is
 * kept. Whoever fills it says so (jali_kept_filled) after its pass. */
jali_kept *jali_kept_open(const jali_marks *marks, unsigned kind, const jali_ground *ground,
                          uint32_t cells, size_t bytes);
void jali_kept_filled(jali_kept *kept);

#endif
