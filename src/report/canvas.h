/* report/canvas.h — curves and planes drawn with characters. */
#ifndef JALI_REPORT_CANVAS_H
#define JALI_REPORT_CANVAS_H

#include "report/chart_inside.h"

void jali_canvas_lines(const jali_chart *c, const jali_style *style, jali_text *out);
void jali_canvas_heat(const jali_chart *c, const jali_style *style, jali_text *out);

#endif
