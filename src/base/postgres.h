/* base/postgres.h — a connection to PostgreSQL that keeps no password.
 *
 * A vault holds the connection string, so whoever may read the vault may read that: a secret
 * does not belong there. It comes from libpq's own places when it is needed: a service file,
 * ~/.pgpass, PGPASSWORD, a certificate; or there is none (peer).
 */
#ifndef JALI_BASE_POSTGRES_H
#define JALI_BASE_POSTGRES_H

#include "base/err.h"
#include <libpq-fe.h>

enum { JALI_PG_SAID = 200, JALI_PG_MAX_SERVER = 2000 };

/* Is this a connection string (postgresql://... or key=value) that may lie in a vault? A
 * password in it is refused and not repeated. `what` is the option it came with: "--ledger". */
JALI_MUST_USE jali_status jali_pg_check_server(const char *server, const char *what,
                                               jali_err *err);

/* Connects, or says in one sentence for the curator why not (JALI_E_ENGINE). The wait for a
 * server that does not answer is bounded unless the string says otherwise. Close it with
 * PQfinish. */
JALI_MUST_USE jali_status jali_pg_connect(PGconn **out, const char *server, jali_err *err);

/* The first line of what libpq or the server said, without "ERROR:". For the curator. */
const char *jali_pg_said(char out[static JALI_PG_SAID], const char *message);

#endif
