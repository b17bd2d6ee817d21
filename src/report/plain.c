/* report/plain.c — a document on a terminal: aligned, and never wider than it.
 *
 * Facts and meters that follow each other share one label column. A table that is too
 * wide gives up width in its longest left-hand column first; numbers are never cut.
 */
#include "report/chart_inside.h"
#include "report/render.h"

enum { GAP = 2, NARROWEST = 6, FIRST_CUT = 12, METER_WIDTH = 24, LEAST_ROOM = 20 };

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

/* The glyphs of bars, for terminals that have none. */
static void add_ascii(jali_text *out, const char *text, size_t bytes)
{
    static const char *const glyphs[][2] = { { "█", "#" }, { "▒", "=" }, { "░", "." },
                                             { "┃", "|" }, { "●", "o" }, { "├", "|" },
                                             { "┤", "|" }, { "─", "-" }, { "·", "." } };
    for (const char *end = text + bytes; text < end;) {
        size_t i = 0, n = sizeof glyphs / sizeof *glyphs;
        while (i < n && strncmp(text, glyphs[i][0], strlen(glyphs[i][0])) != 0) i++;
        jali_text_add_n(out, i < n ? glyphs[i][1] : text, 1);
        text += i < n ? strlen(glyphs[i][0]) : 1;
    }
}

/* At most `width` columns of text, with a mark where something was left out. */
static void add_cut(jali_text *out, const char *text, size_t width, bool ascii)
{
    if (jali_text_width(text) <= width) {
        if (ascii)
            add_ascii(out, text, strlen(text));
        else
            jali_text_add(out, text);
        return;
    }
    size_t i = 0, columns = 0;
    for (; text[i] != '\0'; i++) {
        columns += ((unsigned char)text[i] & 0xc0) != 0x80;
        if (columns == width) break;
    }
    if (ascii)
        add_ascii(out, text, i);
    else
        jali_text_add_n(out, text, i);
    jali_text_add(out, ascii ? "~" : "…");
}

/* Words that begin in column `indent`, and so do the lines below the first. */
static void write_hanging(jali_text *out, const jali_style *style, size_t indent,
                          const char *text)
{
    size_t room = style->width > indent ? style->width - indent : 0;
    size_t width = style->width == 0 || room < LEAST_ROOM ? SIZE_MAX : room;
    size_t column = 0;
    if (jali_text_width(text) <= width) { /* as it stands, runs of spaces and all */
        jali_text_add(out, text);
        jali_text_add(out, "\n");
        return;
    }
    while (*text != '\0') {
        size_t bytes = strcspn(text, " ");
        size_t columns = 0;
        for (size_t i = 0; i < bytes; i++) columns += ((unsigned char)text[i] & 0xc0) != 0x80;
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

static void write_meter(jali_text *out, const jali_style *style, double share)
{
    /* Any use shows as a mark, and only the whole fills the bar: no rounding to a lie. */
    size_t full = (size_t)(share * METER_WIDTH + 0.5);
    if (full == 0 && share > 0) full = 1;
    if (full == METER_WIDTH && share < 1) full = METER_WIDTH - 1;
    jali_text_add(out, style->ascii ? "[" : "");
    for (size_t i = 0; i < METER_WIDTH; i++)
        jali_text_add(out, style->ascii ? (i < full ? "#" : ".") : i < full ? "█" : "░");
    jali_text_add(out, style->ascii ? "] " : " ");
}

static const jali_piece *write_facts(jali_text *out, const jali_style *style,
                                     const jali_piece *b)
{
    size_t width = 0;
    for (const jali_piece *c = b; has_label(c); c = c->next) {
        size_t w = jali_text_width(c->label);
        if (w > width) width = w;
    }
    for (; has_label(b); b = b->next) {
        jali_render_styled(out, style, "2", b->label);
        pad(out, width - jali_text_width(b->label) + GAP);
        if (b->kind == JALI_PIECE_METER) write_meter(out, style, b->share);
        write_hanging(out, style, width + GAP, b->text);
    }
    return b;
}

static void measure(const jali_piece *b, size_t *width)
{
    for (size_t i = 0; i < b->n_cols; i++) width[i] = jali_text_width(b->cols[i].name);
    for (size_t i = 0; i < b->n_cells; i++) {
        size_t w = jali_text_width(b->cell[i]);
        if (w > width[i % b->n_cols]) width[i % b->n_cols] = w;
    }
}

/* The widest left-hand column above `least`; n_cols: there is none. */
static size_t widest_of(const jali_piece *b, const size_t *width, size_t least)
{
    size_t widest = b->n_cols;
    for (size_t i = 0; i < b->n_cols; i++)
        if (!b->cols[i].right && width[i] > least &&
            (widest == b->n_cols || width[i] > width[widest]))
            widest = i;
    return widest;
}

/* Sentences give way before dates and costs do. */
static void fit(const jali_piece *b, size_t *width, size_t room)
{
    size_t sum = GAP * (b->n_cols - 1), words = widest_of(b, width, FIRST_CUT);
    for (size_t i = 0; i < b->n_cols; i++) sum += width[i];
    for (; sum > room; sum--) {
        size_t at = words < b->n_cols && width[words] > FIRST_CUT
                        ? words
                        : widest_of(b, width, NARROWEST);
        if (at == b->n_cols) return;
        width[at]--;
    }
}

static void write_cell(jali_text *out, const jali_style *style, const char *text, size_t width,
                       bool right, bool last)
{
    size_t own = jali_text_width(text);
    if (right && own < width) pad(out, width - own);
    add_cut(out, text, width, style->ascii);
    if (!last && !right && own < width) pad(out, width - own);
    if (!last) pad(out, GAP);
}

void jali_render_table(jali_text *out, const jali_style *style, const jali_piece *b)
{
    size_t *width = calloc(b->n_cols, sizeof *width);
    if (width == NULL) {
        out->failed = true;
        return;
    }
    measure(b, width);
    fit(b, width, style->width == 0 ? SIZE_MAX : style->width);
    if (style->color) jali_text_add(out, "\033[1m");
    for (size_t i = 0; i < b->n_cols; i++)
        write_cell(out, style, b->cols[i].name, width[i], b->cols[i].right, i + 1 == b->n_cols);
    jali_text_add(out, style->color ? "\033[0m\n" : "\n");
    for (size_t i = 0; i < b->n_cells; i++) {
        size_t c = i % b->n_cols;
        write_cell(out, style, b->cell[i], width[c], b->cols[c].right, c + 1 == b->n_cols);
        if (c + 1 == b->n_cols) jali_text_add(out, "\n");
    }
    free(width);
}

static void write_chapter(jali_text *out, const jali_style *style, const char *text)
{
    size_t width = jali_text_width(text);
    jali_render_styled(out, style, "1", text);
    jali_text_add(out, "\n");
    for (size_t i = 0; i < width; i++) jali_text_add(out, style->ascii ? "=" : "━");
    jali_text_add(out, "\n");
}

static const jali_piece *write_links(jali_text *out, const jali_style *style,
                                     const jali_piece *b)
{
    for (; b != NULL && b->kind == JALI_PIECE_LINK; b = b->next) {
        jali_text_format(out, "%-4s ", b->label);
        jali_render_wrapped(out, style, b->text);
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
