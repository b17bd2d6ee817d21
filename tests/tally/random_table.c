/* tests/tally/random_table.c — a column of each SQL type that is read, and what it may hold. */
#define _XOPEN_SOURCE 700
#include "tally/random_table.h"
#include "base/text.h"

uint64_t random_state;

uint64_t next(void)
{
    uint64_t z = (random_state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint32_t below(uint32_t n)
{
    return (uint32_t)(next() % n);
}

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

static void fill(PGconn *conn, size_t rows)
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
static void read_near(world *w, PGconn *conn)
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

void world_open(world *w, PGconn *conn, const char *place, size_t rows, bool foreign)
{
    jali_text schema = { 0 };
    jali_err err = { 0 };
    *w = (world){ .arena = JALI_ARENA_INIT };
    write_schema(&schema);
    if (jali_schema_parse(&w->schema, schema.at, schema.used, "schema", &w->arena, &err) !=
        JALI_OK)
        fail_msg("%s", err.text);
    jali_text_clear(&schema);
    fill(conn, rows);
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
    read_near(w, conn);
}

void world_close(world *w)
{
    jali_columns_free(w->far);
    jali_columns_free(w->near);
    jali_postgres_free(w->pg);
    jali_arena_clear(&w->arena);
}
