/* Refutes grow.tree and grow.means if it can: what a tree spends, that its function of codes is
 * its own labels, what it finds, and what it does where nothing can be cut. */
#include "explain/cluster/grow.h"
#include "table.h"
#include "tally/pass.h"

static const char *const numbers[] = { "x", "y", "job", "flag" };
static const char *const constant[] = { "z" };

typedef struct grown {
    table t;
    asked a;
    jali_cluster_run run;
    jali_frame frame;
    jali_grow how;
    jali_marks *marks;
    jali_grown tree;
} grown;

static void grown_open(grown *g, double budget, size_t rows, const char *const *columns,
                       size_t n, unsigned depth, bool again, jali_dice *dice)
{
    table_plant(&g->t, rows);
    CHECK_OK(table_ask(&g->t, &g->a, "refined", JALI_LAW_GAUSS, budget, 0, columns, n, NULL, 0,
                       NULL));
    g->run =
        (jali_cluster_run){ &g->a.ask, g->t.columns, &g->a.charge, dice, NULL, &g->t.arena };
    CHECK_OK(jali_frame_make(&g->frame, &g->a.geometry, NULL, NULL, &g->t.arena, NULL));
    CHECK_OK(jali_marks_new(&g->marks, g->t.columns, &g->t.arena, NULL));
    g->how = (jali_grow){ .cells = 64, .depth = depth, .least = 5, .again = again };
    g->how.split = (jali_split){ 3600, 1680, 5000, 1, 12 };
    for (unsigned i = 0; i <= depth; i++) g->how.count[i] = (uint64_t)(budget * 1e12 / 40);
    for (unsigned i = 0; i < depth; i++) g->how.choice[i] = (uint64_t)(budget * 1e12 / 40);
    CHECK_OK(jali_grow_tree(&g->run, &g->frame, &g->how, g->marks, &g->tree, NULL));
}

/* grow.tree: the function of codes gives every row the leaf that the passes gave it, and the
 * released counts are near the truth. */
static void tree_of_codes(bool again)
{
    static grown g;
    jali_partition p;
    jali_dice *dice = seeded_dice(6);
    grown_open(&g, 100, 3000, numbers, 4, 4, again, dice);
    CHECK(g.tree.leaves >= 3);
    CHECK_OK(jali_grow_partition(&g.tree, &g.t.arena, &p, NULL));
    CHECK(p.labels == g.tree.leaves);
    int64_t *count = calloc(p.labels, sizeof *count);
    for (size_t r = 0; r < 3000; r++) {
        uint64_t code[] = { g.t.x[r], g.t.y[r], g.t.job[r], g.t.flag[r] };
        uint32_t leaf = jali_partition_of(&p, code);
        CHECK(leaf == g.tree.node[g.marks->at[r]].leaf);
        count[leaf]++;
    }
    for (size_t v = 0; v < g.tree.n; v++)
        if (g.tree.node[v].left < 0)
            CHECK(llabs(g.tree.node[v].count - count[g.tree.node[v].leaf]) < 20);
    free(count);
    table_close(&g.t);
    jali_dice_free(dice);
}

SENTENCE(the_tree_of_codes_is_the_tree_that_was_grown)
{
    UNUSED_STATE;
    tree_of_codes(false);
    tree_of_codes(true);
}

static void spends_its_levels(bool again)
{
    static grown g;
    double *centre, *spread;
    jali_dice *dice = seeded_dice(6);
    grown_open(&g, 0.02, 3000, numbers, 4, 3, again, dice);
    uint64_t paid = g.a.ask.loss.rho_pico, all = 7 * g.how.count[0];
    CHECK(paid - jali_charge_left(&g.a.charge).rho_pico <= all);
    CHECK(paid - jali_charge_left(&g.a.charge).rho_pico + 100 > 3 * g.how.count[0]);
    uint64_t before = jali_charge_left(&g.a.charge).rho_pico;
    CHECK_OK(jali_grow_means(&g.run, &g.tree, 1000000, &centre, &spread, NULL));
    CHECK(before - jali_charge_left(&g.a.charge).rho_pico == 1000000);
    table_close(&g.t);
    jali_dice_free(dice);
}

SENTENCE(a_tree_spends_its_levels_and_means_their_part)
{
    UNUSED_STATE;
    spends_its_levels(false);
    spends_its_levels(true);
}

/* grow.tree: one budget a level, whether its nodes are new or tried again; and trying again
 * finds more of what is there. Seeds are fixed: nothing here can fail by chance. */
SENTENCE(a_refused_cut_is_tried_again_and_costs_no_more)
{
    UNUSED_STATE;
    uint64_t leaves[2] = { 0 };
    for (uint64_t seed = 1; seed <= 40; seed++)
        for (int again = 0; again < 2; again++) {
            static grown g;
            jali_dice *dice = seeded_dice(seed);
            grown_open(&g, 0.1, 3000, numbers, 4, 6, again == 1, dice);
            CHECK(g.a.ask.loss.rho_pico - jali_charge_left(&g.a.charge).rho_pico <=
                  13 * g.how.count[0]);
            leaves[again] += g.tree.leaves;
            table_close(&g.t);
            jali_dice_free(dice);
        }
    CHECK(leaves[1] > leaves[0] + leaves[0] / 10);
}

