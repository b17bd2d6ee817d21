/* tally/hand.h — a rank that counts what rank 0 orders. */
#ifndef JALI_TALLY_HAND_H
#define JALI_TALLY_HAND_H

#include "base/arena.h"
#include "base/pool.h"
#include "table/schema.h"
#include "tally/ball.h"
#include "tally/crew.h"

typedef struct jali_hand {
    jali_columns *columns; /* with the crew joined; NULL: no vault yet */
    const jali_schema *schema;
    jali_pool *pool;
    jali_marks *marks;
    jali_arena kept; /* marks, and what passes keep */
} jali_hand;

/* Does one order, read up to behind its kind. A failure was told to rank 0 already, and the
 * hand may go on, unless the line itself is dead. */
JALI_MUST_USE jali_status jali_hand_do(jali_hand *hand, jali_order_kind kind, const char *bytes,
                                       size_t n, jali_err *err);
void jali_hand_clear(jali_hand *hand); /* forgets the marks */

#endif
