/* A why through jali.h: free verdicts, one payment, the same story told again, and requests in
 * JSON that do what words do. */
#define _XOPEN_SOURCE 700
#include "scratch.h"
#include <jansson.h>

static const char schema_text[] =
    "{\"name\":\"t\",\"fields\":["
    "{\"name\":\"g\",\"constraints\":{\"required\":true,\"enum\":[\"a\",\"b\"]}},"
    "{\"name\":\"c\",\"constraints\":{\"required\":true,\"enum\":[\"x\",\"y\",\"z\"]}},"
    "{\"name\":\"v\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":9}}]}";

static const char *vault;

/* b is dearer because of its rows with c = y. */
static int make_vault(void **state)
{
    static char rows[40000];
    size_t n = (size_t)snprintf(rows, sizeof rows, "g,c,v\n");
    scratch_open(state);
    for (unsigned i = 0; i < 4000; i++)
        n += (size_t)snprintf(rows + n, sizeof rows - n, "%c,%c,%u\n", "ab"[i % 2],
                              "xyz"[i / 2 % 3], i % 2 == 1 && i / 2 % 3 == 1 ? 9 : i % 3);
    const char *data[] = { scratch_file("t.csv", rows) };
    vault = scratch_path("t.jali");
    jali_init ask = { .vault = vault,
                      .data = data,
                      .n_data = 1,
                      .schema = scratch_file("schema.json", schema_text),
                      .epsilon = "100",
                      .delta = "1e-6",
                      .by = "curator",
                      .now_ms = 1700000000000,
                      .threads = 1 };
    jali_doc *doc;
    if (jali_vault_init(&ask, &doc, NULL) != JALI_OK) return 1;
    jali_doc_free(doc);
    jali_question q = { .spend = { .vault = vault, .rho = "1", .by = "eve" },
                        .sql = "SELECT g, AVG(v) FROM t GROUP BY g" };
    if (jali_vault_ask(&q, &doc, NULL) != JALI_OK) return 1;
    jali_doc_free(doc);
    return 0;
}

static json_t *read_doc(jali_doc *doc)
{
    char *text;
    jali_style style = { .format = JALI_FORMAT_JSON };
    CHECK_OK(jali_doc_render(doc, &style, &text, NULL));
    json_t *json = json_loads(text, 0, NULL);
    CHECK(json != NULL);
    jali_doc_free(doc);
    jali_free(text);
    return json;
}

static const char *member(const json_t *json, const char *key)
{
    const char *text = json_string_value(json_object_get(json, key));
    return text == NULL ? "" : text;
}

static jali_why why(const char *question, const char *rho)
{
    return (jali_why){ .spend = { .vault = vault, .rho = rho, .by = "eve", .threads = 1 },
                       .release = "r1",
                       .question = question };
}

static json_t *explained(const jali_why *y)
{
    jali_doc *doc;
    jali_err err = { 0 };
    if (jali_vault_why(y, &doc, &err) != JALI_OK) fail_msg("%s", err.text);
    return read_doc(doc);
}

static long charges(void)
{
    jali_doc *doc;
    CHECK_OK(jali_vault_budget(vault, &doc, NULL));
    json_t *json = read_doc(doc);
    long n = (long)json_integer_value(json_object_get(json, "charges"));
    json_decref(json);
    return n;
}

SENTENCE(a_verdict_is_free)
{
    UNUSED_STATE;
    long before = charges();
    static const char *const cases[][2] = { { "b > a", "yes" },
                                            { "a > b", "reversed" },
                                            { "b > 4", "noise" },
                                            { "b / a > 1", "yes" } };
    for (size_t i = 0; i < 4; i++) {
        jali_why y = why(cases[i][0], NULL);
        json_t *json = explained(&y);
        if (i != 2) assert_string_equal(member(json, "verdict"), cases[i][1]);
        CHECK(json_object_get(json, "rows") == NULL);
        json_decref(json);
    }
    CHECK(charges() == before);
}

