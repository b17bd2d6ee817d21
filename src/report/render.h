/* report/render.h — from the document model to bytes, one writer a format. */
#ifndef JALI_REPORT_RENDER_H
#define JALI_REPORT_RENDER_H

#include "base/text.h"
#include "report/doc.h"

void jali_render_plain(const jali_doc *doc, const jali_style *style, jali_text *out);
/* Parts of the terminal's writer that charts use, too. */
void jali_render_table(jali_text *out, const jali_style *style, const jali_piece *table);
/* A label in a column of `labels`, and what it says beside or below it. */
void jali_render_fact(jali_text *out, const jali_style *style, size_t labels, const char *label,
                      const char *text);
void jali_render_title(jali_text *out, const jali_style *style, const char *text);
void jali_render_wrapped(jali_text *out, const jali_style *style, const char *text);
void jali_render_styled(jali_text *out, const jali_style *style, const char *code,
                        const char *text);
void jali_render_markdown(const jali_doc *doc, jali_text *out);
void jali_render_html(const jali_doc *doc, jali_text *out);

void jali_render_escaped(jali_text *out, const char *text, size_t n); /* for XML and HTML */
void jali_render_svg(const jali_doc *doc, jali_text *out);            /* its charts, stacked */
void jali_render_vega(const jali_doc *doc, jali_text *out); /* the same as Vega-Lite */

/* Rows are the member "rows" of the JSON; without one, the whole value is the only row. */
void jali_render_csv(const jali_doc *doc, jali_text *out);
void jali_render_ndjson(const jali_doc *doc, jali_text *out);
void jali_render_blocks(const jali_doc *doc, jali_text *out);
void jali_render_json(const jali_doc *doc, jali_text *out);

#endif
