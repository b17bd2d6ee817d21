/* The ledger in good weather: paying, storing, finding. The weather itself is in
 * ledger_fault_test.c; both are after ledger.prepaid. */
#define _POSIX_C_SOURCE 200809L
#include "budget/inside.h"
#include "desk.h"
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

SENTENCE(a_charge_is_a_receipt_that_can_be_spent_once)
{
    UNUSED_STATE;
    desk d;
    jali_charge *c;
    jali_err err;
    desk_create(&d, "1", "1e-6");
    jali_ledger *l = desk_open(&d);
    CHECK_OK(desk_pay(&d, l, "ana", "{\"q\":1}", desk_pure("0.3"), &c, NULL));
    CHECK(jali_charge_seq(c) == 2);
    CHECK_OK(jali_charge_spend(c, desk_pure("0.1"), NULL));
    CHECK(jali_charge_left(c).eps_pico == 200000000000);
    CHECK(jali_loss_equal(jali_charge_paid(c), desk_pure("0.3")));
    CHECK(jali_charge_spend(c, desk_pure("0.200000000001"), &err) == JALI_E_INTERNAL);
    CHECK_REFUSED(err, JALI_E_INTERNAL, JALI_FOR_ANALYST, "nothing was drawn");
    CHECK(jali_charge_spend(c, desk_gauss("0.001"), &err) == JALI_E_INTERNAL);
    CHECK_OK(jali_charge_spend(c, desk_pure("0.2"), NULL));
    CHECK(jali_charge_spend(c, desk_pure("1e-12"), &err) == JALI_E_INTERNAL);
    jali_charge_free(c);
    CHECK_OK(jali_ledger_close(l, NULL));
    desk_clear(&d);
}

SENTENCE(a_charge_without_a_release_is_not_paid_back)
{
    UNUSED_STATE;
    desk d;
    jali_charge *c = NULL;
    jali_totals t;
    jali_err err;
    desk_create(&d, "1", "0");
    jali_ledger *l = desk_open(&d);
    CHECK_OK(desk_pay(&d, l, "ana", "{\"q\":1}", desk_pure("0.6"), &c, NULL));
    jali_charge_free(c); /* the draw failed: nothing is stored */
    CHECK_OK(jali_ledger_totals(l, &d.arena, &t, NULL));
    CHECK(t.charges == 1 && t.releases == 0 && t.sum.eps_pico == 600000000000);
    CHECK(desk_pay(&d, l, "ana", "{\"q\":2}", desk_pure("0.6"), &c, &err) == JALI_E_BUDGET);
    CHECK_OK(jali_ledger_close(l, NULL));
    desk_clear(&d);
}

SENTENCE(a_receipt_without_a_finite_eps_covers_pure_parts_by_their_rho)
{
    UNUSED_STATE;
    jali_loss paid = jali_loss_add(desk_gauss("0.01"), desk_pure("0.1"));
    jali_charge c = { .paid = paid, .left = paid, .turn = -1 };
    CHECK_OK(jali_charge_spend(&c, desk_pure("0.1"), NULL));
    CHECK(jali_charge_spend(&c, desk_gauss("0.010000000001"), NULL) == JALI_E_INTERNAL);
    CHECK_OK(jali_charge_spend(&c, desk_gauss("0.01"), NULL));
    CHECK(jali_charge_spend(&c, desk_pure("0.00001"), NULL) == JALI_E_INTERNAL);
}

