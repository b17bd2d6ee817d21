/* tally/order_label.c — slices as bytes: what labels a record and which records count. */
#include "tally/order_label.h"
#include "base/json.h"
#include "tally/groups.h"
#include "tally/partition.h"
#include "tally/project.h"
#include <string.h>

static jali_status put_json(jali_text *to, json_t *value, jali_err *err)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
    json_decref(value);
    if (text == NULL) return jali_fail_memory(err);
    jali_put_text(to, text);
    free(text);
    return JALI_OK;
}

static jali_status get_json(jali_reading *from, json_t **out, jali_err *err)
{
    const char *text = jali_get_text(from);
    JALI_TRY(jali_get_status(from, err));
    *out = json_loads(text, JSON_DECODE_ANY, NULL);
    from->good = *out != NULL;
    return jali_get_status(from, err);
}

/* ---- labels ------------------------------------------------------------------------------ */

static void put_groups(jali_text *to, const jali_groups *g)
{
    jali_put(to, g->n_columns);
    for (size_t k = 0; k < g->n_columns; k++) {
        jali_put_text(to, g->column[k]);
        jali_put(to, g->domain[k]);
    }
    jali_put(to, g->n);
    jali_put_bytes(to, g->code, sizeof g->code);
}

static jali_status get_groups(jali_reading *from, jali_label *out, jali_err *err)
{
    jali_groups *g = jali_arena_take(from->arena, 1, sizeof *g);
    if (g == NULL) return jali_fail_memory(err);
    g->n_columns = (size_t)jali_get(from);
    from->good = from->good && g->n_columns <= JALI_GROUPS_COLUMNS;
    for (size_t k = 0; from->good && k < g->n_columns; k++) {
        g->column[k] = jali_get_text(from);
        g->domain[k] = jali_get(from);
    }
    g->n = (unsigned)jali_get(from);
    const void *code = jali_get_bytes(from, 1, sizeof g->code);
    JALI_TRY(jali_get_status(from, err));
    memcpy(g->code, code, sizeof g->code);
    return jali_groups_label(out, g, from->arena, err);
}

static jali_status put_partition(jali_text *to, const jali_partition *p, jali_err *err)
{
    json_t *value;
    JALI_TRY(jali_partition_to_json(p, &value, err));
    return put_json(to, value, err);
}

static jali_status get_partition(jali_reading *from, const jali_schema *schema, jali_label *out,
                                 jali_err *err)
{
    json_t *value;
    jali_partition *p = jali_arena_take(from->arena, 1, sizeof *p);
    if (p == NULL) return jali_fail_memory(err);
    JALI_TRY(get_json(from, &value, err));
    jali_status status = jali_partition_from_json(p, value, schema, from->arena, err);
    json_decref(value);
    return status == JALI_OK ? jali_partition_label(p, from->arena, out, err) : status;
}

static void put_projection(jali_text *to, const jali_projection *p)
{
    jali_put_axes(to, p->axis, p->axes);
    jali_put(to, p->n);
    jali_put_bytes(to, p->column_of, p->axes * sizeof *p->column_of);
    jali_put_bytes(to, p->direction, p->n * p->axes * sizeof *p->direction);
}

static jali_projection get_projection(jali_reading *from, const jali_columns *columns,
                                      size_t reads)
{
    jali_projection p = { 0 };
    p.axis = jali_get_axes(from, columns, &p.axes);
    p.n = (size_t)jali_get(from);
    from->good = from->good && p.n <= JALI_DIRECTIONS;
    p.column_of = jali_get_bytes(from, p.axes, sizeof *p.column_of);
    p.direction = jali_get_bytes(from, p.n * p.axes, sizeof *p.direction);
    for (size_t j = 0; from->good && j < p.axes; j++) from->good = p.column_of[j] < reads;
    return p;
}

static void put_grid(jali_text *to, const jali_cell_grid *g)
{
    size_t all = 1;
    for (size_t k = 0; k < g->on.n; k++) all *= g->cells;
    put_projection(to, &g->on);
    jali_put(to, g->cells);
    jali_put_bytes(to, g->low, g->on.n * sizeof *g->low);
    jali_put_bytes(to, g->step, g->on.n * sizeof *g->step);
    jali_put(to, g->map == NULL ? 0 : all);
    if (g->map != NULL) jali_put_bytes(to, g->map, all * sizeof *g->map);
}

static jali_status get_grid(jali_reading *from, const jali_columns *columns, jali_label *out,
                            jali_err *err)
{
    jali_cell_grid *g = jali_arena_take(from->arena, 1, sizeof *g);
    if (g == NULL) return jali_fail_memory(err);
    g->on = get_projection(from, columns, out->n);
    g->cells = (uint32_t)jali_get(from);
    g->low = jali_get_bytes(from, g->on.n, sizeof *g->low);
    g->step = jali_get_bytes(from, g->on.n, sizeof *g->step);
    size_t map = (size_t)jali_get(from), all = 1;
    if (map > 0) g->map = jali_get_bytes(from, map, sizeof *g->map);
    for (size_t k = 0; from->good && k < g->on.n; k++) {
        from->good = g->step[k] > 0 && !__builtin_mul_overflow(all, g->cells, &all);
    }
    from->good = from->good && all > 0 && (map == 0 || map == all);
    out->label = jali_cell_grid_rows;
    out->self = g;
    return jali_get_status(from, err);
}

