/* mech/each.h — one choice in each of many groups that share no row, at the price of one.
 *
 * Sampler and price in one handle, as in mech/choose.h.
 */
#ifndef JALI_MECH_EACH_H
#define JALI_MECH_EACH_H

#include "budget/charge.h"
#include "score/groups.h"

typedef struct jali_dice jali_dice; /* named, not included: who calls us may */
                                    /* pass the dice but not throw them      */

typedef struct jali_each jali_each;

/* eps > 0 is the price of all groups together. JALI_E_USAGE: it is not positive. */
JALI_MUST_USE jali_status jali_each_new(jali_each **out, mpq_srcptr eps, jali_err *err);
void jali_each_free(jali_each *each); /* NULL is fine */
jali_loss jali_each_loss(const jali_each *each);

/*
 * Draws one candidate of every group, with weights exp(eps * score / range of the group).
 *
 *   winner   room for jali_score_groups_count; written only on JALI_OK
 *   fails    JALI_E_USAGE (a group without candidates, eps far too large), JALI_E_NOMEM,
 *            JALI_E_INTERNAL (not paid): nothing drawn
 *            JALI_E_ENTROPY: paid, nothing released
 */
JALI_MUST_USE jali_status jali_choose_each(const jali_each *each,
                                           const jali_score_groups *groups, jali_charge *charge,
                                           jali_dice *dice, size_t *winner, jali_err *err);

#endif
