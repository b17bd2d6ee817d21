/* door/hold.h — the ledger of a vault, held open for a server. */
#ifndef JALI_DOOR_HOLD_H
#define JALI_DOOR_HOLD_H

#include "door/door.h"

typedef struct jali_held jali_held;

/* Lends the ledger; give it back with the same `held`. Safe from any thread. */
JALI_MUST_USE jali_status jali_hold_take(jali_hold *hold, jali_held **held,
                                         jali_ledger **ledger, jali_err *err);
void jali_hold_give(jali_hold *hold, jali_held *held);

#endif
