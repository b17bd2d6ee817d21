/* report/scale.c — scales with round ticks, and numbers with the digits they deserve. */
#include "base/banned.h"
#include "report/chart_inside.h"
#include <math.h>

enum { MOST_DIGITS = 9 };

static int digits_for(double size)
{
    int n = 1 - (int)floor(log10(size) + 1e-9);
    return n < 0 ? 0 : n > MOST_DIGITS ? MOST_DIGITS : n;
}

int jali_mark_digits(jali_mark m)
{
    double half = (m.high - m.low) / 2;
    if (half > 0 && isfinite(half)) return digits_for(half);
    if (m.value == floor(m.value)) return 0; /* 0.5 is not "0 to 0" */
    return MOST_DIGITS;
}

static double shown(double value, const jali_axis *axis)
{
    return axis->percent ? 100 * value : value;
}

/* In the unit it is shown in: 0.251 of a share has other decimals than 25.1%. */
static jali_mark as_shown(jali_mark m, const jali_axis *axis)
{
    return (jali_mark){ shown(m.value, axis), shown(m.low, axis), shown(m.high, axis),
                        m.unknown };
}

static int digits_shown(jali_mark m, const jali_axis *axis)
{
    return axis->whole ? 0 : jali_mark_digits(m);
}

char *jali_mark_value(char out[static JALI_MARK_TEXT], jali_mark mark, const jali_axis *axis)
{
    jali_mark m = as_shown(mark, axis);
    if (m.unknown || isnan(m.value))
        snprintf(out, JALI_MARK_TEXT, "%s", m.unknown ? "?" : "");
    else
        snprintf(out, JALI_MARK_TEXT, "%.*f%s", digits_shown(m, axis), m.value,
                 axis->percent ? "%" : "");
    return out;
}

char *jali_mark_interval(char out[static JALI_MARK_TEXT], jali_mark mark, const jali_axis *axis)
{
    jali_mark m = as_shown(mark, axis);
    const char *sign = axis->percent ? "%" : "";
    int n = digits_shown(m, axis);
    if (m.unknown)
        snprintf(out, JALI_MARK_TEXT, "too few to tell");
    else if (m.low == m.high)
        out[0] = '\0';
    else
        snprintf(out, JALI_MARK_TEXT, "%.*f%s to %.*f%s", n, m.low, sign, n, m.high, sign);
    return out;
}

