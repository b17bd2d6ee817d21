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
#define _GNU_SOURCE
#include "base/text.h"
#include "budget/inside.h"
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

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

/* ---- turns: two who ask the same plan at once should pay once ---- */

/* A lock on one byte of a side file, chosen by the plan. The kernel drops it when its owner
 * stores, frees the receipt, or dies: nobody waits for the dead. It is a courtesy, not a
 * safeguard; without it both would pay. */
static bool try_turn(int fd, const char *plan_hash)
{
    uint64_t byte = 0;
    sscanf(plan_hash, "%15" SCNx64, &byte);
    struct flock lock = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)byte, .l_len = 1
    };
    return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

static int take_turn(const jali_ledger *ledger, const char *plan_hash, unsigned patience_ms)
{
    enum { STEP_MS = 10 };
    char path[4096];
    int n = snprintf(path, sizeof path, "%s.turns", ledger->file);
    if (n < 0 || (size_t)n >= sizeof path || ledger->mode != JALI_LEDGER_WRITE) return -1;
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) return -1;
    for (unsigned waited = 0; !try_turn(fd, plan_hash); waited += STEP_MS) {
        struct timespec pause = { .tv_nsec = STEP_MS * 1000000L };
        if (waited >= patience_ms) {
            close(fd);
            return -1;
        }
        nanosleep(&pause, NULL);
    }
    return fd;
}

/* ---- the charge ---- */

/* The charge made before under this request id: its row, and whether it is this plan. */
static jali_status find_request(sqlite3 *db, const jali_request *r, const char *plan_hash,
                                int64_t *seq, bool *same, jali_err *err)
{
    sqlite3_stmt *stmt;
    bool row;
    *seq = 0;
    if (r->id == NULL) return JALI_OK;
    JALI_TRY(jali_sql_prepare(db, &stmt,
                              "SELECT seq, plan_hash FROM charges WHERE analyst = ? AND"
                              " request = ? AND request <> ''",
                              err));
    sqlite3_bind_text(stmt, 1, r->analyst, -1, SQLITE_STATIC);
    sqlite3_bind_text(stmt, 2, r->id, -1, SQLITE_STATIC);
    jali_status status = jali_sql_step(stmt, &row, err);
    if (status == JALI_OK && row) {
        *seq = sqlite3_column_int64(stmt, 0);
        *same = strcmp((const char *)sqlite3_column_text(stmt, 1), plan_hash) == 0;
    }
    sqlite3_finalize(stmt);
    return status;
}

/* What is already known about this request; out->id[0] is 0 if it has to be paid. */
static jali_status look_up(sqlite3 *db, const jali_request *r, const char *plan_hash,
                           jali_arena *arena, jali_release *out, jali_err *err)
{
    int64_t seq;
    bool same = false;
    JALI_TRY(find_request(db, r, plan_hash, &seq, &same, err));
    if (seq == 0) return jali_release_by_plan(db, plan_hash, arena, out, err);
    if (!same)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "request id %.64s was used in row %lld for another question; take a "
                         "new id",
                         r->id, (long long)seq);
    JALI_TRY(jali_release_by_charge(db, seq, arena, out, err));
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
    jali_cell cells[] = {
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
    return jali_row_append(ledger->db, JALI_ROW_CHARGE, cells, head, err);
}

/* Inside the transaction: find, or admit and insert. head->seq is 0 if nothing was paid. */
static jali_status find_or_pay(jali_ledger *ledger, const jali_request *r,
                               const char *plan_hash, jali_arena *arena, jali_release *stored,
                               jali_head *head, jali_err *err)
{
    jali_loss after;
    *head = (jali_head){ 0 };
    JALI_TRY(look_up(ledger->db, r, plan_hash, arena, stored, err));
    if (stored->id[0] != '\0') return JALI_OK;
    JALI_TRY(jali_ledger_admit(ledger->db, r->analyst, r->loss, &after, err));
    return insert_charge(ledger, r, plan_hash, after, head, err);
}

static jali_status charge_locked(jali_ledger *ledger, const jali_request *r,
                                 const char *plan_hash, jali_arena *arena, jali_charge *receipt,
                                 jali_release *stored, jali_err *err)
{
    jali_head head;
    JALI_TRY(jali_ledger_begin(ledger, err));
    jali_status status = find_or_pay(ledger, r, plan_hash, arena, stored, &head, err);
    JALI_TRY(jali_ledger_end(ledger, status, err));
    receipt->seq = head.seq;
    if (head.seq - ledger->signed_seq < JALI_LEDGER_CHECKPOINT_ROWS) return JALI_OK;
    return jali_checkpoint_write(ledger, err);
}

jali_status jali_ledger_charge(jali_ledger *ledger, const jali_request *request,
                               jali_arena *arena, jali_charge **charge, jali_release *stored,
                               jali_err *err)
{
    char plan_hash[JALI_HASH_TEXT];
    jali_release found = { 0 };
    JALI_TRY(check_request(request, err));
    JALI_TRY(jali_plan_hash(plan_hash, request->plan, err));
    jali_charge *receipt = calloc(1, sizeof *receipt);
    if (receipt == NULL) return jali_fail_memory(err);
    *receipt = (jali_charge){ .ledger = ledger, .paid = request->loss, .left = request->loss };
    receipt->turn = take_turn(ledger, plan_hash, request->patience_ms);
    pthread_mutex_lock(&ledger->lock);
    jali_status status = charge_locked(ledger, request, plan_hash, arena, receipt, &found, err);
    pthread_mutex_unlock(&ledger->lock);
    if (status != JALI_OK || receipt->seq == 0) {
        jali_charge_free(receipt);
        receipt = NULL;
    }
    if (status != JALI_OK) return status;
    *charge = receipt;
    *stored = found;
    return JALI_OK;
}
