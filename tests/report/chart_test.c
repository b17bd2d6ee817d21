/* Charts on a terminal: nothing overruns it, nothing known is lost, nothing unknown is shown.
 */
#include "gallery.h"
#include "report/chart_inside.h"

static char *shown(jali_style style)
{
    jali_doc *doc = gallery();
    char *text = NULL;
    CHECK_OK(jali_doc_render(doc, &style, &text, NULL));
    jali_doc_free(doc);
    return text;
}

static size_t columns(const char *line, size_t n)
{
    size_t columns = 0;
    for (size_t i = 0; i < n; i++) columns += ((unsigned char)line[i] & 0xc0) != 0x80;
    return columns;
}

SENTENCE(no_chart_is_wider_than_the_terminal)
{
    UNUSED_STATE;
    for (unsigned width = 56; width < 140; width += 13) {
        char *text = shown((jali_style){ .width = width });
        for (const char *line = text; *line != '\0'; line++) {
            size_t n = strcspn(line, "\n");
            if (columns(line, n) > width) fail_msg("%u: %.*s", width, (int)n, line);
            line += n;
        }
        jali_free(text);
    }
}

SENTENCE(ascii_means_ascii)
{
    UNUSED_STATE;
    char *text = shown((jali_style){ .width = 100, .ascii = true });
    for (const char *p = text; *p != '\0'; p++)
        if ((*p & 0x80) != 0) fail_msg("%.40s", p);
    jali_free(text);
}

SENTENCE(what_is_unknown_shows_no_number)
{
    UNUSED_STATE;
    char *text = shown((jali_style){ .format = JALI_FORMAT_MD });
    assert_non_null(strstr(text, "| NULL | ? | too few to tell |"));
    assert_non_null(strstr(text, "| 62.0% | 53.9% to 69.9% |"));
    jali_free(text);
}

SENTENCE(scales_cover_their_range_with_round_ticks)
{
    UNUSED_STATE;
    static const double ranges[][2] = { { 0, 100.4 }, { -3, 7 },    { 1e-7, 3e-7 }, { 5, 5 },
                                        { 0, 0 },     { -1e12, 3 }, { NAN, NAN } };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        jali_scale s = jali_scale_of(ranges[i][0], ranges[i][1], 5, true);
        double ticks = (s.to - s.from) / s.step,
               first = s.step / pow(10, floor(log10(s.step) + 1e-9));
        CHECK(s.from < s.to && ticks > 0.99 && ticks < 13);
        CHECK(fabs(first - 1) < 1e-6 || fabs(first - 2) < 1e-6 || fabs(first - 5) < 1e-6);
        if (isnan(ranges[i][0])) continue;
        CHECK(s.from <= ranges[i][0] + s.step * 1e-6 && s.to >= ranges[i][1] - s.step * 1e-6);
    }
    CHECK(jali_scale_of(0, 100.4, 5, false).step == 20);
}

SENTENCE(numbers_have_the_digits_that_their_interval_deserves)
{
    UNUSED_STATE;
    char text[JALI_MARK_TEXT];
    jali_axis plain = { .name = "x" }, share = { .name = "x", .percent = true };
    jali_axis whole = { .name = "x", .whole = true };
    assert_string_equal(jali_mark_value(text, JALI_MARK(1234.567, 1200, 1270), &plain), "1235");
    assert_string_equal(jali_mark_value(text, JALI_MARK(0.12345, 0.12, 0.13), &plain),
                        "0.1235");
    assert_string_equal(jali_mark_value(text, JALI_MARK(0.12345, 0.12, 0.13), &share),
                        "12.35%");
    assert_string_equal(jali_mark_interval(text, JALI_MARK(3, 1, 7), &whole), "1 to 7");
    assert_string_equal(jali_mark_value(text, JALI_MARK_UNKNOWN, &plain), "?");
    assert_string_equal(jali_mark_value(text, JALI_MARK(NAN, 1, 7), &whole), "");
}

/* A chart that was never finished, or holds nothing, is still written in every format. */
SENTENCE(empty_charts_are_written_without_a_fall)
{
    UNUSED_STATE;
    static const jali_track track = { .axis = { .name = "y" } };
    static const double nothing[4] = { NAN, NAN, NAN, NAN };
    jali_plane plane = { .x = { .name = "x" },
                         .y = { .name = "y" },
                         .value = { .name = "v" },
                         .x_to = 1,
                         .y_to = 1,
                         .n_x = 2,
                         .n_y = 2,
                         .cell = nothing };
    jali_axis axis = { .name = "a" };
    jali_doc *doc = NULL;
    CHECK_OK(jali_doc_new(&doc, "empty", NULL));
    jali_doc_rows(doc, 0, NULL, 1, &track, "no rows");
    jali_doc_pairs(doc, axis, axis, "in", "out", "no values");
    jali_doc_lines(doc, axis, axis, "no curves");
    jali_chart *lines = jali_doc_lines(doc, axis, axis, "one unknown point");
    jali_chart_series(lines, "s");
    jali_chart_point(lines, 1, JALI_MARK_UNKNOWN);
    jali_doc_heat(doc, &plane, "nothing known");
    for (int format = JALI_FORMAT_TABLE; format <= JALI_FORMAT_VEGA; format++) {
        char *text = NULL;
        jali_style style = { .format = (jali_format)format, .width = 60 };
        CHECK_OK(jali_doc_render(doc, &style, &text, NULL));
        assert_null(strstr(text, "nan\""));
        jali_free(text);
    }
    jali_doc_free(doc);
}

/* Half a step below 0 without digits was "-0". */
SENTENCE(no_tick_is_minus_nothing)
{
    UNUSED_STATE;
    char text[JALI_MARK_TEXT];
    const jali_scale s = { .from = -0.5, .to = 100, .step = 20, .digits = 0 };
    const jali_axis axis = { .name = "age" };
    assert_string_equal(jali_scale_tick(text, &s, -0.5, &axis), "0");
    assert_string_equal(jali_scale_tick(text, &s, -0.4, &axis), "0");
    assert_string_equal(jali_scale_tick(text, &s, -0.6, &axis), "-1");
    assert_string_equal(jali_scale_tick(text, &s, 100, &axis), "100");
}

RUN_ALL(TEST(no_tick_is_minus_nothing), TEST(scales_cover_their_range_with_round_ticks),
        TEST(numbers_have_the_digits_that_their_interval_deserves),
        TEST(empty_charts_are_written_without_a_fall),
        TEST(no_chart_is_wider_than_the_terminal), TEST(ascii_means_ascii),
        TEST(what_is_unknown_shows_no_number))
