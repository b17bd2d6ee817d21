/* budget/ledger_sql.c — the ledger's tables, and SQLite's answers in our words. */
#include "budget/inside.h"
#include <pthread.h>
#include <sodium.h>

/* Three kinds of rows share one sequence and one chain. `head` is the last of all; a row
 * that does not follow it is refused, and so is any change of what is written. Somebody who
 * may write the file can drop these triggers: they guard against mistakes, the chain and
 * its signature against people. */
static const char SCHEMA[] =
    "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;"
    "CREATE TABLE charges(seq INTEGER PRIMARY KEY, time_ms INTEGER NOT NULL,"
    " analyst TEXT NOT NULL, vault TEXT NOT NULL, request TEXT NOT NULL,"
    " plan_hash TEXT NOT NULL, plan TEXT NOT NULL, note TEXT NOT NULL, exact TEXT NOT NULL,"
    " eps_pico INTEGER NOT NULL, eps_infinite INTEGER NOT NULL, rho_pico INTEGER NOT NULL,"
    " delta_atto INTEGER NOT NULL, sum_eps_pico INTEGER NOT NULL,"
    " sum_eps_infinite INTEGER NOT NULL, sum_rho_pico INTEGER NOT NULL,"
    " sum_delta_atto INTEGER NOT NULL, prev TEXT NOT NULL, hash TEXT NOT NULL) STRICT;"
    "CREATE TABLE releases(seq INTEGER PRIMARY KEY, time_ms INTEGER NOT NULL,"
    " charge INTEGER NOT NULL UNIQUE REFERENCES charges(seq), kind TEXT NOT NULL,"
    " number INTEGER NOT NULL, body TEXT NOT NULL, prev TEXT NOT NULL, hash TEXT NOT NULL,"
    " UNIQUE(kind, number)) STRICT;"
    "CREATE TABLE acts(seq INTEGER PRIMARY KEY, time_ms INTEGER NOT NULL, who TEXT NOT NULL,"
    " what TEXT NOT NULL, subject TEXT NOT NULL, body TEXT NOT NULL, prev TEXT NOT NULL,"
    " hash TEXT NOT NULL) STRICT;"
    "CREATE INDEX charges_by_plan ON charges(plan_hash);"
    "CREATE INDEX charges_by_analyst ON charges(analyst);"
    "CREATE UNIQUE INDEX charges_by_request ON charges(analyst, request) WHERE request <> '';"
    "CREATE VIEW head AS SELECT seq, hash, time_ms FROM ("
    " SELECT * FROM (SELECT seq, hash, time_ms FROM charges ORDER BY seq DESC LIMIT 1)"
    " UNION ALL"
    " SELECT * FROM (SELECT seq, hash, time_ms FROM releases ORDER BY seq DESC LIMIT 1)"
    " UNION ALL"
    " SELECT * FROM (SELECT seq, hash, time_ms FROM acts ORDER BY seq DESC LIMIT 1)"
    ") ORDER BY seq DESC LIMIT 1;";

/* For each table: nothing changes, nothing goes, and what comes, comes last. */
static const char *const TABLES[] = { "charges", "releases", "acts", "meta" };
static const char GUARD[] = "CREATE TRIGGER %s_no_update BEFORE UPDATE ON %s BEGIN"
                            " SELECT RAISE(ABORT, 'the ledger is append-only'); END;"
                            "CREATE TRIGGER %s_no_delete BEFORE DELETE ON %s BEGIN"
                            " SELECT RAISE(ABORT, 'the ledger is append-only'); END;";
static const char ORDER[] =
    "CREATE TRIGGER %s_in_order BEFORE INSERT ON %s WHEN"
    " NEW.seq <> IFNULL((SELECT seq FROM head), 0) + 1"
    " OR NEW.prev <> IFNULL((SELECT hash FROM head), NEW.prev) BEGIN"
    " SELECT RAISE(ABORT, 'the row does not follow the last one'); END;";
/* INSERT OR REPLACE would slip past the delete trigger. */
static const char ONCE[] =
    "CREATE TRIGGER releases_once BEFORE INSERT ON releases WHEN"
    " EXISTS (SELECT 1 FROM releases WHERE charge = NEW.charge OR"
    " (kind = NEW.kind AND number = NEW.number)) BEGIN"
    " SELECT RAISE(ABORT, 'this charge has its release'); END;"
    "CREATE TRIGGER meta_once BEFORE INSERT ON meta WHEN EXISTS (SELECT 1 FROM head) BEGIN"
    " SELECT RAISE(ABORT, 'the ledger is append-only'); END;";

