/* budget/inside.h — what the files of the ledger share; nobody outside budget/ includes it
 * but tests that must hold a receipt without a ledger. */
#ifndef JALI_BUDGET_INSIDE_H
#define JALI_BUDGET_INSIDE_H

#include "budget/ledger.h"
#include <pthread.h>
#include <sodium.h>
#include <sqlite3.h>

enum { JALI_LEDGER_FORMAT = 1, JALI_LEDGER_APPLICATION = 0x6a616c69 /* "jali" */ };

struct jali_charge {
    const jali_ledger *ledger;
    int64_t seq;
    jali_loss paid, left;
    bool stored;
    int turn; /* holds others who ask the same plan until we are done; -1: none */
};

struct jali_ledger {
    sqlite3 *db;
    pthread_mutex_t lock;
    jali_ledger_mode mode;
    bool dead; /* a commit failed: what is on disk is unknown to this handle */
    jali_arena arena;
    const char *file, *checkpoint, *key;
    char vault[JALI_LEDGER_MAX_NAME + 1];
    unsigned char verifying[crypto_sign_PUBLICKEYBYTES];
    unsigned char signing[crypto_sign_SECRETKEYBYTES]; /* writers only */
    int64_t signed_seq;                                /* as far as this handle knows */
};

/* ---- ledger_sql.c ---- */

/* Says what SQLite said, in the class that fits. */
jali_status jali_sql_fail(sqlite3 *db, const char *doing, jali_err *err);
JALI_MUST_USE jali_status jali_sql_run(sqlite3 *db, const char *sql, jali_err *err);
JALI_MUST_USE jali_status jali_sql_prepare(sqlite3 *db, sqlite3_stmt **out, const char *sql,
                                           jali_err *err);
/* One step: *row tells whether there is one. */
JALI_MUST_USE jali_status jali_sql_step(sqlite3_stmt *stmt, bool *row, jali_err *err);
JALI_MUST_USE jali_status jali_sql_number(sqlite3 *db, const char *sql, int64_t *out,
                                          jali_err *err);
JALI_MUST_USE jali_status jali_sql_open(sqlite3 **out, const char *file, int flags,
                                        jali_err *err);
JALI_MUST_USE jali_status jali_sql_make_schema(sqlite3 *db, jali_err *err);
/* Is every table, index, view and trigger the one we made? */
JALI_MUST_USE jali_status jali_sql_check_schema(sqlite3 *db, const char *file, jali_err *err);

/* A write transaction. After the first, `end` commits if status is JALI_OK and rolls back
 * otherwise; a commit that fails kills the handle. */
JALI_MUST_USE jali_status jali_ledger_begin(jali_ledger *ledger, jali_err *err);
JALI_MUST_USE jali_status jali_ledger_end(jali_ledger *ledger, jali_status status,
                                          jali_err *err);

/* ---- ledger_row.c ---- */

typedef struct jali_cell {
    const char *text; /* NULL: a number */
    size_t n;
    int64_t number;
} jali_cell;

enum { JALI_MAX_CELLS = 17 };

typedef struct jali_head {
    int64_t seq, time_ms; /* seq 0: the ledger is empty */
    char hash[JALI_HASH_TEXT];
} jali_head;

static inline jali_cell jali_cell_text(const char *text)
{
    return (jali_cell){ .text = text, .n = strlen(text) };
}

static inline jali_cell jali_cell_number(int64_t number)
{
    return (jali_cell){ .number = number };
}

/* The last row of all. */
JALI_MUST_USE jali_status jali_row_head(sqlite3 *db, jali_head *out, jali_err *err);
/* BLAKE2b-256 over prev, kind and cells, each as "length:bytes,". */
void jali_row_hash(char out[static JALI_HASH_TEXT], jali_row_kind kind, const char *prev,
                   const jali_cell *cells, size_t n);
/* Appends inside a transaction; cells[0] becomes the sequence number. */
JALI_MUST_USE jali_status jali_row_append(sqlite3 *db, jali_row_kind kind, jali_cell *cells,
                                          jali_head *out, jali_err *err);

