/* report/svg.h — the pen with which charts are drawn as SVG.
 *
 * Shapes carry classes and no colours: the style sheet gives them a light, a dark and a
 * printed form. What a colour says is also said by a shape, a dash or a place, so that a
 * grey copy can be read. Lengths are pixels of a page 720 wide.
 */
#ifndef JALI_REPORT_SVG_H
#define JALI_REPORT_SVG_H

#include "report/chart_inside.h"

enum { JALI_SVG_WIDTH = 720, JALI_SVG_SERIES = 4 };

extern const char jali_svg_style[]; /* rules, without the colours */
extern const char jali_svg_colors[];

void jali_svg_line(jali_text *out, const char *class, double x1, double y1, double x2,
                   double y2);
void jali_svg_rect(jali_text *out, const char *class, double x, double y, double w, double h);
/* Cut with a mark (and told whole on hovering) when it needs more than `room`; 0: never. */
void jali_svg_text(jali_text *out, const char *class, double x, double y, double room,
                   const char *text);
/* The sign of a series: circle, diamond, triangle, square. */
void jali_svg_bead(jali_text *out, size_t series, double x, double y);
/* A whisker with its caps, upright or lying. */
void jali_svg_whisker(jali_text *out, double x1, double y1, double x2, double y2);
double jali_svg_width(const char *text); /* of 13 pixel type, roughly */
/* Broken at spaces into lines of `room`, `line` apart; returns the y below the last. `size` is
 * that of the type, over 13 pixels. */
double jali_svg_wrapped(jali_text *out, const char *class, double x, double y, double room,
                        double size, double line, const char *text);

/* Draws the body of a chart below y and returns where it ends. */
double jali_svg_rows(const jali_chart *c, double y, jali_text *out);
double jali_svg_pairs(const jali_chart *c, double y, jali_text *out);
double jali_svg_lines(const jali_chart *c, double y, jali_text *out);
double jali_svg_heat(const jali_chart *c, double y, jali_text *out);

/* One chart as an <svg> for a page that has the style sheet; `id` is unique on the page. */
void jali_svg_chart(const jali_chart *c, const char *id, jali_text *out);

#endif
