/* dice/uniform.h — every whole number below n, equally often. */
#ifndef JALI_DICE_UNIFORM_H
#define JALI_DICE_UNIFORM_H

#include "dice/dice.h"
#include <gmp.h>

/* *out is uniform on {0, ..., n-1}, n >= 1. Fails with JALI_E_ENTROPY only. */
JALI_MUST_USE jali_status jali_uniform_below(jali_dice *d, uint64_t n, uint64_t *out);

/* The same for an n of any size; `out` is initialised by the caller. */
JALI_MUST_USE jali_status jali_uniform_below_z(jali_dice *d, const mpz_t n, mpz_t out);

#endif
