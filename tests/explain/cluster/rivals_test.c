/* Refutes lloyd.release, lsh.release, cover.release, grid.release and modes.release if it can:
 * what they spend, what they find when noise is small, what they make of nothing. Their privacy
 * is that of the parts (means, each, choose, noise), each attacked in its own test; here every
 * run is paid by a receipt that cannot be overdrawn. */
#include "table.h"

static const char *const numbers[] = { "x", "y" }, *const categories[] = { "job", "flag" };
static const char *const one[] = { "x" }, *const constant[] = { "z", "y" };

typedef struct rival {
    const char *name;
    bool by_category;
    const char *option;
} rival;

static const rival rivals[] = { { "lloyd", false, NULL },    { "lsh", false, NULL },
                                { "cover", false, NULL },    { "grid", false, NULL },
                                { "grid", false, "step=0" }, { "modes", true, NULL } };
enum { RIVALS = 6 };

static double nearest(const jali_clustering *c, const double *at)
{
    double best = INFINITY;
    for (uint32_t l = 0; l < c->partition.labels; l++)
        best = fmin(
            best, hypot(c->centre[2 * l] * 1000 - at[0], c->centre[2 * l + 1] * 1000 - at[1]));
    return best;
}

/* With hardly any noise each finds the three planted clusters. Lloyd begins anywhere and may
 * stay in a poor place, as k-means does: it is given more centres. */
static void finds(const rival *r, jali_law law, double budget)
{
    static table t;
    asked a;
    jali_clustering c = { 0 };
    jali_dice *dice = seeded_dice(20261116);
    table_plant(&t, 3000);
    uint32_t k = strcmp(r->name, "lloyd") == 0 ? 12 : 3;
    CHECK_OK(table_ask(&t, &a, r->name, law, budget, k, r->by_category ? categories : numbers,
                       2, &r->option, r->option != NULL, NULL));
    CHECK_OK(table_run(&t, &a, dice, &c, NULL));
    CHECK(c.partition.labels == k && c.size != NULL);
    CHECK(r->by_category == (c.centre_spread == NULL)); /* centres tell what noise did */
    for (int i = 0; !r->by_category && i < 3; i++) CHECK(nearest(&c, table_planted[i]) < 40);
    if (r->by_category) { /* the records that were planted are among the modes */
        unsigned seen = 0;
        for (uint32_t l = 0; l < k; l++) seen |= 1u << c.partition.mode[2 * l];
        CHECK(seen == 7);
    }
    int64_t sum = 0;
    for (uint32_t l = 0; l < k; l++) sum += c.size[l];
    CHECK(sum > 2900 && sum < 3100);
    json_decref(c.told);
    jali_dice_free(dice);
    table_close(&t);
}

SENTENCE(with_little_noise_planted_clusters_are_found)
{
    UNUSED_STATE;
    for (size_t i = 0; i < RIVALS; i++) {
        finds(&rivals[i], JALI_LAW_LAPLACE, 2000);
        finds(&rivals[i], JALI_LAW_GAUSS, 2000);
    }
}

/* The receipt refuses an overdraft, so what is left tells that the parts add up. */
static void spends(const rival *r, jali_law law, double budget)
{
    static table t;
    asked a;
    jali_clustering c = { 0 };
    jali_dice *dice = seeded_dice(5);
    table_plant(&t, 600);
    CHECK_OK(table_ask(&t, &a, r->name, law, budget, 4, r->by_category ? categories : numbers,
                       2, &r->option, r->option != NULL, NULL));
    CHECK_OK(table_run(&t, &a, dice, &c, NULL));
    jali_loss left = jali_charge_left(&a.charge), all = a.ask.loss;
    double rest = law == JALI_LAW_GAUSS ? (double)left.rho_pico / (double)all.rho_pico
                                        : (double)left.eps_pico / (double)all.eps_pico;
    CHECK(rest < 1e-4); /* and hardly anything is wasted */
    json_decref(c.told);
    jali_dice_free(dice);
    table_close(&t);
}

SENTENCE(the_whole_budget_is_spent_and_no_more)
{
    UNUSED_STATE;
    for (size_t i = 0; i < RIVALS; i++) {
        spends(&rivals[i], JALI_LAW_LAPLACE, 1);
        spends(&rivals[i], JALI_LAW_GAUSS, 0.02);
    }
}

/* No rows, one row, equal rows, one axis, a column of one value: k labels and k sizes. */
static void stands(const rival *r, size_t rows, bool equal, const char *const *columns,
                   size_t n, jali_law law)
{
    static table t;
    asked a;
    jali_clustering c = { 0 };
    jali_dice *dice = seeded_dice(11);
    table_plant(&t, rows);
    for (size_t i = 0; equal && i < rows; i++) t.x[i] = t.y[i] = 1001; /* NULL throughout */
    CHECK_OK(table_ask(&t, &a, r->name, law, 0.5, 4, columns, n, &r->option, r->option != NULL,
                       NULL));
    CHECK_OK(table_run(&t, &a, dice, &c, NULL));
    CHECK(c.partition.labels >= 1 && c.partition.labels <= 4 && c.size != NULL);
    for (size_t i = 0; c.centre != NULL && i < c.partition.labels * n; i++)
        CHECK(c.centre[i] >= -1e-9 && c.centre[i] <= 1 + 1e-3);
    json_decref(c.told);
    jali_dice_free(dice);
    table_close(&t);
}

