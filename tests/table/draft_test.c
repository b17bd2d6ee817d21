/* A draft says what it saw, that it is private, and reads back as a schema. */
#define _XOPEN_SOURCE 700
#include "base/json.h"
#include "scratch.h"
#include "table/draft.h"
#include "table/schema.h"

static void make(const char *file, jali_arena *arena, jali_schema *out)
{
    json_t *json;
    char *text;
    jali_err err = { .text = "" };
    if (jali_draft_make(&file, 1, NULL, &json, &err) != JALI_OK) fail_msg("%s", err.text);
    CHECK_OK(jali_json_pretty(json, arena, &text, NULL));
    json_decref(json);
    CHECK(strstr(text, "\"draft\": true") != NULL);
    CHECK(strstr(text, "read off private data") != NULL);
    if (jali_schema_parse(out, text, strlen(text), "draft", arena, &err) != JALI_OK)
        fail_msg("%s\n%s", err.text, text);
    CHECK(out->draft);
}

SENTENCE(a_draft_finds_types_bounds_and_categories)
{
    UNUSED_STATE;
    jali_arena arena = JALI_ARENA_INIT;
    jali_schema s;
    make(scratch_file("a.csv", "n,d,w,day,born,ok,id, pad \n"
                               "-3,0.25,A,2020-01-05,1980,true,x1,1\n"
                               "12,NA,B,2019-12-31,2001,false,,2\n"
                               "7,10.5, A ,2020-03-01,1999,,x3,?\n"),
         &arena, &s);
    assert_int_equal(s.n, 8);
    CHECK(s.fields[0].type == JALI_INTEGER && s.fields[0].low == -3 && s.fields[0].high == 12);
    CHECK(s.fields[1].type == JALI_DECIMAL && s.fields[1].step.digits == 2);
    CHECK(s.fields[1].low == 25 && s.fields[1].high == 1050);
    CHECK(s.fields[2].n_values == 2 && strcmp(s.fields[2].values[0], "A") == 0);
    CHECK(s.fields[3].type == JALI_DATE && s.fields[3].domain == 63);
    CHECK(s.fields[4].type == JALI_YEAR && s.fields[5].type == JALI_BOOLEAN);
    assert_string_equal(s.fields[7].name, "pad");
    CHECK(s.n_missing == 3); /* "", NA and ? were seen */
    jali_arena_clear(&arena);
}

/* Round edges between the bounds, and none where every value can be named. */
SENTENCE(a_number_of_many_values_gets_bins)
{
    UNUSED_STATE;
    jali_arena arena = JALI_ARENA_INIT;
    jali_schema s;
    make(scratch_file("bins.csv", "age,few,loss,share,flat\n17,0,-1505,0.25,5\n"
                                  "90,20,820,0.993,5\n"),
         &arena, &s);
    assert_int_equal(s.fields[0].n_bins, 8); /* 17 20 30 40 50 60 70 80 90 */
    assert_int_equal(s.fields[1].n_bins, 0);
    assert_int_equal(s.fields[2].n_bins, 6); /* -1505 -1500 -1000 ... 500 820 */
    assert_int_equal(s.fields[3].n_bins, 8); /* 0.25 0.3 ... 0.9 0.993 */
    assert_int_equal(s.fields[4].n_bins, 0);
    jali_arena_clear(&arena);
}

SENTENCE(what_cannot_be_declared_is_marked_to_be_dropped)
{
    UNUSED_STATE;
    enum { ROWS = JALI_DRAFT_VALUES + 1 };
    char *text = malloc(ROWS * 64);
    size_t used = (size_t)snprintf(text, 64, "name,empty,far\n");
    for (int i = 0; i < ROWS; i++)
        used += (size_t)snprintf(text + used, 64, "person%d,,9%d0000000000000000\n", i, i);
    jali_arena arena = JALI_ARENA_INIT;
    jali_schema s;
    make(scratch_bytes("many.csv", text, used), &arena, &s);
    CHECK(!s.fields[0].used && !s.fields[1].used && !s.fields[2].used);
    jali_arena_clear(&arena);
    free(text);
}

SENTENCE(a_file_without_a_header_gets_numbered_columns)
{
    UNUSED_STATE;
    jali_arena arena = JALI_ARENA_INIT;
    jali_schema s;
    make(scratch_file("bare.csv", "1,2.5\n3,4.5\n"), &arena, &s);
    assert_string_equal(s.fields[0].name, "column1");
    assert_string_equal(s.fields[1].name, "column2");
    jali_arena_clear(&arena);
}

SENTENCE(a_column_without_a_name_goes_by_its_place)
{
    UNUSED_STATE;
    jali_arena arena = JALI_ARENA_INIT;
    jali_schema s;
    make(scratch_file("index.csv", ",b\n1,2\n4,5\n"), &arena, &s);
    assert_string_equal(s.fields[0].name, "column1");
    assert_string_equal(s.fields[1].name, "b");
    jali_arena_clear(&arena);
}

SENTENCE(twins_are_refused_here_and_not_only_by_init)
{
    UNUSED_STATE;
    json_t *json;
    jali_err err;
    const char *file = scratch_file("twins.csv", "a, a\n1,2\n3,4\n");
    CHECK(jali_draft_make(&file, 1, NULL, &json, &err) == JALI_E_DATA);
    CHECK_REFUSED(err, JALI_E_DATA, JALI_FOR_CURATOR, "two columns named \"a\"");
}

SENTENCE(a_missing_file_is_a_sentence)
{
    UNUSED_STATE;
    json_t *json;
    jali_err err;
    const char *file = scratch_path("none.csv");
    CHECK(jali_draft_make(&file, 1, NULL, &json, &err) == JALI_E_ENGINE);
    CHECK_REFUSED(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "No such file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_draft_finds_types_bounds_and_categories),
        TEST(a_number_of_many_values_gets_bins),
        TEST(what_cannot_be_declared_is_marked_to_be_dropped),
        TEST(a_file_without_a_header_gets_numbered_columns),
        TEST(a_column_without_a_name_goes_by_its_place),
        TEST(twins_are_refused_here_and_not_only_by_init),
        TEST(a_missing_file_is_a_sentence),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
