/* score/modes.c — how often each value of a column occurs in each cluster.
 *
 * Claim    modes.range
 *          On adding or removing one person of at most m = reach.linf rows, of whom m_g have
 *          label g, the scores of group g change by numbers of one sign of size at most m_g:
 *          their range is at most m_g / m times the group's `range`, which is m.
 * Proof    proofs/modes_score.md#modes.range
 * Source   ALGORITHMS 7.5: counts move one way, so the range is the count, not twice it.
 * Law      none: nothing is drawn here
 * Test     tests/score/modes_test.c
 * Silent   Whether the label is a function of one record alone: the plan's promise.
 */
#include "score/groups.h"
#include "score/open.h"
#include "tally/open.h"

size_t jali_score_groups_count(const jali_score_groups *groups)
{
    return groups->n;
}

jali_status jali_score_modes(const jali_tally *counts, jali_arena *arena,
                             const jali_score_groups **out, jali_err *err)
{
    if (counts->axes != 2)
        return jali_fail(err, JALI_E_INTERNAL, JALI_FOR_ANALYST,
                         "modes are read off a table of labels and one column");
    size_t labels = (size_t)counts->extent[0], values = (size_t)counts->extent[1];
    jali_score_groups *groups = jali_arena_take(arena, 1, sizeof *groups);
    jali_scores *each = jali_arena_take(arena, labels + 1, sizeof *each);
    if (groups == NULL || each == NULL) return jali_fail_memory(err);
    for (size_t g = 0; g < labels; g++)
        each[g] = (jali_scores){ .n = values,
                                 .score = counts->cell + g * values,
                                 .range = counts->reach.linf,
                                 .sensitivity = counts->reach.linf };
    *groups = (jali_score_groups){ labels, each };
    *out = groups;
    return JALI_OK;
}
