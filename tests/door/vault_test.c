/* A vault is whole or is not: refusals, full disks, killed processes, damaged files. */
#define _GNU_SOURCE
#include "budget/ledger.h"
#include "door/vault.h"
#include "scratch.h"
#include <dirent.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char schema_text[] =
    "{\"jali\": {\"person\": \"id\", \"rowsPerPerson\": 2}, \"fields\": [{\"name\": \"id\"},"
    "{\"name\": \"age\", \"type\": \"integer\", \"constraints\": {\"minimum\": 0, \"maximum\": 90}},"
    "{\"name\": \"ward\", \"constraints\": {\"enum\": [\"A\", \"B\"]}}]}";

static const char *schema_file(void)
{
    return scratch_file("schema.json", schema_text);
}

/* A request that works; tests spoil one thing. */
static jali_init good(const char *vault, const char *const *data)
{
    return (jali_init){ .vault = vault,
                        .data = data,
                        .n_data = 1,
                        .schema = schema_file(),
                        .epsilon = "1",
                        .delta = "1e-6",
                        .by = "curator",
                        .now_ms = 1700000000000,
                        .threads = 2 };
}

static unsigned entries(const char *folder)
{
    unsigned n = 0;
    DIR *dir = opendir(folder);
    CHECK(dir != NULL);
    while (readdir(dir) != NULL) n++;
    closedir(dir);
    return n - 2;
}

static char *shown(const char *vault)
{
    jali_doc *doc;
    char *text;
    jali_style json = { .format = JALI_FORMAT_JSON };
    CHECK_OK(jali_vault_show(vault, &doc, NULL));
    CHECK_OK(jali_doc_render(doc, &json, &text, NULL));
    jali_doc_free(doc);
    return text;
}

static void make(const jali_init *ask, const char *words)
{
    jali_doc *doc;
    char *text;
    jali_err err = { .text = "" };
    jali_style plain = { .format = JALI_FORMAT_TABLE };
    if (jali_vault_init(ask, &doc, &err) != JALI_OK) fail_msg("%s", err.text);
    CHECK_OK(jali_doc_render(doc, &plain, &text, NULL));
    if (strstr(text, words) == NULL) fail_msg("no \"%s\" in:\n%s", words, text);
    jali_doc_free(doc);
    jali_free(text);
}

SENTENCE(a_vault_holds_what_it_should_and_its_keys_are_secret)
{
    UNUSED_STATE;
    const char *data = scratch_file("a.csv", "id,age,ward\np,1,A\np,2,B\np,300,Z\nq,4,A\n");
    const char *path = scratch_path("a.jali");
    jali_init ask = good(path, &data);
    make(&ask, "1 (beyond 2 of a person)");
    jali_vault *v;
    jali_person_key key;
    struct stat st;
    char file[600];
    CHECK_OK(jali_vault_open(&v, path, NULL));
    assert_string_equal(v->name, "a");
    CHECK(!v->is_public && jali_vault_warning(v) == NULL && strlen(v->id) == 32);
    CHECK(v->schema.rows_per_person == 2 && v->created_ms == 1700000000000);
    CHECK(jali_columns_rows(v->columns) == 3 && jali_columns_count(v->columns) == 3);
    CHECK_OK(jali_vault_person_key(v, &key, NULL));
    jali_vault_free(v);
    snprintf(file, sizeof file, "%s/person.key", path);
    CHECK(stat(file, &st) == 0 && (st.st_mode & 077) == 0);
    CHECK(stat(path, &st) == 0 && (st.st_mode & 077) == 0);
    snprintf(file, sizeof file, "%s/ledger.sqlite", path);
    jali_ledger *ledger;
    CHECK_OK(jali_ledger_open(&ledger, &(jali_ledger_places){ .file = file }, JALI_LEDGER_READ,
                              NULL));
    jali_ledger_close(ledger, NULL);
}

