/* A held ledger is the vault's, whatever happens to its file: door/hold.c. */
#define _GNU_SOURCE
#include "base/file.h"
#include "base/rat.h"
#include "budget/inside.h"
#include "door/hold.h"
#include "scratch.h"
#include <sys/stat.h>
#include <unistd.h>

enum { NOON = 1700000000, THREADS = 8, TURNS = 100 };

static const char *make_vault(const char *name)
{
    const char *data[] = { scratch_file("rows.csv", "ward\nA\nB\nA\n") };
    jali_doc *doc;
    jali_init ask = { .vault = scratch_path(name),
                      .data = data,
                      .n_data = 1,
                      .schema = scratch_file(
                          "schema.json", "{\"fields\": [{\"name\": \"ward\", \"constraints\":"
                                         " {\"enum\": [\"A\", \"B\"]}}]}"),
                      .epsilon = "1",
                      .delta = "0",
                      .by = "carol",
                      .now_ms = NOON,
                      .threads = 1 };
    CHECK_OK(jali_vault_init(&ask, &doc, NULL));
    jali_doc_free(doc);
    return ask.vault;
}

static const char *book_of(const char *vault, char out[static 600])
{
    snprintf(out, 600, "%s/ledger.sqlite", vault);
    CHECK(jali_file_exists(out));
    return out;
}

/* A backup comes back: another file of the same name, without what SQLite keeps beside it. */
static void bring_back(const char *vault)
{
    char book[600], other[640], *bytes;
    size_t n;
    jali_arena arena = JALI_ARENA_INIT;
    book_of(vault, book);
    CHECK_OK(jali_file_read(book, 1 << 24, &arena, &bytes, &n, NULL));
    snprintf(other, sizeof other, "%s.back", book);
    FILE *f = fopen(other, "wb");
    CHECK(f != NULL && fwrite(bytes, 1, n, f) == n && fclose(f) == 0);
    CHECK(chmod(other, 0600) == 0 && rename(other, book) == 0);
    snprintf(other, sizeof other, "%s-wal", book);
    unlink(other);
    snprintf(other, sizeof other, "%s-shm", book);
    unlink(other);
    jali_arena_clear(&arena);
}

static jali_status pay(jali_ledger *ledger, const char *plan)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_charge *charge = NULL;
    jali_release stored;
    mpq_t eps;
    mpq_init(eps);
    mpq_set_ui(eps, 1, 100);
    jali_request r = { .analyst = "ana",
                       .plan = plan,
                       .loss = jali_loss_pure(eps),
                       .exact = "pure 1/100",
                       .note = "a test",
                       .now_ms = NOON };
    jali_status status = jali_ledger_charge(ledger, &r, &arena, &charge, &stored, NULL);
    jali_charge_free(charge);
    mpq_clear(eps);
    jali_arena_clear(&arena);
    return status;
}

/* As a stranger sees the vault who opens it now. */
static int64_t rows_of(const char *vault)
{
    char book[600];
    jali_ledger_report report;
    jali_ledger_places places = { .file = book_of(vault, book) };
    CHECK_OK(jali_ledger_verify(&places, &report, NULL));
    CHECK(report.intact);
    return report.rows;
}

SENTENCE(everybody_gets_the_same_ledger)
{
    UNUSED_STATE;
    const char *vault = make_vault("same.jali");
    jali_hold *hold;
    jali_held *a, *b;
    jali_ledger *one, *two;
    CHECK_OK(jali_hold_open(vault, &hold, NULL));
    CHECK_OK(jali_hold_take(hold, &a, &one, NULL));
    CHECK_OK(jali_hold_take(hold, &b, &two, NULL));
    CHECK(a == b && one == two);
    CHECK_OK(pay(one, "{\"q\":1}"));
    jali_hold_give(hold, a);
    CHECK_OK(pay(two, "{\"q\":2}"));
    jali_hold_give(hold, b);
    CHECK_OK(jali_hold_take(hold, &a, &one, NULL));
    CHECK(one == two); /* and it stays open between two who ask */
    jali_hold_give(hold, a);
    jali_hold_close(hold);
    assert_int_equal(rows_of(vault), 3);
}

