/* Refutes why.release if it can: a receipt that is used up, no plan dearer than its budget, one
 * plan for equal questions, the planted reason found, and every refusal before the charge. */
#include "engine/columns.h"
#include "explain/query/gap.h"
#include "explain/query/why.h"
#include "mech/receipt.h"
#include "support/seeded_dice.h"
#include "unit.h"
#include <math.h>

enum { ROWS = 6000 };

static const char schema_text[] =
    "{\"name\":\"t\",\"fields\":["
    "{\"name\":\"g\",\"type\":\"string\",\"constraints\":{\"enum\":[\"a\",\"b\",\"c\"]}},"
    "{\"name\":\"v\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":20}},"
    "{\"name\":\"from\",\"type\":\"string\",\"constraints\":{\"required\":true,\"enum\":["
    "\"x\",\"y\",\"z\"]}},"
    "{\"name\":\"to\",\"type\":\"string\",\"constraints\":{\"required\":true,\"enum\":["
    "\"w\",\"y\",\"z\"]}},"
    "{\"name\":\"age\",\"type\":\"integer\",\"constraints\":{\"required\":true,\"minimum\":0,"
    "\"maximum\":99},\"jali\":{\"bins\":[0,20,40,60,99]}},"
    "{\"name\":\"big\",\"type\":\"integer\",\"constraints\":{\"required\":true,\"minimum\":0,"
    "\"maximum\":100000}}]}";

/* b is larger, because of its rows with from = y; c is empty. */
static uint8_t g[ROWS], v[ROWS], from[ROWS], to[ROWS], age[ROWS], bin[ROWS];
static uint32_t big[ROWS];
static jali_arena arena = JALI_ARENA_INIT;
static jali_schema schema;
static jali_columns *columns;
static jali_err err;

static int make_table(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ROWS; i++) {
        g[i] = (uint8_t)(i % 2);
        from[i] = (uint8_t)(i / 2 % 3);
        to[i] = (uint8_t)(i / 6 % 3);
        age[i] = (uint8_t)(i * 7 % 100);
        bin[i] = (uint8_t)(age[i] < 60 ? age[i] / 20 : 3);
        v[i] = (uint8_t)(g[i] == 1 && from[i] == 1 ? 18 : i * 13 % 9);
    }
    const jali_column made[] = { { "g", 1, 4, ROWS, g },         { "v", 1, 22, ROWS, v },
                                 { "from", 1, 4, ROWS, from },   { "to", 1, 4, ROWS, to },
                                 { "age", 1, 101, ROWS, age },   { "age#bin", 1, 5, ROWS, bin },
                                 { "big", 4, 100002, ROWS, big } };
    return jali_schema_parse(&schema, schema_text, strlen(schema_text), "schema", &arena,
                             NULL) != JALI_OK ||
           jali_columns_borrow(&columns, made, 7, NULL) != JALI_OK;
}

static int drop_table(void **state)
{
    (void)state;
    jali_columns_free(columns);
    jali_arena_clear(&arena);
    return 0;
}

/* A question about groups of `sql`, priced. */
typedef struct asked {
    jali_ask ask;
    jali_comparison comparison;
    jali_inquiry inquiry;
} asked;

static jali_status inquire(asked *a, const char *sql, const char *question,
                           const jali_why_words *words, jali_law law, unsigned long num,
                           unsigned long den)
{
    jali_query query;
    mpq_t budget;
    err = (jali_err){ 0 };
    mpq_init(budget);
    mpq_set_ui(budget, num, den);
    mpq_canonicalize(budget);
    CHECK_OK(jali_query_parse(&schema, sql, &arena, &query, NULL));
    CHECK_OK(jali_ask_init(&a->ask, &schema, &query, law, budget, &arena, NULL));
    CHECK_OK(jali_compare_parse(&schema, &a->ask.query, question, NULL, &arena, &a->comparison,
                                NULL));
    jali_status status = jali_inquiry_init(&a->inquiry, &a->ask, &a->comparison, words, law,
                                           budget, columns, &arena, &err);
    mpq_clear(budget);
    if (status != JALI_OK) jali_ask_clear(&a->ask);
    return status;
}

static void drop(asked *a)
{
    jali_inquiry_clear(&a->inquiry);
    jali_ask_clear(&a->ask);
}

static const char average[] = "SELECT g, AVG(v) FROM t GROUP BY g";

