/* audit/cases.h — the cases there are, one list a verb; each ends with a nameless one. */
#ifndef JALI_AUDIT_CASES_H
#define JALI_AUDIT_CASES_H

#include "audit/audit.h"

/* Runs on each side: 8,000 in all where it matters most, fewer where a case varies another or
 * a run is dear. make audit has five minutes. */
enum {
    JALI_RUNS_MOST = 4000,
    JALI_RUNS_MANY = 2000,
    JALI_RUNS_SOME = 500,
    JALI_RUNS_RANDOM = 300,
    JALI_RUNS_FEW = 150,
    JALI_RANDOM_CASES = 24
};

extern const jali_audit_case jali_case_ask[], jali_case_why[], jali_case_profile[],
    jali_case_contrast[], jali_case_cluster[], jali_case_model[];

/* Case `number` (from 1) of those that a seed makes; its texts are in the arena. */
JALI_MUST_USE jali_status jali_case_random(jali_audit_case *out, unsigned number,
                                           jali_arena *arena, jali_err *err);

#endif
