/* base/rat.h — exact rational numbers: "0.1" is 1/10 and nothing else.
 *
 * Every parameter of a release (a budget, a scale, a rate) is one of these from the
 * command line to the sampler; a double never stands in between.
 */
#ifndef JALI_BASE_RAT_H
#define JALI_BASE_RAT_H

#include "base/err.h"
#include <gmp.h>

/* Longest text and largest power of ten taken from a stranger: keeps GMP's work small. */
enum { JALI_RAT_MAX_TEXT = 64, JALI_RAT_MAX_EXPONENT = 30 };

/* Reads "3", "0.1", "-2.50", "1e-6" or "1/3" into an initialised *out, in lowest terms.
 * `what` names the thing in the sentence ("--epsilon"). Refuses anything else. */
JALI_MUST_USE jali_status jali_rat_parse(mpq_t out, const char *text, const char *what,
                                         jali_err *err);

/* ceil(q * 10^digits) and floor(q * 10^digits) as u64; false if negative or too large. */
bool jali_rat_up(uint64_t *out, const mpq_t q, unsigned digits);
bool jali_rat_down(uint64_t *out, const mpq_t q, unsigned digits);

/* The decimal text of units * 10^-digits without trailing zeros ("0.05", "12", "0").
 * `out` has room for at least 32 bytes. */
char *jali_decimal(char out[static 32], uint64_t units, unsigned digits);

#endif
