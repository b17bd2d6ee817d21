/* Every text has a code, every code a text, and comparisons select what SQL would. */
#include "base/arena.h"
#include "table/schema.h"
#include "unit.h"

static const char text[] =
    "{\"missingValues\": [\"\", \"NA\"], \"fields\": ["
    "{\"name\": \"age\", \"type\": \"integer\", \"constraints\": {\"minimum\": 0, \"maximum\": 90},"
    " \"jali\": {\"bins\": [0, 18, 65, 90]}},"
    "{\"name\": \"cost\", \"type\": \"number\", \"constraints\": {\"minimum\": \"-1\", \"maximum\": 10},"
    " \"jali\": {\"step\": 0.25}},"
    "{\"name\": \"job\", \"constraints\": {\"enum\": [\"cook\", \"smith\"]}, \"jali\": {\"other\": \"rest\"}},"
    "{\"name\": \"ward\", \"constraints\": {\"enum\": [\"A\", \"B\"]}},"
    "{\"name\": \"well\", \"type\": \"boolean\"},"
    "{\"name\": \"day\", \"type\": \"date\", \"constraints\": {\"minimum\": \"2020-01-01\", \"maximum\": \"2020-12-31\"}},"
    "{\"name\": \"dose\", \"type\": \"number\", \"jali\": {\"bins\": [0, \"0.5\", 1.25, 3]}},"
    "{\"name\": \"level\", \"type\": \"integer\", \"constraints\": {\"enum\": [1, 2, 10]}},"
    "{\"name\": \"euro\", \"type\": \"number\", \"decimalChar\": \",\", \"constraints\": {\"minimum\": 0, \"maximum\": 9},"
    " \"jali\": {\"step\": \"0.1\"}}"
    "]}";

static jali_arena arena;
static jali_schema schema;

static int load(void **state)
{
    (void)state;
    jali_err err;
    if (jali_schema_parse(&schema, text, sizeof text - 1, "test", &arena, &err) == JALI_OK)
        return 0;
    puts(err.text);
    return 1;
}

static int unload(void **state)
{
    (void)state;
    jali_arena_clear(&arena);
    return 0;
}

static const jali_field *field(const char *name)
{
    size_t i;
    CHECK_OK(jali_schema_find(&schema, name, &i, NULL));
    return &schema.fields[i];
}

/* "text value fate" of a cell, so that a test is one line. */
static void cell(const char *name, const char *in, const char *value, jali_fate wanted)
{
    jali_fate fate;
    const jali_field *f = field(name);
    uint64_t code = jali_field_code(&schema, f, in, strlen(in), &fate);
    CHECK(code < f->domain);
    assert_string_equal(jali_field_text(f, code, &arena), value);
    assert_int_equal(fate, wanted);
}

SENTENCE(numbers_are_rounded_to_their_step_and_clamped)
{
    UNUSED_STATE;
    cell("age", "42", "42", JALI_KEPT);
    cell("age", " 42.5 ", "43", JALI_KEPT);
    cell("age", "-3", "0", JALI_CLAMPED);
    cell("age", "1e9", "90", JALI_CLAMPED);
    cell("age", "inf", "90", JALI_CLAMPED);
    cell("age", "nan", "NULL", JALI_NULLED);
    cell("age", "", "NULL", JALI_MISSING);
    cell("age", "NA", "NULL", JALI_MISSING);
    cell("age", "old", "NULL", JALI_NULLED);
    cell("cost", "0.125", "0.25", JALI_KEPT);
    cell("cost", "-0.125", "-0.25", JALI_KEPT);
    cell("cost", "-1.1", "-1", JALI_KEPT);
    cell("cost", "-1.125", "-1", JALI_CLAMPED);
    cell("cost", "10.1", "10", JALI_KEPT);
    cell("euro", "3,25", "3.3", JALI_KEPT);
    cell("euro", "3.25", "NULL", JALI_NULLED);
    CHECK(field("age")->domain == 92 && field("cost")->domain == 46);
}

SENTENCE(undeclared_categories_go_to_other_or_null)
{
    UNUSED_STATE;
    cell("job", "cook", "cook", JALI_KEPT);
    cell("job", " smith", "smith", JALI_KEPT);
    cell("job", "pilot", "rest", JALI_OTHERED);
    cell("job", "NA", "NULL", JALI_MISSING);
    cell("ward", "C", "NULL", JALI_NULLED);
    cell("well", "TRUE", "true", JALI_KEPT);
    cell("well", "0", "false", JALI_KEPT);
    cell("well", "yes", "NULL", JALI_NULLED);
    cell("level", "10", "10", JALI_KEPT);
    cell("level", "1.0", "1", JALI_KEPT);
    cell("level", "02", "2", JALI_KEPT);
    cell("level", "3", "NULL", JALI_NULLED);
    CHECK(field("job")->domain == 4 && field("ward")->domain == 3);
}

