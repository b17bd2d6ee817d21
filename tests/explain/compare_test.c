/* Questions that compare groups: what is understood, and what is refused where. */
#include "explain/query/compare.h"
#include "unit.h"

static const char schema_text[] =
    "{\"name\":\"t\",\"fields\":["
    "{\"name\":\"status\",\"type\":\"string\",\"constraints\":{\"enum\":["
    "\"Married-civ-spouse\",\"Never-married\",\"Married, spouse present\",\"<=50K\",\">50K\","
    "\"a + b\",\"x\",\"y\",\"z\"]}},"
    "{\"name\":\"from\",\"type\":\"string\",\"constraints\":{\"enum\":[\"Queens\",\"Brooklyn\"]}},"
    "{\"name\":\"to\",\"type\":\"string\",\"constraints\":{\"enum\":[\"Brooklyn\",\"Queens\"]}},"
    "{\"name\":\"age\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":99},"
    "\"jali\":{\"bins\":[0,20,40,99]}},"
    "{\"name\":\"year\",\"type\":\"integer\",\"constraints\":{\"minimum\":2000,\"maximum\":2030}}"
    "]}";

static jali_arena arena = JALI_ARENA_INIT;
static jali_schema schema;
static jali_comparison c;
static jali_err err;

static jali_status read_as(const char *sql, const char *text, const char *of)
{
    jali_query query;
    err = (jali_err){ 0 };
    if (schema.n == 0)
        CHECK_OK(jali_schema_parse(&schema, schema_text, strlen(schema_text), "schema", &arena,
                                   NULL));
    CHECK_OK(jali_query_parse(&schema, sql, &arena, &query, NULL));
    return jali_compare_parse(&schema, &query, text, of, &arena, &c, &err);
}

static jali_status read(const char *text)
{
    return read_as("SELECT status, COUNT(*) FROM t GROUP BY status", text, NULL);
}

static void understood(const char *text, const char *words)
{
    CHECK_OK(read(text));
    assert_string_equal(c.words, words);
}

static void refused(const char *text, unsigned column, const char *words)
{
    assert_int_equal(read(text), JALI_E_USAGE);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, words);
    assert_int_equal(err.column, column);
}

SENTENCE(names_hold_dashes_commas_and_operators)
{
    UNUSED_STATE;
    understood("Married-civ-spouse > Never-married", "Married-civ-spouse > Never-married");
    understood("Married, spouse present > x", "Married, spouse present > x");
    understood("<=50K > >50K", "<=50K > >50K");
    understood("x>y", "x > y");
    understood("x<y", "y > x");
    understood("\"a + b\" > x", "a + b > x");
    understood("'a + b'>'x'", "a + b > x");
    understood("MARRIED-CIV-SPOUSE > never-married", "Married-civ-spouse > Never-married");
    understood("NULL > x", "NULL > x");
}

SENTENCE(the_larger_side_is_the_claim)
{
    UNUSED_STATE;
    CHECK_OK(read("x < y"));
    CHECK(c.n == 2 && c.linear && c.weight[0] == -1 && c.weight[1] == 1 && !c.or_equal);
    CHECK(c.part[0][0] == 6 && c.part[1][0] == 7 && c.unit == 1 && c.constant == 0);
    CHECK_OK(read("x <= y"));
    CHECK(c.or_equal);
}

SENTENCE(weights_sums_and_constants_are_weighted_sums)
{
    UNUSED_STATE;
    understood("x + y > z + <=50K", "x + y > <=50K + z");
    understood("x >= 10 * y", "x >= 10 * y");
    understood("x * 10 >= y", "10 * x >= y");
    understood("2 * x > 2 * y", "x > y");
    CHECK(c.unit == 2);
    understood("0.5 * x > 1.5*y", "x > 3 * y");
    CHECK(c.unit == 0.5);
    understood("x / 4 > y / 2", "x > 2 * y");
    understood("(x + y) / 2 > z", "x + y > 2 * z");
    understood("x > 100", "x > 100");
    CHECK(c.n == 1 && c.constant == 100);
    understood("5 > x", "5 > x");
    CHECK(c.weight[0] == -1 && c.constant == -5);
    understood("x - y > 7", "x > y + 7");
    understood("x + x > y", "2 * x > y");
    understood("x + y > y + z", "x > z");
    CHECK(c.n == 2);
}

SENTENCE(general_arithmetic_is_read_but_is_no_weighted_sum)
{
    UNUSED_STATE;
    static const char *const general[] = { "x / y > 2", "x * y > z", "exp(x) > log(y)",
                                           "(x + y) / (y + z) >= 1/3" };
    for (size_t i = 0; i < sizeof general / sizeof *general; i++) {
        CHECK_OK(read(general[i]));
        CHECK(!c.linear && c.tree != NULL);
        assert_string_equal(c.words, general[i]);
    }
}

