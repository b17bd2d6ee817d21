/* report/svg_rows.c — rows of words with bars or intervals beside them. */
#include "base/banned.h"
#include "report/svg.h"
#include <math.h>

enum { ROW = 26, GAP = 14, LEAST_TRACK = 110 };

typedef struct column {
    double x, width;
} column;

static double widest_word(const jali_chart *c, size_t word)
{
    double widest = jali_svg_width(c->words[word].name);
    for (size_t r = 0; r < jali_chart_rows(c); r++)
        widest = fmax(widest, jali_svg_width(jali_chart_word_at(c, r * c->n_words + word)));
    return widest;
}

static double widest_value(const jali_chart *c, size_t track)
{
    char text[JALI_MARK_TEXT];
    double widest = 0;
    for (size_t r = 0; r < jali_chart_rows(c); r++) {
        jali_mark m = jali_chart_mark_at(c, r * c->n_tracks + track);
        widest = fmax(widest, jali_svg_width(jali_mark_value(text, m, &c->tracks[track].axis)));
    }
    return widest;
}

/* Words get what they need up to a share of the page; the tracks share the rest. */
static double place_words(const jali_chart *c, column *at)
{
    double least = (double)c->n_tracks * (LEAST_TRACK + 2 * GAP), want = 0, x = 0;
    double room = fmax(JALI_SVG_WIDTH - least - 60.0 * (double)c->n_tracks, 160);
    for (size_t i = 0; i < c->n_words; i++) want += widest_word(c, i) + GAP;
    for (size_t i = 0; i < c->n_words; i++) {
        double own = widest_word(c, i);
        at[i] = (column){ x, want > room ? own * room / want : own };
        x += at[i].width + GAP;
    }
    return x;
}

static void draw_words(const jali_chart *c, const column *at, double y, jali_text *out)
{
    for (size_t i = 0; i < c->n_words; i++) {
        double x = c->words[i].right ? at[i].x + at[i].width : at[i].x;
        jali_svg_text(out, c->words[i].right ? "s e" : "s", x, y - 10, at[i].width + 4,
                      c->words[i].name);
        for (size_t r = 0; r < jali_chart_rows(c); r++)
            jali_svg_text(out, c->words[i].right ? "e n" : "", x, y + ROW * ((double)r + 0.67),
                          at[i].width + 4, jali_chart_word_at(c, r * c->n_words + i));
    }
}

static double at_x(const jali_scale *s, const column *track, double value)
{
    return track->x + fmin(fmax(jali_scale_share(s, value), 0), 1) * track->width;
}

static void draw_grid(const jali_track *t, const jali_scale *s, const column *track, double y,
                      double bottom, jali_text *out)
{
    char text[JALI_MARK_TEXT];
    for (double k = ceil(s->from / s->step - 1e-9); k * s->step <= s->to + s->step * 1e-6;
         k++) {
        double v = k * s->step, x = at_x(s, track, v);
        jali_svg_line(out, fabs(v) < s->step * 1e-6 ? "z" : "g", x, y, x, bottom);
        jali_svg_text(out, "s m n", x, bottom + 15, 0, jali_scale_tick(text, s, v, &t->axis));
    }
}

static void draw_mark(const jali_track *t, const jali_scale *s, const column *track,
                      jali_mark m, double y, jali_text *out)
{
    double low = at_x(s, track, m.low), high = at_x(s, track, m.high);
    if (m.unknown) {
        jali_svg_text(out, "s i", track->x + 6, y + 4, 0, "too few to tell");
        return;
    }
    if (t->bar && !isnan(m.value)) {
        double zero = at_x(s, track, 0), end = at_x(s, track, m.value);
        jali_svg_rect(out, "bar", fmin(zero, end), y - 8, fabs(end - zero), 16);
    }
    jali_svg_whisker(out, low, y, high, y);
    if (!t->bar && !isnan(m.value)) jali_svg_bead(out, 0, at_x(s, track, m.value), y);
}

static void draw_track(const jali_chart *c, size_t i, column track, double value_x, double y,
                       jali_text *out)
{
    const jali_track *t = &c->tracks[i];
    size_t ticks = track.width < 180 ? 3 : 5;
    jali_scale s = jali_chart_track_scale(c, i, ticks);
    double bottom = y + ROW * (double)jali_chart_rows(c);
    jali_arena arena = JALI_ARENA_INIT;
    char text[JALI_MARK_TEXT];
    jali_svg_text(out, "s", track.x, y - 10, value_x - track.x,
                  jali_axis_text(&t->axis, &arena));
    draw_grid(t, &s, &track, y, bottom, out);
    for (size_t r = 0; r < jali_chart_rows(c); r++) {
        jali_mark m = jali_chart_mark_at(c, r * c->n_tracks + i);
        double middle = y + ROW * ((double)r + 0.5);
        draw_mark(t, &s, &track, m, middle, out);
        if (!m.unknown && !isnan(m.value))
            jali_svg_text(out, "e n", value_x, middle + 4.5, 0,
                          jali_mark_value(text, m, &t->axis));
    }
    jali_arena_clear(&arena);
}

double jali_svg_rows(const jali_chart *c, double y, jali_text *out)
{
    column *at = calloc(c->n_words + 1, sizeof *at);
    if (at == NULL) {
        out->failed = true;
        return y;
    }
    double x = place_words(c, at), numbers = 0;
    y += 26; /* the names of the columns */
    draw_words(c, at, y, out);
    free(at);
    for (size_t i = 0; i < c->n_tracks; i++) numbers += widest_value(c, i);
    double each = (JALI_SVG_WIDTH - x - numbers) / (double)(c->n_tracks ? c->n_tracks : 1);
    for (size_t i = 0; i < c->n_tracks; i++) {
        double wide = widest_value(c, i);
        column track = { x + 8, fmax(each - 2 * GAP - 8, 60) };
        draw_track(c, i, track, track.x + track.width + GAP + wide, y, out);
        x += each + wide;
    }
    return y + ROW * (double)jali_chart_rows(c) + 22;
}
