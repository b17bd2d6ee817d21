/* explain/contrast/plan.h — a plan of centres: what is counted, what it costs, what came out.
 */
#ifndef JALI_EXPLAIN_CONTRAST_PLAN_H
#define JALI_EXPLAIN_CONTRAST_PLAN_H

#include "base/pool.h"
#include "explain/contrast/project.h"
#include "explain/contrast/weigh.h"
#include "table/schema.h"
#include "tally/plan.h"

enum { JALI_CONTRAST_COLUMNS = 64, JALI_CONTRAST_CAP = 1500 };

/* What an analyst may say. Everything is public. */
typedef struct jali_contrast_ask {
    size_t n; /* columns, 1 .. JALI_CONTRAST_COLUMNS */
    const char *const *column;
    const char *weight; /* a column of numbers not below 0; NULL: every row counts 1         */
    size_t centres;     /* 1 .. JALI_CENTRES_MOST                                             */
    bool squared;       /* means: squared distances                                          */
    bool tight;         /* the curator says that the data fill the box                       */
    uint32_t cap;       /* about how many cells; 0: JALI_CONTRAST_CAP                        */
    const double *low, *high; /* a smaller box, n numbers each; NULL: the columns' bounds    */
} jali_contrast_ask;

typedef struct jali_contrast {
    const jali_schema *schema;
    jali_contrast_ask ask;
    size_t field[JALI_CONTRAST_COLUMNS], weight_field; /* SIZE_MAX: none */
    jali_law law;
    unsigned bits;
    double unit; /* of a weight, in the units of its column; 1 without       */
    double row;  /* most that a row weighs, in those units                   */
    jali_coreset_shape shape;
    jali_ground ground;
    jali_project project; /* with more than three columns                    */
    jali_coreset_maker *maker;
    jali_noiser *reverse_count, *reverse_sum; /* with more than three columns */
    jali_loss loss;
    const char *plan, *exact;
    jali_plan *tables;
    size_t table;
    jali_columns *columns;
} jali_contrast;

/* From public facts alone. `budget` > 0 is eps for Laplace, rho for Gauss; `text` is its exact
 * text. Refuses (JALI_E_USAGE, analyst) what makes no sense. Clear in any case after JALI_OK.
 */
JALI_MUST_USE jali_status jali_contrast_init(jali_contrast *c, const jali_schema *schema,
                                             const jali_contrast_ask *ask, jali_law law,
                                             mpq_srcptr budget, const char *text,
                                             jali_arena *arena, jali_err *err);
void jali_contrast_clear(jali_contrast *c);

JALI_MUST_USE jali_status jali_contrast_bind(jali_contrast *c, jali_columns *columns,
                                             jali_arena *arena, jali_err *err);

/* Counts, takes its parts of the receipt, draws, finds centres. *body is the release. */
JALI_MUST_USE jali_status jali_contrast_run(const jali_contrast *c, jali_charge *charge,
                                            jali_dice *dice, jali_pool *pool, jali_arena *arena,
                                            char **body, jali_err *err);

#endif
