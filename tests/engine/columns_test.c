/* Column files come back as they were written, and a damaged one is one sentence. */
#define _XOPEN_SOURCE 700
#include "base/file.h"
#include "engine/columns.h"
#include "engine/writer.h"
#include "unit.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static int enter(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "columns-test-%ld", (long)getpid());
    jali_file_remove_tree(folder);
    return 0;
}

static int leave(void **state)
{
    (void)state;
    jali_file_remove_tree(folder);
    return 0;
}

enum { ROWS = 100000 };
static const char *const names[] = { "age", "a \"quoted\\ name\"\n\xc3\xa9", "wide",
                                     "#person" };
static const uint64_t domains[] = { 74, 65536, 70000, UINT64_MAX };

static uint64_t code(size_t column, size_t row)
{
    uint64_t h = (row + 1) * 0x9E3779B97F4A7C15u ^ column;
    return (h ^ h >> 29) % domains[column];
}

/* In uneven batches, so that buffers fill in the middle of one. */
static void write_all(void)
{
    jali_columns_writer *w;
    static uint64_t batch[4][ROWS];
    const void *at[4];
    CHECK_OK(jali_columns_writer_new(&w, folder, 4, names, domains, NULL));
    for (size_t row = 0, n; row < ROWS; row += n) {
        n = row % 977 + 1 < ROWS - row ? row % 977 + 1 : ROWS - row;
        for (size_t c = 0; c < 4; c++) {
            at[c] = batch[c];
            for (size_t i = 0; i < n; i++) batch[c][i] = code(c, row + i);
        }
        CHECK_OK(jali_columns_writer_append(w, n, at, NULL, NULL));
    }
    char manifest[128];
    snprintf(manifest, sizeof manifest, "%s/manifest.json", folder);
    CHECK(!jali_file_exists(manifest));
    CHECK_OK(jali_columns_writer_finish(w, NULL));
    jali_columns_writer_free(w);
}

SENTENCE(what_was_written_is_read_back)
{
    UNUSED_STATE;
    jali_columns *c;
    const jali_column *col;
    write_all();
    CHECK_OK(jali_columns_open(&c, folder, NULL));
    CHECK(jali_columns_count(c) == 4 && jali_columns_rows(c) == ROWS);
    for (size_t i = 0; i < 4; i++) {
        size_t found;
        CHECK(jali_columns_find(c, names[i], &found) && found == i);
        CHECK(jali_columns_at(c, i)->codes == NULL);
        CHECK_OK(jali_columns_verify(c, i, NULL));
        CHECK_OK(jali_columns_map(c, i, &col, NULL));
        CHECK(strcmp(col->name, names[i]) == 0 && col->domain == domains[i]);
        CHECK(col->width == (unsigned)1 << i);
        for (size_t row = 0; row < ROWS; row++) {
            uint64_t got = 0;
            memcpy(&got, (const char *)col->codes + row * col->width, col->width);
            CHECK(got == code(i, row));
        }
    }
    size_t none;
    CHECK(!jali_columns_find(c, "ag", &none));
    jali_columns_free(c);
}

static void poke(const char *file, off_t at, char byte)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    int fd = open(path, O_WRONLY);
    CHECK(fd >= 0 && pwrite(fd, &byte, 1, at) == 1);
    close(fd);
}

SENTENCE(a_flipped_byte_is_one_sentence_for_the_curator)
{
    UNUSED_STATE;
    jali_columns *c;
    jali_err err;
    size_t all[] = { 0, 1, 2, 3 };
    write_all();
    poke("0001.u16", 12345, (char)0x5a);
    CHECK_OK(jali_columns_open(&c, folder, &err));
    CHECK_OK(jali_columns_verify(c, 0, &err));
    assert_int_equal(jali_columns_verify(c, 1, &err), JALI_E_ENGINE);
    CHECK_REFUSED(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "0001.u16");
    assert_int_equal(jali_columns_verify_all(c, all, 4, NULL, &err), JALI_E_ENGINE);
    CHECK_REFUSED(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "does not match its checksum");
    jali_columns_free(c);
}

SENTENCE(a_file_that_is_cut_or_gone_is_refused_when_mapped)
{
    UNUSED_STATE;
    jali_columns *c;
    jali_err err;
    const jali_column *col = NULL;
    char path[128];
    write_all();
    snprintf(path, sizeof path, "%s/0002.u32", folder);
    CHECK(truncate(path, ROWS * 4 - 1) == 0);
    CHECK_OK(jali_columns_open(&c, folder, &err));
    assert_int_equal(jali_columns_map(c, 2, &col, &err), JALI_E_ENGINE);
    CHECK_REFUSED(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "size");
    CHECK(unlink(path) == 0 && col == NULL);
    assert_int_equal(jali_columns_map(c, 2, &col, &err), JALI_E_ENGINE);
    CHECK_REFUSED(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "No such file");
    jali_columns_free(c);
}

/* The seal covers every byte of the manifest, itself included. */
SENTENCE(any_changed_byte_of_the_manifest_is_refused)
{
    UNUSED_STATE;
    jali_arena arena = JALI_ARENA_INIT;
    jali_columns *c;
    jali_err err;
    char path[128], *bytes;
    size_t n;
    write_all();
    snprintf(path, sizeof path, "%s/manifest.json", folder);
    CHECK_OK(jali_file_read(path, 1 << 20, &arena, &bytes, &n, NULL));
    CHECK_OK(jali_columns_open(&c, folder, &err));
    jali_columns_free(c);
    for (size_t i = 0; i < n; i++) {
        char was = bytes[i];
        poke("manifest.json", (off_t)i, (char)(was ^ 1));
        assert_int_equal(jali_columns_open(&c, folder, &err), JALI_E_ENGINE);
        CHECK_REFUSED(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "damaged");
        poke("manifest.json", (off_t)i, was);
    }
    for (size_t cut = 0; cut < n; cut += 7) {
        CHECK(truncate(path, (off_t)(n - cut - 1)) == 0);
        assert_int_equal(jali_columns_open(&c, folder, &err), JALI_E_ENGINE);
    }
    jali_arena_clear(&arena);
}

