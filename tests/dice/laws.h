/* tests/dice/laws.h — words shared by the law tests of the dice. */
#ifndef JALI_TESTS_DICE_LAWS_H
#define JALI_TESTS_DICE_LAWS_H

#include "support/chi.h"
#include "support/seeded_dice.h"
#include <gmp.h>
#include <math.h>
#include <stdlib.h>

/* Exact from text: "5/2". */
static inline void rational(mpq_t q, const char *text)
{
    mpq_init(q);
    if (mpq_set_str(q, text, 10) != 0) abort();
    mpq_canonicalize(q);
}

/* Whole-number noise is binned by sign and |z| / width; bin BINS-1 of a side is its tail. */
enum { BINS = 40 };

static inline size_t noise_bin(int64_t z, uint64_t width)
{
    uint64_t size = z < 0 ? 0 - (uint64_t)z : (uint64_t)z, j = size / width;
    return (z < 0 ? BINS : 0) + (size_t)(j < BINS ? j : BINS - 1);
}

#endif
