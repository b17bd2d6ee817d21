/* score/open.h — the inside of scores. Only score/ and mech/ may include this header. */
#ifndef JALI_SCORE_OPEN_H
#define JALI_SCORE_OPEN_H

#include "score/groups.h"
#include "score/influence.h"
#include "score/score.h"
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

/* The scores of predicates first .. first+n-1, in the order of the numbers of
 * jali_influence_codes. Not past jali_influence_predicates. */
void jali_influence_fill(const jali_influence_table *table, uint64_t first, size_t n,
                         int64_t *score);

/* All of them in order, in pieces that fit the first cache, until `take` fails. */
typedef jali_status (*jali_score_taker)(void *self, const int64_t *score, size_t n);
JALI_MUST_USE jali_status jali_influence_each(const jali_influence_table *table,
                                              jali_score_taker take, void *self);

#endif
