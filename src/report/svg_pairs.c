/* report/svg_pairs.c — two histograms side by side, standing or lying.
 *
 * Standing where the values' names fit under their columns, lying where they do not. The
 * group is solid, the others are outlined: the pair is told apart in grey, too.
 */
#include "base/banned.h"
#include "report/svg.h"
#include <math.h>

enum { LEFT = 56, HEIGHT = 210, ROW = 36 };

static double widest_name(const jali_chart *c)
{
    double widest = 0;
    for (size_t i = 0; i < c->word.n; i++)
        widest = fmax(widest, jali_svg_width(jali_chart_word_at(c, i)));
    return widest;
}

static double draw_legend(const jali_chart *c, double y, jali_text *out)
{
    double x = 0;
    const char *names[] = { c->inside, c->elsewhere };
    for (size_t i = 0; i < 2; i++) {
        jali_svg_rect(out, i == 0 ? "bar" : "ghost", x + 1, y + 4, 12, 12);
        jali_svg_text(out, "", x + 20, y + 15, 300, names[i]);
        x += 44 + jali_svg_width(names[i]);
    }
    return y + 28;
}

static double high_y(const jali_scale *s, double top, double value)
{
    return top + (1 - fmin(fmax(jali_scale_share(s, value), 0), 1)) * HEIGHT;
}

static void standing_bar(const jali_scale *s, jali_mark m, size_t which, double x, double width,
                         double top, jali_text *out)
{
    if (m.unknown) {
        jali_svg_text(out, "s m", x + width / 2, top + HEIGHT - 4, 0, "?");
        return;
    }
    double y = high_y(s, top, m.value), zero = high_y(s, top, 0), middle = x + width / 2;
    jali_svg_rect(out, which == 0 ? "bar" : "ghost", x, fmin(y, zero), width, fabs(zero - y));
    jali_svg_whisker(out, middle, high_y(s, top, m.low), middle, high_y(s, top, m.high));
}

static double draw_standing(const jali_chart *c, double top, jali_text *out)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_scale s = jali_chart_y_scale(c, 4);
    double width = (JALI_SVG_WIDTH - LEFT - 4.0) / (double)c->word.n,
           bar = fmin(width * 0.36, 42);
    char text[JALI_MARK_TEXT];
    jali_svg_text(out, "s", 0, top + 8, 0, jali_axis_text(&c->y, &arena));
    top += 20;
    for (double k = ceil(s.from / s.step - 1e-9); k * s.step <= s.to + s.step * 1e-6; k++) {
        double y = high_y(&s, top, k * s.step);
        jali_svg_line(out, k == 0 ? "z" : "g", LEFT, y, JALI_SVG_WIDTH, y);
        jali_svg_text(out, "s e n", LEFT - 8, y + 4, 0,
                      jali_scale_tick(text, &s, k * s.step, &c->y));
    }
    for (size_t i = 0; i < c->word.n; i++) {
        double middle = LEFT + width * ((double)i + 0.5);
        standing_bar(&s, jali_chart_mark_at(c, 2 * i), 0, middle - bar - 1.5, bar, top, out);
        standing_bar(&s, jali_chart_mark_at(c, 2 * i + 1), 1, middle + 1.5, bar, top, out);
        jali_svg_text(out, "s m", middle, top + HEIGHT + 18, width - 2,
                      jali_chart_word_at(c, i));
    }
    jali_svg_text(out, "s m", (LEFT + JALI_SVG_WIDTH) / 2.0, top + HEIGHT + 38, 0,
                  jali_axis_text(&c->x, &arena));
    jali_arena_clear(&arena);
    return top + HEIGHT + 44;
}

static void lying_bar(const jali_scale *s, jali_mark m, size_t which, double x, double width,
                      double y, jali_text *out)
{
    if (m.unknown) {
        jali_svg_text(out, "s i", x + 6, y + 10, 0, "too few to tell");
        return;
    }
    double zero = x + jali_scale_share(s, 0) * width,
           end = x + jali_scale_share(s, m.value) * width;
    jali_svg_rect(out, which == 0 ? "bar" : "ghost", fmin(zero, end), y, fabs(end - zero), 13);
    jali_svg_whisker(out, x + jali_scale_share(s, m.low) * width, y + 6.5,
                     x + jali_scale_share(s, m.high) * width, y + 6.5);
}

static double draw_lying(const jali_chart *c, double top, jali_text *out)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_scale s = jali_chart_y_scale(c, 5);
    double left = fmin(widest_name(c), 240) + 14, width = JALI_SVG_WIDTH - left - 16;
    double bottom = top + 20 + ROW * (double)c->word.n;
    char text[JALI_MARK_TEXT];
    jali_svg_text(out, "s", 0, top + 8, left - 8, jali_axis_text(&c->x, &arena));
    jali_svg_text(out, "s", left, top + 8, 0, jali_axis_text(&c->y, &arena));
    top += 20;
    for (double k = ceil(s.from / s.step - 1e-9); k * s.step <= s.to + s.step * 1e-6; k++) {
        double x = left + jali_scale_share(&s, k * s.step) * width;
        jali_svg_line(out, k == 0 ? "z" : "g", x, top, x, bottom);
        jali_svg_text(out, "s m n", x, bottom + 15, 0,
                      jali_scale_tick(text, &s, k * s.step, &c->y));
    }
    for (size_t i = 0; i < c->word.n; i++) {
        double y = top + ROW * (double)i;
        jali_svg_text(out, "", 0, y + ROW / 2.0 + 4, left - 8, jali_chart_word_at(c, i));
        lying_bar(&s, jali_chart_mark_at(c, 2 * i), 0, left, width, y + 4, out);
        lying_bar(&s, jali_chart_mark_at(c, 2 * i + 1), 1, left, width, y + 19, out);
    }
    jali_arena_clear(&arena);
    return bottom + 22;
}

double jali_svg_pairs(const jali_chart *c, double y, jali_text *out)
{
    y = draw_legend(c, y, out);
    double width = c->word.n == 0 ? 0 : (JALI_SVG_WIDTH - LEFT - 4.0) / (double)c->word.n;
    bool fits = width >= 34 && widest_name(c) * 12 / 13 <= width - 6;
    return fits ? draw_standing(c, y, out) : draw_lying(c, y, out);
}
