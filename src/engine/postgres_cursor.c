/* engine/postgres_cursor.c — rows of numbers through a cursor, some at a time.
 *
 * For who looks at every row once and may take long over each: a model. COPY would keep one
 * statement running all that time, and a statement has a timeout; here each FETCH is a
 * statement of its own, libpq holds its rows and no more, and between two of them the server
 * waits. Servers come one after the other.
 */
#include "base/text.h"
#include "engine/postgres_inside.h"
#include <stdlib.h>

enum { FETCH_CELLS = 1 << 17, FETCH_LEAST = 64 }; /* of one FETCH: about 4 MB in libpq */

typedef struct cursor {
    PGconn *conn;
    size_t shard, columns, rows; /* rows: of one FETCH */
    int64_t *cell;
    jali_postgres_sink sink;
} cursor;

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

static jali_status hand_on(const cursor *c, const PGresult *got, jali_err *err)
{
    if (PQnfields(got) != (int)c->columns) return jali_postgres_lied(err);
    for (int r = 0; r < PQntuples(got); r++) {
        for (int k = 0; k < (int)c->columns; k++)
            if (PQfformat(got, k) != 1 || PQgetisnull(got, r, k) ||
                !jali_postgres_number(PQgetvalue(got, r, k), (size_t)PQgetlength(got, r, k),
                                      &c->cell[k]))
                return jali_postgres_lied(err);
        JALI_TRY(c->sink.row(c->sink.self, c->shard, 0, c->cell, err));
    }
    return JALI_OK;
}

static jali_status fetch(const cursor *c, bool *more, jali_err *err)
{
    char sql[80];
    snprintf(sql, sizeof sql, "/* jali: count */ FETCH FORWARD %zu FROM jali", c->rows);
    PGresult *got = PQexec(c->conn, sql);
    jali_status status = PQresultStatus(got) == PGRES_TUPLES_OK
                             ? hand_on(c, got, err)
                             : jali_shard_fail_counting(c->conn, got, err);
    *more = status == JALI_OK && (size_t)PQntuples(got) == c->rows;
    PQclear(got);
    return status;
}

static jali_status close(const cursor *c, jali_err *err)
{
    PGresult *got = PQexec(c->conn, "/* jali: count */ CLOSE jali");
    jali_status status = PQresultStatus(got) == PGRES_COMMAND_OK
                             ? JALI_OK
                             : jali_shard_fail_counting(c->conn, got, err);
    PQclear(got);
    return status;
}

static jali_status stream(cursor *c, jali_postgres *pg, const char *sql, jali_err *err)
{
    JALI_TRY(jali_postgres_open_quietly(pg, 1, err));
    for (c->shard = 0; c->shard < pg->n; c->shard++) {
        bool more = true;
        c->conn = pg->shard[c->shard].lane[0];
        JALI_TRY(declare(c, sql, err));
        while (more) JALI_TRY(fetch(c, &more, err));
        JALI_TRY(close(c, err));
    }
    return JALI_OK;
}

jali_status jali_postgres_stream(jali_postgres *pg, const jali_postgres_query *query,
                                 jali_postgres_sink sink, jali_err *err)
{
    cursor c = { .columns = query->columns, .rows = FETCH_CELLS / (query->columns + 1) };
    c.sink = sink;
    if (c.rows < FETCH_LEAST) c.rows = FETCH_LEAST;
    c.cell = calloc(query->columns + 1, sizeof *c.cell);
    if (c.cell == NULL) return jali_fail_memory(err);
    pthread_mutex_lock(&pg->lock);
    jali_status status = stream(&c, pg, query->sql, err);
    pthread_mutex_unlock(&pg->lock);
    free(c.cell);
    return status;
}
