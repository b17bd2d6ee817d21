/* engine/postgres_ask.c — whole numbers by binary COPY, from several servers at once.
 *
 * COPY (SELECT ...) TO STDOUT streams: neither side holds an answer whole, and a plan may run
 * in parallel workers, which a cursor forbids. One thread a connection takes the next query
 * that its server has not answered yet. Who fails first writes the sentence and cancels the
 * others, so that a lost server does not wait for a slow one.
 */
#include "base/text.h"
#include "engine/postgres_inside.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- the binary format --------------------------------------------------------------------
 */

static const char signature[] = "PGCOPY\n\377\r\n"; /* eleven bytes with its zero */
enum { HEADER = sizeof signature + 8 };

typedef struct bytes {
    const unsigned char *at;
    size_t left;
} bytes;

bool jali_postgres_number(const void *at, size_t width, int64_t *out)
{
    const unsigned char *byte = at;
    if (width != 2 && width != 4 && width != 8) return false;
    uint64_t v = (byte[0] & 0x80) != 0 ? UINT64_MAX : 0;
    for (size_t i = 0; i < width; i++) v = v << 8 | byte[i];
    *out = (int64_t)v;
    return true;
}

static bool take_number(bytes *b, size_t width, int64_t *out)
{
    if (b->left < width || !jali_postgres_number(b->at, width, out)) return false;
    b->at += width;
    b->left -= width;
    return true;
}

/* One row of n numbers of 2, 4 or 8 bytes. */
static bool take_row(bytes *b, size_t n, int64_t *cell)
{
    int64_t width;
    for (size_t i = 0; i < n; i++) {
        if (!take_number(b, 4, &width) || !take_number(b, (size_t)width, &cell[i]))
            return false;
    }
    return true;
}

/* ---- one query on one connection ------------------------------------------------------------
 */

typedef struct asking {
    const jali_postgres_query *query;
    size_t n;
    jali_postgres_sink sink;
    jali_postgres *pg;
    atomic_bool stopped;
    pthread_mutex_t lock; /* guards status and err */
    jali_status status;
    jali_err err;
} asking;

typedef struct lane {
    asking *all;
    size_t shard, k;
    atomic_size_t *next; /* of the shard: the query to be taken */
    pthread_t thread;
    bool runs;
} lane;

typedef struct copy {
    const lane *l;
    size_t query;
    int64_t *cell;
    bool begun, ended;
} copy;

static jali_status take_message(copy *c, bytes b, jali_err *err)
{
    const asking *a = c->l->all;
    size_t columns = a->query[c->query].columns;
    if (!c->begun) {
        if (b.left < HEADER || memcmp(b.at, signature, sizeof signature) != 0)
            return jali_postgres_lied(err);
        b.at += HEADER;
        b.left -= HEADER;
        c->begun = true;
    }
    while (b.left > 0) {
        int64_t fields;
        if (!take_number(&b, 2, &fields)) return jali_postgres_lied(err);
        if (fields == -1 && b.left == 0) {
            c->ended = true;
            return JALI_OK;
        }
        if (fields != (int64_t)columns || !take_row(&b, columns, c->cell))
            return jali_postgres_lied(err);
        JALI_TRY(a->sink.row(a->sink.self, c->l->shard, c->query, c->cell, err));
    }
    return JALI_OK;
}

/* Reads until the server has no more; what it says at the end decides. */
static jali_status read_copy(copy *c, PGconn *conn, jali_err *err)
{
    jali_status status = JALI_OK;
    char *message = NULL;
    int n;
    while (status == JALI_OK && !atomic_load(&c->l->all->stopped) &&
           (n = PQgetCopyData(conn, &message, 0)) > 0) {
        status = take_message(c, (bytes){ (unsigned char *)message, (size_t)n }, err);
        PQfreemem(message);
    }
    if (status != JALI_OK || atomic_load(&c->l->all->stopped)) return status;
    PGresult *end = PQgetResult(conn);
    if (n == -2 || PQresultStatus(end) != PGRES_COMMAND_OK)
        status = jali_shard_fail_counting(conn, end, err);
    else if (!c->ended)
        status = jali_postgres_lied(err);
    PQclear(end);
    while ((end = PQgetResult(conn)) != NULL) PQclear(end);
    return status;
}

