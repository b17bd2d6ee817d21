/* Refutes ask.release if it can: truth when noise is nothing, cover when it is something,
 * one plan for all wordings, a receipt that is used up. */
#include "engine/columns.h"
#include "explain/query/answer.h"
#include "mech/receipt.h"
#include "support/seeded_dice.h"
#include "unit.h"
#include <math.h>

enum { ROWS = 900, RUNS = 2000 };

static const char schema_text[] =
    "{\"name\":\"t\",\"fields\":["
    "{\"name\":\"g\",\"type\":\"string\",\"constraints\":{\"enum\":[\"a\",\"b\",\"c\"]}},"
    "{\"name\":\"v\",\"type\":\"integer\",\"constraints\":{\"minimum\":-5,\"maximum\":15}},"
    "{\"name\":\"flag\",\"type\":\"boolean\"},"
    "{\"name\":\"big\",\"type\":\"number\",\"constraints\":{\"minimum\":0,\"maximum\":99999},"
    "\"jali\":{\"step\":\"0.5\"}}]}";

/* g, v, flag of each row; the last code of each is NULL; group c is empty. */
static uint8_t g[ROWS], v[ROWS], flag[ROWS];
static uint32_t big[ROWS];
static jali_arena arena = JALI_ARENA_INIT;
static jali_schema schema;
static jali_columns *columns;

static int make_table(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ROWS; i++) {
        g[i] = (uint8_t)(i % 7 == 0 ? 3 : i % 2);
        v[i] = (uint8_t)(i % 11 == 0 ? 21 : i * 13 % 21);
        flag[i] = (uint8_t)(i % 3 == 0);
    }
    const jali_column made[] = { { "g", 1, 4, ROWS, g },
                                 { "v", 1, 22, ROWS, v },
                                 { "flag", 1, 3, ROWS, flag },
                                 { "big", 4, 200000, ROWS, big } };
    return jali_schema_parse(&schema, schema_text, strlen(schema_text), "schema", &arena,
                             NULL) != JALI_OK ||
           jali_columns_borrow(&columns, made, 4, NULL) != JALI_OK;
}

static int drop_table(void **state)
{
    (void)state;
    jali_columns_free(columns);
    jali_arena_clear(&arena);
    return 0;
}

static void prepare(jali_ask *ask, const char *sql, jali_law law, unsigned long num,
                    unsigned long den)
{
    jali_query query;
    mpq_t budget;
    mpq_init(budget);
    mpq_set_ui(budget, num, den);
    mpq_canonicalize(budget);
    CHECK_OK(jali_query_parse(&schema, sql, &arena, &query, NULL));
    CHECK_OK(jali_ask_init(ask, &schema, &query, law, budget, &arena, NULL));
    CHECK_OK(jali_ask_bind(ask, columns, &arena, NULL));
    mpq_clear(budget);
}

static void answer(const jali_ask *ask, jali_dice *dice, jali_arena *room, jali_answer *out)
{
    jali_charge paid = receipt(ask->loss);
    char *body;
    CHECK_OK(jali_ask_run(ask, "SELECT", NULL, &paid, dice, room, &body, NULL));
    CHECK(used_up(&paid)); /* what was charged is what the mechanisms took */
    CHECK_OK(jali_answer_read(out, ask, body, strlen(body), room, NULL));
}

/* The plain way: WHERE flag, of group `of` (3: NULL; above: all). */
static void truth(unsigned of, double *rows, double *known, double *sum)
{
    *rows = *known = *sum = 0;
    for (unsigned i = 0; i < ROWS; i++) {
        if (flag[i] != 1 || (of < 4 && g[i] != of)) continue;
        ++*rows;
        if (v[i] == 21) continue;
        ++*known;
        *sum += v[i] - 5.0;
    }
}

static const char everything[] =
    "SELECT g, COUNT(*), COUNT(v), SUM(v), AVG(v) FROM t WHERE flag GROUP BY g";

