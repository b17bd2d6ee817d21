/* Conditions: what is refused and where, equal wordings, and the way back to SQL. */
#include "base/text.h"
#include "table/where.h"
#include "unit.h"
#include "where_schema.h"

static jali_arena arena;
static jali_schema schema;

static int set_up(void **state)
{
    jali_err err = { 0 };
    (void)state;
    if (jali_schema_parse(&schema, where_schema, sizeof where_schema - 1, "schema", &arena,
                          &err) == JALI_OK)
        return 0;
    print_error("%s\n", err.text);
    return 1;
}

static int tear_down(void **state)
{
    (void)state;
    jali_arena_clear(&arena);
    return 0;
}

static const jali_predicate *read_ok(const char *text)
{
    jali_err err = { 0 };
    const jali_predicate *p = NULL;
    if (jali_where_parse(&schema, text, &arena, &p, &err) != JALI_OK)
        fail_msg("%s: %s", text, err.text);
    return p;
}

static const char *key(const char *text)
{
    char *out = NULL;
    CHECK_OK(jali_predicate_text(read_ok(text), &arena, &out, NULL));
    return out;
}

static void same(const char *a, const char *b)
{
    assert_string_equal(key(a), key(b));
}

static void different(const char *a, const char *b)
{
    assert_string_not_equal(key(a), key(b));
}

static void refused(const char *text, unsigned line, unsigned column, const char *words)
{
    jali_err err = { 0 };
    const jali_predicate *p = NULL;
    jali_status status = jali_where_parse(&schema, text, &arena, &p, &err);
    if (status != JALI_E_USAGE) fail_msg("%s: was not refused", text);
    if (strstr(err.text, words) == NULL) fail_msg("%s: says \"%s\"", text, err.text);
    if (err.line != line || err.column != column)
        fail_msg("%s: \"%s\" at %u:%u", text, err.text, err.line, err.column);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, words);
    assert_null(p);
}

SENTENCE(equal_wordings_are_equal_predicates)
{
    UNUSED_STATE;
    same("age BETWEEN 3 AND 7", "age >= 3 AND age <= 7");
    same("age BETWEEN 3 AND 7", "7 >= age AND 3 <= age");
    same("age BETWEEN 3 AND 7", "age > 2 AND age < 8");
    same("age BETWEEN 3 AND 7", "age > 2.5 AND age < 7.0001");
    same("ward NOT IN ('surgery', 'cardio')", "ward <> 'surgery' AND ward <> 'cardio'");
    same("ward NOT IN ('surgery', 'cardio')", "NOT (ward = 'cardio' OR 'surgery' = ward)");
    same("ward = 'surgery' AND age = 3", "age = 3 AND ward = 'surgery'");
    same("NOT age BETWEEN 3 AND 7", "age NOT BETWEEN 3 AND 7");
    same("age NOT BETWEEN 3 AND 7", "age < 3 OR age > 7");
    same("NOT (age = 1 AND temp = 0)", "age <> 1 OR temp <> 0");
    same("age != 3", "age <> 3");
    same("AGE = 3", "age = 3");
    same("\"capital-gain\" = 1 OR TRUE", "TRUE");
    same("\"Capital-Gain\" > -3", "-3 < \"capital-gain\"");
    same("temp = -0.5", "temp = - 0.5e0");
    same("temp >= 0.25", "temp > 0");
    same("temp <= 0.75", "temp < 1");
    same("age = '3'", "age = 3.0");
    same("smoker", "smoker = TRUE");
    same("NOT smoker", "smoker = FALSE");
    same("smoker IS UNKNOWN", "smoker IS NULL");
    same("smoker IS TRUE", "smoker AND smoker IS NOT NULL");
    same("smoker IS NOT FALSE", "smoker OR smoker IS NULL");
    same("day > DATE '2024-02-28'", "day >= '2024-02-29'");
    same("age IN (1, 2, 3)", "age BETWEEN 1 AND 3;");
    same("age IS NOT NULL", "NOT age IS NULL");
    same("dose < 20", "dose IN ('[0, 10)', '[10, 20)')");
    same("\"order\" = 'a' -- a word of SQL as a name", "\"order\" <> 'b'");
    same("age = 0", "age <= 0");
    same("\"Capital-Gain\" IN (-1, 0, 1)", "\"Capital-Gain\" BETWEEN - 1 AND 1");
}

