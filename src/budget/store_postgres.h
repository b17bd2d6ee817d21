/* budget/store_postgres.h — what the files of the server storage share. */
#ifndef JALI_BUDGET_STORE_POSTGRES_H
#define JALI_BUDGET_STORE_POSTGRES_H

#include "base/postgres.h"
#include "budget/inside.h"

enum { JALI_PG_SCHEMA = 64 /* an identifier of PostgreSQL, and its zero */ };

typedef struct server_store {
    jali_store store;
    PGconn *link; /* NULL: lost, and not yet found again */
    char server[JALI_PG_MAX_SERVER + 1];
    char vault[JALI_LEDGER_MAX_NAME + 1];
    char schema[JALI_PG_SCHEMA];
    char name[2 * JALI_PG_SAID];
    char transaction[24]; /* the number of the write transaction at hand; "": none */
    bool sent;            /* its commit was sent                                  */
    int cursors;          /* made in this transaction, for their names            */
} server_store;

static inline server_store *server_of(jali_store *store)
{
    return (server_store *)store;
}

/* Connects, and makes the session ours. */
JALI_MUST_USE jali_status jali_pg_enter(server_store *s, jali_err *err);
bool jali_pg_good(const PGresult *result);

/* Says what the server said, in the class that fits; sets `again` and `lost`. */
jali_status jali_pg_fail(server_store *s, const PGresult *result, const char *doing,
                         jali_err *err);
/* Runs statements without parameters; *result may be NULL and is cleared by the caller. */
JALI_MUST_USE jali_status jali_pg_run(server_store *s, const char *sql, PGresult **result,
                                      jali_err *err);

/* Rows, as jali_store_kind wants them. */
JALI_MUST_USE jali_status jali_pg_rows_start(jali_rows *rows, const char *sql,
                                             const jali_cell *cells, size_t n, bool many,
                                             jali_err *err);
JALI_MUST_USE jali_status jali_pg_rows_next(jali_rows *rows, bool *found, jali_err *err);
int64_t jali_pg_rows_number(const jali_rows *rows, int at);
const char *jali_pg_rows_text(const jali_rows *rows, int at);
size_t jali_pg_rows_bytes(const jali_rows *rows, int at);
bool jali_pg_rows_is_number(const jali_rows *rows, int at);
void jali_pg_rows_finish(jali_rows *rows);

extern const char jali_pg_head[]; /* SQL: the last row of all */
JALI_MUST_USE jali_status jali_pg_make(jali_store *store, jali_err *err);
JALI_MUST_USE jali_status jali_pg_check_schema(jali_store *store, jali_err *err);

#endif
