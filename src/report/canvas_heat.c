/* report/canvas_heat.c — a plane in shades, with letters on it. */
#include "base/banned.h"
#include "report/canvas.h"
#include "report/render.h"
#include <math.h>

enum { WIDEST = 60, TALLEST = 20, SHADES = 5 };

typedef struct heat {
    const jali_chart *c;
    size_t width, height;
    double low, high;
} heat;

/* As wide as the plane has cells, or twice as wide, and fewer when it does not fit: a
 * character is about twice as tall as it is wide. */
static heat measured(const jali_chart *c, const jali_style *style)
{
    heat h = { .c = c, .width = c->plane.n_x, .height = c->plane.n_y };
    size_t room = style->width == 0 || style->width > WIDEST + 14 ? WIDEST
                  : style->width > 30                             ? style->width - 14
                                                                  : 16;
    while (h.width * 2 <= room) h.width *= 2;
    if (h.width > room) h.width = room;
    if (h.height > TALLEST) h.height = TALLEST;
    while (h.height * 2 <= TALLEST && h.height * 4 <= h.width) h.height *= 2;
    jali_chart_heat_range(c, &h.low, &h.high);
    return h;
}

/* The mean of what the cells hold that a character covers. */
static double mean_at(const heat *h, const double *cell, size_t row, size_t column)
{
    const jali_plane *p = &h->c->plane;
    size_t x0 = column * p->n_x / h->width, x1 = (column + 1) * p->n_x / h->width;
    size_t y0 = row * p->n_y / h->height, y1 = (row + 1) * p->n_y / h->height;
    double sum = 0;
    size_t n = 0;
    for (size_t y = y0; y < (y1 > y0 ? y1 : y0 + 1); y++)
        for (size_t x = x0; x < (x1 > x0 ? x1 : x0 + 1); x++) {
            double v = cell[y * p->n_x + x];
            if (isnan(v)) continue;
            sum += v;
            n++;
        }
    return n == 0 ? NAN : sum / (double)n;
}

static char letter_at(const heat *h, size_t row, size_t column)
{
    const jali_plane *p = &h->c->plane;
    for (size_t i = h->c->place.n; i > 0; i--) {
        const jali_place *m = jali_chart_place_at(h->c, i - 1);
        double x = (m->x - p->x_from) / (p->x_to - p->x_from) * (double)h->width;
        double y = (m->y - p->y_from) / (p->y_to - p->y_from) * (double)h->height;
        if (x == (double)h->width) x -= 1;
        if (y == (double)h->height) y -= 1;
        if (floor(x) == (double)column && floor(y) == (double)row) return m->letter;
    }
    return '\0';
}

static void put_shade(jali_text *out, const jali_style *style, double share)
{
    static const char *const shades[SHADES] = { " ", "░", "▒", "▓", "█" };
    static const char ascii[SHADES] = { ' ', '.', '+', '*', '#' };
    size_t k = !(share > 0) ? 0 : share >= 1 ? SHADES - 1 : (size_t)(share * SHADES);
    if (style->ascii)
        jali_text_add_n(out, &ascii[k], 1);
    else if (style->color) /* the grey ramp of 256 colours, light to dark */
        jali_text_format(out, "\033[48;5;%dm \033[0m",
                         254 - (int)(fmin(fmax(share, 0), 1) * 20));
    else
        jali_text_add(out, shades[k]);
}

static void put_letter(jali_text *out, const jali_style *style, char letter)
{
    if (style->color) jali_text_add(out, "\033[1;97;41m");
    jali_text_add_n(out, &letter, 1);
    if (style->color) jali_text_add(out, "\033[0m");
}

/* A character may be nothing if its mean is within the mean of its cells' errors, which is no
 * less than the error of the mean. */
static bool unsure_at(const heat *h, size_t row, size_t column)
{
    const jali_plane *p = &h->c->plane;
    return p->half != NULL &&
           mean_at(h, p->cell, row, column) <= mean_at(h, p->half, row, column);
}

