/* The same table counted by DuckDB's GROUP BY: an opinion from another house. */
#define _XOPEN_SOURCE 700
#include "engine/duckdb.h"
#include "small.h"
#include <unistd.h>

enum { ROWS = 40000 };

static small table;
static jali_duckdb *db;
static char file[64];

static void write_csv(void)
{
    FILE *f = fopen(file, "w");
    CHECK(f != NULL);
    fputs("a,b,c,v\n", f);
    for (size_t i = 0; i < table.rows; i++)
        for (size_t c = 0; c < table.n; c++) {
            uint64_t code = small_code(&table, c, i);
            if (code != table.column[c].domain - 1)
                fprintf(f, "%llu", (unsigned long long)code);
            fputc(c + 1 < table.n ? ',' : '\n', f);
        }
    CHECK(fclose(f) == 0);
}

static int make_table(void **state)
{
    static const uint64_t domains[] = { 9, 40, 300, 70001 };
    static const char *const names[] = { "a", "b", "c", "v" };
    char sql[256];
    jali_err err;
    (void)state;
    table = (small){ .seed = 77, .rows = ROWS };
    for (size_t c = 0; c < 4; c++) {
        small_add(&table, domains[c], c == 1 ? 1 : 2);
        table.column[c].name = names[c];
    }
    small_open(&table);
    snprintf(file, sizeof file, "tally-duckdb-%ld.csv", (long)getpid());
    write_csv();
    if (jali_duckdb_new(&db, 1, &err) != JALI_OK) {
        puts(err.text);
        return 1;
    }
    snprintf(sql, sizeof sql,
             "CREATE TABLE t AS SELECT * FROM read_csv('%s', header = true, columns = {'a': "
             "'INTEGER', 'b': 'INTEGER', 'c': 'INTEGER', 'v': 'INTEGER'})",
             file);
    return jali_duckdb_query(db, sql, NULL, NULL, NULL, NULL, NULL) == JALI_OK ? 0 : 1;
}

static int drop_table(void **state)
{
    (void)state;
    jali_duckdb_free(db);
    small_free(&table);
    unlink(file);
    return 0;
}

/* Runs `sql`, whose first `axes` columns are codes and whose last is a number, into cells. */
static void ask_duckdb(const char *sql, const jali_tally *y, int64_t *cells)
{
    jali_arena a = JALI_ARENA_INIT;
    size_t rows, columns;
    const char *const *cell;
    jali_err err;
    if (jali_duckdb_query(db, sql, &a, &rows, &columns, &cell, &err) != JALI_OK)
        fail_msg("%s", err.text);
    CHECK(columns == y->axes + 1);
    for (size_t r = 0; r < rows; r++, cell += columns) {
        size_t at = 0;
        for (unsigned k = 0; k < y->axes; k++)
            at = at * y->extent[k] +
                 (cell[k] == NULL ? y->extent[k] - 1 : (size_t)strtoull(cell[k], NULL, 10));
        CHECK(at < y->n);
        cells[at] = cell[y->axes] == NULL ? 0 : strtoll(cell[y->axes], NULL, 10);
    }
    jali_arena_clear(&a);
}

static void agrees(const jali_tally *y, const char *sql)
{
    int64_t *cells = calloc(y->n, sizeof *cells);
    ask_duckdb(sql, y, cells);
    CHECK(memcmp(cells, y->cell, y->n * sizeof *cells) == 0);
    free(cells);
}

static const jali_predicate *condition(jali_arena *a)
{
    const uint64_t list[] = { 1, 2, 250 };
    const jali_predicate *b = jali_predicate_range(a, "b", 40, 3, 20);
    const jali_predicate *c = jali_predicate_is_null(a, "c", 300);
    const jali_predicate *in = jali_predicate_in(a, "c", 300, list, 3);
    const jali_predicate *not_a = jali_predicate_not(a, jali_predicate_in(a, "a", 9, list, 2));
    return jali_predicate_and(a, jali_predicate_or(a, b, jali_predicate_or(a, c, in)), not_a);
}

#define WHERE                                                                                  \
    " WHERE (b BETWEEN 3 AND 20 OR c IS NULL OR c IN (1, 2, 250)) AND NOT (a IN (1, 2)) "

