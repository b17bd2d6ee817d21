/* budget/store_sqlite.c — a ledger in a file: its tables, and SQLite's answers in our words. */
#include "budget/inside.h"
#include "budget/store_sqlite_cache.h"
#include <pthread.h>
#include <sodium.h>
#include <sqlite3.h>

typedef struct file_store {
    jali_store store;
    sqlite3 *db;
    jali_kept cache;
} file_store;

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

/* What the view says, without the table that SQLite would make to sort its three rows. */
#define LAST                                                                                   \
    "(SELECT max(ifnull((SELECT max(seq) FROM charges), 0),"                                   \
    " ifnull((SELECT max(seq) FROM releases), 0), ifnull((SELECT max(seq) FROM acts), 0)))"
static const char HEAD[] =
    "SELECT seq, hash, time_ms FROM charges WHERE seq = " LAST
    " UNION ALL SELECT seq, hash, time_ms FROM releases WHERE seq = " LAST
    " UNION ALL SELECT seq, hash, time_ms FROM acts WHERE seq = " LAST;

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

static jali_status sql_fail(sqlite3 *db, const char *doing, jali_err *err)
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

static jali_status sql_run(sqlite3 *db, const char *sql, jali_err *err)
{
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK) return JALI_OK;
    return sql_fail(db, "use", err);
}

static jali_status sql_prepare(sqlite3 *db, sqlite3_stmt **out, const char *sql, jali_err *err)
{
    if (sqlite3_prepare_v2(db, sql, -1, out, NULL) == SQLITE_OK) return JALI_OK;
    return sql_fail(db, "read", err);
}

static jali_status sql_step(sqlite3_stmt *stmt, bool *row, jali_err *err)
{
    int code = sqlite3_step(stmt);
    *row = code == SQLITE_ROW;
    if (code == SQLITE_ROW || code == SQLITE_DONE) return JALI_OK;
    bool reads = sqlite3_stmt_readonly(stmt);
    return sql_fail(sqlite3_db_handle(stmt), reads ? "read" : "write", err);
}

static jali_status sql_number(sqlite3 *db, const char *sql, int64_t *out, jali_err *err)
{
    sqlite3_stmt *stmt;
    bool row;
    JALI_TRY(sql_prepare(db, &stmt, sql, err));
    jali_status status = sql_step(stmt, &row, err);
    if (status == JALI_OK) *out = row ? sqlite3_column_int64(stmt, 0) : 0;
    sqlite3_finalize(stmt);
    return status;
}

/* FULL: a commit is on the platter before it returns. The rest keeps a stranger's file
 * from running code of its own or being believed where it is damaged. */
static const char PRAGMAS[] = "PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;"
                              "PRAGMA recursive_triggers=ON; PRAGMA trusted_schema=OFF;"
                              "PRAGMA cell_size_check=ON; PRAGMA temp_store=MEMORY;";