SENTENCE(an_explanation_is_paid_once_and_told_as_often_as_one_likes)
{
    UNUSED_STATE;
    long before = charges();
    jali_why y = why("b > a", "1"), again = why("2 * a < 2 * b", "1");
    jali_doc *doc;
    json_t *first = explained(&y), *second = explained(&again);
    CHECK_OK(jali_vault_release(vault, member(first, "release"), NULL, &doc, NULL));
    json_t *third = read_doc(doc);
    CHECK(charges() == before + 1);
    const json_t *rows = json_object_get(first, "rows");
    assert_string_equal(member(json_array_get(rows, 0), "predicate"), "c = 'y'");
    CHECK(json_array_size(rows) == 3 && json_equal(rows, json_object_get(third, "rows")));
    CHECK(json_is_false(json_object_get(first, "free")));
    CHECK(json_is_true(json_object_get(second, "free")));
    /* Twice the difference, twice the influences, and so the same shares of it. */
    const json_t *twice = json_object_get(second, "rows");
    for (size_t i = 0; i < 3; i++)
        CHECK(json_equal(json_object_get(json_array_get(rows, i), "relative"),
                         json_object_get(json_array_get(twice, i), "relative")));
    CHECK(2 * json_real_value(json_object_get(first, "score_unit")) ==
          json_real_value(json_object_get(second, "score_unit")));
    json_decref(first);
    json_decref(second);
    json_decref(third);
}

static jali_status request(const char *json, jali_doc **doc, jali_err *err)
{
    jali_spend spend = { .vault = vault, .by = "eve", .threads = 1 };
    *err = (jali_err){ 0 };
    return jali_vault_request(json, strlen(json), &spend, doc, err);
}

SENTENCE(a_request_in_json_does_what_words_do)
{
    UNUSED_STATE;
    jali_doc *doc;
    jali_err err;
    static const char *const good[] = {
        "{\"verb\":\"why\",\"release\":\"r1\",\"question\":\"b > a\"}",
        "{\"verb\":\"why\",\"release\":\"r1\",\"question\":\"b > a\",\"rho\":\"0.1\",\"top\":\"2\","
        "\"columns\":\"c\",\"length\":\"1\",\"inequalities\":true,\"split\":\"0.5,0.5\"}",
        "{\"verb\":\"why\",\"release\":\"r1\",\"question\":\"b > a\",\"rho\":\"0.1\","
        "\"predicates\":\"c = 'x'\\nc IN ('x', 'y')\",\"ranks\":\"search\"}",
    };
    static const size_t lines[] = { 0, 2, 2 };
    for (size_t i = 0; i < 3; i++) {
        if (request(good[i], &doc, &err) != JALI_OK) fail_msg("%s", err.text);
        json_t *json = read_doc(doc);
        CHECK(json_array_size(json_object_get(json, "rows")) == lines[i]);
        json_decref(json);
    }
    static const char *const bad[][2] = {
        { "{\"verb\":\"why\",\"question\":\"b > a\"}", "no \"release\"" },
        { "{\"verb\":\"why\",\"release\":\"r1\"}", "no \"question\"" },
        { "{\"verb\":\"why\",\"release\":\"r1\",\"question\":\"b > a\",\"top\":\"-1\"}",
          "\"top\"" },
        { "{\"verb\":\"why\",\"release\":\"r1\",\"question\":\"b > a\",\"tpo\":\"1\"}",
          "did you mean \"top\"" },
        { "{\"verb\":\"why\",\"release\":\"r1\",\"question\":\"b > q\"}", "no group" },
    };
    for (size_t i = 0; i < 5; i++) {
        CHECK(request(bad[i][0], &doc, &err) == JALI_E_USAGE);
        CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, bad[i][1]);
    }
}

SENTENCE(the_paper_s_constants_are_for_public_vaults)
{
    UNUSED_STATE;
    jali_doc *doc;
    jali_err err;
    jali_why y = why("b > a", "1");
    y.constants = "paper";
    CHECK(jali_vault_why(&y, &doc, &err) == JALI_E_USAGE);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "public vaults");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_verdict_is_free),
        TEST(an_explanation_is_paid_once_and_told_as_often_as_one_likes),
        TEST(a_request_in_json_does_what_words_do),
        TEST(the_paper_s_constants_are_for_public_vaults),
    };
    return cmocka_run_group_tests(tests, make_vault, scratch_close);
}