SENTENCE(unequal_wordings_stay_apart)
{
    UNUSED_STATE;
    different("age = 3", "age = 4");
    different("age <> 3", "age <> 3 OR age IS NULL"); /* NULL <> 3 is unknown */
    different("\"Capital-Gain\" = -3", "\"Capital-Gain\" = 0");
    different("\"Capital-Gain\" = -3", "\"Capital-Gain\" = 3");
    different("smoker", "smoker IS TRUE");
    different("age >= 0", "age IS NOT NULL");
    different("age > 99", "FALSE"); /* unknown for NULL, so NOT of it is not TRUE */
    different("NULL", "FALSE");
}

static uint64_t the_code(void *self, const char *column)
{
    (void)column;
    return *(uint64_t *)self;
}

/* The truth of a condition on one column at one code. */
static jali_truth on(const char *text, uint64_t code)
{
    return jali_predicate_value(read_ok(text), the_code, &code);
}

SENTENCE(constants_outside_the_domain_are_empty_or_everything)
{
    UNUSED_STATE;
    for (uint64_t code = 0; code < 13; code++) {
        assert_int_equal(on("age > 99", code), JALI_FALSE);
        assert_int_equal(on("age < 99", code), JALI_TRUE);
        assert_int_equal(on("age >= -99999999999999999999999", code), JALI_TRUE);
        assert_int_equal(on("age = 1e30", code), JALI_FALSE);
        assert_int_equal(on("age = 3.5", code), JALI_FALSE);
        assert_int_equal(on("age <> 3.5", code), JALI_TRUE);
        assert_int_equal(on("age BETWEEN 7 AND 3", code), JALI_FALSE);
    }
    assert_int_equal(on("age > 99", 13), JALI_UNKNOWN);
    assert_int_equal(on("age <> 3.5", 13), JALI_UNKNOWN);
}

SENTENCE(null_literals_are_unknown_as_in_sql)
{
    UNUSED_STATE;
    assert_int_equal(on("age = NULL", 3), JALI_UNKNOWN);
    assert_int_equal(on("NOT age = NULL", 3), JALI_UNKNOWN);
    assert_int_equal(on("age IN (3, NULL)", 3), JALI_TRUE);
    assert_int_equal(on("age IN (3, NULL) AND age = 4", 4), JALI_UNKNOWN);
    assert_int_equal(on("age IN (3, NULL) AND age = 4", 5), JALI_FALSE);
    assert_int_equal(on("age NOT IN (3, NULL)", 3), JALI_FALSE);
    assert_int_equal(on("age BETWEEN NULL AND 5", 6), JALI_FALSE);
}

