/* tests/tally/random_plan.c — a random plan: slices by every kind of label and condition, and
 * tables of every kind over each. */
#define _XOPEN_SOURCE 700
#include "tally/groups.h"
#include "tally/partition.h"
#include "tally/random_table.h"

static const char *any(const world *w)
{
    return w->column[below((uint32_t)w->n)].name;
}

/* A list of values, as of IN: many ranges. */
static const jali_predicate *list(world *w, const jali_column *c)
{
    jali_range range[12];
    size_t n = below(13);
    for (size_t i = 0; i < n; i++) {
        range[i].lo = range[i].hi = next() % c->domain;
        if (below(3) == 0) range[i].hi += next() % (c->domain - range[i].lo);
    }
    for (size_t i = 0; i < n; i++) /* NULL is no value */
        if (range[i].hi == c->domain - 1) range[i].lo = range[i].hi = 0;
    return jali_predicate_ranges(&w->arena, c->name, c->domain, range, n,
                                 below(2) == 0 ? JALI_TRUE : JALI_UNKNOWN);
}

static const jali_predicate *leaf(world *w)
{
    const jali_column *c = &w->column[below((uint32_t)w->n)];
    if (below(3) == 0 && c->domain > 2) return list(w, c);
    uint64_t lo = next() % c->domain, hi = next() % c->domain;
    const jali_predicate *p = jali_predicate_range(&w->arena, c->name, c->domain, lo, hi);
    if (below(4) == 0) p = jali_predicate_is_null(&w->arena, c->name, c->domain);
    return below(3) == 0 ? jali_predicate_not(&w->arena, p) : p;
}

static const jali_predicate *predicate(world *w)
{
    const jali_predicate *p = leaf(w);
    for (uint32_t i = below(3); i > 0; i--)
        p = below(2) == 0 ? jali_predicate_and(&w->arena, p, leaf(w))
                          : jali_predicate_or(&w->arena, p, leaf(w));
    return p;
}

static void groups_label(world *w, jali_label *out)
{
    jali_groups g = { .n_columns = 1 + below(2), .n = 1 + below(3) };
    for (size_t k = 0; k < g.n_columns; k++) {
        size_t c = k == 0 ? below(5) : 5 + below(5);
        g.column[k] = w->column[c].name;
        g.domain[k] = w->column[c].domain;
        for (unsigned i = 0; i < g.n; i++) g.code[i][k] = next() % g.domain[k];
    }
    for (unsigned i = 0; i < g.n; i++) g.code[i][0] = (g.code[0][0] + i) % g.domain[0];
    if (g.domain[0] < g.n) g.n = 1;
    CHECK_OK(jali_groups_label(out, &g, &w->arena, NULL));
}

/* A partition of each kind over three columns. */
static void partition_label(world *w, int kind, jali_label *out)
{
    enum { N = 3 };
    jali_partition *p = jali_arena_take(&w->arena, 1, sizeof *p);
    size_t field[N] = { below(3), 3 + below(3), 6 + below(4) };
    uint64_t top[N];
    for (int i = 0; i < N; i++) top[i] = w->schema.fields[field[i]].domain;
    if (kind == 0) {
        jali_partition_side side[2 * N];
        for (int i = 0; i < 2 * N; i++)
            side[i] = (jali_partition_side){ next() % top[i % N], next() % top[i % N],
                                             below(2) == 0 };
        CHECK_OK(jali_partition_boxes(p, &w->schema, field, N, side, 2, &w->arena, NULL));
    } else if (kind == 1) {
        jali_partition_node node[3] = {
            { 0, below(2) == 0, below(2) == 0, next() % top[0], 1, 2 },
            { 1, below(2) == 0, below(2) == 0, next() % top[1], ~0, ~1 },
            { 2, below(2) == 0, below(2) == 0, next() % top[2], ~2, ~3 }
        };
        CHECK_OK(jali_partition_tree(p, &w->schema, field, N, node, 3, 4, &w->arena, NULL));
    } else if (kind == 2) {
        const jali_predicate *rule[2];
        for (int i = 0; i < 2; i++)
            rule[i] = jali_predicate_range(&w->arena, w->schema.fields[field[i]].name, top[i],
                                           next() % top[i], next() % top[i]);
        CHECK_OK(jali_partition_rules(p, &w->schema, rule, 2, &w->arena, NULL));
    } else if (kind == 3) {
        uint64_t mode[3 * N];
        uint32_t weight[N] = { 1, 1 + below(2), 2 };
        for (int i = 0; i < 3 * N; i++) mode[i] = next() % top[i % N];
        CHECK_OK(
            jali_partition_modes(p, &w->schema, field, N, mode, weight, 3, &w->arena, NULL));
    } else {
        jali_geometry space;
        jali_frame *frame = jali_arena_take(&w->arena, 1, sizeof *frame);
        const char *names[N];
        for (int i = 0; i < N; i++) names[i] = w->schema.fields[field[i]].name;
        jali_geometry *kept = jali_arena_take(&w->arena, 1, sizeof *kept);
        CHECK_OK(jali_geometry_make(&space, &w->schema, names, N, JALI_SCALE_BOUNDS, &w->arena,
                                    NULL));
        *kept = space;
        CHECK_OK(jali_frame_make(frame, kept, NULL, NULL, &w->arena, NULL));
        uint16_t *centre = jali_arena_take(&w->arena, 3 * frame->n, sizeof *centre);
        for (size_t i = 0; i < 3 * frame->n; i++)
            centre[i] = (uint16_t)(next() % (frame->axis[i % frame->n].top + 1));
        CHECK_OK(jali_partition_centres(p, frame, centre, 3, &w->arena, NULL));
    }
    CHECK_OK(jali_partition_label(p, &w->arena, out, NULL));
}

void random_plan(world *w, jali_columns *columns, uint64_t seed, jali_plan **out)
{
    jali_plan *plan;
    size_t slice = 0, table;
    uint32_t lo[8], step[8];
    random_state = seed;
    CHECK_OK(jali_plan_new(&plan, columns, 2, NULL));
    for (int s = 0; s < 2; s++) {
        jali_label label;
        int kind = (int)below(8);
        if (kind == 6) groups_label(w, &label);
        if (kind < 5) partition_label(w, kind, &label);
        const jali_predicate *where = below(2) == 0 ? predicate(w) : NULL;
        CHECK_OK(
            jali_plan_slice(plan, kind < 5 || kind == 6 ? &label : NULL, where, &slice, NULL));
        const char *by[4] = { any(w), any(w), any(w), any(w) };
        CHECK_OK(jali_plan_counts(plan, slice, by, below(3), &table, NULL));
        CHECK_OK(jali_plan_sums(plan, slice, by, below(2), any(w), 0, &table, NULL));
        for (int i = 0; i < 8; i++) {
            lo[i] = below(10);
            step[i] = 1 + below(6);
        }
        CHECK_OK(
            jali_plan_histogram(plan, slice, any(w), 1 + below(6), lo, step, &table, NULL));
        CHECK_OK(jali_plan_grid(plan, slice, by + 1, 1 + below(3), below(8), &table, NULL));
        CHECK_OK(jali_plan_grid_sums(plan, slice, by + 1, 1 + below(2), below(6), any(w), 0,
                                     &table, NULL));
    }
    *out = plan;
}
