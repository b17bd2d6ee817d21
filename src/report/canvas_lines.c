/* report/canvas_lines.c — curves with bands, in the dots of braille. */
#include "base/banned.h"
#include "report/canvas.h"
#include "report/render.h"
#include <math.h>

enum { HEIGHT = 12, WIDEST = 72, NARROWEST = 16, DOTS_X = 2, DOTS_Y = 4, STYLES = 4 };

typedef struct spot {
    unsigned char dots; /* of braille, as in U+2800 */
    unsigned char series;
    bool band, bead, upright;
} spot;

typedef struct canvas {
    spot *at; /* HEIGHT rows of `width`, the top one first */
    size_t width;
    jali_scale x, y;
} canvas;

static const char *const beads[STYLES] = { "●", "◆", "▲", "■" };
static const char ascii_beads[STYLES] = { '*', 'o', '+', 'x' };
static const char *const colors[STYLES] = { "36", "33", "35", "32" };

/* y at x, between the points left and right of it; false where nothing is known. */
static bool between(const jali_series *s, double x, jali_mark *out)
{
    for (size_t i = 0; i + 1 < s->dots.n; i++) {
        const jali_dot *a = jali_series_dot(s, i), *b = a + 1;
        if (x < a->x || x > b->x || a->y.unknown || b->y.unknown) continue;
        double t = b->x > a->x ? (x - a->x) / (b->x - a->x) : 0;
        *out = JALI_MARK(a->y.value + t * (b->y.value - a->y.value),
                         a->y.low + t * (b->y.low - a->y.low),
                         a->y.high + t * (b->y.high - a->y.high));
        return true;
    }
    return false;
}

static double x_at(const canvas *v, double column)
{
    return v->x.from + (column + 0.5) / (double)v->width * (v->x.to - v->x.from);
}

/* The row of fine dots, from the top; -1: outside. */
static long dot_row(const canvas *v, double y, long rows)
{
    double at = (1 - jali_scale_share(&v->y, y)) * (double)rows;
    if (!(at >= 0) || at > (double)rows) return -1;
    return at >= (double)rows ? rows - 1 : (long)at;
}

static spot *spot_at(const canvas *v, long row, size_t column)
{
    return &v->at[(size_t)row * v->width + column];
}

static void set_dot(const canvas *v, size_t dx, long dy, size_t series)
{
    static const unsigned char bit[DOTS_Y][DOTS_X] = {
        { 0x01, 0x08 }, { 0x02, 0x10 }, { 0x04, 0x20 }, { 0x40, 0x80 }
    };
    spot *s = spot_at(v, dy / DOTS_Y, dx / DOTS_X);
    s->dots |= bit[dy % DOTS_Y][dx % DOTS_X];
    s->series = (unsigned char)series;
}

static void draw_band(const canvas *v, const jali_series *s)
{
    jali_mark m;
    for (size_t i = 0; i < v->width; i++) {
        if (!between(s, x_at(v, (double)i), &m) || !(m.low < m.high)) continue;
        for (long row = 0; row < HEIGHT; row++) {
            double y = v->y.to - ((double)row + 0.5) / HEIGHT * (v->y.to - v->y.from);
            if (y >= m.low && y <= m.high) spot_at(v, row, i)->band = true;
        }
    }
}

static void draw_curve(const canvas *v, const jali_series *s, size_t series)
{
    jali_mark m;
    long last = -1;
    for (size_t i = 0; i < v->width * DOTS_X; i++) {
        double column = ((double)i - 0.5) / DOTS_X;
        long row = between(s, x_at(v, column), &m) ? dot_row(v, m.value, HEIGHT * DOTS_Y) : -1;
        if (row >= 0) {
            long from = last < 0 ? row : last < row ? last + 1 : last > row ? last - 1 : row;
            for (long k = from; k != row; k += k < row ? 1 : -1) set_dot(v, i, k, series);
            set_dot(v, i, row, series);
        }
        last = row;
    }
}

