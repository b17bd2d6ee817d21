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

static jali_status add_charge(const jali_rows *s, jali_arena *arena, jali_totals *t,
                              jali_err *err)
{
    const char *analyst = jali_rows_text(s, 0);
    jali_loss loss;
    jali_spender *spender = spender_of(t, analyst);
    if (spender == NULL) {
        spender = &t->spender[t->n_spenders++];
        spender->analyst = jali_arena_text(arena, analyst);
        if (spender->analyst == NULL) return jali_fail_memory(err);
    }
    if (!jali_column_loss(s, 1, &loss))
        return jali_fail(err, JALI_E_LEDGER, JALI_FOR_CURATOR,
                         "a charge of the ledger is damaged; run jali ledger verify");
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
        status = add_charge(&rows, arena, t, err);
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

static jali_status read_standing(jali_ledger *ledger, jali_store *store, void *self,
                                 jali_err *err)
{
    struct totals *into = self;
    jali_totals *t = &into->t;
    jali_head head;
    t->vault = jali_arena_text(into->arena, ledger->vault);
    if (t->vault == NULL) return jali_fail_memory(err);
    JALI_TRY(jali_store_number(store, "SELECT time_ms FROM acts WHERE seq = 1", &t->created_ms,
                               err));
    JALI_TRY(jali_ledger_cap(store, &t->cap, err));
    JALI_TRY(jali_ledger_sum(store, &t->sum, err));
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
    JALI_TRY(read_standing(ledger, store, self, err));
    JALI_TRY(jali_store_number(store, "SELECT COUNT(*) FROM charges", &t->charges, err));
    JALI_TRY(jali_store_number(store, "SELECT COUNT(*) FROM releases", &t->releases, err));
    return read_spenders(store, into->arena, t, err);
}

/* What is read belongs together: it is one transaction. */
static jali_status read_once(jali_ledger *ledger, jali_ledger_look *look, jali_arena *arena,
                             jali_totals *out, jali_err *err)
{
    struct totals into = { .arena = arena };
    jali_status status = jali_ledger_read(ledger, look, &into, err);
    if (status == JALI_OK) *out = into.t;
    return status;
}

jali_status jali_ledger_totals(jali_ledger *ledger, jali_arena *arena, jali_totals *out,
                               jali_err *err)
{
    JALI_TRY(read_once(ledger, read_totals, arena, out, err));
    out->eps_of_rho_pico =
        jali_convert_eps(out->sum.rho_pico, out->cap.delta_atto - out->cap.reserve_atto);
    return JALI_OK;
}

jali_status jali_ledger_standing(jali_ledger *ledger, jali_arena *arena, jali_totals *out,
                                 jali_err *err)
{
    return read_once(ledger, read_standing, arena, out, err);
}

struct payer {
    const char *analyst;
    bool paid;
};

static jali_status look_for_payer(jali_ledger *ledger, jali_store *store, void *self,
                                  jali_err *err)
{
    struct payer *p = self;
    const jali_cell who = jali_cell_text(p->analyst);
    jali_rows rows;
    (void)ledger;
    JALI_TRY(jali_rows_first(&rows, store, "SELECT 1 FROM charges WHERE analyst = $1 LIMIT 1",
                             &who, 1, &p->paid, err));
    jali_rows_finish(&rows);
    return JALI_OK;
}

jali_status jali_ledger_has_paid(jali_ledger *ledger, const char *analyst, bool *out,
                                 jali_err *err)
{
    struct payer p = { .analyst = analyst };
    jali_status status = jali_ledger_read(ledger, look_for_payer, &p, err);
    if (status == JALI_OK) *out = p.paid;
    return status;
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
