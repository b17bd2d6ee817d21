/* JSON from strangers: strict, and with places. */
#include "base/json.h"
#include "unit.h"

SENTENCE(a_mistake_is_told_with_its_line)
{
    UNUSED_STATE;
    json_t *value = NULL;
    jali_err err;
    const char *text = "{\"a\": 1,\n \"b\": }";
    CHECK(jali_json_parse(&value, text, strlen(text), "policy.json", &err) == JALI_E_DATA);
    CHECK_REFUSED(err, JALI_E_DATA, JALI_FOR_CURATOR, "policy.json, line 2");
    CHECK(err.line == 2 && value == NULL);
}

SENTENCE(a_key_given_twice_is_refused)
{
    UNUSED_STATE;
    json_t *value = NULL;
    const char *text = "{\"a\": 1, \"a\": 2}";
    CHECK(jali_json_parse(&value, text, strlen(text), "it", NULL) == JALI_E_DATA);
}

SENTENCE(equal_values_have_equal_canonical_bytes)
{
    UNUSED_STATE;
    const char *one = "{\"b\": [1, 2], \"a\": \"x\"}", *two = "{ \"a\":\"x\",\"b\":[1,2] }";
    json_t *x = NULL, *y = NULL;
    char *cx, *cy;
    jali_arena arena = JALI_ARENA_INIT;
    CHECK_OK(jali_json_parse(&x, one, strlen(one), "it", NULL));
    CHECK_OK(jali_json_parse(&y, two, strlen(two), "it", NULL));
    CHECK_OK(jali_json_canonical(x, &arena, &cx, NULL));
    CHECK_OK(jali_json_canonical(y, &arena, &cy, NULL));
    assert_string_equal(cx, "{\"a\":\"x\",\"b\":[1,2]}");
    assert_string_equal(cx, cy);
    jali_arena_clear(&arena);
    json_decref(x);
    json_decref(y);
}

SENTENCE(a_missing_or_mistyped_member_is_named)
{
    UNUSED_STATE;
    json_t *object = json_pack("{s:i}", "n", 1);
    const char *out = NULL;
    jali_err err;
    CHECK(jali_json_string(object, "m", "policy.json", &out, &err) == JALI_E_DATA);
    CHECK_REFUSED(err, JALI_E_DATA, JALI_FOR_CURATOR, "has no \"m\"");
    CHECK(jali_json_string(object, "n", "policy.json", &out, &err) == JALI_E_DATA);
    CHECK_REFUSED(err, JALI_E_DATA, JALI_FOR_CURATOR, "must be a text");
    CHECK(out == NULL);
    json_decref(object);
}

RUN_ALL(TEST(a_mistake_is_told_with_its_line), TEST(a_key_given_twice_is_refused),
        TEST(equal_values_have_equal_canonical_bytes),
        TEST(a_missing_or_mistyped_member_is_named))
