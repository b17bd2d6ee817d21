/* door/shelf.h — a list in a JSON file of a vault: who may come in, which models there are.
 *
 * VAULT/NAME.json is {"jali": 1, "NAME": [...]}. It is replaced whole under a lock, so that a
 * crash leaves the old one or the new one and two writers lose nothing.
 */
#ifndef JALI_DOOR_SHELF_H
#define JALI_DOOR_SHELF_H

#include "base/arena.h"
#include "base/json.h"

typedef struct jali_shelf {
    jali_arena arena;
    char *path;
    int lock;
    json_t *json, *items; /* items is borrowed of json; empty if there is no file */
} jali_shelf;

/* `write`: takes the lock. Close it if and only if JALI_OK was returned. */
JALI_MUST_USE jali_status jali_shelf_open(jali_shelf *shelf, const char *vault,
                                          const char *name, bool write, jali_err *err);
JALI_MUST_USE jali_status jali_shelf_save(jali_shelf *shelf, jali_err *err);
void jali_shelf_close(jali_shelf *shelf);

/* A member that is a text; "" if it is not there. */
const char *jali_shelf_word(const json_t *item, const char *key);

#endif
