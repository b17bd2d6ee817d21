/* tally/partition.c — a clustering as a function of one record: made, checked, evaluated. */
#include "tally/partition.h"
#include "tally/mixture.h"
#include <string.h>

static jali_status refuse(jali_err *err, const char *why)
{
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST, "this clustering %s", why);
}

static void *copy(jali_arena *arena, const void *from, size_t n, size_t size)
{
    void *to = jali_arena_take(arena, n + 1, size);
    if (to != NULL && n > 0) memcpy(to, from, n * size);
    return to;
}

static jali_status check_labels(uint64_t labels, jali_err *err)
{
    if (labels >= 1 && labels <= JALI_PLAN_LABELS) return JALI_OK;
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "a clustering has 1 to %d labels, not %llu", JALI_PLAN_LABELS,
                     (unsigned long long)labels);
}

static jali_status take_columns(jali_partition *p, const jali_schema *schema,
                                const size_t *field, size_t n, jali_arena *arena, jali_err *err)
{
    if (n > JALI_PARTITION_COLUMNS) return refuse(err, "reads too many columns");
    const char **name = jali_arena_take(arena, n + 1, sizeof *name);
    uint64_t *domain = jali_arena_take(arena, n + 1, sizeof *domain);
    if (name == NULL || domain == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        name[i] = jali_arena_text(arena, schema->fields[field[i]].name);
        domain[i] = schema->fields[field[i]].domain;
        if (name[i] == NULL) return jali_fail_memory(err);
    }
    p->n = n;
    p->columns = name;
    p->domain = domain;
    return JALI_OK;
}

/* ---- constructors ---------------------------------------------------------------------- */

/* Scores of tally/nearest.h must fit 32 bits. */
static jali_status check_axes(const jali_partition *p, jali_err *err)
{
    double all = 0;
    for (size_t j = 0; j < p->axes; j++) {
        const jali_ruler *a = &p->axis[j];
        if (!jali_ruler_is_sound(a))
            return refuse(err, "has an axis that no record can be put on");
        double half = a->top / 2 + 1;
        all += 3 * half * half;
    }
    if (all >= 2147483648.0)
        return refuse(err, "has axes so fine that distances would overflow: lower their top");
    for (size_t i = 0; i < p->labels * p->axes; i++)
        if (p->centre[i] > p->axis[i % p->axes].top)
            return refuse(err, "has a centre outside its frame");
    return JALI_OK;
}

jali_status jali_partition_centres(jali_partition *out, const jali_frame *frame,
                                   const uint16_t *centre, uint32_t labels, jali_arena *arena,
                                   jali_err *err)
{
    jali_partition p = { .kind = JALI_PARTITION_CENTRES, .labels = labels, .axes = frame->n };
    size_t field[JALI_GEOMETRY_AXES], n = 0;
    JALI_TRY(check_labels(labels, err));
    size_t *column_of = jali_arena_take(arena, frame->n, sizeof *column_of);
    if (column_of == NULL) return jali_fail_memory(err);
    for (size_t j = 0; j < frame->n; j++) { /* axes of a column stand together */
        size_t f = frame->space->dimension[j].field;
        if (n == 0 || field[n - 1] != f) field[n++] = f;
        column_of[j] = n - 1;
    }
    JALI_TRY(take_columns(&p, frame->space->schema, field, n, arena, err));
    jali_ruler *axis = copy(arena, frame->axis, frame->n, sizeof *axis);
    p.centre = copy(arena, centre, labels * frame->n, sizeof *centre);
    p.column_of = column_of;
    p.axis = axis;
    if (axis == NULL || p.centre == NULL) return jali_fail_memory(err);
    for (size_t j = 0; j < frame->n; j++) axis[j].column = p.columns[column_of[j]];
    JALI_TRY(check_axes(&p, err));
    *out = p;
    return JALI_OK;
}

static bool child_is_sound(const jali_partition *p, size_t node, int32_t child)
{
    if (child < 0) return (uint32_t)~child < p->labels;
    return (size_t)child > node && (size_t)child < p->nodes;
}

