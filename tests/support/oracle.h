/* tests/support/oracle.h — the plain samplers of Canonne, Kamath and Steinke on GMP.
 *
 * Rational coins only, no real number is ever evaluated: another way to the same laws,
 * written for reading and not for speed or time. NeurIPS 2020, Algorithms 1 to 3.
 */
#ifndef JALI_TESTS_ORACLE_H
#define JALI_TESTS_ORACLE_H

#include "dice/dice.h"
#include <gmp.h>

bool oracle_coin(jali_dice *d, const mpq_t gamma);             /* heads: exp(-gamma) */
void oracle_laplace(jali_dice *d, const mpq_t scale, mpz_t z); /* ~ exp(-|z|/scale)  */
void oracle_gauss(jali_dice *d, const mpq_t sigma2, mpz_t z);

/* The exponential mechanism by rejection: uniform candidate, accept by its lag. */
size_t oracle_select(jali_dice *d, const mpq_t rate, const int64_t *score, size_t n);

/* Permute-and-flip as printed: a random order, the first accepted wins. */
size_t oracle_flip(jali_dice *d, const mpq_t rate, const int64_t *score, size_t n);

#endif
