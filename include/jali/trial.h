/* jali/trial.h — the program tried: accuracy, attacks, generated tables. Included by jali.h. */
#ifndef JALI_TRIAL_H
#define JALI_TRIAL_H

#include "jali/ask.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- measuring ourselves --------------------------------------------------------------- */

/* How good a verb is against the truth, on a vault that was made public at import: prints
 * what no other verb may. `what` is the verb; `argument` what follows it on the command line,
 * each verb's own. */
typedef struct jali_trial {
    jali_spend spend; /* by, request and quote mean nothing here */
    const char *what;
    const char *const *argument; /* words "name=value" */
    size_t n_arguments;
    unsigned runs; /* 0: the verb's own number */
} jali_trial;

JALI_API JALI_MUST_USE jali_status jali_vault_eval(const jali_trial *trial, jali_doc **out,
                                                   jali_err *err);

/* ---- attacking ourselves -------------------------------------------------------------- */

/* The program, run as a function: the exit code of one command line. It is called in a child.
 */
typedef int (*jali_program)(int argc, char **argv);

typedef struct jali_audit {
    const char *const *verb; /* verbs or cases to try; none: all */
    size_t n_verbs;
    const char *folder; /* empty, for scratch vaults */
    jali_program program;
    unsigned at_once;              /* children side by side */
    unsigned runs;                 /* of each side of a case; 0: its own number */
    const jali_progress *progress; /* NULL: silence */
} jali_audit;

/* Runs the verbs on neighbouring tables and proves from below what their outputs give away.
 * JALI_OK with *holds false: more than was charged. */
JALI_API JALI_MUST_USE jali_status jali_audit_all(const jali_audit *audit, bool *holds,
                                                  jali_doc **out, jali_err *err);

/* ---- generated tables -------------------------------------------------------------- */

/* To try things on: made from a seed, never from data, with planted reasons, clusters and
 * places that docs/mock.md tells of. */

/* Takes n bytes of CSV; false when it cannot (a full disk, a closed pipe). */
typedef bool (*jali_mock_take)(void *self, const char *bytes, size_t n);

typedef struct jali_mock_options {
    const char *kind;   /* hospital, table, gauss or points                              */
    const char *preset; /* table: census, ipums; gauss: synth10, synth100; NULL: none    */
    uint64_t rows, seed;
    bool plain; /* nothing planted: the twin that a test of the plants must refuse       */
    bool label; /* write the planted cluster as the last column (hospital: never)        */

    /* Where to. The CSV goes to the file `out`, or to take(self, ...) if out is NULL;
     * schema and truth are files, NULL: not wanted. */
    const char *out, *schema, *truth;
    jali_mock_take take;
    void *self;

    unsigned clusters; /* table: labels; gauss: Gaussians; points: towns                 */
    double imbalance;  /* sizes fall like 1/i^imbalance; 0: equal                        */

    const unsigned *domains; /* table: values of each attribute                          */
    unsigned n_domains, numeric;
    unsigned planted; /* table: attributes that tell each cluster apart                  */
    double strength;  /* table: share of a cluster's rows moved to its planted value     */
    double missing;   /* table: share of empty cells                                     */

    unsigned dimensions; /* gauss                                                        */
    double spread;       /* gauss: standard deviation, in a box from -100 to 100         */
    double noise;        /* gauss, points: share of rows spread evenly over the box      */
    double roads;        /* points: share of rows along the roads between towns          */
} jali_mock_options;

/* Fills *o with the defaults of a kind and, if not NULL, of a preset; `out`, `take` and
 * the other places stay empty. Fails JALI_E_USAGE for an unknown word. */
JALI_API JALI_MUST_USE jali_status jali_mock_defaults(jali_mock_options *o, const char *kind,
                                                      const char *preset, jali_err *err);

/*
 * Writes the table, and its schema and truth where wanted.
 *
 *   borrows  everything; progress may be NULL
 *   fails    JALI_E_USAGE: nothing written; JALI_E_ENGINE, JALI_E_NOMEM: no half file is
 *            left behind, but a stream may have been given its first part
 */
JALI_API JALI_MUST_USE jali_status jali_mock_write(const jali_mock_options *o,
                                                   const jali_progress *progress,
                                                   jali_err *err);

/* What jali_mock_write wrote with these options, in words, and what to do with it. */
JALI_API JALI_MUST_USE jali_status jali_mock_doc(const jali_mock_options *o, jali_doc **out,
                                                 jali_err *err);

#ifdef __cplusplus
}
#endif
#endif
