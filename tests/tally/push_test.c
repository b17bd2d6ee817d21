/* Refutes tally.push if it can: a thousand random tables, each in a real PostgreSQL and in
 * memory, each asked a random plan of every kind; every cell must be equal. */
#define _XOPEN_SOURCE 700
#include "tally/open.h"
#include "tally/probe.h"
#include "tally/random_table.h"

/* PUSH_TABLES: 1000, fewer under sanitizers; most of the time is the server's, which they do
 * not watch. */
enum { TABLES = PUSH_TABLES, ROWS = 60, SEED = 20261117 };

static PGconn *conn;

static bool equal(const jali_tally *a, const jali_tally *b)
{
    if (a == NULL || b == NULL) return a == b;
    if (a->cell == NULL || b->cell == NULL) return a->cell == b->cell;
    return a->n == b->n && memcmp(a->cell, b->cell, a->n * sizeof *a->cell) == 0 &&
           memcmp(&a->reach, &b->reach, sizeof a->reach) == 0;
}

static bool agree(world *w, uint64_t seed)
{
    jali_plan *near, *far;
    const jali_tallies *x = NULL, *y = NULL;
    jali_err err = { 0 };
    random_plan(w, w->near, seed, &near);
    random_plan(w, w->far, seed, &far);
    CHECK_OK(jali_plan_run(near, NULL, &w->arena, &x, &err));
    /* A number that cannot be is refused, which is noticed, too. */
    bool same = jali_plan_run(far, NULL, &w->arena, &y, &err) == JALI_OK && x->n == y->n;
    if (y == NULL) print_message("# %s\n", err.text);
    for (size_t i = 0; same && i < x->n; i++)
        same = equal(&x->counts[i], &y->counts[i]) && equal(&x->sums[i], &y->sums[i]);
    jali_plan_free(near);
    jali_plan_free(far);
    return same;
}

SENTENCE(pushed_plans_count_what_columns_count)
{
    UNUSED_STATE;
    for (int i = 0; i < TABLES; i++) {
        world w;
        random_state = SEED + (uint64_t)i;
        world_open(&w, conn, pg_place[0], 1 + below(ROWS), false);
        uint64_t seed = next();
        if (!agree(&w, seed)) fail_msg("table %d: a cell differs", i);
        CHECK(!jali_columns_loaded(w.far)); /* no row came over */
        world_close(&w);
    }
}

/* postgres_fdw to the server itself: a partition is fetched, or counted, by another session. */
static void make_parts(void)
{
    char sql[512];
    static const char *const columns =
        "(a int, \"b \"\"x\"\"\" bigint, c numeric, d float8, e text COLLATE \"C\", f varchar(40) "
        "COLLATE \"C\", g boolean, h date, i timestamp, j numeric) PARTITION BY LIST (g)";
    snprintf(sql, sizeof sql,
             "CREATE EXTENSION postgres_fdw; CREATE SERVER self FOREIGN DATA WRAPPER "
             "postgres_fdw OPTIONS (host '%s', dbname 'postgres'); CREATE USER MAPPING FOR "
             "CURRENT_USER SERVER self OPTIONS (user '%s'); CREATE TABLE parted %s",
             pg_home[0], PQuser(conn), columns);
    pg_do(conn, sql);
    pg_do(conn, "CREATE FOREIGN TABLE parted_yes PARTITION OF parted FOR VALUES IN (true) "
                "SERVER self OPTIONS (table_name 'yes'); CREATE FOREIGN TABLE parted_rest "
                "PARTITION OF parted DEFAULT SERVER self OPTIONS (table_name 'rest')");
}

SENTENCE(foreign_parts_count_what_columns_count)
{
    UNUSED_STATE;
    make_parts();
    for (int i = 0; i < TABLES / 20; i++) {
        world w;
        size_t parts;
        random_state = SEED + 3000 + (uint64_t)i;
        world_open(&w, conn, pg_place[0], 1 + below(ROWS), true);
        uint64_t seed = next();
        CHECK_OK(jali_columns_check_all(w.far, NULL, 0, NULL, NULL));
        CHECK(jali_columns_parts(w.far, &parts) != NULL && parts == 2);
        if (!agree(&w, seed)) fail_msg("table %d: a cell differs", i);
        world_close(&w);
    }
}

