/* A schema is obeyed whole or refused at the line that is wrong. */
#include "base/arena.h"
#include "base/json.h"
#include "table/schema.h"
#include "unit.h"

static const char good[] =
    "{\n"
    " \"name\": \"visits\",\n"
    " \"missingValues\": [\"\", \"?\"],\n"
    " \"jali\": {\"person\": \"id\", \"rowsPerPerson\": 3},\n"
    " \"fields\": [\n"
    "  {\"name\": \"id\"},\n"
    "  {\"name\": \"note\", \"jali\": {\"drop\": true}},\n"
    "  {\"name\": \"age\", \"type\": \"integer\", \"title\": \"Age\",\n"
    "   \"constraints\": {\"minimum\": 0, \"maximum\": 90, \"required\": true}},\n"
    "  {\"name\": \"cost\", \"type\": \"number\",\n"
    "   \"constraints\": {\"minimum\": 0.1, \"maximum\": 5},\n"
    "   \"jali\": {\"step\": \"0.1\", \"bins\": [0.1, 0.7, 5]}},\n"
    "  {\"name\": \"dose\", \"type\": \"number\", \"jali\": {\"bins\": [0, 0.5, 2]}},\n"
    "  {\"name\": \"ok\", \"type\": \"boolean\", \"trueValues\": [\"Y\"], \"falseValues\": [\"N\"]},\n"
    "  {\"name\": \"ward\", \"constraints\": {\"enum\": [\"A\", \"B\"]}, \"jali\": {\"other\": \"else\"}}\n"
    " ]\n"
    "}\n";

SENTENCE(a_schema_says_what_is_public)
{
    UNUSED_STATE;
    jali_arena arena = JALI_ARENA_INIT;
    jali_schema s;
    CHECK_OK(jali_schema_parse(&s, good, sizeof good - 1, "s.json", &arena, NULL));
    CHECK(s.n == 7 && s.person == 0 && s.rows_per_person == 3 && !s.draft);
    assert_string_equal(s.name, "visits");
    CHECK(!s.fields[0].used && !s.fields[1].used && s.fields[2].used);
    CHECK(s.fields[2].required && s.fields[2].domain == 92);
    CHECK(s.fields[3].low == 1 && s.fields[3].high == 50 && s.fields[3].n_bins == 2);
    CHECK(s.fields[3].edge[0] == 0 && s.fields[3].edge[1] == 6 && s.fields[3].edge[2] == 49);
    CHECK(s.fields[4].binned && s.fields[4].domain == 3);
    CHECK(s.fields[6].domain == 4 && s.fields[6].other == 2);
    jali_arena_clear(&arena);
}

SENTENCE(a_schema_written_again_reads_the_same)
{
    UNUSED_STATE;
    jali_arena arena = JALI_ARENA_INIT;
    jali_schema s, again;
    char *one, *two;
    CHECK_OK(jali_schema_parse(&s, good, sizeof good - 1, "s.json", &arena, NULL));
    json_t *json = jali_schema_json(&s);
    CHECK_OK(jali_json_pretty(json, &arena, &one, NULL));
    json_decref(json);
    CHECK_OK(jali_schema_parse(&again, one, strlen(one), "again", &arena, NULL));
    json = jali_schema_json(&again);
    CHECK_OK(jali_json_pretty(json, &arena, &two, NULL));
    json_decref(json);
    assert_string_equal(one, two);
    CHECK(again.person == 0 && again.rows_per_person == 3 && again.fields[3].edge[1] == 6);
    CHECK(again.fields[4].binned && again.fields[5].n_yes == 1);
    jali_arena_clear(&arena);
}