/* A third of a budget has no last digit; the whole must not become dearer than it is. */
SENTENCE(a_question_never_costs_more_than_its_budget)
{
    UNUSED_STATE;
    jali_ask ask;
    prepare(&ask, "SELECT COUNT(*), AVG(v) FROM t", JALI_LAW_LAPLACE, 1, 1);
    CHECK(ask.n_measures == 3 && ask.loss.eps_pico == 999999999999);
    jali_ask_clear(&ask);
    prepare(&ask, "SELECT COUNT(*), AVG(v) FROM t", JALI_LAW_GAUSS, 1, 1000000000);
    CHECK(ask.loss.rho_pico == 999);
    jali_ask_clear(&ask);
    prepare(&ask, "SELECT COUNT(*), AVG(v) FROM t", JALI_LAW_GAUSS, 1, 1000000000000);
    CHECK(ask.loss.rho_pico == 3); /* below the grain: one grain each */
    jali_ask_clear(&ask);
}

static void is_exact(jali_law law)
{
    jali_ask ask;
    jali_answer a;
    jali_dice *dice = seeded_dice(1);
    prepare(&ask, everything, law, law == JALI_LAW_GAUSS ? 1000000 : 1000, 1); /* noise: none */
    answer(&ask, dice, &arena, &a);
    CHECK(a.n == 4);
    for (unsigned of = 0; of < 4; of++) {
        double rows, known, sum;
        truth(of, &rows, &known, &sum);
        CHECK(jali_answer_at(&a, 0, of, 0.05).value == rows);
        CHECK(jali_answer_at(&a, 1, of, 0.05).value == known);
        CHECK(jali_answer_at(&a, 2, of, 0.05).value == sum);
        if (known > 0) CHECK(fabs(jali_answer_at(&a, 3, of, 0.05).value - sum / known) < 1e-12);
        CHECK(jali_answer_at(&a, 3, of, 0.05).bounded == (known > 0)); /* group c is empty */
    }
    jali_dice_free(dice);
    jali_ask_clear(&ask);
}

SENTENCE(without_noise_the_answer_is_the_truth)
{
    UNUSED_STATE;
    is_exact(JALI_LAW_LAPLACE);
    is_exact(JALI_LAW_GAUSS);
}

/* How many of RUNS intervals of aggregate i cover, their ends pulled in by `shrink`. */
static int covered(jali_law law, size_t i, unsigned of, double shrink)
{
    jali_ask ask;
    jali_dice *dice = seeded_dice(20261116 + i);
    double rows, known, sum;
    int hits = 0;
    prepare(&ask, everything, law, law == JALI_LAW_GAUSS ? 1 : 2,
            law == JALI_LAW_GAUSS ? 20 : 1);
    truth(of, &rows, &known, &sum);
    double wanted = i == 0 ? rows : i == 1 ? known : i == 2 ? sum : sum / known;
    for (int run = 0; run < RUNS; run++) {
        jali_arena room = JALI_ARENA_INIT;
        jali_answer a;
        answer(&ask, dice, &room, &a);
        jali_estimate e = jali_answer_at(&a, i, of, 0.05);
        double middle = (e.low + e.high) / 2, half = shrink * (e.high - e.low) / 2;
        hits += fabs(wanted - middle) <= half + 1e-9;
        jali_arena_clear(&room);
    }
    jali_dice_free(dice);
    jali_ask_clear(&ask);
    return hits;
}

/* 2,000 runs at 95%: fewer than 1,852 hits have P < 1e-6 (binomial), seeds are fixed. */
enum { LEAST_HITS = 1852 };

SENTENCE(intervals_cover_as_they_say)
{
    UNUSED_STATE;
    for (size_t i = 0; i < 4; i++) {
        CHECK(covered(JALI_LAW_GAUSS, i, 0, 1) >= LEAST_HITS);
        CHECK(covered(JALI_LAW_LAPLACE, i, 1, 1) >= LEAST_HITS);
    }
}

SENTENCE(the_tester_refuses_intervals_that_are_too_narrow)
{
    UNUSED_STATE;
    CHECK(covered(JALI_LAW_GAUSS, 0, 0, 0.8) < LEAST_HITS);
    CHECK(covered(JALI_LAW_GAUSS, 3, 0, 0.7) < LEAST_HITS);
}

