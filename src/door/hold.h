/* door/hold.h — the ledger of a vault and what is public about it, held open for a server. */
#ifndef JALI_DOOR_HOLD_H
#define JALI_DOOR_HOLD_H

#include "door/door.h"
#include "door/vault.h"

typedef struct jali_held jali_held;

/* Lends the ledger; give it back with the same `held`. Safe from any thread. */
JALI_MUST_USE jali_status jali_hold_take(jali_hold *hold, jali_held **held,
                                         jali_ledger **ledger, jali_err *err);
/* The vault as it was when that ledger was opened, for jali_vault_open_like; NULL: none. It is
 * there until `held` is given back. */
const jali_vault *jali_hold_vault(const jali_held *held);
/* Where its vault is. */
const char *jali_hold_path(const jali_hold *hold);
void jali_hold_give(jali_hold *hold, jali_held *held);

#endif
