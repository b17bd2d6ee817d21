/* Refutes ledger.shared if it can where the server goes away, or somebody else comes: lines
 * that are cut at a commit, restarts, old copies, roles that may not, other ledgers. */
#define _DEFAULT_SOURCE
#include "budget/store_postgres.h"
#include "cut_line.h"
#include "server_words.h"

/* ---- a line that is cut ---- */

/* Pays once over a line that breaks at its commit. */
static jali_status pay_over(desk *d, cut how,
                            jali_status (*recover)(jali_store *, bool *, jali_err *),
                            jali_err *err)
{
    char folder[] = "/tmp/jali-line-XXXXXX", server[160];
    jali_charge *charge = NULL;
    jali_release found;
    jali_store_kind kind;
    CHECK(mkdtemp(folder) != NULL);
    snprintf(server, sizeof server, "host=%s dbname=%s", folder, d->database);
    point(d, server);
    pid_t line = line_start(folder, how);
    jali_ledger *l = desk_open(d);
    if (recover != NULL) {
        kind = *l->store->kind;
        kind.recover = recover;
        l->store->kind = &kind;
    }
    jali_request r = desk_request("ana", "{\"q\":1}", desk_pure("0.3"));
    if (recover == NULL) r.id = "monday-1";
    jali_status status = jali_ledger_charge(l, &r, &d->arena, &charge, &found, err);
    CHECK((charge != NULL) == (status == JALI_OK));
    jali_charge_free(charge);
    if (jali_ledger_close(l, NULL) != JALI_OK) CHECK(how == CUT_FOR_GOOD);
    line_stop(line);
    jali_file_remove_tree(folder);
    snprintf(server, sizeof server, "dbname=%s", d->database);
    point(d, server);
    return status;
}

SENTENCE(a_commit_that_never_arrived_is_sent_again_and_paid_once)
{
    UNUSED_STATE;
    desk d;
    desk_create(&d, "1", "0");
    CHECK_OK(pay_over(&d, CUT_BEFORE, NULL, NULL));
    CHECK(count(&d, "SELECT count(*) FROM charges") == 1 && desk_verify(&d).intact);
    desk_clear(&d);
}

SENTENCE(a_commit_whose_answer_was_lost_is_recognised_and_paid_once)
{
    UNUSED_STATE;
    desk d;
    desk_create(&d, "1", "0");
    CHECK_OK(pay_over(&d, CUT_AFTER, NULL, NULL));
    CHECK(count(&d, "SELECT count(*) FROM charges") == 1 && desk_verify(&d).intact);
    desk_clear(&d);
}

/* The twin believes that what was not answered did not happen. */
static jali_status forget(jali_store *store, bool *committed, jali_err *err)
{
    server_store *s = (server_store *)store;
    PQfinish(s->link);
    s->link = NULL;
    JALI_TRY(jali_pg_connect(&s->link, s->server, err));
    PQclear(PQexec(s->link, "SET client_min_messages = error; SET search_path = jali_census"));
    store->lost = false;
    *committed = false;
    return JALI_OK;
}

SENTENCE(a_twin_that_does_not_look_back_pays_twice)
{
    UNUSED_STATE;
    desk d;
    desk_create(&d, "1", "0");
    jali_status status = pay_over(&d, CUT_AFTER, forget, NULL);
    /* Its first row is one that it does not know; the second follows it. */
    CHECK(status == JALI_OK && count(&d, "SELECT count(*) FROM charges") == 2);
    desk_clear(&d);
}