SENTENCE(dates_are_days)
{
    UNUSED_STATE;
    cell("day", "2020-02-29", "2020-02-29", JALI_KEPT);
    cell("day", "2020-02-29T10:00:00", "2020-02-29", JALI_KEPT);
    cell("day", "2021-01-01", "2020-12-31", JALI_CLAMPED);
    cell("day", "29.2.2020", "NULL", JALI_NULLED);
    CHECK(field("day")->domain == 367);
}

SENTENCE(bins_are_half_open_and_the_last_is_closed)
{
    UNUSED_STATE;
    const jali_field *age = field("age");
    CHECK(age->n_bins == 3);
    CHECK(jali_field_bin_of(age, 0) == 0 && jali_field_bin_of(age, 17) == 0);
    CHECK(jali_field_bin_of(age, 18) == 1 && jali_field_bin_of(age, 64) == 1);
    CHECK(jali_field_bin_of(age, 65) == 2 && jali_field_bin_of(age, 90) == 2);
    assert_string_equal(jali_field_bin(age, 0, &arena), "[0, 18)");
    assert_string_equal(jali_field_bin(age, 2, &arena), "[65, 90]");
    cell("dose", "0", "[0, 0.5)", JALI_KEPT);
    cell("dose", "0.4999999999999", "[0, 0.5)", JALI_KEPT);
    cell("dose", "0.5", "[0.5, 1.25)", JALI_KEPT);
    cell("dose", "3", "[1.25, 3]", JALI_KEPT);
    cell("dose", "3.0001", "[1.25, 3]", JALI_CLAMPED);
    cell("dose", "-0.0001", "[0, 0.5)", JALI_CLAMPED);
}

static const char *range(const char *name, jali_compare op, const char *constant)
{
    uint64_t from, to;
    const jali_field *f = field(name);
    CHECK_OK(jali_field_range(f, op, constant, &from, &to, NULL));
    if (from > to) return "none";
    CHECK(to < f->domain - 1);
    return jali_arena_format(&arena, "%s..%s", jali_field_text(f, from, &arena),
                             jali_field_text(f, to, &arena));
}

SENTENCE(comparisons_are_exact_and_never_take_null)
{
    UNUSED_STATE;
    assert_string_equal(range("cost", JALI_LT, "0.5"), "-1..0.25");
    assert_string_equal(range("cost", JALI_LT, "0.51"), "-1..0.5");
    assert_string_equal(range("cost", JALI_LE, "0.5"), "-1..0.5");
    assert_string_equal(range("cost", JALI_GT, "0.49"), "0.5..10");
    assert_string_equal(range("cost", JALI_GE, "0.5"), "0.5..10");
    assert_string_equal(range("cost", JALI_GE, "0.51"), "0.75..10");
    assert_string_equal(range("cost", JALI_GE, "-0.3"), "-0.25..10");
    assert_string_equal(range("cost", JALI_EQ, "0.3"), "none");
    assert_string_equal(range("cost", JALI_EQ, "-1"), "-1..-1");
    assert_string_equal(range("cost", JALI_LT, "-1"), "none");
    assert_string_equal(range("cost", JALI_GT, "10"), "none");
    assert_string_equal(range("cost", JALI_GT, "-1e300"), "-1..10");
    assert_string_equal(range("day", JALI_GE, "2020-12-30"), "2020-12-30..2020-12-31");
    assert_string_equal(range("job", JALI_EQ, "rest"), "rest..rest");
    assert_string_equal(range("well", JALI_EQ, "true"), "true..true");
    assert_string_equal(range("dose", JALI_GE, "0.50"), "[0.5, 1.25)..[1.25, 3]");
    assert_string_equal(range("dose", JALI_LT, "0.5"), "[0, 0.5)..[0, 0.5)");
    assert_string_equal(range("dose", JALI_LT, "0"), "none");
    assert_string_equal(range("dose", JALI_EQ, "[0, 0.5)"), "[0, 0.5)..[0, 0.5)");
}

SENTENCE(comparisons_that_make_no_sense_are_refused_for_the_analyst)
{
    UNUSED_STATE;
    uint64_t from = 77, to = 77;
    jali_err err;
    CHECK(jali_field_range(field("job"), JALI_LT, "cook", &from, &to, &err) != JALI_OK);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "no order");
    CHECK(jali_field_range(field("job"), JALI_EQ, "cok", &from, &to, &err) != JALI_OK);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "did you mean \"cook\"");
    CHECK(jali_field_range(field("age"), JALI_EQ, "old", &from, &to, &err) != JALI_OK);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "not a number");
    CHECK(jali_field_range(field("dose"), JALI_LT, "0.6", &from, &to, &err) != JALI_OK);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "bins");
    CHECK(jali_field_range(field("dose"), JALI_LE, "0.5", &from, &to, &err) != JALI_OK);
    CHECK(from == 77 && to == 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(numbers_are_rounded_to_their_step_and_clamped),
        TEST(undeclared_categories_go_to_other_or_null),
        TEST(dates_are_days),
        TEST(bins_are_half_open_and_the_last_is_closed),
        TEST(comparisons_are_exact_and_never_take_null),
        TEST(comparisons_that_make_no_sense_are_refused_for_the_analyst),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
