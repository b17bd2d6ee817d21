/* Refutes contrast.plan if it can: receipts, truth when noise is nothing, refusals, and all the
 * tables that are hardly tables. */
#include "explain/contrast/region.h"
#include "explain/contrast/town.h"

static town t;

static void check_cost(size_t n, bool squared, jali_law law, unsigned long eps)
{
    jali_view v;
    char *body;
    jali_contrast_ask ask = town_question(n, 3, squared);
    CHECK_OK(town_plan(&t, &ask, law, eps, 1, 4, &body, NULL));
    CHECK_OK(jali_view_open(&v, body, strlen(body), true, NULL, &t.arena, NULL));
    double truth = town_cost(&t, v.release.centre, 3, n, squared);
    CHECK(fabs(v.cost - truth) < 0.05 * truth);
    CHECK(fabs(v.cost - truth) < 4 * v.cost_error);
}

SENTENCE(a_plan_without_much_noise_tells_the_true_cost)
{
    UNUSED_STATE;
    town_fill(&t, 6000);
    town_open(&t, 1);
    check_cost(1, false, JALI_LAW_LAPLACE, 20);
    check_cost(2, false, JALI_LAW_LAPLACE, 20);
    check_cost(2, true, JALI_LAW_LAPLACE, 20);
    check_cost(2, false, JALI_LAW_GAUSS, 20);
    check_cost(3, false, JALI_LAW_LAPLACE, 40);
    town_close(&t);
}

/* The heaps of town_fill are found, and asking for a centre far out costs what brute force
 * says. */
SENTENCE(contrast_is_what_moving_a_centre_costs)
{
    UNUSED_STATE;
    jali_view v;
    jali_contrast_ask ask = town_question(2, 3, false);
    double best = INFINITY, at[] = { 95, 95 }, trial[6];
    town_fill(&t, 6000);
    town_open(&t, 1);
    town_view(&t, &ask, 20, 1, &v);
    double base = town_cost(&t, v.release.centre, 3, 2, false);
    for (int gone = 0; gone < 3; gone++) { /* two of the heaps, or between two of them */
        for (double mix = 0; mix <= 1; mix += 0.05) {
            const double *c = v.release.centre;
            memcpy(trial, at, sizeof at);
            for (int a = 0; a < 2; a++) {
                trial[2 + a] = c[2 * ((gone + 1) % 3) + a];
                trial[4 + a] = (1 - mix) * c[2 * ((gone + 2) % 3) + a] + mix * c[2 * gone + a];
            }
            best = fmin(best, town_cost(&t, trial, 3, 2, false));
        }
    }
    jali_contrast_answer a = town_ask(&t, &v, at);
    CHECK(fabs(a.extra - (best - base)) < 0.03 * (best - base));
    CHECK(fabs(a.extra - (best - base)) < 4 * a.error);
    town_close(&t);
}

SENTENCE(weights_move_the_centres)
{
    UNUSED_STATE;
    jali_view plain, heavy;
    jali_contrast_ask ask = town_question(2, 1, false);
    town_fill(&t, 6000);
    for (size_t i = 0; i < t.rows; i++) t.people[i] = i % 3 == 2 ? 49 : 0; /* 50 or 1 */
    town_open(&t, 1);
    town_view(&t, &ask, 20, 1, &plain);
    ask.weight = "w";
    town_view(&t, &ask, 20, 1, &heavy);
    CHECK(fabs(plain.release.centre[1] - 80) > 10); /* between the heaps    */
    CHECK(fabs(heavy.release.centre[1] - 80) < 3);  /* on the heavy one     */
    CHECK(fabs(heavy.weights.total - 50 * 2000 - 4000) < 2000);
    town_close(&t);
}

SENTENCE(many_columns_are_projected_and_brought_back)
{
    UNUSED_STATE;
    jali_view v;
    jali_contrast_ask ask = town_question(6, 3, true);
    double home[] = { 20, 30, 20, 30, 20, 30 }, nearest = INFINITY;
    town_fill(&t, 6000);
    town_open(&t, 1);
    town_view(&t, &ask, 40, 1, &v);
    CHECK(v.release.project.n == 6 && v.release.coreset.dims == 3);
    for (size_t c = 0; c < 3; c++) {
        double far = 0;
        for (size_t a = 0; a < 6; a++) far += pow(v.release.centre[6 * c + a] - home[a], 2);
        nearest = fmin(nearest, sqrt(far));
    }
    CHECK(nearest < 12); /* heaps are 77 apart */
    CHECK(town_ask(&t, &v, home).extra >= 0);
    town_close(&t);
}

/* ---- hardly a table --------------------------------------------------------------------- */

