/* door/report.h — what the parts of a report share. */
#ifndef JALI_DOOR_REPORT_H
#define JALI_DOOR_REPORT_H

#include "door/book.h"
#include "door/desk.h"

typedef struct jali_reporting {
    const jali_report *ask;
    jali_desk desk; /* opened for reading */
    jali_totals totals;
    jali_book book;
    const jali_entry **told; /* the releases of the report */
    size_t n_told;
    jali_doc *doc;
} jali_reporting;

/* The guarantee in plain words: who is a person, what an attacker could learn at most. */
void jali_report_promise(jali_reporting *r);

/* How the numbers were made, for the kinds that are told; what is not promised. */
void jali_report_methods(jali_reporting *r);
void jali_report_limits(jali_reporting *r);

/* The largest belief that someone who believed `prior` can come to, at epsilon. */
double jali_report_belief(double prior, double epsilon);

#endif
