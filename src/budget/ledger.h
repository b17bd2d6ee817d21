/* budget/ledger.h — the book of a vault: who paid what, before anything was drawn.
 *
 * Order of a request: jali_ledger_charge, draw, jali_ledger_store, and only then show.
 *   charge   is on disk when it returns, or it failed. Nothing gives a charge back.
 *   store    puts the release under its charge, whole. If it fails, show nothing: the
 *            charge stands.
 *   again    the same canonical plan, asked by anyone, returns the stored release, free.
 * A handle may be shared by threads (it locks itself) and must not cross a fork. There is
 * no clock here: the caller says what time it is.
 *
 * Statuses: JALI_E_BUDGET the cap or the policy says no (analyst); JALI_E_LEDGER the file is
 * not what it should be (curator); JALI_E_ENGINE the disk failed (curator); JALI_E_USAGE.
 * The format of the file is told in docs/ledger.md.
 */
#ifndef JALI_BUDGET_LEDGER_H
#define JALI_BUDGET_LEDGER_H

#include "base/arena.h"
#include "budget/cap.h"
#include "budget/charge.h"

/* Limits of what strangers send; all text is UTF-8 without control characters (plan and
 * body: without NUL). */
enum {
    JALI_LEDGER_MAX_NAME = 64, /* analyst, curator, vault */
    JALI_LEDGER_MAX_REQUEST = 128,
    JALI_LEDGER_MAX_NOTE = 1024,
    JALI_LEDGER_MAX_PLAN = 1 << 20,
    JALI_LEDGER_MAX_BODY = 1 << 26,
    JALI_LEDGER_CHECKPOINT_ROWS = 64,
    JALI_LEDGER_BUSY_MS = 60000, /* how long a writer waits for the others */
    JALI_HASH_TEXT = 65          /* BLAKE2b-256 in hexadecimal, and its zero */
};

typedef struct jali_ledger jali_ledger;

typedef struct jali_ledger_places {
    const char *file;       /* the SQLite file; or, called NAME.postgresql, a small file
                               that says on which server the rows are                */
    const char *checkpoint; /* NULL: file + ".checkpoint". Best on another machine   */
    const char *key;        /* NULL: file + ".key", the signing key; writers only    */
    const char *server;     /* create only: the PostgreSQL server, without a password;
                               NULL: the rows go into the file                       */
} jali_ledger_places;

typedef enum jali_ledger_mode { JALI_LEDGER_READ, JALI_LEDGER_WRITE } jali_ledger_mode;

/* Who did it, and when (milliseconds since 1970, UTC). */
typedef struct jali_hand {
    const char *who;
    int64_t now_ms;
} jali_hand;

/* ---- life ------------------------------------------------------------------------- */

/* Makes the file, its key and its first checkpoint; refuses a file that exists. A crash in
 * here leaves something that open refuses: create in a folder that you rename when whole. */
JALI_MUST_USE jali_status jali_ledger_create(const jali_ledger_places *places,
                                             const char *vault, const jali_cap *cap,
                                             const jali_hand *by, jali_err *err);

/* Checks format, schema, the signature and the whole hash chain (some microseconds a row).
 * A copy older than its checkpoint is JALI_E_LEDGER. */
JALI_MUST_USE jali_status jali_ledger_open(jali_ledger **out, const jali_ledger_places *places,
                                           jali_ledger_mode mode, jali_err *err);

/* Frees the handle in any case; a writer signs a checkpoint first. NULL is fine. */
jali_status jali_ledger_close(jali_ledger *ledger, jali_err *err);

/* Did a commit fail, so that this handle takes no more? Open another one. */
bool jali_ledger_failed(const jali_ledger *ledger);

/* For a handle that is shared by threads: from now on who only looks does not wait for who
 * writes. */
JALI_MUST_USE jali_status jali_ledger_read_beside(jali_ledger *ledger, jali_err *err);

/* ---- asking ----------------------------------------------------------------------- */

