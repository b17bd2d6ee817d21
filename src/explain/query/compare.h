/* explain/query/compare.h — "Queens,Brooklyn >= 10 * Brooklyn,Queens", as a typed question.
 *
 * A comparison is arithmetic over the groups of one released aggregate: + - * / ( ) exp log,
 * numbers, and names of groups. A name is written as the answer writes it, in quotes where it
 * holds an operator, and with commas where GROUP BY has several columns. What stands left of >
 * or >= (right of < or <=) is claimed to be the larger.
 *
 * Most questions are weighted sums, "sum of weight * group > constant": DPXPlain's Definition
 * 3.1 and C.1. Only those can be explained; the others still have an interval.
 * Nothing here sees a row.
 */
#ifndef JALI_EXPLAIN_QUERY_COMPARE_H
#define JALI_EXPLAIN_QUERY_COMPARE_H

#include "explain/query/query.h"
#include <gmp.h>

enum {
    JALI_COMPARE_GROUPS = 16,      /* in one question; as many as score/influence.h takes */
    JALI_COMPARE_WEIGHT = 1 << 20, /* the largest whole weight                            */
    JALI_COMPARE_BYTES = 4096,
    JALI_COMPARE_DEPTH = 64
};

typedef enum jali_node_kind {
    JALI_NODE_NUMBER,
    JALI_NODE_GROUP,
    JALI_NODE_ADD,
    JALI_NODE_SUBTRACT,
    JALI_NODE_TIMES,
    JALI_NODE_OVER,
    JALI_NODE_EXP,
    JALI_NODE_LOG
} jali_node_kind;

typedef struct jali_node {
    jali_node_kind kind;
    const char *number; /* as written           */
    double value;       /* of the number        */
    size_t group;       /* which of the groups  */
    const struct jali_node *left, *right;
} jali_node;

typedef struct jali_comparison {
    size_t aggregate; /* of the query                                              */
    size_t n;         /* groups                                                    */
    uint64_t part[JALI_COMPARE_GROUPS][JALI_QUERY_GROUPS]; /* codes, as in GROUP BY */
    const char *name[JALI_COMPARE_GROUPS];
    const jali_node *tree; /* the larger side less the smaller one: > 0 is claimed; NULL for
                              weighted sums, which have all of it in their weights  */

    /* Weighted sums: claimed is unit * sum of weight * group > constant. The weights have no
     * common factor, so that 2 A > 2 B is the question A > B; groups in the order of their
     * cells. */
    bool linear, or_equal;
    int32_t weight[JALI_COMPARE_GROUPS];
    double unit, constant;
    const char *words; /* the question as it was understood: "a > b", "a + b > 10 * c" */
} jali_comparison;

/* `of` names the aggregate by its label ("AVG(income)"); NULL: the only one there is.
 * Everything in *out lives in the arena. JALI_E_USAGE for the analyst, with the place. */
JALI_MUST_USE jali_status jali_compare_parse(const jali_schema *schema, const jali_query *query,
                                             const char *text, const char *of,
                                             jali_arena *arena, jali_comparison *out,
                                             jali_err *err);

/* ---- inside ----------------------------------------------------------------------- */

/* explain/query/group.c: the group that n bytes name; false if there is none. */
JALI_MUST_USE jali_status jali_group_find(const jali_schema *schema, const jali_query *query,
                                          const char *text, size_t n, jali_arena *arena,
                                          uint64_t part[JALI_QUERY_GROUPS], bool *found,
                                          jali_err *err);

/* The sentence about a name that is no group, with the nearest one. */
void jali_group_unknown(const jali_schema *schema, const jali_query *query, const char *text,
                        size_t n, jali_arena *arena, char *words, size_t room);

/* The name of a group as an answer writes it, columns apart by commas. NULL: no memory. */
const char *jali_group_name(const jali_schema *schema, const jali_query *query,
                            const uint64_t part[JALI_QUERY_GROUPS], jali_arena *arena);

/* explain/query/linear.c: sets linear, weight, unit, constant, words and drops the groups that
 * cancel out. JALI_E_USAGE: nothing is left, or a weight is too large. */
JALI_MUST_USE jali_status jali_compare_linear(jali_comparison *c, const jali_schema *schema,
                                              const jali_query *query, jali_arena *arena,
                                              jali_err *err);

#endif
