/* budget/store_postgres.h — what the two files of the server storage share. */
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

/* Says what the server said, in the class that fits; sets `again` and `lost`. */
jali_status jali_pg_fail(server_store *s, const PGresult *result, const char *doing,
                         jali_err *err);
/* Runs statements without parameters; *result may be NULL and is cleared by the caller. */
JALI_MUST_USE jali_status jali_pg_run(server_store *s, const char *sql, PGresult **result,
                                      jali_err *err);

extern const char jali_pg_head[]; /* SQL: the last row of all */
JALI_MUST_USE jali_status jali_pg_make(jali_store *store, jali_err *err);
JALI_MUST_USE jali_status jali_pg_check_schema(jali_store *store, jali_err *err);

#endif
