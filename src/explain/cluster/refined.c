/* explain/cluster/refined.c — the default method.
 *
 * No claim: not built yet; it refuses before anything is paid.
 */
#include "explain/cluster/methods.h"

static jali_status check(const jali_cluster_ask *ask, jali_arena *arena, jali_err *err)
{
    (void)ask, (void)arena;
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST, "refined is not built yet");
}

static jali_status run(const jali_cluster_run *run_, jali_clustering *out, jali_err *err)
{
    (void)run_, (void)out;
    return jali_fail(err, JALI_E_INTERNAL, JALI_FOR_ANALYST, "refined is not built yet");
}

const jali_method jali_method_refined = {
    .name = "refined",
    .summary = "a tree that finds seeds, then clipped steps; the default",
    .takes_clusters = true,
    .check = check,
    .run = run,
};
