/* report/plain_table.c — a table on a terminal, never wider than it, and no number cut.
 *
 * Where room is short, in this order: names of columns take several lines; the widest words do
 * (a list cuts them instead: it is run down by the eye, and its things have names); columns
 * move together; and when nothing helps, each row is told as facts, one below another. A word
 * that is wider than its column takes two lines, too, unless it has a digit in it.
 */
#include "report/render.h"

enum { GAP = 2, TIGHT = 1, NARROWEST = 6, FIRST_CUT = 12 };

typedef struct layout {
    const jali_piece *table;
    size_t *width, *least, gap, room;
} layout;

static void pad(jali_text *out, size_t n)
{
    for (; n > 0; n--) jali_text_add_n(out, " ", 1);
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

/* ---- widths --------------------------------------------------------------------------------
 */

static void raise_to(size_t *most, size_t n)
{
    if (n > *most) *most = n;
}

/* Of all words, or of those with a digit in them: half a date is another date. */
static size_t longest_word(const char *text, bool numbers)
{
    size_t longest = 0;
    for (size_t n; *text != '\0'; text += n + (text[n] == ' ')) {
        n = strcspn(text, " ");
        if (!numbers || strcspn(text, "0123456789") < n)
            raise_to(&longest, jali_text_width_n(text, n));
    }
    return longest;
}

/* What every column needs, with names on one line or on several. */
static void measure(layout *l, bool one_line)
{
    const jali_piece *b = l->table;
    for (size_t i = 0; i < b->n_cols; i++) {
        const char *name = b->cols[i].name;
        l->width[i] = one_line ? jali_text_width(name) : longest_word(name, false);
        l->least[i] = NARROWEST;
    }
    for (size_t i = 0; i < b->n_cells; i++) {
        raise_to(&l->width[i % b->n_cols], jali_text_width(b->cell[i]));
        raise_to(&l->least[i % b->n_cols], longest_word(b->cell[i], true));
    }
}

/* By how much it is too wide. */
static size_t excess(const layout *l)
{
    size_t sum = l->gap * (l->table->n_cols - 1);
    for (size_t i = 0; i < l->table->n_cols; i++) sum += l->width[i];
    return sum > l->room ? sum - l->room : 0;
}

/* The widest left-hand column above `least` and its own; n_cols: there is none. */
static size_t widest_of(const layout *l, size_t least)
{
    size_t n = l->table->n_cols, widest = n;
    for (size_t i = 0; i < n; i++)
        if (!l->table->cols[i].right && l->width[i] > least && l->width[i] > l->least[i] &&
            (widest == n || l->width[i] > l->width[widest]))
            widest = i;
    return widest;
}

static void narrow(layout *l, size_t at, size_t least)
{
    if (at == l->table->n_cols) return;
    if (!l->table->list) raise_to(&least, l->least[at]); /* a cut is marked, and says so */
    for (size_t n = excess(l); n > 0 && l->width[at] > least; n--) l->width[at]--;
}

/* False: there is no table that narrow. */
static bool fit(layout *l)
{
    measure(l, true);
    if (excess(l) == 0) return true;
    measure(l, false);
    size_t words = widest_of(l, FIRST_CUT);
    narrow(l, words, FIRST_CUT);
    if (excess(l) > 0) l->gap = TIGHT;
    if (l->table->list) narrow(l, words, NARROWEST); /* one column cut is enough */
    while (!l->table->list && excess(l) > 0 && widest_of(l, NARROWEST) < l->table->n_cols)
        l->width[widest_of(l, NARROWEST)]--;
    return excess(l) == 0;
}

/* ---- rows ----------------------------------------------------------------------------------
 */

/* Bytes of a first line of at most `width` columns: whole words, or a part of a long one. */
static size_t line_of(const char *text, size_t width)
{
    size_t most = jali_text_within(text, width), n = most;
    if (text[most] == '\0') return most;
    while (n > 0 && text[n] != ' ') n--;
    if (n == 0) n = most;
    return n > 0 ? n : 1; /* a column narrower than one letter: there is an end all the same */
}

static void add_bytes(jali_text *out, const jali_style *style, const char *text, size_t n)
{
    if (style->ascii)
        add_ascii(out, text, n);
    else
        jali_text_add_n(out, text, n);
}

/* One line of a cell; what is left of it comes back. */
static const char *write_cell(jali_text *out, const jali_style *style, const layout *l,
                              size_t at, const char *text)
{
    bool right = l->table->cols[at].right, last = at + 1 == l->table->n_cols;
    size_t width = l->width[at], all = strlen(text), n = line_of(text, width);
    bool cut = l->table->list && n < all;
    if (cut) n = jali_text_within(text, width - 1);
    size_t own = jali_text_width_n(text, n) + cut;
    if (right && own < width) pad(out, width - own);
    add_bytes(out, style, text, n);
    if (cut) jali_text_add(out, style->ascii ? "~" : "…");
    if (!last && !right && own < width) pad(out, width - own);
    if (!last) pad(out, l->gap);
    text += cut ? all : n;
    return text + strspn(text, " ");
}

/* `rest` holds the cells, and then what is left of them, until nothing is. */
static void write_row(jali_text *out, const jali_style *style, const layout *l,
                      const char **rest)
{
    bool more = true;
    while (more) {
        more = false;
        for (size_t i = 0; i < l->table->n_cols; i++) {
            rest[i] = write_cell(out, style, l, i, rest[i]);
            more = more || *rest[i] != '\0';
        }
        while (out->used > 0 && out->at[out->used - 1] == ' ') out->used--;
        jali_text_add(out, "\n");
    }
}

static void write_rows(jali_text *out, const jali_style *style, const layout *l,
                       const char **rest)
{
    const jali_piece *b = l->table;
    for (size_t i = 0; i < b->n_cols; i++) rest[i] = b->cols[i].name;
    if (style->color) jali_text_add(out, "\033[1m");
    write_row(out, style, l, rest);
    if (style->color) jali_text_add(out, "\033[0m");
    for (size_t i = 0; i + b->n_cols <= b->n_cells; i += b->n_cols) {
        memcpy(rest, b->cell + i, b->n_cols * sizeof *rest);
        write_row(out, style, l, rest);
    }
}

static void write_records(jali_text *out, const jali_style *style, const jali_piece *b)
{
    size_t labels = 0;
    for (size_t i = 0; i < b->n_cols; i++) raise_to(&labels, jali_text_width(b->cols[i].name));
    for (size_t i = 0; i < b->n_cells; i++) {
        if (i > 0 && i % b->n_cols == 0) jali_text_add(out, "\n");
        if (b->cell[i][0] != '\0')
            jali_render_fact(out, style, labels, b->cols[i % b->n_cols].name, b->cell[i]);
    }
}

void jali_render_table(jali_text *out, const jali_style *style, const jali_piece *b)
{
    size_t *width = calloc(b->n_cols, 2 * sizeof *width);
    const char **rest = calloc(b->n_cols, sizeof *rest);
    layout l = { b, width, width == NULL ? NULL : width + b->n_cols, GAP,
                 style->width == 0 ? SIZE_MAX : style->width };
    if (width == NULL || rest == NULL)
        out->failed = true;
    else if (fit(&l))
        write_rows(out, style, &l, rest);
    else
        write_records(out, style, b);
    free(width);
    free(rest);
}
