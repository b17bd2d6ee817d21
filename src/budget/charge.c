/* budget/charge.c — the receipt of a charge that is already on disk. */
#include "budget/charge.h"
#include "budget/free.h"
#include "budget/inside.h"

int64_t jali_charge_seq(const jali_charge *charge)
{
    return charge->seq;
}

jali_loss jali_charge_paid(const jali_charge *charge)
{
    return charge->paid;
}

jali_loss jali_charge_left(const jali_charge *charge)
{
    return charge->left;
}

jali_status jali_charge_spend(jali_charge *charge, jali_loss part, jali_err *err)
{
    if (charge->stored)
        return jali_fail(err, JALI_E_INTERNAL, JALI_FOR_ANALYST,
                         "the release of charge %lld is already stored; nothing was drawn",
                         (long long)charge->seq);
    if (!jali_loss_is_sound(part) || !jali_loss_within(part, charge->left))
        return jali_fail(err, JALI_E_INTERNAL, JALI_FOR_ANALYST,
                         "a mechanism wanted more than charge %lld paid for; nothing was drawn",
                         (long long)charge->seq);
    charge->left.eps_pico -= charge->left.eps_infinite ? 0 : part.eps_pico;
    charge->left.rho_pico -= part.rho_pico;
    charge->left.delta_atto -= part.delta_atto;
    return JALI_OK;
}

void jali_charge_free(jali_charge *charge)
{
    if (charge == NULL) return;
    jali_turn_leave(charge);
    free(charge);
}

jali_status jali_charge_unpaid(jali_charge **out, jali_loss loss, jali_err *err)
{
    jali_charge *charge = calloc(1, sizeof *charge);
    if (charge == NULL) return jali_fail_memory(err);
    *charge = (jali_charge){ .paid = loss, .left = loss, .turn = -1 };
    *out = charge;
    return JALI_OK;
}