/* Before anything is written: a copy that is older than the signed note is refused elsewhere.
 */
SENTENCE(a_file_that_was_put_aside_is_left_and_its_follower_is_taken)
{
    UNUSED_STATE;
    const char *vault = make_vault("aside.jali");
    jali_hold *hold;
    jali_held *old, *new;
    jali_ledger *before, *after;
    jali_account t;
    CHECK_OK(jali_hold_open(vault, &hold, NULL));
    CHECK_OK(jali_hold_take(hold, &old, &before, NULL));
    bring_back(vault);
    CHECK_OK(jali_hold_take(hold, &new, &after, NULL));
    CHECK(old != new &&before != after);
    CHECK_OK(jali_ledger_account(before, &t, NULL)); /* who has it may finish */
    jali_hold_give(hold, old);
    CHECK_OK(pay(after, "{\"q\":1}"));
    /* The old one was closed meanwhile; what the new one writes is the vault's all the same. */
    assert_int_equal(rows_of(vault), 2);
    jali_hold_give(hold, new);
    jali_hold_close(hold);
    assert_int_equal(rows_of(vault), 2);
}

SENTENCE(a_handle_that_failed_is_opened_anew)
{
    UNUSED_STATE;
    const char *vault = make_vault("failed.jali");
    jali_hold *hold;
    jali_held *a, *b;
    jali_ledger *one, *two;
    CHECK_OK(jali_hold_open(vault, &hold, NULL));
    CHECK_OK(jali_hold_take(hold, &a, &one, NULL));
    one->dead = true; /* as after a commit whose end nobody knows */
    CHECK(pay(one, "{\"q\":1}") != JALI_OK);
    CHECK_OK(jali_hold_take(hold, &b, &two, NULL));
    CHECK(a != b);
    CHECK_OK(pay(two, "{\"q\":1}"));
    jali_hold_give(hold, b);
    jali_hold_give(hold, a);
    jali_hold_close(hold);
    assert_int_equal(rows_of(vault), 2);
}

SENTENCE(a_ledger_that_is_gone_is_refused_until_it_is_back)
{
    UNUSED_STATE;
    const char *vault = make_vault("gone.jali");
    char book[600], away[640];
    jali_hold *hold = NULL;
    jali_held *held;
    jali_ledger *ledger;
    jali_err err = { 0 };
    CHECK(jali_hold_open(scratch_path("nowhere.jali"), &hold, &err) != JALI_OK);
    CHECK(hold == NULL && err.text[0] != '\0');
    CHECK_OK(jali_hold_open(vault, &hold, NULL));
    snprintf(away, sizeof away, "%s.away", book_of(vault, book));
    CHECK(rename(book, away) == 0);
    CHECK(jali_hold_take(hold, &held, &ledger, &err) != JALI_OK);
    CHECK(rename(away, book) == 0);
    CHECK_OK(jali_hold_take(hold, &held, &ledger, NULL));
    CHECK_OK(pay(ledger, "{\"q\":1}"));
    jali_hold_give(hold, held);
    jali_hold_close(hold);
    assert_int_equal(rows_of(vault), 2);
}

/* ---- what is public about the vault ------------------------------------------------------ */

static jali_spend of(const char *vault, jali_hold *hold)
{
    return (jali_spend){ .vault = vault,
                         .epsilon = "0.01",
                         .by = "ana",
                         .now_ms = NOON,
                         .quote = true,
                         .threads = 1,
                         .hold = hold };
}

/* A price, as JSON or as the sentence that refuses it. */
static char *price(const char *vault, jali_hold *hold)
{
    jali_doc *doc;
    jali_err err = { 0 };
    char *text;
    jali_style json = { .format = JALI_FORMAT_JSON };
    jali_question q = { .sql = "SELECT ward, COUNT(*) FROM rows GROUP BY ward",
                        .spend = of(vault, hold) };
    if (jali_vault_ask(&q, &doc, &err) != JALI_OK) return strdup(err.text);
    CHECK_OK(jali_doc_render(doc, &json, &text, NULL));
    jali_doc_free(doc);
    char *copy = strdup(text);
    jali_free(text);
    return copy;
}

