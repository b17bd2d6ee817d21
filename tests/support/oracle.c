/* tests/support/oracle.c — the plain samplers of Canonne, Kamath and Steinke on GMP. */
#include "support/oracle.h"
#include "dice/uniform.h"

static uint64_t below(jali_dice *d, uint64_t n)
{
    uint64_t x;
    if (jali_uniform_below(d, n, &x) != JALI_OK) abort();
    return x;
}

/* Heads with probability p, a fraction between 0 and 1. */
static bool fraction(jali_dice *d, const mpq_t p)
{
    mpz_t x;
    mpz_init(x);
    if (jali_uniform_below_z(d, mpq_denref(p), x) != JALI_OK) abort();
    bool heads = mpz_cmp(x, mpq_numref(p)) < 0;
    mpz_clear(x);
    return heads;
}

/* Algorithm 1 for gamma <= 1: the first k with tails of gamma/k is odd. */
static bool coin_up_to_one(jali_dice *d, const mpq_t gamma)
{
    unsigned long k = 1;
    mpq_t p, q;
    mpq_inits(p, q, NULL);
    for (;; k++) {
        mpq_set_ui(q, k, 1);
        mpq_div(p, gamma, q);
        if (!fraction(d, p)) break;
    }
    mpq_clears(p, q, NULL);
    return k % 2 == 1;
}

bool oracle_coin(jali_dice *d, const mpq_t gamma)
{
    mpq_t one, rest;
    mpq_inits(one, rest, NULL);
    mpq_set_ui(one, 1, 1);
    mpq_set(rest, gamma);
    bool heads = true;
    while (heads && mpq_cmp(rest, one) > 0) {
        heads = coin_up_to_one(d, one);
        mpq_sub(rest, rest, one);
    }
    heads = heads && coin_up_to_one(d, rest);
    mpq_clears(one, rest, NULL);
    return heads;
}

/* Algorithm 2: u + t v with u below t kept by exp(-u/t), v geometric; then divided by s. */
void oracle_laplace(jali_dice *d, const mpq_t scale, mpz_t z)
{
    mpq_t x, one;
    mpz_t u, v;
    bool minus = false;
    mpq_inits(x, one, NULL);
    mpz_inits(u, v, NULL);
    mpq_set_ui(one, 1, 1);
    do {
        do {
            if (jali_uniform_below_z(d, mpq_numref(scale), u) != JALI_OK) abort();
            mpq_set_num(x, u);
            mpq_set_den(x, mpq_numref(scale));
            mpq_canonicalize(x);
        } while (!oracle_coin(d, x));
        for (mpz_set_ui(v, 0); oracle_coin(d, one);) mpz_add_ui(v, v, 1);
        mpz_addmul(u, v, mpq_numref(scale));
        mpz_fdiv_q(z, u, mpq_denref(scale));
        minus = below(d, 2) == 1;
    } while (minus && mpz_sgn(z) == 0);
    if (minus) mpz_neg(z, z);
    mpz_clears(u, v, NULL);
    mpq_clears(x, one, NULL);
}

/* Algorithm 3. */
void oracle_gauss(jali_dice *d, const mpq_t sigma2, mpz_t z)
{
    mpz_t t;
    mpq_t scale, x, y;
    mpz_init(t);
    mpq_inits(scale, x, y, NULL);
    mpz_fdiv_q(t, mpq_numref(sigma2), mpq_denref(sigma2));
    mpz_sqrt(t, t);
    mpz_add_ui(t, t, 1);
    mpq_set_z(scale, t);
    do {
        oracle_laplace(d, scale, z);
        mpz_abs(t, z);
        mpq_set_z(x, t);
        mpq_div(y, sigma2, scale);
        mpq_sub(x, x, y);
        mpq_mul(x, x, x);
        mpq_div(x, x, sigma2);
        mpq_div_2exp(x, x, 1);
    } while (!oracle_coin(d, x));
    mpz_clear(t);
    mpq_clears(scale, x, y, NULL);
}

static bool keeps(jali_dice *d, const mpq_t rate, int64_t best, int64_t score)
{
    mpq_t x;
    mpq_init(x);
    mpz_set_ui(mpq_numref(x), (uint64_t)best - (uint64_t)score);
    mpq_mul(x, x, rate);
    bool heads = oracle_coin(d, x);
    mpq_clear(x);
    return heads;
}

static int64_t best_of(const int64_t *score, size_t n)
{
    int64_t best = score[0];
    for (size_t i = 1; i < n; i++)
        if (score[i] > best) best = score[i];
    return best;
}

size_t oracle_select(jali_dice *d, const mpq_t rate, const int64_t *score, size_t n)
{
    int64_t best = best_of(score, n);
    for (;;) {
        size_t i = (size_t)below(d, n);
        if (keeps(d, rate, best, score[i])) return i;
    }
}

size_t oracle_flip(jali_dice *d, const mpq_t rate, const int64_t *score, size_t n)
{
    int64_t best = best_of(score, n);
    size_t left[64];
    for (size_t i = 0; i < n; i++) left[i] = i;
    for (;;) {
        size_t at = (size_t)below(d, n), i = left[at];
        if (keeps(d, rate, best, score[i])) return i;
        left[at] = left[--n];
    }
}