static jali_status run_query(const lane *l, PGconn *conn, size_t query, jali_err *err)
{
    jali_text sql = { 0 };
    const jali_postgres_query *q = &l->all->query[query];
    copy c = { .l = l, .query = query, .cell = calloc(q->columns + 1, sizeof(int64_t)) };
    jali_text_format(&sql, "/* jali: count */ COPY (%s) TO STDOUT (FORMAT binary)", q->sql);
    jali_status status = c.cell == NULL ? jali_fail_memory(err) : jali_text_status(&sql, err);
    if (status == JALI_OK) {
        PGresult *result = PQexec(conn, sql.at);
        if (PQresultStatus(result) != PGRES_COPY_OUT)
            status = jali_shard_fail_counting(conn, result, err);
        PQclear(result);
    }
    if (status == JALI_OK) status = read_copy(&c, conn, err);
    jali_text_clear(&sql);
    free(c.cell);
    return status;
}

/* ---- all of them
 * ----------------------------------------------------------------------------- */

void jali_shard_cancel(PGconn *conn)
{
    char why[256];
    PGcancel *handle = conn == NULL ? NULL : PQgetCancel(conn);
    if (handle == NULL) return;
    PQcancel(handle, why, sizeof why);
    PQfreeCancel(handle);
}

/* The first sentence stays; everybody else's statement is cancelled. */
static void give_up(const lane *l, jali_status status, const jali_err *err)
{
    asking *a = l->all;
    if (atomic_exchange(&a->stopped, true)) return;
    pthread_mutex_lock(&a->lock);
    a->status = status;
    a->err = *err;
    pthread_mutex_unlock(&a->lock);
    for (size_t i = 0; i < a->pg->n; i++)
        for (size_t k = 0; k < JALI_POSTGRES_LANES; k++)
            if (i != l->shard || k != l->k) jali_shard_cancel(a->pg->shard[i].lane[k]);
}

static void *work(void *self)
{
    const lane *l = self;
    asking *a = l->all;
    PGconn *conn = a->pg->shard[l->shard].lane[l->k];
    for (;;) {
        jali_err err = { 0 };
        size_t query = atomic_fetch_add(l->next, 1);
        if (query >= a->n || atomic_load(&a->stopped)) return NULL;
        jali_status status = run_query(l, conn, query, &err);
        if (status != JALI_OK) {
            give_up(l, status, &err);
            return NULL;
        }
    }
}

/* As many connections as there are queries to share, opened before anybody starts, because
 * an exporting transaction must not be busy. */
static jali_status open_lanes(jali_postgres *pg, size_t lanes)
{
    for (size_t i = 0; i < pg->n; i++) {
        JALI_TRY(jali_shard_open(&pg->shard[i], 0, NULL));
        if (lanes > 1) JALI_TRY(jali_shard_export(&pg->shard[i], NULL));
        for (size_t k = 1; k < lanes; k++) JALI_TRY(jali_shard_open(&pg->shard[i], k, NULL));
    }
    return JALI_OK;
}

jali_status jali_postgres_open_quietly(jali_postgres *pg, size_t lanes, jali_err *err)
{
    jali_status status = open_lanes(pg, lanes);
    return status == JALI_OK ? JALI_OK : jali_shard_fail_counting(NULL, NULL, err);
}

