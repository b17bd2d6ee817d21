/* dice/topk.h — one-shot top-k: k exponential mechanisms without replacement, in one pass.
 *
 * Candidates may come in any number of pieces, so that nobody has to hold 10^9 scores;
 * they are numbered from 0 in the order of arrival. Many candidates with one and the
 * same score may come as a group that is never enumerated (dice/order.c).
 */
#ifndef JALI_DICE_TOPK_H
#define JALI_DICE_TOPK_H

#include "dice/dice.h"
#include "dice/rate.h"

enum { JALI_TOPK_MAX = 1 << 20 }; /* most winners: memory is about 200 bytes a winner */

typedef struct jali_topk jali_topk;

/* Either a candidate, or "one more member of a group": the caller then takes a member
 * uniformly among those of the group not taken before. */
typedef struct jali_winner {
    bool grouped;
    uint64_t index; /* of the candidate or, if grouped, of the group, from 0 */
    int64_t score;  /* as it was offered: as secret as it was then            */
} jali_winner;

/* Borrows rate until jali_topk_free. 1 <= k <= JALI_TOPK_MAX, else JALI_E_USAGE. */
JALI_MUST_USE jali_status jali_topk_new(jali_topk **out, const jali_rate *rate, size_t k,
                                        jali_err *err);
/* The same with exponential noise: cheaper in pure eps, dearer in zCDP (dice/topk.c). Never
 * to be charged as k exponential mechanisms. */
JALI_MUST_USE jali_status jali_topk_new_pure(jali_topk **out, const jali_rate *rate, size_t k,
                                             jali_err *err);
void jali_topk_free(jali_topk *t);

/* n more candidates, or a group of `size` more (size 0 counts as a group without members).
 * After a failure (JALI_E_ENTROPY, JALI_E_NOMEM) every later call fails the same way. */
JALI_MUST_USE jali_status jali_topk_offer(jali_topk *t, jali_dice *d, const int64_t *score,
                                          size_t n);
JALI_MUST_USE jali_status jali_topk_offer_group(jali_topk *t, jali_dice *d, int64_t score,
                                                uint64_t size);

/* The winners, best first: winner[0 .. *n), *n = min(k, candidates). Once. */
JALI_MUST_USE jali_status jali_topk_finish(jali_topk *t, jali_dice *d, jali_winner *winner,
                                           size_t *n);

/* All in one call: the indices of min(k, n) winners, best first. */
JALI_MUST_USE jali_status jali_topk_draw(const jali_rate *rate, const int64_t *score, size_t n,
                                         size_t k, jali_dice *d, size_t *winner, jali_err *err);

#endif
