/* dice/uniform.c — every whole number below n, equally often.
 *
 * Claim    dice.uniform
 *          The result is exactly uniform on {0, ..., n-1} if words are uniform.
 * Proof    proofs/dice_uniform.md#dice.uniform
 * Source   D. Lemire, ACM Trans. Model. Comput. Simul. 29(1), 2019, Alg. 5, with the
 *          rejection threshold computed always: one division, but no shortcut that
 *          depends on the word. Large n: mask and reject.
 * Law      P(x) = 1/n, x in {0, ..., n-1}
 * Test     tests/dice/uniform_test.c
 * Silent   The number of rejections is visible in time; it is independent of the result.
 */
#include "dice/uniform.h"
#include "dice/inside.h"
#include "dice/rate.h"
#include <assert.h>

jali_status jali_uniform_below(jali_dice *d, uint64_t n, uint64_t *out)
{
    assert(n > 0);
    uint64_t least = (0 - n) % n; /* 2^64 mod n: so many words are one too many */
    for (;;) {
        uint64_t word;
        JALI_TRY(jali_dice_next(d, &word));
        jali_u128 product = (jali_u128)word * n;
        if ((uint64_t)product < least) continue;
        *out = (uint64_t)(product >> 64);
        return JALI_OK;
    }
}

/* A uniform number of `bits` bits. */
static jali_status draw_bits(jali_dice *d, size_t bits, mpz_t out)
{
    mpz_set_ui(out, 0);
    for (size_t got = 0; got < bits; got += 64) {
        uint64_t word;
        JALI_TRY(jali_dice_next(d, &word));
        mpz_mul_2exp(out, out, 64);
        mpz_add_ui(out, out, word);
    }
    mpz_fdiv_r_2exp(out, out, bits);
    return JALI_OK;
}

jali_status jali_uniform_below_z(jali_dice *d, const mpz_t n, mpz_t out)
{
    assert(mpz_sgn(n) > 0);
    mpz_t x;
    mpz_init(x);
    jali_status status;
    do status = draw_bits(d, mpz_sizeinbase(n, 2), x);
    while (status == JALI_OK && mpz_cmp(x, n) >= 0);
    if (status == JALI_OK) mpz_swap(out, x);
    mpz_clear(x);
    return status;
}
