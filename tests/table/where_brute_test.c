/* Random conditions against an evaluation of our own on values, row by row, in SQL's three
 * truths; against DuckDB on the same rows where it is installed; and there and back as text. */
#include "base/text.h"
#include "engine/duckdb.h"
#include "table/where.h"
#include "unit.h"
#include "where_schema.h"
#include <stdlib.h>

enum { ROWS = 48, CASES = 4000, FIELDS = 7, NONE = INT32_MIN };

static jali_arena arena;
static jali_schema schema;
static uint64_t seed = 20240607;

/* A value in thousandths, a category's or boolean's index, or a day; NONE is NULL. */
static int32_t rows[ROWS][FIELDS];

static const struct {
    const char *name, *type;
    int low, high, step; /* what rows hold; step 0: categories */
} fields[FIELDS] = {
    { "ward", "VARCHAR", 0, 4, 0 },
    { "age", "INTEGER", 0, 12000, 1000 },
    { "temp", "DECIMAL(9,3)", -2000, 2000, 500 },
    { "smoker", "BOOLEAN", 0, 1, 0 },
    { "day", "DATE", 27, 32, 0 },
    { "Capital-Gain", "INTEGER", -5000, 5000, 1000 },
    { "order", "VARCHAR", 0, 1, 0 },
};
enum { WARD, AGE, TEMP, SMOKER, DAY, GAIN, ORDER };
static const char *const wards[] = { "surgery", "internal", "cardio", "it's", "birth" };
/* Days 27..32 of February 2024. */
static const char *const days[] = { "2024-02-27", "2024-02-28", "2024-02-29",
                                    "2024-03-01", "2024-03-02", "2024-03-03" };

static unsigned below(unsigned n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (unsigned)(seed >> 33) % n;
}

static bool is_number(unsigned f)
{
    return f == AGE || f == TEMP || f == GAIN;
}

static void fill_rows(void)
{
    for (unsigned i = 0; i < ROWS; i++)
        for (unsigned f = 0; f < FIELDS; f++) {
            int step = fields[f].step ? fields[f].step : 1;
            int n = (fields[f].high - fields[f].low) / step + 1;
            rows[i][f] = below(5) == 0 ? NONE : fields[f].low + step * (int)below((unsigned)n);
        }
}

/* ---- writing constants ----------------------------------------------------------- */

static void put_value(jali_text *t, unsigned f, int v)
{
    if (v == NONE)
        jali_text_add(t, "NULL");
    else if (is_number(f))
        jali_text_format(t, "%s%d.%03d", v < 0 ? "-" : "", abs(v) / 1000, abs(v) % 1000);
    else if (f == SMOKER)
        jali_text_add(t, v ? "TRUE" : "FALSE");
    else if (f == DAY)
        jali_text_format(t, "DATE '%s'", days[v - 27]);
    else if (f == WARD && v == 3)
        jali_text_add(t, "'it''s'");
    else
        jali_text_format(t, "'%s'", f == WARD ? wards[v] : v == 0 ? "a" : "b");
}

/* Whole numbers are written as such: their signs take another way through the parser. */
static void put_constant(jali_text *t, unsigned f, int v)
{
    if (v != NONE && is_number(f) && v % 1000 == 0)
        jali_text_format(t, below(4) ? "%d" : "%d.0", v / 1000);
    else
        put_value(t, f, v);
}

/* Sometimes NULL, sometimes outside the domain, sometimes between two steps. */
static int random_constant(unsigned f)
{
    if (below(12) == 0) return NONE;
    if (is_number(f)) return fields[f].low - 1500 + (int)below(40) * 250 * (f == AGE ? 2 : 1);
    return fields[f].low + (int)below((unsigned)(fields[f].high - fields[f].low + 1));
}

static void put_name(jali_text *t, unsigned f)
{
    jali_text_format(t, f >= GAIN || below(4) == 0 ? "\"%s\"" : "%s", fields[f].name);
}

/* ---- conditions, written and evaluated at once ----------------------------------- */

