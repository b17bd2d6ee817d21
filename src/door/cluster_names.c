/* door/cluster_names.c — the labels of a clustering in words of the schema: boxes of a tree,
 * rules and modes. */
#include "door/cluster_names.h"
#include "base/text.h"
#include "table/where.h"

/* ---- boxes of a tree
 * -------------------------------------------------------------------------- */

typedef struct walking {
    const jali_schema *schema;
    jali_arena *arena;
    const jali_partition *p;
    jali_partition_side *side;
    const char **text; /* per label */
} walking;

static void add_side(const walking *w, size_t column, jali_text *out)
{
    const jali_partition_side *s = &w->side[column];
    const char *name = w->p->columns[column];
    uint64_t top = w->p->domain[column] < 2 ? 0 : w->p->domain[column] - 2;
    size_t field;
    if ((s->low == 0 && s->high >= top) ||
        jali_schema_find(w->schema, name, &field, NULL) != JALI_OK)
        return;
    const jali_field *f = &w->schema->fields[field];
    const char *low = jali_field_text(f, s->low, w->arena);
    const char *high = jali_field_text(f, s->high, w->arena);
    if (low == NULL || high == NULL) return;
    jali_text_add(out, out->used > 0 ? ", " : "");
    if (s->low > s->high)
        jali_text_format(out, "%s nowhere", name);
    else if (s->low == s->high)
        jali_text_format(out, "%s %s", name, low);
    else if (s->low == 0)
        jali_text_format(out, "%s up to %s", name, high);
    else if (s->high >= top)
        jali_text_format(out, "%s from %s", name, low);
    else
        jali_text_format(out, "%s %s to %s", name, low, high);
}

static void name_leaf(walking *w, uint32_t label)
{
    jali_text text = { 0 };
    for (size_t i = 0; i < w->p->n; i++) add_side(w, i, &text);
    const char *copy = jali_arena_text(w->arena, text.used > 0 ? text.at : "everywhere");
    w->text[label] = copy == NULL ? "" : copy;
    jali_text_clear(&text);
}

/* Depth is at most JALI_PARTITION_DEPTH. */
static void walk_tree(walking *w, int32_t at)
{
    if (at < 0) {
        name_leaf(w, (uint32_t)~at);
        return;
    }
    const jali_partition_node *v = &w->p->node[at];
    jali_partition_side *s = &w->side[v->column], kept = *s;
    if (!v->equal && v->cut > 0 && v->cut - 1 < s->high) s->high = v->cut - 1;
    walk_tree(w, v->left);
    *s = kept;
    if (v->cut > s->low || v->equal) s->low = v->cut;
    if (v->equal) s->high = v->cut;
    walk_tree(w, v->right);
    *s = kept;
}

static jali_status name_boxes(const jali_schema *schema, const jali_partition *p,
                              jali_arena *arena, const char ***out, jali_err *err)
{
    walking w = { .schema = schema, .arena = arena, .p = p };
    w.side = jali_arena_take(arena, p->n + 1, sizeof *w.side);
    w.text = jali_arena_take(arena, p->labels, sizeof *w.text);
    if (w.side == NULL || w.text == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < p->n; i++)
        w.side[i] = (jali_partition_side){ 0, p->domain[i] < 2 ? 0 : p->domain[i] - 2, false };
    for (uint32_t l = 0; l < p->labels; l++) w.text[l] = "";
    walk_tree(&w, p->nodes > 0 ? 0 : ~0);
    *out = w.text;
    return JALI_OK;
}

/* ---- rules and modes ------------------------------------------------------------------ */

static const char *mode_text(const jali_schema *schema, const jali_partition *p, uint32_t label,
                             jali_arena *arena)
{
    jali_text text = { 0 };
    size_t field;
    for (size_t i = 0; i < p->n; i++) {
        if (jali_schema_find(schema, p->columns[i], &field, NULL) != JALI_OK) continue;
        const char *value =
            jali_field_text(&schema->fields[field], p->mode[label * p->n + i], arena);
        jali_text_format(&text, "%s%s %s", i > 0 ? ", " : "", p->columns[i],
                         value == NULL ? "?" : value);
    }
    const char *copy = jali_arena_text(arena, text.at == NULL ? "" : text.at);
    jali_text_clear(&text);
    return copy == NULL ? "" : copy;
}

static jali_status name_words(const jali_schema *schema, const jali_partition *p,
                              jali_arena *arena, const char ***out, jali_err *err)
{
    bool rules = p->kind == JALI_PARTITION_RULES;
    const char **text = jali_arena_take(arena, p->labels, sizeof *text);
    if (text == NULL) return jali_fail_memory(err);
    for (uint32_t l = 0; l < p->labels; l++) {
        char *where = NULL;
        if (rules && l + 1 < p->labels)
            JALI_TRY(jali_where_text(schema, p->rule[l], arena, &where, err));
        text[l] = !rules          ? mode_text(schema, p, l, arena)
                  : where != NULL ? where
                                  : "everything else";
    }
    *out = text;
    return JALI_OK;
}

jali_status jali_cluster_names(const jali_clustering *c, jali_arena *arena, const char ***out,
                               jali_err *err)
{
    const jali_schema *schema = c->geometry->schema;
    const jali_partition *tree = c->boxes != NULL ? c->boxes : &c->partition;
    *out = NULL;
    if (tree->kind == JALI_PARTITION_RULES || tree->kind == JALI_PARTITION_MODES)
        return name_words(schema, &c->partition, arena, out, err);
    if (tree->kind == JALI_PARTITION_TREE) return name_boxes(schema, tree, arena, out, err);
    return JALI_OK;
}
