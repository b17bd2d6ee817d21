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

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_written_is_read_and_replaced),
        TEST(a_missing_a_large_and_a_strange_file_are_refused),
        TEST(a_folder_that_cannot_be_written_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
