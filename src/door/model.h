/* door/model.h — jali model: what its files share. */
#ifndef JALI_DOOR_MODEL_H
#define JALI_DOOR_MODEL_H

#include "door/desk.h"
#include "door/teller.h"
#include "explain/model/portrait.h"

typedef struct jali_sitting {
    const jali_model_question *asked;
    jali_model_question question; /* with what a registration says put in */
    const char *seal;             /* of its files; NULL: none             */
    jali_desk *desk;
    jali_model *model;
    jali_portrait portrait;
    jali_person_key key;
} jali_sitting;

/* What it would cost and how exact it would be. */
JALI_MUST_USE jali_status jali_sitting_quote(jali_sitting *s, const jali_job *job,
                                             jali_doc **out, jali_err *err);

#endif
