/* tally/groups.h — which of a few public groups a record belongs to, as a label. */
#ifndef JALI_TALLY_GROUPS_H
#define JALI_TALLY_GROUPS_H

#include "tally/plan.h"

enum { JALI_GROUPS_COLUMNS = 3, JALI_GROUPS_MAX = 16 };

/* Group g holds the records with code[g][i] in column i for all i. Groups are apart. */
typedef struct jali_groups {
    size_t n_columns; /* 0: one group of all records */
    const char *column[JALI_GROUPS_COLUMNS];
    uint64_t domain[JALI_GROUPS_COLUMNS];
    unsigned n;
    uint64_t code[JALI_GROUPS_MAX][JALI_GROUPS_COLUMNS];
} jali_groups;

/* A label 0..n-1 for the groups, in their order, and n for everybody else. Lives in the arena.
 * JALI_E_USAGE, analyst: no group or too many, a code outside its domain, two equal groups. */
JALI_MUST_USE jali_status jali_groups_label(jali_label *out, const jali_groups *groups,
                                            jali_arena *arena, jali_err *err);

#endif
