/* Every allocation failed in turn: a status, no answer, no leak (the sanitizers look). */
#include "base/arena.h"
#include "base/file.h"
#include "base/json.h"
#include "base/pool.h"
#include "base/text.h"
#include "report/doc.h"
#include "support/alloc.h"
#include "unit.h"

/* Runs `scene` with the 1st, 2nd, ... allocation failing, until it gets by without. A
 * scene returns JALI_OK only when all of its work succeeded. */
static void fails_cleanly(jali_status (*scene)(void))
{
    long n = 0;
    for (;; n++) {
        alloc_fail_at(n);
        jali_status status = scene();
        if (!alloc_failed()) {
            CHECK_OK(status);
            break;
        }
        CHECK(status == JALI_E_NOMEM);
        CHECK(n < 10000);
    }
    CHECK(n > 0); /* a scene that allocates nothing tests nothing */
}

static jali_status use_text(void)
{
    jali_text t = { 0 };
    for (int i = 0; i < 300; i++) jali_text_format(&t, "%d,", i);
    jali_status status = jali_text_status(&t, NULL);
    jali_text_clear(&t);
    return status;
}

static jali_status use_pool(void)
{
    jali_pool *pool = NULL;
    jali_status status = jali_pool_new(&pool, 3, NULL);
    jali_pool_free(pool);
    return status;
}

static jali_status use_arena_and_json(void)
{
    jali_arena arena = JALI_ARENA_INIT;
    json_t *value = json_pack("{s:[i,i]}", "a", 1, 2);
    char *text;
    jali_status status = jali_json_canonical(value, &arena, &text, NULL);
    if (status == JALI_OK && jali_arena_take(&arena, 1, 100000) == NULL) status = JALI_E_NOMEM;
    json_decref(value);
    jali_arena_clear(&arena);
    return status;
}

static jali_status use_doc(void)
{
    static const jali_col cols[] = { { "a", false }, { "b", true } };
    jali_doc *doc;
    JALI_TRY(jali_doc_new(&doc, "sample", NULL));
    jali_doc_heading(doc, "%s", "title");
    jali_doc_table(doc, 2, cols);
    for (int i = 0; i < 2000; i++) jali_doc_cell(doc, "%d", i);
    jali_status status = jali_doc_status(doc, NULL);
    for (int f = JALI_FORMAT_TABLE; status == JALI_OK && f <= JALI_FORMAT_HTML; f++) {
        jali_style style = { .format = (jali_format)f, .width = 10 };
        char *text = NULL;
        status = jali_doc_render(doc, &style, &text, NULL);
        jali_free(text);
    }
    jali_doc_free(doc);
    return status;
}

SENTENCE(texts_say_so)
{
    UNUSED_STATE;
    fails_cleanly(use_text);
}

SENTENCE(pools_say_so)
{
    UNUSED_STATE;
    fails_cleanly(use_pool);
}

SENTENCE(arenas_and_json_say_so)
{
    UNUSED_STATE;
    fails_cleanly(use_arena_and_json);
}

SENTENCE(documents_say_so)
{
    UNUSED_STATE;
    fails_cleanly(use_doc);
}

RUN_ALL(TEST(texts_say_so), TEST(pools_say_so), TEST(arenas_and_json_say_so),
        TEST(documents_say_so))
