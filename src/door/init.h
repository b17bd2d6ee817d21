/* door/init.h — what the curator hears after an import. */
#ifndef JALI_DOOR_INIT_H
#define JALI_DOOR_INIT_H

#include "door/door.h"
#include "table/import.h"
#include "table/remote.h"

/* For the curator's eyes: it counts cells. */
JALI_MUST_USE jali_status jali_init_doc(const jali_import_report *report,
                                        const jali_schema *schema, const jali_init *ask,
                                        const char *vault, jali_doc **out, jali_err *err);

/* Finds the table of ask->postgres and tries every expression on it, without reading a row. */
JALI_MUST_USE jali_status jali_init_remote(const jali_init *ask, const jali_schema *schema,
                                           const jali_person_key *key, jali_arena *arena,
                                           jali_remote_place *out, jali_err *err);

/* What the curator hears then. */
JALI_MUST_USE jali_status jali_init_remote_doc(const jali_remote_place *place,
                                               const jali_schema *schema, const jali_init *ask,
                                               const char *vault, jali_doc **out,
                                               jali_err *err);

/* Locks an unfinished vault's folder for as long as the returned descriptor is open; -1: it is
 * locked by another process, or gone. */
int jali_init_hold(const char *folder);

#endif