/* Rows of all kinds in order of seq. */
typedef struct jali_walk {
    sqlite3_stmt *stmt[3]; /* by jali_row_kind */
    bool more[3];
    int current; /* kind of the row at hand; -1 before the first */
} jali_walk;

JALI_MUST_USE jali_status jali_walk_init(jali_walk *walk, sqlite3 *db, int64_t from,
                                         jali_err *err);
/* The next row, with its cells and its stored hashes (borrowed until the next step). */
JALI_MUST_USE jali_status jali_walk_next(jali_walk *walk, bool *found, jali_row *row,
                                         const char **prev, jali_err *err);
/* The hash that the row at hand should have. */
void jali_walk_hash(const jali_walk *walk, char out[static JALI_HASH_TEXT]);
void jali_walk_clear(jali_walk *walk);

/* The loss in four columns from `at`; false if a number is out of range. */
bool jali_column_loss(sqlite3_stmt *stmt, int at, jali_loss *out);

/* ---- ledger_policy.c ---- */

JALI_MUST_USE jali_status jali_ledger_cap(sqlite3 *db, jali_cap *out, jali_err *err);
/* The sum of all charges, from the last one. */
JALI_MUST_USE jali_status jali_ledger_sum(sqlite3 *db, jali_loss *out, jali_err *err);
JALI_MUST_USE jali_status jali_ledger_sum_of(sqlite3 *db, const char *analyst, jali_loss *out,
                                             jali_err *err);
/* A share in force, 0 if none was set; `what` is "quota" or "question". */
JALI_MUST_USE jali_status jali_ledger_share(sqlite3 *db, const char *what, const char *subject,
                                            uint32_t *ppm, jali_err *err);
JALI_MUST_USE jali_status jali_ledger_quota(sqlite3 *db, const char *analyst, uint32_t *ppm,
                                            jali_err *err);
/* May this analyst be charged this loss now? */
JALI_MUST_USE jali_status jali_ledger_admit(sqlite3 *db, const char *analyst, jali_loss loss,
                                            jali_loss *after, jali_err *err);
JALI_MUST_USE jali_status jali_act_append(sqlite3 *db, const jali_hand *by, const char *what,
                                          const char *subject, json_t *body, jali_head *out,
                                          jali_err *err);
/* A name that may stand in a sentence: UTF-8, not empty, no control characters. */
JALI_MUST_USE jali_status jali_check_name(const char *name, size_t limit, const char *what,
                                          jali_err *err);

/* ---- ledger_refuse.c ---- */

jali_status jali_refuse_cap(sqlite3 *db, const jali_cap *cap, jali_loss sum, jali_loss loss,
                            jali_err *err);
jali_status jali_refuse_share(const char *whose, uint32_t ppm, const jali_cap *share,
                              jali_loss sum, jali_loss loss, jali_err *err);
/* "2026-11-16 02:10" in UTC. */
char *jali_time_text(char out[static 24], int64_t ms);

/* ---- ledger_release.c ---- */

/* out->id[0] is 0 if there is none. */
JALI_MUST_USE jali_status jali_release_by_plan(sqlite3 *db, const char *plan_hash,
                                               jali_arena *arena, jali_release *out,
                                               jali_err *err);
JALI_MUST_USE jali_status jali_release_by_charge(sqlite3 *db, int64_t charge, jali_arena *arena,
                                                 jali_release *out, jali_err *err);

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
JALI_MUST_USE jali_status jali_ledger_check_chain(sqlite3 *db, const char *file,
                                                  const jali_checkpoint *note, jali_err *err);

/* ---- ledger_open.c ---- */

JALI_MUST_USE jali_status jali_meta_read(sqlite3 *db, const char *file, char *vault,
                                         unsigned char *verifying, jali_err *err);
/* Is it ours, and of our format? */
JALI_MUST_USE jali_status jali_check_format(sqlite3 *db, const char *file, jali_err *err);
/* Fills what places leave open, in the arena. */
JALI_MUST_USE jali_status jali_places_fill(jali_ledger_places *out,
                                           const jali_ledger_places *places, jali_arena *arena,
                                           jali_err *err);

#endif
