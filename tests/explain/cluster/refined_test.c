/* Refutes refined.release and dpm.release if it can: what they spend, what they find, and what
 * they make of tables and budgets that have nothing to find. Every run is paid by a receipt
 * that cannot be overdrawn; the parts are attacked in their own tests. */
#include "table.h"

static const char *const numbers[] = { "x", "y" }, *const one[] = { "x" };
static const char *const constant[] = { "z" }, *const mixed[] = { "x", "y", "job", "z" };
static const char *const centres[] = { "reading=centres" }, *const few[] = { "cells=32" };

typedef struct trial {
    const char *method;
    jali_law law;
    double budget;
    uint32_t k;
    size_t rows;
    const char *const *columns, *const *option;
    size_t n, n_options;
} trial;

static void run_trial(const trial *x, table *t, asked *a, jali_clustering *c)
{
    jali_dice *dice = seeded_dice(20261116);
    jali_err err = { 0 };
    *c = (jali_clustering){ 0 };
    table_plant(t, x->rows);
    CHECK_OK(table_ask(t, a, x->method, x->law, x->budget, x->k, x->columns, x->n, x->option,
                       x->n_options, NULL));
    jali_status status = table_run(t, a, dice, c, &err);
    if (status != JALI_OK) print_message("%s: %s\n", x->method, err.text);
    CHECK_OK(status);
    json_decref(c->told);
    jali_dice_free(dice);
}

static double nearest(const jali_clustering *c, const double *at)
{
    double best = INFINITY;
    for (uint32_t l = 0; l < c->partition.labels; l++)
        best = fmin(
            best, hypot(c->centre[2 * l] * 1000 - at[0], c->centre[2 * l + 1] * 1000 - at[1]));
    return best;
}

static void finds(const trial *x, double within)
{
    static table t;
    asked a;
    jali_clustering c;
    int64_t sum = 0;
    run_trial(x, &t, &a, &c);
    for (int i = 0; i < 3; i++) CHECK(nearest(&c, table_planted[i]) < within);
    for (uint32_t l = 0; l < c.partition.labels; l++) sum += c.size[l];
    CHECK(llabs(sum - (int64_t)x->rows) < 300);
    table_close(&t);
}

SENTENCE(planted_clusters_are_found)
{
    UNUSED_STATE;
    static const trial all[] = {
        { "refined", JALI_LAW_GAUSS, 1, 3, 3000, numbers, NULL, 2, 0 },
        { "refined", JALI_LAW_GAUSS, 1, 0, 3000, numbers, NULL, 2, 0 },
        { "refined", JALI_LAW_LAPLACE, 40, 3, 3000, numbers, NULL, 2, 0 },
        { "dpm", JALI_LAW_GAUSS, 10, 0, 3000, numbers, few, 2, 1 },
        { "dpm", JALI_LAW_LAPLACE, 60, 0, 3000, numbers, centres, 2, 1 },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) finds(&all[i], i < 3 ? 15 : 60);
}

SENTENCE(the_number_of_clusters_is_found_and_its_curve_told)
{
    UNUSED_STATE;
    static table t;
    asked a;
    jali_clustering c = { 0 };
    jali_dice *dice = seeded_dice(1);
    table_plant(&t, 3000);
    CHECK_OK(table_ask(&t, &a, "refined", JALI_LAW_GAUSS, 1, 0, numbers, 2, NULL, 0, NULL));
    CHECK_OK(table_run(&t, &a, dice, &c, NULL));
    CHECK(c.partition.labels == 3);
    CHECK(json_array_size(json_object_get(c.told, "silhouette")) >= 2);
    json_decref(c.told);
    jali_dice_free(dice);
    table_close(&t);
}

/* refined.release, dpm.release: all of the budget is spent, to a millionth, and never more (the
 * receipt would refuse); an early end of the tree may leave its deeper levels' part. */
static double spent(const trial *x)
{
    static table t;
    asked a;
    jali_clustering c;
    run_trial(x, &t, &a, &c);
    jali_loss left = jali_charge_left(&a.charge), all = a.ask.loss;
    table_close(&t);
    return x->law == JALI_LAW_GAUSS ? 1 - (double)left.rho_pico / (double)all.rho_pico
                                    : 1 - (double)left.eps_pico / (double)all.eps_pico;
}

