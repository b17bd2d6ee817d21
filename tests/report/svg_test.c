/* Pictures for pages: every text is escaped, every chart is told aloud, every number is drawn.
 */
#include "gallery.h"

static char *shown(jali_format format)
{
    jali_doc *doc = gallery();
    jali_style style = { .format = format };
    char *text = NULL;
    CHECK_OK(jali_doc_render(doc, &style, &text, NULL));
    jali_doc_free(doc);
    return text;
}

static size_t times(const char *text, const char *what)
{
    size_t n = 0;
    for (const char *p = strstr(text, what); p != NULL; p = strstr(p + 1, what)) n++;
    return n;
}

SENTENCE(every_chart_has_a_title_and_words_for_who_cannot_see_it)
{
    UNUSED_STATE;
    char *svg = shown(JALI_FORMAT_SVG), *page = shown(JALI_FORMAT_HTML);
    CHECK(times(svg, "<g role=\"img\"") == 6);
    CHECK(times(svg, "<desc id=") == 6);
    CHECK(times(page, "<svg class=\"jali\"") == 6);
    CHECK(times(page, "<desc id=") == 6);
    assert_non_null(strstr(svg, ">Infarctions explain most of the difference</title>"));
    assert_non_null(strstr(svg, "all others below 30%."));
    assert_non_null(strstr(svg, "surgery 6046 (5146 to 7146)"));
    jali_free(svg);
    jali_free(page);
}

SENTENCE(a_text_of_the_data_is_never_markup)
{
    UNUSED_STATE;
    char *svg = shown(JALI_FORMAT_SVG);
    assert_null(strstr(svg, "<heart>"));
    assert_non_null(strstr(svg, "cardiology &amp; &lt;heart&gt;"));
    jali_free(svg);
}

/* 4 rows of 2 bars, one unknown; its whiskers: 7 here, 8 in the why table, 10 in the pairs, 3
 * over categories. */
SENTENCE(nothing_is_drawn_where_nothing_is_known)
{
    UNUSED_STATE;
    char *svg = shown(JALI_FORMAT_SVG);
    CHECK(times(svg, "<rect class=\"bar\"") == 7 + 5 + 1); /* and one in the legend */
    CHECK(times(svg, "<path class=\"k\"") == 7 + 8 + 10 + 3);
    CHECK(times(svg, "too few to tell</text>") == 1);
    assert_null(strstr(svg, "nan"));
    assert_null(strstr(svg, "inf\""));
    jali_free(svg);
}

SENTENCE(vega_carries_the_numbers_and_no_number_for_what_is_unknown)
{
    UNUSED_STATE;
    char *text = shown(JALI_FORMAT_VEGA);
    json_t *spec = json_loads(text, 0, NULL);
    CHECK(json_array_size(json_object_get(spec, "vconcat")) == 6);
    json_t *rows =
        json_object_get(json_array_get(json_object_get(spec, "vconcat"), 0), "hconcat");
    json_t *values =
        json_object_get(json_object_get(json_array_get(rows, 0), "data"), "values");
    CHECK(json_array_size(values) == 4);
    CHECK(json_real_value(json_object_get(json_array_get(values, 0), "high")) == 7146);
    CHECK(json_is_null(json_object_get(json_array_get(values, 3), "value")));
    json_decref(spec);
    jali_free(text);
}

/* A rule of the page once stretched every bar, which only eyes saw. */
SENTENCE(rules_of_the_page_do_not_reach_into_charts)
{
    UNUSED_STATE;
    static const char *const classes[] = { "bar", "ghost", "heat", "hatch", "pin",
                                           "fa",  "la",    "va",   "k" };
    char *page = shown(JALI_FORMAT_HTML);
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        char rule[16];
        snprintf(rule, sizeof rule, ".%s{", classes[i]);
        for (const char *p = strstr(page, rule); p != NULL; p = strstr(p + 1, rule))
            CHECK(p - page >= 6 && memcmp(p - 6, ".jali ", 6) == 0);
    }
    jali_free(page);
}

static char *plane(const double *half, jali_format format)
{
    static const double cell[] = { 1, 5, 2, 9 };
    jali_axis axis = { .name = "a" };
    jali_plane p = { .x = axis, .y = axis, .value = axis, .x_to = 2, .y_to = 2 };
    jali_doc *doc = NULL;
    char *text = NULL;
    jali_style style = { .format = format, .width = 80 };
    p.n_x = p.n_y = 2;
    p.cell = cell;
    p.half = half;
    CHECK_OK(jali_doc_new(&doc, "sample", NULL));
    jali_doc_heat(doc, &p, "a plane");
    CHECK_OK(jali_doc_render(doc, &style, &text, NULL));
    jali_doc_free(doc);
    return text;
}

static size_t count(const char *text, const char *word)
{
    size_t n = 0;
    for (; (text = strstr(text, word)) != NULL; text++) n++;
    return n;
}

/* Two of four cells are no larger than how far they may be off; without intervals, none is. */
SENTENCE(cells_that_may_be_nothing_are_marked_in_every_picture)
{
    UNUSED_STATE;
    static const double half[] = { 2, 1, 2, 1 }, none[] = { 0.5, 1, 1, 1 };
    char *hatched = plane(half, JALI_FORMAT_SVG), *sure = plane(none, JALI_FORMAT_SVG);
    char *bare = plane(NULL, JALI_FORMAT_SVG), *vega = plane(half, JALI_FORMAT_VEGA);
    char *terminal = plane(half, JALI_FORMAT_TABLE);
    CHECK(count(hatched, "class=\"hatch\"") == 2); /* the plane and the legend */
    const char *path = strstr(hatched, "class=\"hatch\"");
    CHECK(path != NULL && strchr(path, 'M') < strchr(path, '/'));
    assert_non_null(strstr(hatched, "2 cells are within their error of nothing"));
    CHECK(count(sure, "class=\"hatch\"") == 0 && count(bare, "class=\"hatch\"") == 0);
    CHECK(count(vega, "\"half\":") == 4 && count(vega, "datum.value <= datum.half") == 1);
    CHECK(count(terminal, "·") > 2 && count(terminal, "·: within its error of nothing") == 1);
    jali_free(hatched);
    jali_free(sure);
    jali_free(bare);
    jali_free(vega);
    jali_free(terminal);
}

SENTENCE(a_document_without_charts_says_so)
{
    UNUSED_STATE;
    jali_doc *doc = NULL;
    char *text = NULL;
    jali_style style = { .format = JALI_FORMAT_SVG };
    CHECK_OK(jali_doc_new(&doc, "sample", NULL));
    CHECK_OK(jali_doc_render(doc, &style, &text, NULL));
    assert_non_null(strstr(text, "this answer has no chart"));
    jali_free(text);
    jali_doc_free(doc);
}

RUN_ALL(TEST(every_chart_has_a_title_and_words_for_who_cannot_see_it),
        TEST(a_text_of_the_data_is_never_markup), TEST(nothing_is_drawn_where_nothing_is_known),
        TEST(vega_carries_the_numbers_and_no_number_for_what_is_unknown),
        TEST(rules_of_the_page_do_not_reach_into_charts),
        TEST(cells_that_may_be_nothing_are_marked_in_every_picture),
        TEST(a_document_without_charts_says_so))