SENTENCE(what_is_not_known_is_refused_where_it_stands)
{
    UNUSED_STATE;
    refused("ages = 3", 1, 1, "age");
    refused("age = 3 AND wrad = 'x'", 1, 13, "ward");
    refused("ward = 'surgrey'", 1, 8, "did you mean \"surgery\"");
    refused("age = 3\n AND ward IN ('cardio',\n   'surgry')", 3, 4, "surgery");
    refused("lower(ward) = 'x'", 1, 1, "a function");
    refused("ward = upper('x')", 1, 8, "a function");
    refused("age::text = '3'", 1, 4, "a cast");
    refused("age = 3::int", 1, 8, "a cast");
    refused("age = (SELECT 1)", 1, 7, "a subquery");
    refused("age IN (SELECT 1)", 1, 5, "a subquery");
    refused("EXISTS (SELECT 1)", 1, 1, "a subquery");
    refused("ward LIKE 's%'", 1, 6, "patterns");
    refused("ward ILIKE 's%'", 1, 6, "patterns");
    refused("ward NOT LIKE 's%'", 1, 6, "patterns");
    refused("ward SIMILAR TO 's'", 1, 6, "patterns");
    refused("ward ~ 's'", 1, 6, "~ cannot be computed");
    refused("age = temp", 1, 7, "a column cannot be compared with a column");
    refused("1 = 1", 1, 5, "a constant cannot be compared");
    refused("age + 1 = 3", 1, 5, "nothing can be computed");
    refused("capital-gain = 1", 1, 8, "needs double quotes");
    refused("age = 1 + 2", 1, 9, "nothing can be computed");
    refused("age = +3", 1, 7, "nothing can be computed");
    refused("age = -(3)", 1, 7, "write it plainly");
    refused("age", 1, 1, "not true or false by itself");
    refused("age IS TRUE", 1, 1, "not true or false by itself");
    refused("(age = 3) IS TRUE", 1, 11, "only a column can be asked IS TRUE");
    refused("(age = 3) IS NULL", 1, 11, "only a column can be asked IS NULL");
    refused("3", 1, 1, "not a condition");
    refused("'x' AND smoker", 1, 1, "not a condition");
    refused("ward < 'x'", 1, 8, "no order");
    refused("age = 'many'", 1, 7, "not a number");
    refused("day = 3", 1, 7, "not a date");
    refused("dose = 3", 1, 8, "bins");
    refused("t.age = 3", 1, 1, "there is one table");
    refused("age = $1", 1, 7, "a parameter");
    refused("(age, temp) = (1, 2)", 1, 1, "rows cannot be compared");
    refused("age = ANY(ARRAY[1])", 1, 5, "write IN (...)");
    refused("age <> ALL(ARRAY[1])", 1, 5, "write NOT IN (...)");
    refused("age IS DISTINCT FROM 3", 1, 5, "IS DISTINCT FROM");
    refused("age BETWEEN SYMMETRIC 3 AND 1", 1, 5, "smaller constant first");
    refused("CASE WHEN smoker THEN TRUE END", 1, 1, "CASE");
    refused("COALESCE(age, 1) = 1", 1, 1, "COALESCE");
    refused("day = current_date", 1, 7, "the time of asking");
    refused("age = 3 AND age = B'01'", 1, 19, "kind of constant");
    refused("smoker < TRUE", 1, 10, "no order");
}

SENTENCE(nothing_but_a_condition_is_taken)
{
    UNUSED_STATE;
    refused("", 0, 0, "is empty");
    refused("  ;\n ", 0, 0, "is empty");
    refused("age = 3 GROUP BY age", 1, 18, "only what stands after WHERE");
    refused("age = 3 LIMIT 1", 1, 15, "only what stands after WHERE");
    refused("age = 3 ORDER BY ward", 1, 18, "only what stands after WHERE");
    refused("age = 3 UNION SELECT 2", 1, 1, "only what stands after WHERE");
    refused("age = 3; DROP TABLE t", 1, 9, "goes on after its semicolon");
    refused("age = = 3", 1, 7, "syntax error");
    refused("age = 1 AND\n\xc3\xa4\xc3\xa4 = = 3", 2, 6, "syntax error");
    refused("age = ", 1, 7, "syntax error");
    refused("age = 3)", 1, 8, "syntax error");
    refused("age = '\xff'", 0, 0, "not UTF-8");
    refused("age = 'a\nb'", 1, 7, "compared with \"a?b\"");
    refused("ward = 'a\nb'", 1, 8, "\"a?b\" is not a value");
    refused("\"a\tb\" = 1", 1, 1, "a?b");
    refused("age = 'a\n", 1, 7, "unterminated");
}

SENTENCE(long_and_deep_texts_are_refused_without_harm)
{
    UNUSED_STATE;
    static char text[20000];
    jali_err err = { 0 };
    const jali_predicate *p = NULL;
    memset(text, ' ', 17000);
    assert_int_equal(jali_where_parse(&schema, text, &arena, &p, &err), JALI_E_USAGE);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "say it shorter");
    static const struct {
        const char *before, *last, *after;
        int times;
    } deep[] = { { "NOT ", "smoker", "", 4000 },
                 { "- ", "age", "", 8000 },
                 { "NOT (", "smoker", ")", 100 },
                 { "age+", "1", "", 4000 },
                 { "(age = 1 OR (temp = 1 AND ", "smoker", "))", 100 } };
    for (size_t i = 0; i < sizeof deep / sizeof *deep; i++) {
        size_t used = 0;
        for (int k = 0; k < deep[i].times; k++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s", deep[i].before);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s", deep[i].last);
        for (int k = 0; k < deep[i].times; k++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s", deep[i].after);
        assert_int_equal(jali_where_parse(&schema, text, &arena, &p, &err), JALI_E_USAGE);
        assert_null(p);
    }
    /* Long but flat is fine. */
    size_t used = 0;
    for (int k = 0; k < 1000; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%sage = %d", k ? " OR " : "",
                                 k % 7);
    CHECK_OK(jali_where_parse(&schema, text, &arena, &p, &err));
    same(text, "age < 7");
}

