/* audit/inside.h — what the files of this room share. */
#ifndef JALI_AUDIT_INSIDE_H
#define JALI_AUDIT_INSIDE_H

#include "audit/audit.h"
#include <sys/types.h>

typedef struct jali_child {
    pid_t pid;
    int out, err;
} jali_child;

/* One child of a jali_audit_run, for who wants several at once. */
JALI_MUST_USE jali_status jali_child_start(jali_child *child, jali_program program,
                                           const char *folder, const char *const *words,
                                           jali_err *err);
JALI_MUST_USE jali_status jali_child_end(jali_child *child, jali_output *out, jali_err *err);

#endif
