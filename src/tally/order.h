/* tally/order.h — plans and frames as bytes, for those who count elsewhere.
 *
 * Everything in them is public: names, predicates, labels made of the request and of what was
 * released before. Both sides are the same program on the same kind of machine, so numbers are
 * as they lie in memory; whoever reads still believes no length.
 */
#ifndef JALI_TALLY_ORDER_H
#define JALI_TALLY_ORDER_H

#include "base/text.h"
#include "table/schema.h"
#include "tally/ball.h"
#include "tally/cells.h"
#include "tally/plan.h"

void jali_put(jali_text *to, uint64_t number);
void jali_put_text(jali_text *to, const char *text);
void jali_put_bytes(jali_text *to, const void *bytes, size_t n);

/* A place in an order, and whether everything so far was as expected. */
typedef struct jali_reading {
    const char *at, *end;
    bool good;
    jali_arena *arena;
} jali_reading;

uint64_t jali_get(jali_reading *from);
const char *jali_get_text(jali_reading *from); /* in the arena; "" if it was not good */
/* `n` items of `size` bytes, aligned, in the arena. */
void *jali_get_bytes(jali_reading *from, size_t n, size_t size);
JALI_MUST_USE jali_status jali_get_status(const jali_reading *from, jali_err *err);

/* A plan and back, table by table in the same order. */
JALI_MUST_USE jali_status jali_put_plan(jali_text *to, const jali_plan *plan, jali_err *err);
JALI_MUST_USE jali_status jali_get_plan(jali_reading *from, jali_columns *columns,
                                        const jali_schema *schema, jali_plan **out,
                                        jali_err *err);

/* The axes of a frame; names become those of `columns`, which last. */
void jali_put_axes(jali_text *to, const jali_ruler *axis, size_t n);
const jali_ruler *jali_get_axes(jali_reading *from, const jali_columns *columns, size_t *n);

#endif
