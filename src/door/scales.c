/* door/scales.c — the noise of an answer's numbers, for programs. */
#include "door/scales.h"

const char *jali_law_words(jali_law law)
{
    return law == JALI_LAW_GAUSS ? "discrete Gaussian" : "discrete Laplace";
}

void jali_doc_scales(jali_doc *doc)
{
    if (json_object_get(doc->json, "scales") == NULL) jali_doc_set(doc, "scales", json_array());
}

void jali_doc_scale(jali_doc *doc, const jali_noise_scale *s)
{
    char scale[32];
    jali_doc_scales(doc);
    snprintf(scale, sizeof scale, "%.9g", s->scale);
    json_t *one = json_pack("{s:s,s:s?,s:s,s:s,s:s}", "of", s->of, "column", s->column, "law",
                            s->law, "scale", scale, "in", s->in);
    if (json_array_append_new(json_object_get(doc->json, "scales"), one) != 0)
        doc->failed = true;
}
