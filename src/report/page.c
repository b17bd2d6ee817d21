/* report/page.c — a document as one self-contained page: no script, no network.
 *
 * Every text is escaped here and nowhere else. Colours come in a light and a dark form,
 * and never carry a meaning alone.
 */
#include "report/render.h"
#include "report/svg.h"

enum { LONG_TABLE = 12, SHORT_CELL = 24 }; /* rows; bytes that stay on one line */

static const char style_sheet[] =
    "body{font:16px/1.55 system-ui,-apple-system,\"Segoe UI\",\"DejaVu Sans\",sans-serif;"
    "color:var(--ink);background:var(--paper);max-width:56rem;margin:2rem auto;padding:0 1rem}"
    "h1{font-size:1.6rem;line-height:1.25}h2{font-size:1.25rem;margin-top:2.6rem}"
    "h3{font-size:1.05rem;margin-top:2.2rem}h1,h2,h3{overflow-wrap:anywhere}"
    "nav{display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;padding:.6rem 0;font-size:.94rem;"
    "border-bottom:1px solid var(--line)}"
    ".skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:.3rem;background:var(--paper)}"
    "a{color:var(--a)}a:focus-visible,[tabindex]:focus-visible,summary:focus-visible"
    "{outline:3px solid var(--b);outline-offset:2px}"
    "table{border-collapse:collapse;margin:.6rem 0;font-size:.94rem}"
    "th{color:var(--dim);font-weight:500}"
    "th,td{text-align:left;padding:.25rem .8rem;border-bottom:1px solid var(--line);"
    "vertical-align:top}td.n,td.brief{white-space:nowrap}td:not(.n):not(.brief){min-width:14rem}"
    ".n{text-align:right;font-variant-numeric:tabular-nums}"
    "dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.2rem 1rem}dt{color:var(--dim)}"
    "dd{margin:0}dd,p,li{overflow-wrap:anywhere}"
    ".meter{display:inline-block;width:12rem;height:.8rem;border:1px solid var(--a);"
    "margin-right:.6rem}.meter i{display:block;height:100%;background:var(--a)}"
    ".wide{overflow-x:auto}figure{margin:1.2rem 0}"
    "figcaption{font-weight:600;font-size:1.05rem;margin-bottom:.3rem;overflow-wrap:anywhere}"
    "figure svg{width:100%;min-width:34rem;height:auto;display:block}"
    ".note{color:var(--dim);font-size:.94rem;margin:.2rem 0}"
    "details{margin:.3rem 0 1rem}summary{color:var(--dim);cursor:pointer;font-size:.94rem}"
    "@media print{body{margin:0;max-width:none}h2,h3{break-after:avoid}nav,.skip{display:none}"
    "table{font-size:.82rem}th,td{padding:.15rem .5rem}.again{display:none}"
    "td:not(.n):not(.brief){min-width:0}summary{break-after:avoid}"
    "figcaption{break-after:avoid;break-inside:avoid}figure .wide:has(svg){break-inside:avoid;overflow:visible}"
    "figure svg{min-width:0;width:auto;max-width:100%;max-height:8.5cm}"
    "tr,dl{break-inside:avoid}details::details-content{content-visibility:visible;"
    "block-size:auto}}\n";

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
        const char *text = cell == NULL ? b->cols[i].name : cell[i];
        const char *own = text[0] == '\0' ? "td" : tag; /* a heading that is not there */
        bool brief = own[1] == 'd' && strlen(text) <= SHORT_CELL;
        jali_text_format(out, "<%s%s%s>", own, own[1] == 'h' ? " scope=\"col\"" : "",
                         b->cols[i].right ? " class=\"n\""
                         : brief          ? " class=\"brief\""
                                          : "");
        escaped(out, text);
        jali_text_format(out, "</%s>", own);
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

/* A long table below its own picture is folded away, like a picture's numbers. */
static void folded(jali_text *out, const jali_piece *b)
{
    jali_text_add(out, "<details class=\"again\"><summary>the table</summary>\n");
    table(out, b);
    jali_text_add(out, "</details>\n");
}

