/* budget/charge.h — the receipt of a charge that is already on disk.
 *
 * It is the only permission to draw noise. Only jali_ledger_charge makes one, after its
 * commit (budget/free.h is for vaults without secrets); a mechanism takes its part by
 * jali_charge_spend before it draws, and a part that was not paid for is refused with nothing
 * drawn. One thread at a time.
 */
#ifndef JALI_BUDGET_CHARGE_H
#define JALI_BUDGET_CHARGE_H

#include "budget/loss.h"

typedef struct jali_charge jali_charge;

/* The row of the ledger that paid. */
int64_t jali_charge_seq(const jali_charge *charge);
jali_loss jali_charge_paid(const jali_charge *charge);
jali_loss jali_charge_left(const jali_charge *charge);

/* Takes `part` out of what is left; JALI_E_INTERNAL if it would overdraw, or if the release
 * of this charge is already stored. */
JALI_MUST_USE jali_status jali_charge_spend(jali_charge *charge, jali_loss part, jali_err *err);

/* Frees the receipt and gives nothing back: there is no refund. Its ledger must still be open.
 * NULL is fine. */
void jali_charge_free(jali_charge *charge);

#endif
