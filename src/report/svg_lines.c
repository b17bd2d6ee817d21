/* report/svg_lines.c — curves with bands, over numbers or categories, a histogram below. */
#include "base/banned.h"
#include "report/svg.h"
#include <math.h>

enum { HEIGHT = 230, STRIP = 40, BEADS = 40 };

typedef struct plot {
    const jali_chart *c;
    jali_scale x, y;
    double left, top, width;
    jali_text *out;
} plot;

static double px(const plot *p, double x)
{
    return p->left + jali_scale_share(&p->x, x) * p->width;
}

static double py(const plot *p, double y)
{
    return p->top + (1 - fmin(fmax(jali_scale_share(&p->y, y), 0), 1)) * HEIGHT;
}

/* The class of a series' part: "la" is the line of the first. */
static const char *class_of(char part, size_t series, char out[static 3])
{
    out[0] = part;
    out[1] = (char)('a' + series % JALI_SVG_SERIES);
    out[2] = '\0';
    return out;
}

static double draw_legend(const jali_chart *c, double y, jali_text *out)
{
    double x = 0;
    char class[3];
    if (c->series.n < 2) return y;
    for (size_t i = 0; i < c->series.n; i++) {
        const char *name = jali_chart_series_at(c, i)->name;
        double need = 46 + jali_svg_width(name);
        if (x > 0 && x + need > JALI_SVG_WIDTH) {
            x = 0;
            y += 20;
        }
        if (!jali_chart_over_categories(c))
            jali_svg_line(out, class_of('l', i, class), x, y + 11, x + 26, y + 11);
        jali_svg_bead(out, i, x + 13, y + 11);
        jali_svg_text(out, "", x + 33, y + 15, 0, name);
        x += need + 10;
    }
    return y + 26;
}

static void draw_y(const plot *p)
{
    char text[JALI_MARK_TEXT];
    const jali_scale *s = &p->y;
    for (double k = ceil(s->from / s->step - 1e-9); k * s->step <= s->to + s->step * 1e-6;
         k++) {
        double y = py(p, k * s->step);
        jali_svg_line(p->out, k == 0 ? "z" : "g", p->left, y, p->left + p->width, y);
        jali_svg_text(p->out, "s e n", p->left - 8, y + 4, 0,
                      jali_scale_tick(text, s, k * s->step, &p->c->y));
    }
}

static void draw_numbers(const plot *p, double bottom)
{
    char text[JALI_MARK_TEXT];
    const jali_scale *s = &p->x;
    for (double k = ceil(s->from / s->step - 1e-9); k * s->step <= s->to + s->step * 1e-6;
         k++) {
        double x = px(p, k * s->step);
        jali_svg_line(p->out, "g", x, bottom, x, bottom + 5);
        jali_svg_text(p->out, "s m n", x, bottom + 18, 0,
                      jali_scale_tick(text, s, k * s->step, &p->c->x));
    }
}

/* Names under their places; aslant when they would touch. Returns the height they need. */
static double draw_names(const plot *p, double bottom)
{
    double widest = 0, width = p->width / (double)p->c->word.n;
    for (size_t i = 0; i < p->c->word.n; i++)
        widest = fmax(widest, jali_svg_width(jali_chart_word_at(p->c, i)));
    bool flat = widest <= width - 4;
    for (size_t i = 0; i < p->c->word.n; i++) {
        double x = px(p, (double)i);
        if (!flat)
            jali_text_format(p->out, "<g transform=\"rotate(-35 %.1f %.1f)\">", x + 4,
                             bottom + 12);
        jali_svg_text(p->out, flat ? "s m" : "s e", flat ? x : x + 4, bottom + (flat ? 18 : 12),
                      flat ? 0 : 130, jali_chart_word_at(p->c, i));
        if (!flat) jali_text_add(p->out, "</g>\n");
    }
    return flat ? 18 : 16 + 0.6 * fmin(widest, 130);
}

/* A run of known points, from `i` up to the returned one. */
static size_t known_run(const jali_series *s, size_t i)
{
    while (i < s->dots.n && !jali_series_dot(s, i)->y.unknown) i++;
    return i;
}

static void draw_run(const plot *p, const jali_series *s, size_t series, size_t from, size_t to)
{
    char class[3];
    jali_text_format(p->out, "<path class=\"%s\" d=\"", class_of('v', series, class));
    for (size_t i = from; i < to; i++) {
        const jali_dot *d = jali_series_dot(s, i);
        jali_text_format(p->out, "%c%.1f %.1f", i == from ? 'M' : 'L', px(p, d->x),
                         py(p, d->y.high));
    }
    for (size_t i = to; i > from; i--) {
        const jali_dot *d = jali_series_dot(s, i - 1);
        jali_text_format(p->out, "L%.1f %.1f", px(p, d->x), py(p, d->y.low));
    }
    jali_text_format(p->out, "z\"/>\n<path class=\"%s\" d=\"", class_of('l', series, class));
    for (size_t i = from; i < to; i++) {
        const jali_dot *d = jali_series_dot(s, i);
        jali_text_format(p->out, "%c%.1f %.1f", i == from ? 'M' : 'L', px(p, d->x),
                         py(p, d->y.value));
    }
    jali_text_add(p->out, "\"/>\n");
}

