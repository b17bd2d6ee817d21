/* report/page.c — a document as one self-contained page: no script, no network.
 *
 * Every text is escaped here and nowhere else. Colours come in a light and a dark form,
 * and never carry a meaning alone.
 */
#include "report/chart_inside.h"
#include "report/render.h"

static const char style_sheet[] =
    ":root{color-scheme:light dark;--ink:#1d2129;--dim:#5a6270;--line:#d5d9e0;--fill:#3b6ea5}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e8eaee;--dim:#a6adba;--line:#3a404b;"
    "--fill:#7fb0e6}body{background:#14171c}}"
    "body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);max-width:60rem;margin:2rem auto;"
    "padding:0 1rem}h1{font-size:1.5rem}table{border-collapse:collapse;margin:1rem 0}"
    "th,td{text-align:left;padding:.3rem .8rem;border-bottom:1px solid var(--line)}"
    ".n{text-align:right;font-variant-numeric:tabular-nums}dl{display:grid;"
    "grid-template-columns:max-content 1fr;gap:.2rem 1rem}dt{color:var(--dim)}dd{margin:0}"
    ".bar{display:inline-block;width:12rem;height:.8rem;border:1px solid var(--fill);"
    "margin-right:.6rem}.bar i{display:block;height:100%;background:var(--fill)}"
    ".wide{overflow-x:auto}@media print{body{margin:0;max-width:none}}";

static void escaped(jali_text *out, const char *text)
{
    for (; *text != '\0'; text++) {
        switch (*text) {
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
            jali_text_add_n(out, text, 1);
        }
    }
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

static void chart(jali_text *out, const jali_chart *c)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_piece numbers;
    element(out, "p", c->title);
    if (jali_chart_table(c, 0, &arena, &numbers, &out->failed)) table(out, &numbers);
    if (c->note != NULL) element(out, "p", c->note);
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
                             "<span class=\"bar\" aria-hidden=\"true\">"
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
    jali_text_format(out, "<style>%s</style></head>\n<body><main>\n", style_sheet);
    const char *heading = "h1";
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
            chart(out, b->chart);
        }
        b = b->next;
    }
    jali_text_add(out, "</main></body></html>\n");
}
