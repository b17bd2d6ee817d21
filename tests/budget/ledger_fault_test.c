/* Refutes ledger.prepaid if it can: killed, torn, cut from power, full, failing to sync, at
 * every operation that touches the disk; or out of memory.
 *
 * A child plays a small day at the desk and tells over a pipe what it was told to be done:
 * C a receipt came back, S a release is stored. Afterwards the ledger must hold at least
 * that, nothing unpaid, nothing above the cap, and call itself intact.
 */
#define _DEFAULT_SOURCE
#include "desk.h"
#include "support/fault_vfs.h"
#include <signal.h>
#include <sys/wait.h>

#if defined(__SANITIZE_ADDRESS__)
enum { STRIDE = 3 }; /* a process takes long to start there */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
enum { STRIDE = 3 };
#else
enum { STRIDE = 1 };
#endif
#else
enum { STRIDE = 1 };
#endif

typedef struct told {
    int receipts, releases, refusals, finished, operations;
    char first; /* question whose release is r1: a failed one leaves that to the next */
} told;

static void say(int pipe, char c)
{
    if (write(pipe, &c, 1) != 1) _exit(9);
}

/* ---- the day ---- */

/* A fault is told as what it is, never as a bad ledger or an empty budget. */
static bool is_weather(jali_status status)
{
    return status == JALI_E_ENGINE || status == JALI_E_NOMEM;
}

static bool ask(desk *d, jali_ledger *l, const char *plan, const char *eps, int pipe)
{
    jali_charge *c = NULL;
    jali_release out;
    jali_err err = { 0 };
    jali_status status = desk_pay(d, l, "ana", plan, desk_pure(eps), &c, &err);
    if (status != JALI_OK) {
        if (!is_weather(status) || err.text[0] == '\0' || c != NULL) _exit(8);
        say(pipe, 'F');
        return false;
    }
    say(pipe, 'C');
    if (jali_charge_spend(c, desk_pure(eps), NULL) != JALI_OK) _exit(7);
    status = jali_ledger_store(l, c, 'r', "{\"count\":41}", 12, NOON, &out, &err);
    if (status != JALI_OK && !is_weather(status)) _exit(6);
    if (status == JALI_OK) say(pipe, plan[5]);
    if (status == JALI_OK) say(pipe, 'S');
    jali_charge_free(c);
    return status == JALI_OK;
}

/* Two questions, an act, a checkpoint of the log in between, and home. */
static void day(desk *d, int pipe)
{
    jali_ledger *l;
    jali_err err;
    jali_status status = jali_ledger_open(&l, &d->places, JALI_LEDGER_WRITE, &err);
    if (status != JALI_OK) _exit(is_weather(status) ? 0 : 5);
    ask(d, l, "{\"q\":1}", "0.4", pipe);
    status = jali_ledger_set_question(l, 500000, &(jali_hand){ "carol", NOON }, &err);
    if (status != JALI_OK && !is_weather(status)) _exit(4);
    ask(d, l, "{\"q\":2}", "0.4", pipe);
    status = jali_ledger_close(l, &err);
    if (status != JALI_OK && !is_weather(status)) _exit(3);
    for (int i = fault_count(); i > 0; i--) say(pipe, 'O');
    say(pipe, 'E');
    _exit(0);
}

/* Runs it in a child with the fault armed. */
static told play(desk *d, fault_kind kind, int n, void (*work)(desk *, int))
{
    int ends[2], status;
    char c;
    told t = { 0 };
    CHECK(pipe(ends) == 0);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        fault_install();
        fault_arm(kind, n);
        work(d, ends[1]);
        _exit(0);
    }
    close(ends[1]);
    while (read(ends[0], &c, 1) == 1) {
        if (t.first == 0 && (c == '1' || c == '2')) t.first = c;
        t.receipts += c == 'C';
        t.releases += c == 'S';
        t.refusals += c == 'F';
        t.finished += c == 'E';
        t.operations += c == 'O';
    }
    close(ends[0]);
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    return t;
}

/* ---- what must hold the morning after ---- */

static void check_morning(desk *d, told t, bool go_on)
{
    jali_totals now;
    jali_ledger *l;
    jali_ledger_report report = desk_verify(d);
    if (!report.intact) fail_msg("row %lld: %s", (long long)report.bad_row, report.why);
    CHECK(report.charges >= report.releases);
    CHECK(report.charges >= t.receipts && report.charges <= t.receipts + t.refusals + 1);
    CHECK(report.releases >= t.releases && report.releases <= t.receipts);
    CHECK(jali_cap_admits(&report.cap, report.sum) != JALI_REFUSED);
    CHECK_OK(jali_ledger_open(&l, &d->places, JALI_LEDGER_WRITE, NULL));
    CHECK_OK(jali_ledger_totals(l, &d->arena, &now, NULL));
    CHECK(now.charges == report.charges && now.releases == report.releases);
    /* It goes on working: what is stored is free, and a new question can be paid. */
    if (t.releases > 0) {
        jali_release found;
        const char *plan = t.first == '2' ? "{\"q\":2}" : "{\"q\":1}";
        CHECK_OK(jali_ledger_find_plan(l, plan, &d->arena, &found, NULL));
        CHECK(strcmp(found.id, "r1") == 0);
    }
    if (go_on) desk_ask(d, l, "bob", "{\"q\":9}", desk_pure("0.01"));
    CHECK_OK(jali_ledger_close(l, NULL));
    if (go_on) CHECK(desk_verify(d).intact);
}

/* A day with the fault at operation n; whether it was met. */
static bool bad_day(const desk *model, fault_kind kind, int n)
{
    desk d;
    desk_copy(&d, model);
    told t = play(&d, kind, n, day);
    check_morning(&d, t, n % 4 == 0);
    desk_clear(&d);
    return !t.finished || t.refusals > 0 || t.releases < 2;
}

