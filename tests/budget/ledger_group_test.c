/* Refutes ledger.prepaid if it can, where several who pay at once share one commit.
 *
 * A group is made on purpose: the test says that somebody writes until all of them wait. The
 * storage's commit is watched: how often it runs, and that nobody has a receipt before.
 */
#define _GNU_SOURCE
#include "budget/inside.h"
#include "desk.h"
#include <pthread.h>

enum { MANY = 8, CROWD = 32, EACH = 4 };

/* ---- a storage that is watched ---- */

static const jali_store_kind *honest;
static jali_store_kind watched;
static int commits;
static bool failing;
static atomic_int receipts;
static int early; /* receipts that were out before the first commit */

static jali_status watched_commit(jali_store *store, jali_err *err)
{
    early += commits == 0 ? atomic_load(&receipts) : 0;
    commits++;
    if (failing) return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "the disk is on fire");
    return honest->commit(store, err);
}

static void watch(jali_ledger *l)
{
    honest = l->store->kind;
    watched = *honest;
    watched.commit = watched_commit;
    l->store->kind = &watched;
    commits = early = 0;
    failing = false;
    atomic_store(&receipts, 0);
}

/* ---- those who pay ---- */

typedef struct payer {
    pthread_t thread;
    jali_ledger *ledger;
    char plan[32];
    const char *id, *eps;
    jali_arena arena;
    jali_status status;
    jali_charge *charge;
    jali_err err;
} payer;

static void *pay_once(void *self)
{
    payer *p = self;
    jali_release stored;
    jali_request r = desk_request("ana", p->plan, desk_pure(p->eps));
    r.id = p->id;
    p->status = jali_ledger_charge(p->ledger, &r, &p->arena, &p->charge, &stored, &p->err);
    if (p->charge != NULL) atomic_fetch_add(&receipts, 1);
    return NULL;
}

static int waiting(jali_ledger *l)
{
    int n = 0;
    pthread_mutex_lock(&l->gate);
    for (const jali_entry *e = l->waiting; e != NULL; e = e->next) n++;
    pthread_mutex_unlock(&l->gate);
    return n;
}

/* As if somebody were writing for all. */
static void set_led(jali_ledger *l, bool led)
{
    pthread_mutex_lock(&l->gate);
    l->led = led;
    if (!led && l->waiting != NULL) {
        l->waiting->leads = true;
        pthread_cond_signal(&l->waiting->wake);
    }
    pthread_mutex_unlock(&l->gate);
}

/* All of them wait before the first may write. */
static void pay_together(jali_ledger *l, payer *all, int n)
{
    set_led(l, true);
    for (int i = 0; i < n; i++) {
        all[i].ledger = l;
        assert_int_equal(pthread_create(&all[i].thread, NULL, pay_once, &all[i]), 0);
    }
    while (waiting(l) < n) sched_yield();
    set_led(l, false);
    for (int i = 0; i < n; i++) pthread_join(all[i].thread, NULL);
}

static void prepare(payer *all, int n, const char *eps)
{
    for (int i = 0; i < n; i++) {
        all[i] = (payer){ .eps = eps };
        snprintf(all[i].plan, sizeof all[i].plan, "{\"q\":%d}", i);
    }
}

static int paid(const payer *all, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) sum += all[i].charge != NULL;
    return sum;
}

static void let_go(jali_ledger *l, payer *all, int n)
{
    for (int i = 0; i < n; i++) {
        jali_charge_free(all[i].charge);
        jali_arena_clear(&all[i].arena);
    }
    l->store->kind = honest;
    (void)jali_ledger_close(l, NULL);
}

/* ---- what must hold ---- */

