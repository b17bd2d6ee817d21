/* report/svg_heat.c — a plane of cells, one colour from none to full, with lettered pins. */
#include "base/banned.h"
#include "report/svg.h"
#include <math.h>

enum { LEVELS = 32, PIN = 8, HATCH = 7 };

typedef struct plane {
    const jali_chart *c;
    double left, top, width, height, low, high;
    jali_text *out;
} plane;

/* Two lengths in one unit are drawn to one scale; anything else fills the page. */
static double shape_of(const jali_chart *c)
{
    const jali_plane *p = &c->plane;
    bool map = p->x.unit != NULL && p->y.unit != NULL && strcmp(p->x.unit, p->y.unit) == 0;
    double ratio = map ? (p->y_to - p->y_from) / (p->x_to - p->x_from) : 0.62;
    return fmin(fmax(ratio, 0.3), 0.95);
}

static int level_of(const plane *v, size_t row, size_t column)
{
    double value = v->c->plane.cell[row * v->c->plane.n_x + column];
    if (isnan(value)) return -1;
    double share = v->high > v->low ? (value - v->low) / (v->high - v->low) : 0;
    return (int)(share * LEVELS + 0.5);
}

/* Edges are rounded before widths are taken: two cells that only nearly touch show a seam. */
static double tenth(double x)
{
    return round(10 * x) / 10;
}

/* Neighbours of one level become one shape: a plane of 10,000 cells stays small. */
static void draw_row(const plane *v, size_t row)
{
    const jali_plane *p = &v->c->plane;
    double w = v->width / (double)p->n_x, h = v->height / (double)p->n_y;
    double y = tenth(v->top + v->height - h * (double)(row + 1));
    double under = tenth(v->top + v->height - h * (double)row);
    for (size_t i = 0; i < p->n_x;) {
        size_t end = i + 1;
        int level = level_of(v, row, i);
        while (end < p->n_x && level_of(v, row, end) == level) end++;
        double x = tenth(v->left + w * (double)i), far = tenth(v->left + w * (double)end);
        if (level > 0)
            jali_text_format(v->out,
                             "<rect class=\"heat\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                             "height=\"%.1f\" fill-opacity=\"%.3f\"/>\n",
                             x, y, far - x, under - y, 0.04 + 0.96 * level / LEVELS);
        i = end;
    }
}

/* Is there a stroke in this cell? Strokes go up to the right, cell by cell, about HATCH units
 * apart, so that a fine plane is no darker than a coarse one. */
static bool hatched(const plane *v, size_t row, size_t column)
{
    const jali_plane *p = &v->c->plane;
    double w = v->width / (double)p->n_x;
    size_t apart = (size_t)fmax(1, round(HATCH / w));
    return (column + p->n_y * apart - row) % apart == 0 &&
           jali_chart_heat_unsure(v->c, row * p->n_x + column);
}

/* Cells that may be nothing, hatched: one path, a stroke as long as it goes. */
static void draw_hatch(const plane *v)
{
    const jali_plane *p = &v->c->plane;
    double w = v->width / (double)p->n_x, h = v->height / (double)p->n_y;
    if (jali_chart_heat_doubts(v->c) == 0) return;
    jali_text_add(v->out, "<path class=\"hatch\" d=\"");
    for (size_t row = 0; row < p->n_y; row++)
        for (size_t i = 0; i < p->n_x; i++) {
            size_t n = 0;
            if (row > 0 && i > 0 && hatched(v, row - 1, i - 1)) continue;
            while (row + n < p->n_y && i + n < p->n_x && hatched(v, row + n, i + n)) n++;
            if (n > 0)
                jali_text_format(v->out, "M%.1f %.1fl%.1f %.1f", v->left + w * (double)i,
                                 v->top + v->height - h * (double)row, w * (double)n,
                                 -h * (double)n);
        }
    jali_text_add(v->out, "\"/>\n");
}

static void draw_axes(const plane *v)
{
    char text[JALI_MARK_TEXT];
    jali_scale x = jali_chart_x_scale(v->c, 6), y = jali_chart_y_scale(v->c, 5);
    double bottom = v->top + v->height;
    for (double k = ceil(x.from / x.step - 1e-9); k * x.step <= x.to + x.step * 1e-6; k++) {
        double at = v->left + jali_scale_share(&x, k * x.step) * v->width;
        jali_svg_line(v->out, "z", at, bottom, at, bottom + 5);
        jali_svg_text(v->out, "s m n", at, bottom + 18, 0,
                      jali_scale_tick(text, &x, k * x.step, &v->c->x));
    }
    for (double k = ceil(y.from / y.step - 1e-9); k * y.step <= y.to + y.step * 1e-6; k++) {
        double at = bottom - jali_scale_share(&y, k * y.step) * v->height;
        jali_svg_line(v->out, "z", v->left - 5, at, v->left, at);
        jali_svg_text(v->out, "s e n", v->left - 8, at + 4, 0,
                      jali_scale_tick(text, &y, k * y.step, &v->c->y));
    }
}

