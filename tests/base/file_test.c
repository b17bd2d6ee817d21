/* Whole files: replaced or not, never half. */
#define _XOPEN_SOURCE 700
#include "base/file.h"
#include "unit.h"
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "jali-file-test-XXXXXX";
static char path[64];

static int open_folder(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL) return -1;
    snprintf(path, sizeof path, "%s/note", folder);
    return 0;
}

static int close_folder(void **state)
{
    (void)state;
    jali_file_remove_tree(folder);
    return jali_file_exists(folder) ? -1 : 0;
}

SENTENCE(what_is_written_is_read_and_replaced)
{
    UNUSED_STATE;
    jali_arena arena = JALI_ARENA_INIT;
    char *bytes;
    size_t n;
    struct stat st;
    CHECK_OK(jali_file_replace(path, "first", 5, 0600, NULL));
    CHECK_OK(jali_file_replace(path, "second\0x", 8, 0600, NULL));
    CHECK_OK(jali_file_read(path, 100, &arena, &bytes, &n, NULL));
    CHECK(n == 8 && memcmp(bytes, "second\0x", 9) == 0);
    CHECK(stat(path, &st) == 0 && (st.st_mode & 0777) == 0600);
    jali_arena_clear(&arena);
}

SENTENCE(a_missing_a_large_and_a_strange_file_are_refused)
{
    UNUSED_STATE;
    jali_arena arena = JALI_ARENA_INIT;
    jali_err err;
    char *bytes = NULL;
    size_t n = 77;
    CHECK(jali_file_read("no/such", 9, &arena, &bytes, &n, &err) == JALI_E_ENGINE);
    CHECK_REFUSED(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "no/such");
    CHECK_OK(jali_file_replace(path, "0123456789", 10, 0600, NULL));
    CHECK(jali_file_read(path, 9, &arena, &bytes, &n, &err) == JALI_E_ENGINE);
    CHECK_REFUSED(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "too large");
    CHECK(jali_file_read(folder, 9999, &arena, &bytes, &n, &err) == JALI_E_ENGINE);
    CHECK_REFUSED(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "is not a file");
    CHECK(bytes == NULL && n == 77);
    jali_arena_clear(&arena);
}

SENTENCE(a_folder_that_cannot_be_written_leaves_nothing_behind)
{
    UNUSED_STATE;
    jali_err err;
    CHECK(jali_file_replace("no/such/folder/x", "x", 1, 0600, &err) == JALI_E_ENGINE);
    CHECK_REFUSED(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "cannot write");
}

static void write_text(const char *at, const char *text)
{
    FILE *f = fopen(at, "wb");
    CHECK(f != NULL && fputs(text, f) >= 0 && fclose(f) == 0);
}

/* Who believed a mark of this very moment would miss a change in the same tick of the clock. */
SENTENCE(a_mark_is_believed_only_of_a_file_that_has_settled)
{
    UNUSED_STATE;
    char none[80];
    snprintf(none, sizeof none, "%s/nothing", folder);
    write_text(path, "one");
    jali_file_mark fresh = jali_file_mark_at(path), absent = jali_file_mark_at(none);
    CHECK(fresh.there && !jali_file_is_as(path, &fresh));
    CHECK(!absent.there && jali_file_is_as(none, &absent));
    sleep(3);
    CHECK(!jali_file_is_as(path, &fresh));
    jali_file_mark mark = jali_file_mark_at(path);
    CHECK(jali_file_is_as(path, &mark));
    write_text(path, "two"); /* of the same length */
    CHECK(!jali_file_is_as(path, &mark));
    write_text(none, "");
    CHECK(!jali_file_is_as(none, &absent));
    CHECK(unlink(none) == 0 && unlink(path) == 0 && !jali_file_is_as(path, &mark));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_written_is_read_and_replaced),
        TEST(a_missing_a_large_and_a_strange_file_are_refused),
        TEST(a_folder_that_cannot_be_written_leaves_nothing_behind),
        TEST(a_mark_is_believed_only_of_a_file_that_has_settled),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
