/* dice/gauss.c — discrete Gaussian noise.
 *
 * Claim    dice.gauss
 *          A draw follows the law below exactly, then is clamped to [-M, M], M = INT64_MAX.
 * Proof    proofs/dice_gauss.md#dice.gauss
 * Source   Canonne, Kamath, Steinke, NeurIPS 2020, Alg. 3. We depart: the proposal is the
 *          constant-work one of dice/laplace.c, and the last coin is decided by an
 *          enclosure in doubles, by Arb when that does not suffice.
 * Law      P(Z = z) = exp(-z^2 / (2 sigma2)) / sum over y of exp(-y^2 / (2 sigma2))
 * Test     tests/dice/gauss_test.c
 * Silent   The number of trials is visible in time; it is independent of Z. One trial in
 *          about 2^37 asks Arb: some microseconds.
 */
#include "dice/gauss.h"
#include "dice/inside.h"
#include "dice/lazy.h"
#include "dice/reals.h"

jali_status jali_gauss_check(const mpq_t sigma2, jali_err *err)
{
    mpz_t most;
    mpz_init(most);
    mpz_setbit(most, 2 * JALI_SCALE_MAX_BITS);
    bool good = mpq_sgn(sigma2) > 0 && mpq_cmp_z(sigma2, most) <= 0;
    mpz_clear(most);
    if (good) return JALI_OK;
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "the sigma of Gaussian noise must be above 0 and at most 2^%d; count "
                     "in larger units or spend more",
                     JALI_SCALE_MAX_BITS);
}

jali_status jali_gauss_init(jali_gauss *s, const mpq_t sigma2, jali_err *err)
{
    mpz_t root;
    JALI_TRY(jali_gauss_check(sigma2, err));
    mpz_init(root);
    mpz_fdiv_q(root, mpq_numref(sigma2), mpq_denref(sigma2));
    mpz_sqrt(root, root);
    mpz_add_ui(root, root, 1);
    mpq_t scale, inverse;
    mpq_inits(s->sigma2, s->centre, scale, inverse, NULL);
    mpq_set(s->sigma2, sigma2);
    mpq_set_z(scale, root);
    mpq_div(s->centre, sigma2, scale);
    mpq_inv(inverse, sigma2);
    mpq_div_2exp(inverse, inverse, 1);
    s->near = mpq_get_d(s->centre);
    s->inverse = mpq_get_d(inverse);
    /* sigma = 2^48 asks for one more than jali_laplace_init grants. */
    mpq_init(s->proposal.scale);
    mpq_set(s->proposal.scale, scale);
    jali_laplace_prepare(&s->proposal);
    mpq_clears(scale, inverse, NULL);
    mpz_clear(root);
    return JALI_OK;
}

void jali_gauss_clear(jali_gauss *s)
{
    jali_laplace_clear(&s->proposal);
    mpq_clears(s->sigma2, s->centre, NULL);
}

struct trial {
    const jali_gauss *s;
    jali_u128 size;
};

/* exp(-(size - centre)^2 / (2 sigma2)) */
static void acceptance(arb_t out, const void *self, slong prec)
{
    const struct trial *t = self;
    mpq_t x, twice;
    mpq_inits(x, twice, NULL);
    mpz_set_ui(mpq_numref(x), (uint64_t)(t->size >> 64));
    mpz_mul_2exp(mpq_numref(x), mpq_numref(x), 64);
    mpz_add_ui(mpq_numref(x), mpq_numref(x), (uint64_t)t->size);
    mpq_sub(x, x, t->s->centre);
    mpq_mul(x, x, x);
    mpq_mul_2exp(twice, t->s->sigma2, 1);
    mpq_div(x, x, twice);
    jali_real_exp_minus_q(out, x, prec);
    mpq_clears(x, twice, NULL);
}

/* 1: surely accepted, 0: surely not, -1: the enclosure does not tell. */
static int filter(const jali_gauss *s, jali_u128 size, uint64_t word)
{
    double y = size >> 63 == 0 ? (double)(int64_t)size : (double)size;
    double off = y - s->near, all = y + s->near;
    double x = off * off * s->inverse;
    double slack = all * all * s->inverse * 0x1p-47; /* |error of x|, generously */
    double p = 0x1p53 * jali_exp_minus(x < 64.0 ? x : 64.0);
    double eta = 2.0 * slack + 0x1p-48;
    double low = x < 63.0 ? p * (1.0 - eta) : 0.0, high = p * (1.0 + eta);
    double u = (double)(int64_t)(word >> 11);
    if (!(slack < 0.25)) return -1; /* also when something is not a number */
    if (u + 1.0 <= low) return 1;
    return u >= high ? 0 : -1;
}

static jali_status accepted(const jali_gauss *s, jali_dice *d, jali_u128 size, bool *yes)
{
    uint64_t word;
    JALI_TRY(jali_dice_next(d, &word));
    int sure = d->doubt ? -1 : filter(s, size, word);
    if (sure < 0)
        return jali_lazy_below(d, word, 64, acceptance, &(struct trial){ s, size }, yes);
    *yes = sure == 1;
    return JALI_OK;
}

jali_status jali_gauss_draw(const jali_gauss *s, jali_dice *d, int64_t *out)
{
    bool minus, yes;
    jali_u128 size;
    do {
        JALI_TRY(jali_laplace_draw_wide(&s->proposal, d, &minus, &size));
        JALI_TRY(accepted(s, d, size, &yes));
    } while (!yes);
    *out = jali_clamped(minus, size);
    return JALI_OK;
}

jali_status jali_gauss_draw_many(const jali_gauss *s, jali_dice *d, int64_t *out, size_t n)
{
    int64_t *drawn = calloc(n == 0 ? 1 : n, sizeof *drawn);
    jali_status status = drawn == NULL ? JALI_E_NOMEM : JALI_OK;
    for (size_t i = 0; i < n && status == JALI_OK; i++)
        status = jali_gauss_draw(s, d, drawn + i);
    if (status == JALI_OK) memcpy(out, drawn, n * sizeof *out);
    free(drawn);
    return status;
}
