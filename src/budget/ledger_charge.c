/* budget/ledger_charge.c — paying, on disk, before anything is drawn.
 *
 * Claim    ledger.prepaid
 *          Whatever is killed, full or failing, and however many processes ask at once: a
 *          receipt exists only for a row that is on disk, the rows on disk always pass the
 *          cap, and every stored release stands under a row of its own.
 * Proof    proofs/budget_ledger.md#ledger.prepaid
 * Source   FIELD C.5. SQLite in WAL mode with synchronous=FULL; no refund exists.
 * Law      check, insert and commit in one immediate transaction; then the receipt
 * Test     tests/budget/ledger_fault_test.c and tests/budget/ledger_charge_test.c
 * Silent   a disk that lies about fsync; a handle carried across a fork.
 */
#include "base/text.h"
#include "budget/inside.h"

jali_status jali_plan_hash(char out[static JALI_HASH_TEXT], const char *plan, jali_err *err)
{
    unsigned char hash[crypto_generichash_BYTES];
    if (sodium_init() < 0)
        return jali_fail(err, JALI_E_ENTROPY, JALI_FOR_CURATOR, "libsodium cannot be started");
    crypto_generichash(hash, sizeof hash, (const unsigned char *)plan, strlen(plan), NULL, 0);
    sodium_bin2hex(out, JALI_HASH_TEXT, hash, sizeof hash);
    return JALI_OK;
}

static jali_status check_long(const char *text, size_t limit, const char *what, jali_err *err)
{
    size_t n = text == NULL ? 0 : strlen(text);
    if (n <= limit && (n == 0 || jali_text_is_utf8(text, n))) return JALI_OK;
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "the %s must be UTF-8 of at most %zu bytes", what, limit);
}

static jali_status check_request(const jali_request *r, jali_err *err)
{
    JALI_TRY(jali_check_name(r->analyst, JALI_LEDGER_MAX_NAME, "analyst's name", err));
    if (r->id != NULL)
        JALI_TRY(jali_check_name(r->id, JALI_LEDGER_MAX_REQUEST, "request id", err));
    if (r->plan == NULL || r->plan[0] == '\0')
        return jali_fail(err, JALI_E_INTERNAL, JALI_FOR_ANALYST, "a request without a plan");
    JALI_TRY(check_long(r->plan, JALI_LEDGER_MAX_PLAN, "plan", err));
    JALI_TRY(check_long(r->note, JALI_LEDGER_MAX_NOTE, "note", err));
    return check_long(r->exact, JALI_LEDGER_MAX_NOTE, "exact loss", err);
}

/* ---- the charge ---- */

/* The charge made before under this request id: its row, and whether it is this plan. */
static jali_status find_request(jali_store *store, const jali_request *r, const char *plan_hash,
                                int64_t *seq, bool *same, jali_err *err)
{
    jali_rows rows;
    bool found;
    *seq = 0;
    if (r->id == NULL) return JALI_OK;
    const jali_cell cells[] = { jali_cell_text(r->analyst), jali_cell_text(r->id) };
    JALI_TRY(jali_rows_first(&rows, store,
                             "SELECT seq, plan_hash FROM charges WHERE analyst = $1 AND"
                             " request = $2 AND request <> ''",
                             cells, 2, &found, err));
    if (found) {
        *seq = jali_rows_number(&rows, 0);
        *same = strcmp(jali_rows_text(&rows, 1), plan_hash) == 0;
    }
    jali_rows_finish(&rows);
    return JALI_OK;
}

/* What is already known about this request; out->id[0] is 0 if it has to be paid. */
static jali_status look_up(jali_store *store, const jali_request *r, const char *plan_hash,
                           jali_arena *arena, jali_release *out, jali_err *err)
{
    int64_t seq;
    bool same = false;
    JALI_TRY(find_request(store, r, plan_hash, &seq, &same, err));
    if (seq == 0) return jali_release_by_plan(store, plan_hash, arena, out, err);
    if (!same)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "request id %.64s was used in row %lld for another question; take a "
                         "new id",
                         r->id, (long long)seq);
    JALI_TRY(jali_release_by_charge(store, seq, arena, out, err));
    if (out->id[0] != '\0') return JALI_OK;
    return jali_fail(err, JALI_E_BUDGET, JALI_FOR_ANALYST,
                     "request id %.64s was charged in row %lld and has no release; the charge "
                     "stands: ask again under a new id",
                     r->id, (long long)seq);
}

static const char *or_empty(const char *text)
{
    return text == NULL ? "" : text;
}

