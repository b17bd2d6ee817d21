/* engine/postgres.c — connections to PostgreSQL, each in one read-only snapshot. */
#include "engine/postgres_inside.h"
#include <stdlib.h>
#include <string.h>

/* What every session says first. Texts of numbers, dates and times then mean one thing on
 * every server, names are found in the system's catalog and nowhere else, and nothing can be
 * written. The optimizer is told that sorting is dear: our groups are few by construction,
 * and it cannot know that a CASE of a column with many values has few. Timeouts of the role,
 * the database or the conninfo stand; only waiting for a lock has an end of ours. */
static const char session[] =
    "/* jali: session */ "
    "SELECT set_config('client_encoding', 'UTF8', false), set_config('DateStyle', 'ISO, YMD', "
    "false), set_config('TimeZone', 'UTC', false), set_config('extra_float_digits', '1', "
    "false), set_config('standard_conforming_strings', 'on', false), set_config('search_path', "
    "'pg_catalog', false), set_config('default_transaction_read_only', 'on', false), "
    "set_config('client_min_messages', 'error', false), set_config('enable_sort', 'off', "
    "false), set_config('jit', 'off', false), set_config('lock_timeout', '10s', false)";

static const char begin[] =
    "/* jali: snapshot */ BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/* ---- sentences ------------------------------------------------------------------------- */

/* libpq's words without their line ends. */
static void one_line(char out[static 300], const char *words)
{
    size_t used = 0;
    for (const char *c = words; *c != '\0' && used < 299; c++) {
        bool blank = *c == '\n' || *c == '\t' || *c == ' ';
        if (blank && (used == 0 || out[used - 1] == ' ')) continue;
        out[used++] = blank ? ' ' : *c;
    }
    while (used > 0 && out[used - 1] == ' ') used--;
    out[used] = '\0';
}

/* Which server, in words that hold no secret: the conninfo may hold none either, but a
 * user's name is nobody's business in a log. */
static const char *where(PGconn *conn)
{
    const char *host = conn == NULL ? NULL : PQhost(conn);
    return host == NULL || *host == '\0' ? "the database" : host;
}

jali_status jali_shard_fail(const jali_shard *shard, PGconn *conn, const PGresult *result,
                            jali_err *err)
{
    char words[300];
    const char *primary =
        result == NULL ? NULL : PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    one_line(words, primary != NULL ? primary : conn == NULL ? "" : PQerrorMessage(conn));
    (void)shard;
    return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "PostgreSQL at %.100s says: %s",
                     where(conn), words[0] == '\0' ? "out of memory" : words);
}

jali_status jali_shard_fail_counting(PGconn *conn, const PGresult *result, jali_err *err)
{
    const char *state = result == NULL ? NULL : PQresultErrorField(result, PG_DIAG_SQLSTATE);
    /* Class 08, and 57P01 to 57P03: an operator or a crash ended the server or the session. */
    bool lost =
        conn == NULL || PQstatus(conn) != CONNECTION_OK ||
        (state != NULL && (strncmp(state, "08", 2) == 0 || strncmp(state, "57P0", 4) == 0));
    const char *what = lost                                               ? "went away"
                       : state != NULL && strcmp(state, "57014") == 0     ? "ran out of time"
                       : state != NULL && strncmp(state, "42501", 5) == 0 ? "refused"
                                                                          : "failed";
    return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                     "the database %s while it was counting (SQLSTATE %.5s): nothing was "
                     "released, and a charge that was made stands; its own log says more",
                     what, state == NULL ? "08006" : state);
}

jali_status jali_postgres_lied(jali_err *err)
{
    return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                     "the database answered with a number that cannot be: nothing was "
                     "released, and a charge that was made stands; look at the table or view");
}

/* ---- conninfo --------------------------------------------------------------------------- */

jali_status jali_postgres_place(const char *conninfo, jali_err *err)
{
    char *why = NULL;
    PQconninfoOption *option = PQconninfoParse(conninfo, &why), *o;
    if (option == NULL) {
        /* libpq quotes the text, and the text may hold a password. */
        PQfreemem(why);
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_CURATOR,
                         "that is no PostgreSQL connection: write postgresql://HOST/DATABASE, "
                         "or host=... dbname=..., or service=NAME");
    }
    bool secret = false;
    for (o = option; o->keyword != NULL; o++)
        secret = secret || (o->val != NULL && (strcmp(o->keyword, "password") == 0 ||
                                               strcmp(o->keyword, "sslpassword") == 0));
    PQconninfoFree(option);
    if (secret)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_CURATOR,
                         "a vault keeps no password: take it out of --postgres, and use a "
                         "service file, ~/.pgpass, PGPASSWORD or peer authentication");
    return JALI_OK;
}

jali_status jali_postgres_new(jali_postgres **out, const char *const *conninfo, size_t n,
                              jali_err *err)
{
    if (n == 0 || n > JALI_POSTGRES_SHARDS)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_CURATOR,
                         "a table lies on 1 to %d servers, not %zu", JALI_POSTGRES_SHARDS, n);
    for (size_t i = 0; i < n; i++) JALI_TRY(jali_postgres_place(conninfo[i], err));
    jali_postgres *pg = calloc(1, sizeof *pg);
    if (pg == NULL) return jali_fail_memory(err);
    pthread_mutex_init(&pg->lock, NULL);
    pg->shard = jali_arena_take(&pg->arena, n, sizeof *pg->shard);
    bool good = pg->shard != NULL;
    for (size_t i = 0; good && i < n; i++) {
        pg->shard[i].conninfo = jali_arena_text(&pg->arena, conninfo[i]);
        good = pg->shard[i].conninfo != NULL;
    }
    if (!good) {
        jali_postgres_free(pg);
        return jali_fail_memory(err);
    }
    pg->n = n;
    *out = pg;
    return JALI_OK;
}

