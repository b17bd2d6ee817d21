/* dice/laplace.c — discrete Laplace noise.
 *
 * Claim    dice.laplace
 *          A draw follows the law below exactly, then is clamped to [-M, M], M = INT64_MAX.
 * Proof    proofs/dice_laplace.md#dice.laplace
 * Source   The bits of a geometric variable are independent (Steutel, Thiemann, Stat. &
 *          Prob. Letters 7, 1989); a sampler with floating probabilities built on that is
 *          in Google's library. We depart: each bit's coin is exact, and so is the tail.
 * Law      P(Z = z) = (1 - p) / (1 + p) p^|z|,   p = exp(-1/scale)
 * Test     tests/dice/laplace_test.c
 * Silent   The number of redraws (minus zero) is visible in time; it is independent of Z.
 *          One draw in about 2^26 looks closer at a bit: some microseconds.
 */
#include "dice/laplace.h"
#include "dice/inside.h"
#include "dice/lazy.h"

enum { MOST_WORDS = JALI_LAPLACE_BITS / 2 + 2 };

/* Bit i of the size, or the question whether it reaches 2^i. */
struct place {
    const jali_laplace *s;
    unsigned i;
};

static void exponent(arb_t out, const struct place *at, slong prec)
{
    mpq_t x;
    mpq_init(x);
    mpq_inv(x, at->s->scale);
    mpq_mul_2exp(x, x, at->i);
    jali_real_set_q(out, x, prec);
    mpq_clear(x);
}

/* P(bit i = 1) = 1 / (1 + exp(2^i/scale)) */
static void bit_is_one(arb_t out, const void *self, slong prec)
{
    exponent(out, self, prec);
    arb_exp(out, out, prec);
    arb_add_ui(out, out, 1, prec);
    arb_inv(out, out, prec);
}

/* P(size >= 2^i) = exp(-2^i/scale) */
static void reaches(arb_t out, const void *self, slong prec)
{
    exponent(out, self, prec);
    arb_neg(out, out);
    arb_exp(out, out, prec);
}

void jali_laplace_cut(jali_laplace *s, unsigned n_bits)
{
    s->n_bits = n_bits;
    for (unsigned i = 0; i < n_bits; i++)
        s->prefix[i] =
            (uint32_t)jali_real_prefix(bit_is_one, &(struct place){ .s = s, .i = i }, 32);
    s->tail = jali_real_prefix(reaches, &(struct place){ .s = s, .i = n_bits }, 64);
}

/* So many bits that the tail is beyond one word of luck. */
void jali_laplace_prepare(jali_laplace *s)
{
    unsigned n = 0;
    while (jali_real_prefix(reaches, &(struct place){ .s = s, .i = n }, 64) > 0) n++;
    jali_laplace_cut(s, n);
}

jali_status jali_laplace_check(const mpq_t scale, jali_err *err)
{
    mpz_t most;
    mpz_init(most);
    mpz_setbit(most, JALI_SCALE_MAX_BITS);
    bool good = mpq_sgn(scale) > 0 && mpq_cmp_z(scale, most) <= 0;
    mpz_clear(most);
    if (good) return JALI_OK;
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "a Laplace scale must be above 0 and at most 2^%d; count in larger "
                     "units or spend more",
                     JALI_SCALE_MAX_BITS);
}

jali_status jali_laplace_init(jali_laplace *s, const mpq_t scale, jali_err *err)
{
    JALI_TRY(jali_laplace_check(scale, err));
    mpq_init(s->scale);
    mpq_set(s->scale, scale);
    jali_laplace_prepare(s);
    return JALI_OK;
}

void jali_laplace_clear(jali_laplace *s)
{
    mpq_clear(s->scale);
}

static uint32_t half(const uint64_t *word, unsigned i)
{
    return (uint32_t)(word[i / 2] >> (i % 2 * 32));
}

/* The bits whose first 32 random bits did not decide. */
static jali_status look_closer(const jali_laplace *s, jali_dice *d, const uint64_t *word,
                               uint64_t unsure, uint64_t *low)
{
    for (unsigned i = 0; i < s->n_bits; i++) {
        bool one;
        if ((unsure >> i & 1) == 0) continue;
        JALI_TRY(jali_lazy_below(d, half(word, i), 32, bit_is_one,
                                 &(struct place){ .s = s, .i = i }, &one));
        *low = (*low & ~(UINT64_C(1) << i)) | (uint64_t)one << i;
    }
    return JALI_OK;
}

/* Does the size reach one more multiple of 2^n_bits, given that it reached the last? */
static jali_status goes_on(const jali_laplace *s, jali_dice *d, uint64_t word, bool *more)
{
    *more = word < s->tail;
    if (word != s->tail && !d->doubt) return JALI_OK;
    return jali_lazy_below(d, word, 64, reaches, &(struct place){ .s = s, .i = s->n_bits },
                           more);
}

/* Every bit is compared in the same way whatever comes out: no branch on its value. */
static jali_status draw_once(const jali_laplace *s, jali_dice *d, bool *minus, jali_u128 *size)
{
    uint64_t word[MOST_WORDS], low = 0, unsure = 0, high = 0;
    unsigned n = s->n_bits / 2 + 2;
    bool more;
    JALI_TRY(jali_dice_take(d, word, n));
    for (unsigned i = 0; i < s->n_bits; i++) {
        low |= (uint64_t)(half(word, i) < s->prefix[i]) << i;
        unsure |= (uint64_t)(half(word, i) == s->prefix[i]) << i;
    }
    *minus = half(word, s->n_bits) & 1;
    if (d->doubt) unsure = UINT64_MAX;
    if (unsure != 0) JALI_TRY(look_closer(s, d, word, unsure, &low));
    JALI_TRY(goes_on(s, d, word[n - 1], &more));
    while (more) {
        high++;
        JALI_TRY(jali_dice_next(d, word));
        JALI_TRY(goes_on(s, d, word[0], &more));
    }
    *size = ((jali_u128)high << s->n_bits) + low;
    return JALI_OK;
}

jali_status jali_laplace_draw_wide(const jali_laplace *s, jali_dice *d, bool *minus,
                                   jali_u128 *size)
{
    do JALI_TRY(draw_once(s, d, minus, size));
    while (*minus && *size == 0); /* or zero would be counted twice: eps + ln 2 */
    return JALI_OK;
}

jali_status jali_laplace_draw(const jali_laplace *s, jali_dice *d, int64_t *out)
{
    bool minus;
    jali_u128 size;
    JALI_TRY(jali_laplace_draw_wide(s, d, &minus, &size));
    *out = jali_clamped(minus, size);
    return JALI_OK;
}

jali_status jali_laplace_draw_many(const jali_laplace *s, jali_dice *d, int64_t *out, size_t n)
{
    int64_t *drawn = calloc(n == 0 ? 1 : n, sizeof *drawn);
    jali_status status = drawn == NULL ? JALI_E_NOMEM : JALI_OK;
    for (size_t i = 0; i < n && status == JALI_OK; i++)
        status = jali_laplace_draw(s, d, drawn + i);
    if (status == JALI_OK) memcpy(out, drawn, n * sizeof *out);
    free(drawn);
    return status;
}