SENTENCE(a_folder_without_manifest_is_no_columns_folder)
{
    UNUSED_STATE;
    jali_columns *c;
    jali_err err;
    assert_int_equal(jali_columns_open(&c, "no-such-folder", &err), JALI_E_ENGINE);
    CHECK_REFUSED(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "no-such-folder");
}

SENTENCE(a_code_outside_its_domain_is_never_written)
{
    UNUSED_STATE;
    jali_columns_writer *w;
    jali_err err;
    const uint8_t codes[] = { 0, 73, 74 };
    CHECK_OK(jali_columns_writer_new(&w, folder, 1, names, domains, &err));
    CHECK_OK(jali_columns_writer_column(w, 0, 2, codes, 1, &err));
    assert_int_equal(jali_columns_writer_column(w, 0, 3, codes, 1, &err), JALI_E_INTERNAL);
    jali_columns_writer_free(w);
}

SENTENCE(columns_of_different_length_are_not_finished)
{
    UNUSED_STATE;
    jali_columns_writer *w;
    jali_columns *c;
    const uint8_t codes[] = { 1, 2, 3 };
    CHECK_OK(jali_columns_writer_new(&w, folder, 2, names, domains, NULL));
    CHECK_OK(jali_columns_writer_column(w, 0, 3, codes, 1, NULL));
    CHECK_OK(jali_columns_writer_column(w, 1, 2, codes, 1, NULL));
    assert_int_equal(jali_columns_writer_finish(w, NULL), JALI_E_INTERNAL);
    jali_columns_writer_free(w);
    assert_int_equal(jali_columns_open(&c, folder, NULL), JALI_E_ENGINE);
}

SENTENCE(no_rows_and_no_columns_are_fine)
{
    UNUSED_STATE;
    for (size_t n = 0; n <= 2; n += 2) {
        jali_columns_writer *w;
        jali_columns *c;
        const jali_column *col;
        jali_file_remove_tree(folder);
        CHECK_OK(jali_columns_writer_new(&w, folder, n, names, domains, NULL));
        CHECK_OK(jali_columns_writer_finish(w, NULL));
        jali_columns_writer_free(w);
        CHECK_OK(jali_columns_open(&c, folder, NULL));
        CHECK(jali_columns_count(c) == n && jali_columns_rows(c) == 0);
        for (size_t i = 0; i < n; i++) {
            CHECK_OK(jali_columns_verify(c, i, NULL));
            CHECK_OK(jali_columns_map(c, i, &col, NULL));
            CHECK(col->codes != NULL);
        }
        jali_columns_free(c);
    }
}

SENTENCE(ten_thousand_columns_are_opened_and_found)
{
    UNUSED_STATE;
    enum { MANY = 10000 };
    jali_arena arena = JALI_ARENA_INIT;
    const char **name = jali_arena_take(&arena, MANY, sizeof *name);
    uint64_t *domain = jali_arena_take(&arena, MANY, sizeof *domain);
    jali_columns_writer *w;
    jali_columns *c;
    size_t i;
    for (i = 0; i < MANY; i++) {
        name[i] = jali_arena_format(&arena, "column %zu", i);
        domain[i] = i % 300 + 1;
    }
    CHECK_OK(jali_columns_writer_new(&w, folder, MANY, name, domain, NULL));
    CHECK_OK(jali_columns_writer_finish(w, NULL));
    jali_columns_writer_free(w);
    CHECK_OK(jali_columns_open(&c, folder, NULL));
    CHECK(jali_columns_find(c, "column 9999", &i) && i == 9999);
    CHECK(jali_columns_at(c, 9999)->domain == 9999 % 300 + 1);
    jali_columns_free(c);
    jali_arena_clear(&arena);
}

SENTENCE(two_columns_of_one_name_are_refused)
{
    UNUSED_STATE;
    jali_columns_writer *w;
    jali_columns *c;
    jali_err err;
    const char *const same[] = { "age", "age" };
    CHECK_OK(jali_columns_writer_new(&w, folder, 2, same, domains, NULL));
    CHECK_OK(jali_columns_writer_finish(w, NULL));
    jali_columns_writer_free(w);
    assert_int_equal(jali_columns_open(&c, folder, &err), JALI_E_ENGINE);
    CHECK_REFUSED(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "twice");
}

#define HERE(function) cmocka_unit_test_setup_teardown(function, enter, leave)

RUN_ALL(HERE(what_was_written_is_read_back),
        HERE(a_flipped_byte_is_one_sentence_for_the_curator),
        HERE(a_file_that_is_cut_or_gone_is_refused_when_mapped),
        HERE(any_changed_byte_of_the_manifest_is_refused),
        HERE(a_folder_without_manifest_is_no_columns_folder),
        HERE(a_code_outside_its_domain_is_never_written),
        HERE(columns_of_different_length_are_not_finished),
        HERE(no_rows_and_no_columns_are_fine), HERE(ten_thousand_columns_are_opened_and_found),
        HERE(two_columns_of_one_name_are_refused))
