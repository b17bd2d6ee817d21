/* Rates: exact inside, refused outside. */
#include "dice/laws.h"
#include "dice/race.h"
#include "dice/rate.h"
#include "unit.h"

SENTENCE(a_rate_is_kept_exactly)
{
    UNUSED_STATE;
    mpq_t q;
    jali_rate r;
    rational(q, "1/3");
    CHECK_OK(jali_rate_init(&r, q, NULL));
    CHECK(mpq_equal(r.exact, q));
    CHECK(r.fixed == (((jali_u128)1 << (64 + JALI_KEY_FRACTION)) - 1) / 3);
    CHECK(fabs(r.near * 3 - 1) < 0x1p-51);
    jali_rate_clear(&r);
    mpq_clear(q);
}

/* rate * score, in fixed point, against GMP: less than 2 units off at every extreme. */
SENTENCE(a_key_is_as_precise_for_large_scores_as_for_small)
{
    UNUSED_STATE;
    static const char *const rates[] = {
        "0",           "1/3",          "65536",
        "65535/65536", "1/1000000007", "1/100000000000000000000000000000000000"
    };
    const int64_t scores[] = { 0, 1, -1, 12345, INT64_MAX, INT64_MIN, INT64_MIN + 1 };
    for (size_t i = 0; i < 6; i++)
        for (size_t j = 0; j < 7; j++) {
            mpq_t q, x;
            jali_rate r;
            rational(q, rates[i]);
            mpq_init(x);
            CHECK_OK(jali_rate_init(&r, q, NULL));
            jali_i128 key = jali_race_base(&r, scores[j]);
            mpz_set_si(mpq_numref(x), (int64_t)(key >> 64));
            mpz_mul_2exp(mpq_numref(x), mpq_numref(x), 64);
            mpz_add_ui(mpq_numref(x), mpq_numref(x), (uint64_t)key);
            mpq_div_2exp(x, x, JALI_KEY_FRACTION);
            mpq_t truth;
            mpq_init(truth);
            mpz_set_si(mpq_numref(truth), scores[j]);
            mpq_mul(truth, truth, q);
            mpq_sub(x, x, truth);
            mpq_abs(x, x);
            mpq_mul_2exp(x, x, JALI_KEY_FRACTION);
            CHECK(mpq_cmp_ui(x, 2, 1) < 0);
            mpq_clears(q, x, truth, NULL);
            jali_rate_clear(&r);
        }
}

SENTENCE(a_rate_out_of_range_is_refused)
{
    UNUSED_STATE;
    static const char *const bad[] = { "-1/1000000", "65537", "131073/2" };
    for (size_t i = 0; i < 3; i++) {
        mpq_t q;
        jali_rate r;
        jali_err err;
        rational(q, bad[i]);
        CHECK(jali_rate_init(&r, q, &err) == JALI_E_USAGE);
        CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "between 0 and 65536");
        mpq_clear(q);
    }
}

RUN_ALL(TEST(a_rate_is_kept_exactly), TEST(a_key_is_as_precise_for_large_scores_as_for_small),
        TEST(a_rate_out_of_range_is_refused))