static jali_status ask_all(asking *a, jali_err *err)
{
    jali_postgres *pg = a->pg;
    size_t lanes = a->n < JALI_POSTGRES_LANES ? a->n : JALI_POSTGRES_LANES;
    JALI_TRY(jali_postgres_open_quietly(pg, lanes, err));
    size_t n = pg->n * lanes;
    lane *at = calloc(n, sizeof *at);
    atomic_size_t *next = calloc(pg->n, sizeof *next);
    jali_status status = at == NULL || next == NULL ? jali_fail_memory(err) : JALI_OK;
    for (size_t i = 0; status == JALI_OK && i < n; i++) {
        at[i] =
            (lane){ .all = a, .shard = i / lanes, .k = i % lanes, .next = &next[i / lanes] };
        at[i].runs = n > 1 && pthread_create(&at[i].thread, NULL, work, &at[i]) == 0;
    }
    /* Without a thread, here: slower, and as right. */
    for (size_t i = 0; status == JALI_OK && i < n; i++)
        if (!at[i].runs) work(&at[i]);
    for (size_t i = 0; status == JALI_OK && i < n; i++)
        if (at[i].runs) pthread_join(at[i].thread, NULL);
    if (status == JALI_OK && a->status != JALI_OK) {
        status = a->status;
        if (err != NULL) *err = a->err;
    }
    free(at);
    free(next);
    return status;
}

jali_status jali_postgres_ask(jali_postgres *pg, const jali_postgres_query *query, size_t n,
                              jali_postgres_sink sink, jali_err *err)
{
    asking a = { .query = query, .n = n, .sink = sink, .pg = pg };
    if (n == 0) return JALI_OK;
    pthread_mutex_init(&a.lock, NULL);
    pthread_mutex_lock(&pg->lock);
    jali_status status = ask_all(&a, err);
    pthread_mutex_unlock(&pg->lock);
    pthread_mutex_destroy(&a.lock);
    return status;
}

/* ---- texts, for drafts
 * ------------------------------------------------------------------------ */

static jali_status read_texts(jali_shard *s, const char *sql, size_t columns,
                              jali_postgres_reader reader, jali_err *err)
{
    PGconn *conn = s->lane[0];
    PGresult *result;
    jali_status status = JALI_OK;
    const char **cell = calloc(columns + 1, sizeof *cell);
    size_t *n = calloc(columns + 1, sizeof *n);
    if (cell == NULL || n == NULL || PQsendQuery(conn, sql) != 1)
        status = cell == NULL || n == NULL ? jali_fail_memory(err)
                                           : jali_shard_fail(s, conn, NULL, err);
    if (status == JALI_OK) PQsetSingleRowMode(conn);
    while (status == JALI_OK && (result = PQgetResult(conn)) != NULL) {
        ExecStatusType got = PQresultStatus(result);
        if (got != PGRES_SINGLE_TUPLE && got != PGRES_TUPLES_OK)
            status = jali_shard_fail(s, conn, result, err);
        for (int r = 0; status == JALI_OK && r < PQntuples(result); r++) {
            for (size_t i = 0; i < columns; i++) {
                bool null = PQgetisnull(result, r, (int)i);
                cell[i] = null ? NULL : PQgetvalue(result, r, (int)i);
                n[i] = null ? 0 : (size_t)PQgetlength(result, r, (int)i);
            }
            status = reader.row(reader.self, cell, n, err);
        }
        PQclear(result);
    }
    free(cell);
    free(n);
    return status;
}

jali_status jali_postgres_texts(jali_postgres *pg, const char *sql, size_t columns,
                                jali_postgres_reader reader, jali_err *err)
{
    jali_status status = JALI_OK;
    pthread_mutex_lock(&pg->lock);
    for (size_t i = 0; status == JALI_OK && i < pg->n; i++) {
        status = jali_shard_open(&pg->shard[i], 0, err);
        if (status == JALI_OK) status = read_texts(&pg->shard[i], sql, columns, reader, err);
    }
    pthread_mutex_unlock(&pg->lock);
    return status;
}
