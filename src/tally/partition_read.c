/* tally/partition_read.c — text becomes a clustering: from releases, exports and strangers.
 *
 * Whatever the text says, what comes out is a function of a record or a refusal that names the
 * member it did not like.
 */
#include "tally/partition.h"
#include <string.h>

typedef struct reading {
    const json_t *value;
    const jali_schema *schema;
    jali_arena *arena;
    jali_err *err;
    size_t n;
    size_t *field;
} reading;

static jali_status refuse(const reading *r, const char *where, const char *why)
{
    return jali_fail(r->err, JALI_E_USAGE, JALI_FOR_ANALYST, "\"%s\" of this clustering %s",
                     where, why);
}

static bool number(const json_t *value, uint64_t most, uint64_t *out)
{
    if (!json_is_integer(value) || json_integer_value(value) < 0) return false;
    *out = (uint64_t)json_integer_value(value);
    return *out <= most;
}

static bool member(const json_t *object, const char *key, uint64_t most, uint64_t *out)
{
    return number(json_object_get(object, key), most, out);
}

static jali_status list_of(const reading *r, const char *key, size_t least, size_t most,
                           const json_t **out)
{
    const json_t *list = json_object_get(r->value, key);
    if (!json_is_array(list)) return refuse(r, key, "must be a list");
    if (json_array_size(list) < least) return refuse(r, key, "is too short");
    if (json_array_size(list) > most) return refuse(r, key, "is too long");
    *out = list;
    return JALI_OK;
}

static jali_status read_columns(reading *r)
{
    const json_t *list;
    JALI_TRY(list_of(r, "columns", 0, JALI_PARTITION_COLUMNS, &list));
    r->n = json_array_size(list);
    r->field = jali_arena_take(r->arena, r->n + 1, sizeof *r->field);
    if (r->field == NULL) return jali_fail_memory(r->err);
    for (size_t i = 0; i < r->n; i++) {
        const json_t *one = json_array_get(list, i);
        const char *name = json_string_value(json_object_get(one, "name"));
        uint64_t domain;
        if (name == NULL || !member(one, "domain", INT64_MAX, &domain))
            return refuse(r, "columns", "must be a list of {\"name\":...,\"domain\":...}");
        JALI_TRY(jali_schema_find(r->schema, name, &r->field[i], r->err));
        if (r->schema->fields[r->field[i]].domain != domain)
            return jali_fail(r->err, JALI_E_USAGE, JALI_FOR_ANALYST,
                             "this clustering was made for another domain of \"%.100s\"", name);
        for (size_t k = 0; k < i; k++)
            if (r->field[k] == r->field[i]) return refuse(r, "columns", "names a column twice");
    }
    return JALI_OK;
}

static bool read_axis(const reading *r, const json_t *one, jali_ruler *a, size_t *column)
{
    uint64_t c, low, top, up = 0, down = 0, span = 0, mul = 0, null = 0;
    a->one_hot = json_object_get(one, "value") != NULL;
    if (!member(one, "column", r->n - 1, &c)) return false;
    a->domain = r->schema->fields[r->field[c]].domain;
    bool good = member(one, a->one_hot ? "value" : "low", a->domain, &low) &&
                member(one, "top", JALI_AXIS_TOP, &top);
    if (good && !a->one_hot)
        good = member(one, "up", 16, &up) && member(one, "down", 40, &down) &&
               member(one, "span", JALI_AXIS_SPAN, &span) &&
               member(one, "mul", JALI_AXIS_SPAN, &mul) && member(one, "null", top, &null);
    if (!good) return false;
    *column = c;
    a->low = low;
    a->up = (unsigned)up;
    a->down = (unsigned)down;
    a->span = (uint32_t)span;
    a->mul = (uint32_t)mul;
    a->top = (uint32_t)top;
    a->null = (uint32_t)null;
    return jali_ruler_is_sound(a);
}

/* Axes of a column stand together and columns come in their order: the constructor's form. */
static jali_status read_axes(const reading *r, jali_frame *frame, jali_geometry *space)
{
    const json_t *list;
    JALI_TRY(list_of(r, "axes", 1, JALI_GEOMETRY_AXES, &list));
    size_t n = json_array_size(list), before = 0;
    jali_ruler *axis = jali_arena_take(r->arena, n, sizeof *axis);
    jali_dimension *dimension = jali_arena_take(r->arena, n, sizeof *dimension);
    if (axis == NULL || dimension == NULL) return jali_fail_memory(r->err);
    for (size_t j = 0; j < n; j++) {
        size_t column = 0;
        if (r->n == 0 || !read_axis(r, json_array_get(list, j), &axis[j], &column))
            return refuse(r, "axes", "has an axis that no record can be put on");
        if (column != before && column != before + (j > 0))
            return refuse(r, "axes", "must be in the order of \"columns\"");
        before = column;
        dimension[j] = (jali_dimension){ .field = r->field[column], .domain = axis[j].domain };
    }
    if (before + 1 != r->n) return refuse(r, "axes", "must use every column");
    *space = (jali_geometry){ .schema = r->schema, .n = n, .dimension = dimension };
    *frame = (jali_frame){ .space = space, .n = n, .axis = axis };
    return JALI_OK;
}

