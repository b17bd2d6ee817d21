/* One document, five ways: nothing wider than the terminal, no number cut, no cell lost. */
#include "base/text.h"
#include "report/doc.h"
#include "unit.h"
#include <stdlib.h>

static jali_doc *sample(void)
{
    static const jali_col cols[] = { { "who", false }, { "eps", true } };
    jali_doc *doc = NULL;
    CHECK_OK(jali_doc_new(&doc, "sample", NULL));
    jali_doc_heading(doc, "Budget of %s", "a|b");
    jali_doc_fact(doc, "cap", "eps 1");
    jali_doc_meter(doc, "spent", 0.25, "25%%");
    jali_doc_say(doc, "One sentence that is long enough to be wrapped somewhere.");
    jali_doc_table(doc, 2, cols);
    jali_doc_cell(doc, "a very long name of an analyst, \"Zo\xc3\xab\"");
    jali_doc_cell(doc, "0.123456789012");
    jali_doc_cell(doc, "bob");
    jali_doc_cell(doc, "1");
    json_t *rows = json_pack("[{s:s,s:s},{s:s,s:s}]", "who", "a, \"b\"", "eps", "0.1", "who",
                             "bob", "eps", "1");
    jali_doc_set(doc, "rows", rows);
    CHECK_OK(jali_doc_status(doc, NULL));
    return doc;
}

static char *shown(jali_format format, unsigned width, bool ascii)
{
    jali_doc *doc = sample();
    jali_style style = { .format = format, .width = width, .ascii = ascii };
    char *text = NULL;
    CHECK_OK(jali_doc_render(doc, &style, &text, NULL));
    jali_doc_free(doc);
    return text;
}

SENTENCE(a_terminal_is_never_overrun_and_numbers_stay_whole)
{
    UNUSED_STATE;
    for (unsigned width = 30; width < 90; width += 7) {
        char *text = shown(JALI_FORMAT_TABLE, width, true);
        assert_non_null(strstr(text, "0.123456789012"));
        for (char *line = text; *line != '\0'; line++) {
            size_t n = strcspn(line, "\n");
            CHECK(jali_text_width_n(line, n) <= width);
            line += n;
        }
        jali_free(text);
    }
}

SENTENCE(a_meter_shows_a_quarter_as_a_quarter)
{
    UNUSED_STATE;
    char *text = shown(JALI_FORMAT_TABLE, 0, true);
    assert_non_null(strstr(text, "spent  [######..................] 25%"));
    jali_free(text);
}

SENTENCE(csv_quotes_what_needs_it)
{
    UNUSED_STATE;
    char *text = shown(JALI_FORMAT_CSV, 0, false);
    assert_string_equal(text, "who,eps\r\n\"a, \"\"b\"\"\",0.1\r\nbob,1\r\n");
    jali_free(text);
}

/* The CSV of these rows, which a document of no other content has. */
static char *csv_of(const char *rows)
{
    jali_doc *doc = NULL;
    jali_style style = { .format = JALI_FORMAT_CSV };
    char *text = NULL;
    CHECK_OK(jali_doc_new(&doc, "sample", NULL));
    jali_doc_set(doc, "rows", json_loads(rows, 0, NULL));
    CHECK_OK(jali_doc_render(doc, &style, &text, NULL));
    jali_doc_free(doc);
    return text;
}

static void check_csv(const char *rows, const char *wanted)
{
    char *text = csv_of(rows);
    assert_string_equal(text, wanted);
    jali_free(text);
}

SENTENCE(csv_has_the_columns_of_all_rows_in_order_of_appearance)
{
    UNUSED_STATE;
    check_csv("[]", "");
    check_csv("[{\"a\":1},{\"b\":2,\"a\":3},{\"c\":4}]", "a,b,c\r\n1,,\r\n3,2,\r\n,,4\r\n");
    check_csv("[{},{\"a\":1}]", "a\r\n\r\n1\r\n");
}

