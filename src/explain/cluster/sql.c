/* explain/cluster/sql.c — a clustering as a query: every row of a table with its label.
 *
 * No claim: it writes down what was released.
 */
#include "explain/cluster/sql.h"
#include "base/text.h"
#include <inttypes.h>
#include <string.h>

/* ---- names and constants ----------------------------------------------------------------- */

static void put_quoted(jali_text *t, const char *text, char quote)
{
    const char mark[] = { quote, '\0' };
    jali_text_add(t, mark);
    for (const char *p = text; *p != '\0'; p++) {
        if (*p == quote) jali_text_add(t, mark);
        jali_text_add_n(t, p, 1);
    }
    jali_text_add(t, mark);
}

static void put_column(jali_text *t, const jali_field *f)
{
    jali_text_add(t, "t.");
    put_quoted(t, f->name, '"');
}

/* ---- codes --------------------------------------------------------------------------------
 */

static uint64_t power_of_ten(unsigned digits)
{
    uint64_t p = 1;
    while (digits-- > 0 && p < UINT64_MAX / 10) p *= 10;
    return p;
}

/* The number of steps from the low bound: rounded half away from zero, then clamped. */
static void put_number(jali_text *t, const jali_field *f)
{
    jali_text_add(t, "CASE WHEN "); /* LEAST and GREATEST skip NULLs */
    put_column(t, f);
    jali_text_add(t, " IS NOT NULL THEN CAST(LEAST(GREATEST(");
    if (f->type == JALI_DATE) {
        jali_text_add(t, "(CAST(");
        put_column(t, f);
        jali_text_add(t, " AS DATE) - DATE '1970-01-01')");
    } else {
        jali_text_add(t, "ROUND(CAST(");
        put_column(t, f);
        jali_text_format(t, " AS DECIMAL(30,12)) * %" PRIu64, power_of_ten(f->step.digits));
        if (f->step.units != 1) jali_text_format(t, " / %" PRId64, f->step.units);
        jali_text_add(t, ")");
    }
    jali_text_format(t, ", %" PRId64 "), %" PRId64 ") - (%" PRId64 ") AS BIGINT) END", f->low,
                     f->high, f->low);
}

static void put_boolean(jali_text *t, const jali_field *f)
{
    jali_text_add(t, "CASE");
    for (uint32_t v = 0; v < f->n_values; v++) {
        jali_text_add(t, strcmp(f->values[v], "true") == 0 ? " WHEN " : " WHEN NOT ");
        put_column(t, f);
        jali_text_format(t, " THEN %u", v);
    }
    jali_text_add(t, " END");
}

static void put_bins(jali_text *t, const jali_field *f)
{
    jali_text_add(t, "CASE WHEN ");
    put_column(t, f);
    jali_text_add(t, " IS NULL THEN NULL");
    for (uint32_t b = 0; b + 1 < f->n_bins; b++) {
        jali_text_add(t, " WHEN ");
        put_column(t, f);
        jali_text_format(t, " * %" PRIu64 " < %" PRId64 " THEN %u",
                         power_of_ten(f->cut[b + 1].digits), f->cut[b + 1].units, b);
    }
    jali_text_format(t, " ELSE %u END", f->n_bins - 1);
}

static void put_category(jali_text *t, const jali_field *f)
{
    jali_text_add(t, "CASE CAST(");
    put_column(t, f);
    jali_text_add(t, " AS VARCHAR)");
    for (uint32_t v = 0; v < f->n_values; v++) {
        jali_text_add(t, " WHEN ");
        put_quoted(t, f->values[v], '\'');
        jali_text_format(t, " THEN %u", v);
    }
    if (f->other >= 0) {
        jali_text_add(t, " ELSE CASE WHEN ");
        put_column(t, f);
        jali_text_format(t, " IS NOT NULL THEN %d END", (int)f->other);
    }
    jali_text_add(t, " END");
}

static void put_code(jali_text *t, const jali_field *f)
{
    if (f->kind == JALI_NUMBER)
        put_number(t, f);
    else if (f->binned)
        put_bins(t, f);
    else if (f->type == JALI_BOOLEAN)
        put_boolean(t, f);
    else
        put_category(t, f);
}

static jali_status put_codes(jali_text *t, const jali_partition *p, const jali_schema *schema,
                             jali_err *err)
{
    jali_text_add(t, "(SELECT ");
    for (size_t i = 0; i < p->n; i++) {
        size_t field;
        JALI_TRY(jali_schema_find(schema, p->columns[i], &field, err));
        jali_text_add(t, i > 0 ? ",\n         " : "");
        put_code(t, &schema->fields[field]);
        jali_text_format(t, " AS c%zu", i);
    }
    if (p->n == 0) jali_text_add(t, "1 AS c0");
    jali_text_add(t, ") AS v");
    return JALI_OK;
}

