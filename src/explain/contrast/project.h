/* explain/contrast/project.h — more than three columns: seen along three public directions.
 *
 * The paper's DimReduction and DimReverse, as PRIVACY 6 and ALGORITHMS 2 have them: directions
 * come from public randomness and are part of the release, the number of rows is nowhere, and
 * centres of the original columns are noisy means of the original records.
 */
#ifndef JALI_EXPLAIN_CONTRAST_PROJECT_H
#define JALI_EXPLAIN_CONTRAST_PROJECT_H

#include "base/json.h"
#include "explain/contrast/weigh.h"
#include "mech/noise.h"
#include "table/schema.h"
#include "tally/plan.h"

enum { JALI_PROJECT_DIMS = 3, JALI_PROJECT_BITS = 5 };

typedef struct jali_project {
    size_t n;                 /* columns; 0: there is no projection */
    const double *middle;     /* of each column's bounds     */
    const int16_t *direction; /* JALI_PROJECT_DIMS * n, orthogonal, of length about 1024 */
    double stretch;           /* sqrt(n / dims) / 1024: makes lengths right on average   */
    /* of the records' side only: */
    const struct jali_cell_grid *grid; /* tally/project.h */
    int32_t low[JALI_PROJECT_DIMS], step[JALI_PROJECT_DIMS];
    const char *const *column;
} jali_project;

double jali_project_stretch(size_t n);

/* Directions from `stream`, a number made of the plan's public text. */
JALI_MUST_USE jali_status jali_project_make(jali_project *out, const jali_schema *schema,
                                            const char *const *column, const size_t *field,
                                            size_t n, uint64_t stream, jali_ground *ground,
                                            jali_arena *arena, jali_err *err);

/* A point of the original columns, seen along the directions. */
void jali_project_point(const jali_project *p, const double *at, double *out);

/* Would jali_project_reverse be refused, by a column or a size? Asked before it is paid. */
JALI_MUST_USE jali_status jali_project_check(const jali_project *p, const jali_schema *schema,
                                             const size_t *field, jali_columns *columns,
                                             size_t k, jali_err *err);

/* Noisy means of the records whose cell is nearest to each of the k projected centres, in the
 * units of the columns: k * n numbers. */
JALI_MUST_USE jali_status jali_project_reverse(const jali_project *p, const jali_schema *schema,
                                               const size_t *field, jali_columns *columns,
                                               const jali_noiser *count, const jali_noiser *sum,
                                               const jali_spot *centre, size_t k,
                                               const jali_ground *ground, jali_charge *charge,
                                               jali_dice *dice, jali_pool *pool, double *out,
                                               jali_err *err);

#endif
