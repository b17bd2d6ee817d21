/* tally/crew.h — who counts: this process alone, or others with it.
 *
 * Every function of this room that reads rows has the same shape: rank 0 sends an order (what
 * is to be counted, all of it public), every rank counts its own rows, all agree that nobody
 * failed, and rank 0 gets the sums. The others run the very same functions, called by the hand
 * (hand.c) that reads the order. Without a crew each step here does nothing.
 *
 * Whoever sends an order must reach jali_crew_agree whatever happens in between: the others
 * wait there.
 */
#ifndef JALI_TALLY_CREW_H
#define JALI_TALLY_CREW_H

#include "base/text.h"
#include "engine/columns.h"

typedef struct jali_tally jali_tally;

typedef enum jali_order_kind {
    JALI_ORDER_STOP,
    JALI_ORDER_HELLO, /* door/crew.c: which vault */
    JALI_ORDER_CHECK,
    JALI_ORDER_PLAN,
    JALI_ORDER_SPARSE,
    JALI_ORDER_MARKS,
    JALI_ORDER_CELLS,
    JALI_ORDER_NEAR,
    JALI_ORDER_SUMS,
    JALI_ORDER_GAPS,
    JALI_ORDER_PLANES
} jali_order_kind;

/* Does this process give the orders of a crew? False for one that is alone. */
bool jali_crew_leads(const jali_columns *columns);

/* Rank 0 sends the order and clears it; for everybody else, and alone, nothing happens. */
JALI_MUST_USE jali_status jali_crew_send(const jali_crew *crew, jali_text *order,
                                         jali_err *err);

/* The other side: bytes in malloc'ed memory. */
JALI_MUST_USE jali_status jali_crew_receive(const jali_crew *crew, char **bytes, size_t *n,
                                            jali_err *err);

/* `mine` and *err are how it went here. JALI_OK if it went well everywhere; else rank 0 hears
 * the sentence of the first that failed, and nobody goes on. */
JALI_MUST_USE jali_status jali_crew_agree(const jali_crew *crew, jali_status mine,
                                          jali_err *err);

/* Rank 0's cells become the sums over all ranks. After jali_crew_agree. */
JALI_MUST_USE jali_status jali_crew_add(const jali_crew *crew, int64_t *cell, size_t n,
                                        jali_err *err);

/* The line broke: a sentence. */
JALI_MUST_USE jali_status jali_crew_lost(jali_err *err);

#endif
