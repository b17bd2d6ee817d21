/* explain/query/reasons.h — which predicates may explain, by the words of a request.
 *
 * Without any: every "column = value" over all columns but those of GROUP BY and the one that
 * is summed (DPXPlain, Definition 3.3), numbers by their bins, missing values as a value of
 * their own. Everything here is public.
 */
#ifndef JALI_EXPLAIN_QUERY_REASONS_H
#define JALI_EXPLAIN_QUERY_REASONS_H

#include "explain/query/query.h"
#include "score/space.h"

enum {
    JALI_REASONS_VALUES = 128,  /* a number without bins takes part up to so many values */
    JALI_REASONS_TEXT = 4 << 20 /* bytes of a list of predicates                         */
};

/* What is 0 or NULL was not said. */
typedef struct jali_reasons_words {
    unsigned length, up_to; /* conjunctions of exactly, or of up to so many                */
    bool inequalities;      /* also "<= value" and ">= value" of ordered columns           */
    const char *const *column;
    size_t n_columns;       /* only these                                                  */
    const char *either;     /* "a,b": every "a = value OR b = value"                       */
    const char *predicates; /* SQL conditions, one a line; # begins a comment              */
} jali_reasons_words;

typedef struct jali_reasons {
    const jali_schema *schema;
    size_t n; /* attributes, and the field of each */
    const size_t *field;
    unsigned shortest, longest;
    bool inequalities;
    size_t n_listed;
    const jali_predicate *const *listed;
    const jali_space *space;
    size_t n_left_out; /* numbers without bins */
    const char *const *left_out;
} jali_reasons;

/* `summed` is the field of SUM and AVG, SIZE_MAX without. Lives in the arena. JALI_E_USAGE
 * for the analyst: unknown columns, lines that cannot be read, nothing left, too many. */
JALI_MUST_USE jali_status jali_reasons_init(jali_reasons *out, const jali_schema *schema,
                                            const jali_query *query, size_t summed,
                                            const jali_reasons_words *words, jali_arena *arena,
                                            jali_err *err);

/* Predicate number `index` over the words of the schema, and as SQL that can stand in WHERE. */
const jali_predicate *jali_reasons_at(const jali_reasons *reasons, uint64_t index,
                                      jali_arena *arena);
JALI_MUST_USE jali_status jali_reasons_text(const jali_reasons *reasons, uint64_t index,
                                            jali_arena *arena, char **out, jali_err *err);

/* The space for a canonical plan, a new reference: lists of many bytes by their hash. */
json_t *jali_reasons_json(const jali_reasons *reasons, jali_arena *arena);

/* explain/query/reasons_list.c: `either` and `predicates` as lists. */
JALI_MUST_USE jali_status jali_reasons_list(jali_reasons *out, const jali_reasons_words *words,
                                            jali_arena *arena, jali_err *err);

/* The condition that parts lo..hi (of jali_query_parts) of a field say. NULL: no memory. */
const jali_predicate *jali_reasons_leaf(const jali_field *f, uint64_t lo, uint64_t hi,
                                        jali_arena *arena);

#endif
