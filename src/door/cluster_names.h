/* door/cluster_names.h — what the labels of a clustering are, in words of the schema. */
#ifndef JALI_DOOR_CLUSTER_NAMES_H
#define JALI_DOOR_CLUSTER_NAMES_H

#include "explain/cluster/cluster.h"

/* One text a label, in the arena: the box of a tree, the condition of a rule, the values of a
 * mode. *out is NULL where labels have centres alone. */
JALI_MUST_USE jali_status jali_cluster_names(const jali_clustering *clustering,
                                             jali_arena *arena, const char ***out,
                                             jali_err *err);

#endif
