/* budget/store_postgres_link.c — the connection to a ledger's server, and what the server says.
 */
#include "budget/store_postgres.h"

/* ---- what the server says ---- */

static bool is_one_of(const char *state, const char *const *list)
{
    for (; *list != NULL; list++)
        if (strncmp(state, *list, strlen(*list)) == 0) return true;
    return false;
}

static jali_status class_of(const char *state)
{
    static const char *const bad_ledger[] = { "3F000", "42P01", "42703", "42883",
                                              "42804", "XX001", "XX002", NULL };
    static const char *const our_mistake[] = { "22", "23", "42", "P0", NULL };
    if (strcmp(state, "42501") == 0) return JALI_E_ENGINE; /* privileges */
    if (is_one_of(state, bad_ledger)) return JALI_E_LEDGER;
    return is_one_of(state, our_mistake) ? JALI_E_INTERNAL : JALI_E_ENGINE;
}

jali_status jali_pg_fail(server_store *s, const PGresult *result, const char *doing,
                         jali_err *err)
{
    /* Two wrote the same number or looked at the same moment: one of them goes again. */
    static const char *const race[] = { "40001", "40P01", "23505", NULL };
    char said[JALI_PG_SAID];
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    if (s->link == NULL || PQstatus(s->link) != CONNECTION_OK) {
        s->store.lost = true;
        return jali_fail(
            err, JALI_E_ENGINE, JALI_FOR_CURATOR,
            "the connection to the ledger %s was lost: %s", s->name,
            jali_pg_said(said, s->link == NULL ? "it is down" : PQerrorMessage(s->link)));
    }
    if (state == NULL) state = "";
    s->store.again = is_one_of(state, race);
    if (strcmp(state, "55P03") == 0)
        return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                         "the ledger %s was held by others for %d seconds; try again", s->name,
                         JALI_LEDGER_BUSY_MS / 1000);
    const char *primary = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    return jali_fail(err, class_of(state), JALI_FOR_CURATOR, "cannot %s the ledger %s: %s (%s)",
                     doing, s->name,
                     jali_pg_said(said, primary != NULL ? primary : PQerrorMessage(s->link)),
                     state);
}

bool jali_pg_good(const PGresult *result)
{
    ExecStatusType status = PQresultStatus(result);
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

jali_status jali_pg_run(server_store *s, const char *sql, PGresult **result, jali_err *err)
{
    PGresult *answer = s->link == NULL ? NULL : PQexec(s->link, sql);
    jali_status status = jali_pg_good(answer) ? JALI_OK : jali_pg_fail(s, answer, "use", err);
    if (status == JALI_OK && result != NULL)
        *result = answer;
    else
        PQclear(answer);
    return status;
}

/* ---- connecting ---- */

static void be_silent(void *self, const PGresult *result)
{
    (void)self;
    (void)result; /* the library never prints; libpq would */
}

/* Our tables and nobody else's. Who stops in the middle of a transaction does not hold the
 * others for ever. Rows hidden by a policy are an error, not fewer rows. */
static jali_status set_up(server_store *s, jali_err *err)
{
    char sql[640];
    char *schema = PQescapeIdentifier(s->link, s->schema, strlen(s->schema));
    if (schema == NULL) return jali_fail_memory(err);
    snprintf(sql, sizeof sql,
             "SET search_path = %s, pg_temp; SET lock_timeout = %d; SET row_security = off;"
             "SET idle_in_transaction_session_timeout = %d; SET statement_timeout = 0;"
             "SET client_min_messages = error",
             schema, JALI_LEDGER_BUSY_MS, JALI_LEDGER_BUSY_MS);
    PQfreemem(schema);
    return jali_pg_run(s, sql, NULL, err);
}

jali_status jali_pg_enter(server_store *s, jali_err *err)
{
    JALI_TRY(jali_pg_connect(&s->link, s->server, err));
    PQsetNoticeReceiver(s->link, be_silent, NULL);
    jali_status status = set_up(s, err);
    const char *encoding = PQparameterStatus(s->link, "server_encoding");
    if (status == JALI_OK && (encoding == NULL || strcmp(encoding, "UTF8") != 0))
        status = jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                           "the database of the ledger %s is not in UTF8; make one with "
                           "createdb -E UTF8",
                           s->name);
    if (status == JALI_OK) return JALI_OK;
    PQfinish(s->link);
    s->link = NULL;
    return status;
}
