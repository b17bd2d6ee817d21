/* report/chart_table.c — the numbers of a chart as a table, with little pictures if wanted. */
#include "base/banned.h"
#include "report/chart_inside.h"
#include <math.h>

/* A table being filled; `failed` is sticky. */
typedef struct sheet {
    jali_arena *arena;
    const char **cell;
    size_t n, room;
    bool failed;
} sheet;

static void put(sheet *s, const char *text)
{
    const char *copy = text == NULL ? NULL : jali_arena_text(s->arena, text);
    if (copy == NULL || s->n == s->room)
        s->failed = true;
    else
        s->cell[s->n++] = copy;
}

static void put_mark(sheet *s, jali_mark m, const jali_axis *axis)
{
    char text[JALI_MARK_TEXT];
    put(s, jali_mark_value(text, m, axis));
    put(s, jali_mark_interval(text, m, axis));
}

/* ---- a mark in one line of characters ------------------------------------------------- */

static size_t column_of(const jali_scale *scale, double value, size_t width)
{
    double at = jali_scale_share(scale, value) * (double)width;
    if (!(at > 0)) return 0;
    return at >= (double)width ? width - 1 : (size_t)at;
}

/* Solid from zero to the nearer end of the interval, shaded over the interval. */
static const char *bar_glyph(size_t i, size_t zero, size_t low, size_t high, size_t value,
                             bool exact)
{
    if (!exact && i == value) return "┃";
    if (i >= low && i <= high && !exact) return "▒";
    size_t near = low > zero ? low : high < zero ? high : zero;
    if (exact) near = value;
    if (near > zero ? i >= zero && i <= near : i >= near && i <= zero && near < zero)
        return "█";
    return exact && i == value ? "█" : " ";
}

static const char *dot_glyph(size_t i, size_t low, size_t high, size_t value, size_t zero)
{
    if (i == value) return "●";
    if (i < low || i > high) return i == zero ? "·" : " ";
    if (i == low) return "├";
    return i == high ? "┤" : "─";
}

static void put_picture(sheet *s, jali_mark m, const jali_track *t, const jali_scale *scale,
                        size_t width)
{
    jali_text text = { 0 };
    bool exact = m.low == m.high;
    size_t low = column_of(scale, m.low, width), high = column_of(scale, m.high, width);
    size_t value = isnan(m.value) ? SIZE_MAX : column_of(scale, m.value, width);
    bool crosses = scale->from <= 0 && scale->to >= 0;
    size_t zero = crosses ? column_of(scale, 0, width) : SIZE_MAX;
    for (size_t i = 0; i < width && !m.unknown; i++)
        jali_text_add(&text, t->bar ? bar_glyph(i, crosses ? zero : 0, low, high, value, exact)
                                    : dot_glyph(i, low, high, value, zero));
    while (text.used > 0 && text.at[text.used - 1] == ' ') text.at[--text.used] = '\0';
    if (text.failed) s->failed = true;
    put(s, text.at == NULL ? "" : text.at);
    jali_text_clear(&text);
}

/* ---- the kinds ------------------------------------------------------------------------- */

static bool begin(sheet *s, jali_piece *out, jali_col *cols, size_t n_cols, size_t rows)
{
    s->room = n_cols * rows;
    s->cell = jali_arena_take(s->arena, s->room + 1, sizeof *s->cell);
    if (s->cell == NULL) s->failed = true;
    *out = (jali_piece){ .kind = JALI_PIECE_TABLE, .n_cols = n_cols, .cols = cols };
    return !s->failed;
}

static bool rows_table(const jali_chart *c, size_t picture, sheet *s, jali_piece *out)
{
    size_t rows = jali_chart_rows(c), each = picture > 0 ? 3 : 2, n = 0;
    size_t n_cols = c->n_words + each * c->n_tracks;
    jali_col *cols = jali_arena_take(s->arena, n_cols + 1, sizeof *cols);
    if (cols == NULL || n_cols == 0) return false;
    for (size_t i = 0; i < c->n_words; i++) cols[n++] = c->words[i];
    for (size_t i = 0; i < c->n_tracks; i++) {
        cols[n++] = (jali_col){ jali_axis_text(&c->tracks[i].axis, s->arena), true };
        cols[n++] = (jali_col){ "interval", true };
        if (picture > 0) cols[n++] = (jali_col){ "", false };
    }
    if (!begin(s, out, cols, n_cols, rows)) return false;
    for (size_t r = 0; r < rows; r++) {
        for (size_t i = 0; i < c->n_words; i++)
            put(s, jali_chart_word_at(c, r * c->n_words + i));
        for (size_t i = 0; i < c->n_tracks; i++) {
            jali_mark m = jali_chart_mark_at(c, r * c->n_tracks + i);
            jali_scale scale = jali_chart_track_scale(c, i, 4);
            put_mark(s, m, &c->tracks[i].axis);
            if (picture > 0) put_picture(s, m, &c->tracks[i], &scale, picture);
        }
    }
    return true;
}

