/* door/why.h — what one "why" holds while it runs. */
#ifndef JALI_DOOR_WHY_H
#define JALI_DOOR_WHY_H

#include "door/ask.h"
#include "explain/query/gap.h"
#include "explain/query/why.h"

typedef struct jali_asking_why {
    jali_asking asking; /* the answer that is asked about */
    jali_answer answer;
    jali_comparison comparison;
    jali_gap gap;
    const char *of;       /* "r1"                          */
    const char *question; /* as it was written             */
    double miss;
} jali_asking_why;

/* Finds the answer and reads the question about it. Clear w->asking.ask afterwards. */
JALI_MUST_USE jali_status jali_why_open(jali_asking_why *w, const jali_vault *vault,
                                        jali_ledger *ledger, const char *release,
                                        const char *question, const char *label, double miss,
                                        jali_arena *arena, jali_err *err);

/* door/why_doc.c: phase 2 on a document, and what would be said before spending: the influence
 * interval's half-width now, and with the whole cap. True: no budget can explain it. */
void jali_why_tell_gap(const jali_asking_why *w, jali_doc *doc);
bool jali_why_advise(const jali_asking_why *w, double half, double half_at_most, jali_doc *doc);

/* What an influence is divided by to be a share of the difference (section 4.4); 0: unknown. */
double jali_why_whole(const jali_asking_why *w);

/* door/why_table.c: the table of explanations. */
JALI_MUST_USE jali_status jali_why_tell_table(const jali_asking_why *w, const jali_told *told,
                                              jali_arena *arena, jali_doc *doc, jali_err *err);

#endif
