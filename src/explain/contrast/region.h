/* explain/contrast/region.h — how far a released centre may be from the one without noise. */
#ifndef JALI_EXPLAIN_CONTRAST_REGION_H
#define JALI_EXPLAIN_CONTRAST_REGION_H

#include "explain/contrast/view.h"

/* *error: a standard error for each coordinate of each centre, centres * columns, in the units
 * of the columns. NULL with more than three columns: there centres are noisy means of their
 * own, and nothing in the release says how large their clusters are. */
JALI_MUST_USE jali_status jali_regions(const jali_view *view, jali_arena *arena, double **error,
                                       jali_err *err);

#endif
