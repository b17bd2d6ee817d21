/* Files of every kind come out as the same texts, and bad ones are refused in a sentence. */
#define _XOPEN_SOURCE 700
#include "engine/duckdb.h"
#include "scratch.h"
#include <pthread.h>

static jali_duckdb *db;

static int open_all(void **state)
{
    jali_err err;
    if (scratch_open(state) != 0) return 1;
    if (jali_duckdb_new(&db, 2, &err) == JALI_OK) return 0;
    puts(err.text);
    return 1;
}

static int close_all(void **state)
{
    jali_duckdb_free(db);
    return scratch_close(state);
}

/* Gathers rows as "a|b" lines, sorted: order must not matter. */
typedef struct gather {
    pthread_mutex_t lock;
    char rows[64][128];
    size_t n;
    uint64_t total;
} gather;

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

static jali_status take(void *self, const jali_chunk *chunk, jali_err *err)
{
    (void)err;
    gather *g = self;
    pthread_mutex_lock(&g->lock);
    g->total += chunk->rows;
    for (size_t r = 0; r < chunk->rows && g->n < 64; r++) {
        char *row = g->rows[g->n++];
        row[0] = '\0';
        for (size_t c = 0; c < chunk->columns; c++) {
            size_t n = 4;
            const char *text = jali_chunk_text(chunk, c, r, &n);
            size_t used = strlen(row);
            snprintf(row + used, 128 - used, "%s%.*s", c ? "|" : "", (int)n,
                     text == NULL ? "NULL" : text);
        }
    }
    pthread_mutex_unlock(&g->lock);
    return JALI_OK;
}

static const char *read_back(const char *path, bool header, jali_scan *scan)
{
    static gather g;
    static char all[4096];
    jali_arena arena = JALI_ARENA_INIT;
    jali_source source;
    jali_err err = { .text = "" };
    jali_scan unused;
    size_t columns[16];
    g = (gather){ .lock = PTHREAD_MUTEX_INITIALIZER };
    if (jali_duckdb_look(db, path, &arena, &source, &err) != JALI_OK) fail_msg("%s", err.text);
    source.header = header;
    for (size_t i = 0; i < source.n; i++) columns[i] = i;
    if (jali_duckdb_scan(db, &source, columns, source.n, (jali_sink){ take, &g }, NULL, &arena,
                         scan == NULL ? &unused : scan, &err) != JALI_OK)
        fail_msg("%s", err.text);
    qsort(g.rows, g.n, sizeof *g.rows, by_text);
    all[0] = '\0';
    for (size_t i = 0; i < g.n; i++) {
        strncat(all, g.rows[i], sizeof all - strlen(all) - 2);
        strncat(all, "\n", 2);
    }
    jali_arena_clear(&arena);
    return all;
}

SENTENCE(csv_of_every_dialect_reads_the_same)
{
    UNUSED_STATE;
    static const char rows[] = "1|x y|a,b\n2|z|NULL\n";
    assert_string_equal(
        read_back(scratch_file("a.csv", "n,t,u\n1,x y,\"a,b\"\n2,z,\n"), true, NULL), rows);
    assert_string_equal(
        read_back(scratch_file("b.csv", "n;t;u\n1;x y;a,b\n2;z;\n"), true, NULL), rows);
    assert_string_equal(
        read_back(scratch_file("c.tsv", "n\tt\tu\r\n1\tx y\ta,b\r\n2\tz\t\r\n"), true, NULL),
        rows);
    assert_string_equal(
        read_back(scratch_file("d", "\xef\xbb\xbfn|t|u\n1|x y|a,b\n2|z|\n"), true, NULL), rows);
    assert_string_equal(read_back(scratch_file("e.csv", "1,x y,\"a,b\"\n2,z,"), false, NULL),
                        rows);
}

SENTENCE(blanks_separate_a_table_and_not_a_text)
{
    UNUSED_STATE;
    assert_string_equal(
        read_back(scratch_file("blank.asc", "a b c\n1 2 3\n4 \"5 5\" 6\n"), true, NULL),
        "1|2|3\n4|5 5|6\n");
    assert_string_equal(
        read_back(scratch_file("words.csv", "said\na b c\nwell\nd e f g\n"), true, NULL),
        "a b c\nd e f g\nwell\n");
}