static jali_told tell(const asked *a, uint64_t seed)
{
    jali_told told;
    char *body;
    jali_dice *dice = seeded_dice(seed);
    jali_charge paid = receipt(a->inquiry.loss);
    CHECK_OK(jali_inquiry_run(&a->inquiry, "r1", "b > a", "AVG(v)", NULL, &paid, dice, &arena,
                              &body, NULL));
    CHECK(used_up(&paid)); /* why.release: what was charged is what was spent */
    CHECK_OK(jali_told_read(&told, body, strlen(body), &arena, NULL));
    jali_dice_free(dice);
    return told;
}

SENTENCE(the_planted_reason_comes_first_whatever_is_asked)
{
    UNUSED_STATE;
    static const jali_why_words ways[] = { { .miss = 0.05 },
                                           { .miss = 0.05, .ranks = "search" },
                                           { .miss = 0.05, .split = "paper" },
                                           { .miss = 0.05, .reasons.up_to = 1 } };
    for (int law = JALI_LAW_LAPLACE; law <= JALI_LAW_GAUSS; law++)
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
            asked a;
            CHECK_OK(inquire(&a, average, "b > a", &ways[i], (jali_law)law, 5, 1));
            jali_told told = tell(&a, 1 + i);
            jali_explained_line line[5];
            CHECK(told.drawn.k == 5 && told.drawn.predicates == 10);
            jali_explained_read(&told.drawn, 0.95, line);
            assert_string_equal(told.where[0], "\"from\" = 'y'");
            CHECK(line[0].rank_low == 1 && line[0].low > 0);
            CHECK(told.n_left_out == 1);
            assert_string_equal(told.left_out[0], "big");
            drop(&a);
        }
}

SENTENCE(a_why_never_costs_more_than_its_budget)
{
    UNUSED_STATE;
    static const jali_why_words ways[] = {
        { .miss = 0.05 },
        { .miss = 0.05, .split = "1/3,2/3" },
        { .miss = 0.05, .ranks = "search", .split = "1/3,1/3,1/3", .lower = "0.5" }
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        asked a;
        CHECK_OK(inquire(&a, average, "b > a", &ways[i], JALI_LAW_GAUSS, 1, 7));
        CHECK(a.inquiry.loss.rho_pico <= 142857142857 &&
              a.inquiry.loss.rho_pico >= 142857142850);
        drop(&a);
        CHECK_OK(inquire(&a, average, "b > a", &ways[i], JALI_LAW_LAPLACE, 1, 7));
        CHECK(a.inquiry.loss.eps_pico <= 142857142857 &&
              a.inquiry.loss.eps_pico >= 142857142850);
        drop(&a);
    }
}

static const char *plan_of(const char *sql, const char *question, const jali_why_words *words)
{
    asked a;
    CHECK_OK(inquire(&a, sql, question, words, JALI_LAW_GAUSS, 1, 10));
    const char *plan = a.inquiry.plan;
    drop(&a);
    return plan;
}

SENTENCE(equal_questions_are_one_plan)
{
    UNUSED_STATE;
    jali_why_words w = { .miss = 0.05 },
                   other = { .miss = 0.05, .reasons.length = 1, .top = 5 };
    const char *plan = plan_of(average, "b > a", &w);
    assert_string_equal(plan, plan_of(average, "a < b", &w));
    assert_string_equal(plan, plan_of(average, "2 * b > 2 * a", &other));
    assert_string_equal(plan, plan_of(average, "b > a + 3", &w)); /* the same influences */
    assert_string_equal(plan, plan_of("SELECT AVG(v) AS m, g FROM t GROUP BY g", "b > a", &w));
    other.top = 4;
    assert_string_not_equal(plan, plan_of(average, "b > a", &other));
    assert_string_not_equal(plan, plan_of(average, "b > 2 * a", &w));
    assert_string_not_equal(plan, plan_of("SELECT g, SUM(v) FROM t GROUP BY g", "b > a", &w));
    assert_string_not_equal(
        plan, plan_of("SELECT g, AVG(v) FROM t WHERE age < 50 GROUP BY g", "b > a", &w));
    w.miss = 0.1; /* shared ranks are read at any confidence */
    assert_string_equal(plan, plan_of(average, "b > a", &w));
}

