/* Blocks for pages: every piece of a document is there once, in order, and what is not known is
 * never a number. */
#include "gallery.h"
#include <jansson.h>

static json_t *page(void)
{
    jali_doc *doc = gallery();
    jali_style style = { .format = JALI_FORMAT_BLOCKS };
    static const jali_col cols[] = { { "who", false }, { "eps", true } };
    char *text = NULL;
    jali_doc_fact(doc, "cap", "eps 1");
    jali_doc_meter(doc, "spent", NAN, "?");
    jali_doc_say(doc, "Words.");
    jali_doc_table(doc, 2, cols);
    jali_doc_cell(doc, "ana");
    jali_doc_cell(doc, "0.1");
    CHECK_OK(jali_doc_render(doc, &style, &text, NULL));
    jali_doc_free(doc);
    json_t *value = json_loads(text, 0, NULL);
    jali_free(text);
    assert_non_null(value);
    return value;
}

static const json_t *block(const json_t *page, size_t i)
{
    return json_array_get(json_object_get(page, "blocks"), i);
}

static const char *word(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text == NULL ? "" : text;
}

SENTENCE(every_piece_is_a_block_in_its_place)
{
    UNUSED_STATE;
    static const char *const want[] = { "heading", "chart", "chart", "chart", "chart", "chart",
                                        "chart",   "fact",  "meter", "say",   "table" };
    static const char *const kinds[] = { "rows", "rows", "pairs", "lines", "lines", "heat" };
    json_t *p = page();
    CHECK(json_integer_value(json_object_get(p, "jali")) == 1);
    assert_string_equal(word(p, "kind"), "gallery");
    CHECK(json_array_size(json_object_get(p, "blocks")) == 11);
    for (size_t i = 0; i < 11; i++) assert_string_equal(word(block(p, i), "block"), want[i]);
    for (size_t i = 0; i < 6; i++) {
        assert_string_equal(word(block(p, i + 1), "chart"), kinds[i]);
        CHECK(word(block(p, i + 1), "title")[0] != '\0');
        CHECK(word(block(p, i + 1), "about")[0] != '\0'); /* for people who do not see it */
    }
    json_decref(p);
}

SENTENCE(a_mark_has_its_interval_and_an_unknown_one_has_nothing)
{
    UNUSED_STATE;
    json_t *p = page(), *rows = json_object_get(block(p, 1), "rows");
    json_t *known = json_array_get(json_object_get(json_array_get(rows, 0), "marks"), 0);
    json_t *unknown = json_array_get(json_object_get(json_array_get(rows, 3), "marks"), 0);
    CHECK(json_real_value(json_object_get(known, "value")) == 6046);
    CHECK(json_real_value(json_object_get(known, "low")) == 5146);
    CHECK(json_real_value(json_object_get(known, "high")) == 7146);
    CHECK(json_object_size(unknown) == 1 && json_is_true(json_object_get(unknown, "unknown")));
    /* Ranks have an interval and no value: null, and not 0. */
    json_t *why = json_object_get(block(p, 2), "rows");
    json_t *rank = json_array_get(json_object_get(json_array_get(why, 0), "marks"), 1);
    CHECK(json_is_null(json_object_get(rank, "value")));
    CHECK(json_real_value(json_object_get(rank, "high")) == 2);
    json_decref(p);
}

SENTENCE(curves_and_planes_are_whole)
{
    UNUSED_STATE;
    json_t *p = page();
    const json_t *lines = block(p, 4), *named = block(p, 5), *heat = block(p, 6);
    json_t *series = json_object_get(lines, "series");
    CHECK(json_array_size(series) == 2);
    CHECK(json_array_size(json_object_get(json_array_get(series, 1), "dots")) == 19);
    CHECK(json_array_size(json_object_get(lines, "strip")) == 18);
    CHECK(json_array_size(json_object_get(lines, "upright")) == 1);
    CHECK(json_is_false(json_object_get(lines, "named")));
    CHECK(json_is_true(json_object_get(named, "named")));
    json_t *dots = json_object_get(json_array_get(json_object_get(named, "series"), 0), "dots");
    assert_string_equal(word(json_array_get(dots, 1), "x"), "maternity");
    CHECK(json_array_size(json_object_get(heat, "cells")) == 24 * 24);
    CHECK(json_array_size(json_object_get(heat, "halves")) == 24 * 24);
    CHECK(json_array_size(json_object_get(heat, "places")) == 2);
    CHECK(json_array_size(json_object_get(heat, "box")) == 4);
    json_decref(p);
}

SENTENCE(what_is_no_number_is_null_and_tables_keep_their_cells)
{
    UNUSED_STATE;
    json_t *p = page();
    CHECK(json_is_null(json_object_get(block(p, 8), "share")));
    json_t *rows = json_object_get(block(p, 10), "rows");
    CHECK(json_array_size(rows) == 1 && json_array_size(json_array_get(rows, 0)) == 2);
    json_decref(p);
}

RUN_ALL(TEST(every_piece_is_a_block_in_its_place),
        TEST(a_mark_has_its_interval_and_an_unknown_one_has_nothing),
        TEST(curves_and_planes_are_whole),
        TEST(what_is_no_number_is_null_and_tables_keep_their_cells))