static void draw_pin(jali_text *out, double x, double y, char letter)
{
    char text[2] = { letter, '\0' };
    jali_text_format(out, "<circle class=\"pin\" cx=\"%.1f\" cy=\"%.1f\" r=\"%d\"/>\n", x, y,
                     PIN);
    jali_svg_text(out, "w m", x, y + 4, 0, text);
}

static void draw_pins(const plane *v)
{
    const jali_plane *p = &v->c->plane;
    for (size_t i = 0; i < v->c->place.n; i++) {
        const jali_place *m = jali_chart_place_at(v->c, i);
        draw_pin(v->out, v->left + (m->x - p->x_from) / (p->x_to - p->x_from) * v->width,
                 v->top + v->height - (m->y - p->y_from) / (p->y_to - p->y_from) * v->height,
                 m->letter);
    }
}

/* From none to full, with the numbers at both ends. */
static void draw_ramp(const plane *v, double x, double y)
{
    char text[JALI_MARK_TEXT];
    jali_scale s = jali_scale_of(v->low, v->high, 10, false);
    for (int i = 1; i <= LEVELS; i++)
        jali_text_format(v->out,
                         "<rect class=\"heat\" x=\"%.1f\" y=\"%.1f\" width=\"4\" height=\"10\" "
                         "fill-opacity=\"%.3f\"/>\n",
                         x + 4 * (i - 1), y, 0.04 + 0.96 * i / LEVELS);
    jali_svg_text(v->out, "s n", x, y + 24, 0,
                  jali_scale_tick(text, &s, v->low, &v->c->plane.value));
    jali_svg_text(v->out, "s e n", x + 4 * LEVELS, y + 24, 0,
                  jali_scale_tick(text, &s, v->high, &v->c->plane.value));
}

static bool told_before(const jali_chart *c, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (jali_chart_place_at(c, k)->letter == jali_chart_place_at(c, i)->letter &&
            jali_chart_place_at(c, k)->label != NULL)
            return true;
    return false;
}

static double draw_legend(const plane *v, double x, jali_text *out)
{
    jali_arena arena = JALI_ARENA_INIT;
    double y = v->top + 4;
    y = jali_svg_wrapped(out, "s", x, y - 11, JALI_SVG_WIDTH - x, 0.93, 16,
                         jali_axis_text(&v->c->plane.value, &arena));
    draw_ramp(v, x, y + 7);
    y += 60;
    if (jali_chart_heat_doubts(v->c) > 0) {
        jali_text_format(
            out,
            "<rect class=\"z\" fill=\"none\" x=\"%.1f\" y=\"%.1f\" "
            "width=\"16\" height=\"16\"/>\n"
            "<path class=\"hatch\" d=\"M%.1f %.1fl16 -16m-8 16l8 -8m-16 0l8 -8\"/>\n",
            x, y - 8, x, y + 8);
        y = jali_svg_wrapped(out, "s", x + 2 * PIN + 8, y - 11,
                             JALI_SVG_WIDTH - x - 2 * PIN - 8, 0.93, 16, JALI_HEAT_UNSURE) +
            19;
    }
    for (size_t i = 0; i < v->c->place.n; i++) {
        const jali_place *m = jali_chart_place_at(v->c, i);
        if (m->label == NULL || told_before(v->c, i)) continue;
        draw_pin(out, x + PIN, y, m->letter);
        y = jali_svg_wrapped(out, "s", x + 2 * PIN + 8, y - 11,
                             JALI_SVG_WIDTH - x - 2 * PIN - 8, 0.93, 16, m->label) +
            19;
    }
    jali_arena_clear(&arena);
    return y;
}

double jali_svg_heat(const jali_chart *c, double y, jali_text *out)
{
    const double legend = 190;
    jali_arena arena = JALI_ARENA_INIT;
    plane v = { .c = c, .left = 56, .top = y + 22, .out = out };
    v.width = JALI_SVG_WIDTH - v.left - legend;
    v.height = v.width * shape_of(c);
    jali_chart_heat_range(c, &v.low, &v.high);
    jali_svg_text(out, "s", 0, y + 8, 0, jali_axis_text(&c->y, &arena));
    jali_svg_rect(out, "p", v.left, v.top, v.width, v.height);
    for (size_t row = 0; row < c->plane.n_y; row++) draw_row(&v, row);
    draw_hatch(&v);
    jali_text_format(out,
                     "<rect class=\"z\" fill=\"none\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                     "height=\"%.1f\"/>\n",
                     v.left, v.top, v.width, v.height);
    draw_axes(&v);
    draw_pins(&v);
    double end = draw_legend(&v, v.left + v.width + 24, out);
    jali_svg_text(out, "s m", v.left + v.width / 2, v.top + v.height + 38, 0,
                  jali_axis_text(&c->x, &arena));
    jali_arena_clear(&arena);
    return fmax(end, v.top + v.height + 44);
}
