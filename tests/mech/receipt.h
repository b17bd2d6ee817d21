/* tests/mech/receipt.h — a receipt without a ledger, for mechanisms on their own. */
#ifndef JALI_TESTS_MECH_RECEIPT_H
#define JALI_TESTS_MECH_RECEIPT_H

#include "budget/inside.h"

static inline jali_charge receipt(jali_loss paid)
{
    return (jali_charge){ .seq = 1, .paid = paid, .left = paid, .turn = -1 };
}

/* Nothing can be drawn with it any more. */
static inline bool used_up(const jali_charge *charge)
{
    jali_loss left = jali_charge_left(charge);
    return left.eps_pico == 0 && left.rho_pico == 0 && left.delta_atto == 0;
}

#endif
