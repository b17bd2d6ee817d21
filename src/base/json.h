/* base/json.h — JSON by jansson, with sentences instead of NULLs.
 *
 * Strangers' JSON is read strictly: duplicate keys are refused, depth and size are
 * limited, and a member of the wrong type is named with its path.
 */
#ifndef JALI_BASE_JSON_H
#define JALI_BASE_JSON_H

#include "base/arena.h"
#include "base/err.h"
#include <jansson.h>

/* Parses n bytes; *out is a new reference. `what` names the text in the sentence (a file
 * name); line and column of the mistake go to err. */
JALI_MUST_USE jali_status jali_json_parse(json_t **out, const char *bytes, size_t n,
                                          const char *what, jali_err *err);
JALI_MUST_USE jali_status jali_json_load(json_t **out, const char *path, size_t limit,
                                         jali_err *err);

/* Canonical text: sorted keys, no spaces. Equal values have equal bytes. In the arena. */
JALI_MUST_USE jali_status jali_json_canonical(const json_t *value, jali_arena *arena,
                                              char **out, jali_err *err);

/* Pretty text, two spaces, keys in the order they were set. In the arena. */
JALI_MUST_USE jali_status jali_json_pretty(const json_t *value, jali_arena *arena, char **out,
                                           jali_err *err);

/* The string member `key` of `object`; a missing or mistyped one is JALI_E_DATA. Borrowed. */
JALI_MUST_USE jali_status jali_json_string(const json_t *object, const char *key,
                                           const char *what, const char **out, jali_err *err);

#endif