SENTENCE(the_budget_is_spent_and_not_exceeded)
{
    UNUSED_STATE;
    const char *const methods[] = { "refined", "dpm" };
    for (int m = 0; m < 2; m++)
        for (int law = 0; law < 2; law++) {
            trial x = { methods[m],
                        (jali_law)law,
                        law == JALI_LAW_GAUSS ? 0.05 : 3,
                        0,
                        3000,
                        numbers,
                        NULL,
                        2,
                        0 };
            double share = spent(&x);
            CHECK(share > 0.6 && share <= 1);
        }
}

/* One point, all equal (z is constant), d = 1, a constant column, few rows, no row, a budget
 * that splits nothing: a clustering comes out, and every record has a label. */
static void survives(const trial *x)
{
    static table t;
    asked a;
    jali_clustering c;
    uint64_t nothing[8] = { 0 };
    run_trial(x, &t, &a, &c);
    CHECK(c.partition.labels >= 1 && c.size != NULL && c.centre != NULL);
    CHECK(jali_partition_of(&c.partition, nothing) < c.partition.labels);
    for (size_t i = 0; i < c.partition.labels * a.geometry.n; i++) CHECK(isfinite(c.centre[i]));
    table_close(&t);
}

SENTENCE(degenerate_tables_have_defined_results)
{
    UNUSED_STATE;
    const char *const methods[] = { "refined", "dpm" };
    for (int m = 0; m < 2; m++)
        for (int law = 0; law < 2; law++)
            for (int big = 0; big < 2; big++) {
                double budget = big ? 1 : 1e-4;
                uint32_t k = m == 0 && law == 0 ? 5 : 0;
                const trial all[] = {
                    { methods[m], (jali_law)law, budget, k, 0, numbers, NULL, 2, 0 },
                    { methods[m], (jali_law)law, budget, k, 1, numbers, NULL, 2, 0 },
                    { methods[m], (jali_law)law, budget, k, 60, one, NULL, 1, 0 },
                    { methods[m], (jali_law)law, budget, k, 60, constant, NULL, 1, 0 },
                    { methods[m], (jali_law)law, budget, k, 900, mixed, NULL, 4, 0 },
                };
                for (size_t i = 0; i < sizeof all / sizeof *all; i++) survives(&all[i]);
            }
}

SENTENCE(impossible_requests_are_refused_before_anything_is_paid)
{
    UNUSED_STATE;
    static table t;
    asked a;
    jali_err err;
    static const char *const wrong[] = { "q=0.4", "cells=1", "depth=99", "colour=red", "t" };
    static const char *const over[] = { "avg=0.9" }, *const word[] = { "reading=tea" };
    table_plant(&t, 30);
    for (size_t i = 0; i < 5; i++) {
        CHECK(table_ask(&t, &a, "refined", JALI_LAW_GAUSS, 1, 0, numbers, 2, wrong + i, 1,
                        &err) == JALI_E_USAGE);
        CHECK(err.reader == JALI_FOR_ANALYST);
    }
    CHECK(table_ask(&t, &a, "dpm", JALI_LAW_GAUSS, 1, 0, numbers, 2, over, 1, &err) != JALI_OK);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "together");
    CHECK(table_ask(&t, &a, "dpm", JALI_LAW_GAUSS, 1, 0, numbers, 2, word, 1, &err) != JALI_OK);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "boxes");
    CHECK(table_ask(&t, &a, "dpm", JALI_LAW_GAUSS, 1, 7, numbers, 2, NULL, 0, &err) != JALI_OK);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "own number");
    CHECK(table_ask(&t, &a, "refined", JALI_LAW_GAUSS, 5e-12, 0, numbers, 2, NULL, 0, &err) !=
          JALI_OK);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "too small");
    table_close(&t);
}

RUN_ALL(TEST(planted_clusters_are_found),
        TEST(the_number_of_clusters_is_found_and_its_curve_told),
        TEST(the_budget_is_spent_and_not_exceeded),
        TEST(degenerate_tables_have_defined_results),
        TEST(impossible_requests_are_refused_before_anything_is_paid))
