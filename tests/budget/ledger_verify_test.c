/* Refutes ledger.evident if it can: every way we know to change a book behind its back. */
#define _GNU_SOURCE
#include "budget/store_postgres.h"
#include "model.h"
#include <sys/stat.h>

/* A superuser who sends the triggers to sleep for a while; nothing in the schema shows it. */
static void behind_server(desk *d, const char *sql)
{
    char view[600];
    PGconn *link = server_link(d->database, "jali_census");
    snprintf(view, sizeof view, "CREATE TEMP VIEW head AS %s", jali_pg_head);
    server_do(link, view);
    server_do(link, "SET session_replication_role = replica");
    server_do(link, sql);
    PQfinish(link);
}

/* SQL with the triggers out of the way, which are then put back word for word. */
static void behind(desk *d, const char *sql)
{
    if (on_server()) {
        behind_server(d, sql);
        return;
    }
    sqlite3 *db;
    sqlite3_stmt *s;
    char *drop = sqlite3_mprintf("PRAGMA foreign_keys=OFF; PRAGMA synchronous=OFF;"),
         *make = sqlite3_mprintf("");
    assert_int_equal(sqlite3_open(d->file, &db), SQLITE_OK);
    sqlite3_prepare_v2(db, "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'", -1, &s,
                       NULL);
    while (sqlite3_step(s) == SQLITE_ROW) {
        drop = sqlite3_mprintf("%z DROP TRIGGER %s;", drop, sqlite3_column_text(s, 0));
        make = sqlite3_mprintf("%z %s;", make, sqlite3_column_text(s, 1));
    }
    sqlite3_finalize(s);
    assert_int_equal(sqlite3_exec(db, drop, NULL, NULL, NULL), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    assert_int_equal(sqlite3_exec(db, make, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_free(drop);
    sqlite3_free(make);
    sqlite3_close(db);
}

SENTENCE(an_honest_ledger_is_intact)
{
    UNUSED_STATE;
    desk d;
    fill(&d);
    jali_ledger_report r = desk_verify(&d);
    CHECK(r.intact && r.rows == 7 && r.charges == 3 && r.releases == 2 && r.acts == 2);
    CHECK(r.signed_row == 7 && r.bad_row == 0 && r.sum.eps_infinite);
    CHECK_OK(jali_ledger_report_status(&r, NULL));
    behind(&d, "SELECT 1"); /* triggers out and in again change nothing */
    CHECK(desk_verify(&d).intact);
    desk_clear(&d);
}

SENTENCE(triggers_refuse_every_change)
{
    UNUSED_STATE;
    static const char *const changes[] = {
        "UPDATE charges SET eps_pico = 0",
        "DELETE FROM charges WHERE seq = 7",
        "UPDATE releases SET body = '{}'",
        "DELETE FROM releases",
        "UPDATE acts SET body = '{}'",
        "DELETE FROM acts WHERE seq = 4",
        "UPDATE meta SET value = 'x'",
        "DELETE FROM meta",
        "INSERT INTO meta VALUES('x', 'y')",
        "INSERT OR REPLACE INTO meta VALUES('vault', 'y')",
        "INSERT OR REPLACE INTO acts VALUES(4, 0, 'x', 'quota', '', '{}', '', '')",
        "INSERT INTO acts VALUES(9, 0, 'x', 'quota', '', '{}', (SELECT hash FROM head), '')",
        "INSERT INTO acts VALUES(8, 0, 'x', 'quota', '', '{}', 'not the last hash', '')",
        "INSERT OR REPLACE INTO releases VALUES(8, 0, 2, 'r', 3, '{}',"
        " (SELECT hash FROM head), '')",
        "INSERT OR REPLACE INTO releases VALUES(8, 0, 7, 'r', 1, '{}',"
        " (SELECT hash FROM head), '')",
    };
    desk d;
    fill(&d);
    sqlite3 *db;
    assert_int_equal(sqlite3_open(d.file, &db), SQLITE_OK);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        assert_int_equal(sqlite3_exec(db, changes[i], NULL, NULL, NULL), SQLITE_CONSTRAINT);
    sqlite3_close(db);
    CHECK(desk_verify(&d).intact);
    desk_clear(&d);
}

SENTENCE(each_change_is_found_at_its_row)
{
    UNUSED_STATE;
    static const struct {
        const char *sql;
        int64_t row;
        const char *words;
    } cases[] = {
        { "UPDATE charges SET eps_pico = 1 WHERE seq = 2", 2, "hash" },
        { "UPDATE charges SET analyst = 'eve' WHERE seq = 5", 5, "hash" },
        { "UPDATE charges SET time_ms = time_ms + 1 WHERE seq = 7", 7, "hash" },
        { "UPDATE releases SET body = '{\"count\":42}' WHERE seq = 3", 3, "hash" },
        { "UPDATE acts SET body = '{\"ppm\":1}' WHERE seq = 4", 4, "hash" },
        { "UPDATE acts SET subject = 'ana' WHERE seq = 4", 4, "hash" },
        { "UPDATE charges SET hash = prev WHERE seq = 2", 2, "hash" },
        { "UPDATE charges SET prev = hash WHERE seq = 5", 5, "does not follow" },
        { "DELETE FROM charges WHERE seq = 2", 2, "missing" },
        { "DELETE FROM releases WHERE seq = 6", 6, "missing" },
        { "DELETE FROM acts WHERE seq = 1", 1, "missing" },
        { "DELETE FROM charges WHERE seq = 7", 7, "missing" },
        { "DELETE FROM charges; DELETE FROM releases; DELETE FROM acts", 1, "missing" },
        { "UPDATE charges SET seq = 99 WHERE seq = 2; UPDATE charges SET seq = 2 WHERE seq = 5;"
          "UPDATE charges SET seq = 5 WHERE seq = 99",
          2, "does not follow" },
        { "UPDATE charges SET seq = 3 WHERE seq = 2", 2, "missing" },
        { "UPDATE charges SET seq = 6 WHERE seq = 7", 6, "" },
        { "INSERT INTO acts SELECT 3, time_ms, who, what, subject, body, prev, hash FROM acts"
          " WHERE seq = 4",
          3, "" },
        { "UPDATE charges SET seq = -5 WHERE seq = 2", -5, "twice" },
        { "INSERT INTO acts VALUES(8, 0, 'x', 'quota', '', '{\"ppm\":5}',"
          " (SELECT hash FROM head), 'made up')",
          8, "hash" },
        { "UPDATE meta SET value = 'other' WHERE key = 'vault'", 1, "vault" },
        /* Another key for certain: no key is one digit all over. */
        { "UPDATE meta SET value = substr(value, 2) || substr(value, 1, 1)"
          " WHERE key = 'verifying_key'",
          1, "key" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        desk d;
        fill(&d);
        behind(&d, cases[i].sql);
        /* On a server the vault's name is part of the address: no row is looked at. */
        bool astray = on_server() && strstr(cases[i].sql, "'vault'") != NULL;
        check_bad(&d, astray ? 0 : cases[i].row, cases[i].words);
        check_does_not_open(&d, "");
        desk_clear(&d);
    }
}

/* The kind of row `seq`, and the hash that it should have. */
static int hash_of(desk *d, int64_t seq, char hash[static JALI_HASH_TEXT])
{
    jali_store *store;
    jali_walk walk;
    jali_row row;
    const char *prev;
    bool found;
    CHECK_OK(jali_places_store(&store, &d->places, JALI_STORE_READ, NULL));
    CHECK_OK(store->kind->begin(store, JALI_STORE_READ, NULL));
    CHECK_OK(jali_walk_init(&walk, store, seq, NULL));
    CHECK_OK(jali_walk_next(&walk, &found, &row, &prev, NULL));
    jali_walk_hash(&walk, hash);
    jali_walk_clear(&walk);
    store->kind->rollback(store);
    store->kind->close(store);
    return (int)row.kind;
}

/* Rewrites prev and hash of every row so that the chain holds again. */
static void rechain(desk *d)
{
    char last[JALI_HASH_TEXT] = "", hash[JALI_HASH_TEXT], sql[256];
    static const char *const tables[] = { "charges", "releases", "acts" };
    memset(last, '0', JALI_HASH_TEXT - 1);
    for (int64_t seq = 1; seq <= 7; seq++) {
        for (int pass = 0; pass < 2; pass++) {
            int kind = hash_of(d, seq, hash);
            snprintf(sql, sizeof sql, "UPDATE %s SET prev = '%s', hash = '%s' WHERE seq = %lld",
                     tables[kind], last, hash, (long long)seq);
            behind(d, sql);
        }
        snprintf(last, sizeof last, "%s", hash);
    }
}

SENTENCE(a_whole_new_chain_is_not_the_one_that_was_signed)
{
    UNUSED_STATE;
    desk d;
    fill(&d);
    behind(&d, "UPDATE charges SET note = 'something else' WHERE seq = 2");
    rechain(&d);
    check_bad(&d, 7, "not the row that the checkpoint signed");
    check_does_not_open(&d, "row 7 of the ledger");
    desk_clear(&d);
}

/* Even who holds the key cannot have a ledger above its cap called intact. */
SENTENCE(a_signed_ledger_above_its_cap_is_bad)
{
    UNUSED_STATE;
    for (int way = 0; way < 3; way++) {
        desk d;
        jali_head head;
        char plan_hash[JALI_HASH_TEXT];
        fill(&d);
        jali_ledger *l = desk_open(&d);
        CHECK_OK(jali_plan_hash(plan_hash, way == 2 ? "another" : "{}", NULL));
        int64_t rho = way == 0 ? 2000000000000 : 1;
        int64_t before = 10000000000 + 100000000; /* of rows 2, 5, 7 */
        jali_cell cells[] = { { 0 },
                              jali_cell_number(NOON),
                              jali_cell_text("ana"),
                              jali_cell_text("census"),
                              jali_cell_text(""),
                              jali_cell_text(plan_hash),
                              jali_cell_text("{}"),
                              jali_cell_text(""),
                              jali_cell_text(""),
                              jali_cell_number(0),
                              jali_cell_number(1),
                              jali_cell_number(rho),
                              jali_cell_number(0),
                              jali_cell_number(0),
                              jali_cell_number(1),
                              jali_cell_number(before + (way == 1 ? 0 : rho)),
                              jali_cell_number(0) };
        CHECK_OK(jali_row_append(l->store, JALI_ROW_CHARGE, cells, &head, NULL));
        CHECK_OK(jali_ledger_close(l, NULL));
        check_bad(&d, 8,
                  way == 0   ? "beyond the cap"
                  : way == 1 ? "not the sum"
                             : "does not have the hash");
        desk_clear(&d);
    }
}

/* ---- files ---- */

SENTENCE(other_versions_and_other_files_are_refused_by_name)
{
    UNUSED_STATE;
    desk d;
    jali_ledger *l;
    jali_ledger_report report;
    jali_err err;
    fill(&d);
    desk_sql(&d, "PRAGMA user_version = 2");
    check_does_not_open(&d, "format 2 and this jali knows format 1");
    check_bad(&d, 0, "format 2");
    desk_sql(&d, "PRAGMA application_id = 7");
    check_does_not_open(&d, "is not a jali ledger");
    desk_write(d.file, "age,income\n1,2\n", 15, 0600);
    check_does_not_open(&d, "not a database");
    check_bad(&d, 0, "not a database");
    desk_write(d.file, "", 0, 0600);
    check_does_not_open(&d, "is not a jali ledger");
    CHECK(unlink(d.file) == 0);
    CHECK(jali_ledger_open(&l, &d.places, JALI_LEDGER_READ, &err) == JALI_E_ENGINE);
    CHECK_REFUSED(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "there is no ledger at");
    CHECK(jali_ledger_verify(&d.places, &report, &err) == JALI_E_ENGINE);
    desk_clear(&d);
}

SENTENCE(a_trigger_of_a_stranger_is_refused)
{
    UNUSED_STATE;
    typedef struct guest {
        const char *sql, *name;
    } guest;
    static const guest in_file[] = {
        { "CREATE TRIGGER zz AFTER INSERT ON charges BEGIN DELETE FROM releases; END", "zz" },
        { "CREATE TABLE aa(a)", "aa" },
        { "DROP TRIGGER charges_no_update", "charges_no_update" },
        { "DROP INDEX charges_by_plan", "charges_by_plan" },
        { "DROP VIEW head", "head" },
        { "DROP TRIGGER meta_once; DROP TRIGGER meta_no_delete; DROP TABLE meta", "meta" },
    };
    static const guest in_server[] = {
        { "CREATE TRIGGER zz AFTER INSERT ON charges EXECUTE FUNCTION refuse()", "zz" },
        { "CREATE TABLE aa(a int)", "aa.a" },
        { "CREATE VIEW aa AS SELECT 1 AS a", "aa.a" },
        { "DROP TRIGGER charges_no_change ON charges", "charges_no_change" },
        { "ALTER TABLE charges DISABLE TRIGGER charges_no_change", "charges_no_change" },
        { "ALTER TABLE releases DISABLE TRIGGER ALL", "RI_ConstraintTrigger_c" },
        { "DROP INDEX charges_by_plan", "charges_by_plan" },
        { "ALTER TABLE acts SET UNLOGGED", "acts" },
        { "ALTER TABLE acts ENABLE ROW LEVEL SECURITY", "acts" },
        { "CREATE POLICY guest ON charges USING (false)", "guest" },
        { "CREATE RULE aa AS ON INSERT TO charges DO INSTEAD NOTHING", "charges" },
        { "CREATE OR REPLACE FUNCTION in_order() RETURNS trigger LANGUAGE plpgsql AS"
          " 'BEGIN RETURN NEW; END'",
          "in_order" },
        { "ALTER FUNCTION in_order() RESET ALL", "in_order" },
        { "CREATE TABLE more() INHERITS (charges)", "more" },
        { "ALTER TABLE acts ALTER who DROP NOT NULL", "acts.who" },
        { "DROP TABLE turn", "turn" },
    };
    const guest *guests = on_server() ? in_server : in_file;
    size_t n =
        on_server() ? sizeof in_server / sizeof *in_server : sizeof in_file / sizeof *in_file;
    for (size_t i = 0; i < n; i++) {
        desk d;
        char words[64];
        fill(&d);
        desk_sql(&d, guests[i].sql);
        snprintf(words, sizeof words, on_server() ? "(\"%s" : "(\"%s\"); somebody changed it",
                 guests[i].name);
        check_does_not_open(&d, words);
        check_bad(&d, 0, words);
        desk_clear(&d);
    }
}

/* The usual way to edit a row leaves two traces; the row is the one that is told. */
SENTENCE(a_row_edited_after_its_trigger_was_dropped_is_named)
{
    UNUSED_STATE;
    desk d;
    fill(&d);
    desk_sql(&d, on_server() ? "DROP TRIGGER charges_no_change ON charges"
                             : "DROP TRIGGER charges_no_update");
    desk_sql(&d, "UPDATE charges SET rho_pico = 0 WHERE seq = 5");
    check_bad(&d, 5, "row 5 of the ledger is the first bad one: its hash");
    check_does_not_open(&d, on_server() ? "charges_no_change" : "charges_no_update");
    desk_clear(&d);
}

SENTENCE(a_truncated_file_is_never_intact)
{
    UNUSED_STATE;
    desk d;
    struct stat st;
    fill(&d);
    CHECK(stat(d.file, &st) == 0);
    for (off_t size = st.st_size - 1; size > 0; size -= size > 8192 ? 3001 : 511) {
        CHECK(truncate(d.file, size) == 0);
        jali_ledger_report report = desk_verify(&d);
        CHECK(!report.intact && report.why[0] != '\0');
        jali_ledger *l;
        jali_err err;
        CHECK(jali_ledger_open(&l, &d.places, JALI_LEDGER_READ, &err) == JALI_E_LEDGER);
    }
    desk_clear(&d);
}

/* A hash in the index by plan, in place of another: no row is touched, and a question would be
 * answered with the release of another one. */
SENTENCE(an_index_that_lies_is_refused_at_opening_and_mended_by_making_it_again)
{
    UNUSED_STATE;
    desk d;
    char *bytes, hash[JALI_HASH_TEXT];
    size_t n;
    int changed = 0;
    fill(&d);
    CHECK_OK(jali_plan_hash(hash, "{\"q\":1}", NULL));
    CHECK_OK(jali_file_read(d.file, 1 << 24, &d.arena, &bytes, &n, NULL));
    char *in_index =
        NULL; /* the entry ends with the hash and a row's number, no plan follows */
    for (char *at = bytes; (at = memmem(at, n - (size_t)(at - bytes), hash, 64)) != NULL; at++)
        if (at + 65 < bytes + n && at[64] != '{') in_index = at, changed++;
    CHECK(changed == 1);
    in_index[0] = in_index[0] == '0' ? '1' : '0';
    desk_write(d.file, bytes, n, 0600);
    check_does_not_open(&d, "REINDEX");
    check_bad(&d, 0, "index charges_by_plan");
    desk_sql(&d, "REINDEX");
    CHECK(desk_verify(&d).intact);
    CHECK_OK(jali_ledger_close(desk_open(&d), NULL));
    desk_clear(&d);
}

static bool add_row(void *self, const jali_row *row)
{
    char *out = self;
    size_t n = strlen(out);
    snprintf(out + n, 4096 - n, "%lld %lld %s %s %s %llu %s\n", (long long)row->seq,
             (long long)row->time_ms, row->who == NULL ? "" : row->who,
             row->plan == NULL ? "" : row->plan, row->body == NULL ? "" : row->body,
             (unsigned long long)row->loss.rho_pico, row->hash);
    return true;
}

/* Flips single bits all over the file: then either verify says no, or every row still reads
 * as it did (a free page, an unused byte). */
SENTENCE(a_flipped_bit_is_found_or_changes_nothing)
{
    UNUSED_STATE;
    desk d;
    char *bytes, before[4096] = "", after[4096];
    size_t n;
    int found = 0;
    jali_ledger *l;
    fill(&d);
    CHECK_OK(jali_ledger_open(&l, &d.places, JALI_LEDGER_READ, NULL));
    CHECK_OK(jali_ledger_each(l, 1, add_row, before, NULL));
    CHECK_OK(jali_ledger_close(l, NULL));
    CHECK_OK(jali_file_read(d.file, 1 << 24, &d.arena, &bytes, &n, NULL));
    for (size_t i = 0; i < n; i += i < 120 ? 7 : 197) {
        bytes[i] ^= (char)(1 << (i % 8));
        desk_write(d.file, bytes, n, 0600);
        bytes[i] ^= (char)(1 << (i % 8));
        jali_ledger_report report = desk_verify(&d);
        found += !report.intact;
        if (!report.intact) continue;
        after[0] = '\0';
        CHECK_OK(jali_ledger_open(&l, &d.places, JALI_LEDGER_READ, NULL));
        CHECK_OK(jali_ledger_each(l, 1, add_row, after, NULL));
        CHECK_OK(jali_ledger_close(l, NULL));
        assert_string_equal(before, after);
    }
    CHECK(found > 25);
    desk_clear(&d);
}

/* What a server's own pages and programs make pointless is left out there; ledger_server_test.c
 * has its counterpart. */
int main(void)
{
    const struct CMUnitTest anywhere[] = {
        TEST(an_honest_ledger_is_intact),
        TEST(each_change_is_found_at_its_row),
        TEST(a_whole_new_chain_is_not_the_one_that_was_signed),
        TEST(a_signed_ledger_above_its_cap_is_bad),
        TEST(a_trigger_of_a_stranger_is_refused),
        TEST(a_row_edited_after_its_trigger_was_dropped_is_named),
    };
    const struct CMUnitTest in_a_file[] = {
        TEST(triggers_refuse_every_change),
        TEST(other_versions_and_other_files_are_refused_by_name),
        TEST(a_truncated_file_is_never_intact),
        TEST(an_index_that_lies_is_refused_at_opening_and_mended_by_making_it_again),
        TEST(a_flipped_bit_is_found_or_changes_nothing),
    };
    struct CMUnitTest all[11];
    memcpy(all, anywhere, sizeof anywhere);
    memcpy(all + 6, in_a_file, sizeof in_a_file);
    if (on_server()) return cmocka_run_group_tests(anywhere, make_model, drop_model);
    return cmocka_run_group_tests(all, make_model, drop_model);
}
