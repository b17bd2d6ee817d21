/* eval/profile_table.h — rows of a public vault, clustered and counted in the open. */
#ifndef JALI_EVAL_PROFILE_TABLE_H
#define JALI_EVAL_PROFILE_TABLE_H

#include "eval/eval.h"
#include "eval/profile_truth.h"
#include "explain/separate/shown.h"

/* Every attribute as bars, row by row. */
typedef struct jali_open_rows {
    size_t rows;
    uint32_t attributes;
    const jali_shown *shown;
    uint16_t **bar; /* [attribute][row] */
    jali_arena *arena;
} jali_open_rows;

JALI_MUST_USE jali_status jali_open_rows_read(const jali_stage *stage, jali_open_rows *out,
                                              jali_err *err);

/* Labels of k-means with so many centres on the codes of all columns, scaled by their bounds.
 */
JALI_MUST_USE jali_status jali_open_labels(const jali_stage *stage, uint32_t clusters,
                                           uint32_t **label, jali_err *err);

/* Counts of the rows of a sample, and the same as sealed tables for the mechanisms. `twins`
 * > 0 adds to each attribute one that keeps its value with that probability and is drawn from
 * the whole table else: Cramer's V between them is `twins`. */
typedef struct jali_open_tables {
    jali_crosstab truth;
    const jali_tally **counts;
} jali_open_tables;

JALI_MUST_USE jali_status jali_open_count(const jali_open_rows *rows, const uint32_t *label,
                                          uint32_t clusters, double share, double twins,
                                          uint64_t seed, jali_arena *arena,
                                          jali_open_tables *out, jali_err *err);

#endif
