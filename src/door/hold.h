/* door/hold.h — the ledger of a vault and what is public about it, held open for a server. */
#ifndef JALI_DOOR_HOLD_H
#define JALI_DOOR_HOLD_H

#include "dice/dice.h"
#include "door/door.h"
#include "door/vault.h"

typedef struct jali_held jali_held;

/* Lends the ledger; give it back with the same `held`. Safe from any thread. */
JALI_MUST_USE jali_status jali_hold_take(jali_hold *hold, jali_held **held,
                                         jali_ledger **ledger, jali_err *err);
void jali_hold_give(jali_hold *hold, jali_held *held);

/* Lends the vault, opened: the one that everybody has while its files stay as they are, another
 * after they changed, each time another one if its rows are in a database. Fails as
 * jali_vault_open does. It is there until it is given back; safe from any thread. */
typedef struct jali_copy jali_copy;
JALI_MUST_USE jali_status jali_hold_lend(jali_hold *hold, jali_copy **copy, jali_vault **vault,
                                         jali_err *err);
void jali_hold_return(jali_hold *hold, jali_copy *copy); /* NULL is fine */

/* Lends dice that are as new; NULL back is fine. */
JALI_MUST_USE jali_status jali_hold_dice(jali_hold *hold, jali_dice **out, jali_err *err);
void jali_hold_dice_back(jali_hold *hold, jali_dice *dice);

/* Where its vault is. */
const char *jali_hold_path(const jali_hold *hold);

#endif
