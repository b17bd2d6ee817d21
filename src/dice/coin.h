/* dice/coin.h — coins of exactly known bias. */
#ifndef JALI_DICE_COIN_H
#define JALI_DICE_COIN_H

#include "dice/dice.h"
#include <gmp.h>

/* A coin that shows heads with probability exp(-a/b). */
typedef struct jali_coin {
    mpq_t gamma;     /* a/b >= 0                                          */
    uint64_t prefix; /* floor(2^64 exp(-gamma)); all ones when gamma is 0 */
} jali_coin;

/* Fails with JALI_E_USAGE if gamma is negative; then there is nothing to clear. */
JALI_MUST_USE jali_status jali_coin_init(jali_coin *c, const mpq_t gamma, jali_err *err);
void jali_coin_clear(jali_coin *c);

/* One flip: one word, but for one flip in 2^64. Fails with JALI_E_ENTROPY only. */
JALI_MUST_USE jali_status jali_coin_flip(const jali_coin *c, jali_dice *d, bool *heads);

#endif