typedef struct jali_request {
    const char *analyst;
    const char *id;   /* idempotency key, unique per analyst; NULL: none */
    const char *plan; /* canonical text: equal questions, equal bytes    */
    jali_loss loss;
    const char *exact; /* the loss as exact text, for the auditor: "2 x pure 1/10" */
    const char *note;  /* what the mechanisms are, in a line             */
    int64_t now_ms;
    /* If another process is drawing for this very plan, wait so long for its release
     * before paying for one's own. 0: do not wait. */
    unsigned patience_ms;
} jali_request; /* its texts are borrowed until the receipt is freed */

/* A stored release; texts live in the arena that was passed. */
typedef struct jali_release {
    char id[24];         /* "r1": what people type; "" means there is none */
    int64_t seq, charge; /* rows of the ledger                             */
    int64_t time_ms;
    const char *analyst; /* who paid        */
    const char *plan;    /* canonical       */
    jali_loss paid;      /* by the first asker; a later one pays nothing   */
    const char *body;    /* JSON, whole     */
    size_t n;
} jali_release;

/* Pays for a plan, or finds that it is already answered. On JALI_OK exactly one is set:
 *   *charge         paid and on disk: draw, then store; free with jali_charge_free
 *   stored->id[0]   answered before: *charge is NULL and nothing was paid
 * JALI_E_BUDGET tells what is spent, asked and left, and who spent most; the same status
 * tells a request id that was charged and has no release: ask under a new id.
 * JALI_E_USAGE: a request id used before for another plan. */
JALI_MUST_USE jali_status jali_ledger_charge(jali_ledger *ledger, const jali_request *request,
                                             jali_arena *arena, jali_charge **charge,
                                             jali_release *stored, jali_err *err);

/* What a request would meet now; all of one moment. */
typedef struct jali_quote {
    jali_release stored; /* id[0] is 0 if nobody asked it before */
    bool newcomer;       /* its analyst was never charged        */
} jali_quote;

/* JALI_OK, or the sentence that would refuse it; what is stored is never refused. Looks at
 * analyst, plan and loss. Pays nothing. */
JALI_MUST_USE jali_status jali_ledger_quote(jali_ledger *ledger, const jali_request *request,
                                            jali_arena *arena, jali_quote *out, jali_err *err);

/* Stores the release (n bytes of JSON, with a zero behind them) of a charge of this very
 * handle, once. `kind` is a small letter; ids count per letter: r1, r2, c1. The texts of *out
 * are body and those of the request. */
JALI_MUST_USE jali_status jali_ledger_store(jali_ledger *ledger, jali_charge *charge, char kind,
                                            const char *body, size_t n, int64_t now_ms,
                                            jali_release *out, jali_err *err);

/* The first stored release of this plan; out->id[0] is 0 if there is none. */
JALI_MUST_USE jali_status jali_ledger_find_plan(jali_ledger *ledger, const char *plan,
                                                jali_arena *arena, jali_release *out,
                                                jali_err *err);

/* By short id; one that does not exist is JALI_E_USAGE for the analyst. */
JALI_MUST_USE jali_status jali_ledger_find_id(jali_ledger *ledger, const char *id,
                                              jali_arena *arena, jali_release *out,
                                              jali_err *err);

/* ---- the curator ------------------------------------------------------------------ */

/* Logged, and starts a new promise; no coordinate may shrink. */
JALI_MUST_USE jali_status jali_ledger_raise_cap(jali_ledger *ledger, const jali_cap *to,
                                                const jali_hand *by, jali_err *err);

/* Policy on top of the cap, as shares of it in parts per million (1..1000000): one
 * analyst's quota (NULL: everybody without a quota of his own), the largest question. */
JALI_MUST_USE jali_status jali_ledger_set_quota(jali_ledger *ledger, const char *analyst,
                                                uint32_t ppm, const jali_hand *by,
                                                jali_err *err);
JALI_MUST_USE jali_status jali_ledger_set_question(jali_ledger *ledger, uint32_t ppm,
                                                   const jali_hand *by, jali_err *err);