SENTENCE(groups_of_several_columns_are_written_with_commas)
{
    UNUSED_STATE;
    const char *sql = "SELECT COUNT(*) FROM t GROUP BY \"from\", \"to\"";
    CHECK_OK(read_as(sql, "Queens,Brooklyn >= 10 * Brooklyn,Queens", NULL));
    assert_string_equal(c.words, "Queens,Brooklyn >= 10 * Brooklyn,Queens");
    CHECK(c.n == 2 && c.weight[0] == 1 && c.weight[1] == -10);
    /* The order of GROUP BY counts, and the question does not change with it. */
    CHECK_OK(read_as("SELECT COUNT(*) FROM t GROUP BY \"to\", \"from\"",
                     "Brooklyn, Queens >= 10 * Queens,Brooklyn", NULL));
    CHECK(c.part[0][0] == 0 && c.part[0][1] == 0 && c.weight[0] == 1);
    CHECK(read_as(sql, "Queens,Brookline > Queens,Queens", NULL) == JALI_E_USAGE);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "of to; did you mean \"Brooklyn\"?");
    CHECK(read_as(sql, "Queens > Brooklyn", NULL) == JALI_E_USAGE);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "a group is written from,to");
}

SENTENCE(bins_years_and_the_one_group_of_all_have_names)
{
    UNUSED_STATE;
    CHECK_OK(read_as("SELECT age, COUNT(*) FROM t GROUP BY age", "[20, 40) > [0, 20)", NULL));
    CHECK(c.n == 2 && c.part[0][0] == 0 && c.part[1][0] == 1);
    CHECK_OK(read_as("SELECT age, COUNT(*) FROM t GROUP BY age",
                     "([20, 40) + [0, 20)) / 2 > [40, 99]", NULL));
    CHECK(c.n == 3 && c.linear);
    const char *years = "SELECT year, COUNT(*) FROM t GROUP BY year";
    CHECK_OK(read_as(years, "2020 > 2019", NULL));
    CHECK(c.n == 2 && c.part[0][0] == 19);
    CHECK_OK(read_as(years, "2020 > 2019.0", NULL)); /* the number, not the year */
    CHECK(c.n == 1 && c.constant == 2019);
    CHECK_OK(read_as(years, "2 * \"2020\" > 2005 * '2019'", NULL));
    CHECK(c.n == 2 && c.weight[1] == 2);
    CHECK_OK(read_as("SELECT COUNT(*) FROM t", "all > 100", NULL));
    CHECK(c.n == 1 && c.constant == 100);
    CHECK(read_as("SELECT COUNT(*) FROM t", "everybody > 100", NULL) == JALI_E_USAGE);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "its one group is called all");
}

SENTENCE(of_several_numbers_one_is_named)
{
    UNUSED_STATE;
    const char *sql = "SELECT status, COUNT(*), AVG(age) AS mean FROM t GROUP BY status";
    CHECK(read_as(sql, "x > y", NULL) == JALI_E_USAGE);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "--of, one of \"COUNT(*)\", \"mean\"");
    CHECK_OK(read_as(sql, "x > y", "mean"));
    CHECK(c.aggregate == 1);
    CHECK(read_as(sql, "x > y", "maen") == JALI_E_USAGE);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "did you mean \"mean\"?");
    CHECK_OK(read_as(sql, "x > y", "MEAN"));
    CHECK_OK(read_as(sql, "x > y", "count(*)"));
}

SENTENCE(refusals_point_at_the_word)
{
    UNUSED_STATE;
    refused("x > Never-maried", 5, "did you mean \"Never-married\"?");
    refused("x > 'Never-maried'", 5, "did you mean \"Never-married\"?");
    refused("x > w00t and so on", 5, "there is no group");
    refused("x >", 4, "missing here");
    refused("x", 2, "compares");
    refused("x = y", 3, "larger side");
    refused("x > y > z", 7, "should end here");
    refused("x > 'y", 5, "not closed");
    refused("(x + y > z", 1, "bracket is not closed");
    refused("", 0, "is empty");
    refused("x > y\x1b[31m", 0, "control character");
    refused("x > x", 0, "larger than itself");
    refused("1 > 2", 0, "names no group");
    refused("x > 1048577 * y", 0, "weights");
}

SENTENCE(deep_brackets_and_long_lists_are_refused)
{
    UNUSED_STATE;
    char text[JALI_COMPARE_BYTES + 10];
    memset(text, '(', 100);
    snprintf(text + 100, 10, "x > y");
    CHECK(read(text) == JALI_E_USAGE);
    CHECK(strstr(err.text, "nested too deep") != NULL);
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    CHECK(read(text) == JALI_E_USAGE);
    CHECK(strstr(err.text, "too long") != NULL);
    const char *years = "SELECT year, COUNT(*) FROM t GROUP BY year";
    CHECK(
        read_as(years,
                "2001 + 2002 + 2003 + 2004 + 2005 + 2006 + 2007 + 2008 + 2009 + 2010 + 2011 + "
                "2012 + 2013 + 2014 + 2015 + 2016 > 2017",
                NULL) == JALI_E_USAGE);
    CHECK(strstr(err.text, "at most 16 groups") != NULL);
    jali_arena_clear(&arena);
}

RUN_ALL(TEST(names_hold_dashes_commas_and_operators), TEST(the_larger_side_is_the_claim),
        TEST(weights_sums_and_constants_are_weighted_sums),
        TEST(general_arithmetic_is_read_but_is_no_weighted_sum),
        TEST(groups_of_several_columns_are_written_with_commas),
        TEST(bins_years_and_the_one_group_of_all_have_names),
        TEST(of_several_numbers_one_is_named), TEST(refusals_point_at_the_word),
        TEST(deep_brackets_and_long_lists_are_refused))
