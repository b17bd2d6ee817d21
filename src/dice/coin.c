/* dice/coin.c — coins of exactly known bias.
 *
 * Claim    dice.coin
 *          Heads comes with probability exactly exp(-gamma), gamma rational, >= 0.
 * Proof    proofs/dice_coin.md#dice.coin
 * Source   The comparison of a lazily drawn uniform with a computable real is folklore;
 *          the alternating series of Canonne, Kamath, Steinke, NeurIPS 2020, Alg. 1 is
 *          the oracle in tests/support, because its time tells the outcome.
 * Law      P(heads) = exp(-gamma)
 * Test     tests/dice/coin_test.c
 * Silent   One flip in 2^64 takes some microseconds longer.
 */
#include "dice/coin.h"
#include "dice/inside.h"
#include "dice/lazy.h"

static void bias(arb_t out, const void *self, slong prec)
{
    const jali_coin *c = self;
    jali_real_exp_minus_q(out, c->gamma, prec);
}

jali_status jali_coin_init(jali_coin *c, const mpq_t gamma, jali_err *err)
{
    if (mpq_sgn(gamma) < 0)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "a coin of bias exp(-x) needs an x of at least 0");
    mpq_init(c->gamma);
    mpq_set(c->gamma, gamma);
    c->prefix = jali_real_prefix(bias, c, 64);
    return JALI_OK;
}

void jali_coin_clear(jali_coin *c)
{
    mpq_clear(c->gamma);
}

jali_status jali_coin_flip(const jali_coin *c, jali_dice *d, bool *heads)
{
    uint64_t word;
    JALI_TRY(jali_dice_next(d, &word));
    if (word == c->prefix || d->doubt) return jali_lazy_below(d, word, 64, bias, c, heads);
    *heads = word < c->prefix;
    return JALI_OK;
}
