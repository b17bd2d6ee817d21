/* report/plain.c — a document on a terminal: aligned, and never wider than it.
 *
 * Facts and meters that follow each other share one label column. What does not fit beside its
 * label stands below it: a path in two parts is no path.
 */
#include "report/chart_inside.h"
#include "report/render.h"

enum { GAP = 2, METER_WIDTH = 24, LEAST_METER = 6, LEAST_ROOM = 20 };

static void pad(jali_text *out, size_t n)
{
    for (; n > 0; n--) jali_text_add_n(out, " ", 1);
}

void jali_render_styled(jali_text *out, const jali_style *style, const char *code,
                        const char *text)
{
    if (style->color) jali_text_format(out, "\033[%sm", code);
    jali_text_add(out, text);
    if (style->color) jali_text_add(out, "\033[0m");
}

static size_t longest_word(const char *text)
{
    size_t longest = 0;
    for (size_t n; *text != '\0'; text += n + (text[n] == ' ')) {
        n = strcspn(text, " ");
        size_t columns = jali_text_width_n(text, n);
        if (columns > longest) longest = columns;
    }
    return longest;
}

/* Words that begin in column `indent`, and so do the lines below the first. */
static void write_hanging(jali_text *out, const jali_style *style, size_t indent,
                          const char *text)
{
    size_t width = style->width == 0       ? SIZE_MAX
                   : style->width > indent ? style->width - indent
                                           : 1;
    size_t column = 0;
    if (jali_text_width(text) <= width) { /* as it stands, runs of spaces and all */
        jali_text_add(out, text);
        jali_text_add(out, "\n");
        return;
    }
    while (*text != '\0') {
        size_t bytes = strcspn(text, " "), columns = jali_text_width_n(text, bytes);
        if (column > 0 && column + 1 + columns > width) {
            jali_text_add(out, "\n");
            pad(out, indent);
            column = 0;
        }
        if (column > 0) {
            jali_text_add(out, " ");
            column++;
        }
        jali_text_add_n(out, text, bytes);
        column += columns;
        text += bytes;
        while (*text == ' ') text++;
    }
    jali_text_add(out, "\n");
}

void jali_render_fact(jali_text *out, const jali_style *style, size_t labels, const char *label,
                      const char *text)
{
    size_t indent = labels + GAP, own = jali_text_width(text);
    size_t room = style->width > indent ? style->width - indent : 0;
    bool below =
        style->width > 0 && own > room && (room < LEAST_ROOM || longest_word(text) > room);
    jali_render_styled(out, style, "2", label);
    if (below) {
        jali_text_add(out, "\n");
        pad(out, GAP);
    } else {
        pad(out, indent - jali_text_width(label));
    }
    write_hanging(out, style, below ? GAP : indent, text);
}

void jali_render_wrapped(jali_text *out, const jali_style *style, const char *text)
{
    write_hanging(out, style, 0, text);
}

void jali_render_title(jali_text *out, const jali_style *style, const char *text)
{
    if (style->color) jali_text_add(out, "\033[1m");
    write_hanging(out, style, 0, text);
    if (style->color) jali_text_add(out, "\033[0m");
}

static bool has_label(const jali_piece *b)
{
    return b != NULL && (b->kind == JALI_PIECE_FACT || b->kind == JALI_PIECE_METER);
}

/* Any use shows as a mark, and only the whole fills the bar: no rounding to a lie. */
static void write_meter(jali_text *out, const jali_style *style, double share, size_t width)
{
    size_t full = (size_t)(share * (double)width + 0.5);
    if (full == 0 && share > 0) full = 1;
    if (full == width && share < 1) full = width - 1;
    jali_text_add(out, style->ascii ? "[" : "");
    for (size_t i = 0; i < width; i++)
        jali_text_add(out, style->ascii ? (i < full ? "#" : ".") : i < full ? "█" : "░");
    jali_text_add(out, style->ascii ? "] " : " ");
}

static void write_metered(jali_text *out, const jali_style *style, size_t labels,
                          const jali_piece *b)
{
    size_t taken = labels + GAP + jali_text_width(b->text) + (style->ascii ? 3 : 1);
    size_t room = style->width == 0      ? METER_WIDTH
                  : style->width > taken ? style->width - taken
                                         : 0;
    size_t bar = room > METER_WIDTH ? METER_WIDTH : room < LEAST_METER ? LEAST_METER : room;
    jali_render_styled(out, style, "2", b->label);
    pad(out, labels - jali_text_width(b->label) + GAP);
    write_meter(out, style, b->share, bar);
    jali_text_format(out, "%s\n", b->text);
}

static const jali_piece *write_facts(jali_text *out, const jali_style *style,
                                     const jali_piece *b)
{
    size_t labels = 0;
    for (const jali_piece *c = b; has_label(c); c = c->next) {
        size_t w = jali_text_width(c->label);
        if (w > labels) labels = w;
    }
    for (; has_label(b); b = b->next)
        if (b->kind == JALI_PIECE_METER)
            write_metered(out, style, labels, b);
        else
            jali_render_fact(out, style, labels, b->label, b->text);
    return b;
}

static void write_chapter(jali_text *out, const jali_style *style, const char *text)
{
    size_t width = jali_text_width(text);
    if (style->width > 0 && width > style->width) width = style->width;
    jali_render_title(out, style, text);
    for (size_t i = 0; i < width; i++) jali_text_add(out, style->ascii ? "=" : "━");
    jali_text_add(out, "\n");
}

static const jali_piece *write_links(jali_text *out, const jali_style *style,
                                     const jali_piece *b)
{
    enum { LABEL = 5 };
    for (; b != NULL && b->kind == JALI_PIECE_LINK; b = b->next) {
        jali_text_format(out, "%-4s ", b->label);
        write_hanging(out, style, LABEL, b->text);
    }
    return b;
}

void jali_render_plain(const jali_doc *doc, const jali_style *style, jali_text *out)
{
    for (const jali_piece *b = doc->first; b != NULL;) {
        if (b != doc->first) jali_text_add(out, "\n");
        if (has_label(b)) {
            b = write_facts(out, style, b);
            continue;
        }
        if (b->kind == JALI_PIECE_LINK) {
            b = write_links(out, style, b);
            continue;
        }
        if (b->kind == JALI_PIECE_CHAPTER) {
            write_chapter(out, style, b->text);
        } else if (b->kind == JALI_PIECE_HEADING) {
            jali_render_title(out, style, b->text);
        } else if (b->kind == JALI_PIECE_SAY) {
            jali_render_wrapped(out, style, b->text);
        } else if (b->kind == JALI_PIECE_CHART) {
            jali_chart_plain(b->chart, style, out);
        } else {
            jali_render_table(out, style, b);
        }
        b = b->next;
    }
}