/* ---- distances: centres and modes ----------------------------------------------------------
 */

static void put_axis(jali_text *t, const jali_partition *p, size_t j)
{
    const jali_ruler *a = &p->axis[j];
    size_t c = p->column_of[j];
    uint64_t most = a->up > 0 ? a->span >> a->up : (((uint64_t)a->span + 1) << a->down) - 1;
    if (a->one_hot)
        jali_text_format(
            t, "CASE WHEN c%zu IS NULL THEN %u WHEN c%zu = %" PRIu64 " THEN %u ELSE 0 END", c,
            a->null, c, a->low, a->top);
    else
        jali_text_format(t,
                         "CASE WHEN c%zu IS NULL THEN %u ELSE (((LEAST(GREATEST(c%zu - %" PRIu64
                         ", 0), %" PRIu64 ") << %u) >> %u) * %u) >> 16 END",
                         c, a->null, c, a->low, most, a->up, a->down, a->mul);
    jali_text_format(t, " AS x%zu", j);
}

static jali_status put_centres(jali_text *t, const jali_partition *p, const jali_schema *schema,
                               jali_err *err)
{
    jali_text_add(t, "(SELECT ");
    for (uint32_t l = 0; l < p->labels; l++) {
        jali_text_add(t, l > 0 ? ",\n       " : "");
        if (p->kind == JALI_PARTITION_MIXTURE) jali_text_format(t, "%.17e", p->offset[l]);
        for (size_t j = 0; j < p->axes; j++) {
            size_t i = l * p->axes + j;
            if (p->kind == JALI_PARTITION_MIXTURE)
                jali_text_format(t, " + %.17e * ((x%zu - %u) * (x%zu - %u))", p->sharp[i], j,
                                 p->centre[i], j, p->centre[i]);
            else
                jali_text_format(t, "%s(x%zu - %u) * (x%zu - %u)", j > 0 ? " + " : "", j,
                                 p->centre[i], j, p->centre[i]);
        }
        jali_text_format(t, " AS d%u", l);
    }
    jali_text_add(t, "\n      FROM (SELECT ");
    for (size_t j = 0; j < p->axes; j++) {
        jali_text_add(t, j > 0 ? ",\n        " : "");
        put_axis(t, p, j);
    }
    jali_text_add(t, "\n       FROM ");
    JALI_TRY(put_codes(t, p, schema, err));
    jali_text_add(t, ") AS x) AS d");
    return JALI_OK;
}

static jali_status put_modes(jali_text *t, const jali_partition *p, const jali_schema *schema,
                             jali_err *err)
{
    jali_text_add(t, "(SELECT ");
    for (uint32_t l = 0; l < p->labels; l++) {
        jali_text_add(t, l > 0 ? ",\n       " : "");
        for (size_t i = 0; i < p->n; i++) {
            uint64_t mode = p->mode[l * p->n + i];
            jali_text_add(t, i > 0 ? " + " : "");
            if (mode + 1 == p->domain[i])
                jali_text_format(t, "CASE WHEN c%zu IS NULL THEN 0 ELSE %u END", i,
                                 p->weight[i]);
            else
                jali_text_format(t, "CASE WHEN c%zu = %" PRIu64 " THEN 0 ELSE %u END", i, mode,
                                 p->weight[i]);
        }
        jali_text_format(t, " AS d%u", l);
    }
    jali_text_add(t, "\n      FROM ");
    JALI_TRY(put_codes(t, p, schema, err));
    jali_text_add(t, ") AS d");
    return JALI_OK;
}

/* The first label whose distance is the least. */
static void put_least(jali_text *t, const jali_partition *p)
{
    jali_text_add(t, "CASE LEAST(");
    for (uint32_t l = 0; l < p->labels; l++) jali_text_format(t, "%sd%u", l > 0 ? ", " : "", l);
    jali_text_add(t, ")");
    for (uint32_t l = 0; l < p->labels; l++) jali_text_format(t, " WHEN d%u THEN %u", l, l);
    jali_text_add(t, " END");
}

/* ---- conditions: trees, boxes, rules -------------------------------------------------------
 */

static void put_node(jali_text *t, const jali_partition *p, int32_t at)
{
    if (at < 0) {
        jali_text_format(t, "%u", (unsigned)~at);
        return;
    }
    const jali_partition_node *v = &p->node[at];
    jali_text_format(t, "CASE WHEN c%u %s %" PRIu64, v->column, v->equal ? "=" : ">=", v->cut);
    if (v->null_right) jali_text_format(t, " OR c%u IS NULL", v->column);
    jali_text_add(t, " THEN ");
    put_node(t, p, v->right);
    jali_text_add(t, " ELSE ");
    put_node(t, p, v->left);
    jali_text_add(t, " END");
}