/* Who holds the vault and who opens it now are told the same; is it a refusal? */
static bool both_refuse(const char *vault, jali_hold *hold)
{
    char *held = price(vault, hold), *fresh = price(vault, NULL);
    assert_string_equal(held, fresh);
    bool refused = held[0] != '{';
    free(held);
    free(fresh);
    return refused;
}

/* Replaces the first `old` in a file of the vault by `new`, of any length. */
static void edit(const char *vault, const char *file, const char *old, const char *new)
{
    char path[600], *bytes;
    size_t n;
    jali_arena arena = JALI_ARENA_INIT;
    snprintf(path, sizeof path, "%s/%s", vault, file);
    CHECK_OK(jali_file_read(path, 1 << 20, &arena, &bytes, &n, NULL));
    char *at = strstr(bytes, old);
    CHECK(at != NULL);
    FILE *f = fopen(path, "wb");
    CHECK(f != NULL);
    fwrite(bytes, 1, (size_t)(at - bytes), f);
    fputs(new, f);
    fputs(at + strlen(old), f);
    CHECK(fclose(f) == 0);
    jali_arena_clear(&arena);
}

/* Until the clock of the file system can tell of a change: base/file.c. */
static void let_it_settle(void)
{
    sleep(3);
}

static void *lent(jali_hold *hold)
{
    jali_copy *copy;
    jali_vault *v;
    CHECK_OK(jali_hold_lend(hold, &copy, &v, NULL));
    jali_hold_return(hold, copy);
    return v;
}

static void edit_and_undo(const char *vault, jali_hold *hold)
{
    static const struct {
        const char *file, *old, *new;
    } edits[] = {
        { "schema.json", "\"B\"", "\"C\"" }, /* of the same length, in the same moment */
        { "schema.json", "\"B\"", "\"B\", \"C\"" },
        { "policy.json", "\"jali\": 1", "\"jali\": 2" },
        { "policy.json", "\"created_ms\": 1700000000", "\"created_ms\": 1700000001" },
        { "policy.json", "{", "[" },
        { "columns/manifest.json", "\"ward\"", "\"wart\"" },
    };
    CHECK(!both_refuse(vault, hold));
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        edit(vault, edits[i].file, edits[i].old, edits[i].new);
        CHECK(both_refuse(vault, hold));
        edit(vault, edits[i].file, edits[i].new, edits[i].old);
        CHECK(!both_refuse(vault, hold)); /* and taken again when it is as it was */
    }
}

SENTENCE(a_vault_that_is_edited_while_it_is_held_is_refused_as_by_who_opens_it)
{
    UNUSED_STATE;
    const char *vault = make_vault("edited.jali");
    jali_hold *hold;
    CHECK_OK(jali_hold_open(vault, &hold, NULL));
    edit_and_undo(vault, hold);
    let_it_settle();
    CHECK(!both_refuse(vault, hold));
    CHECK(lent(hold) == lent(hold)); /* else the edits below would show nothing */
    edit_and_undo(vault, hold);
    jali_hold_close(hold);
}

SENTENCE(everybody_gets_the_same_vault_until_its_files_change)
{
    UNUSED_STATE;
    const char *vault = make_vault("lent.jali");
    jali_hold *hold;
    jali_copy *copy;
    jali_vault *old;
    CHECK_OK(jali_hold_open(vault, &hold, NULL));
    CHECK(lent(hold) != NULL);
    let_it_settle();
    CHECK_OK(jali_hold_lend(hold, &copy, &old, NULL));
    CHECK(lent(hold) == old && lent(hold) == old);
    edit(vault, "policy.json", "\n", "\n "); /* another text of the same meaning */
    CHECK(lent(hold) != old);
    CHECK(strcmp(old->name, "lent") == 0 && old->schema.n == 1); /* who has it may finish */
    jali_hold_return(hold, copy);
    jali_hold_close(hold);
}