static void survives(size_t n, size_t centres, bool tight, unsigned long num, unsigned long den)
{
    for (int squared = 0; squared < 2; squared++) {
        jali_view v;
        jali_contrast_ask ask = town_question(n, centres, squared);
        double inside[] = { 50, 50, 50, 50 }, outside[] = { 1e6, -1e6, 1e6, 0 };
        ask.tight = tight;
        town_open(&t, 1);
        town_view(&t, &ask, num, den, &v);
        for (size_t i = 0; i < centres * n; i++)
            CHECK(isfinite(v.release.centre[i]) && fabs(v.release.centre[i]) < 200);
        jali_contrast_answer in = town_ask(&t, &v, inside), out = town_ask(&t, &v, outside);
        CHECK(isfinite(in.extra) && isfinite(in.error) && in.extra >= 0);
        CHECK(isfinite(out.extra) && isfinite(out.error) && out.extra >= 0);
        CHECK(jali_view_inside(&v, inside) && !jali_view_inside(&v, outside));
        CHECK(isfinite(v.cost) && isfinite(v.cost_error));
        double *error;
        CHECK_OK(jali_regions(&v, &t.arena, &error, NULL));
        CHECK((error == NULL) == (n > 3));
        for (size_t i = 0; error != NULL && i < centres * n; i++)
            CHECK(isfinite(error[i]) && error[i] >= 0);
        town_close(&t);
    }
}

static void survives_all(void)
{
    survives(2, 1, false, 1, 1);
    survives(2, 5, false, 1, 1);
    survives(2, 5, true, 1, 1);
    survives(1, 4, false, 1, 1);
    survives(3, 2, false, 1, 1);
    survives(2, 3, false, 1, 100000); /* hardly a budget */
    survives(4, 2, false, 1, 1);
}

SENTENCE(no_rows_one_row_equal_rows_and_nulls_have_answers)
{
    UNUSED_STATE;
    t.rows = 0;
    survives_all();
    t.rows = 1;
    for (size_t c = 0; c < TOWN_COLUMNS; c++) t.code[c][0] = 300;
    survives_all();
    t.rows = 3000; /* all points equal */
    for (size_t c = 0; c < TOWN_COLUMNS; c++)
        for (size_t i = 0; i < t.rows; i++) t.code[c][i] = 300;
    survives_all();
    for (size_t c = 0; c < TOWN_COLUMNS; c++) /* nothing but NULL */
        for (size_t i = 0; i < t.rows; i++) t.code[c][i] = TOWN_STEPS;
    survives_all();
    t.rows = 3; /* more centres than points */
    for (size_t c = 0; c < TOWN_COLUMNS; c++)
        for (size_t i = 0; i < 3; i++) t.code[c][i] = (uint16_t)(100 + 300 * i);
    survives(2, 64, false, 1, 1);
    survives(2, 8, false, 1000, 1);
}

/* All points in one place, and little noise: the plan costs nothing, an answer nearly the
 * distance times the rows that the free centres cannot reach: none. */
SENTENCE(coincident_points_are_one_heavy_point)
{
    UNUSED_STATE;
    jali_view v;
    jali_contrast_ask ask = town_question(2, 2, false);
    double there[] = { 30, 30 }, away[] = { 80, 30 };
    t.rows = 4000;
    for (size_t i = 0; i < t.rows; i++) t.code[0][i] = t.code[1][i] = 300;
    town_open(&t, 1);
    town_view(&t, &ask, 50, 1, &v);
    CHECK(v.cost < 4000 * 0.3);
    CHECK(town_ask(&t, &v, there).extra < 4000 * 0.1);
    CHECK(town_ask(&t, &v, away).extra < 4000 * 0.1);
    ask.centres = 1;
    town_view(&t, &ask, 50, 1, &v);
    CHECK(fabs(town_ask(&t, &v, away).extra - 4000 * 50) < 4000);
    town_close(&t);
}

/* ---- refusals and price ------------------------------------------------------------------ */

static void refused(jali_contrast_ask ask, const char *words)
{
    jali_err err;
    char *body;
    CHECK(town_plan(&t, &ask, JALI_LAW_LAPLACE, 1, 1, 1, &body, &err) != JALI_OK);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, words);
}

