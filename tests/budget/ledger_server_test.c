/* Refutes ledger.shared if it can: many clients of a ledger on a server, and twins that do
 * not stand in line. The suites of the file storage run over a server, too; ledger_away_test.c
 * has what happens when it goes away. */
#define _DEFAULT_SOURCE
#include "budget/store_postgres.h"
#include "server_words.h"
#include <sys/wait.h>
#include <time.h>

enum { CLIENTS = 64, MACHINES = 2 };

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
    char plan[32];
    jali_release told;
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
            c->failed =
                jali_ledger_store(l, charge, 'r', "{}", 2, NOON, &told, NULL) != JALI_OK;
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

RUN_ALL(TEST(sixty_four_clients_on_two_machines_spend_the_cap_to_the_last_and_no_more),
        TEST(a_twin_without_line_and_isolation_overspends_and_is_seen),
        TEST(serializable_alone_stops_the_twin_too),
        TEST(a_stranger_who_does_not_stand_in_line_costs_one_more_try))
