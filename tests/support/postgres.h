/* tests/support/postgres.h — a real PostgreSQL for a test program, on a socket of its own.
 *
 * The includer needs _XOPEN_SOURCE 700 and JALI_PGSERVER (the script's path). Where there is
 * no PostgreSQL the program says so and is skipped (exit 77).
 */
#ifndef JALI_TESTS_SUPPORT_POSTGRES_H
#define JALI_TESTS_SUPPORT_POSTGRES_H

#include "unit.h"
#include <libpq-fe.h>
#include <stdlib.h>

enum { PG_SERVERS = 3 };

static char pg_folder[PG_SERVERS][64], pg_home[PG_SERVERS][128], pg_place[PG_SERVERS][256];

static inline int pg_script(const char *verb, int i, const char *more, char *out, size_t room)
{
    char command[1024];
    snprintf(command, sizeof command, "%s %s %s %s", JALI_PGSERVER, verb, pg_folder[i], more);
    FILE *pipe = popen(command, "r");
    if (pipe == NULL) return -1;
    if (fgets(out, (int)room, pipe) == NULL) out[0] = '\0';
    out[strcspn(out, "\n")] = '\0';
    int code = pclose(pipe);
    return code < 0 ? -1 : code >> 8;
}

/* Starts server i; exits the program as skipped where that cannot be. */
static inline void pg_start(int i, const char *settings)
{
    char line[128];
    snprintf(pg_folder[i], sizeof pg_folder[i], "/tmp/jali-test-pg-XXXXXX");
    if (mkdtemp(pg_folder[i]) == NULL) exit(1);
    int code = pg_script("start", i, settings, line, sizeof line);
    if (code == 77) {
        printf("1..0 # SKIP %s\n", line);
        exit(0);
    }
    if (code != 0) {
        printf("Bail out! PostgreSQL did not start\n");
        exit(1);
    }
    snprintf(pg_home[i], sizeof pg_home[i], "%s", line);
    snprintf(pg_place[i], sizeof pg_place[i], "host=%s dbname=postgres", line);
}

static inline void pg_stop(int i)
{
    char line[128];
    pg_script("stop", i, "", line, sizeof line);
    remove(pg_folder[i]);
}

static inline PGconn *pg_connect(int i)
{
    PGconn *conn = PQconnectdb(pg_place[i]);
    if (PQstatus(conn) != CONNECTION_OK) fprintf(stderr, "%s", PQerrorMessage(conn));
    CHECK(PQstatus(conn) == CONNECTION_OK);
    return conn;
}

static inline PGresult *pg_run(PGconn *conn, const char *sql)
{
    PGresult *r = PQexec(conn, sql);
    if (PQresultStatus(r) != PGRES_COMMAND_OK && PQresultStatus(r) != PGRES_TUPLES_OK)
        fprintf(stderr, "%s\n%s", sql, PQerrorMessage(conn));
    CHECK(PQresultStatus(r) == PGRES_COMMAND_OK || PQresultStatus(r) == PGRES_TUPLES_OK);
    return r;
}

static inline void pg_do(PGconn *conn, const char *sql)
{
    PQclear(pg_run(conn, sql));
}

#endif