SENTENCE(counts_of_a_column_leave_its_missing_values_out)
{
    UNUSED_STATE;
    asked a;
    jali_why_words w = { .miss = 0.05 };
    CHECK_OK(
        inquire(&a, "SELECT g, COUNT(v) FROM t GROUP BY g", "b > a", &w, JALI_LAW_GAUSS, 1, 1));
    CHECK(a.inquiry.study.where != NULL && a.inquiry.study.summed == NULL);
    drop(&a);
    CHECK_OK(inquire(&a, "SELECT g, COUNT(age) FROM t GROUP BY g", "b > a", &w, JALI_LAW_GAUSS,
                     1, 1));
    CHECK(a.inquiry.study.where == NULL); /* a required column has a value in every row */
    drop(&a);
}

/* ---- spaces --------------------------------------------------------------------------- */

static uint64_t size_of(const jali_reasons_words *reasons)
{
    asked a;
    jali_why_words w = { .miss = 0.05, .reasons = *reasons };
    CHECK_OK(inquire(&a, average, "b > a", &w, JALI_LAW_GAUSS, 1, 1));
    uint64_t n = jali_space_size(a.inquiry.reasons.space);
    drop(&a);
    return n;
}

SENTENCE(spaces_have_the_predicates_that_were_asked_for)
{
    UNUSED_STATE;
    const char *one[] = { "age" }, *two[] = { "to", "from" };
    /* from 3, to 3, age 4 bins; g and v are the question's, big has no bins */
    CHECK(size_of(&(jali_reasons_words){ 0 }) == 10);
    CHECK(size_of(&(jali_reasons_words){ .length = 2 }) == 9 + 12 + 12);
    CHECK(size_of(&(jali_reasons_words){ .up_to = 2 }) == 10 + 33);
    CHECK(size_of(&(jali_reasons_words){ .length = 3 }) == 36);
    CHECK(size_of(&(jali_reasons_words){ .inequalities = true }) == 10 + 4);
    CHECK(size_of(&(jali_reasons_words){ .column = one, .n_columns = 1 }) == 4);
    CHECK(size_of(&(jali_reasons_words){ .column = two, .n_columns = 2, .length = 2 }) == 9);
    CHECK(size_of(&(jali_reasons_words){ .either = "from,to" }) == 4); /* x y z w */
    CHECK(size_of(&(jali_reasons_words){ .either = "from,to", .length = 1 }) == 14);
    CHECK(size_of(&(jali_reasons_words){
              .predicates = "age < 30\n# no\n\nage <= 29\nNOT \"from\" = 'x'" }) == 2);
}

SENTENCE(predicates_are_told_as_conditions)
{
    UNUSED_STATE;
    asked a;
    jali_why_words w = { .miss = 0.05, .reasons = { .up_to = 2, .inequalities = true } };
    bool bins = false, less = false, both = false;
    CHECK_OK(inquire(&a, average, "b > a", &w, JALI_LAW_GAUSS, 1, 1));
    for (uint64_t i = 0; i < jali_space_size(a.inquiry.reasons.space); i++) {
        char *text;
        CHECK_OK(jali_reasons_text(&a.inquiry.reasons, i, &arena, &text, NULL));
        bins |= strcmp(text, "age BETWEEN 20 AND 39") == 0;
        less |= strcmp(text, "age <= 39") == 0 || strcmp(text, "age < 40") == 0;
        both |= strstr(text, "\"from\" = 'y'") != NULL && strstr(text, " AND ") != NULL;
    }
    CHECK(bins && less && both);
    drop(&a);
}

/* ---- edges and refusals ------------------------------------------------------------------ */

SENTENCE(a_small_space_gives_what_it_has)
{
    UNUSED_STATE;
    asked a;
    const char *one[] = { "from" };
    jali_why_words w = { .miss = 0.05, .top = 50 };
    w.reasons.column = one;
    w.reasons.n_columns = 1;
    CHECK_OK(inquire(&a, average, "b > a", &w, JALI_LAW_GAUSS, 1, 1));
    jali_told told = tell(&a, 3);
    CHECK(told.drawn.k == 3);
    drop(&a);
}

/* An empty group makes every influence 0: drawn all the same, and nothing says so. */
SENTENCE(empty_groups_single_groups_and_equal_ones_are_explained_like_any_other)
{
    UNUSED_STATE;
    static const char *const questions[] = { "a > c", "c > 5", "a > 3", "a + b > 2 * c" };
    static const char *const queries[] = { average, "SELECT g, COUNT(*) FROM t GROUP BY g",
                                           "SELECT g, SUM(v) FROM t GROUP BY g" };
    jali_why_words w = { .miss = 0.05 };
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 3; j++) {
            asked a;
            CHECK_OK(inquire(&a, queries[j], questions[i], &w, JALI_LAW_GAUSS, 1, 1));
            CHECK(tell(&a, i).drawn.k == 5);
            drop(&a);
        }
    asked a;
    CHECK_OK(inquire(&a, "SELECT COUNT(*) FROM t", "all > 5", &w, JALI_LAW_LAPLACE, 1, 1));
    CHECK(tell(&a, 9).drawn.k == 5);
    drop(&a);
}

