/* Memory that ends anywhere in a schema, a draft or an import: a sentence, and nothing left. */
#define _XOPEN_SOURCE 700
#include "scratch.h"
#include "support/alloc.h"
#include "table/draft.h"
#include "table/import.h"

static const char text[] =
    "{\"missingValues\": [\"\", \"?\"], \"jali\": {\"person\": \"id\", \"rowsPerPerson\": 2}, "
    "\"fields\": [{\"name\": \"id\"}, {\"name\": \"a\", \"type\": \"integer\", \"title\": \"A\", "
    "\"constraints\": {\"minimum\": 0, \"maximum\": 90}, \"jali\": {\"bins\": [0, 18, 90]}}, "
    "{\"name\": \"b\", \"constraints\": {\"enum\": [\"x\", \"y\"]}, \"jali\": {\"other\": \"z\"}}, "
    "{\"name\": \"c\", \"type\": \"number\", \"jali\": {\"bins\": [0, 0.5, 1]}}, "
    "{\"name\": \"d\", \"type\": \"boolean\"}]}";

static const char rows[] = "id,a,b,c,d\np,1,x,0.5,true\np,2,y,0.7,false\np,3,w,2,\n,4,x,,1\n";

/* Allocations that an action may make at most; far more than it does. */
enum { FAR = 20000, IMPORTS = 400 };

SENTENCE(a_schema_without_memory_is_refused)
{
    UNUSED_STATE;
    long n = 0;
    for (bool failed = true; failed && n < FAR; n++) {
        jali_arena arena = JALI_ARENA_INIT;
        jali_schema s;
        jali_err err = { .text = "" };
        alloc_fail_at(n);
        jali_status status = jali_schema_parse(&s, text, sizeof text - 1, "s", &arena, &err);
        failed = alloc_failed();
        CHECK(failed ? status == JALI_E_NOMEM : status == JALI_OK);
        jali_arena_clear(&arena);
    }
    CHECK(n > 1 && n < FAR);
}

/* One import with the n-th allocation failing; true if it did. */
static bool import_with(long n, const char *file)
{
    static const jali_person_key key = { "0123456789abcde", "fedcba987654321" };
    jali_arena arena = JALI_ARENA_INIT;
    jali_schema s;
    jali_import_report report;
    jali_err err = { .text = "" };
    const char *folder = scratch_path("columns");
    CHECK_OK(jali_schema_parse(&s, text, sizeof text - 1, "s", &arena, NULL));
    jali_import_request ask = { .schema = &s,
                                .files = &file,
                                .n_files = 1,
                                .folder = folder,
                                .scratch = scratch_folder,
                                .key = &key,
                                .threads = 1 };
    alloc_fail_at(n);
    jali_status status = jali_import(&ask, &arena, &report, &err);
    bool failed = alloc_failed();
    /* A "did you mean" that found no memory goes without; nothing else may succeed. */
    if (!failed) CHECK_OK(status);
    if (status != JALI_OK) CHECK(status == JALI_E_NOMEM && strchr(err.text, '\n') == NULL);
    if (status == JALI_OK) CHECK(report.rows_kept == 3);
    jali_file_remove_tree(folder);
    jali_arena_clear(&arena);
    return failed;
}

SENTENCE(an_import_without_memory_is_refused)
{
    UNUSED_STATE;
    const char *file = scratch_file("a.csv", rows);
    long n = 0;
    while (n < IMPORTS && import_with(n, file)) n++;
    CHECK(n > 10 && n < IMPORTS);
}

SENTENCE(a_draft_without_memory_is_refused)
{
    UNUSED_STATE;
    const char *file = scratch_file("a.csv", rows);
    long n = 0;
    for (bool failed = true; failed && n < IMPORTS; n++) {
        json_t *json = NULL;
        alloc_fail_at(n);
        jali_status status = jali_draft_make(&file, 1, NULL, &json, NULL);
        failed = alloc_failed();
        CHECK(failed ? status != JALI_OK : status == JALI_OK);
        json_decref(json);
    }
    CHECK(n > 10 && n < IMPORTS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_schema_without_memory_is_refused),
        TEST(an_import_without_memory_is_refused),
        TEST(a_draft_without_memory_is_refused),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
