/* mech/choose.h — a choice among sealed scores, made together with its price.
 *
 * A chooser is a sampler and what it costs in one handle, so that nobody can draw by
 * permute-and-flip and pay for an exponential mechanism: that sale is a factor of 4 in rho.
 */
#ifndef JALI_MECH_CHOOSE_H
#define JALI_MECH_CHOOSE_H

#include "budget/charge.h"
#include "score/score.h"

typedef struct jali_dice jali_dice; /* named, not included: who calls us may */
                                    /* pass the dice but not throw them      */

typedef enum jali_choice {
    JALI_CHOICE_EXPONENTIAL, /* k winners, as k peeled exponential mechanisms of eps each:
                                k eps, and k eps^2/8 in rho                              */
    JALI_CHOICE_FLIP         /* one winner by permute-and-flip: eps, and eps^2/2 in rho   */
} jali_choice;

typedef struct jali_chooser jali_chooser;

/* eps > 0 is what one winner costs. JALI_E_USAGE: eps not positive, k = 0, k > 1 for FLIP. */
JALI_MUST_USE jali_status jali_chooser_new(jali_chooser **out, jali_choice how, mpq_srcptr eps,
                                           size_t k, jali_err *err);
void jali_chooser_free(jali_chooser *chooser); /* NULL is fine */

/* What jali_choose will take out of the charge: public, known before anything is counted. */
jali_loss jali_chooser_loss(const jali_chooser *chooser);

/*
 * Draws min(k, n) candidates, best first, with weights exp(eps * score / range).
 *
 *   winner   room for k; written with *n_winners only on JALI_OK
 *   fails    JALI_E_USAGE (no candidates), JALI_E_INTERNAL (not paid): nothing drawn
 *            JALI_E_NOMEM, JALI_E_ENTROPY: paid, nothing released
 */
JALI_MUST_USE jali_status jali_choose(const jali_chooser *chooser, const jali_scores *scores,
                                      jali_charge *charge, jali_dice *dice, size_t *winner,
                                      size_t *n_winners, jali_err *err);

#endif
