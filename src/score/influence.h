/* score/influence.h — how much a predicate matters to a comparison of groups, sealed.
 *
 * A question compares groups by weights, "w0 G0 + w1 G1 + ... is large"; two groups with
 * weights 1 and -1 are "G0 > G1". The influence of a predicate p says how much of that is lost
 * without the rows of p. With a_j rows of group j in p and b_j not, s_j and T_j their sums,
 * n_j = a_j + b_j, m = min b_j and M = max n_j + 1:
 *
 *   COUNT  m/M sum_j w_j a_j      SUM  m/M sum_j w_j s_j
 *   AVG    m   sum_j w_j ((s_j + T_j)/n_j - T_j/b_j)       (0 when m = 0)
 *
 * A score is floor(influence * num/den), the influence in rows (COUNT) or steps of the
 * column (SUM, AVG). Whatever can be refused is refused by jali_influence_init, from public
 * numbers; binding refuses only tallies of another shape than the one described.
 */
#ifndef JALI_SCORE_INFLUENCE_H
#define JALI_SCORE_INFLUENCE_H

#include "base/arena.h"
#include "base/err.h"
#include "score/score.h"
#include "tally/tally.h"
#include <stdbool.h>

typedef enum jali_influence_of {
    JALI_INFLUENCE_COUNT,
    JALI_INFLUENCE_SUM,
    JALI_INFLUENCE_AVG
} jali_influence_of;

/* PAPER is for comparison on public vaults only: 4, 4A and 16A for two groups, and twice
 * that for the range. Safe, but 2 to 10 times what is needed. */
typedef enum jali_influence_constants {
    JALI_CONSTANTS_PROVEN,
    JALI_CONSTANTS_PAPER
} jali_influence_constants;

enum {
    JALI_INFLUENCE_GROUPS = 16,
    JALI_INFLUENCE_WEIGHT = 1 << 20, /* largest |weight|  */
    JALI_INFLUENCE_ATTRIBUTES = 3,   /* of one predicate  */
    JALI_INFLUENCE_GRID_BITS = 20    /* a good fineness: rounding is 1e-6 of the range */
};

/* All of it public. Rows whose label is `groups` or above belong to no group. */
typedef struct jali_influence_spec {
    jali_influence_of of;
    jali_influence_constants constants;
    unsigned groups;
    int32_t weight[JALI_INFLUENCE_GROUPS];
    int64_t low;     /* SUM, AVG: a value is low + code steps, code < codes; NULL is no value */
    uint64_t codes;  /* SUM, AVG: domain of the column less one                          */
    uint64_t centre; /* SUM, AVG: the sums add code - centre                             */
    uint64_t num, den;
    uint32_t rows_per_person;
    bool nulls; /* "attribute IS NULL" is a predicate, too; else such cells are left out */
} jali_influence_spec;

/* A spec that was found sound, and how far one person moves its scores, in scores. */
typedef struct jali_influence {
    jali_influence_spec spec;
    uint64_t sensitivity; /* of one predicate: an interval for one influence        */
    uint64_t range;       /* largest change less smallest: top-k, differences, ranks */
    bool wide;            /* values do not provably fit 128 bits: GMP, for all cells */
} jali_influence;

/* Sets num/den, one of them 1 and the other a power of two, so that one row moves scores by
 * a range of at least 2^bits and less than 2^(bits+1). JALI_E_USAGE as for init. */
JALI_MUST_USE jali_status jali_influence_grid(jali_influence_spec *spec, unsigned bits,
                                              jali_err *err);

/* JALI_E_USAGE, analyst: no groups or too many, no weight or one too large, a column that
 * cannot be summed, a grid so fine that a score might not fit. */
JALI_MUST_USE jali_status jali_influence_init(jali_influence *out,
                                              const jali_influence_spec *spec, jali_err *err);

/* The predicates of one table of tallies: one for each cell of its attribute axes. */
typedef struct jali_influence_table jali_influence_table;

/*
 * counts and sums have the axes label and 1 to 3 attributes; n and S the label alone; all
 * four of one slice and, for SUM and AVG, of jali_plan_sums (rows whose value is NULL are
 * then in no group, as in SQL). COUNT has sums = S = NULL.
 *
 *   borrows  all of it, until the arena is cleared
 *   fails    JALI_E_INTERNAL: another shape, or another unit of person, than the spec's
 */
JALI_MUST_USE jali_status jali_influence_bind(const jali_influence_table **out,
                                              const jali_influence *influence,
                                              const jali_tally *counts, const jali_tally *sums,
                                              const jali_tally *n, const jali_tally *S,
                                              jali_arena *arena, jali_err *err);

/* Public: how many predicates, and which attribute codes number `index` asks for. */
uint64_t jali_influence_predicates(const jali_influence_table *table);
unsigned jali_influence_attributes(const jali_influence_table *table);
void jali_influence_codes(const jali_influence_table *table, uint64_t index,
                          uint64_t code[JALI_INFLUENCE_ATTRIBUTES]);

/* The scores of all predicates of n tables, one after the other: 8 bytes each. All tables are
 * of one influence (else JALI_E_INTERNAL). The form that holds nothing is in score/open.h. */
JALI_MUST_USE jali_status jali_influence_scores(const jali_influence_table *const *table,
                                                size_t n, jali_arena *arena,
                                                const jali_scores **out, jali_err *err);

#endif