static void put_unsure(jali_text *out, const jali_style *style)
{
    if (style->ascii)
        jali_text_add(out, "-");
    else
        jali_text_add(out, style->color ? "\033[38;5;240;48;5;254m·\033[0m" : "·");
}

static void write_row(jali_text *out, const jali_style *style, const heat *h, size_t row)
{
    double span = h->high - h->low;
    for (size_t i = 0; i < h->width; i++) {
        char letter = letter_at(h, row, i);
        double v = mean_at(h, h->c->plane.cell, row, i);
        if (letter != '\0')
            put_letter(out, style, letter);
        else if (isnan(v))
            jali_text_add(out, "?");
        else if (unsure_at(h, row, i))
            put_unsure(out, style);
        else
            put_shade(out, style, span > 0 ? (v - h->low) / span : 0);
    }
}

static bool told_before(const jali_chart *c, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (jali_chart_place_at(c, k)->letter == jali_chart_place_at(c, i)->letter &&
            jali_chart_place_at(c, k)->label != NULL)
            return true;
    return false;
}

static void write_legend(const heat *h, const jali_style *style, jali_text *out)
{
    const jali_chart *c = h->c;
    jali_arena arena = JALI_ARENA_INIT;
    jali_text line = { 0 };
    char low[JALI_MARK_TEXT], high[JALI_MARK_TEXT];
    jali_scale scale = jali_scale_of(h->low, h->high, 10, false);
    jali_text_format(&line, "up: %s; across: %s; light to dark: %s from %s to %s",
                     jali_axis_text(&c->y, &arena), jali_axis_text(&c->x, &arena),
                     jali_axis_text(&c->plane.value, &arena),
                     jali_scale_tick(low, &scale, h->low, &c->plane.value),
                     jali_scale_tick(high, &scale, h->high, &c->plane.value));
    if (jali_chart_heat_doubts(c) > 0)
        jali_text_format(&line, "; %s: %s", style->ascii ? "-" : "·", JALI_HEAT_UNSURE);
    for (size_t i = 0; i < c->place.n; i++) {
        const jali_place *p = jali_chart_place_at(c, i);
        if (p->label != NULL && !told_before(c, i))
            jali_text_format(&line, "; %c: %s", p->letter, p->label);
    }
    if (line.failed)
        out->failed = true;
    else
        jali_render_wrapped(out, style, line.at);
    jali_text_clear(&line);
    jali_arena_clear(&arena);
}

void jali_canvas_heat(const jali_chart *c, const jali_style *style, jali_text *out)
{
    if (c->plane.n_x == 0 || c->plane.n_y == 0) return;
    heat h = measured(c, style);
    jali_scale x = jali_chart_x_scale(c, 4), y = jali_chart_y_scale(c, 4);
    char from[JALI_MARK_TEXT], to[JALI_MARK_TEXT];
    jali_scale_tick(from, &y, y.from, &c->y);
    jali_scale_tick(to, &y, y.to, &c->y);
    int left = (int)(strlen(from) > strlen(to) ? strlen(from) : strlen(to));
    const char *wall = style->ascii ? "|" : "│";
    for (size_t row = h.height; row > 0; row--) {
        const char *tick = row == h.height ? to : row == 1 ? from : "";
        jali_text_format(out, "%*s %s", left, tick, wall);
        write_row(out, style, &h, row - 1);
        jali_text_format(out, "%s\n", wall);
    }
    jali_scale_tick(from, &x, x.from, &c->x);
    jali_scale_tick(to, &x, x.to, &c->x);
    size_t used = strlen(from) + strlen(to);
    jali_text_format(out, "%*s %s%*s%s\n", left + 1, "", from,
                     used < h.width ? (int)(h.width - used) : 1, "", to);
    write_legend(&h, style, out);
}
