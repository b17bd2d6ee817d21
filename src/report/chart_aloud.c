/* report/chart_aloud.c — a chart for who cannot see it. */
#include "base/banned.h"
#include "report/chart_inside.h"
#include <math.h>

enum { TOLD = 6 }; /* more numbers are not listened to; the table has them all */

static void tell_mark(jali_text *t, jali_mark m, const jali_axis *axis)
{
    char value[JALI_MARK_TEXT], interval[JALI_MARK_TEXT];
    jali_mark_value(value, m, axis);
    jali_mark_interval(interval, m, axis);
    if (m.unknown)
        jali_text_add(t, interval);
    else if (interval[0] == '\0')
        jali_text_add(t, value);
    else if (value[0] == '\0')
        jali_text_add(t, interval);
    else
        jali_text_format(t, "%s (%s)", value, interval);
}

static void tell_rows(const jali_chart *c, jali_text *t, jali_arena *arena)
{
    size_t rows = jali_chart_rows(c);
    jali_text_format(t, "%zu rows", rows);
    for (size_t i = 0; i < c->n_tracks; i++)
        jali_text_format(t, "%s %s", i == 0 ? " with" : " and",
                         jali_axis_text(&c->tracks[i].axis, arena));
    for (size_t r = 0; r < rows && r < TOLD; r++) {
        jali_text_add(t, r == 0 ? ": " : "; ");
        for (size_t i = 0; i < c->n_words; i++)
            jali_text_format(t, "%s ", jali_chart_word_at(c, r * c->n_words + i));
        for (size_t i = 0; i < c->n_tracks; i++) {
            if (i > 0) jali_text_add(t, ", ");
            tell_mark(t, jali_chart_mark_at(c, r * c->n_tracks + i), &c->tracks[i].axis);
        }
    }
    if (rows > TOLD) jali_text_format(t, "; and %zu more", rows - TOLD);
}

static void tell_pairs(const jali_chart *c, jali_text *t, jali_arena *arena)
{
    jali_text_format(t, "Two histograms of %s: %s and %s, as %s", jali_axis_text(&c->x, arena),
                     c->inside, c->elsewhere, c->y.name);
    for (size_t i = 0; i < c->word.n && i < TOLD; i++) {
        jali_text_format(t, "; %s: ", jali_chart_word_at(c, i));
        tell_mark(t, jali_chart_mark_at(c, 2 * i), &c->y);
        jali_text_add(t, " against ");
        tell_mark(t, jali_chart_mark_at(c, 2 * i + 1), &c->y);
    }
    if (c->word.n > TOLD) jali_text_format(t, "; and %zu more", c->word.n - TOLD);
}

static void tell_curve(const jali_chart *c, const jali_series *s, jali_text *t)
{
    jali_text_format(t, "; %s: %zu points", s->name, s->dots.n);
    for (size_t k = 0; k < 2 && s->dots.n > 0; k++) {
        const jali_dot *d = jali_series_dot(s, k == 0 ? 0 : s->dots.n - 1);
        jali_text_add(t, k == 0 ? ", from " : " to ");
        tell_mark(t, d->y, &c->y);
        if (jali_chart_over_categories(c))
            jali_text_format(t, " at %s", jali_chart_word_at(c, (size_t)d->x));
        else
            jali_text_format(t, " at %.6g", d->x);
    }
}

static void tell_heat(const jali_chart *c, jali_text *t, jali_arena *arena)
{
    double low, high;
    jali_chart_heat_range(c, &low, &high);
    jali_text_format(t, "%s over %s and %s, %zu by %zu cells, from %.4g to %.4g",
                     jali_axis_text(&c->plane.value, arena), jali_axis_text(&c->x, arena),
                     jali_axis_text(&c->y, arena), c->plane.n_x, c->plane.n_y, low, high);
    if (jali_chart_heat_doubts(c) > 0)
        jali_text_format(t, "; %zu cells are within their error of nothing",
                         jali_chart_heat_doubts(c));
    for (size_t i = 0; i < c->place.n && i < TOLD; i++) {
        const jali_place *p = jali_chart_place_at(c, i);
        jali_text_format(t, "; %c%s%s at %.4g, %.4g", p->letter, p->label == NULL ? "" : ", ",
                         p->label == NULL ? "" : p->label, p->x, p->y);
    }
}

const char *jali_chart_aloud(const jali_chart *c, jali_arena *arena)
{
    if (c->about != NULL) return c->about;
    jali_text t = { 0 };
    if (c->kind == JALI_CHART_ROWS) {
        tell_rows(c, &t, arena);
    } else if (c->kind == JALI_CHART_PAIRS) {
        tell_pairs(c, &t, arena);
    } else if (c->kind == JALI_CHART_LINES) {
        jali_text_format(&t, "%s over %s", jali_axis_text(&c->y, arena),
                         jali_axis_text(&c->x, arena));
        for (size_t i = 0; i < c->series.n; i++) tell_curve(c, jali_chart_series_at(c, i), &t);
    } else {
        tell_heat(c, &t, arena);
    }
    jali_text_add(&t, ".");
    const char *copy = t.failed ? NULL : jali_arena_text(arena, t.at);
    jali_text_clear(&t);
    return copy == NULL ? c->title : copy;
}
