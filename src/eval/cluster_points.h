/* eval/cluster_points.h — rows of a public vault as points, in the measure of a geometry. */
#ifndef JALI_EVAL_CLUSTER_POINTS_H
#define JALI_EVAL_CLUSTER_POINTS_H

#include "engine/columns.h"
#include "explain/cluster/kmeans.h"
#include "tally/geometry.h"

/* All rows, NULLs at their place (the middle, "no"). Lives in the arena. */
JALI_MUST_USE jali_status jali_cluster_points(const jali_geometry *geometry,
                                              jali_columns *columns, jali_arena *arena,
                                              jali_points *out, jali_err *err);

/* Codes of one column. */
JALI_MUST_USE jali_status jali_cluster_codes(jali_columns *columns, const char *name,
                                             jali_arena *arena, uint32_t **out, jali_err *err);

#endif
