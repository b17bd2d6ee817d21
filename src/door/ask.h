/* door/ask.h — what one question holds while it runs. */
#ifndef JALI_DOOR_ASK_H
#define JALI_DOOR_ASK_H

#include "door/desk.h"
#include "door/teller.h"
#include "explain/query/answer.h"

typedef struct jali_asking {
    const jali_schema *schema;
    const char *sql, *error; /* error: --error, NULL: none */
    jali_law law;
    double miss; /* 1 - confidence */
    jali_arena *arena;
    jali_query query;
    jali_ask ask; /* clear with jali_ask_clear */
} jali_asking;

/* Sets a->ask, from --epsilon, --rho or --error. */
JALI_MUST_USE jali_status jali_asking_price(jali_asking *a, const jali_desk *desk,
                                            jali_err *err);

/* The question that a stored release answers, priced as it was; for whoever builds on it. */
JALI_MUST_USE jali_status jali_asking_reopen(jali_asking *a, const jali_schema *schema,
                                             const jali_release *release, double miss,
                                             jali_arena *arena, jali_err *err);

/* The answer on a document, and what the question would cost. */
JALI_MUST_USE jali_status jali_asking_tell(jali_asking *a, const jali_telling *t,
                                           jali_err *err);
JALI_MUST_USE jali_status jali_asking_quote(jali_asking *a, jali_desk *desk,
                                            const jali_job *job, jali_doc **out, jali_err *err);

#endif
