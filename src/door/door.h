/* door/door.h — what the files behind jali.h share. */
#ifndef JALI_DOOR_DOOR_H
#define JALI_DOOR_DOOR_H

#include "base/arena.h"
#include "budget/ledger.h"
#include "report/doc.h"

/* VAULT/name in the arena; refuses a path that is not a folder, in one sentence. */
JALI_MUST_USE jali_status jali_door_path(const char *vault, const char *name, jali_arena *arena,
                                         char **out, jali_err *err);

/* The file of the vault's book, or the one that says on which server it is. */
JALI_MUST_USE jali_status jali_door_book(const char *vault, jali_arena *arena, const char **out,
                                         jali_err *err);

JALI_MUST_USE jali_status jali_door_ledger(const char *vault, jali_ledger_mode mode,
                                           jali_arena *arena, jali_ledger **out, jali_err *err);

/* Sets a loss as a member of the JSON; tells what a sum leaves of a cap, as fact and member. */
void jali_door_set_loss(jali_doc *doc, const char *key, jali_loss loss);
void jali_door_tell_left(jali_doc *doc, const jali_cap *cap, jali_loss sum);

/* "2026-11-16 01:36:12" (UTC). `out` has room for 32 bytes. */
char *jali_door_time(char out[static 32], int64_t ms);

#endif
