/* engine/duckdb.c — a DuckDB of our own in memory, and scans of files through it.
 *
 * Rows do not come back as a result: DuckDB calls a function of ours on each chunk, inside
 * its own threads, right after parsing it (SELECT count(jali_take(a, b, ...)) FROM file). So
 * nothing is copied, nothing is gathered, and mapping to codes is as parallel as parsing.
 */
#define _POSIX_C_SOURCE 200809L
#include "base/text.h"
#include "engine/inside.h"
#include <assert.h>
#include <time.h>

static_assert(sizeof(duckdb_string_t) == 16, "jali_chunk_text knows DuckDB's strings");

void jali_duckdb_line(char *out, size_t room, const char *message)
{
    const char *from = message == NULL ? "no reason given" : message;
    const char *colon = strstr(from, "Error: ");
    if (colon != NULL && colon - from < 40) from = colon + 7;
    size_t n = 0;
    while (from[n] != '\0' && from[n] != '\n' && n + 1 < room) n++;
    /* Never cut a letter in two. */
    while (n > 0 && ((unsigned char)from[n] & 0xc0) == 0x80) n--;
    memcpy(out, from, n);
    out[n] = '\0';
}

void jali_duckdb_literal(jali_text *sql, const char *text)
{
    jali_text_add(sql, "'");
    for (const char *p = text; *p != '\0'; p++) {
        if (*p == '\'') jali_text_add(sql, "'");
        jali_text_add_n(sql, p, 1);
    }
    jali_text_add(sql, "'");
}

static jali_status refuse(jali_err *err, const char *path, const char *message)
{
    char line[300];
    jali_duckdb_line(line, sizeof line, message);
    return jali_fail(err, JALI_E_DATA, JALI_FOR_CURATOR, "cannot read %s: %s", path, line);
}

/* ---- chunks ----------------------------------------------------------------------- */

static void stop(jali_taking *t, jali_status status, const jali_err *err)
{
    if (atomic_flag_test_and_set(&t->writing)) return;
    t->status = status;
    t->err = *err;
    atomic_store(&t->stopped, true);
}

/* DuckDB's threads call this, with flat vectors of texts. */
static void take(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output)
{
    jali_taking *t = jali_duckdb_taking(info, __builtin_return_address(0));
    if (t == NULL) return; /* the rows are then missing, and the scan says so */
    const jali_duckdb_calls *call = t->call;
    size_t n = (size_t)call->data_chunk_get_column_count(input);
    size_t rows = (size_t)call->data_chunk_get_size(input);
    jali_err err = { .code = JALI_OK };
    const void **data = malloc(n * sizeof *data);
    const uint64_t **valid = malloc(n * sizeof *valid);
    if (data == NULL || valid == NULL) {
        stop(t, jali_fail_memory(&err), &err);
    } else if (!atomic_load(&t->stopped)) {
        for (size_t c = 0; c < n; c++) {
            duckdb_vector column = call->data_chunk_get_vector(input, (idx_t)c);
            data[c] = call->vector_get_data(column);
            valid[c] = call->vector_get_validity(column);
        }
        jali_chunk chunk = { rows, n, data, valid };
        jali_status status = t->sink.take(t->sink.self, &chunk, &err);
        if (status == JALI_OK) atomic_fetch_add(&t->rows, rows);
        if (status != JALI_OK) stop(t, status, &err);
    }
    free(data);
    free(valid);
    if (atomic_load(&t->stopped)) call->scalar_function_set_error(info, "stopped");
    memset(call->vector_get_data(output), 1, rows); /* BOOLEAN: a byte a row */
}

static jali_status register_take(jali_duckdb *db, jali_err *err)
{
    const jali_duckdb_calls *call = &db->call;
    duckdb_scalar_function f = call->create_scalar_function();
    duckdb_logical_type text = call->create_logical_type(DUCKDB_TYPE_VARCHAR),
                        truth = call->create_logical_type(DUCKDB_TYPE_BOOLEAN);
    call->scalar_function_set_name(f, "jali_take");
    call->scalar_function_set_varargs(f, text);
    call->scalar_function_set_return_type(f, truth);
    call->scalar_function_set_special_handling(f); /* NULLs are shown to us, too */
    call->scalar_function_set_volatile(f);         /* and no call is folded away */
    call->scalar_function_set_extra_info(f, &db->taking, NULL);
    call->scalar_function_set_function(f, take);
    bool good = call->register_scalar_function(db->connection, f) == DuckDBSuccess;
    call->destroy_logical_type(&text);
    call->destroy_logical_type(&truth);
    call->destroy_scalar_function(&f);
    if (good) return JALI_OK;
    return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "DuckDB refused our function");
}