/* Where the measured points are, if they can be told apart. */
static void draw_beads(const canvas *v, const jali_series *s, size_t series)
{
    size_t every = s->dots.n * 3 > v->width ? s->dots.n * 8 / v->width : 1;
    for (size_t i = 0; i < s->dots.n; i += every) {
        const jali_dot *d = jali_series_dot(s, i);
        double at = jali_scale_share(&v->x, d->x) * (double)v->width;
        long row = d->y.unknown ? -1 : dot_row(v, d->y.value, HEIGHT);
        if (row < 0 || !(at >= 0)) continue;
        size_t column = at >= (double)v->width ? v->width - 1 : (size_t)at;
        spot *p = spot_at(v, row, column);
        p->bead = true;
        p->series = (unsigned char)series;
    }
}

static void draw_uprights(const canvas *v, const jali_chart *c)
{
    for (size_t i = 0; i < c->upright.n; i++) {
        double at = jali_scale_share(&v->x, jali_chart_upright_at(c, i)->x) * (double)v->width;
        if (!(at >= 0) || at > (double)v->width) continue;
        size_t column = at >= (double)v->width ? v->width - 1 : (size_t)at;
        for (long row = 0; row < HEIGHT; row++) spot_at(v, row, column)->upright = true;
    }
}

static void put_braille(jali_text *out, unsigned char dots)
{
    char utf8[3] = { (char)0xe2, (char)(0xa0 | dots >> 6), (char)(0x80 | (dots & 0x3f)) };
    jali_text_add_n(out, utf8, 3);
}

static void put_spot(jali_text *out, const jali_style *style, const spot *s)
{
    size_t k = s->series % STYLES;
    bool ink = s->bead || s->dots != 0;
    if (ink && style->color) jali_text_format(out, "\033[%sm", colors[k]);
    if (style->ascii)
        jali_text_add_n(out, ink ? &ascii_beads[k] : s->upright ? "|" : s->band ? ":" : " ", 1);
    else if (s->bead)
        jali_text_add(out, beads[k]);
    else if (s->dots != 0)
        put_braille(out, s->dots);
    else
        jali_text_add(out, s->upright ? "│" : s->band ? "░" : " ");
    if (ink && style->color) jali_text_add(out, "\033[0m");
}

/* The tick whose fine place lies in the row; NAN: none. */
static double tick_in_row(const canvas *v, long row)
{
    for (double k = ceil(v->y.from / v->y.step - 1e-9); k * v->y.step <= v->y.to * (1 + 1e-9);
         k++)
        if (dot_row(v, k * v->y.step, HEIGHT) == row) return k * v->y.step;
    return NAN;
}

static void write_rows(const canvas *v, const jali_chart *c, const jali_style *style,
                       size_t left, jali_text *out)
{
    for (long row = 0; row < HEIGHT; row++) {
        char text[JALI_MARK_TEXT] = "";
        double tick = tick_in_row(v, row);
        const char *wall = style->ascii ? "|" : isnan(tick) ? "│" : "┤";
        if (!isnan(tick)) jali_scale_tick(text, &v->y, tick, &c->y);
        jali_text_format(out, "%*s %s", (int)left, text, wall);
        for (size_t i = 0; i < v->width; i++) put_spot(out, style, spot_at(v, row, i));
        jali_text_add(out, "\n");
    }
}

static double strip_at(const jali_chart *c, double x)
{
    for (size_t i = 0; i < c->strip.n; i++) {
        const jali_bin *b = jali_chart_bin_at(c, i);
        if (x >= b->from && x < b->to) return b->height;
    }
    return 0;
}

