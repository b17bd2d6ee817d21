/* dice/flip.c — permute-and-flip.
 *
 * Claim    dice.flip
 *          The winner follows the law of permute-and-flip exactly: take the candidates in
 *          a uniformly random order, each one wins with probability exp(-rate (best - s)).
 * Proof    proofs/dice_flip.md#dice.flip
 * Source   McKenna, Sheldon, NeurIPS 2020; as noisy maximum with exponential noise: Ding,
 *          Kifer, Steinke et al., 2021. The original's time tells how many were refused.
 * Law      P(i) = sum over S in the others of (-1)^|S| prod of a_j, j in S, times
 *          a_i / (|S| + 1),   a_j = exp(rate (s[j] - best))
 * Test     tests/dice/flip_test.c
 * Silent   As dice/topk.c. Not bounded range: never charge it as dice/select.c.
 */
#include "dice/flip.h"
#include "dice/race.h"

jali_status jali_flip_draw(const jali_rate *rate, const int64_t *score, size_t n, jali_dice *d,
                           size_t *winner)
{
    if (n == 0) return JALI_E_USAGE;
    jali_race r;
    JALI_TRY(jali_race_init(&r, rate, 1, JALI_EXPONENTIAL));
    jali_status status = jali_race_offer(&r, d, score, n);
    if (status == JALI_OK) status = jali_race_finish(&r, d);
    if (status == JALI_OK) *winner = (size_t)r.kept.at[0].index;
    jali_race_clear(&r);
    return status;
}