/* The picture, and its numbers folded away below it. */
static void chart(jali_text *out, const jali_chart *c, size_t *charts)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_piece numbers;
    char id[32];
    snprintf(id, sizeof id, "chart%zu-", ++*charts);
    /* A narrow screen moves the picture sideways instead of making its words too small. */
    jali_text_add(out, "<figure>\n");
    if (c->title[0] != '\0') element(out, "figcaption", c->title);
    jali_text_add(out, "<div class=\"wide\" tabindex=\"0\">\n");
    jali_svg_chart(c, id, out);
    jali_text_add(out, "</div>\n");
    if (c->note != NULL) {
        jali_text_add(out, "<p class=\"note\">");
        escaped(out, c->note);
        jali_text_add(out, "</p>\n");
    }
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

static const jali_piece *links(jali_text *out, const jali_piece *b)
{
    jali_text_add(out, "<ul>\n");
    for (; b != NULL && b->kind == JALI_PIECE_LINK; b = b->next) {
        jali_text_add(out, "<li><a href=\"#");
        escaped(out, b->label);
        jali_text_add(out, "\">");
        escaped(out, b->label);
        jali_text_add(out, "</a> ");
        escaped(out, b->text);
        jali_text_add(out, "</li>\n");
    }
    jali_text_add(out, "</ul>\n");
    return b;
}

static const char *title_of(const jali_doc *doc)
{
    for (const jali_piece *b = doc->first; b != NULL; b = b->next)
        if (b->kind == JALI_PIECE_HEADING) return b->text;
    return "jali";
}

/* A long document has a table of contents, and a way past it for the keyboard. */
static void contents(jali_text *out, const jali_doc *doc)
{
    bool any = false;
    for (const jali_piece *b = doc->first; b != NULL; b = b->next) {
        if (b->kind != JALI_PIECE_CHAPTER || b->anchor == NULL) continue;
        if (!any)
            jali_text_add(out, "<a class=\"skip\" href=\"#main\">to the text</a>\n"
                               "<nav aria-label=\"contents\">\n");
        any = true;
        jali_text_add(out, "<a href=\"#");
        escaped(out, b->anchor);
        jali_text_add(out, "\">");
        escaped(out, b->text);
        jali_text_add(out, "</a>\n");
    }
    if (any) jali_text_add(out, "</nav>\n");
}

static void heading(jali_text *out, const char *tag, const jali_piece *b)
{
    jali_text_format(out, "<%s", tag);
    if (b->anchor != NULL) {
        jali_text_add(out, " id=\"");
        escaped(out, b->anchor);
        jali_text_add(out, "\"");
    }
    jali_text_add(out, ">");
    escaped(out, b->text);
    jali_text_format(out, "</%s>\n", tag);
}

/* Writes one piece, or a run of facts or links, and returns what follows. */
static const jali_piece *piece(jali_text *out, const jali_piece *b, const char *tag,
                               size_t *charts)
{
    switch (b->kind) {
    case JALI_PIECE_FACT:
    case JALI_PIECE_METER:
        return facts(out, b);
    case JALI_PIECE_LINK:
        return links(out, b);
    case JALI_PIECE_CHAPTER:
        heading(out, "h2", b);
        break;
    case JALI_PIECE_HEADING:
        heading(out, tag, b);
        break;
    case JALI_PIECE_SAY:
        element(out, "p", b->text);
        break;
    case JALI_PIECE_TABLE:
        table(out, b);
        break;
    case JALI_PIECE_CHART:
        chart(out, b->chart, charts);
    }
    return b->next;
}

void jali_render_html(const jali_doc *doc, jali_text *out)
{
    jali_text_add(out, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width\">\n");
    element(out, "title", title_of(doc));
    jali_text_format(out, "<style>%s%s%s</style></head>\n<body>\n", jali_svg_colors,
                     jali_svg_style, style_sheet);
    contents(out, doc);
    jali_text_add(out, "<main id=\"main\">\n");
    const char *tag = "h1";
    size_t charts = 0;
    jali_piece_kind before = JALI_PIECE_HEADING;
    for (const jali_piece *b = doc->first; b != NULL;) {
        jali_piece_kind kind = b->kind;
        bool repeats = before == JALI_PIECE_CHART && kind == JALI_PIECE_TABLE &&
                       b->n_cells > LONG_TABLE * b->n_cols;
        if (repeats) folded(out, b);
        b = repeats ? b->next : piece(out, b, tag, &charts);
        before = kind;
        if (kind == JALI_PIECE_CHAPTER)
            tag = "h3";
        else if (kind == JALI_PIECE_HEADING && tag[1] == '1')
            tag = "h2";
    }
    jali_text_add(out, "</main></body></html>\n");
}
