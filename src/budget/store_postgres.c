/* budget/store_postgres.c — a ledger on a server that several machines share.
 *
 * Claim    ledger.shared
 *          ledger.prepaid holds for a ledger on a PostgreSQL server, whoever charges from
 *          however many machines, and whatever connection or process breaks: a receipt exists
 *          only for a row that is on the server's disk, the rows there always pass the cap, and
 *          one call pays at most one row that it does not report.
 * Proof    proofs/budget_ledger.md#ledger.shared
 * Source   FIELD C.5; PostgreSQL 15 manual, 13.2.3, 13.3 and LOCK.
 * Law      lock, look, check, insert, commit in one serializable transaction; a commit without
 *          an answer is looked up by its number before anything else is done
 * Test     tests/budget/ledger_server_test.c and ledger_away_test.c, ledger_crowd_test.c
 * Silent   a superuser of the server (ledger.evident is for him); a server whose disk lies; a
 *          standby that takes over without the last commits, until somebody opens the ledger.
 *
 * A write transaction is SERIALIZABLE and begins with an exclusive lock on the empty table
 * `turn`. LOCK TABLE takes no snapshot, so the first look comes after the wait and sees all
 * that was committed before: writers stand in line and races are rare. Serializable isolation,
 * the key on seq and the trigger that wants rows in order are the second wall, against a writer
 * who does not stand in line; who loses there is run again.
 */
#define _POSIX_C_SOURCE 200809L
#include "budget/store_postgres.h"
#include <time.h>

enum { RECOVER_MS = 10000, RECOVER_STEP_MS = 100 };

/* ---- looking before anything is done ---- */

/* A charge must survive a crash of the server. A stronger setting than ours is kept. */
static jali_status check_writable(jali_store *store, jali_err *err)
{
    server_store *s = server_of(store);
    PGresult *r;
    const char *why = NULL;
    JALI_TRY(jali_pg_run(s,
                         "SELECT current_setting('fsync'), current_setting('full_page_writes'),"
                         " pg_is_in_recovery(), set_config('synchronous_commit', CASE"
                         " current_setting('synchronous_commit') WHEN 'remote_apply' THEN"
                         " 'remote_apply' ELSE 'on' END, false)",
                         &r, err));
    if (strcmp(PQgetvalue(r, 0, 0), "on") != 0) why = "runs with fsync off";
    if (strcmp(PQgetvalue(r, 0, 1), "on") != 0) why = "runs with full_page_writes off";
    if (PQgetvalue(r, 0, 2)[0] == 't') why = "is a standby and cannot be written to";
    PQclear(r);
    if (why == NULL) return JALI_OK;
    return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                     "the server of the ledger %s %s; a charge must be on its disk before "
                     "anything is drawn",
                     s->name, why);
}

static jali_status check_format(jali_store *store, jali_err *err)
{
    server_store *s = server_of(store);
    PGresult *r;
    jali_err why = { 0 };
    jali_status status = jali_pg_run(s,
                                     "SELECT (SELECT value FROM meta WHERE key = 'format'),"
                                     " (SELECT value FROM meta WHERE key = 'vault')",
                                     &r, &why);
    if (status == JALI_E_LEDGER)
        return jali_fail(err, JALI_E_LEDGER, JALI_FOR_CURATOR,
                         "there is no ledger %s, or its role may not look into it", s->name);
    if (status != JALI_OK) {
        if (err != NULL) *err = why;
        return status;
    }
    int64_t version = strtoll(PQgetvalue(r, 0, 0), NULL, 10);
    bool ours = strcmp(PQgetvalue(r, 0, 1), s->vault) == 0;
    PQclear(r);
    if (!ours)
        return jali_fail(err, JALI_E_LEDGER, JALI_FOR_CURATOR,
                         "the ledger %s is of another vault", s->name);
    return jali_check_version(s->name, version, err);
}

/* The server checks its own pages (amcheck, data checksums). */
static jali_status check_pages(jali_store *store, char *why, size_t room, jali_err *err)
{
    (void)store;
    (void)room;
    (void)err;
    why[0] = '\0';
    return JALI_OK;
}

/* ---- transactions ---- */

static jali_status begin(jali_store *store, jali_store_mode mode, jali_err *err)
{
    static const char *const sql[] = {
        [JALI_STORE_READ] = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        [JALI_STORE_WRITE] = "BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE;"
                             "LOCK TABLE turn IN EXCLUSIVE MODE;"
                             "SELECT pg_current_xact_id()",
        [JALI_STORE_MAKE] = "BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE",
    };
    server_store *s = server_of(store);
    PGresult *r;
    store->again = false;
    s->sent = false;
    s->cursors = 0;
    s->transaction[0] = '\0';
    JALI_TRY(jali_pg_run(s, sql[mode], &r, err));
    if (mode == JALI_STORE_WRITE)
        snprintf(s->transaction, sizeof s->transaction, "%s", PQgetvalue(r, 0, 0));
    PQclear(r);
    return JALI_OK;
}

/* A transaction that failed before answers COMMIT with ROLLBACK, and no error. */
static jali_status commit(jali_store *store, jali_err *err)
{
    server_store *s = server_of(store);
    PGresult *r;
    s->sent = true;
    JALI_TRY(jali_pg_run(s, "COMMIT", &r, err));
    bool done = strcmp(PQcmdStatus(r), "COMMIT") == 0;
    PQclear(r);
    if (done) return JALI_OK;
    return jali_fail(err, JALI_E_INTERNAL, JALI_FOR_CURATOR,
                     "the ledger %s undid what was written to it", s->name);
}

