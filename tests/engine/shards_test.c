/* Shards are one table again, bit by bit; one that is missing, strange or in the wrong place is
 * one sentence. */
#define _XOPEN_SOURCE 700
#include "base/file.h"
#include "engine/columns.h"
#include "engine/shards.h"
#include "engine/writer.h"
#include "unit.h"
#include <sys/stat.h>
#include <unistd.h>

enum { COLUMNS = 3, MOST = 300000 };
static const char set[] = "00112233445566778899aabbccddeeff";
static const char other[] = "ff112233445566778899aabbccddeeff";
static const char *const names[] = { "small", "middle", "wide" };
static const uint64_t domains[] = { 74, 60000, UINT64_MAX };
static char folder[64];

static int enter(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "shards-test-%ld", (long)getpid());
    jali_file_remove_tree(folder);
    return 0;
}

static int leave(void **state)
{
    (void)state;
    jali_file_remove_tree(folder);
    return 0;
}

static uint64_t code(size_t column, uint64_t row)
{
    uint64_t h = (row + 1) * 0x9E3779B97F4A7C15u ^ column;
    return (h ^ h >> 29) % domains[column];
}

static const char *path_of(size_t i, const char *name)
{
    static char path[160];
    snprintf(path, sizeof path, "%s/shard-%04zu%s%s", folder, i, name[0] ? "/" : "", name);
    return path;
}

/* Rows first .. first + rows - 1 as shard i of `of` of `which`. */
static void write_shard(const char *which, size_t i, size_t of, uint64_t first, uint64_t rows)
{
    static uint64_t batch[MOST];
    jali_columns_writer *w;
    CHECK_OK(jali_columns_writer_new(&w, path_of(i, ""), COLUMNS, names, domains, NULL));
    for (size_t c = 0; c < COLUMNS; c++) {
        for (uint64_t r = 0; r < rows; r++) batch[r] = code(c, first + r);
        CHECK_OK(jali_columns_writer_column(w, c, rows / 3, batch, 8, NULL));
        CHECK_OK(jali_columns_writer_rest(w, c, NULL));
        CHECK_OK(jali_columns_writer_column(w, c, rows - rows / 3, batch + rows / 3, 8, NULL));
    }
    jali_columns_writer_shard(w, which, i, of);
    CHECK_OK(jali_columns_writer_finish(w, NULL));
    jali_columns_writer_free(w);
}

static void write_table(uint64_t rows, size_t shards)
{
    uint64_t each = jali_shards_rows(rows, shards), first = 0;
    assert_int_equal(mkdir(folder, 0700), 0);
    for (size_t i = 0; i < shards; i++) {
        uint64_t left = rows - first, here = i + 1 == shards || left < each ? left : each;
        write_shard(set, i, shards, first, here);
        first += here;
    }
    assert_int_equal(first, rows);
    CHECK_OK(jali_shards_write(folder, set, shards, NULL));
}

static bool same(jali_columns *c, size_t column, uint64_t row, uint64_t want)
{
    const jali_column *k = jali_columns_at(c, column);
    uint64_t got = 0;
    memcpy(&got, (const char *)k->codes + row * k->width, k->width);
    return got == want;
}

static void table_is_whole(uint64_t rows)
{
    jali_columns *c;
    CHECK_OK(jali_columns_open(&c, folder, NULL));
    assert_int_equal(jali_columns_rows(c), rows);
    for (size_t i = 0; i < COLUMNS; i++) {
        bool good = true;
        CHECK_OK(jali_columns_verify(c, i, NULL));
        for (uint64_t r = 0; r < rows; r++) good = good && same(c, i, r, code(i, r));
        CHECK(good);
    }
    jali_columns_free(c);
}

/* 70,001 rows in 3 shards are read, 300,000 in 4 are mapped page by page. */
SENTENCE(shards_are_one_table_again)
{
    static const struct {
        uint64_t rows;
        size_t shards;
    } tables[] = { { 70001, 3 }, { 300000, 4 }, { 5, 4 }, { 2, 7 }, { 1, 1 } };
    UNUSED_STATE;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        write_table(tables[i].rows, tables[i].shards);
        table_is_whole(tables[i].rows);
        jali_file_remove_tree(folder);
    }
    assert_int_equal(jali_shards_rows(300000, 4) % 4096, 0);
}

SENTENCE(every_shard_is_in_one_share)
{
    UNUSED_STATE;
    write_table(70001, 5);
    for (unsigned ranks = 1; ranks <= 5; ranks++) {
        uint64_t rows = 0;
        for (unsigned rank = 0; rank < ranks; rank++) {
            jali_columns *c;
            CHECK_OK(jali_columns_open_share(&c, folder, rank, ranks, NULL));
            CHECK_OK(jali_columns_verify(c, 0, NULL));
            CHECK(same(c, 0, 0, code(0, rank * jali_shards_rows(70001, 5))));
            rows += jali_columns_rows(c);
            jali_columns_free(c);
        }
        assert_int_equal(rows, 70001);
    }
    jali_columns *c;
    jali_err err;
    assert_int_equal(jali_columns_open_share(&c, folder, 0, 6, &err), JALI_E_USAGE);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_CURATOR, "--shards 6");
}

