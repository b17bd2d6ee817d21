/* table/predicate.h — conditions on a record, over codes, three-valued like SQL.
 *
 * A leaf says, for one column, which known codes make it true (a sorted list of ranges)
 * and what NULL makes it: unknown for comparisons, IN and BETWEEN; true or false for IS
 * [NOT] NULL. Such leaves are closed under NOT, and under AND and OR on one column, so a
 * tree needs no NOT node: negation goes down to the leaves as it is built (De Morgan holds
 * in Kleene's logic). A row is selected when the root is TRUE; because every node is then
 * AND or OR, that needs one bitmap a leaf and nothing else (tally/select.c).
 *
 * Predicates are public: constants come from the request, domains from the schema.
 */
#ifndef JALI_TABLE_PREDICATE_H
#define JALI_TABLE_PREDICATE_H

#include "base/arena.h"
#include "base/err.h"
#include <jansson.h>

enum {
    JALI_PREDICATE_DEPTH = 64,    /* nesting that JSON may have                     */
    JALI_PREDICATE_NODES = 65536, /* leaves and inner nodes of one tree              */
    JALI_PREDICATE_RANGES = 65536 /* ranges of one leaf: 16 bits of IN-list is enough */
};

typedef enum jali_truth { JALI_FALSE = 0, JALI_TRUE = 1, JALI_UNKNOWN = 2 } jali_truth;

typedef struct jali_range {
    uint64_t lo, hi; /* both ends belong to it */
} jali_range;

typedef enum jali_predicate_kind {
    JALI_PREDICATE_CONSTANT,
    JALI_PREDICATE_LEAF,
    JALI_PREDICATE_AND,
    JALI_PREDICATE_OR
} jali_predicate_kind;

/* Read-only once made; lives in its arena. Use the constructors. */
typedef struct jali_predicate {
    jali_predicate_kind kind;
    jali_truth null;          /* constant: its value; leaf: what NULL makes it      */
    const char *column;       /* leaf                                               */
    uint64_t domain;          /* leaf: codes 0..domain-1, the last is NULL          */
    const jali_range *ranges; /* leaf: sorted, apart by a gap, all below domain-1   */
    size_t n;                 /* leaf: ranges; AND, OR: children                    */
    const struct jali_predicate *const *child;
} jali_predicate;

/* All constructors return NULL when memory ends or a limit above is passed; a NULL
 * argument gives NULL, so that one check at the end is enough. Names are copied. */
const jali_predicate *jali_predicate_constant(jali_arena *a, jali_truth value);

/* lo <= column <= hi, unknown for NULL. Ends beyond the last value are cut; lo > hi is
 * false for every known value. `=` is lo == hi, `<` is 0..c-1 (never call it with c == 0:
 * use lo 1, hi 0 for the empty range). */
const jali_predicate *jali_predicate_range(jali_arena *a, const char *column, uint64_t domain,
                                           uint64_t lo, uint64_t hi);

/* column IN (codes), unknown for NULL; codes in any order, beyond the domain ignored. */
const jali_predicate *jali_predicate_in(jali_arena *a, const char *column, uint64_t domain,
                                        const uint64_t *codes, size_t n);

/* The same with code c in the set when bit c % 64 of word c / 64 is set. */
const jali_predicate *jali_predicate_bits(jali_arena *a, const char *column, uint64_t domain,
                                          const uint64_t *words);

/* In any of n ranges (any order, they may overlap), and `null` for NULL. */
const jali_predicate *jali_predicate_ranges(jali_arena *a, const char *column, uint64_t domain,
                                            const jali_range *ranges, size_t n,
                                            jali_truth null);

const jali_predicate *jali_predicate_is_null(jali_arena *a, const char *column,
                                             uint64_t domain);
const jali_predicate *jali_predicate_not(jali_arena *a, const jali_predicate *p);
const jali_predicate *jali_predicate_and(jali_arena *a, const jali_predicate *p,
                                         const jali_predicate *q);
const jali_predicate *jali_predicate_or(jali_arena *a, const jali_predicate *p,
                                        const jali_predicate *q);

/* AND or OR of n at once (none: true, false). Long lists belong here: a chain of pairs is
 * as deep as it is long, and everything below walks the tree by recursion. */
const jali_predicate *jali_predicate_join(jali_arena *a, jali_predicate_kind and_or,
                                          const jali_predicate *const *child, size_t n);

/* The value on one record; code(self, column) gives its code. The slow, obvious way. */
jali_truth jali_predicate_value(const jali_predicate *p,
                                uint64_t (*code)(void *self, const char *column), void *self);

/* The same function in its one form: nested equal nodes flattened, leaves of a column
 * merged, constants folded, children sorted, repeats dropped. Idempotent. Equal texts mean
 * equal predicates; the converse holds for conditions on one column only. */
const jali_predicate *jali_predicate_canonical(jali_arena *a, const jali_predicate *p);

/* JSON both ways. A leaf is {"column":"age","domain":74,"in":[[0,3],5],"null":"unknown"}
 * ("null" may be left out), inner nodes {"and":[...]}, {"or":[...]}, {"not":...},
 * constants true, false, null. *out is a new reference. Reading refuses (JALI_E_USAGE,
 * analyst) with the path of the mistake and checks nothing against a table. */
JALI_MUST_USE jali_status jali_predicate_to_json(const jali_predicate *p, json_t **out,
                                                 jali_err *err);
JALI_MUST_USE jali_status jali_predicate_from_json(const json_t *value, jali_arena *a,
                                                   const jali_predicate **out, jali_err *err);

/* Canonical form as canonical JSON text: the key under which releases are found again. */
JALI_MUST_USE jali_status jali_predicate_text(const jali_predicate *p, jali_arena *a,
                                              char **out, jali_err *err);

#endif