/* Children come after their parents, so one walk backwards finds the depth. */
static jali_status check_tree(const jali_partition *p, jali_arena *arena, jali_err *err)
{
    uint8_t *depth = jali_arena_take(arena, p->nodes + 1, 1);
    if (depth == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < p->nodes; i++) {
        const jali_partition_node *v = &p->node[i];
        if (v->column >= p->n || v->cut >= p->domain[v->column])
            return refuse(err, "has a cut that is not in its column's domain");
        if (!child_is_sound(p, i, v->left) || !child_is_sound(p, i, v->right))
            return refuse(err, "has a node whose children are neither leaves nor later nodes");
        if (depth[i] + 1 >= JALI_PARTITION_DEPTH) return refuse(err, "has too deep a tree");
        int32_t child[] = { v->left, v->right };
        for (int k = 0; k < 2; k++)
            if (child[k] >= 0 && depth[child[k]] <= depth[i])
                depth[child[k]] = (uint8_t)(depth[i] + 1);
    }
    return JALI_OK;
}

jali_status jali_partition_tree(jali_partition *out, const jali_schema *schema,
                                const size_t *field, size_t n, const jali_partition_node *node,
                                size_t nodes, uint32_t labels, jali_arena *arena, jali_err *err)
{
    jali_partition p = { .kind = JALI_PARTITION_TREE, .labels = labels, .nodes = nodes };
    JALI_TRY(check_labels(labels, err));
    if (nodes > JALI_PARTITION_NUMBERS) return refuse(err, "has too many nodes");
    JALI_TRY(take_columns(&p, schema, field, n, arena, err));
    p.node = copy(arena, node, nodes, sizeof *node);
    if (p.node == NULL) return jali_fail_memory(err);
    JALI_TRY(check_tree(&p, arena, err));
    *out = p;
    return JALI_OK;
}

jali_status jali_partition_boxes(jali_partition *out, const jali_schema *schema,
                                 const size_t *field, size_t n, const jali_partition_side *side,
                                 uint32_t boxes, jali_arena *arena, jali_err *err)
{
    jali_partition p = { .kind = JALI_PARTITION_BOXES };
    JALI_TRY(check_labels((uint64_t)boxes + 1, err));
    p.labels = boxes + 1;
    JALI_TRY(take_columns(&p, schema, field, n, arena, err));
    if (boxes * n > JALI_PARTITION_NUMBERS) return refuse(err, "has too many boxes");
    p.side = copy(arena, side, boxes * n, sizeof *side);
    if (p.side == NULL) return jali_fail_memory(err);
    *out = p;
    return JALI_OK;
}

/* Adds the fields that a predicate reads; each once. */
static jali_status collect(const jali_predicate *q, const jali_schema *schema, size_t *field,
                           size_t *n, jali_err *err)
{
    if (q->kind == JALI_PREDICATE_CONSTANT) return JALI_OK;
    if (q->kind != JALI_PREDICATE_LEAF) {
        for (size_t i = 0; i < q->n; i++) JALI_TRY(collect(q->child[i], schema, field, n, err));
        return JALI_OK;
    }
    size_t f;
    JALI_TRY(jali_schema_find(schema, q->column, &f, err));
    if (schema->fields[f].domain != q->domain)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "a rule was written for another domain of \"%.100s\"", q->column);
    for (size_t i = 0; i < *n; i++)
        if (field[i] == f) return JALI_OK;
    if (*n == JALI_PARTITION_COLUMNS) return refuse(err, "reads too many columns");
    field[(*n)++] = f;
    return JALI_OK;
}

jali_status jali_partition_rules(jali_partition *out, const jali_schema *schema,
                                 const jali_predicate *const *rule, uint32_t rules,
                                 jali_arena *arena, jali_err *err)
{
    jali_partition p = { .kind = JALI_PARTITION_RULES };
    size_t field[JALI_PARTITION_COLUMNS], n = 0;
    JALI_TRY(check_labels((uint64_t)rules + 1, err));
    p.labels = rules + 1;
    const jali_predicate **own = jali_arena_take(arena, rules + 1, sizeof *own);
    if (own == NULL) return jali_fail_memory(err);
    for (uint32_t i = 0; i < rules; i++) {
        JALI_TRY(collect(rule[i], schema, field, &n, err));
        own[i] = jali_predicate_canonical(arena, rule[i]);
        if (own[i] == NULL) return jali_fail_memory(err);
    }
    p.rule = own;
    JALI_TRY(take_columns(&p, schema, field, n, arena, err));
    *out = p;
    return JALI_OK;
}

