/* Refutes ledger.shared if it can: a ledger on a server, with all that a server brings. The
 * suites of the file storage run over a server, too; here is what a file does not know. */
#define _DEFAULT_SOURCE
#include "budget/store_postgres.h"
#include "cut_line.h"
#include "desk.h"
#include <time.h>

enum { CLIENTS = 64, MACHINES = 2 };

/* ---- words ---- */

static void point(desk *d, const char *server)
{
    char pointer[256];
    snprintf(d->server, sizeof d->server, "%s", server);
    int n = snprintf(pointer, sizeof pointer,
                     "{\"jali\": 1, \"vault\": \"census\", \"server\": \"%s\"}", server);
    desk_write(d->file, pointer, (size_t)n, 0600);
}

static void as_role(desk *d, const char *role)
{
    char server[160];
    snprintf(server, sizeof server, "dbname=%s user=%s", d->database, role);
    point(d, server);
}

static void control(const char *word)
{
    char command[512];
    snprintf(command, sizeof command, "%s %s >/dev/null 2>&1", getenv("JALI_POSTGRES"), word);
    assert_int_equal(system(command), 0);
}

static int64_t count(desk *d, const char *sql)
{
    PGconn *link = server_link(d->database, "jali_census");
    PGresult *r = PQexec(link, sql);
    int64_t n = strtoll(PQgetvalue(r, 0, 0), NULL, 10);
    PQclear(r);
    PQfinish(link);
    return n;
}

/* ---- many clients ---- */

struct client {
    desk *d;
    int number, receipts, releases;
    bool failed;
    pthread_t thread;
};

static void *be_greedy(void *self)
{
    struct client *c = self;
    jali_arena arena = JALI_ARENA_INIT;
    jali_ledger *l;
    jali_release found;
    char plan[32], id[24];
    c->failed = jali_ledger_open(&l, &c->d->places, JALI_LEDGER_WRITE, NULL) != JALI_OK;
    for (int i = 0; i < 4 && !c->failed; i++) {
        jali_charge *charge = NULL;
        snprintf(plan, sizeof plan, "{\"q\":%d,\"i\":%d}", c->number, i);
        jali_request r = desk_request("ana", plan, desk_pure("0.01"));
        jali_status status = jali_ledger_charge(l, &r, &arena, &charge, &found, NULL);
        c->failed = status != JALI_OK && status != JALI_E_BUDGET;
        if (status != JALI_OK) continue;
        c->receipts++;
        if (i % 2 == 0) {
            c->failed = jali_ledger_store(l, charge, 'r', "{}", 2, NOON, id, NULL) != JALI_OK;
            c->releases++;
        }
        jali_charge_free(charge);
    }
    if (!c->failed) c->failed = jali_ledger_close(l, NULL) != JALI_OK;
    jali_arena_clear(&arena);
    return NULL;
}

/* One process with 32 clients, each with a connection of its own. */
static void machine(desk *d, int first, int pipe)
{
    struct client c[CLIENTS / MACHINES] = { 0 };
    int told[2] = { 0, 0 };
    for (int i = 0; i < CLIENTS / MACHINES; i++) {
        c[i] = (struct client){ .d = d, .number = first + i };
        if (pthread_create(&c[i].thread, NULL, be_greedy, &c[i]) != 0) _exit(2);
    }
    for (int i = 0; i < CLIENTS / MACHINES; i++) {
        pthread_join(c[i].thread, NULL);
        if (c[i].failed) _exit(3);
        told[0] += c[i].receipts;
        told[1] += c[i].releases;
    }
    _exit(write(pipe, told, sizeof told) == sizeof told ? 0 : 4);
}

/* A copy of the folder on another machine: the same server, a note of its own. */
static void second_machine(desk *d, const desk *first)
{
    char from[128], to[128], *bytes;
    size_t n;
    static const char *const parts[] = { ".key", ".checkpoint", "" };
    desk_place(d, false);
    for (size_t i = 0; i < 3; i++) {
        snprintf(from, sizeof from, "%s%s", first->file, parts[i]);
        snprintf(to, sizeof to, "%s%s", d->file, parts[i]);
        CHECK_OK(jali_file_read(from, 1 << 16, &d->arena, &bytes, &n, NULL));
        desk_write(to, bytes, n, 0600);
    }
}

