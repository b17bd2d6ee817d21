/* Refutes persons.remote if it can: which rows PostgreSQL keeps of each person, against the
 * same law written in C over libsodium's SHA-256. */
#define _XOPEN_SOURCE 700
#include "support/postgres.h"
#include "table/remote.h"
#include <sodium.h>

enum { MOST = 400, M = 2, FIELDS = 2, TABLES = 40 };

static PGconn *conn;

static const char schema_text[] =
    "{\"missingValues\":[\"\",\"NA\"],\"jali\":{\"person\":\"id\",\"rowsPerPerson\":2},\"fields\":["
    "{\"name\":\"id\",\"type\":\"string\"},"
    "{\"name\":\"x\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":9,"
    "\"required\":true}},"
    "{\"name\":\"c\",\"type\":\"string\",\"constraints\":{\"enum\":[\"u\",\"v\"]}}]}";

static const jali_person_key key = { "0123456789abcde", "fedcba987654321" };

typedef struct row {
    char id[32]; /* "": alone */
    uint64_t code[FIELDS];
    unsigned char rank[32];
    uint64_t person;
    bool kept;
} row;

static row *rows;
static size_t n;

static void put8(unsigned char *to, uint64_t v)
{
    for (int i = 7; i >= 0; i--, v >>= 8) to[i] = (unsigned char)v;
}

static void hash(const unsigned char k[16], const void *a, size_t na, const void *b, size_t nb,
                 unsigned char out[32])
{
    crypto_hash_sha256_state s;
    crypto_hash_sha256_init(&s);
    crypto_hash_sha256_update(&s, k, 16);
    crypto_hash_sha256_update(&s, a, na);
    crypto_hash_sha256_update(&s, b, nb);
    crypto_hash_sha256_final(&s, out);
}

static void name_row(row *r)
{
    unsigned char content[8 * FIELDS], head[64], out[32];
    size_t length = strlen(r->id);
    for (int i = 0; i < FIELDS; i++) put8(content + 8 * i, r->code[i]);
    memcpy(head, r->id, length + 1); /* its zero is the law's */
    hash(key.content, head, length + 1, content, sizeof content, r->rank);
    if (length > 0)
        hash(key.id, "\1", 1, r->id, length, out);
    else
        hash(key.id, "\0", 1, content, sizeof content, out);
    uint64_t v = 0;
    for (int i = 0; i < 8; i++) v = v << 8 | out[i];
    r->person = v >> 2;
    if (r->person == JALI_PERSON_DOMAIN - 1) r->person--;
}

/* The obvious way: a row stays if fewer than m of its person's rows come before it. */
static void keep_rows(void)
{
    for (size_t i = 0; i < n; i++) {
        size_t before = 0;
        for (size_t k = 0; k < n; k++) {
            if (k == i || strcmp(rows[i].id, rows[k].id) != 0) continue;
            int d = memcmp(rows[k].rank, rows[i].rank, 32);
            before += d < 0 || (d == 0 && k < i); /* equal rows: any of them */
        }
        rows[i].kept = rows[i].id[0] == '\0' || before < M;
    }
}

/* Random rows, in the database and here. */
static void fill(uint64_t seed, const jali_schema *schema)
{
    char sql[256];
    snprintf(
        sql, sizeof sql,
        "DROP TABLE IF EXISTS p; SELECT setseed(0.%03u); CREATE TABLE p AS SELECT CASE "
        "floor(random() * 12)::int WHEN 0 THEN NULL WHEN 1 THEN 'NA' WHEN 2 THEN '  ' ELSE "
        "repeat(' ', floor(random() * 2)::int) || 'id' || floor(random() * 60)::int END AS "
        "id, ",
        (unsigned)(seed % 1000));
    char all[512];
    snprintf(
        all, sizeof all,
        "%s nullif(floor(random() * 12)::int, 11) AS x, CASE floor(random() * 3)::int WHEN "
        "0 THEN 'u' WHEN 1 THEN 'v' END AS c FROM generate_series(1, %d)",
        sql, MOST);
    pg_do(conn, all);
    PGresult *r = pg_run(conn, "SELECT id, x::text, c FROM p");
    n = 0;
    for (int i = 0; i < PQntuples(r); i++) {
        row *to = &rows[n];
        memset(to, 0, sizeof *to);
        const char *id = PQgetvalue(r, i, 0);
        while (*id == ' ') id++;
        if (strcmp(id, "NA") != 0) snprintf(to->id, sizeof to->id, "%s", id);
        for (int f = 0; f < FIELDS; f++) {
            const jali_field *field = &schema->fields[f + 1];
            jali_fate fate;
            to->code[f] = PQgetisnull(r, i, f + 1)
                              ? jali_field_null(field)
                              : jali_field_code(schema, field, PQgetvalue(r, i, f + 1),
                                                (size_t)PQgetlength(r, i, f + 1), &fate);
        }
        if (to->code[0] == jali_field_null(&schema->fields[1])) continue; /* required */
        name_row(to);
        n++;
    }
    PQclear(r);
    keep_rows();
}

