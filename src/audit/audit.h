/* audit/audit.h — two neighbouring tables, one command line, and what its outputs give away.
 *
 * A case is run many times on a table with a person and on the table without. Half of the runs
 * choose events that tell the two apart, the other half counts them: exact binomial bounds then
 * prove a privacy loss from below. If it is above what was charged, something is broken.
 */
#ifndef JALI_AUDIT_AUDIT_H
#define JALI_AUDIT_AUDIT_H

#include "base/arena.h"
#include "base/err.h"
#include "budget/loss.h"
#include <jansson.h>

enum {
    JALI_AUDIT_WORDS = 32,    /* of a command line                              */
    JALI_AUDIT_EVENTS = 8,    /* tested per case and direction                  */
    JALI_AUDIT_FEATURES = 512 /* of an output; more are not looked at           */
};

/* Words of a command line; "VAULT" stands for the vault, "GIVEN" for a file. NULL ends. */
typedef struct jali_audit_case {
    const char *name, *verb;
    const char *tries;  /* what is tried, a line for the report                 */
    const char *schema; /* JSON                                                 */
    const char *rows;   /* CSV with header; a line "40*a,3" stands for 40 of it */
    const char *person; /* the lines of one person, in the first table only     */
    const char *delta;  /* of the vault; "0": pure                              */
    const char *file;   /* what the file "GIVEN" holds; NULL: there is none       */
    const char *prepare[JALI_AUDIT_WORDS]; /* run once, before: the same release in both */
    const char *command[JALI_AUDIT_WORDS];
    unsigned runs; /* on each side */
} jali_audit_case;

/* ---- sheet.c: outputs as rows of features ---------------------------------------------- */

/* One output: exit code, standard error and standard output. */
typedef struct jali_output {
    int exit_code;
    char *out, *err;
} jali_output;

/* A number (kind 'n') or a word's print (kind 'w'); 0: the output has no such feature. */
typedef struct jali_feature {
    char kind;
    union {
        double number;
        uint64_t word;
    };
} jali_feature;

typedef struct jali_sheet {
    jali_arena arena;
    size_t n_names;
    const char *name[JALI_AUDIT_FEATURES];
    jali_feature *column[JALI_AUDIT_FEATURES]; /* its value in each row */
    size_t rows, room;
    bool *with;  /* of each row: the person was in                          */
    size_t next; /* where the next feature probably is: outputs are alike   */
} jali_sheet;

void jali_sheet_clear(jali_sheet *sheet);
/* Reads JSON where the output is JSON; exit code and error are features, too. */
JALI_MUST_USE jali_status jali_sheet_add(jali_sheet *sheet, bool with,
                                         const jali_output *output, jali_err *err);
/* The loss an output says it was charged; false if it says none. */
bool jali_output_paid(const jali_output *output, jali_loss *loss);

/* ---- events.c -------------------------------------------------------------------------- */

/* Counts of one event on the half that did not choose it. */
typedef struct jali_event {
    char words[160];
    uint64_t with, without; /* runs in which it happened   */
    uint64_t n_with, n_without;
} jali_event;

/* Chooses on even rows, counts on odd ones. Returns how many events there are. */
size_t jali_events_find(const jali_sheet *sheet, jali_event out[static JALI_AUDIT_EVENTS]);

/* ---- bounds.c -------------------------------------------------------------------------- */

/* Clopper and Pearson: P(p < low) <= alpha and P(p > high) <= alpha. */
double jali_binomial_low(uint64_t k, uint64_t n, double alpha);
double jali_binomial_high(uint64_t k, uint64_t n, double alpha);

/* The loss that an event proves, each way round, with error alpha: eps if the charge is pure,
 * else rho (at the charge's delta). 0: nothing is proved. */
double jali_event_loss(const jali_event *event, jali_loss charged, double alpha);

/* The hockey stick P(event) - e^eps Q(event) that an event proves, at the eps where it uses up
 * most of what the charged rho and delta allow there. */
typedef struct jali_stick {
    double eps, proved, allowed;
} jali_stick;

jali_stick jali_event_stick(const jali_event *event, jali_loss charged, double alpha);

/* ---- vaults.c and child.c: running ----------------------------------------------------- */

typedef struct jali_audit_bench {
    const char *folder; /* scratch; made and removed by the caller */
    jali_program program;
    unsigned at_once; /* children */
} jali_audit_bench;

/* Makes the two vaults of a case and runs its command on fresh copies. */
JALI_MUST_USE jali_status jali_audit_collect(const jali_audit_bench *bench,
                                             const jali_audit_case *c, unsigned runs,
                                             jali_sheet *sheet, jali_loss *charged,
                                             jali_err *err);

/* Runs a command line in a child, in `folder`; free its output with jali_output_clear. */
JALI_MUST_USE jali_status jali_audit_run(jali_program program, const char *folder,
                                         const char *const *words, jali_output *out,
                                         jali_err *err);
void jali_output_clear(jali_output *output);

#endif
