/* Exact numbers: what is read is what was written, and rounding is against ourselves. */
#include "base/rat.h"
#include "unit.h"

static bool reads_as(const char *text, long num, unsigned long den)
{
    mpq_t got, want;
    mpq_inits(got, want, NULL);
    mpq_set_si(want, num, den);
    mpq_canonicalize(want);
    bool same = jali_rat_parse(got, text, "it", NULL) == JALI_OK && mpq_equal(got, want);
    mpq_clears(got, want, NULL);
    return same;
}

SENTENCE(a_tenth_is_a_tenth)
{
    UNUSED_STATE;
    CHECK(reads_as("0.1", 1, 10));
    CHECK(reads_as("1e-6", 1, 1000000));
    CHECK(reads_as("-2.50", -5, 2));
    CHECK(reads_as("+3", 3, 1));
    CHECK(reads_as("1/3", 1, 3));
    CHECK(reads_as("0.5/0.25", 2, 1));
    CHECK(reads_as(".5", 1, 2));
    CHECK(reads_as("5.", 5, 1));
    CHECK(reads_as("12E+2", 1200, 1));
    CHECK(!reads_as("0.1", 1, 11));
}

SENTENCE(what_is_no_number_is_refused_and_writes_nothing)
{
    UNUSED_STATE;
    static const char *const bad[] = { "",      ".",     "-",       "e5",    "1e",   "1e99",
                                       "1/0",   "1/",    "/2",      "0x10",  "1,5",  "nan",
                                       "inf",   "1 ",    " 1",      "1.2.3", "1//2", "--1",
                                       "1/2/3", "1e-31", "\xc2\xbd" };
    mpq_t q;
    jali_err err;
    mpq_init(q);
    mpq_set_si(q, 77, 1);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK(jali_rat_parse(q, bad[i], "--epsilon", &err) == JALI_E_USAGE);
        CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "--epsilon");
        CHECK(mpq_cmp_si(q, 77, 1) == 0);
    }
    char lengthy[100];
    memset(lengthy, '1', sizeof lengthy - 1);
    lengthy[sizeof lengthy - 1] = '\0';
    CHECK(jali_rat_parse(q, lengthy, "--epsilon", &err) == JALI_E_USAGE);
    mpq_clear(q);
}

SENTENCE(rounding_up_never_loses_and_down_never_gains)
{
    UNUSED_STATE;
    mpq_t third, whole, minus, huge;
    uint64_t up = 0, down = 0;
    mpq_inits(third, whole, minus, huge, NULL);
    mpq_set_si(third, 1, 3);
    mpq_set_si(whole, 2, 1);
    mpq_set_si(minus, -1, 3);
    CHECK(jali_rat_up(&up, third, 12) && up == 333333333334u);
    CHECK(jali_rat_down(&down, third, 12) && down == 333333333333u);
    CHECK(jali_rat_up(&up, whole, 12) && jali_rat_down(&down, whole, 12) && up == down);
    CHECK(!jali_rat_up(&up, minus, 12) && !jali_rat_down(&down, minus, 12));
    CHECK_OK(jali_rat_parse(huge, "18446744073709551615", "it", NULL));
    CHECK(jali_rat_up(&up, huge, 0) && up == UINT64_MAX);
    CHECK(!jali_rat_up(&up, huge, 1));
    mpq_clears(third, whole, minus, huge, NULL);
}

SENTENCE(units_print_as_the_shortest_decimal)
{
    UNUSED_STATE;
    char out[32];
    assert_string_equal(jali_decimal(out, 50000000000u, 12), "0.05");
    assert_string_equal(jali_decimal(out, 1000000000000u, 12), "1");
    assert_string_equal(jali_decimal(out, 0, 12), "0");
    assert_string_equal(jali_decimal(out, 1, 18), "0.000000000000000001");
    assert_string_equal(jali_decimal(out, 1200, 0), "1200");
    assert_string_equal(jali_decimal(out, 12000, 1), "1200");
    assert_string_equal(jali_decimal(out, UINT64_MAX, 12), "18446744.073709551615");
}

RUN_ALL(TEST(a_tenth_is_a_tenth), TEST(what_is_no_number_is_refused_and_writes_nothing),
        TEST(rounding_up_never_loses_and_down_never_gains),
        TEST(units_print_as_the_shortest_decimal))
