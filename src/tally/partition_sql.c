/* tally/partition_sql.c — a clustering as SQL over codes, for tables that stay in a database.
 *
 * The same function as partition_label.c, and in the same integers: among equals the lowest
 * label wins, because array_position finds the first. A mixture is decided in doubles and is
 * not written; neither is what would be too long a statement. */
#include "tally/partition_sql.h"
#include "tally/push.h"
#include <inttypes.h>
#include <string.h>

enum { BYTES = 1 << 20 };

typedef struct words {
    const jali_partition *p;
    const char *const *code;
} words;

static const char *code_named(void *self, const char *column)
{
    const words *w = self;
    size_t i = 0;
    while (i + 1 < w->p->n && strcmp(w->p->columns[i], column) != 0) i++;
    return w->code[i];
}

static bool fits(const jali_text *out)
{
    return !out->failed && out->used < BYTES;
}

static bool put_rules(const words *w, jali_text *out)
{
    const jali_partition *p = w->p;
    jali_text_add(out, "CASE");
    for (uint32_t l = 0; l + 1 < p->labels && fits(out); l++) {
        jali_text_add(out, " WHEN ");
        jali_push_predicate(p->rule[l], code_named, (void *)(uintptr_t)w, out);
        jali_text_format(out, " THEN %" PRIu32, l);
    }
    jali_text_format(out, "%s ELSE %" PRIu32 " END", p->labels == 1 ? " WHEN true THEN 0" : "",
                     p->labels - 1);
    return fits(out);
}

static void put_side(const jali_partition_side *s, const char *code, uint64_t domain,
                     jali_text *out)
{
    const uint64_t last = domain < 2 ? 0 : domain - 2; /* NULL is no code of a range */
    uint64_t high = s->high < last ? s->high : last;
    if (s->low <= high && domain > 1)
        jali_text_format(out, "(%s BETWEEN %" PRIu64 " AND %" PRIu64, code, s->low, high);
    else
        jali_text_add(out, "(false");
    if (s->null) jali_text_format(out, " OR %s = %" PRIu64, code, domain - 1);
    jali_text_add(out, ")");
}

static bool put_boxes(const words *w, jali_text *out)
{
    const jali_partition *p = w->p;
    jali_text_add(out, "CASE");
    for (uint32_t l = 0; l + 1 < p->labels && fits(out); l++) {
        jali_text_add(out, " WHEN true");
        for (size_t i = 0; i < p->n; i++) {
            jali_text_add(out, " AND ");
            put_side(&p->side[l * p->n + i], w->code[i], p->domain[i], out);
        }
        jali_text_format(out, " THEN %" PRIu32, l);
    }
    jali_text_format(out, "%s ELSE %" PRIu32 " END", p->labels == 1 ? " WHEN true THEN 0" : "",
                     p->labels - 1);
    return fits(out);
}

/* By recursion: a tree has JALI_PARTITION_DEPTH levels at most. Nodes that several others
 * lead to are written again for each, until that is too long. */
static void put_tree(const words *w, int32_t at, jali_text *out)
{
    if (at < 0 || !fits(out)) {
        jali_text_format(out, "%" PRId32, at < 0 ? ~at : 0);
        return;
    }
    const jali_partition_node *v = &w->p->node[at];
    const char *code = w->code[v->column];
    jali_text_format(
        out, "CASE WHEN CASE WHEN %s = %" PRIu64 " THEN %s ELSE %s %s %" PRIu64 " END THEN ",
        code, w->p->domain[v->column] - 1, v->null_right ? "true" : "false", code,
        v->equal ? "=" : ">=", v->cut);
    put_tree(w, v->right, out);
    jali_text_add(out, " ELSE ");
    put_tree(w, v->left, out);
    jali_text_add(out, " END");
}

/* The first of the least of `labels` numbers that put() writes. */
static bool put_least(const words *w, void (*put)(const words *w, uint32_t l, jali_text *out),
                      jali_text *out)
{
    for (int twice = 0; twice < 2; twice++) {
        jali_text_add(out, twice == 0 ? "array_position(ARRAY[" : "], LEAST(");
        for (uint32_t l = 0; l < w->p->labels && fits(out); l++) {
            if (l > 0) jali_text_add(out, ", ");
            put(w, l, out);
        }
    }
    jali_text_add(out, ")) - 1");
    return fits(out);
}

static void put_mode(const words *w, uint32_t l, jali_text *out)
{
    const jali_partition *p = w->p;
    jali_text_add(out, "0::int8");
    for (size_t k = 0; k < p->n; k++)
        jali_text_format(out, " + CASE WHEN %s = %" PRIu64 " THEN 0 ELSE %" PRIu32 " END",
                         w->code[k], p->mode[l * p->n + k], p->weight[k]);
}

/* jali_ruler_at, clamped before it is shifted as there. */
static void put_ruler(const jali_ruler *a, const char *code, jali_text *out)
{
    uint64_t most = a->up > 0 ? a->span >> a->up : (((uint64_t)a->span + 1) << a->down) - 1;
    jali_text_format(out, "CASE WHEN %s = %" PRIu64 " THEN %" PRIu32, code, a->domain - 1,
                     a->null);
    if (a->one_hot)
        jali_text_format(out, " WHEN %s = %" PRIu64 " THEN %" PRIu32 " ELSE 0 END", code,
                         a->low, a->top);
    else
        jali_text_format(out,
                         " ELSE ((LEAST(GREATEST(%s::int8 - %" PRIu64 ", 0), %" PRIu64
                         ") << %u >> %u) * %" PRIu32 ") >> 16 END",
                         code, a->low, most, a->up, a->down, a->mul);
}

/* |c|^2 - 2 c x: the distance without |x|^2, which all centres share. */
static void put_centre(const words *w, uint32_t l, jali_text *out)
{
    const jali_partition *p = w->p;
    uint64_t norm = 0;
    for (size_t j = 0; j < p->axes; j++) {
        uint64_t c = p->centre[l * p->axes + j];
        norm += c * c;
    }
    jali_text_format(out, "%" PRIu64 "::int8", norm);
    for (size_t j = 0; j < p->axes && fits(out); j++) {
        jali_text_format(out, " - %u * (", 2u * p->centre[l * p->axes + j]);
        put_ruler(&p->axis[j], w->code[p->column_of[j]], out);
        jali_text_add(out, ")::int8");
    }
}

bool jali_partition_sql(const void *partition, const char *const *code, jali_text *out)
{
    const jali_partition *p = partition;
    words w = { p, code };
    switch (p->kind) {
    case JALI_PARTITION_RULES:
        return put_rules(&w, out);
    case JALI_PARTITION_BOXES:
        return put_boxes(&w, out);
    case JALI_PARTITION_TREE:
        put_tree(&w, p->nodes == 0 ? ~0 : 0, out);
        return fits(out);
    case JALI_PARTITION_MODES:
        return put_least(&w, put_mode, out);
    case JALI_PARTITION_CENTRES:
        return put_least(&w, put_centre, out);
    default:
        return false;
    }
}
