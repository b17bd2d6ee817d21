/* budget/store.h — where the rows of a ledger lie: a file (SQLite) or a server (PostgreSQL).
 *
 * What a ledger means (chain, sums, cap, requests) is written once, above this line, in SQL
 * that both understand: parameters are $1, $2, ... in the order of their first use, values are
 * texts and whole numbers. Below it are transactions, rows, the tables and their guards.
 *
 * A write transaction excludes all other writers from before its first look until its end,
 * and a commit that returned JALI_OK survives a crash.
 */
#ifndef JALI_BUDGET_STORE_H
#define JALI_BUDGET_STORE_H

#include "base/err.h"
#include "budget/cap.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct jali_cell {
    const char *text; /* NULL: a number */
    size_t n;
    int64_t number;
} jali_cell;

static inline jali_cell jali_cell_text(const char *text)
{
    return (jali_cell){ .text = text, .n = strlen(text) };
}

static inline jali_cell jali_cell_number(int64_t number)
{
    return (jali_cell){ .number = number };
}

typedef struct jali_store_kind jali_store_kind;

typedef struct jali_store {
    const jali_store_kind *kind;
    const char *name; /* what sentences call it; borrowed                              */
    bool again;       /* the transaction lost a race and left nothing: run it again    */
    bool lost;        /* the connection is gone; `recover` makes a new one             */
    /* The text of the cap that was read last, and what it says: rows are never changed, but
     * looking whether a cap is sound is dear. Only ledger_policy.c looks here. */
    char cap_text[256];
    jali_cap cap;
} jali_store;

/* The answer to one statement, row by row; the caller places it. */
typedef struct jali_rows {
    jali_store *store;
    void *at;
    int row, n, cursor;
} jali_rows;

/* MAKE: the tables do not exist yet. */
typedef enum jali_store_mode {
    JALI_STORE_READ,
    JALI_STORE_WRITE,
    JALI_STORE_MAKE
} jali_store_mode;

struct jali_store_kind {
    const char *head; /* SQL: seq, hash and time_ms of the last row of all */

    jali_status (*begin)(jali_store *store, jali_store_mode mode, jali_err *err);
    jali_status (*commit)(jali_store *store, jali_err *err);
    void (*rollback)(jali_store *store);

    /* `many`: the rows may be more than fit into memory; inside a transaction only. */
    jali_status (*start)(jali_rows *rows, const char *sql, const jali_cell *cells, size_t n,
                         bool many, jali_err *err);
    jali_status (*next)(jali_rows *rows, bool *found, jali_err *err);
    int64_t (*number)(const jali_rows *rows, int at);
    const char *(*text)(const jali_rows *rows, int at); /* NULL reads as "" */
    size_t (*bytes)(const jali_rows *rows, int at);
    bool (*is_number)(const jali_rows *rows, int at);
    void (*finish)(jali_rows *rows);

    /* The tables and their guards, in a transaction of the mode MAKE. */
    jali_status (*make)(jali_store *store, jali_err *err);
    /* Is it ours, of our format, and durable enough to be written to? */
    jali_status (*check_format)(jali_store *store, jali_err *err);
    jali_status (*check_schema)(jali_store *store, jali_err *err);
    jali_status (*check_writable)(jali_store *store, jali_err *err);
    /* The storage's own view of its pages; why[0] is 0 if it has no complaint. */
    jali_status (*check_pages)(jali_store *store, char *why, size_t room, jali_err *err);

    /* After `lost`: connects again and tells whether the last commit that was sent has
     * happened; it returns only when that can no longer change. NULL: never lost. */
    jali_status (*recover)(jali_store *store, bool *committed, jali_err *err);
    /* Turns across machines (ledger_turn.c). NULL: there is one machine only. */
    bool (*take_turn)(jali_store *store, int64_t key);
    void (*leave_turn)(jali_store *store, int64_t key);

    /* Frees the store; false if something was still open. */
    bool (*close)(jali_store *store);
};

JALI_MUST_USE jali_status jali_store_open_file(jali_store **out, const char *file,
                                               jali_store_mode mode, jali_err *err);
/* The ledger of this vault in the database that `server` names (base/postgres.h); in a schema
 * of its own, jali_VAULT. */
JALI_MUST_USE jali_status jali_store_open_server(jali_store **out, const char *server,
                                                 const char *vault, jali_err *err);

static inline jali_status jali_rows_start(jali_rows *rows, jali_store *store, const char *sql,
                                          const jali_cell *cells, size_t n, jali_err *err)
{
    *rows = (jali_rows){ .store = store };
    return store->kind->start(rows, sql, cells, n, false, err);
}

static inline jali_status jali_rows_next(jali_rows *rows, bool *found, jali_err *err)
{
    return rows->store->kind->next(rows, found, err);
}

static inline int64_t jali_rows_number(const jali_rows *rows, int at)
{
    return rows->store->kind->number(rows, at);
}

static inline const char *jali_rows_text(const jali_rows *rows, int at)
{
    return rows->store->kind->text(rows, at);
}

/* NULL is fine, and so is one that never started. */
static inline void jali_rows_finish(jali_rows *rows)
{
    if (rows->store != NULL) rows->store->kind->finish(rows);
}

/* Starts, and steps to the first row: for statements that have one row or none. */
JALI_MUST_USE jali_status jali_rows_first(jali_rows *rows, jali_store *store, const char *sql,
                                          const jali_cell *cells, size_t n, bool *found,
                                          jali_err *err);
/* For statements that have no rows. */
JALI_MUST_USE jali_status jali_store_run(jali_store *store, const char *sql,
                                         const jali_cell *cells, size_t n, jali_err *err);
/* The one number of a statement, 0 if it has no row. */
JALI_MUST_USE jali_status jali_store_number(jali_store *store, const char *sql, int64_t *out,
                                            jali_err *err);

#endif