static jali_status class_of(int code)
{
    switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_FORMAT:
    case SQLITE_SCHEMA:
    case SQLITE_MISMATCH:
        return JALI_E_LEDGER;
    case SQLITE_NOMEM:
        return JALI_E_NOMEM;
    case SQLITE_CONSTRAINT:
    case SQLITE_MISUSE:
    case SQLITE_RANGE:
    case SQLITE_ERROR:
        return JALI_E_INTERNAL;
    default:
        return JALI_E_ENGINE;
    }
}

jali_status jali_sql_fail(sqlite3 *db, const char *doing, jali_err *err)
{
    int code = sqlite3_extended_errcode(db);
    const char *file = sqlite3_db_filename(db, "main");
    if ((code & 0xff) == SQLITE_BUSY)
        return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                         "the ledger %s was held by others for %d seconds; try again",
                         file == NULL ? "" : file, JALI_LEDGER_BUSY_MS / 1000);
    return jali_fail(err, class_of(code), JALI_FOR_CURATOR, "cannot %s the ledger %s: %s (%d)",
                     doing, file == NULL ? "" : file, sqlite3_errmsg(db), code);
}

jali_status jali_sql_run(sqlite3 *db, const char *sql, jali_err *err)
{
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK) return JALI_OK;
    return jali_sql_fail(db, "use", err);
}

jali_status jali_sql_prepare(sqlite3 *db, sqlite3_stmt **out, const char *sql, jali_err *err)
{
    if (sqlite3_prepare_v2(db, sql, -1, out, NULL) == SQLITE_OK) return JALI_OK;
    return jali_sql_fail(db, "read", err);
}

jali_status jali_sql_step(sqlite3_stmt *stmt, bool *row, jali_err *err)
{
    int code = sqlite3_step(stmt);
    *row = code == SQLITE_ROW;
    if (code == SQLITE_ROW || code == SQLITE_DONE) return JALI_OK;
    bool reads = sqlite3_stmt_readonly(stmt);
    return jali_sql_fail(sqlite3_db_handle(stmt), reads ? "read" : "write", err);
}

jali_status jali_sql_number(sqlite3 *db, const char *sql, int64_t *out, jali_err *err)
{
    sqlite3_stmt *stmt;
    bool row;
    JALI_TRY(jali_sql_prepare(db, &stmt, sql, err));
    jali_status status = jali_sql_step(stmt, &row, err);
    if (status == JALI_OK) *out = row ? sqlite3_column_int64(stmt, 0) : 0;
    sqlite3_finalize(stmt);
    return status;
}

/* FULL: a commit is on the platter before it returns. The rest keeps a stranger's file
 * from running code of its own or being believed where it is damaged. */
static const char PRAGMAS[] = "PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;"
                              "PRAGMA recursive_triggers=ON; PRAGMA trusted_schema=OFF;"
                              "PRAGMA cell_size_check=ON; PRAGMA temp_store=MEMORY;";

jali_status jali_sql_open(sqlite3 **out, const char *file, int flags, jali_err *err)
{
    sqlite3 *db = NULL;
    int code = sqlite3_open_v2(file, &db, flags | SQLITE_OPEN_NOMUTEX, NULL);
    if (db == NULL) return jali_fail_memory(err);
    jali_status status = code == SQLITE_OK ? JALI_OK : jali_sql_fail(db, "open", err);
    if (status == JALI_OK) {
        sqlite3_extended_result_codes(db, 1);
        sqlite3_busy_timeout(db, JALI_LEDGER_BUSY_MS);
        sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
        status = jali_sql_run(db, PRAGMAS, err);
    }
    if (status == JALI_OK)
        *out = db;
    else
        sqlite3_close(db);
    return status;
}

static jali_status run_format(sqlite3 *db, const char *format, const char *table, jali_err *err)
{
    char *sql = sqlite3_mprintf(format, table, table, table, table);
    if (sql == NULL) return jali_fail_memory(err);
    jali_status status = jali_sql_run(db, sql, err);
    sqlite3_free(sql);
    return status;
}

jali_status jali_sql_make_schema(sqlite3 *db, jali_err *err)
{
    JALI_TRY(jali_sql_run(db, SCHEMA, err));
    for (size_t i = 0; i < 4; i++) JALI_TRY(run_format(db, GUARD, TABLES[i], err));
    for (size_t i = 0; i < 3; i++) JALI_TRY(run_format(db, ORDER, TABLES[i], err));
    return jali_sql_run(db, ONCE, err);
}

static const char LIST[] = "SELECT name, sql FROM sqlite_schema ORDER BY name";

static const char *text_at(sqlite3_stmt *s, int column)
{
    const char *text = (const char *)sqlite3_column_text(s, column);
    return text == NULL ? "" : text;
}

/* The name where two rows of the lists differ, NULL if they agree: the one that comes first
 * is the one that the other list does not have. */
