/* DuckDB labels a table by the exported query; the labels must be ours, for every kind. */
#define _XOPEN_SOURCE 700
#include "base/text.h"
#include "engine/duckdb.h"
#include "explain/cluster/sql.h"
#include "explain/cluster/stream.h"
#include "table/where.h"
#include "unit.h"
#include <stdlib.h>

enum { ROWS = 400 };

static const char schema_text[] =
    "{\"name\":\"the \\\"table\\\"\",\"fields\":["
    "{\"name\":\"x\",\"type\":\"number\",\"constraints\":{\"minimum\":-5,\"maximum\":45},"
    "\"jali\":{\"step\":\"0.01\"}},"
    "{\"name\":\"big\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":90000000}},"
    "{\"name\":\"job\",\"type\":\"string\",\"constraints\":{\"enum\":[\"a\",\"it's\",\"c\"]}},"
    "{\"name\":\"flag\",\"type\":\"boolean\"},"
    "{\"name\":\"day\",\"type\":\"date\",\"constraints\":{\"minimum\":\"2020-01-01\","
    "\"maximum\":\"2020-12-31\"}}]}";

static jali_arena arena = JALI_ARENA_INIT;
static jali_schema schema;
static jali_duckdb *db;
static char cell[ROWS][5][32]; /* as text; "" is NULL */

static void make_cells(void)
{
    static const char *const jobs[] = { "a", "it's", "c", "unheard of" };
    jali_stream s = { 17 };
    for (size_t i = 0; i < ROWS; i++) {
        snprintf(cell[i][0], 32, "%.3f", -10 + 60 * jali_stream_unit(&s)); /* some outside */
        snprintf(cell[i][1], 32, "%zu", jali_stream_below(&s, 95000000));
        snprintf(cell[i][2], 32, "%s", jobs[jali_stream_below(&s, 4)]);
        snprintf(cell[i][3], 32, "%s", jali_stream_below(&s, 2) ? "true" : "false");
        snprintf(cell[i][4], 32, "20%02zu-%02zu-%02zu", 19 + jali_stream_below(&s, 3),
                 1 + jali_stream_below(&s, 12), 1 + jali_stream_below(&s, 28));
        for (size_t c = 0; c < 5; c++)
            if (jali_stream_below(&s, 12) == 0) cell[i][c][0] = '\0';
    }
}

static void fill_table(void)
{
    static const char *const types[] = { "DOUBLE", "BIGINT", "VARCHAR", "BOOLEAN", "DATE" };
    jali_text sql = { 0 };
    CHECK_OK(jali_duckdb_query(
        db,
        "CREATE TABLE \"the \"\"table\"\"\" (n INTEGER, x DOUBLE, big BIGINT, "
        "job VARCHAR, flag BOOLEAN, day DATE)",
        NULL, NULL, NULL, NULL, NULL));
    jali_text_add(&sql, "INSERT INTO \"the \"\"table\"\"\" VALUES ");
    for (size_t i = 0; i < ROWS; i++) {
        jali_text_format(&sql, "%s(%zu", i > 0 ? "," : "", i);
        for (size_t c = 0; c < 5; c++) {
            const char *v = cell[i][c];
            if (v[0] == '\0')
                jali_text_add(&sql, ",NULL");
            else
                jali_text_format(&sql, ",CAST('%s' AS %s)",
                                 strcmp(v, "it's") == 0 ? "it''s" : v, types[c]);
        }
        jali_text_add(&sql, ")");
    }
    CHECK_OK(jali_duckdb_query(db, sql.at, NULL, NULL, NULL, NULL, NULL));
    jali_text_clear(&sql);
}

static int make_table(void **state)
{
    (void)state;
    if (jali_schema_parse(&schema, schema_text, strlen(schema_text), "schema", &arena, NULL) !=
            JALI_OK ||
        jali_duckdb_new(&db, 1, NULL) != JALI_OK)
        return 1;
    make_cells();
    fill_table();
    return 0;
}

static int drop_table(void **state)
{
    (void)state;
    jali_duckdb_free(db);
    jali_arena_clear(&arena);
    return 0;
}

static uint32_t own_label(const jali_partition *p, size_t row)
{
    uint64_t code[8];
    for (size_t i = 0; i < p->n; i++) {
        size_t f;
        jali_fate fate;
        CHECK_OK(jali_schema_find(&schema, p->columns[i], &f, NULL));
        code[i] = jali_field_code(&schema, &schema.fields[f], cell[row][f],
                                  strlen(cell[row][f]), &fate);
    }
    return jali_partition_of(p, code);
}

