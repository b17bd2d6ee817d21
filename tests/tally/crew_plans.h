/* tests/tally/crew_plans.h — random plans of every kind of label, condition and table that an
 * order can hold. */
#ifndef JALI_TESTS_TALLY_CREW_PLANS_H
#define JALI_TESTS_TALLY_CREW_PLANS_H

#include "plane.h"
#include "tally/cells.h"
#include "tally/groups.h"
#include "tally/partition.h"
#include "tally/planes.h"
#include "tally/project.h"

enum { AXES = 6 };

typedef struct maker {
    const plane *w;
    small dice; /* its seed alone */
    jali_arena arena;
    size_t column_of[AXES];
    int16_t direction[4 * AXES];
    int32_t low[4], step[4];
    uint16_t map[7 * 7 * 7], centre[5 * AXES];
    jali_hash_node node[7];
    jali_cell_grid grid;
    jali_hash_tree tree;
    jali_partition partition;
} maker;

static const char *const names[] = { "c0", "c1", "c2", "c3" };

static uint64_t roll(maker *m, uint64_t n)
{
    return small_roll(&m->dice, n);
}

static uint64_t domain_of(const maker *m, size_t c)
{
    return m->w->data.column[c].domain;
}

static const jali_predicate *random_leaf(maker *m)
{
    size_t c = roll(m, 4);
    uint64_t a = roll(m, domain_of(m, c)), b = roll(m, domain_of(m, c));
    if (roll(m, 5) == 0) return jali_predicate_is_null(&m->arena, names[c], domain_of(m, c));
    return jali_predicate_range(&m->arena, names[c], domain_of(m, c), a < b ? a : b,
                                a < b ? b : a);
}

static const jali_predicate *random_where(maker *m)
{
    const jali_predicate *p = random_leaf(m), *q = random_leaf(m);
    if (roll(m, 3) == 0) p = jali_predicate_not(&m->arena, p);
    return roll(m, 2) ? jali_predicate_and(&m->arena, p, q)
                      : jali_predicate_or(&m->arena, p, q);
}

static jali_projection projection(maker *m, size_t n)
{
    for (size_t j = 0; j < AXES; j++) m->column_of[j] = plane_column(j);
    for (size_t i = 0; i < n * AXES; i++)
        m->direction[i] = (int16_t)((int)roll(m, 2049) - 1024);
    return (jali_projection){ AXES, n, m->w->frame.axis, m->column_of, m->direction };
}

static jali_label by_grid(maker *m)
{
    m->grid = (jali_cell_grid){ projection(m, 3), m->low, m->step, 7, NULL };
    for (size_t k = 0; k < 3; k++) {
        m->low[k] = -(int32_t)roll(m, 8000000);
        m->step[k] = 1 + (int32_t)roll(m, 2000000);
    }
    for (size_t i = 0; i < 343; i++) m->map[i] = (uint16_t)roll(m, 9);
    if (roll(m, 2)) m->grid.map = m->map;
    return (jali_label){ .labels = m->grid.map != NULL ? 9u : 343u,
                         .n = 4,
                         .columns = names,
                         .label = jali_cell_grid_rows,
                         .self = &m->grid,
                         .made = JALI_LABEL_GRID,
                         .of = &m->grid };
}

static jali_label by_tree(maker *m)
{
    static const uint32_t child[7][2] = { { 1, 2 }, { 3, 4 }, { 5, 6 }, { 3, 3 },
                                          { 4, 4 }, { 5, 5 }, { 6, 6 } };
    for (size_t i = 0; i < 7; i++)
        m->node[i] = (jali_hash_node){ { child[i][0], child[i][1] }, (uint16_t)roll(m, 5) };
    for (size_t k = 0; k < 2; k++) m->low[k] = (int32_t)roll(m, 2000000) - 1000000;
    m->tree = (jali_hash_tree){ projection(m, 2), m->low, 7, m->node };
    return (jali_label){ .labels = 5,
                         .n = 4,
                         .columns = names,
                         .label = jali_hash_tree_rows,
                         .self = &m->tree,
                         .made = JALI_LABEL_TREE,
                         .of = &m->tree };
}