/* ---- life ------------------------------------------------------------------------- */

/* Closed to the network, to extensions and to the disk: it reads the file and no more. */
static jali_status open_database(jali_duckdb *db, unsigned threads, jali_err *err)
{
    char count[16];
    snprintf(count, sizeof count, "%u", threads);
    const char *const settings[][2] = {
        { "autoinstall_known_extensions", "false" },
        { "autoload_known_extensions", "false" },
        { "allow_community_extensions", "false" },
        { "temp_directory", "" },
        { "memory_limit", "8GB" },
        { "threads", count },
    };
    const jali_duckdb_calls *call = &db->call;
    duckdb_config config;
    if (call->create_config(&config) != DuckDBSuccess) return jali_fail_memory(err);
    size_t n = sizeof settings / sizeof *settings - (threads == 0);
    bool good = true;
    for (size_t i = 0; i < n; i++)
        good =
            good && call->set_config(config, settings[i][0], settings[i][1]) == DuckDBSuccess;
    char *why = NULL;
    good = good && call->open_ext(NULL, &db->database, config, &why) == DuckDBSuccess;
    call->destroy_config(&config);
    good = good && call->connect(db->database, &db->connection) == DuckDBSuccess;
    if (why != NULL) call->free(why);
    if (good) return JALI_OK;
    return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "DuckDB could not be started");
}

jali_status jali_duckdb_new(jali_duckdb **out, unsigned threads, jali_err *err)
{
    jali_duckdb *db = calloc(1, sizeof *db);
    if (db == NULL) return jali_fail_memory(err);
    jali_status status = jali_duckdb_load(&db->call, err);
    if (status == JALI_OK) status = open_database(db, threads, err);
    db->taking.call = &db->call;
    if (status == JALI_OK) status = register_take(db, err);
    if (status == JALI_OK)
        status = jali_duckdb_query(db, "SET enable_progress_bar = true", NULL, NULL, NULL, NULL,
                                   err);
    if (status == JALI_OK)
        status = jali_duckdb_query(db, "SET enable_progress_bar_print = false", NULL, NULL,
                                   NULL, NULL, err);
    if (status == JALI_OK)
        *out = db;
    else
        jali_duckdb_free(db);
    return status;
}

void jali_duckdb_free(jali_duckdb *db)
{
    if (db == NULL) return;
    if (db->connection != NULL) db->call.disconnect(&db->connection);
    if (db->database != NULL) db->call.close(&db->database);
    free(db);
}

/* ---- statements ------------------------------------------------------------------- */

static const char *const *take_cells(jali_duckdb *db, duckdb_result *result, jali_arena *arena,
                                     size_t rows, size_t columns)
{
    const char **cells = jali_arena_take(arena, rows * columns + 1, sizeof *cells);
    for (size_t i = 0; cells != NULL && i < rows * columns; i++) {
        char *text = db->call.value_varchar(result, (idx_t)(i % columns), (idx_t)(i / columns));
        if (text == NULL) continue;
        cells[i] = jali_arena_text(arena, text);
        if (cells[i] == NULL) cells = NULL;
        db->call.free(text);
    }
    return cells;
}

jali_status jali_duckdb_query(jali_duckdb *db, const char *sql, jali_arena *arena, size_t *rows,
                              size_t *columns, const char *const **cells, jali_err *err)
{
    duckdb_result result;
    jali_status status = JALI_OK;
    if (db->call.query(db->connection, sql, &result) != DuckDBSuccess) {
        char line[300];
        jali_duckdb_line(line, sizeof line, db->call.result_error(&result));
        status = jali_fail(err, JALI_E_DATA, JALI_FOR_CURATOR, "DuckDB: %s", line);
    } else if (cells != NULL) {
        size_t r = (size_t)db->call.row_count(&result),
               c = (size_t)db->call.column_count(&result);
        const char *const *got = take_cells(db, &result, arena, r, c);
        if (got == NULL) status = jali_fail_memory(err);
        if (got != NULL) *rows = r, *columns = c, *cells = got;
    }
    db->call.destroy_result(&result);
    return status;
}

