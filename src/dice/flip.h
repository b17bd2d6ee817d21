/* dice/flip.h — permute-and-flip: the winner of scores with exponential noise.
 *
 * Never to be charged as an exponential mechanism: it is eps-DP with zCDP eps^2/2, not
 * eps^2/8 (PRIVACY R).
 */
#ifndef JALI_DICE_FLIP_H
#define JALI_DICE_FLIP_H

#include "dice/dice.h"
#include "dice/rate.h"

/* As jali_select_draw: n >= 1, work depends on n alone, nothing written on failure. */
JALI_MUST_USE jali_status jali_flip_draw(const jali_rate *rate, const int64_t *score, size_t n,
                                         jali_dice *d, size_t *winner);

#endif
