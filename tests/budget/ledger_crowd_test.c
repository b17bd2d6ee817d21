/* Many processes at one ledger: ledger.prepaid among strangers. */
#define _DEFAULT_SOURCE
#include "desk.h"
#include <signal.h>
#include <sys/wait.h>

enum { CROWD = 64 };

/* What the processes were told to be done: receipts, and stored releases. */
typedef struct told {
    int receipts, releases;
} told;

static void say(int pipe, char c)
{
    if (write(pipe, &c, 1) != 1) _exit(9);
}

static void greedy(desk *d, int pipe)
{
    jali_ledger *l;
    jali_err err;
    jali_charge *c;
    char plan[32];
    jali_release out;
    if (jali_ledger_open(&l, &d->places, JALI_LEDGER_WRITE, &err) != JALI_OK) _exit(2);
    for (int i = 0; i < 4; i++) {
        snprintf(plan, sizeof plan, "{\"q\":%d,\"i\":%d}", (int)getpid(), i);
        jali_status status = desk_pay(d, l, "ana", plan, desk_pure("0.01"), &c, &err);
        if (status != JALI_OK && status != JALI_E_BUDGET) _exit(3);
        if (status != JALI_OK) continue;
        say(pipe, 'C');
        if (i % 2 == 0) {
            if (jali_ledger_store(l, c, 'r', "{}", 2, NOON, &out, &err) != JALI_OK) _exit(4);
            say(pipe, 'S');
        }
        jali_charge_free(c);
    }
    if (jali_ledger_close(l, &err) != JALI_OK) _exit(5);
}

/* Forks n of `work` at once and adds up what they tell. */
static told crowd(desk *d, int n, void (*work)(desk *, int))
{
    int ends[2], status;
    char c;
    told t = { 0 };
    CHECK(pipe(ends) == 0);
    for (int i = 0; i < n; i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child > 0) continue;
        close(ends[0]);
        work(d, ends[1]);
        _exit(0);
    }
    close(ends[1]);
    while (read(ends[0], &c, 1) == 1) t.receipts += c == 'C', t.releases += c == 'S';
    close(ends[0]);
    for (int i = 0; i < n; i++) {
        CHECK(wait(&status) > 0);
        CHECK(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
    return t;
}

SENTENCE(sixty_four_at_once_spend_the_cap_to_the_last_and_no_more)
{
    UNUSED_STATE;
    desk d;
    desk_create(&d, "1", "0");
    told t = crowd(&d, CROWD, greedy);
    jali_ledger_report report = desk_verify(&d);
    CHECK(report.intact);
    assert_int_equal(t.receipts, 100); /* 256 were asked, 100 fit */
    CHECK(report.charges == 100 && report.sum.eps_pico == report.cap.eps_pico);
    assert_int_equal(report.releases, t.releases);
    CHECK(report.signed_row == report.rows);
    desk_clear(&d);
}

static void curious(desk *d, int pipe)
{
    jali_ledger *l;
    jali_charge *c = NULL;
    jali_release found;
    jali_release out;
    if (jali_ledger_open(&l, &d->places, JALI_LEDGER_WRITE, NULL) != JALI_OK) _exit(2);
    jali_request r = desk_request("ana", "{\"q\":1}", desk_pure("0.01"));
    r.patience_ms = 60000;
    if (jali_ledger_charge(l, &r, &d->arena, &c, &found, NULL) != JALI_OK) _exit(3);
    if (c != NULL) {
        say(pipe, 'C');
        if (jali_ledger_store(l, c, 'r', "{}", 2, NOON, &out, NULL) != JALI_OK) _exit(4);
        say(pipe, 'S');
    } else if (strcmp(found.id, "r1") != 0) {
        _exit(5);
    }
    jali_charge_free(c);
    if (jali_ledger_close(l, NULL) != JALI_OK) _exit(6);
}

SENTENCE(sixteen_who_ask_the_same_pay_once)
{
    UNUSED_STATE;
    desk d;
    desk_create(&d, "1", "0");
    told t = crowd(&d, 16, curious);
    assert_int_equal(t.receipts, 1);
    CHECK(desk_verify(&d).charges == 1);
    desk_clear(&d);
}

static void busy(desk *d, int pipe)
{
    jali_ledger *l;
    char plan[32];
    (void)pipe;
    if (jali_ledger_open(&l, &d->places, JALI_LEDGER_WRITE, NULL) != JALI_OK) _exit(2);
    for (int i = 0; i < 25; i++) {
        snprintf(plan, sizeof plan, "{\"q\":%d,\"i\":%d}", (int)getpid(), i);
        desk_ask(d, l, "ana", plan, desk_pure("0.01"));
    }
    if (jali_ledger_close(l, NULL) != JALI_OK) _exit(3);
}

/* Who opens or verifies while others write sees one moment of it, never two halves. */
SENTENCE(readers_in_the_middle_see_a_whole_book)
{
    UNUSED_STATE;
    desk d;
    int status, left = 2;
    jali_ledger *l;
    desk_create(&d, "1", "0");
    for (int i = 0; i < 2; i++)
        if (fork() == 0) {
            busy(&d, -1);
            _exit(0);
        }
    while (left > 0) {
        jali_err err;
        jali_ledger_report report = desk_verify(&d);
        if (!report.intact) fail_msg("row %lld: %s", (long long)report.bad_row, report.why);
        if (jali_ledger_open(&l, &d.places, JALI_LEDGER_READ, &err) != JALI_OK)
            fail_msg("%s", err.text);
        CHECK_OK(jali_ledger_close(l, NULL));
        while (waitpid(-1, &status, WNOHANG) > 0) {
            CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
            left--;
        }
    }
    CHECK(desk_verify(&d).charges == 50);
    desk_clear(&d);
}

/* Eight busy processes, killed at moments that nobody chose. */
SENTENCE(a_crowd_under_fire_keeps_its_books)
{
    UNUSED_STATE;
    desk d;
    int ends[2], status;
    char c;
    told t = { 0 };
    desk_create(&d, "1", "0");
    CHECK(pipe(ends) == 0);
    for (int i = 0; i < 24; i++) {
        pid_t child = fork();
        if (child == 0) {
            close(ends[0]);
            greedy(&d, ends[1]);
            _exit(0);
        }
        nanosleep(&(struct timespec){ .tv_nsec = 2000000 + i * 500000 }, NULL);
        if (i % 3 != 0) kill(child, SIGKILL);
    }
    close(ends[1]);
    while (read(ends[0], &c, 1) == 1) t.receipts += c == 'C', t.releases += c == 'S';
    close(ends[0]);
    while (wait(&status) > 0) CHECK(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    jali_ledger_report report = desk_verify(&d);
    CHECK(report.intact && report.charges >= report.releases);
    CHECK(report.charges >= t.receipts && report.releases >= t.releases);
    CHECK(report.sum.eps_pico <= report.cap.eps_pico);
    desk_clear(&d);
}

RUN_ALL(TEST(sixty_four_at_once_spend_the_cap_to_the_last_and_no_more),
        TEST(sixteen_who_ask_the_same_pay_once), TEST(readers_in_the_middle_see_a_whole_book),
        TEST(a_crowd_under_fire_keeps_its_books))
