/* tally/push.h — a plan as SQL, answered where the rows are.
 *
 * One plain GROUP BY for each table that is really counted (a unit of layout.c; units with
 * the same keys share a statement), so that what crosses the wire has the size of the tables,
 * whatever the number of rows. Everything in a statement is public: the schema, the request,
 * what was released.
 */
#ifndef JALI_TALLY_PUSH_H
#define JALI_TALLY_PUSH_H

#include "base/text.h"
#include "engine/postgres.h"
#include "tally/inside.h"

/* Can the plan be counted by its database, and is that where the rows still are? */
bool jali_push_can(const jali_plan *plan);

/* Units with the same keys: one statement counts them all. */
enum { JALI_PUSH_TOGETHER = 64 };
typedef struct jali_push_group {
    size_t n;
    const jali_unit *unit[JALI_PUSH_TOGETHER];
} jali_push_group;

/* The statements of a plan. One that is too long is not written to its end: `fits` is false,
 * and there is nothing to be run. */
typedef struct jali_push {
    size_t n;
    jali_push_group *group;
    jali_postgres_query *query;
    bool fits;
} jali_push;
JALI_MUST_USE jali_status jali_push_write(const jali_plan *plan, const jali_layout *layout,
                                          jali_arena *arena, jali_push *out, jali_err *err);

/* Before a charge: refuses a plan whose statements would be too long, for the analyst: it
 * depends on the question and the schema. A plan that is made later, of what was released,
 * cannot be refused any more: its rows are fetched. */
JALI_MUST_USE jali_status jali_push_check(const jali_plan *plan, jali_err *err);

/* Counts the units of the layout into `tables`, which is laid out as a worker's memory. */
JALI_MUST_USE jali_status jali_push_run(const jali_plan *plan, const jali_layout *layout,
                                        const jali_push *push, void *tables, jali_arena *arena,
                                        jali_err *err);

/* A predicate as SQL; code(self, column) is the SQL of a column's code, NULL included. True
 * exactly where the predicate is TRUE; what it is elsewhere does not matter. */
void jali_push_predicate(const jali_predicate *p,
                         const char *(*code)(void *self, const char *column), void *self,
                         jali_text *out);

/* The same over the table's own columns, for WHERE; false if a column is not there. */
JALI_MUST_USE bool jali_push_selection(const jali_columns *columns, const jali_predicate *p,
                                       jali_text *out);

/* The statement of a group, and how many numbers its rows have: keys, rows, and for each unit
 * with a sum, in their order, the rows with its value and the sum. */
JALI_MUST_USE jali_status jali_push_sql(const jali_plan *plan, const jali_push_group *group,
                                        jali_arena *arena, jali_text *out, size_t *numbers,
                                        jali_err *err);

#endif
