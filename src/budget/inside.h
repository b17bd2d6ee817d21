/* budget/inside.h — what the files of the ledger share; nobody outside budget/ includes it
 * but tests that must hold a receipt without a ledger. */
#ifndef JALI_BUDGET_INSIDE_H
#define JALI_BUDGET_INSIDE_H

#include "budget/ledger.h"
#include "budget/store.h"
#include <pthread.h>
#include <sodium.h>
#include <stdatomic.h>

enum { JALI_LEDGER_FORMAT = 1, JALI_LEDGER_APPLICATION = 0x6a616c69 /* "jali" */ };

struct jali_charge {
    jali_ledger *ledger;
    int64_t seq;
    const char *analyst, *plan; /* the request's */
    jali_loss paid, left;
    bool stored;
    char hash[JALI_HASH_TEXT]; /* of the row that paid */
    int turn;         /* holds others who ask the same plan until we are done; -1: none */
    int64_t turn_far; /* the same among machines; 0: none */
};

typedef struct jali_head {
    int64_t seq, time_ms; /* seq 0: the ledger is empty */
    char hash[JALI_HASH_TEXT];
} jali_head;

typedef struct jali_entry jali_entry; /* somebody who waits to write: ledger_group.c */

struct jali_ledger {
    jali_store *store;
    pthread_mutex_t lock; /* guards the store and all that is not said to be guarded below */
    jali_store *reader;   /* for those who only look, beside a writer; NULL: they use `store` */
    pthread_mutex_t reading; /* guards reader */
    pthread_mutex_t gate;    /* guards waiting, led; taken after `lock`, never before it */
    jali_entry *waiting;
    bool led; /* somebody writes for all who wait */
    jali_ledger_mode mode;
    atomic_bool dead; /* a commit failed: what is on disk is unknown to this handle */
    jali_arena arena;
    const char *file, *checkpoint, *key;
    const char *name; /* what sentences call it */
    jali_head seen;   /* the last row this handle wrote, or found when it opened */
    char vault[JALI_LEDGER_MAX_NAME + 1];
    unsigned char verifying[crypto_sign_PUBLICKEYBYTES];
    unsigned char signing[crypto_sign_SECRETKEYBYTES]; /* writers only */
    int64_t signed_seq;                                /* as far as this handle knows */
};

/* ---- ledger_write.c ---- */

typedef jali_status jali_ledger_work(jali_ledger *ledger, void *self, jali_err *err);

/* Runs `work` in a write transaction and commits if it returned JALI_OK. It may run several
 * times: if another writer came first, or if the connection was lost and the storage says that
 * nothing was committed. A commit whose end stays unknown kills the handle. */
JALI_MUST_USE jali_status jali_ledger_write(jali_ledger *ledger, jali_ledger_work *work,
                                            void *self, jali_err *err);

typedef jali_status jali_ledger_look(jali_ledger *ledger, jali_store *store, void *self,
                                     jali_err *err);

/* Runs `look` on one moment of the ledger, once; takes the lock that it needs. */
JALI_MUST_USE jali_status jali_ledger_read(jali_ledger *ledger, jali_ledger_look *look,
                                           void *self, jali_err *err);

/* ---- ledger_group.c ---- */

struct jali_entry {
    jali_ledger_work *work;
    void *self;
    jali_err *err;
    jali_status status;
    bool done;
    bool leads; /* its turn to write for all who wait */
    pthread_cond_t wake;
    jali_entry *next;
};

/* jali_ledger_write for a caller who does not hold the lock, perhaps in one transaction with
 * others who come at the same time. `work` may run several times, on another thread. */
JALI_MUST_USE jali_status jali_ledger_write_together(jali_ledger *ledger,
                                                     jali_ledger_work *work, void *self,
                                                     jali_err *err);

/* ---- ledger_turn.c ---- */

/* Waits until nobody else is answering this plan, or patience ends. */
void jali_turn_take(jali_ledger *ledger, jali_charge *receipt, const char *plan_hash,
                    unsigned patience_ms);
/* Lets the others go on; the ledger must still be open. */
void jali_turn_leave(jali_charge *receipt);

/* ---- ledger_row.c ---- */

enum { JALI_MAX_CELLS = 17 };

/* The last row of all. */
JALI_MUST_USE jali_status jali_row_head(jali_store *store, jali_head *out, jali_err *err);
/* BLAKE2b-256 over prev, kind and cells, each as "length:bytes,". */
void jali_row_hash(char out[static JALI_HASH_TEXT], jali_row_kind kind, const char *prev,
                   const jali_cell *cells, size_t n);
/* Appends inside a transaction; the sequence number takes the place of cells[0]. */
JALI_MUST_USE jali_status jali_row_append(jali_store *store, jali_row_kind kind,
                                          const jali_cell *cells, jali_head *out,
                                          jali_err *err);

/* Rows of all kinds in order of seq. */
typedef struct jali_walk {
    jali_rows rows[3]; /* by jali_row_kind */
    bool more[3];
    int current; /* kind of the row at hand; -1 before the first */
} jali_walk;

JALI_MUST_USE jali_status jali_walk_init(jali_walk *walk, jali_store *store, int64_t from,
                                         jali_err *err);