SENTENCE(tables_agree_with_group_by)
{
    UNUSED_STATE;
    jali_arena a = JALI_ARENA_INIT;
    jali_plan *plan;
    const jali_tallies *set;
    size_t slice, t[5];
    const char *const by[] = { "a", "b", "c" };
    CHECK_OK(jali_plan_new(&plan, table.columns, 1, NULL));
    CHECK_OK(jali_plan_slice(plan, NULL, condition(&a), &slice, NULL));
    CHECK_OK(jali_plan_counts(plan, 0, by, 3, &t[0], NULL));
    CHECK_OK(jali_plan_counts(plan, slice, by, 2, &t[1], NULL));
    CHECK_OK(jali_plan_sums(plan, 0, by, 1, "v", 0, &t[2], NULL));
    CHECK_OK(jali_plan_sums(plan, slice, by + 1, 2, "v", 35000, &t[3], NULL));
    CHECK_OK(jali_plan_counts(plan, slice, NULL, 0, &t[4], NULL));
    CHECK_OK(jali_plan_run(plan, NULL, &a, &set, NULL));
    agrees(&set->counts[t[0]], "SELECT a, b, c, count(*) FROM t GROUP BY ALL");
    agrees(&set->counts[t[1]], "SELECT a, b, count(*) FROM t" WHERE "GROUP BY ALL");
    agrees(&set->counts[t[2]], "SELECT a, count(v) FROM t GROUP BY ALL");
    agrees(&set->sums[t[2]], "SELECT a, sum(v) FROM t GROUP BY ALL");
    agrees(&set->counts[t[3]], "SELECT b, c, count(v) FROM t" WHERE "GROUP BY ALL");
    agrees(&set->sums[t[3]], "SELECT b, c, sum(v - 35000) FROM t" WHERE "GROUP BY ALL");
    agrees(&set->counts[t[4]], "SELECT count(*) FROM t" WHERE);
    jali_plan_free(plan);
    jali_arena_clear(&a);
}

static void label_mod(void *self, const jali_block *block, uint16_t *out)
{
    (void)self;
    for (size_t i = 0; i < block->rows; i++)
        out[i] = (uint16_t)(small_block_code(block, 0, i) % 3);
}

SENTENCE(labels_bins_and_grids_agree_with_expressions)
{
    UNUSED_STATE;
    jali_arena a = JALI_ARENA_INIT;
    jali_plan *plan;
    const jali_tallies *set;
    size_t slice, t[3];
    const char *const by[] = { "a", "b", "c" };
    const uint32_t lo[] = { 0, 1000, 20000 }, step[] = { 7000, 1, 999 };
    jali_label label = { .labels = 3, .n = 1, .columns = by, .label = label_mod, .self = NULL };
    CHECK_OK(jali_plan_new(&plan, table.columns, 1, NULL));
    CHECK_OK(jali_plan_slice(plan, &label, NULL, &slice, NULL));
    CHECK_OK(jali_plan_counts(plan, slice, by + 1, 2, &t[0], NULL));
    CHECK_OK(jali_plan_histogram(plan, slice, "v", 10, lo, step, &t[1], NULL));
    CHECK_OK(jali_plan_grid(plan, 0, by + 1, 2, 5, &t[2], NULL));
    CHECK_OK(jali_plan_run(plan, NULL, &a, &set, NULL));
    agrees(&set->counts[t[0]], "SELECT coalesce(a, 8) % 3, b, c, count(*) FROM t GROUP BY ALL");
    agrees(&set->counts[t[1]],
           "SELECT l, CASE WHEN v IS NULL THEN 10 ELSE least(9, CASE l WHEN 0 THEN v // 7000 "
           "WHEN 1 THEN greatest(v - 1000, 0) ELSE greatest(v - 20000, 0) // 999 END) END, "
           "count(*) FROM (SELECT *, coalesce(a, 8) % 3 AS l FROM t) GROUP BY ALL");
    agrees(&set->counts[t[2]], "SELECT 0, CASE WHEN b IS NULL OR c IS NULL THEN 32 ELSE "
                               "(b >> 3) * 4 + (c >> 7) END, count(*) FROM t GROUP BY ALL");
    jali_plan_free(plan);
    jali_arena_clear(&a);
}

/* The comparison itself must be able to say no: a condition that is one code off. */
SENTENCE(a_wrong_condition_is_noticed)
{
    UNUSED_STATE;
    jali_arena a = JALI_ARENA_INIT;
    jali_plan *plan;
    const jali_tallies *set;
    size_t t;
    const char *const by[] = { "a" };
    int64_t cells[9] = { 0 };
    CHECK_OK(jali_plan_new(&plan, table.columns, 1, NULL));
    CHECK_OK(jali_plan_counts(plan, 0, by, 1, &t, NULL));
    CHECK_OK(jali_plan_run(plan, NULL, &a, &set, NULL));
    ask_duckdb("SELECT a, count(*) FROM t WHERE b <> 38 GROUP BY ALL", &set->counts[t], cells);
    CHECK(memcmp(cells, set->counts[t].cell, sizeof cells) != 0);
    jali_plan_free(plan);
    jali_arena_clear(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST(tables_agree_with_group_by),
                                        TEST(labels_bins_and_grids_agree_with_expressions),
                                        TEST(a_wrong_condition_is_noticed) };
    return cmocka_run_group_tests(tests, make_table, drop_table);
}
