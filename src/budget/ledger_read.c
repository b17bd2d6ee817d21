/* budget/ledger_read.c — what was spent, by whom, and row by row. */
#include "budget/convert.h"
#include "budget/inside.h"

/* ---- totals ---- */

static jali_spender *spender_of(jali_totals *t, const char *analyst)
{
    for (size_t i = 0; i < t->n_spenders; i++)
        if (strcmp(t->spender[i].analyst, analyst) == 0) return &t->spender[i];
    return NULL;
}

static jali_status damaged(const char *what, jali_err *err)
{
    return jali_fail(err, JALI_E_LEDGER, JALI_FOR_CURATOR,
                     "%s of the ledger is damaged; run jali ledger verify", what);
}

/* The room was counted by an index, the charges are read from their table. */
static jali_status add_charge(const jali_rows *s, jali_arena *arena, size_t room,
                              jali_totals *t, jali_err *err)
{
    const char *analyst = jali_rows_text(s, 0);
    jali_loss loss;
    jali_spender *spender = spender_of(t, analyst);
    if (spender == NULL) {
        if (t->n_spenders == room) return damaged("an index", err);
        spender = &t->spender[t->n_spenders++];
        spender->analyst = jali_arena_text(arena, analyst);
        if (spender->analyst == NULL) return jali_fail_memory(err);
    }
    if (!jali_column_loss(s, 1, &loss)) return damaged("a charge", err);
    spender->sum = jali_loss_add(spender->sum, loss);
    spender->charges++;
    return JALI_OK;
}

/* For a reader, no share is the whole. */
static void or_whole(uint32_t *ppm)
{
    if (*ppm == 0) *ppm = 1000000;
}

static jali_status read_spenders(jali_store *store, jali_arena *arena, jali_totals *t,
                                 jali_err *err)
{
    int64_t n;
    jali_rows rows;
    bool found = true;
    JALI_TRY(jali_store_number(store, "SELECT COUNT(DISTINCT analyst) FROM charges", &n, err));
    t->spender = jali_arena_take(arena, (size_t)n + 1, sizeof *t->spender);
    if (t->spender == NULL) return jali_fail_memory(err);
    JALI_TRY(jali_rows_start(&rows, store,
                             "SELECT analyst, eps_pico, eps_infinite, rho_pico, delta_atto"
                             " FROM charges ORDER BY seq",
                             NULL, 0, err));
    jali_status status = jali_rows_next(&rows, &found, err);
    while (status == JALI_OK && found) {
        status = add_charge(&rows, arena, (size_t)n, t, err);
        if (status == JALI_OK) status = jali_rows_next(&rows, &found, err);
    }
    jali_rows_finish(&rows);
    for (size_t i = 0; status == JALI_OK && i < t->n_spenders; i++) {
        jali_spender *s = &t->spender[i];
        status = jali_ledger_quota(store, s->analyst, &s->quota_ppm, err);
        or_whole(&s->quota_ppm);
    }
    return status;
}

struct totals {
    jali_arena *arena;
    jali_totals t;
};

static jali_status read_account(jali_ledger *ledger, jali_store *store, void *self,
                                jali_err *err)
{
    jali_account *s = self;
    s->vault = ledger->vault;
    JALI_TRY(jali_store_number(store, "SELECT time_ms FROM acts WHERE seq = 1", &s->created_ms,
                               err));
    JALI_TRY(jali_ledger_cap(store, &s->cap, err));
    return jali_ledger_sum(store, &s->sum, err);
}

static jali_status read_shares(jali_ledger *ledger, jali_store *store, jali_totals *t,
                               jali_err *err)
{
    jali_account s;
    jali_head head;
    JALI_TRY(read_account(ledger, store, &s, err));
    t->created_ms = s.created_ms;
    t->cap = s.cap;
    t->sum = s.sum;
    JALI_TRY(jali_row_head(store, &head, err));
    JALI_TRY(jali_ledger_share(store, "question", "", &t->question_ppm, err));
    JALI_TRY(jali_ledger_share(store, "quota", "", &t->everybody_ppm, err));
    or_whole(&t->question_ppm);
    or_whole(&t->everybody_ppm);
    t->rows = head.seq;
    t->left = jali_cap_left(&t->cap, t->sum);
    t->within = jali_cap_admits(&t->cap, t->sum);
    return JALI_OK;
}

static jali_status read_totals(jali_ledger *ledger, jali_store *store, void *self,
                               jali_err *err)
{
    struct totals *into = self;
    jali_totals *t = &into->t;
    t->vault = jali_arena_text(into->arena, ledger->vault);
    if (t->vault == NULL) return jali_fail_memory(err);
    JALI_TRY(read_shares(ledger, store, t, err));
    JALI_TRY(jali_store_number(store, "SELECT COUNT(*) FROM charges", &t->charges, err));
    JALI_TRY(jali_store_number(store, "SELECT COUNT(*) FROM releases", &t->releases, err));
    return read_spenders(store, into->arena, t, err);
}

jali_status jali_ledger_totals(jali_ledger *ledger, jali_arena *arena, jali_totals *out,
                               jali_err *err)
{
    struct totals into = { .arena = arena };
    JALI_TRY(jali_ledger_read(ledger, read_totals, &into, err));
    *out = into.t;
    out->eps_of_rho_pico =
        jali_convert_eps(out->sum.rho_pico, out->cap.delta_atto - out->cap.reserve_atto);
    return JALI_OK;
}

jali_status jali_ledger_account(jali_ledger *ledger, jali_account *out, jali_err *err)
{
    jali_account s = { 0 };
    JALI_TRY(jali_ledger_read(ledger, read_account, &s, err));
    *out = s;
    return JALI_OK;
}

/* ---- rows ---- */

struct reader {
    int64_t from;
    bool (*row)(void *self, const jali_row *row);
    void *self;
};

static jali_status each(jali_ledger *ledger, jali_store *store, void *self, jali_err *err)
{
    const struct reader *r = self;
    jali_walk walk;
    jali_row at;
    const char *prev;
    bool found = true;
    (void)ledger;
    jali_status status = jali_walk_init(&walk, store, r->from, err);
    while (status == JALI_OK && found) {
        status = jali_walk_next(&walk, &found, &at, &prev, err);
        if (status != JALI_OK || !found || !r->row(r->self, &at)) break;
    }
    jali_walk_clear(&walk);
    return status;
}

jali_status jali_ledger_each(jali_ledger *ledger, int64_t from,
                             bool (*row)(void *self, const jali_row *row), void *self,
                             jali_err *err)
{
    struct reader r = { from, row, self };
    return jali_ledger_read(ledger, each, &r, err);
}
