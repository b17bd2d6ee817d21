/* score/open.h — the inside of scores. Only score/ and mech/ may include this header. */
#ifndef JALI_SCORE_OPEN_H
#define JALI_SCORE_OPEN_H

#include "score/apart.h"
#include "score/groups.h"
#include "score/score.h"
#include "score/study.h"
#include <stddef.h>
#include <stdint.h>

/* Candidates are the same for all tables; only the scores move with a person. Both bounds
 * are per person (m rows), in steps of the grid, with the rounding counted in. */
struct jali_scores {
    size_t n;
    const int64_t *score;
    uint64_t range;       /* max change - min change over the candidates (PRIVACY R) */
    uint64_t sensitivity; /* max |change| of one candidate                           */
};

/* Choices that share no row (score/groups.h). */
struct jali_score_groups {
    size_t n;
    const jali_scores *group;
};

struct jali_influence_table {
    const jali_influence *influence;
    const int64_t *count, *sum; /* label first; sum is NULL for COUNT */
    size_t cells;               /* of one label                       */
    unsigned attributes;
    uint64_t extent[JALI_INFLUENCE_ATTRIBUTES]; /* of the tally                     */
    uint64_t values[JALI_INFLUENCE_ATTRIBUTES]; /* of them, those that are asked for */
    uint64_t predicates;
    int64_t n[JALI_INFLUENCE_GROUPS], S[JALI_INFLUENCE_GROUPS];
    int64_t M;
};

/* The same for numbers that are already where they should be: `values` predicates for each of
 * 1 to 3 attributes, of tallies whose extents are at least that. */
typedef struct jali_influence_cells {
    const int64_t *count, *sum; /* label first; sum is NULL for COUNT */
    unsigned attributes;
    uint64_t extent[JALI_INFLUENCE_ATTRIBUTES], values[JALI_INFLUENCE_ATTRIBUTES];
} jali_influence_cells;

/* JALI_E_INTERNAL as for jali_influence_bind: n and S are the totals of the groups. */
JALI_MUST_USE jali_status jali_influence_lay(jali_influence_table *out,
                                             const jali_influence *influence,
                                             const jali_influence_cells *cells,
                                             const jali_tally *n, const jali_tally *S,
                                             jali_err *err);

/* Were these counted for the spec's unit of person, about its centre? */
bool jali_influence_agrees(const jali_influence *influence, const jali_tally *counts,
                           const jali_tally *sums);

/* The scores of predicates first .. first+n-1, in the order of the numbers of
 * jali_influence_codes. Not past jali_influence_predicates. */
void jali_influence_fill(const jali_influence_table *table, uint64_t first, size_t n,
                         int64_t *score);

/* All of them in order, in pieces that fit the first cache, until `take` fails. */
typedef jali_status (*jali_score_taker)(void *self, const int64_t *score, size_t n);
JALI_MUST_USE jali_status jali_influence_each(const jali_influence_table *table,
                                              jali_score_taker take, void *self);

/* ---- all scores of a study --------------------------------------------------------------- */

/* n more scores. They belong to predicates first + cell[i] or, if cell is NULL, first + i; with
 * a cell list the part has `span` predicates, and those not listed match nothing: 0. The lists
 * live in the arena of jali_study_each. */
typedef struct jali_score_piece {
    uint64_t first, span;
    const uint64_t *cell;
    const int64_t *score;
    size_t n;
} jali_score_piece;

typedef jali_status (*jali_piece_taker)(void *self, const jali_score_piece *piece);

/* Every predicate once, in pieces of at most 2048, parts in the order of their numbers. */
JALI_MUST_USE jali_status jali_study_each(const jali_study *study, jali_piece_taker take,
                                          void *self, jali_arena *arena, jali_err *err);

/* Who came when: kept by the one who takes, told what came. */
typedef struct jali_arrivals {
    struct jali_arrival_run {
        uint64_t arrival, first, n, span;
        const uint64_t *cell;
    } * run;
    size_t n_runs, room;
    uint64_t n;    /* came so far          */
    uint64_t idle; /* never will come: 0 */
} jali_arrivals;

JALI_MUST_USE jali_status jali_arrivals_note(jali_arrivals *a, const jali_score_piece *piece);
void jali_arrivals_clear(jali_arrivals *a);

/* The number of the predicate that came `arrival`-th, and of the rank-th that did not come (in
 * the order of numbers, from 0, below a->idle). */
uint64_t jali_arrivals_number(const jali_arrivals *a, uint64_t arrival);
uint64_t jali_arrivals_idle(const jali_arrivals *a, uint64_t rank);

/* What tells clusters apart, in steps; every number is below 2^60. */
struct jali_apart_terms {
    const jali_apart *apart;
    uint64_t *U; /* [cluster][attribute]                                                 */
    uint64_t *W; /* [attribute][cluster][place of the other in the block]; 0 on the way */
};

#endif
