/* Rows that come through a cursor: a model says the same of them as of rows in memory, over
 * several batches, FETCHes and servers, in an order or in none; and what can happen in
 * between. */
#define _XOPEN_SOURCE 700
#include "model/model.h"
#include "support/postgres.h"
#include "table/remote.h"
#include "tally/open.h"
#include "tally/probe.h"
#include <math.h>

enum { ROWS = 70000, POINTS = 4 }; /* 43,690 rows are a FETCH of two columns, 4,096 a batch */

#define FIELDS                                                                                 \
    "{\"name\":\"a\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":9}},"     \
    "{\"name\":\"b\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":99}},"    \
    "{\"name\":\"y\",\"type\":\"integer\",\"constraints\":{\"minimum\":-70000,"                \
    "\"maximum\":70000}}"
static const char rows_text[] = "{\"fields\":[" FIELDS "]}",
                  persons_text[] =
                      "{\"jali\":{\"person\":\"who\",\"rowsPerPerson\":3},\"fields\":["
                      "{\"name\":\"who\"}," FIELDS "]}";
static const uint32_t point[POINTS] = { 0, 3, 6, 9 };
static const jali_person_key key = { "not very secret", "quite secret..." };

static PGconn *conn;
static size_t calls, cut_at; /* of the model; at this call the server ends our sessions */

static int model(const double *x, size_t n, size_t width, double *out)
{
    for (size_t i = 0; i < n; i++) {
        double a = isnan(x[i * width]) ? 20 : x[i * width],
               b = isnan(x[i * width + 1]) ? 50 : x[i * width + 1];
        out[i] = fmod(a * b, 7) + sqrt(b);
    }
    if (++calls == cut_at)
        pg_do(conn, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE "
                    "application_name = 'jali'");
    return 0;
}

typedef struct world {
    jali_arena arena;
    jali_schema schema;
    jali_remote_place place;
    jali_postgres *pg;
    jali_remote remote;
    jali_columns *columns;
    jali_model *model;
    jali_pool *pool;
} world;

/* The same server so many times: every row is there so many times. */
static void world_of(world *w, const char *text, size_t servers)
{
    static const char *const names[] = { "a", "b" };
    const char *place[] = { pg_place[0], pg_place[0], pg_place[0] };
    jali_model_spec spec = { .model = "test", .memory = model, .columns = names, .n = 2 };
    *w = (world){ .arena = JALI_ARENA_INIT };
    CHECK_OK(jali_schema_parse(&w->schema, text, strlen(text), "schema", &w->arena, NULL));
    CHECK_OK(jali_postgres_new(&w->pg, place, servers, NULL));
    CHECK_OK(jali_remote_find(w->pg, "t", &w->schema, &w->arena, &w->place, NULL));
    CHECK_OK(jali_remote_make(&w->schema, &w->place, &key, w->pg, &w->arena, &w->remote, NULL));
    CHECK_OK(jali_remote_check(&w->remote, NULL));
    CHECK_OK(jali_columns_remote(&w->columns, &w->remote, NULL));
    CHECK_OK(jali_model_open(&w->model, &w->schema, &spec, NULL));
    CHECK_OK(jali_pool_new(&w->pool, 2, NULL));
    calls = cut_at = 0;
}

static void world_open(world *w)
{
    world_of(w, rows_text, 2);
}

static void world_close(world *w)
{
    jali_pool_free(w->pool);
    jali_model_free(w->model);
    jali_columns_free(w->columns);
    jali_postgres_free(w->pg);
    jali_arena_clear(&w->arena);
}

static jali_probe probe_of(const world *w)
{
    return (jali_probe){ .columns = w->columns,
                         .schema = &w->schema,
                         .plain = { w->model, 0, 12, false },
                         .key = key.content,
                         .label = &w->schema.fields[w->schema.n - 1],
                         .label_is = -1,
                         .pool = w->pool };
}

typedef struct said {
    const jali_tally *pdp, *ale, *counts;
} said;

static said ask(world *w)
{
    said s;
    jali_probe p = probe_of(w);
    CHECK_OK(jali_probe_pdp(&p, 0, point, POINTS, &w->arena, &s.pdp, NULL));
    CHECK_OK(jali_probe_ale(&p, 1, point, POINTS, &w->arena, &s.ale, &s.counts, NULL));
    return s;
}

static bool equal(const jali_tally *a, const jali_tally *b)
{
    return a->n == b->n && memcmp(a->cell, b->cell, a->n * sizeof *a->cell) == 0;
}

static bool same(said a, said b)
{
    return equal(a.pdp, b.pdp) && equal(a.ale, b.ale) && equal(a.counts, b.counts);
}

SENTENCE(a_model_says_the_same_of_streamed_rows)
{
    UNUSED_STATE;
    world far, near, other;
    world_open(&far);
    world_open(&near);
    world_open(&other);
    CHECK_OK(jali_columns_load(near.columns, NULL));
    assert_int_equal(jali_columns_rows(near.columns), 2 * ROWS);
    other.remote.where = "b IS DISTINCT FROM 17"; /* rows that are lost are noticed */
    said x = ask(&near), y = ask(&far), z = ask(&other);
    int64_t rows = 0;
    for (size_t i = 0; i < y.counts->n; i++) rows += y.counts->cell[i];
    assert_int_equal(rows, 2 * ROWS);
    CHECK(same(x, y) && !same(x, z));
    CHECK(!jali_columns_loaded(far.columns)); /* nothing was kept */
    world_close(&far);
    world_close(&near);
    world_close(&other);
}

/* ---- in an order ---------------------------------------------------------------------- */

enum { BLOCKS = 37, CELLS = 3 };

/* Says something else for every block whose rows or their order are others. */
static jali_status jealous(void *self, const jali_frame *rows, double *out, jali_err *err)
{
    uint64_t h = rows->rows;
    (void)self;
    (void)err;
    for (size_t i = 0; i < rows->rows * rows->width; i++)
        h = (h ^ rows->code[i]) * 0x9e3779b97f4a7c15, h ^= h >> 31;
    for (size_t k = 0; k < CELLS; k++) out[k] = (double)((h >> 20 * k) % 1000);
    return JALI_OK;
}

typedef struct sorted {
    const jali_tally *pfi, *curve, *rank, *whole;
} sorted;

static sorted ask_in_order(world *w)
{
    sorted s;
    jali_probe p = probe_of(w);
    jali_blocks blocks = { BLOCKS, CELLS, jealous, NULL }, one = { 1, CELLS, jealous, NULL };
    CHECK_OK(jali_probe_pfi(&p, UINT64_MAX, &w->arena, &s.pfi, NULL));
    CHECK_OK(jali_probe_curve(&p, &blocks, 0, 1000, &w->arena, &s.curve, NULL));
    CHECK_OK(jali_probe_rank(&p, &blocks, &w->arena, &s.rank, NULL));
    CHECK_OK(jali_probe_curve(&p, &one, 0, 1000, &w->arena, &s.whole, NULL));
    return s;
}

static bool same_order(sorted a, sorted b)
{
    return equal(a.pfi, b.pfi) && equal(a.curve, b.curve) && equal(a.rank, b.rank) &&
           equal(a.whole, b.whole);
}

static void same_near_and_far(const char *text, size_t servers, sorted *out, jali_arena *arena)
{
    world far, near;
    world_of(&far, text, servers);
    world_of(&near, text, servers);
    CHECK_OK(jali_columns_load(near.columns, NULL));
    sorted x = ask_in_order(&near), y = ask_in_order(&far);
    CHECK(same_order(x, y) && !jali_columns_loaded(far.columns));
    jali_tally *copy = jali_arena_take(arena, 1, sizeof *copy);
    *copy = *y.whole;
    copy->cell = jali_arena_take(arena, CELLS, sizeof *copy->cell);
    memcpy(copy->cell, y.whole->cell, CELLS * sizeof *copy->cell);
    out->whole = copy;
    world_close(&far);
    world_close(&near);
}

/* The server's order is ours, bit by bit, with and without persons, on one server and on three
 * that have the same rows (so that numbers among equal rows are the same, too). */
SENTENCE(the_server_sorts_as_we_do)
{
    UNUSED_STATE;
    jali_arena arena = JALI_ARENA_INIT;
    sorted rows, persons, three;
    same_near_and_far(rows_text, 1, &rows, &arena);
    same_near_and_far(persons_text, 1, &persons, &arena);
    same_near_and_far(rows_text, 3, &three, &arena);
    CHECK(!equal(rows.whole, persons.whole) && !equal(rows.whole, three.whole));
    jali_arena_clear(&arena);
}

/* Codes that never were in a database, as an import would have written them. */
SENTENCE(a_table_in_memory_says_the_same)
{
    UNUSED_STATE;
    world far, near;
    static uint8_t a[ROWS], b[ROWS];
    static uint32_t y[ROWS];
    for (int i = ROWS; i >= 1; i--) { /* in another order than there */
        int x = i % 13, z = i * 7 % 103, at = ROWS - i;
        a[at] = (uint8_t)(i % 11 == 0 ? 10 : x > 9 ? 9 : x);
        b[at] = (uint8_t)(z > 99 ? 99 : z);
        y[at] = (uint32_t)(i % 17 == 0 ? 140001 : 70000 + i % 2000 - 1000);
    }
    const jali_column column[] = { { "a", 1, 11, ROWS, a },
                                   { "b", 1, 101, ROWS, b },
                                   { "y", 4, 140002, ROWS, y } };
    world_of(&far, rows_text, 1);
    world_of(&near, rows_text, 1);
    jali_columns_free(near.columns);
    CHECK_OK(jali_columns_borrow(&near.columns, column, 3, NULL));
    sorted s = ask_in_order(&near);
    CHECK(same_order(s, ask_in_order(&far)));
    jali_probe p = probe_of(&far);
    const jali_tally *other;
    p.key = key.id; /* another key is another order */
    CHECK_OK(jali_probe_pfi(&p, UINT64_MAX, &far.arena, &other, NULL));
    CHECK(!equal(s.pfi, other));
    world_close(&far);
    world_close(&near);
}

SENTENCE(a_table_without_rows_says_nothing)
{
    UNUSED_STATE;
    world w;
    world_of(&w, rows_text, 2);
    w.remote.where = "false";
    sorted s = ask_in_order(&w);
    CHECK(s.pfi->cell[0] == 0 && s.pfi->cell[1] == 0 && s.curve->cell[0] == 0);
    world_close(&w);
}

/* ---- faults --------------------------------------------------------------------------- */

typedef struct list {
    size_t n;
    int64_t cell[32];
} list;

static jali_status append(void *self, size_t shard, size_t query, const int64_t *cell,
                          jali_err *err)
{
    list *l = self;
    (void)query;
    (void)err;
    assert_true(l->n < 32);
    l->cell[l->n++] = 1000 * (int64_t)shard + 10 * cell[0] + cell[1];
    return JALI_OK;
}

SENTENCE(servers_are_merged_and_a_wrong_order_is_refused)
{
    UNUSED_STATE;
    jali_postgres *pg;
    jali_err err = { 0 };
    const char *place[] = { pg_place[0], pg_place[0] };
    const jali_postgres_query good[] = {
        { "SELECT * FROM (VALUES (-1, 5), (2, 1), (2, 3)) AS v", 2 },
        { "SELECT * FROM (VALUES (-2, 0), (2, 2), (2, 3), (7, 0)) AS v", 2 }
    };
    const jali_postgres_query bad[] = { good[0],
                                        { "SELECT * FROM (VALUES (2, 3), (2, 2)) AS v", 2 } };
    const int64_t want[] = { 980, -5, 21, 1022, 23, 1023, 1070 };
    list l = { 0 };
    CHECK_OK(jali_postgres_new(&pg, place, 2, NULL));
    CHECK_OK(jali_postgres_stream(pg, good, 2, (jali_postgres_sink){ append, &l }, NULL));
    CHECK(l.n == 7 && memcmp(l.cell, want, sizeof want) == 0);
    assert_int_equal(jali_postgres_stream(pg, bad, 2, (jali_postgres_sink){ append, &l }, &err),
                     JALI_E_ENGINE);
    CHECK(strstr(err.text, "cannot be") != NULL);
    jali_postgres_free(pg);
}

static void cut_in(size_t call, jali_status (*ask_one)(world *w, jali_err *err))
{
    world w;
    jali_err err = { 0 };
    world_open(&w);
    cut_at = call;
    assert_int_equal(ask_one(&w, &err), JALI_E_ENGINE);
    CHECK(strstr(err.text, "went away while it was counting") != NULL);
    world_close(&w);
}

static jali_status ask_pdp(world *w, jali_err *err)
{
    const jali_tally *sums = NULL;
    jali_probe p = probe_of(w);
    jali_status status = jali_probe_pdp(&p, 0, point, POINTS, &w->arena, &sums, err);
    CHECK(sums == NULL);
    return status;
}

static jali_status ask_pfi(world *w, jali_err *err)
{
    const jali_tally *sums = NULL;
    jali_probe p = probe_of(w);
    jali_status status = jali_probe_pfi(&p, UINT64_MAX, &w->arena, &sums, err);
    CHECK(sums == NULL);
    return status;
}

SENTENCE(a_session_that_ends_between_batches_is_one_sentence)
{
    UNUSED_STATE;
    cut_in(20, ask_pdp); /* after the first FETCH, before the second */
    cut_in(10, ask_pfi);
}

/* A view that changed what it is after it was looked at. */
SENTENCE(a_code_outside_its_domain_is_refused)
{
    UNUSED_STATE;
    world w;
    jali_err err = { 0 };
    const jali_tally *sums = NULL;
    world_open(&w);
    jali_probe p = probe_of(&w);
    jali_remote_column *a = (jali_remote_column *)(uintptr_t)&w.remote.column[0];
    a->value = "CASE WHEN b = 99 THEN 11 ELSE 0 END";
    assert_int_equal(jali_probe_pdp(&p, 0, point, POINTS, &w.arena, &sums, &err),
                     JALI_E_ENGINE);
    CHECK(strstr(err.text, "cannot be") != NULL);
    world_close(&w);
}

static int open_server(void **s)
{
    (void)s;
    conn = pg_connect(0);
    pg_do(conn, "CREATE TABLE t (who text, a int, b int, y int)");
    pg_do(conn,
          "INSERT INTO t SELECT CASE WHEN i % 7 > 0 THEN 'p' || i % 30000 END, CASE WHEN "
          "i % 11 = 0 THEN NULL ELSE i % 13 END, i * 7 % 103, CASE WHEN i % 17 > 0 THEN i "
          "% 2000 - 1000 END FROM generate_series(1, 70000) AS i");
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_model_says_the_same_of_streamed_rows),
        TEST(the_server_sorts_as_we_do),
        TEST(a_table_in_memory_says_the_same),
        TEST(a_table_without_rows_says_nothing),
        TEST(servers_are_merged_and_a_wrong_order_is_refused),
        TEST(a_session_that_ends_between_batches_is_one_sentence),
        TEST(a_code_outside_its_domain_is_refused)
    };
    pg_start(0, "");
    int bad = cmocka_run_group_tests(tests, open_server, NULL);
    PQfinish(conn);
    pg_stop(0);
    return bad;
}
