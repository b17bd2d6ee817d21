/* door/desk.h — where every verb pays: open, price, pay, draw, store, and only then show.
 *
 * A verb reads its words, opens the desk, makes its plan and price from public facts, and hands
 * over a job. The desk keeps the order that the three laws ask for, so no verb can get it
 * wrong.
 */
#ifndef JALI_DOOR_DESK_H
#define JALI_DOOR_DESK_H

#include "base/pool.h"
#include "base/progress.h"
#include "dice/dice.h"
#include "door/door.h"
#include "door/hold.h"
#include "door/vault.h"
#include "mech/interval.h"
#include "tally/plan.h"
#include <gmp.h>

typedef struct jali_desk {
    const jali_spend *spend;
    jali_arena arena;
    jali_vault *vault;
    jali_ledger *ledger;
    jali_held *held;               /* whose ledger it is; NULL: our own                 */
    jali_copy *copy;               /* whose vault it is; NULL: our own                  */
    jali_account account;          /* before                                            */
    jali_law law;                  /* Laplace in a pure vault, Gauss in the others      */
    double miss;                   /* 1 - confidence                                    */
    const jali_progress *progress; /* NULL unless the vault is public                   */
    jali_release release;          /* after jali_desk_pay                               */
    bool free;                     /* answered before: nothing was paid                 */
} jali_desk;

/* Opens vault and ledger (for reading only if spend->quote), checks that they belong together,
 * reads the confidence. Close in any case. */
JALI_MUST_USE jali_status jali_desk_open(jali_desk *desk, const jali_spend *spend,
                                         jali_err *err);
void jali_desk_close(jali_desk *desk);

/* The budget that spend->epsilon or spend->rho names, exact: eps in a pure vault, rho in the
 * others, where eps means the rho that converts to it as the cap's own does. */
JALI_MUST_USE jali_status jali_desk_budget(const jali_desk *desk, mpq_t out, jali_err *err);

/* The exact text of a budget for canonical plans; refuses one of too many digits. */
JALI_MUST_USE jali_status jali_desk_exact(mpq_srcptr budget, jali_arena *arena,
                                          const char **out, jali_err *err);

/* What is to be paid for. All that can be refused about it has been refused by now. */
typedef struct jali_job {
    char kind;         /* letter of its releases: r ask, w why, c cluster, p profile,
                          k contrast, m model                                        */
    const char *plan;  /* canonical: every parameter that changes the release        */
    const char *exact; /* the loss in words, for the auditor                         */
    const char *note;  /* what was asked, a line                                     */
    jali_loss loss;
    const jali_plan *tables; /* checked before paying; NULL: none made yet           */
    /* Counts, takes its parts of the receipt, draws: *body is the release, JSON in the arena.
     */
    jali_status (*draw)(void *self, jali_charge *charge, jali_dice *dice, jali_pool *pool,
                        jali_arena *arena, char **body, jali_err *err);
    void *self;
} jali_job;

/* Pays, draws and stores; or finds the stored release. Sets desk->release and desk->free. */
JALI_MUST_USE jali_status jali_desk_pay(jali_desk *desk, const jali_job *job, jali_err *err);

/* A document of `kind` for who asked: bare, if he said so. */
JALI_MUST_USE jali_status jali_desk_doc(const jali_desk *desk, const char *kind, jali_doc **out,
                                        jali_err *err);

/* The facts of a quote on a document of the verb's own making: before, this, after, left. */
JALI_MUST_USE jali_status jali_desk_quote(jali_desk *desk, const jali_job *job, jali_doc *doc,
                                          jali_err *err);

/* Members "release", "charge", "paid", "confidence", "unit", "rows_per_person" and, unless the
 * verb set it, "neighbours". */
void jali_desk_set_terms(const jali_desk *desk, const jali_release *r, jali_doc *doc);

/* Under an answer: what it cost (or who paid before) and what is left; those members, and
 * "free" and "left". */
JALI_MUST_USE jali_status jali_desk_tell_cost(jali_desk *desk, jali_doc *doc, jali_err *err);

/* desk->release as its teller tells it, with the cost below. */
JALI_MUST_USE jali_status jali_desk_tell(jali_desk *desk, jali_doc **out, jali_err *err);

/* Members "unit" (what is one person: "row", or the name of the id's column) and
 * "rows_per_person". */
void jali_door_set_unit(jali_doc *doc, const jali_schema *schema);

/* 1 - confidence of an exact text; NULL: 0.05. */
JALI_MUST_USE jali_status jali_door_miss(const char *confidence, double *miss, jali_err *err);

/* A line of text for the ledger's note: `text` without control characters, or `instead` if it
 * is too long. */
const char *jali_door_note(const char *text, const char *instead, jali_arena *arena);

#endif
