/* report/chart_plain.c — charts on a terminal, never wider than it.
 *
 * Rows and pairs are tables with a picture beside each number. Curves over numbers are drawn
 * with the dots of braille, eight to a character, over a shaded band; planes with shades.
 */
#include "base/banned.h"
#include "report/canvas.h"
#include "report/chart_inside.h"
#include "report/render.h"

enum { PICTURE = 24, LEAST_PICTURE = 8, GAP = 2 };

/* What the columns of a table without pictures need. */
static size_t own_width(const jali_piece *b)
{
    size_t sum = 0;
    for (size_t c = 0; c < b->n_cols; c++) {
        size_t widest = jali_text_width(b->cols[c].name);
        for (size_t i = c; i < b->n_cells; i += b->n_cols) {
            size_t w = jali_text_width(b->cell[i]);
            if (w > widest) widest = w;
        }
        sum += widest + GAP;
    }
    return sum;
}

/* How wide a picture may be beside each of n numbers; 0: there is no room for one. */
static size_t picture_width(const jali_piece *bare, size_t n, unsigned width)
{
    if (width == 0 || n == 0) return PICTURE; /* no track: an empty picture, not a division */
    size_t own = own_width(bare);
    if (own + n * (LEAST_PICTURE + GAP) > width) return 0;
    size_t room = (width - own) / n - GAP;
    return room > PICTURE ? PICTURE : room;
}

/* False: with pictures it would be too wide, and nothing was written. */
static bool write_table(const jali_chart *c, const jali_style *style, size_t pictures,
                        bool must, jali_text *out)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_piece table;
    bool any = jali_chart_table(c, 0, &arena, &table, &out->failed);
    size_t picture = any ? picture_width(&table, pictures, style->width) : 0;
    bool fits = picture > 0 || must;
    if (any && picture > 0) any = jali_chart_table(c, picture, &arena, &table, &out->failed);
    if (any && fits) jali_render_table(out, style, &table);
    jali_arena_clear(&arena);
    return fits;
}

/* A chart of one track only. */
static bool one_track(const jali_chart *c, size_t track, jali_arena *arena, jali_chart *out)
{
    size_t rows = jali_chart_rows(c);
    jali_mark *mark = jali_arena_take(arena, rows + 1, sizeof *mark);
    if (mark == NULL) return false;
    for (size_t i = 0; i < rows; i++) mark[i] = jali_chart_mark_at(c, i * c->n_tracks + track);
    *out = *c;
    out->tracks = &c->tracks[track];
    out->n_tracks = 1;
    out->mark = (jali_run){ mark, rows, rows };
    return true;
}

/* Numbers are never cut: tracks that do not fit beside each other come one below another. */
static void write_tracks(const jali_chart *c, const jali_style *style, jali_text *out)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_chart part;
    if (!write_table(c, style, c->n_tracks, c->n_tracks < 2, out))
        for (size_t i = 0; i < c->n_tracks; i++) {
            if (i > 0) jali_text_add(out, "\n");
            if (one_track(c, i, &arena, &part))
                write_table(&part, style, 1, true, out);
            else
                out->failed = true;
        }
    jali_arena_clear(&arena);
}

static void write_pairs(const jali_chart *c, const jali_style *style, jali_text *out)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_chart rows;
    if (jali_chart_pairs_as_rows(c, &arena, &rows))
        write_tracks(&rows, style, out);
    else
        out->failed = true;
    jali_arena_clear(&arena);
}

void jali_chart_plain(const jali_chart *c, const jali_style *style, jali_text *out)
{
    if (c->title[0] != '\0') {
        jali_render_title(out, style, c->title);
    }
    if (c->kind == JALI_CHART_ROWS)
        write_tracks(c, style, out);
    else if (c->kind == JALI_CHART_PAIRS)
        write_pairs(c, style, out);
    else if (jali_chart_over_categories(c))
        write_table(c, style, 1, true, out);
    else if (c->kind == JALI_CHART_LINES)
        jali_canvas_lines(c, style, out);
    else
        jali_canvas_heat(c, style, out);
    if (c->note != NULL) jali_render_wrapped(out, style, c->note);
}