static const char *difference(sqlite3_stmt *a, bool more_a, sqlite3_stmt *b, bool more_b)
{
    if (!more_a || !more_b) return more_a ? text_at(a, 0) : more_b ? text_at(b, 0) : NULL;
    int order = strcmp(text_at(a, 0), text_at(b, 0));
    if (order != 0) return text_at(order < 0 ? a : b, 0);
    return strcmp(text_at(a, 1), text_at(b, 1)) == 0 ? NULL : text_at(a, 0);
}

/* Both lists in order of name, side by side. A trigger that somebody added could do what it
 * likes inside our own transactions. */
static jali_status compare_schema(sqlite3 *db, sqlite3 *model, const char *file, jali_err *err)
{
    sqlite3_stmt *a = NULL, *b = NULL;
    bool more_a = true, more_b = true;
    jali_status status = jali_sql_prepare(db, &a, LIST, err);
    if (status == JALI_OK) status = jali_sql_prepare(model, &b, LIST, err);
    while (status == JALI_OK && (more_a || more_b)) {
        status = jali_sql_step(a, &more_a, err);
        if (status == JALI_OK) status = jali_sql_step(b, &more_b, err);
        const char *name = status == JALI_OK ? difference(a, more_a, b, more_b) : NULL;
        if (name != NULL)
            status = jali_fail(err, JALI_E_LEDGER, JALI_FOR_CURATOR,
                               "the ledger %s has other tables or triggers than jali makes "
                               "(\"%.40s\"); somebody changed it",
                               file, name);
    }
    sqlite3_finalize(a);
    sqlite3_finalize(b);
    return status;
}

static jali_status compare_with_model(sqlite3 *db, const char *file, jali_err *err)
{
    sqlite3 *model;
    JALI_TRY(
        jali_sql_open(&model, ":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, err));
    jali_status status = jali_sql_make_schema(model, err);
    if (status == JALI_OK) status = compare_schema(db, model, file, err);
    sqlite3_close(model);
    return status;
}

typedef struct schema_print {
    unsigned char bytes[crypto_generichash_BYTES];
} schema_print;

/* One number for all that LIST says. */
static jali_status print_schema(sqlite3 *db, schema_print *out, jali_err *err)
{
    crypto_generichash_state hash;
    sqlite3_stmt *s;
    bool more = true;
    JALI_TRY(jali_sql_prepare(db, &s, LIST, err));
    crypto_generichash_init(&hash, NULL, 0, sizeof out->bytes);
    jali_status status = jali_sql_step(s, &more, err);
    while (status == JALI_OK && more) {
        for (int i = 0; i < 2; i++) { /* with the zero at its end: nothing can slide over */
            const char *text = text_at(s, i);
            crypto_generichash_update(&hash, (const unsigned char *)text, strlen(text) + 1);
        }
        status = jali_sql_step(s, &more, err);
    }
    crypto_generichash_final(&hash, out->bytes, sizeof out->bytes);
    sqlite3_finalize(s);
    return status;
}

/* Making the model costs more than all the rest of opening a ledger, and every ledger that
 * agreed with it has the same print: later ones are compared with that. */
jali_status jali_sql_check_schema(sqlite3 *db, const char *file, jali_err *err)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static schema_print right;
    static bool known;
    schema_print this;
    JALI_TRY(print_schema(db, &this, err));
    pthread_mutex_lock(&lock);
    bool same = known && memcmp(&this, &right, sizeof this) == 0;
    pthread_mutex_unlock(&lock);
    if (same) return JALI_OK;
    JALI_TRY(compare_with_model(db, file, err));
    pthread_mutex_lock(&lock);
    right = this;
    known = true;
    pthread_mutex_unlock(&lock);
    return JALI_OK;
}

jali_status jali_ledger_begin(jali_ledger *ledger, jali_err *err)
{
    if (ledger->mode != JALI_LEDGER_WRITE)
        return jali_fail(err, JALI_E_INTERNAL, JALI_FOR_CURATOR,
                         "the ledger %s was opened for reading only", ledger->file);
    if (ledger->dead)
        return jali_fail(
            err, JALI_E_ENGINE, JALI_FOR_CURATOR,
            "an earlier write to the ledger %s failed; close it, look at the disk, "
            "and open it again",
            ledger->file);
    return jali_sql_run(ledger->db, "BEGIN IMMEDIATE", err);
}

/* After a failed commit the row may or may not be on disk: either way nothing was drawn
 * for it. What this handle believes about the file is worth nothing any more. */
jali_status jali_ledger_end(jali_ledger *ledger, jali_status status, jali_err *err)
{
    if (status == JALI_OK) {
        status = jali_sql_run(ledger->db, "COMMIT", err);
        if (status == JALI_OK) return JALI_OK;
        ledger->dead = true;
    }
    if (!sqlite3_get_autocommit(ledger->db))
        sqlite3_exec(ledger->db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}