SENTENCE(a_server_that_stays_away_draws_nothing_and_the_request_id_tells)
{
    UNUSED_STATE;
    desk d;
    jali_err err;
    jali_charge *charge = NULL;
    jali_release found;
    desk_create(&d, "1", "0");
    CHECK(pay_over(&d, CUT_FOR_GOOD, NULL, &err) == JALI_E_ENGINE);
    CHECK_REFUSED(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "ask again under the same request id");
    jali_ledger *l = desk_open(&d);
    jali_request r = desk_request("ana", "{\"q\":1}", desk_pure("0.3"));
    r.id = "monday-1";
    CHECK(jali_ledger_charge(l, &r, &d.arena, &charge, &found, &err) == JALI_E_BUDGET);
    CHECK_REFUSED(err, JALI_E_BUDGET, JALI_FOR_ANALYST, "charged in row 2 and has no release");
    CHECK_OK(jali_ledger_close(l, NULL));
    CHECK(desk_verify(&d).charges == 1);
    desk_clear(&d);
}

/* ---- a server that goes away ---- */

SENTENCE(a_server_that_is_restarted_while_we_draw_stores_the_release)
{
    UNUSED_STATE;
    desk d;
    jali_charge *charge = NULL;
    jali_totals t;
    jali_release told;
    desk_create(&d, "1", "0");
    jali_ledger *l = desk_open(&d);
    CHECK_OK(desk_pay(&d, l, "ana", "{\"q\":1}", desk_pure("0.3"), &charge, NULL));
    control("restart immediate");
    CHECK_OK(jali_ledger_store(l, charge, 'r', "{}", 2, NOON, &told, NULL));
    jali_charge_free(charge);
    control("restart immediate");
    CHECK_OK(jali_ledger_totals(l, &d.arena, &t, NULL));
    CHECK(t.charges == 1 && t.releases == 1);
    CHECK_OK(jali_ledger_close(l, NULL));
    CHECK(desk_verify(&d).intact);
    desk_clear(&d);
}

SENTENCE(a_server_that_is_down_is_one_sentence_and_nothing_is_drawn)
{
    UNUSED_STATE;
    desk d;
    jali_ledger *l = NULL;
    jali_ledger_report report;
    jali_err err;
    desk_create(&d, "1", "0");
    control("stop fast");
    CHECK(jali_ledger_open(&l, &d.places, JALI_LEDGER_WRITE, &err) == JALI_E_ENGINE);
    CHECK_REFUSED(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                  "cannot connect to the PostgreSQL server");
    CHECK(jali_ledger_verify(&d.places, &report, &err) == JALI_E_ENGINE);
    control("start");
    CHECK(l == NULL && desk_verify(&d).intact);
    desk_clear(&d);
}

/* An old copy brought back while we draw: our charge is not in it. */
SENTENCE(a_server_brought_back_from_an_old_copy_releases_nothing)
{
    UNUSED_STATE;
    desk d;
    jali_charge *charge = NULL;
    jali_err err;
    jali_release told;
    desk_create(&d, "1", "0");
    desk_keep(&d);
    jali_ledger *l = desk_open(&d);
    CHECK_OK(desk_pay(&d, l, "ana", "{\"q\":1}", desk_pure("0.3"), &charge, NULL));
    desk_bring_back(&d);
    CHECK(jali_ledger_store(l, charge, 'r', "{}", 2, NOON, &told, &err) == JALI_E_LEDGER);
    CHECK_REFUSED(err, JALI_E_LEDGER, JALI_FOR_CURATOR, "is an old copy");
    jali_charge_free(charge);
    jali_ledger_close(l, NULL);
    desk_clear(&d);
}

SENTENCE(a_server_that_might_forget_a_charge_is_refused)
{
    UNUSED_STATE;
    desk d;
    jali_ledger *l = NULL;
    jali_err err;
    desk_create(&d, "1", "0");
    server_admin("ALTER SYSTEM SET fsync = off", "", "");
    control("restart fast");
    CHECK(jali_ledger_open(&l, &d.places, JALI_LEDGER_WRITE, &err) == JALI_E_ENGINE);
    CHECK_REFUSED(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "runs with fsync off");
    CHECK(desk_verify(&d).intact); /* reading is fine */
    server_admin("ALTER SYSTEM RESET fsync", "", "");
    control("restart fast");
    server_admin("ALTER ROLE postgres SET synchronous_commit = off", "", "");
    l = desk_open(&d);
    jali_rows rows;
    bool found;
    CHECK_OK(
        jali_rows_first(&rows, l->store, "SHOW synchronous_commit", NULL, 0, &found, NULL));
    assert_string_equal(jali_rows_text(&rows, 0), "on");
    jali_rows_finish(&rows);
    CHECK_OK(jali_ledger_close(l, NULL));
    server_admin("ALTER ROLE postgres RESET synchronous_commit", "", "");
    desk_clear(&d);
}

