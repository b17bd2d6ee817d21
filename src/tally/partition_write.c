/* tally/partition_write.c — a clustering becomes text, for releases and exports. */
#include "tally/partition.h"

const char *const jali_partition_kinds[JALI_PARTITION_KINDS] = {
    "centres", "tree", "boxes", "rules", "modes", "mixture"
};

static json_t *whole(uint64_t x)
{
    return json_integer((json_int_t)x);
}

static json_t *columns_json(const jali_partition *p)
{
    json_t *list = json_array();
    for (size_t i = 0; i < p->n; i++)
        json_array_append_new(
            list, json_pack("{s:s,s:o}", "name", p->columns[i], "domain", whole(p->domain[i])));
    return list;
}

static json_t *axis_json(const jali_partition *p, size_t j)
{
    const jali_ruler *a = &p->axis[j];
    if (a->one_hot)
        return json_pack("{s:o,s:o,s:o}", "column", whole(p->column_of[j]), "value",
                         whole(a->low), "top", whole(a->top));
    return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "column", whole(p->column_of[j]),
                     "low", whole(a->low), "up", whole(a->up), "down", whole(a->down), "span",
                     whole(a->span), "mul", whole(a->mul), "top", whole(a->top), "null",
                     whole(a->null));
}

static json_t *axes_json(const jali_partition *p)
{
    json_t *list = json_array();
    for (size_t j = 0; j < p->axes; j++) json_array_append_new(list, axis_json(p, j));
    return list;
}

static json_t *centres_json(const jali_partition *p)
{
    json_t *list = json_array();
    for (uint32_t l = 0; l < p->labels; l++) {
        json_t *one = json_array();
        for (size_t j = 0; j < p->axes; j++)
            json_array_append_new(one, whole(p->centre[l * p->axes + j]));
        json_array_append_new(list, one);
    }
    return list;
}

static json_t *nodes_json(const jali_partition *p)
{
    json_t *list = json_array();
    for (size_t i = 0; i < p->nodes; i++) {
        const jali_partition_node *v = &p->node[i];
        json_array_append_new(list,
                              json_pack("{s:o,s:o,s:b,s:b,s:i,s:i}", "column", whole(v->column),
                                        "cut", whole(v->cut), "equal", v->equal, "null_right",
                                        v->null_right, "left", v->left, "right", v->right));
    }
    return list;
}

static json_t *boxes_json(const jali_partition *p)
{
    json_t *list = json_array();
    for (uint32_t l = 0; l + 1 < p->labels; l++) {
        json_t *box = json_array();
        for (size_t i = 0; i < p->n; i++) {
            const jali_partition_side *s = &p->side[l * p->n + i];
            json_array_append_new(box,
                                  json_pack("[o,o,b]", whole(s->low), whole(s->high), s->null));
        }
        json_array_append_new(list, box);
    }
    return list;
}

static json_t *rules_json(const jali_partition *p)
{
    json_t *list = json_array();
    for (uint32_t l = 0; l + 1 < p->labels; l++) {
        json_t *rule = NULL;
        if (jali_predicate_to_json(p->rule[l], &rule, NULL) != JALI_OK) rule = NULL;
        if (rule == NULL || json_array_append_new(list, rule) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static json_t *modes_json(const jali_partition *p)
{
    json_t *list = json_array();
    for (uint32_t l = 0; l < p->labels; l++) {
        json_t *one = json_array();
        for (size_t i = 0; i < p->n; i++)
            json_array_append_new(one, whole(p->mode[l * p->n + i]));
        json_array_append_new(list, one);
    }
    return list;
}

static json_t *weights_json(const jali_partition *p)
{
    json_t *list = json_array();
    for (size_t i = 0; i < p->n; i++) json_array_append_new(list, whole(p->weight[i]));
    return list;
}

static json_t *reals_json(const double *x, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) json_array_append_new(list, json_real(x[i]));
    return list;
}

/* json_pack gives NULL when one of its parts is NULL, so one check at the end is enough for
 * whole parts; a list that lost an element is found by its size. */
static json_t *write(const jali_partition *p)
{
    const char *kind = jali_partition_kinds[p->kind];
    switch (p->kind) {
    case JALI_PARTITION_CENTRES:
        return json_pack("{s:s,s:o,s:o,s:o}", "kind", kind, "columns", columns_json(p), "axes",
                         axes_json(p), "centres", centres_json(p));
    case JALI_PARTITION_MIXTURE:
        return json_pack("{s:s,s:o,s:o,s:o,s:o,s:o}", "kind", kind, "columns", columns_json(p),
                         "axes", axes_json(p), "centres", centres_json(p), "sharp",
                         reals_json(p->sharp, p->labels * p->axes), "offsets",
                         reals_json(p->offset, p->labels));
    case JALI_PARTITION_TREE:
        return json_pack("{s:s,s:o,s:o,s:o}", "kind", kind, "columns", columns_json(p),
                         "labels", whole(p->labels), "nodes", nodes_json(p));
    case JALI_PARTITION_BOXES:
        return json_pack("{s:s,s:o,s:o}", "kind", kind, "columns", columns_json(p), "boxes",
                         boxes_json(p));
    case JALI_PARTITION_RULES:
        return json_pack("{s:s,s:o}", "kind", kind, "rules", rules_json(p));
    default:
        return json_pack("{s:s,s:o,s:o,s:o}", "kind", kind, "columns", columns_json(p), "modes",
                         modes_json(p), "weights", weights_json(p));
    }
}

jali_status jali_partition_to_json(const jali_partition *p, json_t **out, jali_err *err)
{
    json_t *value = write(p);
    if (value == NULL) return jali_fail_memory(err);
    *out = value;
    return JALI_OK;
}
