/* Rows that come through a cursor: a model says the same of them as of rows in memory, over
 * several batches, FETCHes and servers; and what can happen in between. */
#define _XOPEN_SOURCE 700
#include "model/model.h"
#include "support/postgres.h"
#include "table/remote.h"
#include "tally/open.h"
#include "tally/probe.h"
#include <math.h>

enum { ROWS = 70000, POINTS = 4 }; /* 43,690 rows are a FETCH of two columns, 4,096 a batch */

static const char schema_text[] =
    "{\"fields\":[{\"name\":\"a\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,"
    "\"maximum\":9}},{\"name\":\"b\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,"
    "\"maximum\":99}}]}";
static const uint32_t point[POINTS] = { 0, 3, 6, 9 };

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

/* The same server twice: every row is there twice. */
static void world_open(world *w)
{
    static const char *const names[] = { "a", "b" };
    const char *place[] = { pg_place[0], pg_place[0] };
    jali_model_spec spec = { .model = "test", .memory = model, .columns = names, .n = 2 };
    *w = (world){ .arena = JALI_ARENA_INIT };
    CHECK_OK(jali_schema_parse(&w->schema, schema_text, strlen(schema_text), "schema",
                               &w->arena, NULL));
    CHECK_OK(jali_postgres_new(&w->pg, place, 2, NULL));
    CHECK_OK(jali_remote_find(w->pg, "t", &w->schema, &w->arena, &w->place, NULL));
    CHECK_OK(jali_remote_make(&w->schema, &w->place, NULL, w->pg, &w->arena, &w->remote, NULL));
    CHECK_OK(jali_remote_check(&w->remote, NULL));
    CHECK_OK(jali_columns_remote(&w->columns, &w->remote, NULL));
    CHECK_OK(jali_model_open(&w->model, &w->schema, &spec, NULL));
    CHECK_OK(jali_pool_new(&w->pool, 2, NULL));
    calls = cut_at = 0;
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

SENTENCE(a_session_that_ends_between_batches_is_one_sentence)
{
    UNUSED_STATE;
    world w;
    jali_err err = { 0 };
    const jali_tally *sums = NULL;
    world_open(&w);
    jali_probe p = probe_of(&w);
    cut_at = 20; /* after the first FETCH, before the second */
    assert_int_equal(jali_probe_pdp(&p, 0, point, POINTS, &w.arena, &sums, &err),
                     JALI_E_ENGINE);
    CHECK(sums == NULL && strstr(err.text, "went away while it was counting") != NULL);
    world_close(&w);
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
    pg_do(conn, "CREATE TABLE t (a int, b int)");
    pg_do(conn, "INSERT INTO t SELECT CASE WHEN i % 11 = 0 THEN NULL ELSE i % 13 END, i * 7 % "
                "103 FROM generate_series(1, 70000) AS i");
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_model_says_the_same_of_streamed_rows),
        TEST(a_session_that_ends_between_batches_is_one_sentence),
        TEST(a_code_outside_its_domain_is_refused)
    };
    pg_start(0, "");
    int bad = cmocka_run_group_tests(tests, open_server, NULL);
    PQfinish(conn);
    pg_stop(0);
    return bad;
}