static jali_label by_partition(maker *m)
{
    jali_label label;
    const jali_predicate *rule[2] = { random_where(m), random_where(m) };
    for (size_t i = 0; i < 5 * AXES; i++)
        m->centre[i] = (uint16_t)roll(m, m->w->frame.axis[i % AXES].top + 1);
    if (roll(m, 2))
        CHECK_OK(
            jali_partition_centres(&m->partition, &m->w->frame, m->centre, 5, &m->arena, NULL));
    else
        CHECK_OK(jali_partition_rules(&m->partition, &m->w->schema, rule, 2, &m->arena, NULL));
    CHECK_OK(jali_partition_label(&m->partition, &m->arena, &label, NULL));
    return label;
}

static jali_label by_groups(maker *m)
{
    jali_label label;
    jali_groups g = { .n_columns = 2,
                      .column = { "c0", "c2" },
                      .domain = { domain_of(m, 0), domain_of(m, 2) },
                      .n = 3 };
    for (unsigned i = 0; i < 3; i++) {
        g.code[i][0] = i * 3 + roll(m, 3);
        g.code[i][1] = roll(m, 4);
    }
    CHECK_OK(jali_groups_label(&label, &g, &m->arena, NULL));
    return label;
}

static void add_table(maker *m, jali_plan *plan, size_t slice, uint32_t labels)
{
    size_t t, c = roll(m, 4);
    uint32_t lo[343], step[343];
    const char *by[] = { "c2", "c0", "c1" };
    for (uint32_t l = 0; l < labels; l++) {
        lo[l] = (uint32_t)roll(m, domain_of(m, c));
        step[l] = 1 + (uint32_t)roll(m, domain_of(m, c) / 7 + 1);
    }
    uint64_t kind = roll(m, 5);
    if (kind == 0) CHECK_OK(jali_plan_counts(plan, slice, by, roll(m, 3), &t, NULL));
    if (kind == 1) CHECK_OK(jali_plan_sums(plan, slice, by, 1, "c3", 12345, &t, NULL));
    if (kind == 2) CHECK_OK(jali_plan_histogram(plan, slice, names[c], 8, lo, step, &t, NULL));
    if (kind == 3) CHECK_OK(jali_plan_grid(plan, slice, by + 1, 2, 3, &t, NULL));
    if (kind == 4) CHECK_OK(jali_plan_grid_sums(plan, slice, by + 1, 2, 2, "c1", 7, &t, NULL));
}

/* The same seed makes the same plan, over any columns. */
static jali_plan *make_plan(maker *m, const plane *w, jali_columns *columns, uint64_t seed)
{
    jali_plan *plan;
    size_t slice, t;
    *m = (maker){ .w = w, .dice = { .seed = seed * 0x9E3779B97F4A7C15u + 1 } };
    CHECK_OK(jali_plan_new(&plan, columns, 1 + (uint32_t)roll(m, 3), NULL));
    CHECK_OK(jali_plan_counts(plan, 0, NULL, 0, &t, NULL)); /* all rows: the twin's table */
    jali_label label[] = { by_groups(m), by_partition(m), by_grid(m), by_tree(m) };
    for (size_t i = 0; i < 4; i++) {
        const jali_predicate *where = roll(m, 2) ? random_where(m) : NULL;
        CHECK_OK(jali_plan_slice(plan, &label[i], where, &slice, NULL));
        add_table(m, plan, slice, label[i].labels);
    }
    CHECK_OK(jali_plan_slice(plan, NULL, random_where(m), &slice, NULL));
    add_table(m, plan, slice, 1);
    add_table(m, plan, 0, 1);
    return plan;
}

#endif