/* ---- fetched codes -------------------------------------------------------------------------
 */

static int by_bytes(const void *a, const void *b)
{
    return memcmp(a, b, 2 * FIELDS * sizeof(uint64_t));
}

static uint64_t *rows_of(world *w, jali_columns *columns, size_t *n)
{
    CHECK_OK(jali_columns_load(columns, NULL));
    *n = (size_t)jali_columns_rows(columns);
    uint64_t *at = jali_arena_take(&w->arena, (*n + 1) * 2 * FIELDS, sizeof *at);
    for (size_t k = 0; k < w->n; k++) {
        const jali_column *c;
        CHECK_OK(jali_columns_map(columns, k, &c, NULL));
        for (size_t i = 0; i < *n; i++)
            memcpy(&at[i * 2 * FIELDS + k], (const char *)c->codes + i * c->width, c->width);
    }
    qsort(at, *n, 2 * FIELDS * sizeof *at, by_bytes);
    return at;
}

SENTENCE(fetched_codes_are_the_same_rows)
{
    UNUSED_STATE;
    for (int i = 0; i < TABLES / 10; i++) {
        world w;
        size_t n, m;
        random_state = SEED + 7000 + (uint64_t)i;
        world_open(&w, conn, pg_place[0], below(ROWS) + (i > 0), false);
        uint64_t *near = rows_of(&w, w.near, &n), *far = rows_of(&w, w.far, &m);
        assert_int_equal(n, m);
        CHECK(memcmp(near, far, n * 2 * FIELDS * sizeof *near) == 0);
        world_close(&w);
    }
}

/* ---- rows in the order of a hash ----------------------------------------------------------
 */

static int model(const double *x, size_t n, size_t width, double *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = x[i * width] == x[i * width] ? x[i * width] / 40 : 0.5;
    return 0;
}

/* Of the rows of a block and their order. */
static jali_status jealous(void *self, const jali_frame *rows, double *out, jali_err *err)
{
    uint64_t h = rows->rows + *(const uint64_t *)self;
    (void)err;
    for (size_t i = 0; i < rows->rows * rows->width; i++)
        h = (h ^ rows->code[i]) * 0x9e3779b97f4a7c15, h ^= h >> 31;
    out[0] = (double)(h % 100000);
    out[1] = (double)(h >> 20 & 0xffff);
    return JALI_OK;
}

static void ask_in_order(world *w, jali_columns *columns, jali_model *m,
                         const jali_tally **curve, const jali_tally **pfi)
{
    uint64_t salt = 7;
    jali_blocks blocks = { 3, 2, jealous, &salt };
    jali_probe p = { .columns = columns,
                     .schema = &w->schema,
                     .plain = { m, 0, 1, true },
                     .key = (const unsigned char *)"sixteen secrets.",
                     .label = &w->schema.fields[6],
                     .label_is = -1 };
    CHECK_OK(jali_probe_curve(&p, &blocks, 0, 100000, &w->arena, curve, NULL));
    CHECK_OK(jali_probe_pfi(&p, UINT64_MAX, &w->arena, pfi, NULL));
}

SENTENCE(sorted_rows_come_in_the_order_of_columns)
{
    UNUSED_STATE;
    static const char *const names[] = { "a", "j", "f" };
    for (int i = 0; i < TABLES / 10; i++) {
        world w;
        jali_model *m;
        const jali_tally *near[2], *far[2];
        jali_model_spec spec = { .model = "test", .memory = model, .columns = names, .n = 3 };
        random_state = SEED + 9000 + (uint64_t)i;
        world_open(&w, conn, pg_place[0], below(ROWS) + (i > 0), false);
        CHECK_OK(jali_model_open(&m, &w.schema, &spec, NULL));
        ask_in_order(&w, w.near, m, &near[0], &near[1]);
        ask_in_order(&w, w.far, m, &far[0], &far[1]);
        CHECK(equal(near[0], far[0]) && equal(near[1], far[1]) && !jali_columns_loaded(w.far));
        jali_model_free(m);
        world_close(&w);
    }
}

