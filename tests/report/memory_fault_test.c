/* Charts when memory ends: a status or the whole picture, never half of one. */
#include "gallery.h"
#include "support/alloc.h"

static jali_status build(jali_doc **out)
{
    jali_doc *doc = NULL;
    jali_status status = jali_doc_new(&doc, "gallery", NULL);
    if (status != JALI_OK) return status;
    jali_doc_chapter(doc, "a", "A gallery");
    gallery_bars(doc);
    gallery_why(doc);
    gallery_pairs(doc);
    gallery_curves(doc);
    gallery_categories(doc);
    gallery_heat(doc);
    return jali_doc_finish(doc, JALI_OK, out, NULL);
}

SENTENCE(a_document_whose_memory_ended_says_so)
{
    UNUSED_STATE;
    for (long n = 0;; n++) {
        jali_doc *doc = NULL;
        alloc_fail_at(n);
        jali_status status = build(&doc);
        bool failed = alloc_failed();
        CHECK(status == (failed ? JALI_E_NOMEM : JALI_OK));
        jali_doc_free(doc);
        if (!failed) break;
        CHECK(n < 10000);
    }
}

/* Where an arena ends while a sentence for the blind is made, the title stands in for it; so a
 * picture may come out, but only a whole one. */
SENTENCE(a_picture_is_whole_or_refused)
{
    UNUSED_STATE;
    static const char *const ends[] = { "about\n", "}\n",       NULL,       NULL,
                                        NULL,      "</html>\n", "</svg>\n", "}\n" };
    jali_doc *doc = NULL;
    CHECK_OK(build(&doc));
    for (int format = 0; format <= JALI_FORMAT_VEGA; format++) {
        for (long n = 0;; n++) {
            char *text = NULL;
            jali_style style = { .format = (jali_format)format, .width = 80 };
            alloc_fail_at(n);
            jali_status status = jali_doc_render(doc, &style, &text, NULL);
            bool failed = alloc_failed();
            CHECK(status == JALI_OK || (failed && status == JALI_E_NOMEM));
            if (status == JALI_OK && ends[format] != NULL) {
                size_t have = strlen(text), want = strlen(ends[format]);
                CHECK(have > want && strcmp(text + have - want, ends[format]) == 0);
            }
            if (status == JALI_OK) jali_free(text);
            if (!failed) break;
            CHECK(n < 10000);
        }
    }
    jali_doc_free(doc);
}

RUN_ALL(TEST(a_document_whose_memory_ended_says_so), TEST(a_picture_is_whole_or_refused))
