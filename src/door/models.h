/* door/models.h — the models that a curator registered: models.json of a vault. */
#ifndef JALI_DOOR_MODELS_H
#define JALI_DOOR_MODELS_H

#include "base/arena.h"
#include "door/shelf.h"
#include "table/schema.h"

enum { JALI_MODELS_SHA = 65 }; /* room for a SHA-256 in hexadecimal, with its end */

/* "LOW:HIGH" as two texts in the arena; NULL stays NULL. `what` names it in the sentence. */
JALI_MUST_USE jali_status jali_door_pair(const char *text, const char *what, jali_arena *arena,
                                         const char **low, const char **high, jali_err *err);

/* "public" or "private"; anything else is refused. */
JALI_MUST_USE jali_status jali_door_declared(const char *declared, bool *is_private,
                                             jali_err *err);

/* The question with everything that the registration of its model says put in; the question
 * itself if its model is no registered name and need not be. Refused, before anything is paid:
 * a file that is not the registered one any more, a word that the registration has said.
 * *seal goes into the model's print: what a command reads is part of the question. NULL: none.
 */
JALI_MUST_USE jali_status jali_models_resolve(const jali_model_question *question,
                                              jali_arena *arena, jali_model_question *out,
                                              const char **seal, jali_err *err);

/* The name of the column that a label speaks of; NULL for NULL or when memory ends. */
const char *jali_door_label_column(const jali_schema *schema, const char *label,
                                   jali_arena *arena);

/* ---- what the two files share */
bool jali_models_is_command(const char *model);
/* The SHA-256 of a regular file; false if it cannot be read. */
bool jali_models_sha(const char *path, char out[static JALI_MODELS_SHA]);
json_t *jali_models_find(const jali_shelf *shelf, const char *name); /* borrowed; or NULL */
jali_status jali_models_nameless(const jali_shelf *shelf, const char *name, jali_err *err);

#endif