SENTENCE(a_refusal_that_quotes_half_a_character_is_still_text)
{
    UNUSED_STATE;
    jali_err err = { 0 };
    const jali_predicate *p = NULL;
    char text[200] = "ward = 'x";
    for (int i = 0; i < 40; i++) strncat(text, "\xc3\xa4", sizeof text - strlen(text) - 1);
    strncat(text, "'", 2);
    assert_int_equal(jali_where_parse(&schema, text, &arena, &p, &err), JALI_E_USAGE);
    CHECK(jali_text_is_utf8(err.text, strlen(err.text)));
}

static const char *back(const char *text)
{
    char *out = NULL;
    jali_err err = { 0 };
    if (jali_where_text(&schema, read_ok(text), &arena, &out, &err) != JALI_OK)
        fail_msg("%s: %s", text, err.text);
    return out;
}

SENTENCE(a_predicate_is_written_in_the_words_of_the_schema)
{
    UNUSED_STATE;
    assert_string_equal(back("age >= 3 AND age <= 7"), "age BETWEEN 3 AND 7");
    assert_string_equal(back("NOT age = 3"), "age <> 3");
    assert_string_equal(back("age IN (1, 3)"), "age IN (1, 3)");
    assert_string_equal(back("age > 3"), "age >= 4");
    assert_string_equal(back("temp < 0"), "temp <= -0.5");
    assert_string_equal(back("ward = 'it''s'"), "ward = 'it''s'");
    assert_string_equal(back("ward <> 'it''s'"), "ward <> 'it''s'");
    assert_string_equal(back("ward NOT IN ('birth', 'cardio')"),
                        "ward NOT IN ('cardio', 'birth')");
    assert_string_equal(back("NOT smoker"), "smoker = FALSE");
    assert_string_equal(back("day = '2024-02-29'"), "day = '2024-02-29'");
    assert_string_equal(back("\"order\" = 'a'"), "\"order\" = 'a'");
    assert_string_equal(back("\"Capital-Gain\" < 0"), "\"Capital-Gain\" <= -1");
    assert_string_equal(back("age IS NULL"), "age IS NULL");
    assert_string_equal(back("age IS NOT NULL"), "age IS NOT NULL");
    assert_string_equal(back("age > 99"), "age < 0");
    assert_string_equal(back("TRUE"), "TRUE");
    assert_string_equal(back("NULL"), "NULL");
    assert_string_equal(back("age = 3 OR age IS NULL"), "age = 3 OR age IS NULL");
    assert_string_equal(back("dose < 10"), "dose = '[0, 10)'");
    same(back("ward <> 'cardio' AND (age = 1 OR temp > 1)"),
         "ward <> 'cardio' AND (age = 1 OR temp > 1)");
}

SENTENCE(a_predicate_of_another_schema_is_refused)
{
    UNUSED_STATE;
    char *out = NULL;
    jali_err err = { 0 };
    const jali_predicate *p = jali_predicate_range(&arena, "agee", 14, 0, 1);
    assert_int_equal(jali_where_text(&schema, p, &arena, &out, &err), JALI_E_USAGE);
    p = jali_predicate_range(&arena, "age", 15, 0, 1);
    assert_int_equal(jali_where_text(&schema, p, &arena, &out, &err), JALI_E_USAGE);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "different schemas");
    assert_null(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(equal_wordings_are_equal_predicates),
        TEST(unequal_wordings_stay_apart),
        TEST(constants_outside_the_domain_are_empty_or_everything),
        TEST(null_literals_are_unknown_as_in_sql),
        TEST(what_is_not_known_is_refused_where_it_stands),
        TEST(nothing_but_a_condition_is_taken),
        TEST(long_and_deep_texts_are_refused_without_harm),
        TEST(a_refusal_that_quotes_half_a_character_is_still_text),
        TEST(a_predicate_is_written_in_the_words_of_the_schema),
        TEST(a_predicate_of_another_schema_is_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