static jali_status sql_open(sqlite3 **out, const char *file, int flags, jali_err *err)
{
    sqlite3 *db = NULL;
    int code = sqlite3_open_v2(file, &db, flags | SQLITE_OPEN_NOMUTEX, NULL);
    if (db == NULL) return jali_fail_memory(err);
    jali_status status = code == SQLITE_OK ? JALI_OK : sql_fail(db, "open", err);
    if (status == JALI_OK) {
        sqlite3_extended_result_codes(db, 1);
        sqlite3_busy_timeout(db, JALI_LEDGER_BUSY_MS);
        sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
        status = sql_run(db, PRAGMAS, err);
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
    jali_status status = sql_run(db, sql, err);
    sqlite3_free(sql);
    return status;
}

static jali_status make_schema(sqlite3 *db, jali_err *err)
{
    JALI_TRY(sql_run(db, SCHEMA, err));
    for (size_t i = 0; i < 4; i++) JALI_TRY(run_format(db, GUARD, TABLES[i], err));
    for (size_t i = 0; i < 3; i++) JALI_TRY(run_format(db, ORDER, TABLES[i], err));
    return sql_run(db, ONCE, err);
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
    jali_status status = sql_prepare(db, &a, LIST, err);
    if (status == JALI_OK) status = sql_prepare(model, &b, LIST, err);
    while (status == JALI_OK && (more_a || more_b)) {
        status = sql_step(a, &more_a, err);
        if (status == JALI_OK) status = sql_step(b, &more_b, err);
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
    JALI_TRY(sql_open(&model, ":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, err));
    jali_status status = make_schema(model, err);
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
    JALI_TRY(sql_prepare(db, &s, LIST, err));
    crypto_generichash_init(&hash, NULL, 0, sizeof out->bytes);
    jali_status status = sql_step(s, &more, err);
    while (status == JALI_OK && more) {
        for (int i = 0; i < 2; i++) { /* with the zero at its end: nothing can slide over */
            const char *part = text_at(s, i);
            crypto_generichash_update(&hash, (const unsigned char *)part, strlen(part) + 1);
        }
        status = sql_step(s, &more, err);
    }
    crypto_generichash_final(&hash, out->bytes, sizeof out->bytes);
    sqlite3_finalize(s);
    return status;
}

static sqlite3 *db_of(jali_store *store)
{
    return ((file_store *)store)->db;
}

/* Making the model costs more than all the rest of opening a ledger, and every ledger that
 * agreed with it has the same print: later ones are compared with that. */
static jali_status check_schema(jali_store *store, jali_err *err)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static schema_print right;
    static bool known;
    schema_print this;
    JALI_TRY(print_schema(db_of(store), &this, err));
    pthread_mutex_lock(&lock);
    bool same = known && memcmp(&this, &right, sizeof this) == 0;
    pthread_mutex_unlock(&lock);
    if (same) return JALI_OK;
    JALI_TRY(compare_with_model(db_of(store), store->name, err));
    pthread_mutex_lock(&lock);
    right = this;
    known = true;
    pthread_mutex_unlock(&lock);
    return JALI_OK;
}

static jali_status make(jali_store *store, jali_err *err)
{
    char marks[96];
    snprintf(marks, sizeof marks, "PRAGMA application_id=%d; PRAGMA user_version=%d;",
             JALI_LEDGER_APPLICATION, JALI_LEDGER_FORMAT);
    JALI_TRY(sql_run(db_of(store), marks, err));
    return make_schema(db_of(store), err);
}

static jali_status check_format(jali_store *store, jali_err *err)
{
    int64_t application, version;
    JALI_TRY(sql_number(db_of(store), "PRAGMA application_id", &application, err));
    JALI_TRY(sql_number(db_of(store), "PRAGMA user_version", &version, err));
    if (application != JALI_LEDGER_APPLICATION)
        return jali_fail(err, JALI_E_LEDGER, JALI_FOR_CURATOR, "%s is not a jali ledger",
                         store->name);
    return jali_check_version(store->name, version, err);
}

static jali_status check_writable(jali_store *store, jali_err *err)
{
    return sql_run(db_of(store), "PRAGMA journal_mode=WAL", err);
}

/* A lost index entry would hide a release. */
static jali_status check_pages(jali_store *store, char *why, size_t room, jali_err *err)
{
    sqlite3_stmt *stmt;
    bool row;
    JALI_TRY(sql_prepare(db_of(store), &stmt, "PRAGMA integrity_check(1)", err));
    jali_status status = sql_step(stmt, &row, err);
    const char *text = row ? text_at(stmt, 0) : "its pages cannot be read";
    if (status == JALI_OK) snprintf(why, room, "%s", strcmp(text, "ok") == 0 ? "" : text);
    sqlite3_finalize(stmt);
    return status;
}

/* ---- transactions ---- */

static jali_kept *cache_of(jali_store *store)
{
    return &((file_store *)store)->cache;
}

/* A statement without rows and cells. */
static jali_status run_kept(jali_store *store, const char *sql, jali_err *err)
{
    sqlite3 *db = db_of(store);
    sqlite3_stmt *stmt = NULL;
    bool good = jali_kept_take(cache_of(store), db, sql, &stmt) == SQLITE_OK &&
                sqlite3_step(stmt) == SQLITE_DONE;
    jali_status status = good ? JALI_OK : sql_fail(db, "use", err);
    jali_kept_give(cache_of(store), stmt);
    return status;
}

static jali_status begin(jali_store *store, jali_store_mode mode, jali_err *err)
{
    return run_kept(store, mode == JALI_STORE_READ ? "BEGIN" : "BEGIN IMMEDIATE", err);
}

static void rollback(jali_store *store)
{
    if (!sqlite3_get_autocommit(db_of(store))) (void)!run_kept(store, "ROLLBACK", NULL);
}

static jali_status commit(jali_store *store, jali_err *err)
{
    return run_kept(store, "COMMIT", err);
}

/* ---- rows ---- */

static int bind_cell(sqlite3_stmt *stmt, int at, const jali_cell *cell)
{
    if (cell->text == NULL) return sqlite3_bind_int64(stmt, at, cell->number);
    return sqlite3_bind_text64(stmt, at, cell->text, cell->n, SQLITE_STATIC, SQLITE_UTF8);
}

static jali_status start(jali_rows *rows, const char *sql, const jali_cell *cells, size_t n,
                         bool many, jali_err *err)
{
    sqlite3 *db = db_of(rows->store);
    sqlite3_stmt *stmt = NULL;
    int bad = 0;
    (void)many; /* SQLite never holds more than a row */
    if (jali_kept_take(cache_of(rows->store), db, sql, &stmt) != SQLITE_OK)
        return sql_fail(db, "read", err);
    for (size_t i = 0; i < n; i++) bad |= bind_cell(stmt, (int)i + 1, &cells[i]);
    rows->at = stmt;
    if (!bad) return JALI_OK;
    jali_status status = sql_fail(db, "write", err);
    jali_kept_give(cache_of(rows->store), stmt);
    rows->at = NULL;
    return status;
}

static jali_status next(jali_rows *rows, bool *found, jali_err *err)
{
    return sql_step(rows->at, found, err);
}

static int64_t number(const jali_rows *rows, int at)
{
    return sqlite3_column_int64(rows->at, at);
}

static const char *text(const jali_rows *rows, int at)
{
    return text_at(rows->at, at);
}

static size_t bytes(const jali_rows *rows, int at)
{
    return (size_t)sqlite3_column_bytes(rows->at, at);
}

static bool is_number(const jali_rows *rows, int at)
{
    return sqlite3_column_type(rows->at, at) == SQLITE_INTEGER;
}

static void finish(jali_rows *rows)
{
    jali_kept_give(cache_of(rows->store), rows->at);
    rows->at = NULL;
}

/* ---- life ---- */

static bool close_file(jali_store *store)
{
    file_store *f = (file_store *)store;
    jali_kept_clear(&f->cache);
    bool good = sqlite3_close(f->db) == SQLITE_OK;
    free(f);
    return good;
}

static const jali_store_kind FILE_KIND = {
    .head = HEAD,
    .begin = begin,
    .commit = commit,
    .rollback = rollback,
    .start = start,
    .next = next,
    .number = number,
    .text = text,
    .bytes = bytes,
    .is_number = is_number,
    .finish = finish,
    .make = make,
    .check_format = check_format,
    .check_schema = check_schema,
    .check_writable = check_writable,
    .check_pages = check_pages,
    .close = close_file,
};

jali_status jali_store_open_file(jali_store **out, const char *file, jali_store_mode mode,
                                 jali_err *err)
{
    static const int flags[] = { [JALI_STORE_READ] = SQLITE_OPEN_READONLY,
                                 [JALI_STORE_WRITE] = SQLITE_OPEN_READWRITE,
                                 [JALI_STORE_MAKE] =
                                     SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE };
    file_store *f = calloc(1, sizeof *f);
    if (f == NULL) return jali_fail_memory(err);
    f->store = (jali_store){ .kind = &FILE_KIND, .name = file };
    jali_status status = sql_open(&f->db, file, flags[mode], err);
    if (status == JALI_OK)
        *out = &f->store;
    else
        free(f);
    return status;
}
