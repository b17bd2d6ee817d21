/* explain/model/points.c — where a curve is asked for: public points of a public domain.
 *
 * No claim: points are functions of the schema and the request.
 */
#include "explain/model/portrait.h"

static const char *const kinds[] = { "pdp", "ale", "pfi", "plot", "rank" };
static const char *const ofs[] = { "pdp", "ale", "shap", "pfi", "interaction", "command" };

const char *jali_portrait_kind_name(jali_portrait_kind kind)
{
    return kinds[kind];
}

const char *jali_portrait_of_name(jali_portrait_of of)
{
    return ofs[of];
}

bool jali_portrait_is_curve(jali_portrait_kind kind)
{
    return kind == JALI_PORTRAIT_PDP || kind == JALI_PORTRAIT_ALE || kind == JALI_PORTRAIT_PLOT;
}

jali_status jali_portrait_points(const jali_field *f, size_t resolution, jali_arena *arena,
                                 uint32_t **point, size_t *n, jali_err *err)
{
    uint64_t values = f->domain - 1;
    bool all = f->kind == JALI_CATEGORY || values <= resolution + resolution / 2;
    size_t m = all ? (size_t)values : resolution;
    if (values < 2)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "\"%.100s\" has fewer than two values, so there is no curve", f->name);
    if (m > JALI_PROBE_POINTS)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "\"%.100s\" has %llu categories; a curve has at most %d points",
                         f->name, (unsigned long long)values, JALI_PROBE_POINTS);
    uint32_t *to = jali_arena_take(arena, m, sizeof *to);
    if (to == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < m; i++) /* rounded to the nearest code; values < 2^32, m <= 1000 */
        to[i] = (uint32_t)(((values - 1) * i + (m - 1) / 2) / (m - 1));
    *point = to;
    *n = m;
    return JALI_OK;
}