SENTENCE(parts_of_an_estimate_stand_together_whichever_row_has_them)
{
    UNUSED_STATE;
    check_csv(
        "[{\"n\":{\"value\":1,\"low\":0},\"z\":9},{\"n\":{\"value\":2,\"high\":3},\"z\":8}]",
        "n,n low,n high,z\r\n1,0,,9\r\n2,,3,8\r\n");
    check_csv("[{\"n\":{\"deep\":{\"a\":1}}},{\"n\":{\"deep\":[1,2]}}]",
              "n deep\r\n\"{\"\"a\"\":1}\"\r\n\"[1,2]\"\r\n");
}

/* What one row knows exactly and another estimates is one column, and a null is either. */
SENTENCE(a_number_an_estimate_and_a_null_share_their_column)
{
    UNUSED_STATE;
    check_csv("[{\"n\":null},{\"n\":5},{\"n\":{\"value\":6,\"low\":4}}]",
              "n,n low\r\n,\r\n5,\r\n6,4\r\n");
    check_csv("[{\"n\":{\"value\":6,\"low\":4}},{\"n\":\"x, y\"}]",
              "n,n low\r\n6,4\r\n\"x, y\",\r\n");
    check_csv("[{\"n\":null,\"m\":1},{\"n\":{}}]", "n,m\r\n,1\r\n,\r\n");
}

SENTENCE(ndjson_is_one_row_a_line)
{
    UNUSED_STATE;
    char *text = shown(JALI_FORMAT_NDJSON, 0, false);
    assert_string_equal(text, "{\"who\":\"a, \\\"b\\\"\",\"eps\":\"0.1\"}\n"
                              "{\"who\":\"bob\",\"eps\":\"1\"}\n");
    jali_free(text);
}

SENTENCE(json_carries_its_version_and_kind)
{
    UNUSED_STATE;
    char *text = shown(JALI_FORMAT_JSON, 0, false);
    json_t *value = json_loads(text, 0, NULL);
    assert_non_null(value);
    CHECK(json_integer_value(json_object_get(value, "jali")) == 1);
    assert_string_equal(json_string_value(json_object_get(value, "kind")), "sample");
    json_decref(value);
    jali_free(text);
}

SENTENCE(markdown_escapes_its_own_bars)
{
    UNUSED_STATE;
    char *text = shown(JALI_FORMAT_MD, 0, false);
    assert_non_null(strstr(text, "## Budget of a|b\n"));
    assert_non_null(strstr(text, "| who | eps |\n|---|--:|\n"));
    assert_non_null(strstr(text, "- **cap**: eps 1\n"));
    jali_free(text);
}

SENTENCE(a_page_escapes_every_text_and_needs_no_network)
{
    UNUSED_STATE;
    jali_doc *doc = NULL;
    jali_style style = { .format = JALI_FORMAT_HTML };
    static const jali_col cols[] = { { "<b>", true } };
    char *text = NULL;
    CHECK_OK(jali_doc_new(&doc, "sample", NULL));
    jali_doc_heading(doc, "%s", "<script>alert(1)</script>");
    jali_doc_fact(doc, "\"quoted\"", "a & b");
    jali_doc_table(doc, 1, cols);
    jali_doc_cell(doc, "<i>");
    CHECK_OK(jali_doc_render(doc, &style, &text, NULL));
    assert_null(strstr(text, "<script"));
    assert_null(strstr(text, "http"));
    assert_null(strstr(text, "<b>"));
    assert_non_null(strstr(text, "&lt;script&gt;"));
    assert_non_null(strstr(text, "a &amp; b"));
    jali_free(text);
    jali_doc_free(doc);
}

RUN_ALL(TEST(a_terminal_is_never_overrun_and_numbers_stay_whole),
        TEST(a_meter_shows_a_quarter_as_a_quarter), TEST(csv_quotes_what_needs_it),
        TEST(csv_has_the_columns_of_all_rows_in_order_of_appearance),
        TEST(parts_of_an_estimate_stand_together_whichever_row_has_them),
        TEST(a_number_an_estimate_and_a_null_share_their_column),
        TEST(ndjson_is_one_row_a_line), TEST(json_carries_its_version_and_kind),
        TEST(markdown_escapes_its_own_bars),
        TEST(a_page_escapes_every_text_and_needs_no_network))