SENTENCE(those_who_wait_share_a_commit_and_nobody_has_a_receipt_before_it)
{
    UNUSED_STATE;
    desk d;
    payer all[MANY];
    bool seen[MANY + 2] = { 0 };
    desk_create(&d, "1", "0");
    jali_ledger *l = desk_open(&d);
    watch(l);
    prepare(all, MANY, "0.01");
    pay_together(l, all, MANY);
    assert_int_equal(commits, 1);
    assert_int_equal(early, 0);
    for (int i = 0; i < MANY; i++) {
        CHECK_OK(all[i].status);
        assert_non_null(all[i].charge);
        CHECK(all[i].charge->seq >= 2 && all[i].charge->seq <= MANY + 1);
        CHECK(!seen[all[i].charge->seq]);
        seen[all[i].charge->seq] = true;
    }
    let_go(l, all, MANY);
    jali_ledger_report report = desk_verify(&d);
    CHECK(report.intact && report.charges == MANY && report.signed_row == report.rows);
    CHECK(report.sum.eps_pico == MANY * desk_pure("0.01").eps_pico);
    desk_clear(&d);
}

SENTENCE(one_who_is_refused_refuses_nobody_else)
{
    UNUSED_STATE;
    desk d;
    payer all[MANY];
    desk_create(&d, "1", "0");
    jali_ledger *l = desk_open(&d);
    watch(l);
    prepare(all, MANY, "0.01");
    all[3].eps = "2";
    pay_together(l, all, MANY);
    CHECK(all[3].status == JALI_E_BUDGET && all[3].charge == NULL && all[3].err.text[0] != 0);
    assert_int_equal(paid(all, MANY), MANY - 1);
    let_go(l, all, MANY);
    jali_ledger_report report = desk_verify(&d);
    CHECK(report.intact && report.charges == MANY - 1);
    desk_clear(&d);
}

SENTENCE(a_group_takes_the_last_of_the_budget_and_no_more)
{
    UNUSED_STATE;
    desk d;
    payer all[MANY];
    desk_create(&d, "0.05", "0");
    jali_ledger *l = desk_open(&d);
    watch(l);
    prepare(all, MANY, "0.01");
    pay_together(l, all, MANY);
    assert_int_equal(paid(all, MANY), 5);
    for (int i = 0; i < MANY; i++)
        CHECK(all[i].status == (all[i].charge != NULL ? JALI_OK : JALI_E_BUDGET));
    let_go(l, all, MANY);
    jali_ledger_report report = desk_verify(&d);
    CHECK(report.intact && report.charges == 5 && report.sum.eps_pico == report.cap.eps_pico);
    desk_clear(&d);
}

SENTENCE(one_request_that_comes_twice_in_a_group_pays_once)
{
    UNUSED_STATE;
    desk d;
    payer all[2];
    desk_create(&d, "1", "0");
    jali_ledger *l = desk_open(&d);
    watch(l);
    prepare(all, 2, "0.01");
    memcpy(all[1].plan, all[0].plan, sizeof all[1].plan);
    all[0].id = all[1].id = "once";
    pay_together(l, all, 2);
    assert_int_equal(paid(all, 2), 1);
    CHECK(all[all[0].charge != NULL].status == JALI_E_BUDGET);
    let_go(l, all, 2);
    CHECK(desk_verify(&d).charges == 1);
    desk_clear(&d);
}

SENTENCE(a_commit_that_fails_gives_nobody_a_receipt)
{
    UNUSED_STATE;
    desk d;
    payer all[MANY];
    desk_create(&d, "1", "0");
    jali_ledger *l = desk_open(&d);
    watch(l);
    failing = true;
    prepare(all, MANY, "0.01");
    pay_together(l, all, MANY);
    assert_int_equal(paid(all, MANY), 0);
    for (int i = 0; i < MANY; i++)
        CHECK(all[i].status == JALI_E_ENGINE && all[i].err.text[0] != '\0');
    assert_int_equal(commits, 1);
    CHECK(jali_ledger_failed(l));
    let_go(l, all, MANY);
    CHECK(desk_verify(&d).charges == 0);
    desk_clear(&d);
}

typedef struct greedy {
    pthread_t thread;
    jali_ledger *ledger;
    int number, receipts, releases, wrong;
} greedy;

