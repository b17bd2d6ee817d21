/* tests/budget/model.h — one closed ledger, of which every test spoils a copy. */
#ifndef JALI_TESTS_BUDGET_MODEL_H
#define JALI_TESTS_BUDGET_MODEL_H

#include "desk.h"

/* A closed ledger of rows: 1 create, 2 charge, 3 release r1, 4 quota, 5 charge, 6 release r2,
 * 7 charge without release. Made once; each test spoils a copy. */
static desk model;

static inline int make_model(void **state)
{
    (void)state;
    jali_charge *c;
    desk_create(&model, "1", "1e-6");
    jali_ledger *l = desk_open(&model);
    desk_ask(&model, l, "ana", "{\"q\":1}", desk_pure("0.1"));
    CHECK_OK(jali_ledger_set_quota(l, "bob", 900000, &(jali_hand){ "carol", NOON }, NULL));
    desk_ask(&model, l, "bob", "{\"q\":2}", desk_pure("0.1"));
    CHECK_OK(desk_pay(&model, l, "ana", "{\"q\":3}", desk_gauss("0.0001"), &c, NULL));
    jali_charge_free(c);
    CHECK_OK(jali_ledger_close(l, NULL));
    return 0;
}

static inline int drop_model(void **state)
{
    (void)state;
    desk_clear(&model);
    return 0;
}

static inline void fill(desk *d)
{
    desk_copy(d, &model);
}

/* Does it open? The answer of open and of verify must agree. */
static inline void check_bad(desk *d, int64_t row, const char *words)
{
    jali_ledger_report report = desk_verify(d);
    jali_err err;
    assert_false(report.intact);
    CHECK(jali_ledger_report_status(&report, &err) == JALI_E_LEDGER);
    CHECK_REFUSED(err, JALI_E_LEDGER, JALI_FOR_CURATOR, words);
    assert_int_equal(report.bad_row, row);
}

static inline void check_does_not_open(desk *d, const char *words)
{
    jali_ledger *l = NULL;
    jali_err err;
    CHECK(jali_ledger_open(&l, &d->places, JALI_LEDGER_WRITE, &err) == JALI_E_LEDGER);
    CHECK_REFUSED(err, JALI_E_LEDGER, JALI_FOR_CURATOR, words);
    CHECK(jali_ledger_open(&l, &d->places, JALI_LEDGER_READ, &err) == JALI_E_LEDGER);
    CHECK(l == NULL);
}

#endif