/* A tester that has never refused anything is not a tester: a bound that is one step off, and
 * a NULL that is taken for the last value. */
SENTENCE(a_wrong_clamp_is_noticed)
{
    UNUSED_STATE;
    int clamp = 0, null = 0;
    for (int i = 0; i < 20; i++) {
        world w;
        random_state = SEED + (uint64_t)i;
        world_open(&w, conn, pg_place[0], ROWS, false);
        uint64_t seed = next();
        jali_remote_column *c = (jali_remote_column *)(uintptr_t)w.remote.column;
        jali_remote_column right = c[0];
        CHECK(agree(&w, seed));
        c[0].value = jali_arena_format(&w.arena, "LEAST(%s, 59)", right.value); /* 60 is 40's */
        clamp += !agree(&w, seed);
        c[0].value = jali_arena_format(&w.arena, "coalesce(%s, 60)", right.value);
        null += !agree(&w, seed); /* the last: a snapshot whose answer was refused is over */
        world_close(&w);
    }
    CHECK(clamp > 0 && null > 0);
}

/* ---- statements that are too long
 * ------------------------------------------------------------- */

/* A plan of which one statement would have nine million bytes. */
static jali_plan *long_plan(jali_columns *columns)
{
    jali_plan *plan;
    size_t slice, table;
    const char *by[] = { "f" };
    CHECK_OK(jali_plan_new(&plan, columns, 1, NULL));
    CHECK_OK(jali_plan_slice(plan, NULL, NULL, &slice, NULL));
    CHECK_OK(jali_plan_counts(plan, slice, by, 1, &table, NULL));
    return plan;
}

/* Refused before a charge; made later, of what was released, it is counted here. */
SENTENCE(a_statement_that_is_too_long_is_refused_before_or_fetched)
{
    UNUSED_STATE;
    world w;
    jali_err err = { 0 };
    const jali_tallies *x = NULL, *y = NULL;
    random_state = SEED;
    world_open(&w, conn, pg_place[0], ROWS, false);
    jali_remote_column *f = (jali_remote_column *)(uintptr_t)&w.remote.column[5];
    const char *right = f->value;
    jali_plan *near = long_plan(w.near), *far = long_plan(w.far);
    CHECK_OK(jali_plan_check(far, NULL, &err));
    f->value = jali_arena_format(&w.arena, "/*%9000000s*/ %s", "", right);
    assert_int_equal(jali_plan_check(far, NULL, &err), JALI_E_USAGE);
    CHECK(err.reader == JALI_FOR_ANALYST && strstr(err.text, "too long") != NULL);
    CHECK(!jali_columns_loaded(w.far));
    CHECK_OK(jali_plan_run(near, NULL, &w.arena, &x, &err));
    CHECK_OK(jali_plan_run(far, NULL, &w.arena, &y, &err));
    CHECK(equal(&x->counts[0], &y->counts[0]) && jali_columns_loaded(w.far));
    jali_plan_free(near);
    jali_plan_free(far);
    world_close(&w);
}

static int open_server(void **s)
{
    (void)s;
    conn = pg_connect(0);
    pg_do(conn,
          "SET client_min_messages = error; SET DateStyle = ISO; SET extra_float_digits = 1");
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(foreign_parts_count_what_columns_count),
        TEST(pushed_plans_count_what_columns_count),
        TEST(fetched_codes_are_the_same_rows),
        TEST(sorted_rows_come_in_the_order_of_columns),
        TEST(a_wrong_clamp_is_noticed),
        TEST(a_statement_that_is_too_long_is_refused_before_or_fetched)
    };
    pg_start(0, "");
    int bad = cmocka_run_group_tests(tests, open_server, NULL);
    PQfinish(conn);
    pg_stop(0);
    return bad;
}