static jali_truth truth_not(jali_truth a)
{
    return a == JALI_UNKNOWN ? a : a == JALI_TRUE ? JALI_FALSE : JALI_TRUE;
}

static jali_truth truth_and(jali_truth a, jali_truth b)
{
    if (a == JALI_FALSE || b == JALI_FALSE) return JALI_FALSE;
    return a == JALI_TRUE && b == JALI_TRUE ? JALI_TRUE : JALI_UNKNOWN;
}

static jali_truth truth_or(jali_truth a, jali_truth b)
{
    return truth_not(truth_and(truth_not(a), truth_not(b)));
}

static jali_truth holds(int a, unsigned op, int b)
{
    if (a == NONE || b == NONE) return JALI_UNKNOWN;
    bool yes = op == 0   ? a == b
               : op == 1 ? a != b
               : op == 2 ? a < b
               : op == 3 ? a <= b
               : op == 4 ? a > b
                         : a >= b;
    return yes ? JALI_TRUE : JALI_FALSE;
}

static void comparison(jali_text *t, jali_truth *out)
{
    static const char *const ops[] = { "=", "<>", "<", "<=", ">", ">=" };
    static const unsigned flip[] = { 0, 1, 4, 5, 2, 3 };
    unsigned f = below(FIELDS), ordered = is_number(f) || f == DAY;
    unsigned op = below(ordered ? 6 : 2);
    int c = random_constant(f);
    if (below(2)) {
        put_name(t, f);
        jali_text_format(t, " %s ", ops[op]);
        put_constant(t, f, c);
    } else {
        put_constant(t, f, c);
        jali_text_format(t, " %s ", ops[flip[op]]);
        put_name(t, f);
    }
    for (unsigned i = 0; i < ROWS; i++) out[i] = holds(rows[i][f], op, c);
}

static void in_list(jali_text *t, jali_truth *out)
{
    unsigned f = below(FIELDS), n = 1 + below(4), negated = below(2);
    put_name(t, f);
    jali_text_add(t, negated ? " NOT IN (" : " IN (");
    for (unsigned i = 0; i < ROWS; i++) out[i] = JALI_FALSE;
    for (unsigned k = 0; k < n; k++) {
        int c = random_constant(f);
        if (k > 0) jali_text_add(t, ", ");
        put_constant(t, f, c);
        for (unsigned i = 0; i < ROWS; i++) out[i] = truth_or(out[i], holds(rows[i][f], 0, c));
    }
    jali_text_add(t, ")");
    for (unsigned i = 0; negated && i < ROWS; i++) out[i] = truth_not(out[i]);
}

static void between(jali_text *t, jali_truth *out)
{
    static const unsigned ordered[] = { AGE, TEMP, DAY, GAIN };
    unsigned f = ordered[below(4)], negated = below(2);
    int a = random_constant(f), b = random_constant(f);
    put_name(t, f);
    jali_text_add(t, negated ? " NOT BETWEEN " : " BETWEEN ");
    put_constant(t, f, a);
    jali_text_add(t, " AND ");
    put_constant(t, f, b);
    for (unsigned i = 0; i < ROWS; i++) {
        out[i] = truth_and(holds(rows[i][f], 5, a), holds(rows[i][f], 3, b));
        if (negated) out[i] = truth_not(out[i]);
    }
}

static void test_of_truth(jali_text *t, jali_truth *out)
{
    static const char *const tests[] = { " IS NULL",     " IS NOT NULL", " IS TRUE",
                                         " IS NOT TRUE", " IS FALSE",    " IS NOT FALSE" };
    unsigned f = below(2) ? below(FIELDS) : SMOKER, test = below(f == SMOKER ? 6 : 2);
    put_name(t, f);
    jali_text_add(t, tests[test]);
    for (unsigned i = 0; i < ROWS; i++) {
        int v = rows[i][f];
        bool yes = test < 2 ? v == NONE : test < 4 ? v == 1 : v == 0;
        out[i] = yes != (test % 2 == 1) ? JALI_TRUE : JALI_FALSE;
    }
}