/* 1, 2 or 5 times a power of ten. */
static double round_step(double rough)
{
    const double near = 1.01; /* a range a little above 100 is still cut by twenties */
    double power = pow(10, floor(log10(rough))), part = rough / power / near;
    return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

jali_scale jali_scale_of(double from, double to, size_t ticks, bool round)
{
    if (!(from < to)) {
        double pad = from == 0 || !isfinite(from) ? 1 : fabs(from) / 2;
        if (!isfinite(from)) from = 0;
        to = from + pad;
        if (from != 0) from -= pad;
    }
    jali_scale s = { from, to, round_step((to - from) / (double)(ticks < 2 ? 2 : ticks)), 0 };
    if (round) {
        s.from = s.step * floor(from / s.step + 1e-9);
        s.to = s.step * ceil(to / s.step - 1e-9);
    }
    int n = -(int)floor(log10(s.step) + 1e-9);
    s.digits = n < 0 ? 0 : n > MOST_DIGITS ? MOST_DIGITS : n;
    return s;
}

double jali_scale_share(const jali_scale *s, double value)
{
    return (value - s->from) / (s->to - s->from);
}

char *jali_scale_tick(char out[static JALI_MARK_TEXT], const jali_scale *s, double value,
                      const jali_axis *axis)
{
    int digits = s->digits;
    if (axis->percent) digits = digits < 2 ? 0 : digits - 2;
    double number = shown(value, axis);
    if (fabs(number) <= 0.5 * pow(10, -digits)) number = 0; /* no "-0" */
    snprintf(out, JALI_MARK_TEXT, "%.*f%s", digits, number, axis->percent ? "%" : "");
    return out;
}

static void widen(jali_mark m, double *low, double *high)
{
    if (m.unknown) return;
    double ends[] = { m.value, m.low, m.high };
    for (size_t i = 0; i < 3; i++) {
        if (!isfinite(ends[i])) continue;
        if (!(ends[i] >= *low)) *low = ends[i];
        if (!(ends[i] <= *high)) *high = ends[i];
    }
}

jali_scale jali_chart_track_scale(const jali_chart *c, size_t track, size_t ticks)
{
    const jali_track *t = &c->tracks[track];
    if (t->from < t->to) return jali_scale_of(t->from, t->to, ticks, false);
    double low = NAN, high = NAN;
    if (t->bar) low = high = 0;
    for (size_t i = 0; i < jali_chart_rows(c); i++)
        widen(jali_chart_mark_at(c, i * c->n_tracks + track), &low, &high);
    double air = (high - low) * 0.04; /* a whisker at the edge looks cut off */
    return jali_scale_of(low < 0 || !t->bar ? low - air : low,
                         high > 0 || !t->bar ? high + air : high, ticks, false);
}

jali_scale jali_chart_x_scale(const jali_chart *c, size_t ticks)
{
    double low = NAN, high = NAN;
    if (c->kind == JALI_CHART_HEAT)
        return jali_scale_of(c->plane.x_from, c->plane.x_to, ticks, false);
    if (jali_chart_over_categories(c))
        return jali_scale_of(-0.5, (double)c->word.n - 0.5, ticks, false);
    for (size_t i = 0; i < c->series.n; i++) {
        const jali_series *s = jali_chart_series_at(c, i);
        for (size_t k = 0; k < s->dots.n; k++)
            widen(JALI_MARK_POINT(jali_series_dot(s, k)->x), &low, &high);
    }
    for (size_t i = 0; i < c->strip.n; i++) {
        const jali_bin *b = jali_chart_bin_at(c, i);
        widen(JALI_MARK(b->from, b->from, b->to), &low, &high);
    }
    for (size_t i = 0; i < c->upright.n; i++)
        widen(JALI_MARK_POINT(jali_chart_upright_at(c, i)->x), &low, &high);
    return jali_scale_of(low, high, ticks, false);
}

jali_scale jali_chart_y_scale(const jali_chart *c, size_t ticks)
{
    double low = NAN, high = NAN;
    if (c->kind == JALI_CHART_HEAT)
        return jali_scale_of(c->plane.y_from, c->plane.y_to, ticks, false);
    if (c->kind == JALI_CHART_PAIRS) {
        low = high = 0;
        for (size_t i = 0; i < c->mark.n; i++) widen(jali_chart_mark_at(c, i), &low, &high);
    }
    for (size_t i = 0; i < c->series.n; i++) {
        const jali_series *s = jali_chart_series_at(c, i);
        for (size_t k = 0; k < s->dots.n; k++) widen(jali_series_dot(s, k)->y, &low, &high);
    }
    return jali_scale_of(low, high, ticks, true);
}

void jali_chart_heat_range(const jali_chart *c, double *low, double *high)
{
    *low = *high = NAN;
    for (size_t i = 0; i < c->plane.n_x * c->plane.n_y; i++)
        widen(JALI_MARK_POINT(c->plane.cell[i]), low, high);
    if (isnan(*low)) *low = *high = 0;
}

bool jali_chart_heat_unsure(const jali_chart *c, size_t i)
{
    return c->plane.half != NULL && c->plane.cell[i] <= c->plane.half[i];
}

size_t jali_chart_heat_doubts(const jali_chart *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->plane.n_x * c->plane.n_y; i++) n += jali_chart_heat_unsure(c, i);
    return n;
}

const char *jali_axis_text(const jali_axis *axis, jali_arena *arena)
{
    const char *text = axis->unit == NULL || axis->unit[0] == '\0'
                           ? axis->name
                           : jali_arena_format(arena, "%s (%s)", axis->name, axis->unit);
    return text == NULL ? "" : text;
}
