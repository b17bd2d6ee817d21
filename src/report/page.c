/* report/page.c — a document as one self-contained page: no script, no network.
 *
 * Every text is escaped here and nowhere else. Colours come in a light and a dark form,
 * and never carry a meaning alone.
 */
#include "report/render.h"
#include "report/svg.h"

static const char style_sheet[] =
    "body{font:16px/1.55 system-ui,-apple-system,\"Segoe UI\",\"DejaVu Sans\",sans-serif;"
    "color:var(--ink);background:var(--paper);max-width:56rem;margin:2rem auto;padding:0 1rem}"
    "h1{font-size:1.5rem;line-height:1.25}h2{font-size:1.2rem;margin-top:2.5rem}"
    "a{color:var(--a)}a:focus-visible,[tabindex]:focus-visible,summary:focus-visible"
    "{outline:3px solid var(--b);outline-offset:2px}"
    "table{border-collapse:collapse;margin:.6rem 0;font-size:.94rem}"
    "th{color:var(--dim);font-weight:500}"
    "th,td{text-align:left;padding:.25rem .8rem;border-bottom:1px solid var(--line);"
    "vertical-align:top}.n{text-align:right;font-variant-numeric:tabular-nums}"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem}dt{color:var(--dim)}"
    "dd{margin:0}.meter{display:inline-block;width:12rem;height:.8rem;border:1px solid var(--a);"
    "margin-right:.6rem}.meter i{display:block;height:100%;background:var(--a)}"
    ".wide{overflow-x:auto}figure{margin:1.2rem 0;break-inside:avoid}"
    "figure svg{width:100%;height:auto;display:block}"
    "details{margin:.3rem 0 1rem}summary{color:var(--dim);cursor:pointer;font-size:.94rem}"
    "@media print{body{margin:0;max-width:none}h2{break-after:avoid}"
    "tr,dl{break-inside:avoid}}\n";

void jali_render_escaped(jali_text *out, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        switch (text[i]) {
        case '&':
            jali_text_add(out, "&amp;");
            break;
        case '<':
            jali_text_add(out, "&lt;");
            break;
        case '>':
            jali_text_add(out, "&gt;");
            break;
        case '"':
            jali_text_add(out, "&quot;");
            break;
        default:
            jali_text_add_n(out, &text[i], 1);
        }
    }
}

static void escaped(jali_text *out, const char *text)
{
    jali_render_escaped(out, text, strlen(text));
}

static void element(jali_text *out, const char *tag, const char *text)
{
    jali_text_format(out, "<%s>", tag);
    escaped(out, text);
    jali_text_format(out, "</%s>\n", tag);
}

static void cells(jali_text *out, const jali_piece *b, const char *const *cell, const char *tag)
{
    jali_text_add(out, "<tr>");
    for (size_t i = 0; i < b->n_cols; i++) {
        jali_text_format(out, "<%s%s%s>", tag, tag[1] == 'h' ? " scope=\"col\"" : "",
                         b->cols[i].right ? " class=\"n\"" : "");
        escaped(out, cell == NULL ? b->cols[i].name : cell[i]);
        jali_text_format(out, "</%s>", tag);
    }
    jali_text_add(out, "</tr>\n");
}

static void table(jali_text *out, const jali_piece *b)
{
    jali_text_add(out, "<div class=\"wide\" tabindex=\"0\"><table>\n");
    cells(out, b, NULL, "th");
    for (size_t i = 0; i + b->n_cols <= b->n_cells; i += b->n_cols)
        cells(out, b, b->cell + i, "td");
    jali_text_add(out, "</table></div>\n");
}

/* The picture, and its numbers folded away below it. */
static void chart(jali_text *out, const jali_chart *c, size_t *charts)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_piece numbers;
    char id[32];
    snprintf(id, sizeof id, "c%zu", ++*charts);
    jali_text_add(out, "<figure>\n");
    jali_svg_chart(c, id, out);
    if (jali_chart_table(c, 0, &arena, &numbers, &out->failed)) {
        jali_text_add(out, "<details><summary>the numbers</summary>\n");
        table(out, &numbers);
        jali_text_add(out, "</details>\n");
    }
    jali_text_add(out, "</figure>\n");
    jali_arena_clear(&arena);
}

static const jali_piece *facts(jali_text *out, const jali_piece *b)
{
    jali_text_add(out, "<dl>\n");
    for (; b != NULL && (b->kind == JALI_PIECE_FACT || b->kind == JALI_PIECE_METER);
         b = b->next) {
        element(out, "dt", b->label);
        jali_text_add(out, "<dd>");
        if (b->kind == JALI_PIECE_METER)
            jali_text_format(out,
                             "<span class=\"meter\" aria-hidden=\"true\">"
                             "<i style=\"width:%.1f%%\"></i></span>",
                             100 * b->share);
        escaped(out, b->text);
        jali_text_add(out, "</dd>\n");
    }
    jali_text_add(out, "</dl>\n");
    return b;
}

static const char *title_of(const jali_doc *doc)
{
    for (const jali_piece *b = doc->first; b != NULL; b = b->next)
        if (b->kind == JALI_PIECE_HEADING) return b->text;
    return "jali";
}

void jali_render_html(const jali_doc *doc, jali_text *out)
{
    jali_text_add(out, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width\">\n");
    element(out, "title", title_of(doc));
    jali_text_format(out, "<style>%s%s%s</style></head>\n<body><main>\n", jali_svg_colors,
                     jali_svg_style, style_sheet);
    const char *heading = "h1";
    size_t charts = 0;
    for (const jali_piece *b = doc->first; b != NULL;) {
        if (b->kind == JALI_PIECE_FACT || b->kind == JALI_PIECE_METER) {
            b = facts(out, b);
            continue;
        }
        if (b->kind == JALI_PIECE_HEADING) {
            element(out, heading, b->text);
            heading = "h2";
        } else if (b->kind == JALI_PIECE_SAY) {
            element(out, "p", b->text);
        } else if (b->kind == JALI_PIECE_TABLE) {
            table(out, b);
        } else {
            chart(out, b->chart, &charts);
        }
        b = b->next;
    }
    jali_text_add(out, "</main></body></html>\n");
}