SENTENCE(sixty_four_clients_on_two_machines_spend_the_cap_to_the_last_and_no_more)
{
    UNUSED_STATE;
    desk d[MACHINES];
    int ends[2], told[2], receipts = 0, releases = 0, status;
    desk_create(&d[0], "1", "0");
    second_machine(&d[1], &d[0]);
    CHECK(pipe(ends) == 0);
    for (int m = 0; m < MACHINES; m++)
        if (fork() == 0) machine(&d[m], m * CLIENTS, ends[1]);
    for (int m = 0; m < MACHINES; m++) {
        CHECK(wait(&status) > 0);
        assert_int_equal(status, 0);
        CHECK(read(ends[0], told, sizeof told) == sizeof told);
        receipts += told[0];
        releases += told[1];
    }
    close(ends[0]);
    close(ends[1]);
    assert_int_equal(receipts, 100); /* 256 were asked, 100 fit */
    for (int m = 0; m < MACHINES; m++) {
        jali_ledger_report report = desk_verify(&d[m]);
        CHECK(report.intact && report.charges == 100 && report.releases == releases);
        CHECK(report.sum.eps_pico == report.cap.eps_pico);
    }
    jali_arena_clear(&d[1].arena);
    jali_file_remove_tree(d[1].folder);
    desk_clear(&d[0]);
}

/* ---- what the line is for: twins that do not stand in it ---- */

static void append_charge(jali_store *store, jali_loss loss, jali_loss sum,
                          jali_status expected)
{
    char plan_hash[JALI_HASH_TEXT];
    jali_head head;
    CHECK_OK(jali_plan_hash(plan_hash, "{}", NULL));
    const jali_cell cells[] = { { 0 },
                                jali_cell_number(NOON),
                                jali_cell_text("ana"),
                                jali_cell_text("census"),
                                jali_cell_text(""),
                                jali_cell_text(plan_hash),
                                jali_cell_text("{}"),
                                jali_cell_text(""),
                                jali_cell_text(""),
                                jali_cell_number((int64_t)loss.eps_pico),
                                jali_cell_number(0),
                                jali_cell_number((int64_t)loss.rho_pico),
                                jali_cell_number(0),
                                jali_cell_number((int64_t)sum.eps_pico),
                                jali_cell_number(0),
                                jali_cell_number((int64_t)sum.rho_pico),
                                jali_cell_number(0) };
    jali_status status = jali_row_append(store, JALI_ROW_CHARGE, cells, &head, NULL);
    if (expected == JALI_OK)
        CHECK_OK(status);
    else
        CHECK(status != JALI_OK);
}

static void open_two(desk *d, jali_store *store[2])
{
    desk_create(d, "1", "0");
    for (int i = 0; i < 2; i++)
        CHECK_OK(jali_places_store(&store[i], &d->places, JALI_STORE_WRITE, NULL));
}

static void close_two(jali_store *store[2])
{
    for (int i = 0; i < 2; i++) store[i]->kind->close(store[i]);
}

SENTENCE(a_twin_without_line_and_isolation_overspends_and_is_seen)
{
    UNUSED_STATE;
    desk d;
    jali_store *store[2];
    jali_loss loss = desk_pure("0.6"), after[2];
    open_two(&d, store);
    for (int i = 0; i < 2; i++)
        CHECK_OK(jali_ledger_admit(store[i], "ana", loss, &after[i], NULL)); /* both fit */
    for (int i = 0; i < 2; i++) append_charge(store[i], loss, after[i], JALI_OK);
    CHECK(count(&d, "SELECT sum(eps_pico) FROM charges") == 1200000000000); /* above the cap */
    jali_ledger_report report = desk_verify(&d);
    CHECK(!report.intact && report.bad_row == 3);
    close_two(store);
    desk_clear(&d);
}

