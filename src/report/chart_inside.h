/* report/chart_inside.h — a chart as its writers see it. */
#ifndef JALI_REPORT_CHART_INSIDE_H
#define JALI_REPORT_CHART_INSIDE_H

#include "base/text.h"
#include "report/chart.h"

/* A list in an arena that grows by doubling. */
typedef struct jali_run {
    void *at;
    size_t n, room;
} jali_run;

typedef struct jali_dot {
    double x;
    jali_mark y;
} jali_dot;

typedef struct jali_series {
    const char *name;
    jali_run dots; /* jali_dot; over categories x is the number of the category */
} jali_series;

typedef struct jali_bin {
    double from, to, height;
} jali_bin;

typedef struct jali_place {
    double x, y;
    char letter;
    const char *label; /* NULL: told by another mark of the letter, or not at all */
} jali_place;

typedef struct jali_upright {
    double x;
    const char *label;
} jali_upright;

struct jali_chart {
    jali_doc *doc;
    jali_chart_kind kind;
    const char *title, *about, *note;
    size_t n_words, n_tracks;
    const jali_col *words;
    const jali_track *tracks;
    jali_axis x, y; /* lines, heat; pairs: the values and the share  */
    jali_plane plane;
    const char *inside, *elsewhere;
    jali_run word;   /* const char *: rows' words; pairs' and lines' categories */
    jali_run mark;   /* jali_mark: rows' marks; pairs' two by two */
    jali_run series; /* jali_series  */
    jali_run strip;  /* jali_bin     */
    jali_run upright;
    jali_run place;
};

static inline const char *jali_chart_word_at(const jali_chart *c, size_t i)
{
    return ((const char *const *)c->word.at)[i];
}

static inline jali_mark jali_chart_mark_at(const jali_chart *c, size_t i)
{
    return ((const jali_mark *)c->mark.at)[i];
}

static inline const jali_series *jali_chart_series_at(const jali_chart *c, size_t i)
{
    return (const jali_series *)c->series.at + i;
}

static inline const jali_dot *jali_series_dot(const jali_series *s, size_t i)
{
    return (const jali_dot *)s->dots.at + i;
}

static inline const jali_bin *jali_chart_bin_at(const jali_chart *c, size_t i)
{
    return (const jali_bin *)c->strip.at + i;
}

static inline const jali_upright *jali_chart_upright_at(const jali_chart *c, size_t i)
{
    return (const jali_upright *)c->upright.at + i;
}

static inline const jali_place *jali_chart_place_at(const jali_chart *c, size_t i)
{
    return (const jali_place *)c->place.at + i;
}

/* Whole rows of a rows chart; values of a pairs chart. */
size_t jali_chart_rows(const jali_chart *c);
/* Are the points of a lines chart at categories? */
bool jali_chart_over_categories(const jali_chart *c);

/* A scale from `from` to `to`, never empty; ticks at round numbers, `step` apart. */
typedef struct jali_scale {
    double from, to, step;
    int digits; /* of a tick's text */
} jali_scale;

/* Grows to the nearest round numbers when `round`; about `ticks` of them. */
jali_scale jali_scale_of(double from, double to, size_t ticks, bool round);
double jali_scale_share(const jali_scale *s, double value); /* 0 at from, 1 at to; not cut */
char *jali_scale_tick(char out[static JALI_MARK_TEXT], const jali_scale *s, double value,
                      const jali_axis *axis);

/* The scale of a rows chart's track, of a pairs chart's shares, of a lines chart's axes. */
jali_scale jali_chart_track_scale(const jali_chart *c, size_t track, size_t ticks);
jali_scale jali_chart_x_scale(const jali_chart *c, size_t ticks);
jali_scale jali_chart_y_scale(const jali_chart *c, size_t ticks);
/* Least and largest known cell of a heat chart. */
void jali_chart_heat_range(const jali_chart *c, double *low, double *high);
/* May this cell be nothing, by its interval? How many may. */
bool jali_chart_heat_unsure(const jali_chart *c, size_t i);
size_t jali_chart_heat_doubts(const jali_chart *c);
/* What the mark of such cells says beside the picture. */
#define JALI_HEAT_UNSURE "within its error of nothing"

/* "AVG(cost) (EUR)". */
const char *jali_axis_text(const jali_axis *axis, jali_arena *arena);

/* What a reader who cannot see the chart hears: `about`, or a sentence made of the chart. */
const char *jali_chart_aloud(const jali_chart *c, jali_arena *arena);

/* The numbers of a chart as a table piece, whose texts live in the arena; with a picture of
 * `picture` columns beside each track (0: none). False: there is nothing to tabulate, or
 * (*failed) memory ended. */
bool jali_chart_table(const jali_chart *c, size_t picture, jali_arena *arena, jali_piece *out,
                      bool *failed);

/* Two histograms as rows of two tracks with one scale. */
bool jali_chart_pairs_as_rows(const jali_chart *c, jali_arena *arena, jali_chart *out);

/* ---- the writers */
void jali_chart_plain(const jali_chart *c, const jali_style *style, jali_text *out);

#endif