static void refused_at(const char *text, unsigned line, unsigned column, const char *words)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_schema s = { .n = 77 };
    jali_err err;
    CHECK(jali_schema_parse(&s, text, strlen(text), "s.json", &arena, &err) == JALI_E_DATA);
    if (strstr(err.text, words) == NULL || err.line != line || err.column != column)
        print_message("# %u:%u %s\n", err.line, err.column, err.text);
    CHECK_REFUSED(err, JALI_E_DATA, JALI_FOR_CURATOR, words);
    CHECK(s.n == 77);
    assert_int_equal(err.line, line);
    assert_int_equal(err.column, column);
    jali_arena_clear(&arena);
}

/* One field on line 2, column 1. */
#define FIELD(body) "{\"fields\": [\n{\"name\": \"a\", " body "}]}"

SENTENCE(mistakes_of_the_table_are_pointed_at)
{
    UNUSED_STATE;
    refused_at("[]", 1, 1, "an object");
    refused_at("{}", 1, 1, "needs \"fields\"");
    refused_at("{\"fields\": []}", 1, 2, "needs \"fields\"");
    refused_at("{\n\"fields\": [\n 3]}", 3, 2, "a field is an object");
    refused_at("{\"fields\": [{\"name\": \"a\",\n}]}", 2, 1, "not JSON");
    refused_at("{\"fields\": [{\"name\": \"a\", \"name\": \"b\"}]}", 1, 32, "not JSON");
    refused_at("{\"fields\": [{\"type\": \"string\"}]}", 1, 13, "no \"name\"");
    refused_at("{\"fields\": [{\"name\": \"\"}]}", 1, 22, "must not be empty");
    refused_at("{\"fields\": [{\"name\": \"a\\u001b[2J\"}]}", 1, 22, "control character");
    refused_at("{\"fields\": [{\"name\": \"a\", \"type\": \"boolean\"},\n"
               "{\"name\": \"a\", \"type\": \"boolean\"}]}",
               2, 2, "two columns");
    refused_at("{\"draft\": true, \"fields\": []}", 1, 2, "belongs into");
    refused_at("{\"jali\": {\"persn\": \"a\"}, \"fields\": []}", 1, 11,
               "did you mean \"person\"?");
    refused_at("{\"jali\": {\"person\": \"a\"}, \"fields\": []}", 1, 11, "rowsPerPerson");
    refused_at("{\"jali\": {\"rowsPerPerson\": 2}, \"fields\": []}", 1, 11, "person");
    refused_at("{\"jali\": {\"person\": \"a\", \"rowsPerPerson\": 0}, \"fields\": []}", 1, 26,
               "from 1 to");
    refused_at("{\"jali\": {\"person\": \"idd\", \"rowsPerPerson\": 1}, \"fields\": "
               "[{\"name\": \"id\"}]}",
               1, 11, "no column is named \"idd\"");
    refused_at("{\"missingValues\": [\"\", \"\"], \"fields\": []}", 1, 2, "twice");
    refused_at(
        "{\"missingValues\": [\"x\"],\n\"fields\": [\n{\"name\": \"a\", \"constraints\": "
        "{\"enum\": [\"x\"]}}]}",
        3, 1, "also in missingValues");
}

