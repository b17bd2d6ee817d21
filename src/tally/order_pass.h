/* tally/order_pass.h — the orders of passes over a frame. Nothing happens without a crew. */
#ifndef JALI_TALLY_ORDER_PASS_H
#define JALI_TALLY_ORDER_PASS_H

#include "tally/cells.h"
#include "tally/crew.h"
#include "tally/open.h"
#include "tally/planes.h"

JALI_MUST_USE jali_status jali_order_marks(const jali_columns *columns, jali_err *err);
JALI_MUST_USE jali_status jali_order_cells(const jali_ground *ground, uint32_t cells,
                                           const jali_marks *marks, const jali_cut *cut,
                                           size_t cuts, const uint32_t *node, size_t n,
                                           jali_err *err);
JALI_MUST_USE jali_status jali_order_near(const jali_ground *ground, const uint16_t *centre,
                                          uint32_t labels, const jali_marks *marks,
                                          jali_err *err);
JALI_MUST_USE jali_status jali_order_sums(const jali_ground *ground, const jali_marks *marks,
                                          const jali_balls *balls, jali_err *err);
JALI_MUST_USE jali_status jali_order_planes(const jali_ground *ground, const jali_plane *plane,
                                            const jali_marks *marks, jali_err *err);
JALI_MUST_USE jali_status jali_order_gaps(const jali_ground *ground, const double *width,
                                          size_t n, jali_err *err);

/* How it went here, and everywhere; then rank 0's cells are the sums. NULL: no cells. */
JALI_MUST_USE jali_status jali_crew_join(const jali_ground *ground, jali_status mine,
                                         const jali_tally *one, const jali_tally *two,
                                         jali_err *err);

#endif