/* Two tables of one schema look the same from outside, but for id and name. */
SENTENCE(what_is_shown_does_not_depend_on_a_row)
{
    UNUSED_STATE;
    const char *one = scratch_file("s1.csv", "id,age,ward\np,1,A\n");
    const char *two = scratch_file("s2.csv", "id,age,ward\na,9,B\nb,8,\nc,7,C\nd,6,A\n,,\n");
    const char *first = scratch_path("s.jali"), *moved = scratch_path("away");
    jali_init ask = good(first, &one);
    make(&ask, "rows kept");
    char *before = shown(first);
    CHECK(rename(first, moved) == 0);
    ask = good(first, &two);
    make(&ask, "rows kept");
    char *after = shown(first);
    char *id1 = strstr(before, "\"id\""), *id2 = strstr(after, "\"id\"");
    CHECK(id1 != NULL && id2 != NULL);
    memset(id1, '-', 44);
    memset(id2, '-', 44);
    assert_string_equal(before, after);
    jali_free(before);
    jali_free(after);
}

SENTENCE(a_public_vault_says_so)
{
    UNUSED_STATE;
    const char *data = scratch_file("pub.csv", "id,age,ward\np,1,A\n");
    const char *path = scratch_path("pub.jali");
    jali_init ask = good(path, &data);
    ask.is_public = true;
    make(&ask, "This vault is public");
    jali_vault *v;
    CHECK_OK(jali_vault_open(&v, path, NULL));
    CHECK(v->is_public && strstr(jali_vault_warning(v), "public") != NULL);
    jali_vault_free(v);
}

static void refused(const jali_init *ask, const char *words)
{
    jali_doc *doc = NULL;
    jali_err err = { .text = "" };
    schema_file(); /* so that counting entries is fair */
    bool there = jali_file_exists(ask->vault);
    unsigned before = entries(scratch_folder);
    jali_status status = jali_vault_init(ask, &doc, &err);
    CHECK(status != JALI_OK && doc == NULL);
    if (strstr(err.text, words) == NULL) print_message("# %s\n", err.text);
    CHECK_REFUSED(err, status, err.reader, words); /* a wrong number is anybody's to read */
    CHECK(jali_file_exists(ask->vault) == there);
    assert_int_equal(entries(scratch_folder), before);
}

SENTENCE(a_refusal_leaves_nothing_behind)
{
    UNUSED_STATE;
    const char *data = scratch_file("r.csv", "id,age,ward\np,1,A\n");
    const char *path = scratch_path("r.jali");
    jali_init ask = good(path, &data);
    ask.epsilon = "0";
    refused(&ask, "eps");
    ask = good(path, &data);
    ask.delta = "x";
    refused(&ask, "--delta");
    ask = good(scratch_folder, &data);
    refused(&ask, "exists already");
    ask = good(scratch_path(".jali"), &data);
    refused(&ask, "no name for a vault");
    ask = good(scratch_path("no/where.jali"), &data);
    refused(&ask, "cannot write beside");
    const char *bad = scratch_file("r2.csv", "id,age\np,1\n");
    ask = good(path, &bad);
    refused(&ask, "no column \"ward\"");
    bad = scratch_file("r3.csv", "id,age,ward\np,1,A\nq,2,caf\xe9\n");
    ask = good(path, &bad);
    refused(&ask, "line 3");
    ask = good(path, &data);
    ask.schema = scratch_file("bad.json", "{\"fields\": [\n{\"name\": \"id\"}]}");
    refused(&ask, "line 2");
    ask.schema =
        scratch_file("draft.json", "{\"jali\": {\"draft\": true}, \"fields\": [{\"name\": "
                                   "\"age\", \"type\": \"boolean\"}]}");
    refused(&ask, "--accept-draft");
    ask.accept_draft = true;
    make(&ask, "rows kept");
}

