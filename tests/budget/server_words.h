/* tests/budget/server_words.h — where a desk's ledger is, who looks, and the server's own fate.
 */
#ifndef JALI_TESTS_BUDGET_SERVER_WORDS_H
#define JALI_TESTS_BUDGET_SERVER_WORDS_H

#include "desk.h"

static inline void point(desk *d, const char *server)
{
    char pointer[256];
    snprintf(d->server, sizeof d->server, "%.95s", server);
    int n = snprintf(pointer, sizeof pointer,
                     "{\"jali\": 1, \"vault\": \"census\", \"server\": \"%s\"}", server);
    desk_write(d->file, pointer, (size_t)n, 0600);
}

static inline void as_role(desk *d, const char *role)
{
    char server[160];
    snprintf(server, sizeof server, "dbname=%s user=%s", d->database, role);
    point(d, server);
}

static inline void control(const char *word)
{
    char command[512];
    snprintf(command, sizeof command, "%s %s >/dev/null 2>&1", getenv("JALI_POSTGRES"), word);
    assert_int_equal(system(command), 0);
}

static inline int64_t count(desk *d, const char *sql)
{
    PGconn *link = server_link(d->database, "jali_census");
    PGresult *r = PQexec(link, sql);
    int64_t n = strtoll(PQgetvalue(r, 0, 0), NULL, 10);
    PQclear(r);
    PQfinish(link);
    return n;
}

#endif
