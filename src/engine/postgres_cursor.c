/* engine/postgres_cursor.c — rows of numbers through cursors, some at a time.
 *
 * For who looks at every row once and may take long over each: a model. COPY would keep one
 * statement running all that time, and a statement has a timeout; here each FETCH is a
 * statement of its own, libpq holds its rows and no more, and between two of them the server
 * waits. Where order does not matter servers come one after the other; where it does, their
 * rows are merged, and every server is asked for its first rows before anybody waits: it may
 * have to sort for them.
 */
#include "base/text.h"
#include "engine/postgres_inside.h"
#include <stdlib.h>

enum { FETCH_CELLS = 1 << 17, FETCH_LEAST = 64 }; /* of all FETCHes: about 4 MB in libpq */

typedef struct cursor {
    PGconn *conn;
    size_t shard;
    PGresult *got; /* the rows that are here, and which of them is next */
    int row;
    bool last;
    int64_t *cell, *before; /* the row that is next, and the keys of the one before */
} cursor;

typedef struct merge {
    jali_postgres *pg;
    const jali_postgres_query *query; /* one a server */
    size_t columns, keys, rows;       /* rows: of one FETCH */
    jali_postgres_sink sink;
    cursor *cursor;
    size_t n;
} merge;

static jali_status declare(const cursor *c, const char *sql, jali_err *err)
{
    jali_text text = { 0 };
    jali_text_format(&text, "/* jali: count */ DECLARE jali BINARY NO SCROLL CURSOR FOR %s",
                     sql);
    jali_status status = jali_text_status(&text, err);
    if (status == JALI_OK) {
        PGresult *got = PQexec(c->conn, text.at);
        if (PQresultStatus(got) != PGRES_COMMAND_OK)
            status = jali_shard_fail_counting(c->conn, got, err);
        PQclear(got);
    }
    jali_text_clear(&text);
    return status;
}

/* ---- rows that are here ---------------------------------------------------------------- */

static int by_keys(const merge *m, const int64_t *a, const int64_t *b)
{
    for (size_t i = 0; i < m->keys; i++)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}

/* Reads the next row of c->got into c->cell. A server that sorted otherwise is not believed:
 * of what it says the order is part. */
static jali_status read_row(const merge *m, cursor *c, jali_err *err)
{
    for (size_t i = 0; i < m->keys; i++) c->before[i] = c->cell[i];
    for (int k = 0; k < (int)m->columns; k++)
        if (PQfformat(c->got, k) != 1 || PQgetisnull(c->got, c->row, k) ||
            !jali_postgres_number(PQgetvalue(c->got, c->row, k),
                                  (size_t)PQgetlength(c->got, c->row, k), &c->cell[k]))
            return jali_postgres_lied(err);
    return by_keys(m, c->before, c->cell) > 0 ? jali_postgres_lied(err) : JALI_OK;
}

static jali_status send_fetch(const merge *m, const cursor *c, jali_err *err)
{
    char sql[80];
    snprintf(sql, sizeof sql, "/* jali: count */ FETCH FORWARD %zu FROM jali", m->rows);
    return PQsendQuery(c->conn, sql) == 1 ? JALI_OK
                                          : jali_shard_fail_counting(c->conn, NULL, err);
}

/* What the server answers to a FETCH; c->got is NULL when there are no more rows. */
static jali_status receive(const merge *m, cursor *c, jali_err *err)
{
    PGresult *more;
    c->got = PQgetResult(c->conn);
    c->row = 0;
    if (PQresultStatus(c->got) != PGRES_TUPLES_OK)
        return jali_shard_fail_counting(c->conn, c->got, err);
    while ((more = PQgetResult(c->conn)) != NULL) PQclear(more);
    if (PQnfields(c->got) != (int)m->columns) return jali_postgres_lied(err);
    c->last = (size_t)PQntuples(c->got) < m->rows;
    if (PQntuples(c->got) > 0) return read_row(m, c, err);
    PQclear(c->got);
    c->got = NULL;
    return JALI_OK;
}

