/* score/radius.c — how near a number of rows comes to what is wanted, sealed.
 *
 * Claim    radius.range
 *          If one person moves each cell of `counts` by at most c = reach.linf, up or down, the
 *          scores move by at most c each and with a range of at most 2 c.
 * Proof    proofs/radius.md#radius.range
 * Source   research/cluster.md 4 (radius), PRIVACY 4f (pooled gaps): a rank is missed from
 *          below or from above, so the range is twice the sensitivity.
 * Law      score = -|count - wanted|
 * Test     tests/score/radius_test.c
 * Silent   nothing
 */
#include "score/radius.h"
#include "score/open.h"
#include "tally/open.h"

jali_status jali_score_radius(const jali_tally *counts, int64_t wanted, jali_arena *arena,
                              const jali_scores **out, jali_err *err)
{
    const int64_t most = (int64_t)1 << 60; /* of a released number: sums cannot overflow */
    jali_scores *scores = jali_arena_take(arena, 1, sizeof *scores);
    int64_t *score = jali_arena_take(arena, counts->n + 1, sizeof *score);
    if (scores == NULL || score == NULL) return jali_fail_memory(err);
    if (wanted > most) wanted = most;
    if (wanted < -most) wanted = -most;
    for (size_t i = 0; i < counts->n; i++) {
        int64_t off = counts->cell[i] - wanted;
        score[i] = off < 0 ? off : -off;
    }
    uint64_t c = counts->reach.linf;
    *scores = (jali_scores){ .n = counts->n, .score = score, .range = 2 * c, .sensitivity = c };
    *out = scores;
    return JALI_OK;
}