/* ---- scans ------------------------------------------------------------------------ */

static void nap(void)
{
    nanosleep(&(struct timespec){ 0, 500000 }, NULL);
}

/* Every row that DuckDB counted must have come by our hands. */
static jali_status check_count(jali_duckdb *db, duckdb_result *result,
                               const jali_source *source, jali_err *err)
{
    char *text = db->call.value_varchar(result, 0, 0);
    uint64_t counted = text == NULL ? UINT64_MAX : strtoull(text, NULL, 10);
    if (text != NULL) db->call.free(text);
    if (counted == atomic_load(&db->taking.rows)) return JALI_OK;
    return jali_fail(err, JALI_E_INTERNAL, JALI_FOR_CURATOR,
                     "rows of %s were lost on their way from DuckDB", source->path);
}

/* Runs the statement while telling how far it has come. */
static jali_status run(jali_duckdb *db, const char *sql, const jali_source *source,
                       const jali_progress *progress, jali_err *err)
{
    const jali_duckdb_calls *call = &db->call;
    duckdb_prepared_statement statement = NULL;
    duckdb_pending_result pending = NULL;
    duckdb_result result;
    jali_meter meter;
    jali_status status = JALI_OK;
    jali_meter_init(&meter, progress, "reading", source->bytes);
    if (call->prepare(db->connection, sql, &statement) != DuckDBSuccess) {
        status = refuse(err, source->path, call->prepare_error(statement));
    } else if (call->pending_prepared(statement, &pending) != DuckDBSuccess) {
        status = refuse(err, source->path, call->pending_error(pending));
    } else {
        duckdb_pending_state state;
        while (
            !call->pending_execution_is_finished(state = call->pending_execute_task(pending))) {
            double part = call->query_progress(db->connection).percentage;
            if (part >= 0 && part <= 100)
                jali_meter_tell(&meter, (uint64_t)(part / 100 * (double)source->bytes));
            if (state == DUCKDB_PENDING_NO_TASKS_AVAILABLE) nap();
        }
        if (call->execute_pending(pending, &result) != DuckDBSuccess)
            status = refuse(err, source->path, call->result_error(&result));
        else
            status = check_count(db, &result, source, err);
        call->destroy_result(&result);
    }
    call->destroy_pending(&pending);
    call->destroy_prepare(&statement);
    if (status == JALI_OK) jali_meter_tell(&meter, source->bytes);
    return status;
}

static jali_status refuse_bytes(const jali_source *source, const char *line, jali_err *err)
{
    return jali_fail(err, JALI_E_DATA, JALI_FOR_CURATOR,
                     "%s, line %s: these bytes are not UTF-8; convert the file, for example "
                     "by `iconv -f latin1 -t utf-8`",
                     source->path, line);
}

/* Which lines DuckDB left out. Wrong bytes are not a bad line but a wrong file. */
static jali_status read_rejects(jali_duckdb *db, const jali_source *source, jali_arena *arena,
                                jali_scan *out, jali_err *err)
{
    char sql[512];
    size_t rows, columns;
    const char *const *cells;
    snprintf(
        sql, sizeof sql,
        "SELECT line FROM jali_bad_%u WHERE error_message ILIKE '%%unicode%%' ORDER BY line "
        "LIMIT 1",
        db->scans);
    JALI_TRY(jali_duckdb_query(db, sql, arena, &rows, &columns, &cells, err));
    if (rows > 0) return refuse_bytes(source, cells[0], err);
    snprintf(
        sql, sizeof sql,
        "SELECT line, any_value(error_message), count(*) OVER () FROM jali_bad_%u GROUP BY "
        "line ORDER BY line LIMIT %d",
        db->scans, JALI_BAD_SHOWN);
    JALI_TRY(jali_duckdb_query(db, sql, arena, &rows, &columns, &cells, err));
    if (rows > 0) out->bad = strtoull(cells[2], NULL, 10);
    for (size_t i = 0; i < rows; i++)
        out->shown[i] = (jali_bad_line){ strtoull(cells[3 * i], NULL, 10), cells[3 * i + 1] };
    out->n_shown = rows;
    snprintf(sql, sizeof sql, "DROP TABLE jali_bad_%u; DROP TABLE jali_scan_%u", db->scans,
             db->scans);
    return jali_duckdb_query(db, sql, NULL, NULL, NULL, NULL, err);
}