SENTENCE(poor_tables_have_defined_results)
{
    UNUSED_STATE;
    for (size_t i = 0; i < RIVALS; i++)
        for (int law = 0; law < 2; law++) {
            const char *const *two = rivals[i].by_category ? categories : numbers;
            stands(&rivals[i], 0, false, two, 2, law == 0 ? JALI_LAW_LAPLACE : JALI_LAW_GAUSS);
            stands(&rivals[i], 1, false, two, 2, law == 0 ? JALI_LAW_LAPLACE : JALI_LAW_GAUSS);
            stands(&rivals[i], 50, true, two, 2, law == 0 ? JALI_LAW_LAPLACE : JALI_LAW_GAUSS);
            stands(&rivals[i], 90, false, one, 1, JALI_LAW_GAUSS);
            stands(&rivals[i], 90, false, constant, 2, JALI_LAW_GAUSS);
        }
}

static void is_refused(const char *method, double budget, uint32_t k, const char *option,
                       const char *words)
{
    static table t;
    asked a;
    jali_err err = { 0 };
    table_plant(&t, 3);
    const char *const options[] = { option };
    CHECK(table_ask(&t, &a, method, JALI_LAW_GAUSS, budget, k, numbers, 2, options,
                    option != NULL, &err) == JALI_E_USAGE);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, words);
    table_close(&t);
}

SENTENCE(what_cannot_be_done_is_refused_before_it_is_paid)
{
    UNUSED_STATE;
    for (size_t i = 0; i < RIVALS; i++) {
        is_refused(rivals[i].name, 1e-11, 4, NULL, "too small");
        is_refused(rivals[i].name, 1, 0, NULL, "--clusters K");
        is_refused(rivals[i].name, 1, 4, "sizes=1.5", "share of the budget");
    }
    is_refused("lloyd", 1, 4, "rounds=2.5", "whole number");
    is_refused("lsh", 1, 4, "depth=99", "whole number");
    is_refused("cover", 1, 5000, NULL, "at most 1000");
    is_refused("grid", 1, 4, "count=0.99", "leave less");
    is_refused("grid", 1, 4, "step=-0.1", "share of the budget");
    is_refused("grid", 1, 4, "step=0.95", "leave less");
    is_refused("modes", 1, 4, "rounds=0", "whole number");
}

SENTENCE(rules_are_free_and_first_match_wins)
{
    UNUSED_STATE;
    static table t;
    asked a;
    jali_clustering c = { 0 };
    const char *const option[] = { "rules=x < 300; job = 'b' OR y IS NULL\n" };
    const uint64_t code[][3] = {
        { 10, 1, 5 }, { 400, 1, 5 }, { 400, 0, 1001 }, { 1001, 2, 5 }
    };
    const uint32_t label[] = { 0, 1, 1, 2 };
    table_plant(&t, 10);
    CHECK_OK(table_ask(&t, &a, "rules", JALI_LAW_GAUSS, 0, 0, numbers, 2, option, 1, NULL));
    CHECK(jali_loss_is_zero(a.ask.loss));
    CHECK_OK(table_run(&t, &a, NULL, &c, NULL));
    CHECK(c.partition.labels == 3 && c.size == NULL);
    for (size_t i = 0; i < 4; i++) {
        uint64_t own[3];
        for (size_t k = 0; k < c.partition.n; k++) {
            const char *name = c.partition.columns[k];
            own[k] = code[i][strcmp(name, "x") == 0 ? 0 : strcmp(name, "job") == 0 ? 1 : 2];
        }
        CHECK(jali_partition_of(&c.partition, own) == label[i]);
    }
    table_close(&t);
}

SENTENCE(a_mistaken_rule_is_named_by_its_number)
{
    UNUSED_STATE;
    is_refused("rules", 0, 0, "rules=x < 5; jobs = 'a'", "rule 2");
    is_refused("rules", 0, 0, "rules= ; \n", "no rule");
    is_refused("given", 0, 0, "json={\"kind\":\"nonsense\"}", "");
}

SENTENCE(a_clustering_comes_back_from_its_json)
{
    UNUSED_STATE;
    static table t;
    asked a, b;
    jali_clustering c = { 0 }, d = { 0 };
    jali_dice *dice = seeded_dice(2);
    json_t *value;
    char *text, *word;
    table_plant(&t, 300);
    CHECK_OK(table_ask(&t, &a, "lsh", JALI_LAW_GAUSS, 5, 3, numbers, 2, NULL, 0, NULL));
    CHECK_OK(table_run(&t, &a, dice, &c, NULL));
    CHECK_OK(jali_partition_to_json(&c.partition, &value, NULL));
    CHECK_OK(jali_json_canonical(value, &t.arena, &text, NULL));
    word = jali_arena_format(&t.arena, "json=%s", text);
    const char *const option[] = { word };
    CHECK_OK(table_ask(&t, &b, "given", JALI_LAW_GAUSS, 0, 0, numbers, 2, option, 1, NULL));
    CHECK_OK(table_run(&t, &b, NULL, &d, NULL));
    for (uint64_t x = 0; x < 1002; x += 77)
        for (uint64_t y = 0; y < 1002; y += 91) {
            const uint64_t code[] = { x, y };
            CHECK(jali_partition_of(&c.partition, code) ==
                  jali_partition_of(&d.partition, code));
        }
    json_decref(value);
    json_decref(c.told);
    jali_dice_free(dice);
    table_close(&t);
}

RUN_ALL(TEST(with_little_noise_planted_clusters_are_found),
        TEST(the_whole_budget_is_spent_and_no_more), TEST(poor_tables_have_defined_results),
        TEST(what_cannot_be_done_is_refused_before_it_is_paid),
        TEST(rules_are_free_and_first_match_wins), TEST(a_mistaken_rule_is_named_by_its_number),
        TEST(a_clustering_comes_back_from_its_json))