/* ---- reading ---------------------------------------------------------------------- */

typedef struct jali_spender {
    const char *analyst;
    jali_loss sum;
    int64_t charges;
    uint32_t quota_ppm; /* of the cap; 1000000 if none */
} jali_spender;

typedef struct jali_totals {
    const char *vault;
    int64_t created_ms;
    jali_cap cap;
    jali_loss sum, left;             /* left: see jali_cap_left                           */
    jali_admission within;           /* which test the sum passes now                     */
    uint64_t eps_of_rho_pico;        /* sum of rho as an eps at the cap's delta, rounded up;
                                        JALI_LOSS_MAX: none                               */
    int64_t rows, charges, releases; /* charges - releases were paid and never answered */
    uint32_t question_ppm, everybody_ppm; /* 1000000 if none was set */
    jali_spender *spender;                /* in order of first charge */
    size_t n_spenders;
} jali_totals;

/* For `jali budget`. Lives in the arena. */
JALI_MUST_USE jali_status jali_ledger_totals(jali_ledger *ledger, jali_arena *arena,
                                             jali_totals *out, jali_err *err);

/* What every question has to know. */
typedef struct jali_account {
    const char *vault; /* the handle's */
    int64_t created_ms;
    jali_cap cap;
    jali_loss sum;
} jali_account;

JALI_MUST_USE jali_status jali_ledger_account(jali_ledger *ledger, jali_account *out,
                                              jali_err *err);

typedef enum jali_row_kind { JALI_ROW_CHARGE, JALI_ROW_RELEASE, JALI_ROW_ACT } jali_row_kind;

/* One row, valid during the call it is passed to; what a kind does not have is NULL or 0. */
typedef struct jali_row {
    int64_t seq, time_ms;
    jali_row_kind kind;
    const char *who;                        /* analyst or curator         */
    const char *request, *plan, *plan_hash; /* charges                    */
    const char *note, *exact;               /* charges                    */
    jali_loss loss, sum;                    /* charges; sum is with it    */
    int64_t charge;                         /* releases: the row that paid */
    char id[24];                            /* releases                   */
    const char *what;                       /* acts: create raise quota question */
    const char *subject;                    /* acts: whose quota; "": everybody's */
    const char *body;                       /* releases and acts: JSON    */
    size_t body_n;
    const char *hash; /* of this row                */
} jali_row;

/* For `jali ledger log`: rows in order from `from` (1 is the first); stops, with JALI_OK,
 * when `row` returns false. */
JALI_MUST_USE jali_status jali_ledger_each(jali_ledger *ledger, int64_t from,
                                           bool (*row)(void *self, const jali_row *row),
                                           void *self, jali_err *err);

typedef struct jali_ledger_report {
    bool intact;
    int64_t rows, charges, releases, acts; /* read before the first fault          */
    int64_t bad_row;    /* first bad row; 0: none, or not a matter of a row          */
    char why[400];      /* one clause: "its hash does not match its content"         */
    int64_t signed_row; /* the row the checkpoint vouches for; 0: no checkpoint     */
    jali_cap cap;
    jali_loss sum;
} jali_ledger_report;

/* For `jali ledger verify`: recomputes everything and trusts nothing but the mathematics.
 * JALI_OK means that the report tells the truth, be it good or bad; a missing file is
 * JALI_E_ENGINE. The key is not needed. */
JALI_MUST_USE jali_status jali_ledger_verify(const jali_ledger_places *places,
                                             jali_ledger_report *out, jali_err *err);

/* JALI_OK if intact, else JALI_E_LEDGER and the sentence with the first bad row. */
JALI_MUST_USE jali_status jali_ledger_report_status(const jali_ledger_report *report,
                                                    jali_err *err);

/* The hash under which a plan is found. */
JALI_MUST_USE jali_status jali_plan_hash(char out[static JALI_HASH_TEXT], const char *plan,
                                         jali_err *err);

#endif