static void put_tree(jali_text *to, const jali_hash_tree *t)
{
    put_projection(to, &t->on);
    jali_put_bytes(to, t->at, t->on.n * sizeof *t->at);
    jali_put(to, t->nodes);
    jali_put_bytes(to, t->node, t->nodes * sizeof *t->node);
}

static jali_status get_tree(jali_reading *from, const jali_columns *columns, jali_label *out,
                            jali_err *err)
{
    jali_hash_tree *t = jali_arena_take(from->arena, 1, sizeof *t);
    if (t == NULL) return jali_fail_memory(err);
    t->on = get_projection(from, columns, out->n);
    t->at = jali_get_bytes(from, t->on.n, sizeof *t->at);
    t->nodes = (size_t)jali_get(from);
    t->node = jali_get_bytes(from, t->nodes, sizeof *t->node);
    from->good = from->good && t->nodes > 0;
    for (size_t i = 0; from->good && i < t->nodes; i++)
        from->good = t->node[i].child[0] < t->nodes && t->node[i].child[1] < t->nodes;
    out->label = jali_hash_tree_rows;
    out->self = t;
    return jali_get_status(from, err);
}

static jali_status put_label(jali_text *to, const jali_label *l, jali_err *err)
{
    if (l->made == JALI_LABEL_GROUPS)
        put_groups(to, l->of);
    else if (l->made == JALI_LABEL_PARTITION)
        return put_partition(to, l->of, err);
    else if (l->made == JALI_LABEL_GRID)
        put_grid(to, l->of);
    else if (l->made == JALI_LABEL_TREE)
        put_tree(to, l->of);
    else
        return jali_fail(err, JALI_E_INTERNAL, JALI_FOR_ANALYST,
                         "this label cannot be told to other processes");
    return JALI_OK;
}

static jali_status get_label(jali_reading *from, const jali_columns *columns,
                             const jali_schema *schema, jali_label *out, jali_err *err)
{
    uint64_t made = jali_get(from);
    uint32_t labels = (uint32_t)jali_get(from);
    size_t n = (size_t)jali_get(from);
    from->good = from->good && n <= JALI_PARTITION_COLUMNS;
    const char **name = from->good ? jali_arena_take(from->arena, n + 1, sizeof *name) : NULL;
    from->good = from->good && name != NULL;
    for (size_t i = 0; from->good && i < n; i++) name[i] = jali_get_text(from);
    JALI_TRY(jali_get_status(from, err));
    *out = (jali_label){ .n = n };
    jali_status status = made == JALI_LABEL_GROUPS      ? get_groups(from, out, err)
                         : made == JALI_LABEL_PARTITION ? get_partition(from, schema, out, err)
                         : made == JALI_LABEL_GRID      ? get_grid(from, columns, out, err)
                                                        : get_tree(from, columns, out, err);
    if (made == JALI_LABEL_GRID || made == JALI_LABEL_TREE) {
        out->labels = labels;
        out->columns = name;
    }
    /* A partition that was read again may know that it needs fewer columns. */
    from->good = from->good && out->labels == labels;
    return status == JALI_OK ? jali_get_status(from, err) : status;
}

/* ---- slices ------------------------------------------------------------------------------ */

jali_status jali_put_slice(jali_text *to, const jali_plan *plan, const jali_slice *s,
                           jali_err *err)
{
    json_t *where;
    jali_put(to, s->labelled);
    if (s->labelled) {
        jali_put(to, s->label.made);
        jali_put(to, s->labels);
        jali_put(to, s->label.n);
        for (size_t i = 0; i < s->label.n; i++)
            jali_put_text(to, jali_columns_at(plan->columns, s->reads[i])->name);
        JALI_TRY(put_label(to, &s->label, err));
    }
    jali_put(to, s->selects);
    if (!s->selects) return JALI_OK;
    JALI_TRY(jali_predicate_to_json(s->selection.root, &where, err));
    return put_json(to, where, err);
}

static jali_status get_where(jali_reading *from, const jali_predicate **out, jali_err *err)
{
    json_t *value;
    JALI_TRY(get_json(from, &value, err));
    jali_status status = jali_predicate_from_json(value, from->arena, out, err);
    json_decref(value);
    return status;
}

jali_status jali_get_slice(jali_reading *from, jali_plan *plan, const jali_schema *schema,
                           jali_err *err)
{
    jali_label label;
    const jali_predicate *where = NULL;
    size_t slice;
    bool labelled = jali_get(from) != 0;
    if (labelled) JALI_TRY(get_label(from, plan->columns, schema, &label, err));
    bool selects = jali_get(from) != 0;
    JALI_TRY(jali_get_status(from, err));
    if (selects) JALI_TRY(get_where(from, &where, err));
    return jali_plan_slice(plan, labelled ? &label : NULL, where, &slice, err);
}
