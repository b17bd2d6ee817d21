/* tally/partition_label.c — a clustering as a label function: blocks of rows, many threads. */
#include "engine/codes.h"
#include "tally/mixture.h"
#include "tally/nearest.h"
#include "tally/partition.h"
#include "tally/partition_sql.h"
#include <string.h>

enum { CHUNK = 512 };

static void label_nearest(void *self, const jali_block *block, uint16_t *out)
{
    jali_near_rows(self, block, NULL, out, NULL);
}

/* ---- trees: as many steps for every row, leaves stay where they are ---------------------- */

typedef struct steps {
    uint32_t column;
    bool equal, null_right;
    uint64_t cut, null;
    uint32_t next[2]; /* left, right; leaves lead to themselves */
} steps;

typedef struct walker {
    unsigned depth;
    uint32_t nodes; /* labels begin here */
    const steps *step;
} walker;

static void label_tree(void *self, const jali_block *block, uint16_t *out)
{
    const walker *w = self;
    for (size_t i = 0; i < block->rows; i++) {
        uint32_t at = 0;
        for (unsigned g = 0; g < w->depth; g++) {
            const steps *s = &w->step[at];
            uint64_t c = jali_code_at(block->codes[s->column], block->width[s->column], i);
            bool right = (s->equal & (c == s->cut)) | (!s->equal & (c >= s->cut));
            right = c == s->null ? s->null_right : right;
            at = s->next[right];
        }
        out[i] = (uint16_t)(at - w->nodes);
    }
}

static jali_status make_walker(const jali_partition *p, jali_arena *arena, jali_label *out,
                               jali_err *err)
{
    walker *w = jali_arena_take(arena, 1, sizeof *w);
    steps *s = jali_arena_take(arena, p->nodes + p->labels, sizeof *s);
    unsigned *depth = jali_arena_take(arena, p->nodes + 1, sizeof *depth);
    if (w == NULL || s == NULL || depth == NULL) return jali_fail_memory(err);
    *w = (walker){ p->nodes > 0, (uint32_t)p->nodes, s };
    for (size_t i = 0; i < p->nodes; i++) {
        const jali_partition_node *v = &p->node[i];
        s[i] = (steps){ v->column, v->equal, v->null_right, v->cut, p->domain[v->column] - 1,
                        { 0 } };
        int32_t child[] = { v->left, v->right };
        for (int k = 0; k < 2; k++) {
            s[i].next[k] = child[k] < 0 ? w->nodes + (uint32_t)~child[k] : (uint32_t)child[k];
            if (child[k] >= 0 && depth[child[k]] <= depth[i]) depth[child[k]] = depth[i] + 1;
        }
        if (depth[i] + 1 > w->depth) w->depth = depth[i] + 1;
    }
    for (uint32_t l = 0; l < p->labels; l++)
        s[p->nodes + l].next[0] = s[p->nodes + l].next[1] = w->nodes + l;
    out->label = label_tree;
    out->self = w;
    return JALI_OK;
}

/* ---- rules and boxes: one byte a row and node, TRUE or not ------------------------------- */

typedef struct rulebook {
    const jali_partition *p;
    uint32_t rules;
    const jali_predicate *const *rule;
} rulebook;

static size_t column_named(const jali_partition *p, const char *name)
{
    size_t i = 0;
    while (i + 1 < p->n && strcmp(p->columns[i], name) != 0) i++;
    return i;
}

static void leaf_rows(const jali_partition *p, const jali_predicate *q, const jali_block *b,
                      size_t first, size_t n, uint8_t *yes)
{
    size_t column = column_named(p, q->column);
    uint64_t null = q->domain - 1;
    uint8_t at_null = q->null == JALI_TRUE;
    for (size_t i = 0; i < n; i++) {
        uint64_t c = jali_code_at(b->codes[column], b->width[column], first + i);
        uint8_t in = 0;
        for (size_t r = 0; r < q->n; r++)
            in |= (uint8_t)((c >= q->ranges[r].lo) & (c <= q->ranges[r].hi));
        yes[i] = c == null ? at_null : in;
    }
}

static void rule_rows(const jali_partition *p, const jali_predicate *q, const jali_block *b,
                      size_t first, size_t n, uint8_t *yes)
{
    if (q->kind == JALI_PREDICATE_LEAF) {
        leaf_rows(p, q, b, first, n, yes);
        return;
    }
    bool all = q->kind == JALI_PREDICATE_AND;
    uint8_t start = q->kind == JALI_PREDICATE_CONSTANT ? q->null == JALI_TRUE : all, one[CHUNK];
    memset(yes, start, n);
    for (size_t c = 0; q->kind != JALI_PREDICATE_CONSTANT && c < q->n; c++) {
        rule_rows(p, q->child[c], b, first, n, one);
        for (size_t i = 0; i < n; i++)
            yes[i] = all ? (uint8_t)(yes[i] & one[i]) : (uint8_t)(yes[i] | one[i]);
    }
}

