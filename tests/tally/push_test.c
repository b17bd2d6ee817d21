/* Refutes tally.push if it can: a thousand random tables, each in a real PostgreSQL and in
 * memory, each asked a random plan of every kind; every cell must be equal. The codes in
 * memory are table/field.c's, of the texts that PostgreSQL itself prints. */
#define _XOPEN_SOURCE 700
#include "base/text.h"
#include "support/postgres.h"
#include "table/remote.h"
#include "tally/groups.h"
#include "tally/open.h"
#include "tally/partition.h"
#include "tally/plan.h"

enum { TABLES = 1000, ROWS = 60, FIELDS = 10, SEED = 20261117 };

static PGconn *conn;
static uint64_t state;

static uint64_t next(void)
{
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint32_t below(uint32_t n)
{
    return (uint32_t)(next() % n);
}

/* ---- random tables ----------------------------------------------------------------------- */

/* A column of each SQL type that is read, with domains that cut through what it holds. */
static void write_schema(jali_text *s)
{
    static const char *const step[] = { "0.01", "0.25", "1", "0.5", "0.1", "25" };
    jali_text_format(s, "{\"missingValues\":[\"\",\"NA\"%s],\"fields\":[",
                     below(2) == 0 ? ",\"-9\",\"7\"" : "");
    jali_text_format(s,
                     "{\"name\":\"a\",\"type\":\"integer\",\"constraints\":{\"minimum\":%d,"
                     "\"maximum\":%d%s},\"jali\":{\"bins\":[-20,-3,0,5,40]}},",
                     -20, 40, below(4) == 0 ? ",\"required\":true" : "");
    jali_text_format(
        s,
        "{\"name\":\"b \\\"x\\\"\",\"type\":\"integer\",\"constraints\":{\"minimum\":"
        "-50,\"maximum\":50},\"jali\":{\"step\":%u}},",
        below(2) == 0 ? 5 : 2);
    jali_text_format(s,
                     "{\"name\":\"c\",\"type\":\"number\",\"constraints\":{\"minimum\":-5,"
                     "\"maximum\":%d},\"jali\":{\"step\":%s}},",
                     below(2) == 0 ? 5 : 20, step[below(5)]);
    jali_text_format(
        s,
        below(2) == 0 ? "{\"name\":\"d\",\"type\":\"number\",\"constraints\":{\"minimum\":-2,"
                        "\"maximum\":3},\"jali\":{\"step\":%s}},"
                      : "{\"name\":\"d\",\"type\":\"number\",\"description\":\"%s\","
                        "\"jali\":{\"bins\":[-2,-0.5,0,0.1,2.5]}},",
        step[1 + 2 * below(2)]);
    jali_text_format(
        s,
        "{\"name\":\"e\",\"type\":\"string\",\"constraints\":{\"enum\":[\"red\",\"it's\","
        "\"blue sky\",\" pad \"]%s}%s},",
        below(4) == 0 ? ",\"required\":true" : "",
        below(2) == 0 ? ",\"jali\":{\"other\":\"rest\"}" : "");
    jali_text_add(s, "{\"name\":\"f\",\"type\":\"string\",\"constraints\":{\"enum\":[");
    for (int i = 0; i < 20; i++) jali_text_format(s, "%s\"w%d \\\\ ü\"", i > 0 ? "," : "", i);
    jali_text_format(s, "]}%s},", below(2) == 0 ? ",\"jali\":{\"other\":\"else\"}" : "");
    jali_text_add(s, "{\"name\":\"g\",\"type\":\"boolean\"},");
    jali_text_add(s, "{\"name\":\"h\",\"type\":\"date\",\"constraints\":{\"minimum\":"
                     "\"2020-01-01\",\"maximum\":\"2020-03-01\"}},");
    jali_text_add(s, "{\"name\":\"i\",\"type\":\"date\",\"constraints\":{\"minimum\":"
                     "\"1999-12-30\",\"maximum\":\"2000-01-20\"}},");
    jali_text_format(
        s,
        "{\"name\":\"j\",\"type\":\"number\",\"constraints\":{\"enum\":[1,2.5,3,\"-4\"]}"
        "%s}]}",
        below(2) == 0 ? ",\"jali\":{\"other\":\"rest\"}" : "");
}

static const char types[] =
    "(a int, \"b \"\"x\"\"\" bigint, c numeric, d float8, e text, f varchar(40), g boolean, h "
    "date, i timestamp, j numeric)";

static void put_cell(jali_text *t, int field)
{
    static const char *const words[] = { "red", "it''s", "blue sky", " pad ", "  red", "pad",
                                         "NA",  "",      "RED",      "r\tx",  "-9" };
    static const char *const days[] = { "infinity",      "-infinity",  "2020-02-29",
                                        "0044-03-15 BC", "9999-12-31", "10000-01-01",
                                        "2019-12-31" };
    static const char *const reals[] = {
        "NaN",   "Infinity", "-Infinity", "0.1",     "0.30000000000000004",
        "-0.25", "2.5",      "1e300",     "-1e-300", "0.285"
    };
    if (below(12) == 0) {
        jali_text_add(t, "NULL");
        return;
    }
    switch (field) {
    case 0:
        jali_text_format(t, "%d", (int)below(80) - 30);
        break;
    case 1:
        jali_text_format(t, below(20) == 0 ? "%d000000000000" : "%d", (int)below(140) - 70);
        break;
    case 2:
        if (below(15) == 0)
            jali_text_format(t, "'%s'", below(2) ? "NaN" : below(2) ? "Infinity" : "1e400");
        else
            jali_text_format(t, "%d.%03u", (int)below(16) - 8, below(1000) / 5 * 5);
        break;
    case 3:
        if (below(3) == 0)
            jali_text_format(t, "'%s'", reals[below(10)]);
        else
            jali_text_format(t, "%d / 64.0", (int)below(400) - 180);
        break;
    case 4:
        jali_text_format(t, "'%s'", words[below(11)]);
        break;
    case 5:
        jali_text_format(t, "'%sw%u \\ ü'", below(8) == 0 ? " " : "", below(24));
        break;
    case 6:
        jali_text_add(t, below(2) == 0 ? "true" : "false");
        break;
    case 7:
        if (below(10) == 0)
            jali_text_format(t, "'%s'", days[below(2) == 0 ? 2 : below(3) == 0 ? 0 : 6]);
        else
            jali_text_format(t, "date '2019-12-20' + %u", below(90));
        break;
    case 8:
        if (below(10) == 0)
            jali_text_format(t, "'%s'", days[below(2) == 0 ? 1 : 5]);
        else
            jali_text_format(t, "timestamp '1999-12-28 23:59:59.9' + interval '%u hours'",
                             below(700));
        break;
    default:
        jali_text_format(
            t, "%s",
            (const char *[]){ "1", "1.00", "2.5", "3", "-4", "9", "'NaN'", "7" }[below(8)]);
    }
}

typedef struct world {
    jali_arena arena;
    jali_schema schema;
    jali_remote_place place;
    jali_postgres *pg;
    jali_remote remote;
    jali_columns *far, *near;
    size_t n;
    jali_column column[2 * FIELDS];
} world;

static void fill(size_t rows)
{
    jali_text sql = { 0 };
    jali_text_format(&sql,
                     "DROP TABLE IF EXISTS t CASCADE; CREATE TABLE t %s; INSERT INTO t VALUES ",
                     types);
    for (size_t r = 0; r < rows; r++) {
        jali_text_add(&sql, r > 0 ? ", (" : "(");
        for (int f = 0; f < FIELDS; f++) {
            if (f > 0) jali_text_add(&sql, ", ");
            put_cell(&sql, f);
        }
        jali_text_add(&sql, ")");
    }
    CHECK(!sql.failed);
    pg_do(conn, sql.at);
    jali_text_clear(&sql);
}

/* What an import of the table, printed as text, would hold. */
static void read_near(world *w)
{
    PGresult *r = pg_run(conn, "SELECT a::text, \"b \"\"x\"\"\"::text, c::text, d::text, e, f, "
                               "g::text, h::text, i::text, j::text FROM t");
    size_t rows = (size_t)PQntuples(r), kept = 0;
    uint64_t(*code)[FIELDS] = jali_arena_take(&w->arena, rows + 1, sizeof *code);
    for (size_t i = 0; i < rows; i++) {
        bool dead = false;
        for (size_t f = 0; f < FIELDS; f++) {
            const jali_field *field = &w->schema.fields[f];
            jali_fate fate;
            code[kept][f] =
                PQgetisnull(r, (int)i, (int)f)
                    ? jali_field_null(field)
                    : jali_field_code(&w->schema, field, PQgetvalue(r, (int)i, (int)f),
                                      (size_t)PQgetlength(r, (int)i, (int)f), &fate);
            dead = dead || (field->required && code[kept][f] == jali_field_null(field));
        }
        kept += !dead;
    }
    PQclear(r);
    w->n = jali_columns_count(w->far);
    for (size_t k = 0; k < w->n; k++) {
        const jali_column *like = jali_columns_at(w->far, k);
        const jali_field *bins = &w->schema.fields[0];
        unsigned char *codes = jali_arena_take(&w->arena, kept + 1, like->width);
        for (size_t i = 0; i < kept; i++) {
            uint64_t c = k < FIELDS ? code[i][k]
                         : code[i][0] == jali_field_null(bins)
                             ? bins->n_bins
                             : jali_field_bin_of(bins, code[i][0]);
            memcpy(codes + i * like->width, &c, like->width);
        }
        w->column[k] = (jali_column){ like->name, like->width, like->domain, kept, codes };
    }
    CHECK_OK(jali_columns_borrow(&w->near, w->column, w->n, NULL));
}

static bool foreign; /* the table is two foreign tables, and they are views of t */

static void world_open(world *w, size_t rows)
{
    jali_text schema = { 0 };
    jali_err err = { 0 };
    const char *place = pg_place[0];
    *w = (world){ .arena = JALI_ARENA_INIT };
    write_schema(&schema);
    if (jali_schema_parse(&w->schema, schema.at, schema.used, "schema", &w->arena, &err) !=
        JALI_OK)
        fail_msg("%s", err.text);
    jali_text_clear(&schema);
    fill(rows);
    if (foreign)
        pg_do(conn, "CREATE VIEW yes AS SELECT * FROM t WHERE g; CREATE VIEW rest AS SELECT * "
                    "FROM t WHERE g IS NOT TRUE");
    CHECK_OK(jali_postgres_new(&w->pg, &place, 1, &err));
    if (jali_remote_find(w->pg, foreign ? "parted" : "t", &w->schema, &w->arena, &w->place,
                         &err) != JALI_OK ||
        jali_remote_make(&w->schema, &w->place, NULL, w->pg, &w->arena, &w->remote, &err) !=
            JALI_OK ||
        jali_remote_check(&w->remote, &err) != JALI_OK)
        fail_msg("%s", err.text);
    CHECK_OK(jali_columns_remote(&w->far, &w->remote, &err));
    read_near(w);
}

static void world_close(world *w)
{
    jali_columns_free(w->far);
    jali_columns_free(w->near);
    jali_postgres_free(w->pg);
    jali_arena_clear(&w->arena);
}

/* ---- random plans ------------------------------------------------------------------------ */

static const char *any(const world *w)
{
    return w->column[below((uint32_t)w->n)].name;
}

/* A list of values, as of IN: many ranges. */
static const jali_predicate *list(world *w, const jali_column *c)
{
    jali_range range[12];
    size_t n = below(13);
    for (size_t i = 0; i < n; i++) {
        range[i].lo = range[i].hi = next() % c->domain;
        if (below(3) == 0) range[i].hi += next() % (c->domain - range[i].lo);
    }
    for (size_t i = 0; i < n; i++) /* NULL is no value */
        if (range[i].hi == c->domain - 1) range[i].lo = range[i].hi = 0;
    return jali_predicate_ranges(&w->arena, c->name, c->domain, range, n,
                                 below(2) == 0 ? JALI_TRUE : JALI_UNKNOWN);
}

static const jali_predicate *leaf(world *w)
{
    const jali_column *c = &w->column[below((uint32_t)w->n)];
    if (below(3) == 0 && c->domain > 2) return list(w, c);
    uint64_t lo = next() % c->domain, hi = next() % c->domain;
    const jali_predicate *p = jali_predicate_range(&w->arena, c->name, c->domain, lo, hi);
    if (below(4) == 0) p = jali_predicate_is_null(&w->arena, c->name, c->domain);
    return below(3) == 0 ? jali_predicate_not(&w->arena, p) : p;
}

static const jali_predicate *predicate(world *w)
{
    const jali_predicate *p = leaf(w);
    for (uint32_t i = below(3); i > 0; i--)
        p = below(2) == 0 ? jali_predicate_and(&w->arena, p, leaf(w))
                          : jali_predicate_or(&w->arena, p, leaf(w));
    return p;
}

static void groups_label(world *w, jali_label *out)
{
    jali_groups g = { .n_columns = 1 + below(2), .n = 1 + below(3) };
    for (size_t k = 0; k < g.n_columns; k++) {
        size_t c = k == 0 ? below(5) : 5 + below(5);
        g.column[k] = w->column[c].name;
        g.domain[k] = w->column[c].domain;
        for (unsigned i = 0; i < g.n; i++) g.code[i][k] = next() % g.domain[k];
    }
    for (unsigned i = 0; i < g.n; i++) g.code[i][0] = (g.code[0][0] + i) % g.domain[0];
    if (g.domain[0] < g.n) g.n = 1;
    CHECK_OK(jali_groups_label(out, &g, &w->arena, NULL));
}

/* A partition of each kind over three columns. */
static void partition_label(world *w, int kind, jali_label *out)
{
    enum { N = 3 };
    jali_partition *p = jali_arena_take(&w->arena, 1, sizeof *p);
    size_t field[N] = { below(3), 3 + below(3), 6 + below(4) };
    uint64_t top[N];
    for (int i = 0; i < N; i++) top[i] = w->schema.fields[field[i]].domain;
    if (kind == 0) {
        jali_partition_side side[2 * N];
        for (int i = 0; i < 2 * N; i++)
            side[i] = (jali_partition_side){ next() % top[i % N], next() % top[i % N],
                                             below(2) == 0 };
        CHECK_OK(jali_partition_boxes(p, &w->schema, field, N, side, 2, &w->arena, NULL));
    } else if (kind == 1) {
        jali_partition_node node[3] = {
            { 0, below(2) == 0, below(2) == 0, next() % top[0], 1, 2 },
            { 1, below(2) == 0, below(2) == 0, next() % top[1], ~0, ~1 },
            { 2, below(2) == 0, below(2) == 0, next() % top[2], ~2, ~3 }
        };
        CHECK_OK(jali_partition_tree(p, &w->schema, field, N, node, 3, 4, &w->arena, NULL));
    } else if (kind == 2) {
        const jali_predicate *rule[2];
        for (int i = 0; i < 2; i++)
            rule[i] = jali_predicate_range(&w->arena, w->schema.fields[field[i]].name, top[i],
                                           next() % top[i], next() % top[i]);
        CHECK_OK(jali_partition_rules(p, &w->schema, rule, 2, &w->arena, NULL));
    } else if (kind == 3) {
        uint64_t mode[3 * N];
        uint32_t weight[N] = { 1, 1 + below(2), 2 };
        for (int i = 0; i < 3 * N; i++) mode[i] = next() % top[i % N];
        CHECK_OK(
            jali_partition_modes(p, &w->schema, field, N, mode, weight, 3, &w->arena, NULL));
    } else {
        jali_geometry space;
        jali_frame *frame = jali_arena_take(&w->arena, 1, sizeof *frame);
        const char *names[N];
        for (int i = 0; i < N; i++) names[i] = w->schema.fields[field[i]].name;
        jali_geometry *kept = jali_arena_take(&w->arena, 1, sizeof *kept);
        CHECK_OK(jali_geometry_make(&space, &w->schema, names, N, JALI_SCALE_BOUNDS, &w->arena,
                                    NULL));
        *kept = space;
        CHECK_OK(jali_frame_make(frame, kept, NULL, NULL, &w->arena, NULL));
        uint16_t *centre = jali_arena_take(&w->arena, 3 * frame->n, sizeof *centre);
        for (size_t i = 0; i < 3 * frame->n; i++)
            centre[i] = (uint16_t)(next() % (frame->axis[i % frame->n].top + 1));
        CHECK_OK(jali_partition_centres(p, frame, centre, 3, &w->arena, NULL));
    }
    CHECK_OK(jali_partition_label(p, &w->arena, out, NULL));
}

/* The same tables on both; `seed` makes the two walks equal. */
static void make_plan(world *w, jali_columns *columns, uint64_t seed, jali_plan **out)
{
    jali_plan *plan;
    size_t slice = 0, table;
    uint32_t lo[8], step[8];
    state = seed;
    CHECK_OK(jali_plan_new(&plan, columns, 2, NULL));
    for (int s = 0; s < 2; s++) {
        jali_label label;
        int kind = (int)below(8);
        if (kind == 6) groups_label(w, &label);
        if (kind < 5) partition_label(w, kind, &label);
        const jali_predicate *where = below(2) == 0 ? predicate(w) : NULL;
        CHECK_OK(
            jali_plan_slice(plan, kind < 5 || kind == 6 ? &label : NULL, where, &slice, NULL));
        const char *by[4] = { any(w), any(w), any(w), any(w) };
        CHECK_OK(jali_plan_counts(plan, slice, by, below(3), &table, NULL));
        CHECK_OK(jali_plan_sums(plan, slice, by, below(2), any(w), 0, &table, NULL));
        for (int i = 0; i < 8; i++) {
            lo[i] = below(10);
            step[i] = 1 + below(6);
        }
        CHECK_OK(
            jali_plan_histogram(plan, slice, any(w), 1 + below(6), lo, step, &table, NULL));
        CHECK_OK(jali_plan_grid(plan, slice, by + 1, 1 + below(3), below(8), &table, NULL));
        CHECK_OK(jali_plan_grid_sums(plan, slice, by + 1, 1 + below(2), below(6), any(w), 0,
                                     &table, NULL));
    }
    *out = plan;
}

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
    make_plan(w, w->near, seed, &near);
    make_plan(w, w->far, seed, &far);
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
        state = SEED + (uint64_t)i;
        world_open(&w, 1 + below(ROWS));
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
    foreign = true;
    for (int i = 0; i < TABLES / 20; i++) {
        world w;
        size_t parts;
        state = SEED + 3000 + (uint64_t)i;
        world_open(&w, 1 + below(ROWS));
        uint64_t seed = next();
        CHECK_OK(jali_columns_check_all(w.far, NULL, 0, NULL, NULL));
        CHECK(jali_columns_parts(w.far, &parts) != NULL && parts == 2);
        if (!agree(&w, seed)) fail_msg("table %d: a cell differs", i);
        world_close(&w);
    }
    foreign = false;
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
        state = SEED + 7000 + (uint64_t)i;
        world_open(&w, below(ROWS) + (i > 0));
        uint64_t *near = rows_of(&w, w.near, &n), *far = rows_of(&w, w.far, &m);
        assert_int_equal(n, m);
        CHECK(memcmp(near, far, n * 2 * FIELDS * sizeof *near) == 0);
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
        state = SEED + (uint64_t)i;
        world_open(&w, ROWS);
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
    state = SEED;
    world_open(&w, ROWS);
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
        TEST(pushed_plans_count_what_columns_count), TEST(fetched_codes_are_the_same_rows),
        TEST(a_wrong_clamp_is_noticed),
        TEST(a_statement_that_is_too_long_is_refused_before_or_fetched)
    };
    pg_start(0, "");
    int bad = cmocka_run_group_tests(tests, open_server, NULL);
    PQfinish(conn);
    pg_stop(0);
    return bad;
}
