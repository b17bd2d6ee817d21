/* report/chart.h — pictures on a document: what is drawn, before anyone decides how.
 *
 * A builder adds a chart as it adds a table, fills it row by row and forgets it; the writers
 * draw it in a terminal, as SVG, in a page, as a Markdown table, as a Vega-Lite spec. All
 * texts are copied. Every function takes NULL for the chart (memory ended; the document
 * remembers), so that builders ask once, at the end.
 *
 *   title  states the finding ("cardiology costs most"), not the ingredients
 *   about  what a reader who cannot see the picture should know; without one, the writers
 *          say kind, axes and range in a sentence of their own
 *   note   a line under the picture: the confidence of the intervals, say
 */
#ifndef JALI_REPORT_CHART_H
#define JALI_REPORT_CHART_H

#include "report/doc.h"

/* A number with its interval. value NAN: only the interval is known. `unknown`: the noise
 * says nothing here, and no number is shown that would only be believed. */
typedef struct jali_mark {
    double value, low, high;
    bool unknown;
} jali_mark;

#define JALI_MARK(v, l, h) ((jali_mark){ .value = (v), .low = (l), .high = (h) })
#define JALI_MARK_POINT(v) ((jali_mark){ .value = (v), .low = (v), .high = (v) })
#define JALI_MARK_UNKNOWN ((jali_mark){ .unknown = true })

/* unit may be NULL. percent: values are shares (0.25), shown as 25%. whole: values are whole
 * numbers (a rank), shown without decimals. */
typedef struct jali_axis {
    const char *name, *unit;
    bool percent, whole;
} jali_axis;

typedef enum jali_chart_kind {
    JALI_CHART_ROWS,
    JALI_CHART_PAIRS,
    JALI_CHART_LINES,
    JALI_CHART_HEAT
} jali_chart_kind;

/* ---- rows: words, and beside them numbers with intervals, each track to one scale ------
 *
 * Ask: a bar for each group. Why: influence and rank of each predicate. In a terminal this
 * is a table with pictures in it, so it needs no second table. */
typedef struct jali_track {
    jali_axis axis;
    bool bar;        /* a bar from zero with whiskers; else a dot on its interval        */
    double from, to; /* the scale; equal: as wide as the marks need, zero with bars      */
} jali_track;

jali_chart *jali_doc_rows(jali_doc *doc, size_t n_words, const jali_col *words, size_t n_tracks,
                          const jali_track *tracks, const char *title, ...) JALI_PRINTF(6, 7);
/* n_words times, then jali_chart_mark n_tracks times; and again for the next row. */
void jali_chart_word(jali_chart *chart, const char *fmt, ...) JALI_PRINTF(2, 3);
void jali_chart_mark(jali_chart *chart, jali_mark mark);

/* ---- pairs: two histograms over the same values, side by side ------------------------- */

jali_chart *jali_doc_pairs(jali_doc *doc, jali_axis values, jali_axis share, const char *inside,
                           const char *elsewhere, const char *title, ...) JALI_PRINTF(6, 7);
void jali_chart_pair(jali_chart *chart, const char *value, jali_mark inside,
                     jali_mark elsewhere);

/* ---- lines: curves with bands, over numbers or over categories ------------------------- */

jali_chart *jali_doc_lines(jali_doc *doc, jali_axis x, jali_axis y, const char *title, ...)
    JALI_PRINTF(4, 5);
/* Points belong to the last series begun; their x ascends. A chart has points at numbers or
 * points at categories, not both; series over categories share one order of labels. */
void jali_chart_series(jali_chart *chart, const char *name);
void jali_chart_point(jali_chart *chart, double x, jali_mark y);
void jali_chart_category(jali_chart *chart, const char *label, jali_mark y);
/* One bar of the strip below: how many (or what share) lie between two x. Over categories
 * call it once for each, in their order; from and to are then ignored. */
void jali_chart_strip(jali_chart *chart, double from, double to, double height);
/* An upright line with a word: the number of clusters that was chosen, a mean. */
void jali_chart_upright(jali_chart *chart, double x, const char *label);

/* ---- heat: a plane of cells, dark where the value is large, with marks on it ----------- */

typedef struct jali_plane {
    jali_axis x, y, value;
    double x_from, x_to, y_from, y_to;
    size_t n_x, n_y;
    const double *cell; /* n_y rows of n_x, the lowest y first; NAN: not known. Copied. */
    const double *half; /* half-widths of their intervals; NULL: none. Copied. A cell that is
                           not larger than its own is marked: it may be nothing. */
} jali_plane;

jali_chart *jali_doc_heat(jali_doc *doc, const jali_plane *plane, const char *title, ...)
    JALI_PRINTF(3, 4);
/* A letter on the plane; `label` (NULL: none) explains it below the picture. Marks with the
 * same letter share one explanation. */
void jali_chart_place(jali_chart *chart, double x, double y, char letter, const char *label);

/* ---- for every kind --------------------------------------------------------------------- */

void jali_chart_about(jali_chart *chart, const char *fmt, ...) JALI_PRINTF(2, 3);
void jali_chart_note(jali_chart *chart, const char *fmt, ...) JALI_PRINTF(2, 3);

/* Decimals that an interval deserves: two digits of its half-width, at most nine. */
int jali_mark_digits(jali_mark mark);
/* The number and its interval in words, "25.1%", "24.0% to 26.2%"; `out` has 64 bytes. */
enum { JALI_MARK_TEXT = 64 };
char *jali_mark_value(char out[static JALI_MARK_TEXT], jali_mark mark, const jali_axis *axis);
char *jali_mark_interval(char out[static JALI_MARK_TEXT], jali_mark mark,
                         const jali_axis *axis);

#endif
