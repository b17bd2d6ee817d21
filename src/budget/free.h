/* budget/free.h — a receipt that nobody paid for: eval/ draws on public vaults, where there is
 * nobody to protect. tools/rooms.txt lets no other room include this. */
#ifndef JALI_BUDGET_FREE_H
#define JALI_BUDGET_FREE_H

#include "budget/charge.h"

/* Free with jali_charge_free. No release can be stored under it. */
JALI_MUST_USE jali_status jali_charge_unpaid(jali_charge **out, jali_loss loss, jali_err *err);

#endif
