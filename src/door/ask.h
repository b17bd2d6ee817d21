/* door/ask.h — what one question holds while it runs. */
#ifndef JALI_DOOR_ASK_H
#define JALI_DOOR_ASK_H

#include "door/door.h"
#include "door/vault.h"
#include "explain/query/answer.h"

typedef struct jali_asking {
    const jali_question *question;
    jali_arena arena;
    jali_vault *vault;
    jali_ledger *ledger;
    jali_totals totals; /* before */
    jali_query query;
    jali_ask ask;
    double miss;
    jali_release release;
    bool free; /* answered before */
} jali_asking;

/* Sets a->miss; sets a->ask, from --epsilon, --rho or --error. */
JALI_MUST_USE jali_status jali_asking_confidence(jali_asking *a, jali_err *err);
JALI_MUST_USE jali_status jali_asking_price(jali_asking *a, jali_err *err);

/* The answer that a->release holds, and what the question would cost. */
JALI_MUST_USE jali_status jali_asking_answer(jali_asking *a, jali_doc **out, jali_err *err);
JALI_MUST_USE jali_status jali_asking_quote(jali_asking *a, jali_doc **out, jali_err *err);

#endif