static const struct {
    jali_why_words w;
    const char *question, *words;
} bad[] = {
    { { .split = "0.5,0.6" }, "b > a", "add up to 1" },
    { { .split = "1,0" }, "b > a", "above 0" },
    { { .split = "0.3" }, "b > a", "--split" },
    { { .split = "0.3,0.3,0.4" }, "b > a", "--split" },
    { { .split = "paper", .ranks = "shared" }, "b > a", "--ranks search" },
    { { .ranks = "serach" }, "b > a", "did you mean search" },
    { { .lower = "0.5" }, "b > a", "--ranks search" },
    { { .lower = "1", .ranks = "search" }, "b > a", "between 0 and 1" },
    { { .constants = "best" }, "b > a", "\"proven\"" },
    { { .reasons = { .length = 2, .up_to = 2 } }, "b > a", "not both" },
    { { .reasons = { .length = 4 } }, "b > a", "at most 3" },
    { { .reasons = { .either = "from" } }, "b > a", "two columns" },
    { { .reasons = { .either = "from,form" } }, "b > a", "did you mean \"from\"" },
    { { .reasons = { .either = "from,from" } }, "b > a", "twice" },
    { { .reasons = { .predicates = "\n# nothing\n" } }, "b > a", "is empty" },
    { { .reasons = { .predicates = "age < 30\nagee > 3" } }, "b > a", "line 2" },
    { { .top = 1001 }, "b > a", "" },
    { { .top = 5 }, "b / a > 2", "weighted sums" },
};

SENTENCE(what_cannot_be_explained_is_refused_before_it_is_paid)
{
    UNUSED_STATE;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        asked a;
        jali_why_words w = bad[i].w;
        w.miss = 0.05;
        jali_status status = inquire(&a, average, bad[i].question, &w, JALI_LAW_GAUSS, 1, 1);
        if (status != JALI_E_USAGE || strstr(err.text, bad[i].words) == NULL)
            print_error("%zu: %s\n", i, err.text);
        assert_int_equal(status, JALI_E_USAGE);
        CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, bad[i].words);
    }
}

SENTENCE(columns_of_the_question_cannot_explain_it)
{
    UNUSED_STATE;
    static const struct {
        const char *name[2], *words;
        size_t n;
    } lists[] = { { { "g" }, "part of the question", 1 },
                  { { "v" }, "part of the question", 1 },
                  { { "ago" }, "did you mean \"age\"", 1 },
                  { { "big" }, "bins", 1 },
                  { { "age", "age" }, "twice", 2 } };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        asked a;
        jali_why_words w = { .miss = 0.05 };
        w.reasons.column = lists[i].name;
        w.reasons.n_columns = lists[i].n;
        CHECK(inquire(&a, average, "b > a", &w, JALI_LAW_GAUSS, 1, 1) == JALI_E_USAGE);
        CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, lists[i].words);
    }
}

SENTENCE(a_body_that_is_no_explanation_is_refused)
{
    UNUSED_STATE;
    jali_told told;
    static const char *const bodies[] = { "{}", "{\"kind\":\"ask\"}", "[]" };
    for (size_t i = 0; i < 3; i++)
        CHECK(jali_told_read(&told, bodies[i], strlen(bodies[i]), &arena, &err) ==
              JALI_E_LEDGER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_planted_reason_comes_first_whatever_is_asked),
        TEST(a_why_never_costs_more_than_its_budget),
        TEST(equal_questions_are_one_plan),
        TEST(counts_of_a_column_leave_its_missing_values_out),
        TEST(spaces_have_the_predicates_that_were_asked_for),
        TEST(predicates_are_told_as_conditions),
        TEST(a_small_space_gives_what_it_has),
        TEST(empty_groups_single_groups_and_equal_ones_are_explained_like_any_other),
        TEST(what_cannot_be_explained_is_refused_before_it_is_paid),
        TEST(columns_of_the_question_cannot_explain_it),
        TEST(a_body_that_is_no_explanation_is_refused),
    };
    return cmocka_run_group_tests(tests, make_table, drop_table);
}
