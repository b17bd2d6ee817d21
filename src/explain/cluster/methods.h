/* explain/cluster/methods.h — the methods by name, for the table alone. */
#ifndef JALI_EXPLAIN_CLUSTER_METHODS_H
#define JALI_EXPLAIN_CLUSTER_METHODS_H

#include "explain/cluster/cluster.h"

extern const jali_method jali_method_refined;

#endif