/* The next row, with its cells and its stored hashes (borrowed until the next step). */
JALI_MUST_USE jali_status jali_walk_next(jali_walk *walk, bool *found, jali_row *row,
                                         const char **prev, jali_err *err);
/* The hash that the row at hand should have. */
void jali_walk_hash(const jali_walk *walk, char out[static JALI_HASH_TEXT]);
void jali_walk_clear(jali_walk *walk);

/* The loss in four columns from `at`; false if a number is out of range. */
bool jali_column_loss(const jali_rows *rows, int at, jali_loss *out);

/* ---- ledger_policy.c ---- */

JALI_MUST_USE jali_status jali_ledger_cap(jali_store *store, jali_cap *out, jali_err *err);
/* The sum of all charges, from the last one. */
JALI_MUST_USE jali_status jali_ledger_sum(jali_store *store, jali_loss *out, jali_err *err);
JALI_MUST_USE jali_status jali_ledger_sum_of(jali_store *store, const char *analyst,
                                             jali_loss *out, jali_err *err);
/* A share in force, 0 if none was set; `what` is "quota" or "question". */
JALI_MUST_USE jali_status jali_ledger_share(jali_store *store, const char *what,
                                            const char *subject, uint32_t *ppm, jali_err *err);
JALI_MUST_USE jali_status jali_ledger_quota(jali_store *store, const char *analyst,
                                            uint32_t *ppm, jali_err *err);
/* May this analyst be charged this loss now? */
JALI_MUST_USE jali_status jali_ledger_admit(jali_store *store, const char *analyst,
                                            jali_loss loss, jali_loss *after, jali_err *err);
JALI_MUST_USE jali_status jali_act_append(jali_store *store, const jali_hand *by,
                                          const char *what, const char *subject, json_t *body,
                                          jali_head *out, jali_err *err);
/* A name that may stand in a sentence: UTF-8, not empty, no control characters. */
JALI_MUST_USE jali_status jali_check_name(const char *name, size_t limit, const char *what,
                                          jali_err *err);

/* ---- ledger_refuse.c ---- */

jali_status jali_refuse_cap(jali_store *store, const jali_cap *cap, jali_loss sum,
                            jali_loss loss, jali_err *err);
jali_status jali_refuse_share(const char *whose, uint32_t ppm, const jali_cap *share,
                              jali_loss sum, jali_loss loss, jali_err *err);
/* "2026-11-16 02:10" in UTC. */
char *jali_time_text(char out[static 24], int64_t ms);

/* ---- ledger_release.c ---- */

/* out->id[0] is 0 if there is none. */
JALI_MUST_USE jali_status jali_release_by_plan(jali_store *store, const char *plan_hash,
                                               jali_arena *arena, jali_release *out,
                                               jali_err *err);
JALI_MUST_USE jali_status jali_release_by_charge(jali_store *store, int64_t charge,
                                                 jali_arena *arena, jali_release *out,
                                                 jali_err *err);

/* ---- checkpoint.c ---- */

typedef struct jali_checkpoint {
    int64_t seq, time_ms;
    char vault[JALI_LEDGER_MAX_NAME + 1];
    char hash[JALI_HASH_TEXT];
} jali_checkpoint;

JALI_MUST_USE jali_status jali_checkpoint_read(jali_checkpoint *out, const char *path,
                                               const unsigned char *verifying, jali_err *err);
/* Signs the head if it is ahead of the file; never goes back. */
JALI_MUST_USE jali_status jali_checkpoint_write(jali_ledger *ledger, jali_err *err);
JALI_MUST_USE jali_status jali_key_make(const char *path, unsigned char *verifying,
                                        unsigned char *signing, jali_err *err);
JALI_MUST_USE jali_status jali_key_read(const char *path, unsigned char *signing,
                                        jali_err *err);

/* ---- ledger_verify.c ---- */

/* Follows the chain from row 1 to the end; JALI_E_LEDGER names a bad row. */
JALI_MUST_USE jali_status jali_ledger_check_chain(jali_store *store,
                                                  const jali_checkpoint *note, jali_err *err);

/* ---- ledger_open.c ---- */

JALI_MUST_USE jali_status jali_check_version(const char *name, int64_t version, jali_err *err);
JALI_MUST_USE jali_status jali_meta_read(jali_store *store, char *vault,
                                         unsigned char *verifying, jali_err *err);
/* Everything that opening checks, on a storage that was connected again. */
JALI_MUST_USE jali_status jali_ledger_check_again(jali_ledger *ledger, jali_err *err);

/* ---- ledger_place.c ---- */

/* Fills what places leave open, in the arena. */
JALI_MUST_USE jali_status jali_places_fill(jali_ledger_places *out,
                                           const jali_ledger_places *places, jali_arena *arena,
                                           jali_err *err);
/* Opens the storage that the places name; looks at nothing in it. */
JALI_MUST_USE jali_status jali_places_store(jali_store **out, const jali_ledger_places *places,
                                            jali_store_mode mode, jali_err *err);
/* Writes the small file that says on which server the ledger of this vault is. */
JALI_MUST_USE jali_status jali_pointer_write(const jali_ledger_places *places,
                                             const char *vault, jali_err *err);

#endif
