/* dice/weigh.h — one of n, each as often as its weight says. */
#ifndef JALI_DICE_WEIGH_H
#define JALI_DICE_WEIGH_H

#include "dice/dice.h"
#include "dice/wide.h"

/* P(i) = weight[i] / sum, exactly, the weights being taken as the numbers they are. At least
 * one is positive, else JALI_E_USAGE. JALI_E_ENTROPY, JALI_E_NOMEM: nothing is written. */
JALI_MUST_USE jali_status jali_weigh_draw(const jali_wide *weight, size_t n, jali_dice *d,
                                          size_t *winner);

#endif