static void rollback(jali_store *store)
{
    server_store *s = server_of(store);
    if (s->link == NULL || PQtransactionStatus(s->link) == PQTRANS_IDLE) return;
    PQclear(PQexec(s->link, "ROLLBACK"));
}

/* Waits in line, so that the old transaction has ended, and asks how. */
static jali_status look_back(server_store *s, const char *transaction, bool *committed,
                             jali_err *err)
{
    char sql[128];
    PGresult *r = NULL;
    snprintf(sql, sizeof sql,
             "BEGIN; LOCK TABLE turn IN EXCLUSIVE MODE;"
             "SELECT pg_xact_status('%.20s'::xid8)",
             transaction);
    jali_status status = jali_pg_run(s, sql, &r, err);
    if (status == JALI_OK) {
        const char *end = PQgetvalue(r, 0, 0);
        *committed = strcmp(end, "committed") == 0;
        if (!*committed && strcmp(end, "aborted") != 0)
            status = jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                               "the ledger %s does not know how the last write ended", s->name);
        PQclear(r);
    }
    rollback(&s->store);
    return status;
}

static jali_status connect_patiently(server_store *s, jali_err *err)
{
    jali_status status = JALI_E_ENGINE;
    for (int waited = 0; waited < RECOVER_MS; waited += RECOVER_STEP_MS) {
        status = jali_pg_enter(s, err);
        if (status == JALI_OK) return JALI_OK;
        nanosleep(&(struct timespec){ .tv_nsec = RECOVER_STEP_MS * 1000000L }, NULL);
    }
    return status;
}

static jali_status recover(jali_store *store, bool *committed, jali_err *err)
{
    server_store *s = server_of(store);
    char transaction[sizeof s->transaction];
    bool sent = s->sent;
    memcpy(transaction, s->transaction, sizeof transaction);
    PQfinish(s->link);
    s->link = NULL;
    *committed = false;
    JALI_TRY(connect_patiently(s, err));
    if (sent) JALI_TRY(look_back(s, transaction, committed, err));
    store->lost = false;
    s->sent = false;
    return JALI_OK;
}

/* ---- turns among machines ---- */

/* Two vaults in one database do not wait for each other: the schema is part of the key. */
static void turn(server_store *s, const char *function, int64_t key, bool *answer)
{
    char sql[160];
    PGresult *r;
    snprintf(sql, sizeof sql, "SELECT %s(%lld # hashtext('%s')::bigint)", function,
             (long long)key, s->schema);
    if (jali_pg_run(s, sql, &r, NULL) != JALI_OK) return;
    *answer = PQgetvalue(r, 0, 0)[0] == 't';
    PQclear(r);
}

static bool take_turn(jali_store *store, int64_t key)
{
    bool mine = true; /* without a server there is no line to stand in */
    turn(server_of(store), "pg_try_advisory_lock", key, &mine);
    return mine;
}

static void leave_turn(jali_store *store, int64_t key)
{
    bool had;
    turn(server_of(store), "pg_advisory_unlock", key, &had);
}

/* ---- life ---- */

static bool close_server(jali_store *store)
{
    PQfinish(server_of(store)->link);
    free(store);
    return true;
}

static const jali_store_kind SERVER_KIND = {
    .head = jali_pg_head,
    .begin = begin,
    .commit = commit,
    .rollback = rollback,
    .start = jali_pg_rows_start,
    .next = jali_pg_rows_next,
    .number = jali_pg_rows_number,
    .text = jali_pg_rows_text,
    .bytes = jali_pg_rows_bytes,
    .is_number = jali_pg_rows_is_number,
    .finish = jali_pg_rows_finish,
    .make = jali_pg_make,
    .check_format = check_format,
    .check_schema = jali_pg_check_schema,
    .check_writable = check_writable,
    .check_pages = check_pages,
    .recover = recover,
    .take_turn = take_turn,
    .leave_turn = leave_turn,
    .close = close_server,
};

/* A schema is called after its vault; ids of vaults are letters and digits (door/init.c). */
static bool name_schema(server_store *s, const char *vault)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
    int n = snprintf(s->schema, sizeof s->schema, "jali_%s", vault);
    return n > 0 && (size_t)n < sizeof s->schema && strspn(vault, letters) == strlen(vault);
}

jali_status jali_store_open_server(jali_store **out, const char *server, const char *vault,
                                   jali_err *err)
{
    server_store *s = calloc(1, sizeof *s);
    if (s == NULL) return jali_fail_memory(err);
    s->store = (jali_store){ .kind = &SERVER_KIND, .name = s->name };
    snprintf(s->server, sizeof s->server, "%s", server);
    snprintf(s->vault, sizeof s->vault, "%s", vault);
    jali_status status = JALI_OK;
    if (!name_schema(s, vault))
        status = jali_fail(err, JALI_E_USAGE, JALI_FOR_CURATOR,
                           "a ledger on a server needs a vault's id of at most %d small "
                           "letters, digits and _",
                           JALI_PG_SCHEMA - 6);
    snprintf(s->name, sizeof s->name, "%s at %.200s", s->schema, server);
    if (status == JALI_OK) status = jali_pg_enter(s, err);
    if (status == JALI_OK)
        *out = &s->store;
    else
        free(s);
    return status;
}