SENTENCE(the_same_plan_is_paid_once_by_whoever_asks)
{
    UNUSED_STATE;
    desk d;
    desk_create(&d, "1", "1e-6");
    jali_ledger *l = desk_open(&d);
    desk_ask(&d, l, "ana", "{\"q\":1}", desk_pure("0.3"));
    jali_request r = desk_request("bob", "{\"q\":1}", desk_pure("0.3"));
    jali_release found;
    jali_charge *c = (jali_charge *)&d;
    CHECK_OK(jali_ledger_charge(l, &r, &d.arena, &c, &found, NULL));
    assert_null(c);
    CHECK(strcmp(found.id, "r1") == 0 && strcmp(found.body, "{\"count\":41}") == 0);
    CHECK(strcmp(found.analyst, "ana") == 0 && found.charge == 2 && found.seq == 3);
    jali_totals t;
    CHECK_OK(jali_ledger_totals(l, &d.arena, &t, NULL));
    CHECK(t.charges == 1 && t.releases == 1 && t.sum.eps_pico == 300000000000);
    CHECK_OK(jali_ledger_find_id(l, "r1", &d.arena, &found, NULL));
    CHECK(found.n == 12 && strcmp(found.plan, "{\"q\":1}") == 0);
    CHECK_OK(jali_ledger_find_plan(l, "{\"q\":2}", &d.arena, &found, NULL));
    CHECK(found.id[0] == '\0');
    CHECK_OK(jali_ledger_close(l, NULL));
    desk_clear(&d);
}

SENTENCE(an_unknown_release_is_named_in_the_refusal)
{
    UNUSED_STATE;
    desk d;
    jali_release found;
    jali_err err;
    static const char *const ids[] = {
        "r1", "r0", "r01", "", "R1", "r1; drop", "r99999999999999999999"
    };
    desk_create(&d, "1", "0");
    jali_ledger *l = desk_open(&d);
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        CHECK(jali_ledger_find_id(l, ids[i], &d.arena, &found, &err) == JALI_E_USAGE);
        CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "no release");
    }
    CHECK_OK(jali_ledger_close(l, NULL));
    desk_clear(&d);
}

SENTENCE(a_request_id_is_answered_the_same_way_twice)
{
    UNUSED_STATE;
    desk d;
    jali_charge *c;
    jali_release found;
    jali_err err;
    jali_release told;
    desk_create(&d, "1", "1e-6");
    jali_ledger *l = desk_open(&d);
    jali_request r = desk_request("ana", "{\"q\":1}", desk_pure("0.1"));
    r.id = "monday-1";
    CHECK_OK(jali_ledger_charge(l, &r, &d.arena, &c, &found, NULL));
    /* Charged, not yet stored: the charge stands and is not made twice. */
    jali_charge *again = NULL;
    CHECK(jali_ledger_charge(l, &r, &d.arena, &again, &found, &err) == JALI_E_BUDGET);
    CHECK_REFUSED(err, JALI_E_BUDGET, JALI_FOR_ANALYST, "the charge stands");
    CHECK_OK(jali_ledger_store(l, c, 'k', "{}", 2, NOON, &told, NULL));
    CHECK(strcmp(told.id, "k1") == 0);
    CHECK_OK(jali_ledger_find_id(l, "k1", &d.arena, &found, NULL)); /* told as it is stored */
    CHECK(told.seq == found.seq && told.charge == found.charge &&
          told.time_ms == found.time_ms);
    CHECK(told.n == found.n && strcmp(told.body, found.body) == 0);
    CHECK(strcmp(told.analyst, found.analyst) == 0 && strcmp(told.plan, found.plan) == 0);
    CHECK(told.paid.eps_pico == found.paid.eps_pico &&
          told.paid.rho_pico == found.paid.rho_pico);
    CHECK(jali_ledger_store(l, c, 'k', "{}", 2, NOON, &told, &err) == JALI_E_INTERNAL);
    CHECK(jali_charge_spend(c, desk_pure("0.1"), &err) == JALI_E_INTERNAL);
    jali_charge_free(c);
    CHECK_OK(jali_ledger_charge(l, &r, &d.arena, &again, &found, NULL));
    CHECK(again == NULL && strcmp(found.id, "k1") == 0);
    r.plan = "{\"q\":2}";
    CHECK(jali_ledger_charge(l, &r, &d.arena, &again, &found, &err) == JALI_E_USAGE);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "another question");
    r.analyst = "bob"; /* ids are each analyst's own */
    CHECK_OK(jali_ledger_charge(l, &r, &d.arena, &again, &found, NULL));
    assert_non_null(again);
    jali_charge_free(again);
    CHECK_OK(jali_ledger_close(l, NULL));
    desk_clear(&d);
}