/* ---- who may what ---- */

static const char *const CHANGES[] = {
    "UPDATE charges SET eps_pico = 0",
    "DELETE FROM charges WHERE seq = 2",
    "TRUNCATE charges CASCADE",
    "UPDATE releases SET body = '{}'",
    "DELETE FROM releases",
    "TRUNCATE releases",
    "UPDATE acts SET body = '{}'",
    "DELETE FROM acts",
    "TRUNCATE acts",
    "UPDATE meta SET value = 'x'",
    "DELETE FROM meta",
    "TRUNCATE meta",
    "INSERT INTO meta VALUES('x', 'y')",
    "INSERT INTO meta VALUES('vault', 'y') ON CONFLICT (key) DO UPDATE SET value = 'y'",
};

SENTENCE(triggers_refuse_every_change_even_to_the_owner)
{
    UNUSED_STATE;
    desk d;
    desk_create(&d, "1", "0");
    jali_ledger *l = desk_open(&d);
    desk_ask(&d, l, "ana", "{\"q\":1}", desk_pure("0.1"));
    CHECK_OK(jali_ledger_close(l, NULL));
    PGconn *link = server_link(d.database, "jali_census");
    for (size_t i = 0; i < sizeof CHANGES / sizeof *CHANGES; i++)
        server_refuses(link, CHANGES[i], "P0001");
    server_refuses(link, "INSERT INTO turn DEFAULT VALUES", "P0001");
    server_refuses(link, "INSERT INTO acts VALUES(9, 0, 'x', 'quota', '', '{}', '', '')",
                   "P0001");
    server_refuses(link, "INSERT INTO acts VALUES(4, 0, 'x', 'quota', '', '{}', '', '')",
                   "P0001");
    server_refuses(link, "INSERT INTO acts VALUES(1, 0, 'x', 'quota', '', '{}', '', '')",
                   "P0001");
    server_refuses(link, "DROP TABLE charges", "2BP01");
    PQfinish(link);
    CHECK(desk_verify(&d).intact);
    desk_clear(&d);
}

SENTENCE(a_clerk_can_charge_and_a_reader_can_read_and_neither_more)
{
    UNUSED_STATE;
    desk d;
    jali_ledger *l;
    jali_totals t;
    jali_err err;
    desk_create(&d, "1", "0");
    PGconn *link = server_link(d.database, "jali_census");
    /* docs/ledger.md, word for word, with the names of here */
    server_do(link,
              "CREATE ROLE jali_clerk LOGIN; CREATE ROLE jali_reader LOGIN;"
              "GRANT USAGE ON SCHEMA jali_census TO jali_clerk, jali_reader;"
              "GRANT SELECT ON ALL TABLES IN SCHEMA jali_census TO jali_clerk, jali_reader;"
              "GRANT INSERT ON jali_census.charges, jali_census.releases TO jali_clerk;"
              "GRANT UPDATE ON jali_census.turn TO jali_clerk");
    as_role(&d, "jali_clerk");
    l = desk_open(&d);
    desk_ask(&d, l, "ana", "{\"q\":1}", desk_pure("0.1"));
    CHECK(jali_ledger_set_question(l, 500000, &(jali_hand){ "eve", NOON }, &err) ==
          JALI_E_ENGINE);
    CHECK_REFUSED(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "permission denied for table acts");
    CHECK_OK(jali_ledger_close(l, NULL));
    server_do(link, "SET ROLE jali_clerk");
    for (size_t i = 0; i < sizeof CHANGES / sizeof *CHANGES; i++)
        server_refuses(link, CHANGES[i], "42501");
    server_refuses(link, "UPDATE turn SET ctid = ctid", "0A000");
    server_refuses(link, "ALTER TABLE charges DISABLE TRIGGER ALL", "42501");
    server_refuses(link, "SET session_replication_role = replica", "42501");
    server_do(link, "RESET ROLE");
    as_role(&d, "jali_reader");
    CHECK(jali_ledger_open(&l, &d.places, JALI_LEDGER_READ, &err) == JALI_OK);
    CHECK_OK(jali_ledger_totals(l, &d.arena, &t, NULL));
    CHECK(t.charges == 1);
    CHECK_OK(jali_ledger_close(l, NULL));
    CHECK(desk_verify(&d).intact);
    server_do(link, "DROP OWNED BY jali_clerk, jali_reader; DROP ROLE jali_clerk, jali_reader");
    PQfinish(link);
    desk_clear(&d);
}