/* SELECT count(jali_take(...)) FROM the file, in DuckDB's words. */
static void write_scan(jali_text *sql, const jali_duckdb *db, const jali_source *source,
                       const size_t *columns, size_t n)
{
    jali_text_add(sql, "SELECT count(jali_take(");
    /* Only Parquet has types; a cast of text would still cost a vector of each column. */
    bool typed = source->kind == JALI_PARQUET;
    for (size_t i = 0; i < n; i++)
        jali_text_format(sql, "%s%sc%zu%s", i ? ", " : "", typed ? "CAST(" : "", columns[i],
                         typed ? " AS VARCHAR)" : "");
    jali_text_add(sql, ")) FROM ");
    jali_text_add(sql, source->options);
    if (source->kind == JALI_CSV)
        jali_text_format(sql,
                         ", header = %s, ignore_errors = true, store_rejects = true, "
                         "rejects_table = 'jali_bad_%u', rejects_scan = 'jali_scan_%u', "
                         "rejects_limit = %d)",
                         source->header ? "true" : "false", db->scans, db->scans,
                         JALI_BAD_COUNTED);
    jali_text_add(sql, " AS t");
    /* Columns are called c0, c1, ... whatever their names: nothing needs quoting. */
    jali_text_add(sql, "(");
    for (size_t i = 0; i < source->n; i++) jali_text_format(sql, "%sc%zu", i ? "," : "", i);
    jali_text_add(sql, ")");
}

/* A scan goes in any order, which is faster; a look must not, or the first row would be just
 * any row. And a file may be larger than memory, so DuckDB gets little for a scan; but a
 * chunk of very many columns reserves (and hardly touches) 32 KB a column several times over.
 * columns = 0: back to looks, which read the first rows only. */
static jali_status set_mode(jali_duckdb *db, size_t columns, jali_err *err)
{
    char sql[128];
    snprintf(sql, sizeof sql, "SET memory_limit = '%zuMB'; SET preserve_insertion_order = %s",
             columns == 0 ? (size_t)8000 : 600 + columns / 4, columns == 0 ? "true" : "false");
    return jali_duckdb_query(db, sql, NULL, NULL, NULL, NULL, err);
}

jali_status jali_duckdb_scan(jali_duckdb *db, const jali_source *source, const size_t *columns,
                             size_t n, jali_sink sink, const jali_progress *progress,
                             jali_arena *arena, jali_scan *out, jali_err *err)
{
    jali_text sql = { 0 };
    jali_scan scan = { 0 };
    jali_taking *t = &db->taking;
    db->scans++;
    t->sink = sink;
    t->status = JALI_OK;
    atomic_store(&t->stopped, false);
    atomic_store(&t->rows, 0);
    atomic_flag_clear(&t->writing);
    write_scan(&sql, db, source, columns, n);
    jali_status status = jali_text_status(&sql, err);
    if (status == JALI_OK) status = set_mode(db, source->n, err);
    if (status == JALI_OK) status = run(db, sql.at, source, progress, err);
    jali_status back = set_mode(db, 0, status == JALI_OK ? err : NULL);
    if (status == JALI_OK) status = back;
    jali_text_clear(&sql);
    if (t->status != JALI_OK) {
        status = t->status;
        if (err != NULL) *err = t->err;
    }
    if (status == JALI_OK && source->kind == JALI_CSV)
        status = read_rejects(db, source, arena, &scan, err);
    if (status == JALI_OK) *out = scan;
    return status;
}