static void word(jali_text *t, jali_truth *out)
{
    static const char *const words[] = { "FALSE", "TRUE", "NULL" };
    unsigned w = below(4);
    jali_text_add(t, w < 3 ? words[w] : "smoker");
    for (unsigned i = 0; i < ROWS; i++)
        out[i] = w < 3 ? (jali_truth)w : holds(rows[i][SMOKER], 0, 1);
}

static void condition(jali_text *t, jali_truth *out, unsigned depth)
{
    jali_truth other[ROWS];
    unsigned kind = below(depth == 0 ? 12 : 20);
    if (kind < 5) {
        comparison(t, out);
    } else if (kind < 8) {
        in_list(t, out);
    } else if (kind < 10) {
        between(t, out);
    } else if (kind < 11) {
        test_of_truth(t, out);
    } else if (kind < 12) {
        word(t, out);
    } else if (kind < 14) {
        jali_text_add(t, "NOT (");
        condition(t, out, depth - 1);
        jali_text_add(t, ")");
        for (unsigned i = 0; i < ROWS; i++) out[i] = truth_not(out[i]);
    } else {
        bool both = kind < 17;
        jali_text_add(t, "(");
        condition(t, out, depth - 1);
        jali_text_add(t, both ? ") AND (" : ") OR (");
        condition(t, other, depth - 1);
        jali_text_add(t, ")");
        for (unsigned i = 0; i < ROWS; i++)
            out[i] = both ? truth_and(out[i], other[i]) : truth_or(out[i], other[i]);
    }
}

/* ---- the tests ------------------------------------------------------------------- */

static uint64_t code_at(void *self, const char *column)
{
    const int32_t *row = self;
    for (unsigned f = 0; f < FIELDS; f++) {
        if (strcmp(fields[f].name, column) != 0) continue;
        size_t i;
        CHECK_OK(jali_schema_find(&schema, column, &i, NULL));
        if (row[f] == NONE) return jali_field_null(&schema.fields[i]);
        return (uint64_t)((row[f] - fields[f].low) / (fields[f].step ? fields[f].step : 1));
    }
    fail_msg("no column %s", column);
    return 0;
}

static bool agrees(const jali_predicate *p, const jali_truth *truth)
{
    for (unsigned i = 0; i < ROWS; i++)
        if (jali_predicate_value(p, code_at, rows[i]) != truth[i]) return false;
    return true;
}

static void there_and_back(const jali_predicate *p)
{
    char *text = NULL, *a = NULL, *b = NULL;
    const jali_predicate *again = NULL;
    jali_err err = { 0 };
    CHECK_OK(jali_where_text(&schema, p, &arena, &text, &err));
    if (jali_where_parse(&schema, text, &arena, &again, &err) != JALI_OK)
        fail_msg("%s: %s", text, err.text);
    CHECK_OK(jali_predicate_text(p, &arena, &a, &err));
    CHECK_OK(jali_predicate_text(again, &arena, &b, &err));
    if (strcmp(a, b) != 0) fail_msg("%s\n%s\n%s", text, a, b);
}

SENTENCE(random_conditions_have_the_truth_of_sql)
{
    UNUSED_STATE;
    unsigned caught = 0;
    for (unsigned c = 0; c < CASES; c++) {
        jali_text t = { 0 };
        jali_truth truth[ROWS];
        const jali_predicate *p = NULL;
        jali_err err = { 0 };
        if (c % 50 == 0) fill_rows();
        condition(&t, truth, 1 + below(4));
        if (jali_where_parse(&schema, t.at, &arena, &p, &err) != JALI_OK)
            fail_msg("%s: %s", t.at, err.text);
        if (!agrees(p, truth)) fail_msg("%s", t.at);
        there_and_back(p);
        /* The twin: NULL taken for FALSE must be noticed, whenever there is an unknown. */
        bool unknown = false;
        for (unsigned i = 0; i < ROWS; i++) {
            unknown = unknown || truth[i] == JALI_UNKNOWN;
            if (truth[i] == JALI_UNKNOWN) truth[i] = JALI_FALSE;
        }
        CHECK(agrees(p, truth) == !unknown);
        caught += unknown;
        jali_text_clear(&t);
        jali_arena_clear(&arena);
        CHECK_OK(jali_schema_parse(&schema, where_schema, sizeof where_schema - 1, "schema",
                                   &arena, NULL));
    }
    CHECK(caught > CASES / 4);
}

