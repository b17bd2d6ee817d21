/* audit/inside.h — what the files of this room share. */
#ifndef JALI_AUDIT_INSIDE_H
#define JALI_AUDIT_INSIDE_H

#include "audit/audit.h"
#include <sys/types.h>

enum { JALI_PAIR_FILES = 16 };

/* ---- vaults.c: two vaults of a case, and fresh copies ------------------------------- */

typedef struct jali_copied {
    const char *name;
    char *bytes;
    size_t n;
} jali_copied;

typedef struct jali_pair {
    const jali_audit_bench *bench;
    const jali_audit_case *c;
    jali_arena arena;
    const char *home, *given;
    jali_copied file[JALI_PAIR_FILES]; /* of the vault with the person, but for its columns */
    size_t n_files;
    const char *words[JALI_AUDIT_WORDS + 1]; /* the command line of every run */
} jali_pair;

/* Makes both vaults and keeps the files of the first. Clear in any case. */
JALI_MUST_USE jali_status jali_pair_make(jali_pair *p, const jali_audit_bench *bench,
                                         const jali_audit_case *c, jali_err *err);
void jali_pair_clear(jali_pair *p);

/* Makes `folder`/v.jali a fresh copy, whatever was there before. */
JALI_MUST_USE jali_status jali_pair_copy(const jali_pair *p, const char *folder, bool with,
                                         jali_err *err);

/* ---- child.c: the program in a process of its own ------------------------------------ */

typedef struct jali_child {
    pid_t pid;
    int out, err;
} jali_child;

/* One child of a jali_audit_run, for who wants several at once. */
JALI_MUST_USE jali_status jali_child_start(jali_child *child, jali_program program,
                                           const char *folder, const char *const *words,
                                           jali_err *err);
JALI_MUST_USE jali_status jali_child_end(jali_child *child, jali_output *out, jali_err *err);

/* What a file in memory holds; NULL: too much, or no memory. */
char *jali_child_read(int fd);

/* ---- worker.c: a process that runs the program again and again ----------------------- */

/* Does runs first, first + step, ... below `end`, even ones with the person, each on a fresh
 * copy in its folder, and sends its outputs down a pipe. */
typedef struct jali_worker {
    const jali_pair *pair;
    const char *folder;
    unsigned first, step, end;
    pid_t pid;
    int pipe, out, err;
} jali_worker;

JALI_MUST_USE jali_status jali_worker_start(jali_worker *w, jali_err *err);
/* The next output. A worker that died gives the output it died of, and is started again behind
 * it. */
JALI_MUST_USE jali_status jali_worker_next(jali_worker *w, jali_output *out, jali_err *err);
void jali_worker_end(jali_worker *w);

#endif
