/* base/postgres.c — a connection to PostgreSQL that keeps no password. */
#include "base/postgres.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

const char *jali_pg_said(char out[static JALI_PG_SAID], const char *message)
{
    static const char *const skip[] = { "ERROR:", "FATAL:", " " };
    const char *at = message == NULL || message[0] == '\0' ? "it did not say why" : message;
    for (size_t i = 0; i < sizeof skip / sizeof *skip; i++)
        while (strncmp(at, skip[i], strlen(skip[i])) == 0) at += strlen(skip[i]);
    snprintf(out, JALI_PG_SAID, "%.*s", (int)strcspn(at, "\n"), at);
    return out;
}

static bool is_secret(const char *keyword)
{
    return strcmp(keyword, "password") == 0 || strcmp(keyword, "sslpassword") == 0;
}

/* libpq's own words about a bad string may quote it, and with it a password: not repeated. */
jali_status jali_pg_check_server(const char *server, const char *what, jali_err *err)
{
    char *said = NULL;
    bool secret = false;
    PQconninfoOption *options =
        strlen(server) > JALI_PG_MAX_SERVER ? NULL : PQconninfoParse(server, &said);
    for (const PQconninfoOption *o = options; o != NULL && o->keyword != NULL; o++)
        secret = secret || (o->val != NULL && is_secret(o->keyword));
    bool good = options != NULL;
    PQconninfoFree(options);
    PQfreemem(said);
    if (!good)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_CURATOR,
                         "%s is not a connection string of PostgreSQL; write it like "
                         "postgresql://user@host/database",
                         what);
    if (secret)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_CURATOR,
                         "%s holds a password, and a vault keeps none: leave it out and use a "
                         "service file, ~/.pgpass, PGPASSWORD or peer",
                         what);
    return JALI_OK;
}

/* What the string says comes last and wins. A dead server or network is noticed after some
 * seconds and not after the kernel's quarter of an hour. */
jali_status jali_pg_connect(PGconn **out, const char *server, jali_err *err)
{
    static const char *const keys[] = { "connect_timeout",  "keepalives_idle",
                                        "tcp_user_timeout", "fallback_application_name",
                                        "dbname",           NULL };
    const char *const values[] = { "10", "10", "30000", "jali", server, NULL };
    char said[JALI_PG_SAID];
    PGconn *link = PQconnectdbParams(keys, values, 1);
    if (link == NULL) return jali_fail_memory(err);
    if (PQstatus(link) == CONNECTION_OK && PQsetClientEncoding(link, "UTF8") == 0) {
        *out = link;
        return JALI_OK;
    }
    jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
              "cannot connect to the PostgreSQL server: %s",
              jali_pg_said(said, PQerrorMessage(link)));
    PQfinish(link);
    return JALI_E_ENGINE;
}
