/* Charts on a terminal: nothing overruns it, nothing known is lost, nothing unknown is shown.
 */
#include "gallery.h"

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

RUN_ALL(TEST(no_chart_is_wider_than_the_terminal), TEST(ascii_means_ascii),
        TEST(what_is_unknown_shows_no_number))
