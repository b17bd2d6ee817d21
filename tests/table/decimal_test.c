/* Exact decimals against GMP rationals on random texts, and the corners by hand. */
#include "table/decimal.h"
#include "unit.h"
#include <gmp.h>

static uint64_t mix(uint64_t *s)
{
    uint64_t z = (*s += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static int64_t rounded(const char *text, unsigned digits, int64_t step)
{
    jali_scaled v;
    CHECK(jali_scaled_scan(&v, text, strlen(text), '.', digits));
    return jali_scaled_round(&v, step);
}

SENTENCE(ties_go_away_from_zero_and_never_through_a_double)
{
    UNUSED_STATE;
    CHECK(rounded("0.285", 2, 1) == 29); /* the nearest double is below the tie */
    CHECK(rounded("-0.285", 2, 1) == -29);
    CHECK(rounded("0.28499999999999999999999", 2, 1) == 28);
    CHECK(rounded("2.5", 0, 1) == 3);
    CHECK(rounded("-2.5", 0, 1) == -3);
    CHECK(rounded("1.125", 2, 25) == 5); /* 1.125 is half way between 4 and 5 quarters */
    CHECK(rounded("7", 0, 5) == 1);
    CHECK(rounded("7.5", 0, 5) == 2);
    CHECK(rounded("7.4999", 0, 5) == 1);
    CHECK(rounded("1e3", 0, 1) == 1000);
    CHECK(rounded("12.5e-1", 0, 1) == 1);
    CHECK(rounded(".5", 0, 1) == 1);
    CHECK(rounded("5.", 0, 1) == 5);
    CHECK(rounded("-inf", 2, 1) == -JALI_SCALED_MAX);
    CHECK(rounded("1e999999999999", 2, 1) == JALI_SCALED_MAX);
    CHECK(rounded("1e-999999999999", 2, 1) == 0);
    CHECK(rounded("0e999999999999", 2, 1) == 0);
}

SENTENCE(what_is_not_a_number_is_not_read)
{
    UNUSED_STATE;
    static const char *const bad[] = { "",    "-",     "+",   ".",     "e5",  "1e",
                                       "1e+", "nan",   "x",   "1.2.3", "1 2", "0x10",
                                       "--1", "infin", "1,5", "1e5.0" };
    jali_scaled v;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK(!jali_scaled_scan(&v, bad[i], strlen(bad[i]), '.', 2));
    CHECK(jali_scaled_scan(&v, "1,5", 3, ',', 1) && v.whole == 15);
}

/* round(v / step) by exact rationals: floor(|v|/step + 1/2) with the sign put back. */
static int64_t by_gmp(const char *number, unsigned exponent_down, unsigned digits, int64_t step)
{
    mpq_t v, s;
    mpz_t q, ten;
    mpq_inits(v, s, NULL);
    mpz_inits(q, ten, NULL);
    mpz_set_str(mpq_numref(v), number, 10);
    mpz_ui_pow_ui(ten, 10, exponent_down);
    mpz_set(mpq_denref(v), ten);
    mpq_canonicalize(v);
    mpz_set_si(mpq_numref(s), step);
    mpz_ui_pow_ui(mpq_denref(s), 10, digits);
    mpq_canonicalize(s);
    int sign = mpq_sgn(v);
    mpq_abs(v, v);
    mpq_div(v, v, s);
    mpq_set_ui(s, 1, 2);
    mpq_add(v, v, s);
    mpz_fdiv_q(q, mpq_numref(v), mpq_denref(v));
    int64_t out = sign * mpz_get_si(q);
    mpq_clears(v, s, NULL);
    mpz_clears(q, ten, NULL);
    return out;
}

SENTENCE(random_texts_round_as_exact_rationals_do)
{
    UNUSED_STATE;
    uint64_t seed = 20261116;
    static const int64_t steps[] = { 1, 2, 5, 25, 7, 1000 };
    for (int i = 0; i < 20000; i++) {
        char whole[32], text[40];
        int64_t n = (int64_t)(mix(&seed) % 2000000) - 1000000;
        unsigned down = (unsigned)(mix(&seed) % 6), digits = (unsigned)(mix(&seed) % 4);
        int64_t step = steps[mix(&seed) % 6];
        snprintf(whole, sizeof whole, "%lld", (long long)n);
        snprintf(text, sizeof text, "%se-%u", whole, down);
        assert_int_equal(rounded(text, digits, step), by_gmp(whole, down, digits, step));
        jali_dec plain = { n, down };
        char dotted[48];
        jali_dec_text(dotted, plain);
        assert_int_equal(rounded(dotted, digits, step), by_gmp(whole, down, digits, step));
    }
}

SENTENCE(decimals_are_written_as_people_write_them)
{
    UNUSED_STATE;
    char out[48];
    jali_dec d;
    jali_dec_text(out, (jali_dec){ 1250, 2 });
    assert_string_equal(out, "12.5");
    jali_dec_text(out, (jali_dec){ -5, 3 });
    assert_string_equal(out, "-0.005");
    jali_dec_text(out, (jali_dec){ 1200, 2 });
    assert_string_equal(out, "12");
    jali_dec_text(out, (jali_dec){ 0, 4 });
    assert_string_equal(out, "0");
    CHECK(jali_dec_scan(&d, "0.0100", 6) && d.units == 1 && d.digits == 2);
    CHECK(!jali_dec_scan(&d, "1e-19", 5));
    CHECK(!jali_dec_scan(&d, "inf", 3));
}

SENTENCE(dates_count_days_and_refuse_days_that_never_were)
{
    UNUSED_STATE;
    int64_t day;
    char out[48];
    CHECK(jali_date_scan(&day, "1970-01-01", 10) && day == 0);
    CHECK(jali_date_scan(&day, "2000-03-01", 10) && day == 11017);
    CHECK(jali_date_scan(&day, "1969-12-31 23:59:59", 19) && day == -1);
    CHECK(!jali_date_scan(&day, "1900-02-29", 10));
    CHECK(!jali_date_scan(&day, "2024-13-01", 10));
    CHECK(!jali_date_scan(&day, "2024-12-31x", 11));
    for (int64_t d = -719162; d < 2932896; d += 97) { /* year 1 to 9999 */
        jali_date_text(out, d);
        CHECK(jali_date_scan(&day, out, strlen(out)) && day == d);
    }
}

RUN_ALL(TEST(ties_go_away_from_zero_and_never_through_a_double),
        TEST(what_is_not_a_number_is_not_read), TEST(random_texts_round_as_exact_rationals_do),
        TEST(decimals_are_written_as_people_write_them),
        TEST(dates_count_days_and_refuse_days_that_never_were))