static jali_status read_rows(const reading *r, const char *key, const json_t *list, size_t n,
                             uint64_t most, uint64_t **out)
{
    size_t rows = json_array_size(list);
    if (n > 0 && rows > JALI_PARTITION_NUMBERS / n) return refuse(r, key, "is too long");
    uint64_t *to = jali_arena_take(r->arena, rows * n + 1, sizeof *to);
    if (to == NULL) return jali_fail_memory(r->err);
    for (size_t i = 0; i < rows; i++) {
        const json_t *one = json_array_get(list, i);
        if (!json_is_array(one) || json_array_size(one) != n)
            return refuse(r, key, "must have one number for each axis or column");
        for (size_t j = 0; j < n; j++)
            if (!number(json_array_get(one, j), most, &to[i * n + j]))
                return refuse(r, key, "has a number that is out of place");
    }
    *out = to;
    return JALI_OK;
}

static jali_status read_places(const reading *r, jali_frame *frame, jali_geometry *space,
                               uint16_t **centre, uint32_t *labels)
{
    const json_t *list;
    uint64_t *at;
    JALI_TRY(read_axes(r, frame, space));
    JALI_TRY(list_of(r, "centres", 1, JALI_PLAN_LABELS, &list));
    JALI_TRY(read_rows(r, "centres", list, frame->n, JALI_AXIS_TOP, &at));
    size_t n = json_array_size(list) * frame->n;
    *labels = (uint32_t)json_array_size(list);
    *centre = jali_arena_take(r->arena, n, sizeof **centre);
    if (*centre == NULL) return jali_fail_memory(r->err);
    for (size_t i = 0; i < n; i++) (*centre)[i] = (uint16_t)at[i];
    return JALI_OK;
}

static jali_status read_centres(const reading *r, jali_partition *out)
{
    jali_frame frame;
    jali_geometry space;
    uint16_t *centre;
    uint32_t labels;
    JALI_TRY(read_places(r, &frame, &space, &centre, &labels));
    return jali_partition_centres(out, &frame, centre, labels, r->arena, r->err);
}

static jali_status read_reals(const reading *r, const char *key, size_t n, double **out)
{
    const json_t *list;
    JALI_TRY(list_of(r, key, n, n, &list));
    *out = jali_arena_take(r->arena, n, sizeof **out);
    if (*out == NULL) return jali_fail_memory(r->err);
    for (size_t i = 0; i < n; i++) {
        const json_t *one = json_array_get(list, i);
        if (!json_is_number(one)) return refuse(r, key, "has something that is no number");
        (*out)[i] = json_number_value(one);
    }
    return JALI_OK;
}

static jali_status read_mixture(const reading *r, jali_partition *out)
{
    jali_frame frame;
    jali_geometry space;
    uint16_t *centre;
    uint32_t labels;
    double *sharp, *offset;
    JALI_TRY(read_places(r, &frame, &space, &centre, &labels));
    JALI_TRY(read_reals(r, "sharp", labels * frame.n, &sharp));
    JALI_TRY(read_reals(r, "offsets", labels, &offset));
    return jali_partition_mixture(out, &frame, centre, sharp, offset, labels, r->arena, r->err);
}

static bool read_child(const json_t *value, int32_t *out)
{
    if (!json_is_integer(value)) return false;
    json_int_t x = json_integer_value(value);
    *out = (int32_t)x;
    return x >= -JALI_PLAN_LABELS && x <= JALI_PARTITION_NUMBERS;
}

static bool read_flag(const json_t *object, const char *key, bool *out)
{
    const json_t *value = json_object_get(object, key);
    *out = json_is_true(value);
    return json_is_boolean(value);
}

static jali_status read_tree(const reading *r, jali_partition *out)
{
    const json_t *list;
    uint64_t labels;
    JALI_TRY(list_of(r, "nodes", 0, JALI_PLAN_LABELS, &list));
    if (!member(r->value, "labels", JALI_PLAN_LABELS, &labels))
        return refuse(r, "labels", "must be a whole number");
    size_t n = json_array_size(list);
    jali_partition_node *node = jali_arena_take(r->arena, n + 1, sizeof *node);
    if (node == NULL) return jali_fail_memory(r->err);
    for (size_t i = 0; i < n; i++) {
        const json_t *one = json_array_get(list, i);
        uint64_t column, cut;
        if (!member(one, "column", JALI_PARTITION_COLUMNS, &column) ||
            !member(one, "cut", INT64_MAX, &cut) || !read_flag(one, "equal", &node[i].equal) ||
            !read_flag(one, "null_right", &node[i].null_right) ||
            !read_child(json_object_get(one, "left"), &node[i].left) ||
            !read_child(json_object_get(one, "right"), &node[i].right))
            return refuse(r, "nodes", "has a node that lacks something");
        node[i].column = (uint32_t)column;
        node[i].cut = cut;
    }
    return jali_partition_tree(out, r->schema, r->field, r->n, node, n, (uint32_t)labels,
                               r->arena, r->err);
}