SENTENCE(serializable_alone_stops_the_twin_too)
{
    UNUSED_STATE;
    desk d;
    jali_store *store[2];
    jali_loss loss = desk_pure("0.6"), after[2];
    open_two(&d, store);
    for (int i = 0; i < 2; i++) {
        CHECK_OK(store[i]->kind->begin(store[i], JALI_STORE_MAKE, NULL)); /* no lock */
        CHECK_OK(jali_ledger_admit(store[i], "ana", loss, &after[i], NULL));
    }
    append_charge(store[0], loss, after[0], JALI_OK);
    CHECK_OK(store[0]->kind->commit(store[0], NULL));
    append_charge(store[1], loss, after[1], JALI_E_ENGINE);
    CHECK(store[1]->again && !store[1]->lost);
    store[1]->kind->rollback(store[1]);
    CHECK(count(&d, "SELECT count(*) FROM charges") == 1 && desk_verify(&d).intact);
    close_two(store);
    desk_clear(&d);
}

/* ---- a race that is lost is run again ---- */

static void *charge_once(void *self)
{
    struct client *c = self;
    jali_charge *charge = NULL;
    jali_ledger *l = desk_open(c->d);
    c->failed =
        desk_pay(c->d, l, "bob", "{\"q\":2}", desk_pure("0.3"), &charge, NULL) != JALI_OK;
    c->number = c->failed ? 0 : (int)jali_charge_seq(charge);
    jali_charge_free(charge);
    if (jali_ledger_close(l, NULL) != JALI_OK) c->failed = true;
    return NULL;
}

SENTENCE(a_stranger_who_does_not_stand_in_line_costs_one_more_try)
{
    UNUSED_STATE;
    desk d;
    jali_store *store[2];
    struct client c = { .d = &d };
    jali_loss loss = desk_pure("0.6");
    open_two(&d, store);
    CHECK_OK(store[0]->kind->begin(store[0], JALI_STORE_MAKE, NULL));
    append_charge(store[0], loss, loss, JALI_OK); /* row 2, not yet committed */
    CHECK(pthread_create(&c.thread, NULL, charge_once, &c) == 0);
    /* It waits for row 2; only then do we commit. */
    for (int i = 0; i < 1000; i++) {
        if (count(&d, "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                      " AND datname = current_database()") > 0)
            break;
        nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
    }
    CHECK_OK(store[0]->kind->commit(store[0], NULL));
    pthread_join(c.thread, NULL);
    CHECK(!c.failed);
    assert_int_equal(c.number, 3);
    jali_ledger_report report = desk_verify(&d);
    CHECK(report.intact && report.sum.eps_pico == 900000000000);
    close_two(store);
    desk_clear(&d);
}

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
    char id[24];
    desk_create(&d, "1", "0");
    jali_ledger *l = desk_open(&d);
    CHECK_OK(desk_pay(&d, l, "ana", "{\"q\":1}", desk_pure("0.3"), &charge, NULL));
    control("restart immediate");
    CHECK_OK(jali_ledger_store(l, charge, 'r', "{}", 2, NOON, id, NULL));
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
    char id[24];
    desk_create(&d, "1", "0");
    desk_keep(&d);
    jali_ledger *l = desk_open(&d);
    CHECK_OK(desk_pay(&d, l, "ana", "{\"q\":1}", desk_pure("0.3"), &charge, NULL));
    desk_bring_back(&d);
    CHECK(jali_ledger_store(l, charge, 'r', "{}", 2, NOON, id, &err) == JALI_E_LEDGER);
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

RUN_ALL(TEST(sixty_four_clients_on_two_machines_spend_the_cap_to_the_last_and_no_more),
        TEST(a_twin_without_line_and_isolation_overspends_and_is_seen),
        TEST(serializable_alone_stops_the_twin_too),
        TEST(a_stranger_who_does_not_stand_in_line_costs_one_more_try),
        TEST(a_commit_that_never_arrived_is_sent_again_and_paid_once),
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