static void *spend_all(void *self)
{
    greedy *g = self;
    jali_arena arena = JALI_ARENA_INIT;
    for (int i = 0; i < EACH; i++) {
        char plan[48];
        jali_release told;
        jali_charge *charge = NULL;
        jali_release stored;
        snprintf(plan, sizeof plan, "{\"q\":%d,\"i\":%d}", g->number, i);
        jali_request r = desk_request("ana", plan, desk_pure("0.01"));
        jali_status status = jali_ledger_charge(g->ledger, &r, &arena, &charge, &stored, NULL);
        g->wrong += status != JALI_OK && status != JALI_E_BUDGET;
        if (charge == NULL) continue;
        g->receipts++;
        status =
            jali_ledger_store(g->ledger, charge, 'r', plan, strlen(plan), NOON, &told, NULL);
        g->releases +=
            status == JALI_OK &&
            jali_ledger_find_id(g->ledger, told.id, &arena, &stored, NULL) == JALI_OK &&
            strcmp(stored.body, plan) == 0;
        jali_charge_free(charge);
    }
    jali_arena_clear(&arena);
    return NULL;
}

SENTENCE(threads_at_one_handle_spend_the_cap_to_the_last_and_find_what_they_stored)
{
    UNUSED_STATE;
    desk d;
    greedy all[CROWD] = { { 0 } };
    int paid_for = 0;
    desk_create(&d, "1", "0");
    jali_ledger *l = desk_open(&d);
    CHECK_OK(jali_ledger_read_beside(l, NULL));
    for (int i = 0; i < CROWD; i++) {
        all[i] = (greedy){ .ledger = l, .number = i };
        assert_int_equal(pthread_create(&all[i].thread, NULL, spend_all, &all[i]), 0);
    }
    for (int i = 0; i < CROWD; i++) {
        pthread_join(all[i].thread, NULL);
        paid_for += all[i].receipts;
        CHECK(all[i].wrong == 0 && all[i].releases == all[i].receipts);
    }
    assert_int_equal(paid_for, 100); /* 128 were asked, 100 fit */
    CHECK_OK(jali_ledger_close(l, NULL));
    jali_ledger_report report = desk_verify(&d);
    CHECK(report.intact && report.charges == 100 && report.releases == 100);
    CHECK(report.sum.eps_pico == report.cap.eps_pico);
    desk_clear(&d);
}

/* If it waited it would wait for ever. */
SENTENCE(who_looks_beside_a_writer_does_not_wait_for_him)
{
    UNUSED_STATE;
    desk d;
    jali_account now;
    jali_quote q;
    desk_create(&d, "1", "0");
    jali_ledger *l = desk_open(&d);
    CHECK_OK(jali_ledger_read_beside(l, NULL));
    CHECK_OK(desk_quote(&d, l, "ana", "{\"q\":1}", desk_pure("0.01"), &q, NULL));
    CHECK(q.newcomer && q.stored.id[0] == '\0');
    desk_ask(&d, l, "ana", "{\"q\":1}", desk_pure("0.01"));
    if (!on_server()) pthread_mutex_lock(&l->lock);
    CHECK_OK(jali_ledger_account(l, &now, NULL));
    CHECK_OK(desk_quote(&d, l, "ana", "{\"q\":1}", desk_pure("5"), &q, NULL));
    if (!on_server()) pthread_mutex_unlock(&l->lock);
    CHECK(now.sum.eps_pico == desk_pure("0.01").eps_pico);
    CHECK(!q.newcomer && strcmp(q.stored.id, "r1") == 0); /* what is stored is never refused */
    CHECK_OK(jali_ledger_close(l, NULL));
    desk_clear(&d);
}

RUN_ALL(TEST(those_who_wait_share_a_commit_and_nobody_has_a_receipt_before_it),
        TEST(one_who_is_refused_refuses_nobody_else),
        TEST(a_group_takes_the_last_of_the_budget_and_no_more),
        TEST(one_request_that_comes_twice_in_a_group_pays_once),
        TEST(a_commit_that_fails_gives_nobody_a_receipt),
        TEST(threads_at_one_handle_spend_the_cap_to_the_last_and_find_what_they_stored),
        TEST(who_looks_beside_a_writer_does_not_wait_for_him))