/* At every operation of a quiet day, or every second one where a fault lasts. At least `least`
 * of them must have hurt, or the fault did not happen and nothing was tested. */
static void every_step(fault_kind kind, int least, int stride)
{
    desk model, quiet;
    int met = 0;
    desk_create(&model, "1", "0");
    desk_copy(&quiet, &model);
    told t = play(&quiet, FAULT_NONE, 0, day);
    CHECK(t.finished == 1 && t.releases == 2);
    for (int n = 1; n <= t.operations; n += stride * STRIDE) met += bad_day(&model, kind, n);
    CHECK(met >= least / (stride * STRIDE));
    desk_clear(&quiet);
    desk_clear(&model);
}

SENTENCE(killed_at_every_step)
{
    UNUSED_STATE;
    every_step(FAULT_KILL, 30, 1);
}

SENTENCE(killed_in_the_middle_of_every_write)
{
    UNUSED_STATE;
    every_step(FAULT_TORN, 30, 1);
}

SENTENCE(cut_from_power_at_every_step)
{
    UNUSED_STATE;
    every_step(FAULT_POWER, 30, 1);
}

SENTENCE(cut_from_power_with_some_writes_kept)
{
    UNUSED_STATE;
    every_step(FAULT_POWER_SOME, 30, 2);
}

SENTENCE(a_disk_that_is_full_from_any_step_on)
{
    UNUSED_STATE;
    every_step(FAULT_FULL, 25, 2);
}

SENTENCE(a_disk_that_cannot_sync_from_any_step_on)
{
    UNUSED_STATE;
    every_step(FAULT_SYNC, 25, 2);
}

/* A sync that fails once and then pretends that all is well, as Linux does. */
SENTENCE(a_sync_that_fails_once)
{
    UNUSED_STATE;
    every_step(FAULT_SYNC_ONCE, 4, 1);
}

/* SQLite asks for memory some thousand times a day; a prime stride visits 40 of them. */
SENTENCE(out_of_memory_now_and_then)
{
    UNUSED_STATE;
    enum { EVERY = 127, TIMES = 40 };
    desk model;
    int met = 0;
    desk_create(&model, "1", "0");
    for (int i = 0; i < TIMES; i += STRIDE) met += bad_day(&model, FAULT_MEMORY, 1 + i * EVERY);
    CHECK(met >= TIMES / STRIDE / 4);
    desk_clear(&model);
}

/* ---- a broken twin: the tests above would see a ledger that shows before it pays ---- */

static void dishonest_day(desk *d, int pipe)
{
    jali_ledger *l;
    if (jali_ledger_open(&l, &d->places, JALI_LEDGER_WRITE, NULL) != JALI_OK) _exit(0);
    sqlite3 *db;
    sqlite3_open(d->file, &db);
    sqlite3_exec(db, "PRAGMA synchronous=OFF", NULL, NULL, NULL);
    sqlite3_exec(db,
                 "INSERT INTO acts SELECT seq + 1, 0, 'x', 'quota', '', '{}', hash, hash"
                 " FROM head",
                 NULL, NULL, NULL);
    say(pipe, 'C'); /* "it is on disk", it says */
    fault_arm(FAULT_POWER, 1);
    sqlite3_exec(db, "INSERT INTO meta VALUES('a','b')", NULL, NULL, NULL);
    sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_FULL, NULL, NULL);
    sqlite3_close(db);
    _exit(0);
}

SENTENCE(the_power_cut_does_lose_what_was_not_synced)
{
    UNUSED_STATE;
    desk d;
    desk_create(&d, "1", "0");
    told t = play(&d, FAULT_NONE, 0, dishonest_day);
    CHECK(t.receipts == 1);
    assert_int_equal(desk_verify(&d).rows, 1); /* the row that it vouched for is gone */
    desk_clear(&d);
}

/* ---- making a ledger ---- */

static void make(desk *d, int pipe)
{
    jali_cap cap = desk_cap("1", "0");
    if (jali_ledger_create(&d->places, "census", &cap, &(jali_hand){ "carol", NOON }, NULL) ==
        JALI_OK)
        say(pipe, 'E');
}

SENTENCE(a_ledger_is_made_whole_or_refused)
{
    UNUSED_STATE;
    static const fault_kind kinds[] = { FAULT_KILL, FAULT_POWER, FAULT_FULL, FAULT_SYNC };
    for (size_t k = 0; k < 4; k++) {
        bool done = false;
        for (int n = 1; !done; n += STRIDE) {
            desk d;
            jali_ledger *l = NULL;
            desk_init(&d);
            done = play(&d, kinds[k], n, make).finished;
            jali_status status = jali_ledger_open(&l, &d.places, JALI_LEDGER_WRITE, NULL);
            CHECK(done ? status == JALI_OK : true);
            if (status == JALI_OK) CHECK(desk_verify(&d).cap.eps_pico == 1000000000000);
            CHECK_OK(jali_ledger_close(l, NULL));
            desk_clear(&d);
            CHECK(n < 1000);
        }
    }
}

RUN_ALL(TEST(killed_at_every_step), TEST(killed_in_the_middle_of_every_write),
        TEST(cut_from_power_at_every_step), TEST(cut_from_power_with_some_writes_kept),
        TEST(a_disk_that_is_full_from_any_step_on),
        TEST(a_disk_that_cannot_sync_from_any_step_on), TEST(a_sync_that_fails_once),
        TEST(out_of_memory_now_and_then), TEST(the_power_cut_does_lose_what_was_not_synced),
        TEST(a_ledger_is_made_whole_or_refused))
