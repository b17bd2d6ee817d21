/* explain/query/query.h — a question in SQL, as a typed plan over the words of the schema.
 *
 * What is known: COUNT(*), COUNT(column), SUM, AVG; one table; a WHERE of table/where.h; up to
 * three columns of GROUP BY. Everything else is refused where it stands, with what to write
 * instead. A plan depends on the schema and the text alone.
 */
#ifndef JALI_EXPLAIN_QUERY_QUERY_H
#define JALI_EXPLAIN_QUERY_QUERY_H

#include "table/predicate.h"
#include "table/schema.h"

enum {
    JALI_QUERY_GROUPS = 3,
    JALI_QUERY_AGGREGATES = 8,
    JALI_QUERY_VALUES = 4096,  /* a number without bins may have so many groups  */
    JALI_QUERY_CELLS = 1 << 20 /* groups of one answer                           */
};

typedef enum jali_aggregate_kind {
    JALI_COUNT_ROWS,   /* COUNT(*)      */
    JALI_COUNT_VALUES, /* COUNT(column) */
    JALI_SUM,
    JALI_AVG
} jali_aggregate_kind;

typedef struct jali_aggregate {
    jali_aggregate_kind kind;
    size_t field;      /* not for COUNT(*)               */
    const char *label; /* AS name, or as it was written  */
} jali_aggregate;

typedef struct jali_query {
    size_t n_groups, group[JALI_QUERY_GROUPS]; /* fields, in the order of GROUP BY */
    size_t n_aggregates;
    jali_aggregate aggregate[JALI_QUERY_AGGREGATES];
    const jali_predicate *where; /* canonical; NULL: all rows */
} jali_query;

/* Everything in *out lives in the arena. JALI_E_USAGE for the analyst, with the place. */
JALI_MUST_USE jali_status jali_query_parse(const jali_schema *schema, const char *text,
                                           jali_arena *arena, jali_query *out, jali_err *err);

/* The number of groups that field `f` makes, the one for NULL included, and the name of
 * group g ("Married", "[20, 30)", "NULL"); in the arena, NULL: no memory. */
uint64_t jali_query_parts(const jali_field *f);
const char *jali_query_part(const jali_field *f, uint64_t g, jali_arena *arena);

#endif