SENTENCE(the_error_promised_before_is_the_one_that_comes)
{
    UNUSED_STATE;
    for (int law = JALI_LAW_LAPLACE; law <= JALI_LAW_GAUSS; law++) {
        jali_ask ask;
        jali_answer a;
        jali_dice *dice = seeded_dice(7);
        prepare(&ask, everything, (jali_law)law, 1, 3);
        answer(&ask, dice, &arena, &a);
        for (size_t i = 0; i < 3; i++) {
            double half;
            jali_estimate e = jali_answer_at(&a, i, 0, 0.05);
            CHECK(jali_answer_promise(&ask, i, 0.05, &half));
            CHECK(fabs((e.high - e.low) / 2 - half) < 1e-9 * half);
        }
        CHECK(!jali_answer_promise(&ask, 3, 0.05, &(double){ 0 })); /* AVG: nobody can know */
        jali_dice_free(dice);
        jali_ask_clear(&ask);
    }
}

static bool same_plan(const char *one, const char *two)
{
    jali_ask a, b;
    prepare(&a, one, JALI_LAW_GAUSS, 1, 10);
    prepare(&b, two, JALI_LAW_GAUSS, 1, 10);
    bool same = strcmp(a.plan, b.plan) == 0;
    jali_ask_clear(&a);
    jali_ask_clear(&b);
    return same;
}

SENTENCE(equal_wordings_are_one_plan)
{
    UNUSED_STATE;
    CHECK(same_plan("SELECT g, AVG(v) FROM t GROUP BY g",
                    "select avg(V) as x, g from t group by g"));
    CHECK(same_plan("SELECT AVG(v), COUNT(*) FROM t WHERE v > 3 AND flag",
                    "SELECT COUNT(*), SUM(v), AVG(v) FROM t WHERE flag AND NOT v <= 3"));
    CHECK(same_plan("SELECT g, flag, COUNT(*) FROM t GROUP BY g, flag",
                    "SELECT COUNT(*) FROM t GROUP BY flag, g"));
    CHECK(!same_plan("SELECT COUNT(*) FROM t", "SELECT COUNT(v) FROM t"));
    CHECK(!same_plan("SELECT COUNT(*) FROM t", "SELECT COUNT(*) FROM t WHERE flag"));
}

SENTENCE(groups_are_found_in_any_order_of_columns)
{
    UNUSED_STATE;
    jali_ask ask;
    jali_answer a;
    jali_dice *dice = seeded_dice(1);
    prepare(&ask, "SELECT COUNT(*) FROM t GROUP BY flag, g", JALI_LAW_LAPLACE, 1000, 1);
    answer(&ask, dice, &arena, &a);
    double rows, known, sum;
    truth(1, &rows, &known, &sum);
    uint64_t part[] = { 1, 1 }; /* flag true, g = b */
    CHECK(jali_answer_at(&a, 0, jali_answer_group(&ask, part), 0.05).value == rows);
    jali_dice_free(dice);
    jali_ask_clear(&ask);
}

SENTENCE(the_promised_reach_is_the_tally_s_own)
{
    UNUSED_STATE;
    jali_ask ask;
    prepare(&ask, everything, JALI_LAW_GAUSS, 1, 10);
    CHECK(ask.n_measures == 3);
    CHECK(ask.measure[0].kind == JALI_MEASURE_ROWS && ask.measure[0].reach.l2 == 1);
    CHECK(ask.measure[2].kind == JALI_MEASURE_SUM && ask.measure[2].reach.l2 == 10);
    const jali_tallies *t;
    CHECK_OK(jali_plan_run(ask.tables, NULL, &arena, &t, NULL));
    jali_reach r = jali_tally_reach(jali_tallies_sums(t, ask.table[2]));
    CHECK(r.l1 == 10 && r.l2 == 10);
    jali_ask_clear(&ask);
}

