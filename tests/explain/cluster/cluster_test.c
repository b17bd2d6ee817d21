/* Refutes cluster.release if it can: the loss is the budget, the body holds what was released
 * and reads back as it was, equal requests have equal plans. */
#include "table.h"

static const char *const mixed[] = { "x", "y", "job" };
static const char *const shuffled[] = { "alpha=5", "cells=64" };

SENTENCE(the_loss_is_the_whole_budget)
{
    UNUSED_STATE;
    static table t;
    asked a;
    table_plant(&t, 30);
    CHECK_OK(table_ask(&t, &a, "refined", JALI_LAW_GAUSS, 0.25, 4, mixed, 3, NULL, 0, NULL));
    CHECK(a.ask.loss.rho_pico == 250000000000 && a.ask.loss.eps_infinite);
    CHECK_OK(table_ask(&t, &a, "dpm", JALI_LAW_LAPLACE, 0.25, 0, mixed, 3, NULL, 0, NULL));
    CHECK(a.ask.loss.eps_pico == 250000000000 && !a.ask.loss.eps_infinite);
    table_close(&t);
}

/* Refused after the charge once: the parts' rho, each rounded up, was more than eps^2/2. */
SENTENCE(a_pure_budget_below_the_grain_of_its_parts_is_refused)
{
    UNUSED_STATE;
    static table t;
    static const char *const every[] = { "refined", "dpm", "lloyd", "lsh", "grid", "cover" };
    asked a;
    jali_err err = { 0 };
    table_plant(&t, 30);
    for (size_t i = 0; i < 6; i++) {
        uint32_t k = i < 2 ? 0 : 3;
        CHECK(table_ask(&t, &a, every[i], JALI_LAW_LAPLACE, 1e-5, k, mixed, 2, NULL, 0, &err) ==
              JALI_E_USAGE);
        CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "give at least 0.00005");
        CHECK_OK(
            table_ask(&t, &a, every[i], JALI_LAW_LAPLACE, 0.0001, k, mixed, 2, NULL, 0, NULL));
    }
    table_close(&t);
}

SENTENCE(more_numbers_than_a_body_holds_are_refused)
{
    UNUSED_STATE;
    static table t;
    asked a;
    jali_err err = { 0 };
    table_plant(&t, 30);
    CHECK_OK(table_ask(&t, &a, "refined", JALI_LAW_GAUSS, 1, 60000, mixed, 2, NULL, 0, NULL));
    a.ask.geometry = &(const jali_geometry){ .schema = &t.schema, .n = 100 };
    CHECK(jali_cluster_plan(&a.ask, &t.arena, &err) == JALI_E_USAGE);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "too many numbers");
    table_close(&t);
}

SENTENCE(equal_requests_have_equal_plans)
{
    UNUSED_STATE;
    static table t;
    asked a, b;
    table_plant(&t, 30);
    CHECK_OK(table_ask(&t, &a, "refined", JALI_LAW_GAUSS, 0.25, 4, mixed, 3, NULL, 0, NULL));
    CHECK_OK(
        table_ask(&t, &b, "refined", JALI_LAW_GAUSS, 0.25, 4, mixed, 3, shuffled, 2, NULL));
    assert_string_equal(a.ask.plan, b.ask.plan);
    CHECK_OK(table_ask(&t, &b, "refined", JALI_LAW_GAUSS, 0.25, 5, mixed, 3, NULL, 0, NULL));
    CHECK(strcmp(a.ask.plan, b.ask.plan) != 0);
    table_close(&t);
}

SENTENCE(a_body_reads_back_as_it_was_written)
{
    UNUSED_STATE;
    static table t;
    asked a;
    jali_clustering c;
    char *body;
    jali_dice *dice = seeded_dice(8);
    table_plant(&t, 1500);
    CHECK_OK(table_ask(&t, &a, "refined", JALI_LAW_GAUSS, 0.5, 4, mixed, 3, NULL, 0, NULL));
    jali_cluster_run run = { &a.ask, t.columns, &a.charge, dice, NULL, &t.arena };
    CHECK_OK(jali_cluster_release(&run, &body, NULL));
    CHECK_OK(jali_cluster_read(&c, body, strlen(body), &t.schema, &t.arena, NULL));
    CHECK(c.partition.labels == 4 && c.geometry->n == 5 && c.size != NULL);
    CHECK(c.geometry->dimension[2].one_hot && c.size_law == JALI_LAW_GAUSS);
    /* A centre is within a step of its coordinates in the partition. */
    for (size_t i = 0; i < 4 * 5; i++) {
        const jali_ruler *r = &c.partition.axis[i % 5];
        if (!r->one_hot) {
            double code = c.centre[i] * (double)(r->domain - 2);
            CHECK(fabs((code - (double)r->low) / jali_ruler_slope(r) - c.partition.centre[i]) <
                  2);
        }
    }
    json_decref(c.told);
    CHECK(jali_cluster_read(&c, "{}", 2, &t.schema, &t.arena, NULL) != JALI_OK);
    jali_dice_free(dice);
    table_close(&t);
}

RUN_ALL(TEST(the_loss_is_the_whole_budget), TEST(more_numbers_than_a_body_holds_are_refused),
        TEST(a_pure_budget_below_the_grain_of_its_parts_is_refused),
        TEST(equal_requests_have_equal_plans), TEST(a_body_reads_back_as_it_was_written))
