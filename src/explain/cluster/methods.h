/* explain/cluster/methods.h — the methods by name, for the table alone. */
#ifndef JALI_EXPLAIN_CLUSTER_METHODS_H
#define JALI_EXPLAIN_CLUSTER_METHODS_H

#include "explain/cluster/cluster.h"

extern const jali_method jali_method_cover, jali_method_given, jali_method_grid,
    jali_method_lloyd, jali_method_lsh, jali_method_modes, jali_method_refined, jali_method_dpm,
    jali_method_rules;

#endif
