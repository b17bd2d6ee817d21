/* dice/select.h — the exponential mechanism: one winner, P(i) ~ exp(rate * score[i]). */
#ifndef JALI_DICE_SELECT_H
#define JALI_DICE_SELECT_H

#include "dice/dice.h"
#include "dice/rate.h"

/* *winner is in [0, n), n >= 1 (0 is JALI_E_USAGE). Any scores, any order. The work
 * depends on n alone. JALI_E_ENTROPY, JALI_E_NOMEM: nothing is written. */
JALI_MUST_USE jali_status jali_select_draw(const jali_rate *rate, const int64_t *score,
                                           size_t n, jali_dice *d, size_t *winner);

#endif