static bool read_side(const json_t *one, jali_partition_side *out)
{
    const json_t *null = json_array_get(one, 2);
    out->null = json_is_true(null);
    return json_array_size(one) == 3 && json_is_boolean(null) &&
           number(json_array_get(one, 0), INT64_MAX, &out->low) &&
           number(json_array_get(one, 1), INT64_MAX, &out->high);
}

static jali_status read_boxes(const reading *r, jali_partition *out)
{
    const json_t *list;
    JALI_TRY(list_of(r, "boxes", 0, JALI_PLAN_LABELS - 1, &list));
    size_t boxes = json_array_size(list);
    if (r->n > 0 && boxes > JALI_PARTITION_NUMBERS / r->n)
        return refuse(r, "boxes", "is too long");
    jali_partition_side *side = jali_arena_take(r->arena, boxes * r->n + 1, sizeof *side);
    if (side == NULL) return jali_fail_memory(r->err);
    for (size_t b = 0; b < boxes; b++) {
        const json_t *box = json_array_get(list, b);
        if (!json_is_array(box) || json_array_size(box) != r->n)
            return refuse(r, "boxes", "must have one side for each column");
        for (size_t i = 0; i < r->n; i++)
            if (!read_side(json_array_get(box, i), &side[b * r->n + i]))
                return refuse(r, "boxes", "has a side that is not [low, high, null]");
    }
    return jali_partition_boxes(out, r->schema, r->field, r->n, side, (uint32_t)boxes, r->arena,
                                r->err);
}

static jali_status read_rules(const reading *r, jali_partition *out)
{
    const json_t *list;
    JALI_TRY(list_of(r, "rules", 0, JALI_PLAN_LABELS - 1, &list));
    size_t n = json_array_size(list);
    const jali_predicate **rule = jali_arena_take(r->arena, n + 1, sizeof *rule);
    if (rule == NULL) return jali_fail_memory(r->err);
    for (size_t i = 0; i < n; i++)
        JALI_TRY(jali_predicate_from_json(json_array_get(list, i), r->arena, &rule[i], r->err));
    return jali_partition_rules(out, r->schema, rule, (uint32_t)n, r->arena, r->err);
}

static jali_status read_modes(const reading *r, jali_partition *out)
{
    const json_t *list, *weights;
    uint64_t *mode;
    JALI_TRY(list_of(r, "modes", 1, JALI_PLAN_LABELS, &list));
    JALI_TRY(list_of(r, "weights", r->n, r->n, &weights));
    JALI_TRY(read_rows(r, "modes", list, r->n, INT64_MAX, &mode));
    uint32_t *weight = jali_arena_take(r->arena, r->n + 1, sizeof *weight);
    if (weight == NULL) return jali_fail_memory(r->err);
    for (size_t i = 0; i < r->n; i++) {
        uint64_t w;
        if (!number(json_array_get(weights, i), JALI_PARTITION_WEIGHT, &w))
            return refuse(r, "weights", "has a weight that is not a small whole number");
        weight[i] = (uint32_t)w;
    }
    return jali_partition_modes(out, r->schema, r->field, r->n, mode, weight,
                                (uint32_t)json_array_size(list), r->arena, r->err);
}

jali_status jali_partition_from_json(jali_partition *out, const json_t *value,
                                     const jali_schema *schema, jali_arena *arena,
                                     jali_err *err)
{
    static jali_status (*const read[JALI_PARTITION_KINDS])(
        const reading *, jali_partition *) = { read_centres, read_tree,  read_boxes,
                                               read_rules,   read_modes, read_mixture };
    reading r = { .value = value, .schema = schema, .arena = arena, .err = err };
    const char *kind = json_string_value(json_object_get(value, "kind"));
    for (int k = 0; kind != NULL && k < JALI_PARTITION_KINDS; k++)
        if (strcmp(kind, jali_partition_kinds[k]) == 0) {
            if (k != JALI_PARTITION_RULES) JALI_TRY(read_columns(&r));
            return read[k](&r, out);
        }
    return refuse(&r, "kind", "must be centres, tree, boxes, rules, modes or mixture");
}