jali_status jali_partition_modes(jali_partition *out, const jali_schema *schema,
                                 const size_t *field, size_t n, const uint64_t *mode,
                                 const uint32_t *weight, uint32_t labels, jali_arena *arena,
                                 jali_err *err)
{
    jali_partition p = { .kind = JALI_PARTITION_MODES, .labels = labels };
    JALI_TRY(check_labels(labels, err));
    JALI_TRY(take_columns(&p, schema, field, n, arena, err));
    if (labels * n > JALI_PARTITION_NUMBERS) return refuse(err, "has too many modes");
    p.mode = copy(arena, mode, labels * n, sizeof *mode);
    uint32_t *own = jali_arena_take(arena, n + 1, sizeof *own);
    if (p.mode == NULL || own == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < n; i++) own[i] = weight == NULL ? 1 : weight[i];
    p.weight = own;
    for (size_t i = 0; i < n; i++)
        if (own[i] > JALI_PARTITION_WEIGHT) return refuse(err, "has too large a weight");
    for (size_t i = 0; i < labels * n; i++)
        if (mode[i] >= p.domain[i % n]) return refuse(err, "has a mode beyond a domain");
    *out = p;
    return JALI_OK;
}

/* ---- the obvious way --------------------------------------------------------------------- */

static uint32_t nearest_of(const jali_partition *p, const uint64_t *code)
{
    uint64_t least = UINT64_MAX;
    uint32_t best = 0;
    for (uint32_t l = 0; l < p->labels; l++) {
        uint64_t far = 0;
        for (size_t j = 0; j < p->axes; j++) {
            int64_t step = (int64_t)jali_ruler_at(&p->axis[j], code[p->column_of[j]]) -
                           p->centre[l * p->axes + j];
            far += (uint64_t)(step * step);
        }
        if (far < least) best = l;
        least = far < least ? far : least;
    }
    return best;
}

static uint32_t leaf_of(const jali_partition *p, const uint64_t *code)
{
    int32_t at = p->nodes > 0 ? 0 : ~0;
    while (at >= 0) {
        const jali_partition_node *v = &p->node[at];
        uint64_t c = code[v->column];
        bool right = c + 1 >= p->domain[v->column] ? v->null_right
                     : v->equal                    ? c == v->cut
                                                   : c >= v->cut;
        at = right ? v->right : v->left;
    }
    return (uint32_t)~at;
}

static uint32_t box_of(const jali_partition *p, const uint64_t *code)
{
    for (uint32_t l = 0; l + 1 < p->labels; l++) {
        bool in = true;
        for (size_t i = 0; i < p->n; i++) {
            const jali_partition_side *s = &p->side[l * p->n + i];
            in = in && (code[i] + 1 >= p->domain[i] ? s->null
                                                    : code[i] >= s->low && code[i] <= s->high);
        }
        if (in) return l;
    }
    return p->labels - 1;
}

typedef struct record {
    const jali_partition *p;
    const uint64_t *code;
} record;

static uint64_t code_named(void *self, const char *column)
{
    const record *r = self;
    for (size_t i = 0; i < r->p->n; i++)
        if (strcmp(r->p->columns[i], column) == 0)
            return r->code[i] < r->p->domain[i] ? r->code[i] : r->p->domain[i] - 1;
    return 0;
}

static uint32_t rule_of(const jali_partition *p, const uint64_t *code)
{
    record r = { p, code };
    for (uint32_t l = 0; l + 1 < p->labels; l++)
        if (jali_predicate_value(p->rule[l], code_named, &r) == JALI_TRUE) return l;
    return p->labels - 1;
}

static uint32_t mode_of(const jali_partition *p, const uint64_t *code)
{
    uint64_t least = UINT64_MAX;
    uint32_t best = 0;
    for (uint32_t l = 0; l < p->labels; l++) {
        uint64_t far = 0;
        for (size_t i = 0; i < p->n; i++) {
            uint64_t c = code[i] < p->domain[i] ? code[i] : p->domain[i] - 1;
            far += c == p->mode[l * p->n + i] ? 0 : p->weight[i];
        }
        if (far < least) best = l;
        least = far < least ? far : least;
    }
    return best;
}

uint32_t jali_partition_of(const jali_partition *p, const uint64_t *code)
{
    switch (p->kind) {
    case JALI_PARTITION_CENTRES:
        return nearest_of(p, code);
    case JALI_PARTITION_TREE:
        return leaf_of(p, code);
    case JALI_PARTITION_BOXES:
        return box_of(p, code);
    case JALI_PARTITION_RULES:
        return rule_of(p, code);
    case JALI_PARTITION_MIXTURE:
        return jali_mixture_of(p, code);
    default:
        return mode_of(p, code);
    }
}
