/* tally/order_label.h — slices as bytes: what labels a record and which records count. */
#ifndef JALI_TALLY_ORDER_LABEL_H
#define JALI_TALLY_ORDER_LABEL_H

#include "tally/inside.h"
#include "tally/order.h"

JALI_MUST_USE jali_status jali_put_slice(jali_text *to, const jali_plan *plan,
                                         const jali_slice *slice, jali_err *err);

/* Adds the slice to the plan; what it needs lives in from->arena. */
JALI_MUST_USE jali_status jali_get_slice(jali_reading *from, jali_plan *plan,
                                         const jali_schema *schema, jali_err *err);

#endif