SENTENCE(bad_texts_are_refused_before_anything_is_paid)
{
    UNUSED_STATE;
    desk d;
    jali_charge *c = NULL;
    jali_err err;
    char longer[JALI_LEDGER_MAX_NAME + 2];
    memset(longer, 'x', sizeof longer);
    longer[sizeof longer - 1] = '\0';
    const char *bad[] = { "", NULL, "a\nb", "\xff", longer };
    desk_create(&d, "1", "0");
    jali_ledger *l = desk_open(&d);
    for (size_t i = 0; i < 5; i++) {
        CHECK(desk_pay(&d, l, bad[i], "{}", desk_pure("0.1"), &c, &err) == JALI_E_USAGE);
        CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "analyst's name");
    }
    CHECK(desk_pay(&d, l, "ana", "\xc0\x80", desk_pure("0.1"), &c, &err) == JALI_E_USAGE);
    jali_loss unsound = { .eps_pico = 1, .delta_atto = 1 };
    CHECK(desk_pay(&d, l, "ana", "{}", unsound, &c, &err) == JALI_E_INTERNAL);
    jali_totals t;
    CHECK_OK(jali_ledger_totals(l, &d.arena, &t, NULL));
    CHECK(t.rows == 1 && t.charges == 0);
    CHECK_OK(jali_ledger_close(l, NULL));
    desk_clear(&d);
}

static bool collect(void *self, const jali_row *row)
{
    char *out = self;
    size_t n = strlen(out);
    snprintf(out + n, 400 - n, "%lld:%s:%s ", (long long)row->seq,
             row->kind == JALI_ROW_CHARGE    ? row->who
             : row->kind == JALI_ROW_RELEASE ? row->id
                                             : row->what,
             row->plan == NULL ? "" : row->plan);
    return row->seq < 5;
}

SENTENCE(the_log_tells_rows_of_all_kinds_in_order)
{
    UNUSED_STATE;
    desk d;
    char seen[400] = "";
    desk_create(&d, "1", "0");
    jali_ledger *l = desk_open(&d);
    desk_ask(&d, l, "ana", "{\"q\":1}", desk_pure("0.1"));
    CHECK_OK(jali_ledger_set_question(l, 500000, &(jali_hand){ "carol", NOON }, NULL));
    desk_ask(&d, l, "bob", "{\"q\":2}", desk_pure("0.1"));
    CHECK_OK(jali_ledger_each(l, 1, collect, seen, NULL));
    assert_string_equal(seen, "1:create: 2:ana:{\"q\":1} 3:r1: 4:question: 5:bob:{\"q\":2} ");
    CHECK_OK(jali_ledger_close(l, NULL));
    desk_clear(&d);
}

SENTENCE(a_reader_reads_and_cannot_pay)
{
    UNUSED_STATE;
    desk d;
    jali_ledger *l;
    jali_charge *c = NULL;
    jali_totals t;
    desk_create(&d, "1", "0");
    CHECK_OK(jali_ledger_open(&l, &d.places, JALI_LEDGER_READ, NULL));
    CHECK_OK(jali_ledger_totals(l, &d.arena, &t, NULL));
    CHECK(strcmp(t.vault, "census") == 0 && t.created_ms == NOON);
    CHECK(t.question_ppm == 1000000 && t.everybody_ppm == 1000000 && t.n_spenders == 0);
    CHECK(desk_pay(&d, l, "ana", "{}", desk_pure("0.1"), &c, NULL) == JALI_E_INTERNAL);
    CHECK_OK(jali_ledger_close(l, NULL));
    desk_clear(&d);
}

SENTENCE(a_ledger_is_not_replaced_and_its_key_is_private)
{
    UNUSED_STATE;
    desk d;
    struct stat st;
    jali_err err;
    char key[128];
    jali_cap cap = desk_cap("1", "0");
    desk_create(&d, "1", "0");
    CHECK(jali_ledger_create(&d.places, "census", &cap, &(jali_hand){ "carol", NOON }, &err) ==
          JALI_E_ENGINE);
    CHECK_REFUSED(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "already a ledger");
    snprintf(key, sizeof key, "%s.key", d.file);
    CHECK(stat(key, &st) == 0 && (st.st_mode & 0777) == 0600);
    jali_ledger *l = NULL;
    CHECK(chmod(key, 0644) == 0);
    CHECK(jali_ledger_open(&l, &d.places, JALI_LEDGER_WRITE, &err) == JALI_E_LEDGER);
    CHECK_REFUSED(err, JALI_E_LEDGER, JALI_FOR_CURATOR, "chmod 600");
    CHECK(l == NULL);
    desk_clear(&d);
}