SENTENCE(a_ledger_of_another_vault_or_of_nobody_is_refused)
{
    UNUSED_STATE;
    desk d;
    char pointer[256];
    jali_ledger *l = NULL;
    jali_err err;
    desk_create(&d, "1", "0");
    int n =
        snprintf(pointer, sizeof pointer,
                 "{\"jali\": 1, \"vault\": \"other\", \"server\": \"dbname=%s\"}", d.database);
    desk_write(d.file, pointer, (size_t)n, 0600);
    CHECK(jali_ledger_open(&l, &d.places, JALI_LEDGER_WRITE, &err) == JALI_E_LEDGER);
    CHECK_REFUSED(err, JALI_E_LEDGER, JALI_FOR_CURATOR, "there is no ledger jali_other at");
    desk_sql(&d, "ALTER SCHEMA jali_census RENAME TO jali_other");
    CHECK(jali_ledger_open(&l, &d.places, JALI_LEDGER_WRITE, &err) == JALI_E_LEDGER);
    CHECK_REFUSED(err, JALI_E_LEDGER, JALI_FOR_CURATOR, "is of another vault");
    desk_write(d.file, "{\"jali\": 1}", 11, 0600);
    CHECK(jali_ledger_open(&l, &d.places, JALI_LEDGER_WRITE, &err) == JALI_E_LEDGER);
    CHECK_REFUSED(err, JALI_E_LEDGER, JALI_FOR_CURATOR, "does not say where the ledger is");
    CHECK(l == NULL);
    desk_clear(&d);
}

SENTENCE(a_password_never_gets_into_the_vault)
{
    UNUSED_STATE;
    desk d;
    jali_err err;
    jali_cap cap = desk_cap("1", "0");
    desk_init(&d);
    d.places.server = "postgresql://ana:s3cret@host/db";
    CHECK(jali_ledger_create(&d.places, "census", &cap, &(jali_hand){ "carol", NOON }, &err) ==
          JALI_E_USAGE);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_CURATOR, "holds a password");
    CHECK(!jali_file_exists(d.file) && strstr(err.text, "s3cret") == NULL);
    desk_clear(&d);
}

RUN_ALL(TEST(a_commit_that_never_arrived_is_sent_again_and_paid_once),
        TEST(a_commit_whose_answer_was_lost_is_recognised_and_paid_once),
        TEST(a_twin_that_does_not_look_back_pays_twice),
        TEST(a_server_that_stays_away_draws_nothing_and_the_request_id_tells),
        TEST(a_server_that_is_restarted_while_we_draw_stores_the_release),
        TEST(a_server_that_is_down_is_one_sentence_and_nothing_is_drawn),
        TEST(a_server_brought_back_from_an_old_copy_releases_nothing),
        TEST(a_server_that_might_forget_a_charge_is_refused),
        TEST(triggers_refuse_every_change_even_to_the_owner),
        TEST(a_clerk_can_charge_and_a_reader_can_read_and_neither_more),
        TEST(a_ledger_of_another_vault_or_of_nobody_is_refused),
        TEST(a_password_never_gets_into_the_vault))