SENTENCE(mistakes_of_a_column_are_pointed_at)
{
    UNUSED_STATE;
    refused_at(FIELD("\"type\": \"strng\""), 2, 15, "must be string, integer");
    refused_at(FIELD("\"type\": \"string\""), 2, 1, "no public domain");
    refused_at(FIELD("\"type\": \"number\""), 2, 1, "no public domain");
    refused_at(FIELD("\"enum\": [1]"), 2, 15, "belongs into constraints");
    refused_at(FIELD("\"groupChar\": \",\""), 2, 15, "not supported");
    refused_at(FIELD("\"constraints\": {\"enum\": []}"), 2, 31, "empty");
    refused_at(FIELD("\"constraints\": {\"enum\": [\"x\",\n\"y\", \"x\"]}"), 3, 6, "twice");
    refused_at(FIELD("\"constraints\": {\"emun\": []}"), 2, 31, "did you mean \"enum\"");
    refused_at(FIELD("\"constraints\": {\"pattern\": \"a\"}"), 2, 31, "no member \"pattern\"");
    refused_at(FIELD("\"constraints\": {\"enum\": [\"x\"], \"minimum\": 1}"), 2, 46, "minimum");
    refused_at(FIELD("\"jali\": {\"bin\": [1]}"), 2, 24, "did you mean \"bins\"");
    refused_at(FIELD("\"type\": \"integer\", \"constraints\": {\"enum\": [1,\n \"01\"]}"), 3, 2,
               "twice");
    refused_at(FIELD("\"type\": \"integer\", \"constraints\": {\"enum\": [1.5]}"), 2, 59,
               "not a whole number");
    refused_at(FIELD("\"type\": \"integer\", \"constraints\": {\"minimum\": 1}"), 2, 1,
               "no \"maximum\"");
    refused_at(
        FIELD("\"type\": \"integer\", \"constraints\": {\"minimum\": 2,\n\"maximum\": 1}"), 2,
        50, "above maximum");
    refused_at(FIELD("\"type\": \"number\", \"constraints\": {\"minimum\": 0, \"maximum\": 1}"),
               2, 1, "\"step\"");
    refused_at(
        FIELD("\"type\": \"number\", \"constraints\": {\"minimum\": 0.05, \"maximum\": 1}, "
              "\"jali\": {\"step\": 0.1}"),
        2, 60, "not a multiple of the step 0.1");
    refused_at(FIELD("\"type\": \"number\", \"jali\": {\"bins\": [0, 2,\n 2]}"), 3, 2,
               "not above");
    refused_at(FIELD("\"type\": \"integer\", \"constraints\": {\"minimum\": 1}, \"jali\": "
                     "{\"bins\": [0, 2]}"),
               2, 82, "first and last edge");
    refused_at(FIELD("\"type\": \"integer\", \"constraints\": {\"minimum\": 0, \"maximum\": "
                     "9007199254740992}"),
               2, 64, "2^53");
    refused_at(FIELD("\"type\": \"date\", \"constraints\": {\"minimum\": \"1.1.2020\", "
                     "\"maximum\": \"2021-01-01\"}"),
               2, 58, "not a date");
    refused_at(FIELD("\"type\": \"date\", \"format\": \"%d\", \"constraints\": {}"), 2, 31,
               "default format");
    refused_at(
        FIELD("\"type\": \"boolean\", \"trueValues\": [\"a\"], \"falseValues\": [\"a\"]"), 2, 1,
        "twice");
    refused_at(FIELD("\"type\": \"boolean\", \"jali\": {\"other\": \"x\"}"), 2, 43,
               "needs an \"enum\"");
}

SENTENCE(limits_are_named)
{
    UNUSED_STATE;
    enum { ROOM = 2000000 };
    char *text = test_malloc(ROOM);
    size_t used = (size_t)snprintf(text, ROOM, "{\"fields\": [");
    for (unsigned i = 0; i <= JALI_MAX_COLUMNS; i++)
        used +=
            (size_t)snprintf(text + used, ROOM - used,
                             "%s{\"name\": \"c%u\", \"type\": \"boolean\"}", i ? "," : "", i);
    snprintf(text + used, ROOM - used, "]}");
    refused_at(text, 1, 2, "the limit is 10000");
    used = (size_t)snprintf(text, ROOM, FIELD("\"constraints\": {\"enum\": [\"v\""));
    used -= 3; /* take back the closing brackets of FIELD */
    for (unsigned i = 0; i < JALI_MAX_CATEGORIES; i++)
        used += (size_t)snprintf(text + used, ROOM - used, ",%u", i);
    snprintf(text + used, ROOM - used, "]}}]}");
    refused_at(text, 2, 31, "the limit is 65535");
    test_free(text);
}

RUN_ALL(TEST(a_schema_says_what_is_public), TEST(a_schema_written_again_reads_the_same),
        TEST(mistakes_of_the_table_are_pointed_at), TEST(mistakes_of_a_column_are_pointed_at),
        TEST(limits_are_named))