SENTENCE(what_makes_no_sense_is_refused_before_it_costs)
{
    UNUSED_STATE;
    jali_err err;
    char *body;
    const char *twice[] = { "a", "a" }, *word[] = { "g" };
    double low[] = { 5, 50 }, high[] = { 5, 60 };
    town_fill(&t, 10);
    town_open(&t, 1);
    jali_contrast_ask ask = town_question(2, 5, false);
    refused(town_question(0, 5, false), "1 to 64 columns");
    refused(town_question(2, 0, false), "1 to 64 centres");
    refused(town_question(2, 65, false), "1 to 64 centres");
    ask.column = twice;
    refused(ask, "named twice");
    ask.column = word;
    ask.n = 1;
    refused(ask, "has no distances");
    ask = town_question(2, 5, false);
    ask.weight = "g";
    refused(ask, "cannot be a weight");
    ask = town_question(2, 5, false);
    ask.cap = 10;
    refused(ask, "256 to 20000 cells");
    ask = town_question(2, 5, false);
    ask.low = low;
    ask.high = high;
    refused(ask, "the smaller first");
    ask = town_question(4, 5, false);
    ask.tight = true;
    refused(ask, "at most 3 columns");
    ask = town_question(2, 5, false);
    CHECK(town_plan(&t, &ask, JALI_LAW_LAPLACE, 1, 1ul << 60, 1, &body, &err) == JALI_E_USAGE);
    town_close(&t);
}

/* The means of many columns are summed after the charge; a column that cannot be summed was
 * refused only then. */
SENTENCE(a_column_too_fine_to_be_summed_is_refused_before_it_costs)
{
    UNUSED_STATE;
    static const char text[] =
        "{\"name\":\"t\",\"fields\":["
        "{\"name\":\"a\",\"type\":\"number\",\"constraints\":{\"minimum\":0,"
        "\"maximum\":1000000},\"jali\":{\"step\":\"0.0001\"}},"
        "{\"name\":\"b\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":9}},"
        "{\"name\":\"c\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":9}},"
        "{\"name\":\"d\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":9}}]}";
    static const uint64_t fine[] = { 1, 2 };
    static const uint8_t few[] = { 1, 2 };
    const jali_column made[] = { { "a", 8, 10000000002u, 2, fine },
                                 { "b", 1, 11, 2, few },
                                 { "c", 1, 11, 2, few },
                                 { "d", 1, 11, 2, few } };
    jali_arena arena = JALI_ARENA_INIT;
    jali_schema schema;
    jali_columns *columns;
    jali_contrast c;
    jali_err err = { 0 };
    jali_contrast_ask ask = town_question(4, 2, false);
    mpq_t budget;
    mpq_init(budget);
    mpq_set_ui(budget, 1, 1);
    CHECK_OK(jali_schema_parse(&schema, text, strlen(text), "schema", &arena, NULL));
    CHECK_OK(jali_columns_borrow(&columns, made, 4, NULL));
    CHECK_OK(
        jali_contrast_init(&c, &schema, &ask, JALI_LAW_LAPLACE, budget, "1", &arena, NULL));
    CHECK(jali_contrast_bind(&c, columns, &arena, &err) == JALI_E_USAGE);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "a sum could overflow");
    jali_contrast_clear(&c);
    jali_columns_free(columns);
    jali_arena_clear(&arena);
    mpq_clear(budget);
}

/* contrast.plan's price for persons of several rows: the same charge, larger noise. */
SENTENCE(rows_of_a_person_make_noise_larger_and_cost_the_same)
{
    UNUSED_STATE;
    jali_view one, five;
    jali_contrast_ask ask = town_question(2, 3, false);
    town_fill(&t, 1000);
    town_open(&t, 1);
    town_view(&t, &ask, 1, 1, &one);
    town_close(&t);
    town_open(&t, 5);
    town_view(&t, &ask, 1, 1, &five);
    CHECK(fabs(five.release.coreset.cell_scale - 5 * one.release.coreset.cell_scale) < 1e-9);
    town_close(&t);
}

SENTENCE(a_smaller_box_counts_what_is_inside)
{
    UNUSED_STATE;
    jali_view v;
    double low[] = { 0, 0 }, high[] = { 40, 50 };
    jali_contrast_ask ask = town_question(2, 1, false);
    ask.low = low;
    ask.high = high;
    town_fill(&t, 6000);
    town_open(&t, 1);
    town_view(&t, &ask, 20, 1, &v);
    CHECK(fabs(v.weights.total - 1800 - 120) < 80); /* one heap and a fifth of the dust */
    CHECK(fabs(v.release.centre[0] - 20) < 2 && fabs(v.release.centre[1] - 30) < 2);
    town_close(&t);
}

RUN_ALL(TEST(a_plan_without_much_noise_tells_the_true_cost),
        TEST(contrast_is_what_moving_a_centre_costs), TEST(weights_move_the_centres),
        TEST(many_columns_are_projected_and_brought_back),
        TEST(no_rows_one_row_equal_rows_and_nulls_have_answers),
        TEST(coincident_points_are_one_heavy_point),
        TEST(what_makes_no_sense_is_refused_before_it_costs),
        TEST(a_column_too_fine_to_be_summed_is_refused_before_it_costs),
        TEST(rows_of_a_person_make_noise_larger_and_cost_the_same),
        TEST(a_smaller_box_counts_what_is_inside))
