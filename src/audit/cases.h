/* audit/cases.h — the cases there are, one list a verb; each ends with a nameless one. */
#ifndef JALI_AUDIT_CASES_H
#define JALI_AUDIT_CASES_H

#include "audit/audit.h"

extern const jali_audit_case jali_case_ask[], jali_case_why[], jali_case_profile[],
    jali_case_contrast[], jali_case_cluster[], jali_case_model[];

#endif