static void label_rules(void *self, const jali_block *block, uint16_t *out)
{
    const rulebook *book = self;
    uint8_t yes[CHUNK];
    for (size_t first = 0; first < block->rows; first += CHUNK) {
        size_t n = block->rows - first < CHUNK ? block->rows - first : CHUNK;
        for (size_t i = 0; i < n; i++) out[first + i] = (uint16_t)book->rules;
        for (uint32_t l = book->rules; l-- > 0;) { /* the first one that is TRUE writes last */
            rule_rows(book->p, book->rule[l], block, first, n, yes);
            for (size_t i = 0; i < n; i++)
                out[first + i] = yes[i] ? (uint16_t)l : out[first + i];
        }
    }
}

/* A box as the conjunction of its sides. */
static const jali_predicate *box_rule(const jali_partition *p, uint32_t box, jali_arena *arena)
{
    const jali_predicate **side = jali_arena_take(arena, p->n + 1, sizeof *side);
    for (size_t i = 0; side != NULL && i < p->n; i++) {
        const jali_partition_side *s = &p->side[box * p->n + i];
        jali_range r = { s->low, s->high };
        side[i] = jali_predicate_ranges(arena, p->columns[i], p->domain[i], &r,
                                        s->low <= s->high, s->null ? JALI_TRUE : JALI_FALSE);
    }
    return side == NULL ? NULL : jali_predicate_join(arena, JALI_PREDICATE_AND, side, p->n);
}

static jali_status make_rulebook(const jali_partition *p, jali_arena *arena, jali_label *out,
                                 jali_err *err)
{
    rulebook *book = jali_arena_take(arena, 1, sizeof *book);
    const jali_predicate **rule = jali_arena_take(arena, p->labels, sizeof *rule);
    if (book == NULL || rule == NULL) return jali_fail_memory(err);
    for (uint32_t l = 0; l + 1 < p->labels; l++) {
        rule[l] = p->kind == JALI_PARTITION_BOXES ? box_rule(p, l, arena) : p->rule[l];
        if (rule[l] == NULL) return jali_fail_memory(err);
    }
    *book = (rulebook){ p, p->labels - 1, rule };
    out->label = label_rules;
    out->self = book;
    return JALI_OK;
}

/* ---- modes ------------------------------------------------------------------------------ */

static void mode_rows(const jali_partition *p, uint32_t l, const jali_block *b, size_t first,
                      size_t n, uint64_t *far)
{
    memset(far, 0, n * sizeof *far);
    for (size_t k = 0; k < p->n; k++) {
        uint64_t mode = p->mode[l * p->n + k], weight = p->weight[k];
        for (size_t i = 0; i < n; i++)
            far[i] += jali_code_at(b->codes[k], b->width[k], first + i) == mode ? 0 : weight;
    }
}

static void label_modes(void *self, const jali_block *block, uint16_t *out)
{
    const jali_partition *p = self;
    uint64_t far[CHUNK], least[CHUNK];
    for (size_t first = 0; first < block->rows; first += CHUNK) {
        size_t n = block->rows - first < CHUNK ? block->rows - first : CHUNK;
        for (size_t i = 0; i < n; i++) least[i] = UINT64_MAX;
        for (uint32_t l = 0; l < p->labels; l++) {
            mode_rows(p, l, block, first, n, far);
            for (size_t i = 0; i < n; i++) {
                out[first + i] = far[i] < least[i] ? (uint16_t)l : out[first + i];
                least[i] = far[i] < least[i] ? far[i] : least[i];
            }
        }
    }
}

jali_status jali_partition_label(const jali_partition *p, jali_arena *arena, jali_label *out,
                                 jali_err *err)
{
    jali_label label = { .labels = p->labels,
                         .n = p->n,
                         .columns = p->columns,
                         .sql = jali_partition_sql,
                         .from = p,
                         .made = JALI_LABEL_PARTITION,
                         .of = p };
    if (p->kind == JALI_PARTITION_CENTRES) {
        jali_near *nearest = jali_arena_take(arena, 1, sizeof *nearest);
        if (nearest == NULL) return jali_fail_memory(err);
        JALI_TRY(jali_near_make(nearest, p->axis, p->column_of, p->axes, p->centre, p->labels,
                                arena, err));
        label.label = label_nearest;
        label.self = nearest;
    } else if (p->kind == JALI_PARTITION_TREE) {
        JALI_TRY(make_walker(p, arena, &label, err));
    } else if (p->kind == JALI_PARTITION_MIXTURE) {
        label.label = jali_mixture_rows;
        label.self = (void *)(uintptr_t)p;
    } else if (p->kind == JALI_PARTITION_MODES) {
        label.label = label_modes;
        label.self = (void *)(uintptr_t)p;
    } else {
        JALI_TRY(make_rulebook(p, arena, &label, err));
    }
    *out = label;
    return JALI_OK;
}
