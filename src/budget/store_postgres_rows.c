/* budget/store_postgres_rows.c — rows of a ledger on a server: parameters there, cells back. */
#include "budget/store_postgres.h"

enum {
    MOST_CELLS = JALI_MAX_CELLS + 2,
    FETCH_ROWS = 64, /* rows held in memory by a walk, for each table  */
    TEXT_FORMAT = 0,
    BYTES_FORMAT = 1,
    INT4_TYPE = 23,
    INT8_TYPE = 20
};

/* Texts go as bytes with their length, numbers as digits. */
static PGresult *ask(server_store *s, const char *sql, const jali_cell *cells, size_t n)
{
    const char *value[MOST_CELLS];
    int length[MOST_CELLS], format[MOST_CELLS];
    char digits[MOST_CELLS][24];
    for (size_t i = 0; i < n; i++) {
        bool is_text = cells[i].text != NULL;
        if (!is_text) snprintf(digits[i], sizeof digits[i], "%lld", (long long)cells[i].number);
        value[i] = is_text ? cells[i].text : digits[i];
        length[i] = (int)cells[i].n;
        format[i] = is_text ? BYTES_FORMAT : TEXT_FORMAT;
    }
    return s->link == NULL
               ? NULL
               : PQexecParams(s->link, sql, (int)n, NULL, value, length, format, TEXT_FORMAT);
}

static jali_status keep(jali_rows *rows, PGresult *answer, jali_err *err)
{
    if (jali_pg_good(answer)) {
        PQclear(rows->at);
        rows->at = answer;
        rows->row = -1;
        rows->n = PQntuples(answer);
        return JALI_OK;
    }
    jali_status status = jali_pg_fail(server_of(rows->store), answer, "use", err);
    PQclear(answer);
    return status;
}

jali_status jali_pg_rows_start(jali_rows *rows, const char *sql, const jali_cell *cells,
                               size_t n, bool many, jali_err *err)
{
    server_store *s = server_of(rows->store);
    char declare[256];
    if (many) {
        rows->cursor = ++s->cursors;
        snprintf(declare, sizeof declare, "DECLARE walk%d NO SCROLL CURSOR FOR %s",
                 rows->cursor, sql);
    }
    return keep(rows, ask(s, many ? declare : sql, cells, n), err);
}

static jali_status fetch(jali_rows *rows, jali_err *err)
{
    char sql[64];
    snprintf(sql, sizeof sql, "FETCH %d FROM walk%d", FETCH_ROWS, rows->cursor);
    return keep(rows, ask(server_of(rows->store), sql, NULL, 0), err);
}

jali_status jali_pg_rows_next(jali_rows *rows, bool *found, jali_err *err)
{
    if (rows->cursor > 0 && rows->row + 1 >= rows->n) JALI_TRY(fetch(rows, err));
    rows->row++;
    *found = rows->row < rows->n;
    return JALI_OK;
}

const char *jali_pg_rows_text(const jali_rows *rows, int at)
{
    return PQgetvalue(rows->at, rows->row, at);
}

int64_t jali_pg_rows_number(const jali_rows *rows, int at)
{
    return strtoll(jali_pg_rows_text(rows, at), NULL, 10);
}

size_t jali_pg_rows_bytes(const jali_rows *rows, int at)
{
    return (size_t)PQgetlength(rows->at, rows->row, at);
}

bool jali_pg_rows_is_number(const jali_rows *rows, int at)
{
    Oid type = PQftype(rows->at, at);
    return type == INT8_TYPE || type == INT4_TYPE;
}

/* A cursor ends with its transaction. */
void jali_pg_rows_finish(jali_rows *rows)
{
    PQclear(rows->at);
    rows->at = NULL;
}