SENTENCE(a_damaged_vault_is_refused_in_a_sentence)
{
    UNUSED_STATE;
    const char *data = scratch_file("d.csv", "id,age,ward\np,1,A\nq,2,B\n");
    const char *path = scratch_path("d.jali");
    jali_init ask = good(path, &data);
    jali_vault *v = NULL;
    jali_err err;
    char file[600];
    make(&ask, "rows kept");
    CHECK_OK(jali_vault_open(&v, path, NULL));
    snprintf(file, sizeof file, "%s/columns/0000.u8", path);
    FILE *column = fopen(file, "r+");
    CHECK(column != NULL && fputc(7, column) == 7 && fclose(column) == 0);
    CHECK(jali_columns_verify(v->columns, 0, &err) != JALI_OK);
    CHECK(err.reader == JALI_FOR_CURATOR && strchr(err.text, '\n') == NULL);
    jali_vault_free(v);
    v = NULL;
    snprintf(file, sizeof file, "%s/schema.json", path);
    CHECK_OK(jali_file_replace(file, "{\"fields\": [{\"name\": \"x\", \"type\": \"boolean\"}]}",
                               46, 0600, NULL));
    CHECK(jali_vault_open(&v, path, &err) != JALI_OK && v == NULL);
    CHECK_REFUSED(err, JALI_E_DATA, JALI_FOR_CURATOR, "edited after the import");
    snprintf(file, sizeof file, "%s/policy.json", path);
    CHECK(unlink(file) == 0);
    CHECK(jali_vault_open(&v, path, &err) != JALI_OK);
    CHECK_REFUSED(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "not a vault");
}

static const char *long_file(const char *name, int rows)
{
    const char *path = scratch_path(name);
    FILE *f = fopen(path, "w");
    CHECK(f != NULL);
    fputs("id,age,ward\n", f);
    for (int i = 0; i < rows; i++) fprintf(f, "p%d,%d,%c\n", i / 3, i % 100, "ABC"[i % 3]);
    CHECK(fclose(f) == 0);
    return path;
}

/* Killed at many moments: there is a whole vault or none. */
SENTENCE(a_killed_import_leaves_no_half_vault)
{
    UNUSED_STATE;
    const char *data = long_file("k.csv", 200000), *path = scratch_path("k.jali");
    jali_init ask = good(path, &data);
    enum { ROUNDS = 11 };
    unsigned whole = 0;
    for (int round = 0; round < ROUNDS; round++) {
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            jali_doc *doc;
            _exit(jali_vault_init(&ask, &doc, NULL) != JALI_OK);
        }
        bool ended = false;
        for (int ms = 0; ms < 6 << round && !ended; ms += 2) {
            usleep(2000);
            ended = waitpid(child, NULL, WNOHANG) == child;
        }
        if (!ended) {
            kill(child, SIGKILL);
            CHECK(waitpid(child, NULL, 0) == child);
        }
        if (!jali_file_exists(path)) continue;
        jali_vault *v;
        CHECK_OK(jali_vault_open(&v, path, NULL));
        for (size_t i = 0; i < jali_columns_count(v->columns); i++)
            CHECK_OK(jali_columns_verify(v->columns, i, NULL));
        jali_vault_free(v);
        jali_file_remove_tree(path);
        whole++;
    }
    print_message("# %u of %d imports were done before they were killed\n", whole, ROUNDS);
}

SENTENCE(a_full_disk_leaves_nothing)
{
    UNUSED_STATE;
    const char *disk = scratch_path("disk"), *data = long_file("f.csv", 200000);
    char path[600];
    CHECK(mkdir(disk, 0700) == 0);
    if (mount("none", disk, "tmpfs", 0, "size=1m") != 0) {
        print_message("# skipped: mounting a small disk needs root\n");
        skip();
    }
    snprintf(path, sizeof path, "%s/full.jali", disk);
    jali_init ask = good(path, &data);
    jali_doc *doc = NULL;
    jali_err err = { .text = "" };
    jali_status status = jali_vault_init(&ask, &doc, &err);
    unsigned left = entries(disk);
    umount(disk);
    assert_int_equal(status, JALI_E_ENGINE);
    CHECK_REFUSED(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "No space left");
    CHECK(doc == NULL && left == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_vault_holds_what_it_should_and_its_keys_are_secret),
        TEST(what_is_shown_does_not_depend_on_a_row),
        TEST(a_public_vault_says_so),
        TEST(a_refusal_leaves_nothing_behind),
        TEST(a_damaged_vault_is_refused_in_a_sentence),
        TEST(a_killed_import_leaves_no_half_vault),
        TEST(a_full_disk_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