bool jali_chart_pairs_as_rows(const jali_chart *c, jali_arena *arena, jali_chart *out)
{
    jali_col *word = jali_arena_take(arena, 1, sizeof *word);
    jali_track *track = jali_arena_take(arena, 2, sizeof *track);
    if (word == NULL || track == NULL) return false;
    jali_scale scale = jali_chart_y_scale(c, 4);
    *word = (jali_col){ jali_axis_text(&c->x, arena), false };
    for (size_t i = 0; i < 2; i++) {
        track[i] = (jali_track){ c->y, true, scale.from, scale.to };
        track[i].axis.name = i == 0 ? c->inside : c->elsewhere;
    }
    *out = *c;
    out->kind = JALI_CHART_ROWS;
    out->n_words = 1;
    out->words = word;
    out->n_tracks = 2;
    out->tracks = track;
    return true;
}

static bool pairs_table(const jali_chart *c, size_t picture, sheet *s, jali_piece *out)
{
    jali_chart rows;
    if (jali_chart_pairs_as_rows(c, s->arena, &rows)) return rows_table(&rows, picture, s, out);
    s->failed = true;
    return false;
}

/* Curves need not share their x: one line for each point. */
static bool lines_table(const jali_chart *c, size_t picture, sheet *s, jali_piece *out)
{
    size_t rows = 0, named = c->series.n > 1 ? 1 : 0;
    for (size_t i = 0; i < c->series.n; i++) rows += jali_chart_series_at(c, i)->dots.n;
    jali_col *cols = jali_arena_take(s->arena, 5, sizeof *cols);
    if (cols == NULL || rows == 0) return false;
    if (named > 0) cols[0] = (jali_col){ "curve", false };
    cols[named] = (jali_col){ jali_axis_text(&c->x, s->arena), !jali_chart_over_categories(c) };
    cols[named + 1] = (jali_col){ jali_axis_text(&c->y, s->arena), true };
    cols[named + 2] = (jali_col){ "interval", true };
    cols[named + 3] = (jali_col){ "", false };
    if (!begin(s, out, cols, named + (picture > 0 ? 4 : 3), rows)) return false;
    jali_scale scale = jali_chart_y_scale(c, 4);
    jali_track track = { .axis = c->y };
    for (size_t i = 0; i < c->series.n; i++) {
        const jali_series *series = jali_chart_series_at(c, i);
        for (size_t k = 0; k < series->dots.n; k++) {
            const jali_dot *dot = jali_series_dot(series, k);
            char text[JALI_MARK_TEXT];
            if (named > 0) put(s, series->name);
            snprintf(text, sizeof text, "%.6g", dot->x);
            put(s,
                jali_chart_over_categories(c) ? jali_chart_word_at(c, (size_t)dot->x) : text);
            put_mark(s, dot->y, &c->y);
            if (picture > 0) put_picture(s, dot->y, &track, &scale, picture);
        }
    }
    return true;
}

static bool places_table(const jali_chart *c, sheet *s, jali_piece *out)
{
    jali_col *cols = jali_arena_take(s->arena, 4, sizeof *cols);
    if (cols == NULL || c->place.n == 0) return false;
    cols[0] = (jali_col){ "mark", false };
    cols[1] = (jali_col){ "", false };
    cols[2] = (jali_col){ jali_axis_text(&c->x, s->arena), true };
    cols[3] = (jali_col){ jali_axis_text(&c->y, s->arena), true };
    if (!begin(s, out, cols, 4, c->place.n)) return false;
    for (size_t i = 0; i < c->place.n; i++) {
        const jali_place *p = jali_chart_place_at(c, i);
        char text[JALI_MARK_TEXT];
        snprintf(text, sizeof text, "%c", p->letter);
        put(s, text);
        put(s, p->label == NULL ? "" : p->label);
        snprintf(text, sizeof text, "%.6g", p->x);
        put(s, text);
        snprintf(text, sizeof text, "%.6g", p->y);
        put(s, text);
    }
    return true;
}

bool jali_chart_table(const jali_chart *c, size_t picture, jali_arena *arena, jali_piece *out,
                      bool *failed)
{
    sheet s = { .arena = arena };
    bool any = c->kind == JALI_CHART_ROWS    ? rows_table(c, picture, &s, out)
               : c->kind == JALI_CHART_PAIRS ? pairs_table(c, picture, &s, out)
               : c->kind == JALI_CHART_LINES ? lines_table(c, picture, &s, out)
                                             : places_table(c, &s, out);
    if (s.failed) *failed = true;
    if (!any || s.failed) return false;
    out->cell = s.cell;
    out->n_cells = s.n;
    return true;
}
