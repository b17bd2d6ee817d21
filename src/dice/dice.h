/* dice/dice.h — the only randomness of the house.
 *
 * A handle belongs to one thread. It survives fork: the child never repeats the parent.
 * There is no seed: tests link or hook another source (tests/support/seeded_dice.h).
 */
#ifndef JALI_DICE_DICE_H
#define JALI_DICE_DICE_H

#include "base/err.h"

typedef struct jali_dice jali_dice;

/* Opens the dice and keys them from the operating system.
 *   *out    owned by the caller until jali_dice_free
 *   fails   JALI_E_ENTROPY: no entropy; JALI_E_NOMEM; JALI_E_INTERNAL: the thread does not
 *           round to nearest, so no error bound below would hold */
JALI_MUST_USE jali_status jali_dice_new(jali_dice **out, jali_err *err);
void jali_dice_free(jali_dice *d);

/* For who keeps a handle between requests instead of making one for each. At rest it has no
 * word and no key, so a machine that is copied while it rests repeats nothing; awake it is as
 * new, keyed anew, and the caller's thread's. Fails as jali_dice_new does; a handle that does
 * not wake may still be freed. */
void jali_dice_rest(jali_dice *d);
JALI_MUST_USE jali_status jali_dice_wake(jali_dice *d, jali_err *err);

/* 64 fresh bits, or n fresh bytes. Each bit is handed out once and erased here.
 * JALI_E_ENTROPY: nothing is written, and the next call tries the source again. */
JALI_MUST_USE jali_status jali_dice_word(jali_dice *d, uint64_t *out);
JALI_MUST_USE jali_status jali_dice_bytes(jali_dice *d, void *out, size_t n);

#endif
