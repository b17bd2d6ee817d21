/* budget/words.h — a loss as people read it: the currency that counts, in a few digits.
 *
 * The exact numbers are in JSON and in the ledger; here a cost is rounded up and what is left
 * is rounded down, so that nobody is promised more than there is.
 */
#ifndef JALI_BUDGET_WORDS_H
#define JALI_BUDGET_WORDS_H

#include "budget/cap.h"

/* An eps or rho in at most four digits. */
char *jali_few_words(char out[static 32], uint64_t pico, bool up);

/* "eps 0.1" under a pure cap; "eps 0.1, rho 0.005" under the others, or "eps 1 (rho 0.02413)"
 * if eps holds at the cap's delta only; without a cap, "rho 0.02413". */
char *jali_loss_words(char out[static JALI_LOSS_TEXT], jali_loss a, const jali_cap *cap);

/* "rho 1.021: one question of --epsilon 7.88", "eps 0.7": what fits beside `sum`. */
char *jali_left_words(char out[static JALI_LOSS_TEXT], const jali_cap *cap, jali_loss sum);

/* How much of the cap a loss is, between 0 and 1: for pictures and for asking a person. */
double jali_cap_part(const jali_cap *cap, jali_loss a);

#endif
