/* dice/rate.h — how fast a candidate's weight grows with its score: exp(rate * score). */
#ifndef JALI_DICE_RATE_H
#define JALI_DICE_RATE_H

#include "base/err.h"
#include <gmp.h>

__extension__ typedef unsigned __int128 jali_u128;
__extension__ typedef __int128 jali_i128;

/* Largest rate. With whole scores, a lead of one point at this rate is lost with
 * probability exp(-65536): a larger one only asks for trouble with units. */
enum { JALI_RATE_MAX = 65536 };

/* Keys of dice/race.h count in units of 2^-44. */
enum { JALI_KEY_FRACTION = 44 };

typedef struct jali_rate {
    mpq_t exact;
    double near;     /* exact, towards zero, within 2^-52 of it (relative) */
    jali_u128 fixed; /* floor(exact * 2^(64 + 44))                         */
} jali_rate;

/* 0 <= rate <= JALI_RATE_MAX; else JALI_E_USAGE and nothing to clear. */
JALI_MUST_USE jali_status jali_rate_init(jali_rate *r, const mpq_t rate, jali_err *err);
void jali_rate_clear(jali_rate *r);

#endif
