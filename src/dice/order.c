/* dice/order.c — the largest of many equal scores, without enumerating them.
 *
 * Claim    dice.order
 *          A crowd of `size` candidates with one score enters a race exactly as if each of
 *          them had been offered: jointly, its places have the law of the largest keys.
 * Proof    proofs/dice_order.md#dice.order
 * Source   A. Renyi, Acta Math. Acad. Sci. Hung. 4, 1953 (spacings of exponential order
 *          statistics). Which members stand on the places is left to the caller: uniform,
 *          without replacement.
 * Law      the j-th largest of m keys rate * score + Gumbel is
 *          rate * score - ln(X1/m + X2/(m-1) + ... + Xj/(m-j+1)), Xi independent Exp(1);
 *          with exponential noise, 1 - exp(-that sum) stands in the place of the sum
 * Test     tests/dice/order_test.c
 * Silent   As dice/topk.c.
 */
#include "dice/inside.h"
#include "dice/race.h"
#include "dice/reals.h"

static jali_status new_crowd(jali_race *r, int64_t score, uint64_t size)
{
    if (r->n_crowds == r->room_crowds) {
        size_t room = 2 * r->room_crowds + 4;
        jali_crowd *at = realloc(r->crowd, room * sizeof *at);
        if (at == NULL) return JALI_E_NOMEM;
        r->crowd = at;
        r->room_crowds = room;
    }
    size_t n = size < r->k ? (size_t)size : r->k;
    uint64_t *word = calloc(n + 1, sizeof *word);
    if (word == NULL) return JALI_E_NOMEM;
    r->crowd[r->n_crowds++] =
        (jali_crowd){ .score = score, .size = size, .n = n, .word = word };
    return JALI_OK;
}

/* 1 - exp(-x), x > 0; relative error below 2^-48. Both ways are always taken. */
static double one_minus_exp(double x)
{
    double near = 1, far = 1 - jali_exp_minus(x < 64 ? x : 64);
    for (int n = 20; n > 1; n--) near = 1 - x / n * near;
    return x < 0.5 ? x * near : far;
}

/* Place i, from 0, once the sum of the first i+1 spacings is known. `least` is the least
 * useful of their words: the smaller of w and ~w, 0 if nothing is known. */
static jali_runner stand(const jali_race *r, const jali_crowd *c, size_t i, double sum,
                         uint64_t least)
{
    jali_i128 pad = JALI_KEY_PAD + (jali_i128)(i >> 8) + 1; /* one rounding more a place */
    jali_runner one = {
        .score = c->score, .index = (uint64_t)(c - r->crowd), .word = i, .grouped = true
    };
    if (r->noise == JALI_EXPONENTIAL) sum = one_minus_exp(sum);
    one.high = jali_race_base(r->rate, c->score) + (int64_t)(-jali_log(sum) * 0x1p44) + pad;
    one.low = jali_race_low(one.high, JALI_GUMBEL, least, pad);
    if (least == 0) one.high = JALI_KEY_MAX;
    return one;
}

static jali_status take_places(jali_race *r, jali_dice *d, jali_crowd *c)
{
    double sum = 0.0;
    uint64_t least = UINT64_MAX / 2;
    jali_i128 ahead = JALI_KEY_MAX;
    JALI_TRY(jali_dice_take(d, c->word, c->n));
    for (size_t i = 0; i < c->n; i++) {
        uint64_t w = c->word[i], useful = w < ~w ? w : ~w;
        least = useful < least ? useful : least;
        sum += jali_exponential(w) / jali_double_of(c->size - i);
        jali_runner one = stand(r, c, i, sum, least);
        /* A place is behind the one before it, whatever its own enclosure says. */
        if (one.high > ahead) one.high = ahead;
        ahead = one.high;
        JALI_TRY(jali_runners_add(&r->fresh, &one));
    }
    return JALI_OK;
}

jali_status jali_race_offer_crowd(jali_race *r, jali_dice *d, int64_t score, uint64_t size)
{
    if (r->status == JALI_OK) r->status = new_crowd(r, score, size);
    r->fresh.n = 0;
    if (r->status == JALI_OK) r->status = take_places(r, d, r->crowd + r->n_crowds - 1);
    if (r->status == JALI_OK) r->status = jali_race_merge(r, d->doubt);
    return r->status;
}
