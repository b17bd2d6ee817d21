/* score/space.h — the predicates that may explain: described and numbered, never listed.
 *
 * A space is made of public facts alone. It holds all conjunctions of `shortest` to `longest`
 * marks on different attributes, and then the predicates of a list, if there is one. A mark is
 * a range of codes of one column, so it can say "= c", "<= c", ">= c", "IS NULL", or a range.
 * Whatever else there is to ask (PU_Zone = z OR DO_Zone = z; the lines of a file) is listed.
 */
#ifndef JALI_SCORE_SPACE_H
#define JALI_SCORE_SPACE_H

#include "base/arena.h"
#include "base/err.h"
#include "tally/plan.h"

enum {
    JALI_SPACE_LENGTH = 3,
    JALI_SPACE_ATTRIBUTES = 1024,
    JALI_SPACE_PARTS = 1 << 17, /* sets of attributes: all triples of 92 columns          */
    JALI_SPACE_LISTED = 1 << 14 /* each is a question to every row, one after the other   */
};

/* mark == NULL: one mark for each known code, in order ("= c"), and with `nulls` one more at
 * the end, "IS NULL"; n is then ignored. Codes run to domain-1, the last one is NULL. */
typedef struct jali_space_attribute {
    const char *column; /* of the vault: binned numbers by the name of their bins */
    uint64_t domain;
    bool nulls;
    size_t n;
    const jali_range *mark;
} jali_space_attribute;

typedef struct jali_space_spec {
    size_t n; /* attributes */
    const jali_space_attribute *attribute;
    unsigned shortest, longest; /* 1..3; with no attributes, only the list counts */
    size_t n_listed;
    const jali_predicate *const *listed;
} jali_space_spec;

typedef struct jali_space jali_space;

/* Copies nothing but the spec itself: attributes, marks and list are borrowed, and the space
 * lives in the arena. JALI_E_USAGE, analyst, all from public numbers: nothing in it, a length
 * that is not 1..3 or longer than there are attributes, too many parts or listed predicates, a
 * mark outside its domain, more than 2^60 predicates, ranges over a table of more than 2^22
 * cells (equalities may be as many as they like: those that match nothing are not listed). */
JALI_MUST_USE jali_status jali_space_new(const jali_space **out, const jali_space_spec *spec,
                                         jali_arena *arena, jali_err *err);

/* How many predicates there are: |P|, the candidates and the largest rank. */
uint64_t jali_space_size(const jali_space *space);

/* Predicate number `index` < size: marks of 1 to 3 attributes, or one of the list. */
typedef struct jali_space_member {
    bool listed;
    size_t list;                         /* listed: which                    */
    unsigned n;                          /* else: how many marks             */
    size_t attribute[JALI_SPACE_LENGTH]; /* rising                           */
    uint64_t mark[JALI_SPACE_LENGTH];    /* of attribute[i]                  */
    jali_range range[JALI_SPACE_LENGTH]; /* the codes that mark stands for   */
} jali_space_member;

void jali_space_at(const jali_space *space, uint64_t index, jali_space_member *out);

/* The inverse for conjunctions: UINT64_MAX when there is no such predicate in the space. */
uint64_t jali_space_find(const jali_space *space, const jali_space_member *member);

#endif