/* ---- two at once ---- */

struct asker {
    desk *d;
    jali_ledger *ledger;
    unsigned patience_ms;
    bool paid;
};

static void *ask_the_same(void *self)
{
    struct asker *a = self;
    jali_arena arena = JALI_ARENA_INIT;
    jali_request r = desk_request("ana", "{\"q\":1}", desk_pure("0.1"));
    jali_release found;
    jali_charge *c;
    jali_release told;
    r.patience_ms = a->patience_ms;
    if (jali_ledger_charge(a->ledger, &r, &arena, &c, &found, NULL) == JALI_OK && c != NULL) {
        nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL); /* drawing takes a while */
        a->paid = jali_ledger_store(a->ledger, c, 'r', "{}", 2, NOON, &told, NULL) == JALI_OK;
        jali_charge_free(c);
    }
    jali_arena_clear(&arena);
    return NULL;
}

SENTENCE(two_threads_with_patience_pay_once)
{
    UNUSED_STATE;
    desk d;
    pthread_t thread[4];
    struct asker asker[4];
    int paid = 0;
    desk_create(&d, "1", "0");
    jali_ledger *l = desk_open(&d);
    for (int i = 0; i < 4; i++) {
        asker[i] = (struct asker){ .d = &d, .ledger = l, .patience_ms = 20000 };
        CHECK(pthread_create(&thread[i], NULL, ask_the_same, &asker[i]) == 0);
    }
    for (int i = 0; i < 4; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < 4; i++) paid += asker[i].paid;
    assert_int_equal(paid, 1);
    CHECK_OK(jali_ledger_close(l, NULL));
    desk_clear(&d);
}

/* The kernel gives up a dead asker's turn: the next one pays and is not left waiting. */
SENTENCE(nobody_waits_for_the_dead)
{
    UNUSED_STATE;
    desk d;
    jali_charge *c = NULL;
    jali_totals t;
    desk_create(&d, "1", "0");
    pid_t child = fork();
    if (child == 0) {
        jali_ledger *l = desk_open(&d);
        if (desk_pay(&d, l, "bob", "{\"q\":1}", desk_pure("0.1"), &c, NULL) != JALI_OK)
            _exit(1);
        kill(getpid(), SIGKILL);
    }
    int status;
    waitpid(child, &status, 0);
    CHECK(WIFSIGNALED(status));
    jali_ledger *l = desk_open(&d);
    jali_request r = desk_request("ana", "{\"q\":1}", desk_pure("0.1"));
    jali_release found;
    r.patience_ms = 3600000; /* the test would hang */
    CHECK_OK(jali_ledger_charge(l, &r, &d.arena, &c, &found, NULL));
    assert_non_null(c);
    jali_charge_free(c);
    CHECK_OK(jali_ledger_totals(l, &d.arena, &t, NULL));
    CHECK(t.charges == 2 && t.releases == 0);
    CHECK_OK(jali_ledger_close(l, NULL));
    desk_clear(&d);
}

RUN_ALL(TEST(a_charge_is_a_receipt_that_can_be_spent_once),
        TEST(a_charge_without_a_release_is_not_paid_back),
        TEST(a_receipt_without_a_finite_eps_covers_pure_parts_by_their_rho),
        TEST(the_same_plan_is_paid_once_by_whoever_asks),
        TEST(an_unknown_release_is_named_in_the_refusal),
        TEST(a_request_id_is_answered_the_same_way_twice),
        TEST(bad_texts_are_refused_before_anything_is_paid),
        TEST(the_log_tells_rows_of_all_kinds_in_order), TEST(a_reader_reads_and_cannot_pay),
        TEST(a_ledger_is_not_replaced_and_its_key_is_private),
        TEST(two_threads_with_patience_pay_once), TEST(nobody_waits_for_the_dead))