/* grow.means: with hardly any noise a leaf's centre is the mean of its rows. */
SENTENCE(means_are_those_of_the_leaves)
{
    UNUSED_STATE;
    static grown g;
    double *centre, *spread, sum[64] = { 0 }, rows[64] = { 0 };
    jali_dice *dice = seeded_dice(6);
    grown_open(&g, 1000, 3000, numbers, 4, 3, false, dice);
    CHECK_OK(jali_grow_means(&g.run, &g.tree, 100000000000000, &centre, &spread, NULL));
    for (size_t r = 0; r < 3000; r++) {
        uint32_t leaf = g.tree.node[g.marks->at[r]].leaf;
        sum[leaf] += g.t.x[r];
        rows[leaf]++;
    }
    for (uint32_t l = 0; l < g.tree.leaves; l++)
        if (rows[l] > 100)
            CHECK(fabs(jali_frame_out(&g.frame, 0, centre[l * g.frame.n]) * 1000 -
                       sum[l] / rows[l]) < 8);
    table_close(&g.t);
    jali_dice_free(dice);
}

SENTENCE(a_root_that_cannot_be_cut_is_a_leaf_with_a_count)
{
    UNUSED_STATE;
    static grown g;
    jali_partition p;
    jali_dice *dice = seeded_dice(6);
    grown_open(&g, 100, 500, constant, 1, 4, true, dice);
    CHECK(g.tree.n == 1 && g.tree.leaves == 1 && llabs(g.tree.node[0].count - 500) < 20);
    CHECK_OK(jali_grow_partition(&g.tree, &g.t.arena, &p, NULL));
    CHECK(p.labels == 1 && p.nodes == 0);
    table_close(&g.t);
    jali_dice_free(dice);
}

/* A root cut in two, its right side cut again: leaves a (node 1), b and c (nodes 3, 4), 100
 * rows each, with means at 0, at and at + gap, spread 1 in both coordinates. Returns the leaves
 * that are left; *mean is the first coordinate of the last one. */
static uint32_t folded(double at, double gap, double *mean)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_frame frame = { .n = 2 };
    jali_grown_node node[5] = {
        { .count = 300, .variance = 9, .left = 1, .right = 2 },
        { .count = 100, .variance = 9, .left = -1, .right = -1, .leaf = 0 },
        { .count = 206, .variance = 18, .left = 3, .right = 4 },
        { .count = 100, .variance = 9, .left = -1, .right = -1, .leaf = 1 },
        { .count = 100, .variance = 9, .left = -1, .right = -1, .leaf = 2 },
    };
    jali_grown t = { .frame = &frame, .n = 5, .node = node, .leaves = 3 };
    double centre[6] = { 0, 0, at, 0, at + gap, 0 }, spread[3] = { 1, 1, 1 };
    CHECK_OK(jali_grow_fold(&t, centre, spread, &arena, NULL));
    CHECK(t.n == 2 * t.leaves - 1);
    if (t.leaves == 2) { /* both counts of 200 and the 206 of their own, equally sure */
        CHECK(node[2].left == -1 && node[2].leaf == 1 && node[2].count == 203);
        CHECK(fabs(node[2].variance - 9) < 1e-9 && fabs(spread[1] - sqrt(0.5)) < 1e-9);
    }
    *mean = centre[2 * (t.leaves - 1)];
    jali_arena_clear(&arena);
    return t.leaves;
}

/* The cut of two leaves of n rows pays if n/2 (gap^2 - 2 * 2) > 2 (2n - n), that is gap^2 > 8.
 */
SENTENCE(a_cut_that_does_not_pay_for_its_noise_is_undone)
{
    UNUSED_STATE;
    double mean;
    CHECK(folded(50, 50, &mean) == 3 && mean == 100);
    CHECK(folded(50, 3, &mean) == 3); /* 9 */
    CHECK(folded(50, 2, &mean) == 2 && mean == 51);
    CHECK(folded(1, 2, &mean) == 1 && fabs(mean - 2 * 203.0 / 303) < 1e-9);
}

SENTENCE(the_usual_gap_is_that_of_a_normal)
{
    UNUSED_STATE;
    double sum = 0, all = 0;
    for (double x = -8; x <= 8; x += 0.001) {
        double phi = exp(-x * x / 2) / sqrt(2 * acos(-1));
        sum += phi * exp(-phi * JALI_USUAL_GAP);
        all += phi;
    }
    CHECK(fabs(sum / all - 0.35) < 1e-7);
}

RUN_ALL(TEST(the_usual_gap_is_that_of_a_normal),
        TEST(a_cut_that_does_not_pay_for_its_noise_is_undone),
        TEST(the_tree_of_codes_is_the_tree_that_was_grown),
        TEST(a_tree_spends_its_levels_and_means_their_part),
        TEST(a_refused_cut_is_tried_again_and_costs_no_more),
        TEST(means_are_those_of_the_leaves),
        TEST(a_root_that_cannot_be_cut_is_a_leaf_with_a_count))
