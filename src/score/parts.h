/* score/parts.h — the inside of a space: one part for each set of attributes. For score/ only.
 */
#ifndef JALI_SCORE_PARTS_H
#define JALI_SCORE_PARTS_H

#include "score/space.h"

enum {
    JALI_SPACE_DENSE = 1 << 20, /* cells of a part; with more, only those that somebody is in */
    JALI_SPACE_RANGED = 1 << 22 /* sums over ranges need them all                             */
};

typedef struct jali_space_part {
    unsigned n;
    size_t attribute[JALI_SPACE_LENGTH];
    uint64_t first, size; /* numbers of its predicates                  */
    uint64_t cells;       /* of its table, for one group                */
    bool ranged, sparse;  /* it has marks that are not codes; see above */
} jali_space_part;

struct jali_space {
    jali_space_spec spec;
    size_t n_parts;
    jali_space_part *part;
    uint64_t listed; /* number of the first listed predicate */
    uint64_t size;
};

/* How many marks an attribute has. */
uint64_t jali_space_marks(const jali_space_attribute *attribute);

/* [outer][extent][inner] becomes [outer][marks][inner]: sums over the ranges of the middle
 * axis, as differences of sums from the start. NULL when memory ends. */
int64_t *jali_sum_ranges(const int64_t *in, size_t outer, size_t extent, size_t inner,
                         const jali_space_attribute *a, jali_arena *arena);

#endif