SENTENCE(a_quote_far_below_the_sample_is_still_a_quote)
{
    UNUSED_STATE;
    enum { ROWS = 60000 };
    char *text = malloc(ROWS * 8 + 64);
    size_t used = (size_t)snprintf(text, 64, "n,t\n");
    for (int i = 0; i < ROWS; i++) used += (size_t)snprintf(text + used, 9, "%d,a\n", i % 1000);
    used += (size_t)snprintf(text + used, 40, "7,\"late, quoted\"\n");
    jali_scan scan;
    read_back(scratch_bytes("late.csv", text, used), true, &scan);
    CHECK(scan.bad == 0);
    free(text);
}

SENTENCE(packed_files_parquet_and_json_read_the_same)
{
    UNUSED_STATE;
    static const char rows[] = "1|x y|0.1\n2|z|NULL\n";
    char sql[1024];
    scratch_file("p.csv", "n,t,u\n1,x y,0.1\n2,z,\n");
    static const char *const copies[][2] = {
        { "p.csv.gz", "FORMAT csv, HEADER, COMPRESSION gzip" },
        { "p.csv.zst", "FORMAT csv, HEADER, COMPRESSION zstd" },
        { "p.parquet", "FORMAT parquet" },
        { "p.json", "FORMAT json, ARRAY true" },
        { "p.ndjson", "FORMAT json" },
        { "p.ndjson.gz", "FORMAT json, COMPRESSION gzip" },
    };
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++) {
        snprintf(sql, sizeof sql, "COPY (SELECT * FROM read_csv('%s/p.csv')) TO '%s/%s' (%s)",
                 scratch_folder, scratch_folder, copies[i][0], copies[i][1]);
        CHECK_OK(jali_duckdb_query(db, sql, NULL, NULL, NULL, NULL, NULL));
        assert_string_equal(read_back(scratch_path(copies[i][0]), true, NULL), rows);
    }
}

SENTENCE(json_whose_types_change_late_is_read)
{
    UNUSED_STATE;
    assert_string_equal(
        read_back(scratch_file("m.json", "[{\"a\":1,\"b\":[1,2]},{\"a\":\"x\"}]"), true, NULL),
        "1|[1,2]\nx|NULL\n");
}

SENTENCE(bad_lines_are_left_out_and_numbered)
{
    UNUSED_STATE;
    jali_scan scan;
    assert_string_equal(
        read_back(scratch_file("bad.csv", "a,b\n1,x\n2\n3,x,y\n4,x\n"), true, &scan),
        "1|x\n4|x\n");
    CHECK(scan.bad == 2 && scan.n_shown == 2);
    CHECK(scan.shown[0].line == 3 && scan.shown[1].line == 4);
}

static void refused(const char *path, const char *words)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_source source = { .n = 77 };
    jali_scan scan;
    jali_err err = { .text = "" };
    gather g = { .lock = PTHREAD_MUTEX_INITIALIZER };
    size_t zero[2] = { 0, 1 };
    jali_status status = jali_duckdb_look(db, path, &arena, &source, &err);
    if (status != JALI_OK) CHECK(source.n == 77);
    if (status == JALI_OK)
        status = jali_duckdb_scan(db, &source, zero, source.n < 2 ? source.n : 2,
                                  (jali_sink){ take, &g }, NULL, &arena, &scan, &err);
    CHECK(status != JALI_OK);
    if (strstr(err.text, words) == NULL) print_message("# %s\n", err.text);
    CHECK_REFUSED(err, status, JALI_FOR_CURATOR, words);
    jali_arena_clear(&arena);
}