static void put_boxes(jali_text *t, const jali_partition *p)
{
    jali_text_add(t, "CASE");
    for (uint32_t l = 0; l + 1 < p->labels; l++) {
        jali_text_add(t, "\n  WHEN TRUE");
        for (size_t i = 0; i < p->n; i++) {
            const jali_partition_side *s = &p->side[l * p->n + i];
            jali_text_format(t, " AND (c%zu BETWEEN %" PRIu64 " AND %" PRIu64 "%s", i, s->low,
                             s->high, s->null ? " OR c" : "");
            if (s->null) jali_text_format(t, "%zu IS NULL", i);
            jali_text_add(t, ")");
        }
        jali_text_format(t, " THEN %u", l);
    }
    jali_text_format(t, " ELSE %u END", p->labels - 1);
}

static size_t column_at(const jali_partition *p, const char *name)
{
    size_t i = 0;
    while (i + 1 < p->n && strcmp(p->columns[i], name) != 0) i++;
    return i;
}

static void put_leaf(jali_text *t, const jali_partition *p, const jali_predicate *q)
{
    size_t c = column_at(p, q->column);
    jali_text_add(t, "(");
    jali_text_format(t, "c%zu IS %sNULL", c, q->null == JALI_TRUE ? "" : "NOT ");
    jali_text_add(t, q->null == JALI_TRUE ? "" : " AND (FALSE");
    for (size_t r = 0; r < q->n; r++)
        jali_text_format(t, " OR c%zu BETWEEN %" PRIu64 " AND %" PRIu64, c, q->ranges[r].lo,
                         q->ranges[r].hi);
    jali_text_add(t, q->null == JALI_TRUE ? ")" : "))");
}

/* True exactly where the predicate is TRUE: inner nodes are AND and OR, leaves two-valued. */
static void put_predicate(jali_text *t, const jali_partition *p, const jali_predicate *q)
{
    if (q->kind == JALI_PREDICATE_CONSTANT) {
        jali_text_add(t, q->null == JALI_TRUE ? "TRUE" : "FALSE");
    } else if (q->kind == JALI_PREDICATE_LEAF) {
        put_leaf(t, p, q);
    } else {
        bool all = q->kind == JALI_PREDICATE_AND;
        jali_text_add(t, all ? "(TRUE" : "(FALSE");
        for (size_t i = 0; i < q->n; i++) {
            jali_text_add(t, all ? " AND " : " OR ");
            put_predicate(t, p, q->child[i]);
        }
        jali_text_add(t, ")");
    }
}

static void put_rules(jali_text *t, const jali_partition *p)
{
    jali_text_add(t, "CASE");
    for (uint32_t l = 0; l + 1 < p->labels; l++) {
        jali_text_add(t, "\n  WHEN ");
        put_predicate(t, p, p->rule[l]);
        jali_text_format(t, " THEN %u", l);
    }
    jali_text_format(t, " ELSE %u END", p->labels - 1);
}

/* ---- the query ----------------------------------------------------------------------------
 */

static jali_status put_label(jali_text *t, const jali_partition *p, const jali_schema *schema,
                             jali_err *err)
{
    bool placed = p->kind == JALI_PARTITION_CENTRES || p->kind == JALI_PARTITION_MIXTURE;
    if (placed || p->kind == JALI_PARTITION_MODES)
        put_least(t, p);
    else if (p->kind == JALI_PARTITION_TREE)
        put_node(t, p, p->nodes > 0 ? 0 : ~0);
    else if (p->kind == JALI_PARTITION_BOXES)
        put_boxes(t, p);
    else
        put_rules(t, p);
    jali_text_add(t, "\n     FROM ");
    if (placed) return put_centres(t, p, schema, err);
    if (p->kind == JALI_PARTITION_MODES) return put_modes(t, p, schema, err);
    return put_codes(t, p, schema, err);
}

jali_status jali_cluster_sql(const jali_partition *partition, const jali_schema *schema,
                             jali_arena *arena, char **out, jali_err *err)
{
    jali_text t = { 0 };
    jali_text_add(&t, "SELECT t.*,\n  (SELECT ");
    jali_status status = put_label(&t, partition, schema, err);
    jali_text_add(&t, ") AS cluster\nFROM ");
    put_quoted(&t, schema->name == NULL ? "table" : schema->name, '"');
    jali_text_add(&t, " AS t;\n");
    if (status == JALI_OK) status = jali_text_status(&t, err);
    char *text = status == JALI_OK ? jali_arena_text(arena, t.at) : NULL;
    if (status == JALI_OK && text == NULL) status = jali_fail_memory(err);
    jali_text_clear(&t);
    if (status == JALI_OK) *out = text;
    return status;
}
