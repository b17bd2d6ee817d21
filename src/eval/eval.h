/* eval/eval.h — a trial of a verb against the truth, on a public vault.
 *
 * Nothing here is private: see README.md.
 */
#ifndef JALI_EVAL_EVAL_H
#define JALI_EVAL_EVAL_H

#include "base/pool.h"
#include "base/progress.h"
#include "budget/free.h"
#include "dice/dice.h"
#include "engine/columns.h"
#include "mech/interval.h"
#include "report/doc.h"
#include "table/schema.h"
#include <gmp.h>

typedef struct jali_stage {
    const char *name; /* of the vault */
    const jali_schema *schema;
    jali_columns *columns;
    jali_law law;                /* of the vault: Laplace if it is pure                     */
    mpq_t budget;                /* eps or rho, as law says; 0: not given                   */
    double miss;                 /* 1 - confidence                                          */
    unsigned runs;               /* 0: not given                                            */
    const char *const *argument; /* words NAME=VALUE                          */
    size_t n_arguments;
    jali_pool *pool;
    jali_dice *dice;
    const jali_progress *progress; /* NULL: nobody listens                    */
    jali_arena *arena;
    jali_doc *doc;
    json_t *figures; /* borrowed by the document */
} jali_stage;

/* Runs the trial of that name, or says which there are. */
JALI_MUST_USE jali_status jali_eval_run(const char *what, jali_stage *stage, jali_err *err);

/* ---- the trials, each in its own file */
jali_status jali_eval_cluster(jali_stage *stage, jali_err *err);
jali_status jali_eval_contrast(jali_stage *stage, jali_err *err);
jali_status jali_eval_why(jali_stage *stage, jali_err *err);
jali_status jali_eval_profile(jali_stage *stage, jali_err *err);

jali_status jali_eval_model(jali_stage *stage, jali_err *err);

/* ---- for trials ---------------------------------------------------------------------- */

/* The value of NAME=VALUE; `fallback` if it was not given. */
const char *jali_stage_word(const jali_stage *stage, const char *name, const char *fallback);
JALI_MUST_USE jali_status jali_stage_number(const jali_stage *stage, const char *name,
                                            double fallback, double *out, jali_err *err);
/* Refuses a NAME=VALUE whose name is not among the n, and a word without "=". */
JALI_MUST_USE jali_status jali_stage_expect(const jali_stage *stage, const char *const *names,
                                            size_t n, jali_err *err);

/* A figure, by name and value; `deviation` NAN: none. Row of the table that the document
 * ends with, member of "figures". */
void jali_stage_figure(jali_stage *stage, double value, double deviation, const char *fmt, ...)
    JALI_PRINTF(4, 5);

#endif