static jali_status insert_charge(jali_ledger *ledger, const jali_request *r,
                                 const char *plan_hash, jali_loss sum, jali_head *head,
                                 jali_err *err)
{
    const jali_cell cells[] = {
        { 0 },
        jali_cell_number(r->now_ms),
        jali_cell_text(r->analyst),
        jali_cell_text(ledger->vault),
        jali_cell_text(or_empty(r->id)),
        jali_cell_text(plan_hash),
        jali_cell_text(r->plan),
        jali_cell_text(or_empty(r->note)),
        jali_cell_text(or_empty(r->exact)),
        jali_cell_number((int64_t)r->loss.eps_pico),
        jali_cell_number(r->loss.eps_infinite),
        jali_cell_number((int64_t)r->loss.rho_pico),
        jali_cell_number((int64_t)r->loss.delta_atto),
        jali_cell_number((int64_t)sum.eps_pico),
        jali_cell_number(sum.eps_infinite),
        jali_cell_number((int64_t)sum.rho_pico),
        jali_cell_number((int64_t)sum.delta_atto),
    };
    return jali_row_append(ledger->store, JALI_ROW_CHARGE, cells, head, err);
}

struct paying {
    const jali_request *request;
    const char *plan_hash;
    jali_arena *arena;
    jali_release stored;
    jali_head head;     /* seq 0: nothing was paid */
    bool unsigned_rows; /* many, when it was paid */
};

/* Inside the transaction: find, or admit and insert. Nothing is kept from an earlier try. */
static jali_status find_or_pay(jali_ledger *ledger, void *self, jali_err *err)
{
    struct paying *p = self;
    const jali_request *r = p->request;
    jali_loss after;
    p->head = (jali_head){ 0 };
    p->unsigned_rows = false;
    JALI_TRY(look_up(ledger->store, r, p->plan_hash, p->arena, &p->stored, err));
    if (p->stored.id[0] != '\0') return JALI_OK;
    JALI_TRY(jali_ledger_admit(ledger->store, r->analyst, r->loss, &after, err));
    JALI_TRY(insert_charge(ledger, r, p->plan_hash, after, &p->head, err));
    ledger->seen = p->head;
    p->unsigned_rows = p->head.seq - ledger->signed_seq >= JALI_LEDGER_CHECKPOINT_ROWS;
    return JALI_OK;
}

/* A note is signed every so many rows; by the first who comes after them. */
static jali_status sign_now_and_then(jali_ledger *ledger, int64_t seq, jali_err *err)
{
    jali_status status = JALI_OK;
    pthread_mutex_lock(&ledger->lock);
    if (seq - ledger->signed_seq >= JALI_LEDGER_CHECKPOINT_ROWS)
        status = jali_checkpoint_write(ledger, err);
    pthread_mutex_unlock(&ledger->lock);
    return status;
}

/* The receipt gets its number after the commit, whoever made it. */
static jali_status pay(jali_ledger *ledger, struct paying *p, jali_charge *receipt,
                       jali_err *err)
{
    JALI_TRY(jali_ledger_write_together(ledger, find_or_pay, p, err));
    receipt->seq = p->head.seq;
    memcpy(receipt->hash, p->head.hash, sizeof receipt->hash);
    return p->unsigned_rows ? sign_now_and_then(ledger, p->head.seq, err) : JALI_OK;
}

jali_status jali_ledger_charge(jali_ledger *ledger, const jali_request *request,
                               jali_arena *arena, jali_charge **charge, jali_release *stored,
                               jali_err *err)
{
    char plan_hash[JALI_HASH_TEXT];
    struct paying p = { .request = request, .plan_hash = plan_hash, .arena = arena };
    JALI_TRY(check_request(request, err));
    JALI_TRY(jali_plan_hash(plan_hash, request->plan, err));
    jali_charge *receipt = calloc(1, sizeof *receipt);
    if (receipt == NULL) return jali_fail_memory(err);
    *receipt = (jali_charge){ .ledger = ledger,
                              .analyst = request->analyst,
                              .plan = request->plan,
                              .paid = request->loss,
                              .left = request->loss };
    jali_turn_take(ledger, receipt, plan_hash, request->patience_ms);
    jali_status status = pay(ledger, &p, receipt, err);
    if (status != JALI_OK || receipt->seq == 0) {
        jali_charge_free(receipt);
        receipt = NULL;
    }
    if (status != JALI_OK) return status;
    *charge = receipt;
    *stored = p.stored;
    return JALI_OK;
}
