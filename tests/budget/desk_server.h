/* tests/budget/desk_server.h — the same desk with its ledger on a real server.
 *
 * With JALI_TEST_SERVER set (and a server of tests/support/postgres), every desk has a database
 * of its own: the whole suite of the ledger runs over both storages. */
#ifndef JALI_TESTS_BUDGET_DESK_SERVER_H
#define JALI_TESTS_BUDGET_DESK_SERVER_H

#include "unit.h"
#include <libpq-fe.h>
#include <stdlib.h>

static inline bool on_server(void)
{
    return getenv("JALI_TEST_SERVER") != NULL;
}

/* A superuser's connection; `schema` NULL: nowhere in particular. */
static inline PGconn *server_link(const char *database, const char *schema)
{
    char to[128], sql[160];
    snprintf(to, sizeof to, "dbname=%s", database);
    PGconn *link = PQconnectdb(to);
    if (PQstatus(link) != CONNECTION_OK) fail_msg("%s", PQerrorMessage(link));
    snprintf(sql, sizeof sql, "SET client_min_messages = error; SET search_path = %s, pg_temp",
             schema == NULL ? "public" : schema);
    PQclear(PQexec(link, sql));
    return link;
}

static inline void server_do(PGconn *link, const char *sql)
{
    PGresult *r = PQexec(link, sql);
    ExecStatusType status = PQresultStatus(r);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
        fail_msg("%s: %s", sql, PQerrorMessage(link));
    PQclear(r);
}

/* The SQLSTATE of a statement that must fail. */
static inline void server_refuses(PGconn *link, const char *sql, const char *state)
{
    PGresult *r = PQexec(link, sql);
    const char *got = PQresultErrorField(r, PG_DIAG_SQLSTATE);
    if (got == NULL) fail_msg("%s: it was not refused", sql);
    if (strcmp(got, state) != 0) fail_msg("%s: %s %s", sql, got, PQerrorMessage(link));
    PQclear(r);
    PQclear(PQexec(link, "ROLLBACK"));
}

/* One statement of administration, with a name or two in it. */
static inline void server_admin(const char *format, const char *a, const char *b)
{
    char sql[256];
    PGconn *link = server_link("postgres", NULL);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(sql, sizeof sql, format, a, b);
#pragma GCC diagnostic pop
    server_do(link, sql);
    PQfinish(link);
}

#endif
