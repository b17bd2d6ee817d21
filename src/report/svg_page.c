/* report/svg_page.c — a chart as one picture, all charts of a document as one picture. */
#include "base/banned.h"
#include "report/render.h"
#include "report/svg.h"
#include <math.h>

enum { MARGIN = 20, BETWEEN = 36, LINE = 20 };

static void told(jali_text *out, const char *tag, const char *id, char part, const char *text)
{
    jali_text_format(out, "<%s id=\"%s%c\">", tag, id, part);
    jali_render_escaped(out, text, strlen(text));
    jali_text_format(out, "</%s>\n", tag);
}

/* Title, body, note; returns the height. Where a page has the title and the note in words of
 * its own, which wrap on a narrow screen, the picture tells them only aloud. */
static double draw(const jali_chart *c, const char *id, bool alone, jali_text *out)
{
    jali_arena arena = JALI_ARENA_INIT;
    told(out, "title", id, 't', c->title[0] == '\0' ? "chart" : c->title);
    told(out, "desc", id, 'd', jali_chart_aloud(c, &arena));
    jali_arena_clear(&arena);
    double y = 4;
    if (alone) y += jali_svg_wrapped(out, "h", 0, 0, JALI_SVG_WIDTH, 1.4, LINE, c->title);
    y = c->kind == JALI_CHART_ROWS    ? jali_svg_rows(c, y, out)
        : c->kind == JALI_CHART_PAIRS ? jali_svg_pairs(c, y, out)
        : c->kind == JALI_CHART_LINES ? jali_svg_lines(c, y, out)
                                      : jali_svg_heat(c, y, out);
    return c->note == NULL || !alone
               ? y
               : jali_svg_wrapped(out, "s", 0, y + 4, JALI_SVG_WIDTH, 0.95, LINE, c->note);
}

static void add_body(jali_text *out, jali_text *body)
{
    if (body->failed || body->at == NULL)
        out->failed = true;
    else
        jali_text_add(out, body->at);
    jali_text_clear(body);
}

void jali_svg_chart(const jali_chart *c, const char *id, jali_text *out)
{
    jali_text body = { 0 };
    double height = draw(c, id, false, &body) + 6;
    jali_text_format(out,
                     "<svg class=\"jali\" viewBox=\"-4 0 %d %.0f\" role=\"img\" "
                     "aria-labelledby=\"%st\" aria-describedby=\"%sd\">\n",
                     JALI_SVG_WIDTH + 8, height, id, id);
    add_body(out, &body);
    jali_text_add(out, "</svg>\n");
}

void jali_render_svg(const jali_doc *doc, jali_text *out)
{
    jali_text body = { 0 };
    double y = MARGIN;
    size_t n = 0;
    for (const jali_piece *b = doc->first; b != NULL; b = b->next) {
        if (b->kind != JALI_PIECE_CHART) continue;
        char id[32];
        snprintf(id, sizeof id, "c%zu", ++n);
        jali_text_format(&body,
                         "<g role=\"img\" aria-labelledby=\"%st\" aria-describedby=\"%sd\" "
                         "transform=\"translate(%d %.0f)\">\n",
                         id, id, MARGIN, y);
        y += draw(b->chart, id, true, &body) + BETWEEN;
        jali_text_add(&body, "</g>\n");
    }
    if (n == 0) {
        jali_text_format(&body,
                         "<text class=\"s\" x=\"%d\" y=\"%.0f\">this answer has no chart; "
                         "take another --format</text>\n",
                         MARGIN, y + 15);
        y += BETWEEN + LINE;
    }
    int width = JALI_SVG_WIDTH + 2 * MARGIN;
    double height = y - BETWEEN + MARGIN;
    jali_text_format(out,
                     "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                     "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"jali\" width=\"%d\" "
                     "height=\"%.0f\" viewBox=\"0 0 %d %.0f\">\n<style>%s%s</style>\n"
                     "<rect class=\"p\" width=\"%d\" height=\"%.0f\"/>\n",
                     width, height, width, height, jali_svg_colors, jali_svg_style, width,
                     height);
    add_body(out, &body);
    jali_text_add(out, "</svg>\n");
}
