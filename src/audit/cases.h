/* audit/cases.h — the cases there are, one list a verb; each ends with a nameless one. */
#ifndef JALI_AUDIT_CASES_H
#define JALI_AUDIT_CASES_H

#include "audit/audit.h"

/* Runs on each side: 10,000 in all where it matters most, fewer where a case varies another or
 * a run is dear. make audit has five minutes. */
enum { JALI_RUNS_MOST = 5000, JALI_RUNS_SOME = 1500, JALI_RUNS_FEW = 150 };

extern const jali_audit_case jali_case_ask[], jali_case_why[], jali_case_profile[],
    jali_case_contrast[], jali_case_cluster[], jali_case_model[];

#endif
