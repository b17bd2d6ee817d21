/* report/render.c — which writer a style asks for. */
#include "report/render.h"

jali_status jali_doc_render(const jali_doc *doc, const jali_style *style, char **out,
                            jali_err *err)
{
    jali_text text = { 0 };
    if (style->format == JALI_FORMAT_SQL && doc->sql == NULL)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "only clusterings can be written as SQL, and not those with more than "
                         "a hundred thousand numbers; take --format json");
    switch (style->format) {
    case JALI_FORMAT_TABLE:
        jali_render_plain(doc, style, &text);
        break;
    case JALI_FORMAT_JSON:
        jali_render_json(doc, &text);
        break;
    case JALI_FORMAT_NDJSON:
        jali_render_ndjson(doc, &text);
        break;
    case JALI_FORMAT_CSV:
        jali_render_csv(doc, &text);
        break;
    case JALI_FORMAT_MD:
        jali_render_markdown(doc, &text);
        break;
    case JALI_FORMAT_HTML:
        jali_render_html(doc, &text);
        break;
    case JALI_FORMAT_SVG:
        jali_render_svg(doc, &text);
        break;
    case JALI_FORMAT_BLOCKS:
        jali_render_blocks(doc, &text);
        break;
    case JALI_FORMAT_VEGA:
        jali_render_vega(doc, &text);
        break;
    case JALI_FORMAT_SQL:
        jali_text_add(&text, doc->sql);
        break;
    }
    jali_text_add(&text, "");
    jali_status status = jali_text_status(&text, err);
    if (status == JALI_OK)
        *out = text.at;
    else
        jali_text_clear(&text);
    return status;
}

void jali_free(void *p)
{
    free(p);
}