static int by_bytes(const void *a, const void *b)
{
    return memcmp(a, b, 3 * sizeof(uint64_t));
}

static size_t mine(uint64_t (*out)[3])
{
    size_t k = 0;
    for (size_t i = 0; i < n; i++)
        if (rows[i].kept) {
            out[k][0] = rows[i].code[0];
            out[k][1] = rows[i].code[1];
            out[k++][2] = rows[i].person;
        }
    qsort(out, k, sizeof *out, by_bytes);
    return k;
}

static size_t theirs(const jali_remote *remote, uint64_t (*out)[3])
{
    jali_columns *columns;
    jali_err err = { 0 };
    CHECK_OK(jali_columns_remote(&columns, remote, &err));
    if (jali_columns_load(columns, &err) != JALI_OK) fail_msg("%s", err.text);
    size_t k = (size_t)jali_columns_rows(columns);
    CHECK(k <= MOST);
    memset(out, 0, k * sizeof *out);
    for (size_t f = 0; f < 3; f++) {
        const jali_column *c = jali_columns_at(columns, f);
        for (size_t i = 0; i < k; i++)
            memcpy(&out[i][f], (const char *)c->codes + i * c->width, c->width);
    }
    qsort(out, k, sizeof *out, by_bytes);
    jali_columns_free(columns);
    return k;
}

/* Does PostgreSQL keep the rows that the law keeps, when `where` is as given (NULL: ours)? */
static bool agrees(uint64_t seed, const char *where)
{
    static uint64_t a[MOST][3], b[MOST][3];
    jali_arena arena = JALI_ARENA_INIT;
    jali_schema schema;
    jali_postgres *pg;
    jali_remote_place place;
    jali_remote remote;
    const char *server = pg_place[0];
    jali_err err = { 0 };
    if (jali_schema_parse(&schema, schema_text, strlen(schema_text), "schema", &arena, &err) !=
        JALI_OK)
        fail_msg("%s", err.text);
    fill(seed, &schema);
    CHECK_OK(jali_postgres_new(&pg, &server, 1, &err));
    if (jali_remote_find(pg, "p", &schema, &arena, &place, &err) != JALI_OK ||
        jali_remote_make(&schema, &place, &key, pg, &arena, &remote, &err) != JALI_OK)
        fail_msg("%s", err.text);
    if (where != NULL) remote.where = where;
    size_t x = mine(a), y = theirs(&remote, b);
    bool same = x == y && memcmp(a, b, x * sizeof *a) == 0;
    jali_postgres_free(pg);
    jali_arena_clear(&arena);
    return same;
}

SENTENCE(of_each_person_the_lowest_hashes_stay)
{
    UNUSED_STATE;
    for (uint64_t i = 0; i < TABLES; i++) CHECK(agrees(i, NULL));
}

SENTENCE(a_row_too_many_or_another_order_is_noticed)
{
    UNUSED_STATE;
    CHECK(!agrees(1, "(\"p#bin\" IS NULL OR \"k#bin\" <= 3)"));
    CHECK(!agrees(1, "(\"p#bin\" IS NULL OR \"k#bin\" BETWEEN 2 AND 3)"));
    CHECK(!agrees(1, "\"k#bin\" <= 2")); /* those without an id are not one person */
}

static int open_server(void **s)
{
    (void)s;
    conn = pg_connect(0);
    pg_do(conn, "SET client_min_messages = error");
    rows = calloc(MOST, sizeof *rows);
    return rows == NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST(of_each_person_the_lowest_hashes_stay),
                                        TEST(a_row_too_many_or_another_order_is_noticed) };
    pg_start(0, "");
    int bad = cmocka_run_group_tests(tests, open_server, NULL);
    free(rows);
    PQfinish(conn);
    pg_stop(0);
    return bad;
}