static void draw_curve(const plot *p, size_t series)
{
    const jali_series *s = jali_chart_series_at(p->c, series);
    for (size_t i = 0; i < s->dots.n; i++) {
        size_t end = known_run(s, i);
        if (end > i) draw_run(p, s, series, i, end);
        i = end;
    }
    for (size_t i = 0; i < s->dots.n && s->dots.n <= BEADS; i++) {
        const jali_dot *d = jali_series_dot(s, i);
        if (!d->y.unknown) jali_svg_bead(p->out, series, px(p, d->x), py(p, d->y.value));
    }
}

/* Over categories nothing lies between two points: dots on whiskers, series abreast. */
static void draw_dots(const plot *p, size_t series)
{
    const jali_series *s = jali_chart_series_at(p->c, series);
    double step = fmin(p->width / (double)p->c->word.n / (double)(p->c->series.n + 1), 16);
    double shift = ((double)series - (double)(p->c->series.n - 1) / 2) * step;
    for (size_t i = 0; i < s->dots.n; i++) {
        const jali_dot *d = jali_series_dot(s, i);
        double x = px(p, d->x) + shift;
        if (d->y.unknown) continue;
        jali_svg_whisker(p->out, x, py(p, d->y.low), x, py(p, d->y.high));
        if (!isnan(d->y.value)) jali_svg_bead(p->out, series, x, py(p, d->y.value));
    }
}

static void draw_strip(const plot *p, double top)
{
    double most = 0;
    bool names = jali_chart_over_categories(p->c);
    for (size_t i = 0; i < p->c->strip.n; i++)
        most = fmax(most, jali_chart_bin_at(p->c, i)->height);
    for (size_t i = 0; i < p->c->strip.n && most > 0; i++) {
        const jali_bin *b = jali_chart_bin_at(p->c, i);
        double from = px(p, names ? (double)i - 0.35 : b->from);
        double to = px(p, names ? (double)i + 0.35 : b->to);
        double high = (STRIP - 8) * fmax(b->height, 0) / most;
        jali_svg_rect(p->out, "x", from + 0.5, top + STRIP - high, to - from - 1, high);
    }
    jali_svg_line(p->out, "z", p->left, top + STRIP, p->left + p->width, top + STRIP);
}

static void draw_uprights(const plot *p)
{
    for (size_t i = 0; i < p->c->upright.n; i++) {
        const jali_upright *u = jali_chart_upright_at(p->c, i);
        double x = px(p, u->x);
        bool late = x > JALI_SVG_WIDTH * 0.7;
        jali_svg_line(p->out, "u", x, p->top, x, p->top + HEIGHT);
        jali_svg_text(p->out, late ? "s e" : "s", late ? x - 5 : x + 5, p->top + 11, 0,
                      u->label);
    }
}

double jali_svg_lines(const jali_chart *c, double y, jali_text *out)
{
    jali_arena arena = JALI_ARENA_INIT;
    char text[JALI_MARK_TEXT];
    plot p = {
        .c = c, .x = jali_chart_x_scale(c, 7), .y = jali_chart_y_scale(c, 5), .out = out
    };
    double low = jali_svg_width(jali_scale_tick(text, &p.y, p.y.from, &c->y));
    double high = jali_svg_width(jali_scale_tick(text, &p.y, p.y.to, &c->y));
    p.left = fmax(low, high) + 14;
    p.width = JALI_SVG_WIDTH - p.left - 16;
    y = draw_legend(c, y, out);
    jali_svg_text(out, "s", 0, y + 8, 0, jali_axis_text(&c->y, &arena));
    p.top = y + 22;
    double bottom = p.top + HEIGHT;
    bool names = jali_chart_over_categories(c);
    draw_y(&p);
    if (c->strip.n > 0) draw_strip(&p, bottom + 4);
    if (c->strip.n > 0) bottom += STRIP + 4;
    draw_uprights(&p);
    for (size_t i = 0; i < c->series.n; i++) {
        if (names)
            draw_dots(&p, i);
        else
            draw_curve(&p, i);
    }
    if (names)
        bottom += draw_names(&p, bottom);
    else
        draw_numbers(&p, bottom);
    if (!names) bottom += 18;
    jali_svg_text(out, "s m", p.left + p.width / 2, bottom + 20, 0,
                  jali_axis_text(&c->x, &arena));
    jali_arena_clear(&arena);
    return bottom + 26;
}