static void make_duckdb_table(jali_duckdb *db)
{
    jali_text sql = { 0 };
    jali_text_add(&sql, "CREATE OR REPLACE TABLE t (id INTEGER");
    for (unsigned f = 0; f < FIELDS; f++)
        jali_text_format(&sql, ", \"%s\" %s", fields[f].name, fields[f].type);
    jali_text_add(&sql, ")");
    CHECK_OK(jali_duckdb_query(db, sql.at, NULL, NULL, NULL, NULL, NULL));
    jali_text_clear(&sql);
    jali_text_add(&sql, "INSERT INTO t VALUES ");
    for (unsigned i = 0; i < ROWS; i++) {
        jali_text_format(&sql, "%s(%u", i ? ", " : "", i);
        for (unsigned f = 0; f < FIELDS; f++) {
            jali_text_add(&sql, ", ");
            put_value(&sql, f, rows[i][f]);
        }
        jali_text_add(&sql, ")");
    }
    CHECK_OK(jali_duckdb_query(db, sql.at, NULL, NULL, NULL, NULL, NULL));
    jali_text_clear(&sql);
}

/* One line of T, F and U for the rows in order. */
static void duckdb_says(jali_duckdb *db, const char *text, char *out)
{
    jali_text sql = { 0 };
    jali_err err = { 0 };
    size_t n, columns;
    const char *const *cells;
    jali_text_format(&sql,
                     "SELECT string_agg(CASE WHEN b THEN 'T' WHEN NOT b THEN 'F' ELSE 'U' END, "
                     "'' ORDER BY id) FROM (SELECT id, CAST((%s) AS BOOLEAN) AS b FROM t)",
                     text);
    if (jali_duckdb_query(db, sql.at, &arena, &n, &columns, &cells, &err) != JALI_OK)
        fail_msg("%s: %s", text, err.text);
    assert_int_equal(strlen(cells[0]), ROWS);
    memcpy(out, cells[0], ROWS + 1);
    jali_text_clear(&sql);
}

SENTENCE(duckdb_gives_the_same_truth)
{
    UNUSED_STATE;
    jali_duckdb *db;
    jali_err err = { 0 };
    if (jali_duckdb_new(&db, 1, &err) != JALI_OK) {
        print_message("# skipped: %s\n", err.text);
        skip();
    }
    seed = 4711;
    for (unsigned c = 0; c < 400; c++) {
        jali_text t = { 0 };
        jali_truth truth[ROWS];
        const jali_predicate *p = NULL;
        char said[ROWS + 1];
        if (c % 100 == 0) {
            fill_rows();
            make_duckdb_table(db);
        }
        condition(&t, truth, 1 + below(3));
        CHECK_OK(jali_where_parse(&schema, t.at, &arena, &p, &err));
        duckdb_says(db, t.at, said);
        for (unsigned i = 0; i < ROWS; i++)
            if (said[i] != "FTU"[jali_predicate_value(p, code_at, rows[i])])
                fail_msg("row %u of %s", i, t.at);
        jali_text_clear(&t);
    }
    jali_duckdb_free(db);
}

static int set_up(void **state)
{
    (void)state;
    fill_rows();
    return jali_schema_parse(&schema, where_schema, sizeof where_schema - 1, "schema", &arena,
                             NULL) != JALI_OK;
}

static int tear_down(void **state)
{
    (void)state;
    jali_arena_clear(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST(random_conditions_have_the_truth_of_sql),
                                        TEST(duckdb_gives_the_same_truth) };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