SENTENCE(what_cannot_be_read_is_refused_in_a_sentence)
{
    UNUSED_STATE;
    refused(scratch_path("nothing.csv"), "No such file");
    refused(scratch_folder, "is a folder");
    refused("/dev/null", "not a regular file");
    refused(scratch_file("empty.csv", ""), "is empty");
    refused(scratch_file("latin.csv", "a,b\n1,caf\xe9\n2,ok\n"), "not UTF-8");
    refused(scratch_bytes("zero.bin", "\1\0\2\0\3", 5), "zero bytes");
    refused(scratch_bytes("wide.csv",
                          "\xff\xfe"
                          "a\0,\0b\0",
                          8),
            "UTF-16");
    refused(scratch_file("x.csv", "\xfd"
                                  "7zXZ"),
            "gzip or zstd");
    refused(scratch_file("broken.parquet", "PAR1 and nothing more"), "cannot read");
    refused(scratch_file("broken.json", "[{\"a\": 1,"), "cannot read");
    refused(scratch_file("broken.csv.gz", "\x1f\x8b\x08 no gzip"), "cannot read");
}

static jali_status refuse_row(void *self, const jali_chunk *chunk, jali_err *err)
{
    (void)self;
    (void)chunk;
    return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "the disk is full");
}

SENTENCE(a_sink_that_fails_ends_the_scan_with_its_own_sentence)
{
    UNUSED_STATE;
    jali_arena arena = JALI_ARENA_INIT;
    jali_source source;
    jali_scan scan;
    jali_err err;
    size_t zero = 0;
    CHECK_OK(
        jali_duckdb_look(db, scratch_file("s.csv", "a,b\n1,2\n3,4\n"), &arena, &source, NULL));
    CHECK(jali_duckdb_scan(db, &source, &zero, 1, (jali_sink){ refuse_row, NULL }, NULL, &arena,
                           &scan, &err) == JALI_E_ENGINE);
    assert_string_equal(err.text, "the disk is full");
    assert_string_equal(read_back(scratch_path("s.csv"), true, NULL), "1|2\n3|4\n");
    jali_arena_clear(&arena);
}

static void heard(void *self, const char *what, uint64_t done, uint64_t total)
{
    (void)what;
    CHECK(done <= total);
    *(uint64_t *)self = done;
}

SENTENCE(every_row_of_a_large_file_is_shown_once_and_progress_ends_at_the_end)
{
    UNUSED_STATE;
    enum { ROWS = 300000 };
    char *text = malloc(ROWS * 16);
    size_t used = (size_t)snprintf(text, 16, "n,t\n");
    for (int i = 0; i < ROWS; i++) used += (size_t)snprintf(text + used, 16, "%d,ab\n", i);
    jali_arena arena = JALI_ARENA_INIT;
    gather g = { .lock = PTHREAD_MUTEX_INITIALIZER };
    jali_source source;
    jali_scan scan;
    size_t one = 1;
    uint64_t last = 0;
    jali_progress progress = { heard, &last };
    CHECK_OK(jali_duckdb_look(db, scratch_bytes("big.csv", text, used), &arena, &source, NULL));
    for (int i = 0; i < 20; i++) {
        /* A parallel look once took some row for the first one. */
        CHECK_OK(jali_duckdb_look(db, source.path, &arena, &source, NULL));
        CHECK(source.header && source.n == 2);
        assert_string_equal(source.names[0], "n");
    }
    CHECK_OK(jali_duckdb_scan(db, &source, &one, 1, (jali_sink){ take, &g }, &progress, &arena,
                              &scan, NULL));
    assert_int_equal(g.total, ROWS);
    assert_int_equal(last, source.bytes);
    jali_arena_clear(&arena);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(csv_of_every_dialect_reads_the_same),
        TEST(blanks_separate_a_table_and_not_a_text),
        TEST(a_quote_far_below_the_sample_is_still_a_quote),
        TEST(packed_files_parquet_and_json_read_the_same),
        TEST(json_whose_types_change_late_is_read),
        TEST(bad_lines_are_left_out_and_numbered),
        TEST(what_cannot_be_read_is_refused_in_a_sentence),
        TEST(a_sink_that_fails_ends_the_scan_with_its_own_sentence),
        TEST(every_row_of_a_large_file_is_shown_once_and_progress_ends_at_the_end),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