static void write_strip(const canvas *v, const jali_chart *c, const jali_style *style,
                        size_t left, jali_text *out)
{
    static const char *const bars[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
    static const char ascii[] = " ..::++##";
    double most = 0;
    for (size_t i = 0; i < c->strip.n; i++) most = fmax(most, jali_chart_bin_at(c, i)->height);
    jali_text_format(out, "%*s ", (int)left + 1, "");
    for (size_t i = 0; i < v->width; i++) {
        double share = most > 0 ? strip_at(c, x_at(v, (double)i)) / most : 0;
        size_t k = share > 0 ? 1 + (size_t)(share * 7.49) : 0;
        if (style->ascii)
            jali_text_add_n(out, &ascii[k], 1);
        else
            jali_text_add(out, bars[k]);
    }
    jali_text_add(out, "\n");
}

static void write_axis(const canvas *v, const jali_chart *c, const jali_style *style,
                       size_t left, jali_text *out)
{
    char from[JALI_MARK_TEXT], to[JALI_MARK_TEXT];
    jali_text_format(out, "%*s %s", (int)left, "", style->ascii ? "+" : "└");
    for (size_t i = 0; i < v->width; i++) jali_text_add(out, style->ascii ? "-" : "─");
    jali_text_add(out, "\n");
    if (c->strip.n > 0) write_strip(v, c, style, left, out);
    jali_scale_tick(from, &v->x, v->x.from, &c->x);
    jali_scale_tick(to, &v->x, v->x.to, &c->x);
    size_t used = strlen(from) + strlen(to);
    jali_text_format(out, "%*s %s%*s%s\n", (int)left + 1, "", from,
                     used < v->width ? (int)(v->width - used) : 1, "", to);
}

/* Which axis is which, which glyph is which curve. */
static void write_legend(const jali_chart *c, const jali_style *style, jali_text *out)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_text line = { 0 };
    jali_text_format(&line, "up: %s; across: %s", jali_axis_text(&c->y, &arena),
                     jali_axis_text(&c->x, &arena));
    for (size_t i = 0; i < c->series.n && c->series.n > 1; i++) {
        jali_text_add(&line, "; ");
        if (style->ascii)
            jali_text_add_n(&line, &ascii_beads[i % STYLES], 1);
        else
            jali_text_add(&line, beads[i % STYLES]);
        jali_text_format(&line, " %s", jali_chart_series_at(c, i)->name);
    }
    for (size_t i = 0; i < c->upright.n; i++)
        jali_text_format(&line, "; %s %s at %.6g", style->ascii ? "|" : "│",
                         jali_chart_upright_at(c, i)->label, jali_chart_upright_at(c, i)->x);
    if (c->strip.n > 0) jali_text_format(&line, "; below: how %s is spread", c->x.name);
    if (line.failed)
        out->failed = true;
    else
        jali_render_wrapped(out, style, line.at);
    jali_text_clear(&line);
    jali_arena_clear(&arena);
}

void jali_canvas_lines(const jali_chart *c, const jali_style *style, jali_text *out)
{
    canvas v = { .x = jali_chart_x_scale(c, 4), .y = jali_chart_y_scale(c, 4) };
    char text[JALI_MARK_TEXT];
    size_t left = strlen(jali_scale_tick(text, &v.y, v.y.from, &c->y));
    size_t other = strlen(jali_scale_tick(text, &v.y, v.y.to, &c->y));
    if (other > left) left = other;
    v.width = style->width == 0         ? WIDEST
              : style->width > left + 2 ? style->width - left - 2
                                        : 0;
    if (v.width > WIDEST) v.width = WIDEST;
    if (v.width < NARROWEST) v.width = NARROWEST;
    v.at = calloc(v.width * HEIGHT, sizeof *v.at);
    if (v.at == NULL) {
        out->failed = true;
        return;
    }
    for (size_t i = 0; i < c->series.n; i++) draw_band(&v, jali_chart_series_at(c, i));
    draw_uprights(&v, c);
    for (size_t i = 0; i < c->series.n; i++) draw_curve(&v, jali_chart_series_at(c, i), i);
    for (size_t i = 0; i < c->series.n; i++) draw_beads(&v, jali_chart_series_at(c, i), i);
    write_rows(&v, c, style, left, out);
    write_axis(&v, c, style, left, out);
    write_legend(c, style, out);
    free(v.at);
}
