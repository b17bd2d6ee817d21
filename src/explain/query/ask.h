/* explain/query/ask.h — a question answered: what is measured, what it costs, what came out.
 *
 * An answer is made of measures, each one vector over all groups of the public domain: rows,
 * known values of a column, sum of a column. COUNT, SUM and AVG are read off them afterwards
 * (explain/query/answer.h), free of charge and at any confidence.
 */
#ifndef JALI_EXPLAIN_QUERY_ASK_H
#define JALI_EXPLAIN_QUERY_ASK_H

#include "base/pool.h"
#include "explain/query/query.h"
#include "mech/noise.h"
#include "tally/plan.h"

typedef enum jali_measure_kind {
    JALI_MEASURE_ROWS,
    JALI_MEASURE_VALUES,
    JALI_MEASURE_SUM /* of code - centre */
} jali_measure_kind;

typedef struct jali_measure {
    jali_measure_kind kind;
    size_t field;    /* not for rows                                    */
    uint64_t centre; /* sums: the middle of the bounds, in steps        */
    jali_reach reach;
} jali_measure;

enum { JALI_ASK_MEASURES = 1 + 2 * JALI_QUERY_AGGREGATES };

typedef struct jali_ask {
    const jali_schema *schema;
    jali_query query;
    size_t axis[JALI_QUERY_GROUPS]; /* query.group in the order of the schema: equal
                                       questions, equal plans                         */
    uint64_t cells;
    size_t n_measures;
    jali_measure measure[JALI_ASK_MEASURES];
    jali_law law;
    jali_noiser *noiser; /* for one measure; each gets an equal part of the budget    */
    jali_loss loss;      /* of all of them                                            */
    const char *exact;   /* the same in words, for the auditor                        */
    jali_plan *tables;   /* bound to a vault's columns                                */
    size_t table[JALI_ASK_MEASURES];
    const char *plan; /* canonical                                                 */
} jali_ask;

/* Makes the plan and its price from public facts. `budget` > 0 is eps for Laplace and rho for
 * Gauss, for the whole question. Texts live in the arena; clear the rest by jali_ask_clear. */
JALI_MUST_USE jali_status jali_ask_init(jali_ask *ask, const jali_schema *schema,
                                        const jali_query *query, jali_law law,
                                        mpq_srcptr budget, jali_arena *arena, jali_err *err);
void jali_ask_clear(jali_ask *ask);

/* States what is to be counted, on the columns of a vault. All that can be refused about a
 * question is refused by now, before anything is paid. */
JALI_MUST_USE jali_status jali_ask_bind(jali_ask *ask, jali_columns *columns, jali_arena *arena,
                                        jali_err *err);

/* Counts, takes its part of the receipt, draws. *body is the release: JSON in the arena, with
 * the wording `sql` so that it can be told again. */
JALI_MUST_USE jali_status jali_ask_run(const jali_ask *ask, const char *sql, jali_pool *pool,
                                       jali_charge *charge, jali_dice *dice, jali_arena *arena,
                                       char **body, jali_err *err);

#endif