void jali_postgres_free(jali_postgres *pg)
{
    if (pg == NULL) return;
    for (size_t i = 0; i < pg->n; i++)
        for (size_t k = 0; k < JALI_POSTGRES_LANES; k++) PQfinish(pg->shard[i].lane[k]);
    pthread_mutex_destroy(&pg->lock);
    jali_arena_clear(&pg->arena);
    free(pg);
}

size_t jali_postgres_shards(const jali_postgres *pg)
{
    return pg->n;
}

/* ---- sessions ---------------------------------------------------------------------------- */

/* Server notices go nowhere: the library never prints. */
static void silence(void *self, const PGresult *notice)
{
    (void)self;
    (void)notice;
}

static jali_status run(jali_shard *s, PGconn *conn, const char *sql, PGresult **out,
                       jali_err *err)
{
    PGresult *result = PQexec(conn, sql);
    ExecStatusType got = PQresultStatus(result);
    jali_status status = got == PGRES_COMMAND_OK || got == PGRES_TUPLES_OK
                             ? JALI_OK
                             : jali_shard_fail(s, conn, result, err);
    if (status == JALI_OK && out != NULL)
        *out = result;
    else
        PQclear(result);
    return status;
}

static jali_status connect_to(jali_shard *s, PGconn **out, jali_err *err)
{
    /* The conninfo comes after our defaults, and before what must hold. */
    const char *const key[] = { "connect_timeout", "fallback_application_name", "dbname",
                                "client_encoding", NULL };
    const char *const value[] = { "10", "jali", s->conninfo, "UTF8", NULL };
    PGconn *conn = PQconnectdbParams(key, value, 1);
    if (conn == NULL) return jali_fail_memory(err);
    jali_status status =
        PQstatus(conn) == CONNECTION_OK ? JALI_OK : jali_shard_fail(s, conn, NULL, err);
    if (status == JALI_OK && PQserverVersion(conn) < JALI_POSTGRES_LEAST)
        status = jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                           "the server at %.100s is older than PostgreSQL %d", where(conn),
                           JALI_POSTGRES_LEAST / 10000);
    if (status == JALI_OK) {
        const char *encoding = PQparameterStatus(conn, "server_encoding");
        if (encoding == NULL || strcmp(encoding, "SQL_ASCII") == 0)
            status = jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                               "the database at %.100s has no encoding (SQL_ASCII): its texts "
                               "mean nothing certain; use one with UTF8",
                               where(conn));
    }
    if (status != JALI_OK) {
        PQfinish(conn);
        return status;
    }
    PQsetNoticeReceiver(conn, silence, NULL);
    *out = conn;
    return JALI_OK;
}

static jali_status enter(jali_shard *s, size_t lane, PGconn *conn, jali_err *err)
{
    JALI_TRY(run(s, conn, session, NULL, err));
    JALI_TRY(run(s, conn, begin, NULL, err));
    if (lane == 0) return JALI_OK;
    char sql[160];
    snprintf(sql, sizeof sql, "/* jali: snapshot */ SET TRANSACTION SNAPSHOT '%.60s'",
             s->snapshot);
    return run(s, conn, sql, NULL, err);
}

jali_status jali_shard_open(jali_shard *s, size_t lane, jali_err *err)
{
    PGconn *conn = NULL;
    if (s->lane[lane] != NULL) return JALI_OK;
    JALI_TRY(connect_to(s, &conn, err));
    jali_status status = enter(s, lane, conn, err);
    if (status == JALI_OK)
        s->lane[lane] = conn;
    else
        PQfinish(conn);
    return status;
}

jali_status jali_shard_export(jali_shard *s, jali_err *err)
{
    PGresult *result = NULL;
    if (s->snapshot[0] != '\0') return JALI_OK;
    JALI_TRY(
        run(s, s->lane[0], "/* jali: snapshot */ SELECT pg_export_snapshot()", &result, err));
    const char *name = PQntuples(result) == 1 ? PQgetvalue(result, 0, 0) : "";
    size_t n = strspn(name, "0123456789ABCDEFabcdef-");
    bool good = n > 0 && n < sizeof s->snapshot && name[n] == '\0';
    if (good) memcpy(s->snapshot, name, n + 1);
    PQclear(result);
    return good ? JALI_OK : jali_postgres_lied(err);
}

jali_status jali_postgres_try(jali_postgres *pg, const char *sql, jali_err *err)
{
    jali_status status = JALI_OK;
    pthread_mutex_lock(&pg->lock);
    for (size_t i = 0; status == JALI_OK && i < pg->n; i++) {
        status = jali_shard_open(&pg->shard[i], 0, err);
        if (status == JALI_OK)
            status = run(&pg->shard[i], pg->shard[i].lane[0], sql, NULL, err);
    }
    pthread_mutex_unlock(&pg->lock);
    return status;
}