/* A paid question, or the sentence that refuses it. */
static char *ask(const char *vault, jali_hold *hold, const char *epsilon)
{
    jali_doc *doc;
    jali_err err = { 0 };
    jali_question q = { .sql = "SELECT ward, COUNT(*) FROM rows GROUP BY ward",
                        .spend = of(vault, hold) };
    q.spend.quote = false;
    q.spend.epsilon = epsilon;
    if (jali_vault_ask(&q, &doc, &err) != JALI_OK) return strdup(err.text);
    jali_doc_free(doc);
    return NULL;
}

static void write_codes(const char *vault, const char *codes)
{
    char path[600];
    snprintf(path, sizeof path, "%s/columns/0000.u8", vault);
    FILE *f = fopen(path, "r+b"); /* in place: whoever mapped it sees it */
    CHECK(f != NULL && fwrite(codes, 1, 3, f) == 3 && fclose(f) == 0);
}

/* Columns that are held were checked once; a change on disk is seen before anybody pays. */
SENTENCE(a_column_that_changes_under_a_server_is_refused_and_nothing_is_paid)
{
    UNUSED_STATE;
    const char *vault = make_vault("column.jali");
    jali_hold *hold;
    CHECK_OK(jali_hold_open(vault, &hold, NULL));
    let_it_settle();
    CHECK(ask(vault, hold, "0.01") == NULL);
    const void *before = lent(hold);
    CHECK(ask(vault, hold, "0.02") == NULL);
    CHECK(lent(hold) == before);
    int64_t rows = rows_of(vault);
    write_codes(vault, "\1\1\1");
    char *words = ask(vault, hold, "0.03");
    CHECK(words != NULL && strstr(words, "does not match its checksum") != NULL);
    free(words);
    assert_int_equal(rows_of(vault), rows);
    write_codes(vault, (const char[]){ 0, 1, 0 });
    CHECK(ask(vault, hold, "0.03") == NULL);
    jali_hold_close(hold);
}

struct guest {
    pthread_t thread;
    jali_hold *hold;
    int failed;
};

static void *come_and_go(void *self)
{
    struct guest *g = self;
    for (int i = 0; i < TURNS; i++) {
        jali_held *held;
        jali_ledger *ledger;
        jali_account t;
        if (jali_hold_take(g->hold, &held, &ledger, NULL) == JALI_OK) {
            g->failed += jali_ledger_account(ledger, &t, NULL) != JALI_OK;
            jali_hold_give(g->hold, held);
        } else
            g->failed++;
    }
    return NULL;
}

SENTENCE(threads_come_and_go_while_the_handle_fails_again_and_again)
{
    UNUSED_STATE;
    const char *vault = make_vault("crowd.jali");
    struct guest all[THREADS];
    jali_hold *hold;
    jali_held *held;
    jali_ledger *ledger;
    CHECK_OK(jali_hold_open(vault, &hold, NULL));
    for (int i = 0; i < THREADS; i++) {
        all[i] = (struct guest){ .hold = hold };
        assert_int_equal(pthread_create(&all[i].thread, NULL, come_and_go, &all[i]), 0);
    }
    for (int i = 0; i < 10; i++) {
        CHECK_OK(jali_hold_take(hold, &held, &ledger, NULL));
        ledger->dead = true;
        jali_hold_give(hold, held);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(all[i].thread, NULL);
        assert_int_equal(all[i].failed, 0);
    }
    jali_hold_close(hold);
    assert_int_equal(rows_of(vault), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(everybody_gets_the_same_ledger),
        TEST(a_file_that_was_put_aside_is_left_and_its_follower_is_taken),
        TEST(a_handle_that_failed_is_opened_anew),
        TEST(a_ledger_that_is_gone_is_refused_until_it_is_back),
        TEST(a_vault_that_is_edited_while_it_is_held_is_refused_as_by_who_opens_it),
        TEST(everybody_gets_the_same_vault_until_its_files_change),
        TEST(a_column_that_changes_under_a_server_is_refused_and_nothing_is_paid),
        TEST(threads_come_and_go_while_the_handle_fails_again_and_again)
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