/* Every row, by DuckDB and by us; and more than one label must occur. */
static void labels_agree(const jali_partition *p)
{
    char *sql, *ordered;
    const char *const *cells;
    size_t rows, columns, other = 0;
    CHECK_OK(jali_cluster_sql(p, &schema, &arena, &sql, NULL));
    sql[strlen(sql) - 2] = '\0'; /* without ";" */
    ordered =
        jali_arena_format(&arena, "SELECT CAST(cluster AS VARCHAR) FROM (%s) ORDER BY n", sql);
    jali_err err = { 0 };
    jali_status status = jali_duckdb_query(db, ordered, &arena, &rows, &columns, &cells, &err);
    if (status != JALI_OK) print_message("%s\n%s\n", err.text, sql);
    CHECK_OK(status);
    CHECK(rows == ROWS);
    for (size_t i = 0; i < rows; i++) {
        uint32_t own = own_label(p, i);
        CHECK(cells[i] != NULL && strtoul(cells[i], NULL, 10) == own);
        other += own != own_label(p, 0);
    }
    CHECK(other > 0);
}

SENTENCE(centres)
{
    UNUSED_STATE;
    static const char *const names[] = { "x", "big", "job", "day" };
    jali_geometry g;
    jali_frame frame;
    jali_partition p;
    uint16_t centre[5 * 6];
    jali_stream s = { 3 };
    CHECK_OK(jali_geometry_make(&g, &schema, names, 4, JALI_SCALE_BOUNDS, &arena, NULL));
    CHECK_OK(jali_frame_make(&frame, &g, NULL, NULL, &arena, NULL));
    for (size_t i = 0; i < 5 * frame.n; i++)
        centre[i] = (uint16_t)jali_stream_below(&s, frame.axis[i % frame.n].top + 1);
    CHECK_OK(jali_partition_centres(&p, &frame, centre, 5, &arena, NULL));
    labels_agree(&p);
}

SENTENCE(mixtures)
{
    UNUSED_STATE;
    static const char *const names[] = { "x", "day" };
    const uint16_t centre[] = { 3000, 9000, 12000, 4000, 6000, 6000 };
    const double sharp[] = { 1e-6, 2e-8, 3e-7, 3e-7, 1e-8, 1e-7 }, offset[] = { 1.5, -0.25, 4 };
    jali_geometry g;
    jali_frame frame;
    jali_partition p, again;
    json_t *value;
    CHECK_OK(jali_geometry_make(&g, &schema, names, 2, JALI_SCALE_BOUNDS, &arena, NULL));
    CHECK_OK(jali_frame_make(&frame, &g, NULL, NULL, &arena, NULL));
    CHECK_OK(jali_partition_mixture(&p, &frame, centre, sharp, offset, 3, &arena, NULL));
    labels_agree(&p);
    CHECK_OK(jali_partition_to_json(&p, &value, NULL));
    CHECK_OK(jali_partition_from_json(&again, value, &schema, &arena, NULL));
    for (size_t i = 0; i < ROWS; i++) CHECK(own_label(&p, i) == own_label(&again, i));
    json_decref(value);
}

SENTENCE(trees)
{
    UNUSED_STATE;
    const size_t field[] = { 0, 2, 4 };
    const jali_partition_node node[] = { { 0, false, true, 2000, 1, 2 },
                                         { 1, true, false, 1, ~0, ~1 },
                                         { 2, false, false, 180, ~2, ~3 } };
    jali_partition p;
    CHECK_OK(jali_partition_tree(&p, &schema, field, 3, node, 3, 4, &arena, NULL));
    labels_agree(&p);
}

SENTENCE(boxes)
{
    UNUSED_STATE;
    const size_t field[] = { 0, 3 };
    const jali_partition_side side[] = {
        { 0, 1500, true }, { 0, 0, false }, { 1000, 5000, false }, { 0, 1, true }
    };
    jali_partition p;
    CHECK_OK(jali_partition_boxes(&p, &schema, field, 2, side, 2, &arena, NULL));
    labels_agree(&p);
}

SENTENCE(rules)
{
    UNUSED_STATE;
    static const char *const text[] = { "x < 3 AND job <> 'c'",
                                        "flag IS NULL OR day >= '2020-07-01'",
                                        "NOT (job = 'it''s' OR big > 40000000)" };
    const jali_predicate *rule[3];
    jali_partition p;
    for (size_t i = 0; i < 3; i++)
        CHECK_OK(jali_where_parse(&schema, text[i], &arena, &rule[i], NULL));
    CHECK_OK(jali_partition_rules(&p, &schema, rule, 3, &arena, NULL));
    labels_agree(&p);
}

SENTENCE(modes)
{
    UNUSED_STATE;
    const size_t field[] = { 2, 3 };
    const uint64_t mode[] = { 0, 1, 3, 0, 2, 2 };
    const uint32_t weight[] = { 2, 1 };
    jali_partition p;
    CHECK_OK(jali_partition_modes(&p, &schema, field, 2, mode, weight, 3, &arena, NULL));
    labels_agree(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST(centres), TEST(mixtures), TEST(trees),
                                        TEST(boxes),   TEST(rules),    TEST(modes) };
    return cmocka_run_group_tests(tests, make_table, drop_table);
}