static void refused(const char *words)
{
    jali_columns *c = NULL;
    jali_err err = { 0 };
    jali_status status = jali_columns_open(&c, folder, &err);
    if (status == JALI_OK) status = jali_columns_verify(c, 1, &err);
    assert_int_equal(status, JALI_E_ENGINE);
    CHECK_REFUSED(err, JALI_E_ENGINE, JALI_FOR_CURATOR, words);
    jali_columns_free(c);
}

static void swap(size_t i, size_t k)
{
    char one[160], two[160], aside[176];
    snprintf(one, sizeof one, "%s", path_of(i, ""));
    snprintf(two, sizeof two, "%s", path_of(k, ""));
    snprintf(aside, sizeof aside, "%s-aside", one);
    assert_int_equal(rename(one, aside), 0);
    assert_int_equal(rename(two, one), 0);
    assert_int_equal(rename(aside, two), 0);
}

/* Each of these would count somebody twice, never, or somebody else. */
SENTENCE(strange_shards_are_refused)
{
    UNUSED_STATE;
    write_table(1000, 3);
    swap(0, 2);
    refused("in the place of another shard");
    swap(0, 2);
    table_is_whole(1000);

    char page[128];
    snprintf(page, sizeof page, "%s/shards.json", folder);
    static const char twice[] =
        "{\"set\":\"00112233445566778899aabbccddeeff\",\"shards\":[\"shard-0000\","
        "\"shard-0000\",\"shard-0002\"]}";
    CHECK_OK(jali_file_replace(page, twice, strlen(twice), 0600, NULL));
    refused("in the place of another shard");
    static const char fewer[] = "{\"set\":\"00112233445566778899aabbccddeeff\","
                                "\"shards\":[\"shard-0000\",\"shard-0001\"]}";
    CHECK_OK(jali_file_replace(page, fewer, strlen(fewer), 0600, NULL));
    refused("in the place of another shard");
    CHECK_OK(jali_file_replace(page, "{}", 2, 0600, NULL));
    refused("without \"set\" and \"shards\"");
    CHECK_OK(jali_shards_write(folder, set, 3, NULL));
    table_is_whole(1000);

    jali_file_remove_tree(path_of(1, ""));
    refused("shard-0001 is not here");
    write_shard(other, 1, 3, 334, 334);
    refused("of another import");
    jali_file_remove_tree(path_of(1, ""));
    write_shard(set, 1, 4, 334, 334);
    refused("in the place of another shard");
}

SENTENCE(a_shard_may_live_elsewhere)
{
    UNUSED_STATE;
    char here[200], there[80];
    write_table(1000, 3);
    snprintf(there, sizeof there, "%s-there", folder);
    snprintf(here, sizeof here, "%s", path_of(1, ""));
    jali_file_remove_tree(there);
    assert_int_equal(rename(here, there), 0);
    char target[96];
    snprintf(target, sizeof target, "../%s", there);
    assert_int_equal(symlink(target, here), 0);
    table_is_whole(1000);
    jali_file_remove_tree(there);
    refused("is not here");
}

/* One byte of one file: the checksum of that shard notices, whichever way it is read. */
SENTENCE(a_damaged_shard_is_refused)
{
    static const uint64_t rows[] = { 1000, 300000 };
    UNUSED_STATE;
    for (size_t i = 0; i < 2; i++) {
        write_table(rows[i], 3);
        FILE *f = fopen(path_of(1, "0001.u16"), "r+b");
        assert_non_null(f);
        assert_int_equal(fseek(f, 100, SEEK_SET), 0);
        int byte = fgetc(f);
        assert_int_equal(fseek(f, 100, SEEK_SET), 0);
        fputc(byte ^ 1, f);
        fclose(f);
        refused("shard-0001/0001.u16");
        assert_int_equal(truncate(path_of(1, "0001.u16"), 10), 0);
        refused("has not the size");
        jali_file_remove_tree(folder);
    }
}

SENTENCE(one_shard_alone_is_no_table)
{
    UNUSED_STATE;
    jali_columns *c;
    jali_err err;
    write_table(1000, 3);
    assert_int_equal(jali_columns_open(&c, path_of(1, ""), &err), JALI_E_ENGINE);
    CHECK_REFUSED(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "one shard of a table");
}

#define CLEAN(function) cmocka_unit_test_setup_teardown(function, enter, leave)
RUN_ALL(CLEAN(shards_are_one_table_again), CLEAN(every_shard_is_in_one_share),
        CLEAN(strange_shards_are_refused), CLEAN(a_shard_may_live_elsewhere),
        CLEAN(a_damaged_shard_is_refused), CLEAN(one_shard_alone_is_no_table))