static jali_status advance(const merge *m, cursor *c, jali_err *err)
{
    if (++c->row < PQntuples(c->got)) return read_row(m, c, err);
    PQclear(c->got);
    c->got = NULL;
    if (c->last) return JALI_OK;
    JALI_TRY(send_fetch(m, c, err));
    return receive(m, c, err);
}

/* ---- all of them ----------------------------------------------------------------------- */

static cursor *least(const merge *m)
{
    cursor *best = NULL;
    for (size_t i = 0; i < m->n; i++) {
        cursor *c = &m->cursor[i];
        if (c->got != NULL && (best == NULL || by_keys(m, c->cell, best->cell) < 0)) best = c;
    }
    return best;
}

static jali_status close_all(const merge *m, jali_err *err)
{
    for (size_t i = 0; i < m->n; i++) {
        PGresult *got = PQexec(m->cursor[i].conn, "/* jali: count */ CLOSE jali");
        bool good = PQresultStatus(got) == PGRES_COMMAND_OK;
        jali_status status =
            good ? JALI_OK : jali_shard_fail_counting(m->cursor[i].conn, got, err);
        PQclear(got);
        JALI_TRY(status);
    }
    return JALI_OK;
}

static jali_status read_all(const merge *m, jali_err *err)
{
    for (size_t i = 0; i < m->n; i++)
        JALI_TRY(declare(&m->cursor[i], m->query[m->cursor[i].shard].sql, err));
    for (size_t i = 0; i < m->n; i++) JALI_TRY(send_fetch(m, &m->cursor[i], err));
    for (size_t i = 0; i < m->n; i++) JALI_TRY(receive(m, &m->cursor[i], err));
    for (cursor *c; (c = least(m)) != NULL;) {
        JALI_TRY(m->sink.row(m->sink.self, c->shard, 0, c->cell, err));
        JALI_TRY(advance(m, c, err));
    }
    return close_all(m, err);
}

/* n servers from the first, side by side. */
static jali_status read_some(merge *m, size_t first, size_t n, jali_err *err)
{
    jali_arena arena = JALI_ARENA_INIT;
    m->n = n;
    m->rows = FETCH_CELLS / (m->columns + 1) / n;
    if (m->rows < FETCH_LEAST) m->rows = FETCH_LEAST;
    m->cursor = jali_arena_take(&arena, n, sizeof *m->cursor);
    jali_status status = m->cursor == NULL ? jali_fail_memory(err) : JALI_OK;
    for (size_t i = 0; status == JALI_OK && i < n; i++) {
        cursor *c = &m->cursor[i];
        *c = (cursor){ .conn = m->pg->shard[first + i].lane[0], .shard = first + i };
        c->cell = jali_arena_take(&arena, m->columns + 1, sizeof *c->cell);
        c->before = jali_arena_take(&arena, m->keys + 1, sizeof *c->before);
        if (c->cell == NULL || c->before == NULL) status = jali_fail_memory(err);
        for (size_t k = 0; status == JALI_OK && k < m->keys; k++) c->cell[k] = INT64_MIN;
    }
    if (status == JALI_OK) status = read_all(m, err);
    for (size_t i = 0; m->cursor != NULL && i < n; i++) {
        PQclear(m->cursor[i].got);
        if (status != JALI_OK) jali_shard_cancel(m->cursor[i].conn);
    }
    jali_arena_clear(&arena);
    return status;
}

jali_status jali_postgres_stream(jali_postgres *pg, const jali_postgres_query *query,
                                 size_t keys, jali_postgres_sink sink, jali_err *err)
{
    merge m = { .pg = pg, .query = query, .columns = query->columns, .keys = keys };
    m.sink = sink;
    pthread_mutex_lock(&pg->lock);
    jali_status status = jali_postgres_open_quietly(pg, 1, err);
    if (status == JALI_OK && keys > 0) status = read_some(&m, 0, pg->n, err);
    for (size_t i = 0; status == JALI_OK && keys == 0 && i < pg->n; i++)
        status = read_some(&m, i, 1, err);
    pthread_mutex_unlock(&pg->lock);
    return status;
}
