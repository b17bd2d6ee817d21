/* dice/rate.c — how fast a candidate's weight grows with its score. */
#include "dice/rate.h"

static jali_u128 fixed_point(const mpq_t rate)
{
    mpz_t z;
    mpz_init(z);
    mpz_mul_2exp(z, mpq_numref(rate), 64 + JALI_KEY_FRACTION);
    mpz_fdiv_q(z, z, mpq_denref(rate));
    uint64_t half[2] = { 0, 0 };
    mpz_export(half, NULL, -1, sizeof *half, 0, 0, z);
    mpz_clear(z);
    return (jali_u128)half[1] << 64 | half[0];
}

jali_status jali_rate_init(jali_rate *r, const mpq_t rate, jali_err *err)
{
    if (mpq_sgn(rate) < 0 || mpq_cmp_ui(rate, JALI_RATE_MAX, 1) > 0)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "the rate of a selection must be between 0 and %d; count scores in "
                         "smaller units or spend less",
                         JALI_RATE_MAX);
    mpq_init(r->exact);
    mpq_set(r->exact, rate);
    r->near = mpq_get_d(rate);
    r->fixed = fixed_point(rate);
    return JALI_OK;
}

void jali_rate_clear(jali_rate *r)
{
    mpq_clear(r->exact);
}