/* ---- what is not answered ------------------------------------------------------------- */

static const struct {
    const char *sql, *words;
    unsigned column;
} bad[] = {
    { "SELECT g FROM t GROUP BY g", "no number", 1 },
    { "SELECT v, COUNT(*) FROM t", "not in GROUP BY", 8 },
    { "SELECT COUNT(*)", "names no table", 1 },
    { "SELECT g, COUNT(*) AS g FROM t GROUP BY g", "are named \"g\"", 11 },
    { "SELECT COUNT(*) AS n, SUM(v) AS n FROM t", "are named \"n\"", 23 },
    { "SELECT COUNT(*) FROM u", "no table \"u\"", 22 },
    { "SELECT COUNT(*) FROM t, t", "one table", 25 },
    { "SELECT COUNT(*) FROM t JOIN t s ON true", "one table", 0 },
    { "SELECT COUNT(*) FROM (SELECT 1) x", "one table", 0 },
    { "SELECT MAX(v) FROM t", "take COUNT, SUM or AVG", 8 },
    { "SELECT SUM(g) FROM t", "not a number", 12 },
    { "SELECT SUM(*) FROM t", "only COUNT takes a star", 8 },
    { "SELECT SUM(v + 1) FROM t", "without arithmetic", 8 },
    { "SELECT COUNT(DISTINCT v) FROM t", "not answered", 8 },
    { "SELECT COUNT(*) FILTER (WHERE flag) FROM t", "put a condition in WHERE", 8 },
    { "SELECT SUM(v) OVER () FROM t", "not answered", 8 },
    { "SELECT DISTINCT g, COUNT(*) FROM t GROUP BY g", "DISTINCT", 0 },
    { "SELECT g, COUNT(*) FROM t GROUP BY g HAVING COUNT(*) > 5", "HAVING", 0 },
    { "SELECT COUNT(*) FROM t ORDER BY 1", "ORDER BY", 0 },
    { "SELECT COUNT(*) FROM t LIMIT 3", "LIMIT", 0 },
    { "SELECT COUNT(*) FROM t UNION SELECT COUNT(*) FROM t", "UNION", 0 },
    { "WITH x AS (SELECT 1) SELECT COUNT(*) FROM t", "WITH", 0 },
    { "SELECT COUNT(*) FROM t GROUP BY g, g", "twice", 36 },
    { "SELECT COUNT(*) FROM t GROUP BY 1", "names of columns", 33 },
    { "SELECT COUNT(*) FROM t GROUP BY big", "bins", 33 },
    { "SELECT gg, COUNT(*) FROM t GROUP BY gg", "did you mean \"g\"", 37 },
    { "SELECT COUNT(*)::int FROM t", "casts", 16 },
    { "DELETE FROM t", "SELECT", 0 },
};

SENTENCE(what_is_not_answered_is_refused_where_it_stands)
{
    UNUSED_STATE;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        jali_query query = { .n_groups = 77 };
        jali_err err;
        CHECK(jali_query_parse(&schema, bad[i].sql, &arena, &query, &err) == JALI_E_USAGE);
        if (strstr(err.text, bad[i].words) == NULL ||
            (bad[i].column && err.column != bad[i].column))
            print_error("%s -> %s (column %u)\n", bad[i].sql, err.text, err.column);
        CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, bad[i].words);
        CHECK(bad[i].column == 0 || err.column == bad[i].column);
        CHECK(query.n_groups == 77);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(without_noise_the_answer_is_the_truth),
        TEST(intervals_cover_as_they_say),
        TEST(the_tester_refuses_intervals_that_are_too_narrow),
        TEST(the_error_promised_before_is_the_one_that_comes),
        TEST(a_question_never_costs_more_than_its_budget),
        TEST(equal_wordings_are_one_plan),
        TEST(groups_are_found_in_any_order_of_columns),
        TEST(the_promised_reach_is_the_tally_s_own),
        TEST(what_is_not_answered_is_refused_where_it_stands),
    };
    return cmocka_run_group_tests(tests, make_table, drop_table);
}
