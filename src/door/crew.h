/* door/crew.h — a vault opened by several processes at once, each with its shards. */
#ifndef JALI_DOOR_CREW_H
#define JALI_DOOR_CREW_H

#include "door/vault.h"

/* Rank 0 opens its share and has the others open theirs; refuses shards that are not of one
 * import, or too many rows. A crew of one, or none, is jali_vault_open. */
JALI_MUST_USE jali_status jali_crew_open(jali_vault **out, const char *path,
                                         const jali_crew *crew, jali_err *err);

#endif
