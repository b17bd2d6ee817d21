/* tally/push_sql.c — the statement of one table.
 *
 *   SELECT keys, sum(n), sum(m), sum(s) FROM (
 *     SELECT columns, keys, count(*) AS n, count(value) AS m, sum(value) AS s FROM (
 *       SELECT columns, codes, value FROM rows WHERE belongs AND predicate
 *     ) GROUP BY columns, keys
 *   ) GROUP BY keys
 *
 * The outer floor is there when a category is among the keys: the database groups by the
 * column as it is stored, as quick as a GROUP BY of its own, and reads the few groups as
 * codes afterwards. Keys of numbers are computed below, a row at a time. Names of ours end in
 * #bin, which no column of a schema does.
 *
 * A table whose partitions are foreign (postgres_fdw) is asked part by part: the lower floor is
 * written for each, all of its keys are what was read of the columns, and the upper adds up
 * what the servers counted. PostgreSQL itself would fetch their rows.
 */
#include "engine/remote.h"
#include "tally/push.h"
#include <inttypes.h>
#include <string.h>

enum { GROUPED_CELLS = 1 << 16 }; /* of the columns that are grouped as they are stored */

typedef struct key {
    const char *sql;
    uint64_t domain;
    bool below; /* computed row by row */
} key;

typedef struct statement {
    const jali_plan *plan;
    const jali_remote *remote;
    const jali_unit *unit; /* the first of those that share the statement: its keys */
    const jali_push_group *group;
    const jali_slice *slice;
    jali_arena *arena;
    size_t parts; /* foreign tables that are the table; 0: it is asked as it is */
    const char *const *part;
    bool *used, *stored; /* per column: read at all; grouped as it is stored */
    const char **code;   /* per column: its code, NULL included               */
    const char *label;   /* NULL: none */
    key key[JALI_KEY_PARTS + 1];
    size_t n;
    bool failed;
} statement;

static const char *keep(statement *s, jali_text *text)
{
    const char *copy =
        text->failed || text->at == NULL ? NULL : jali_arena_text(s->arena, text->at);
    s->failed = s->failed || copy == NULL;
    jali_text_clear(text);
    return copy == NULL ? "NULL" : copy;
}

/* ---- keys
 * ------------------------------------------------------------------------------------ */

/* Constants for each label as an array, or one for all. */
static void put_edge(const statement *s, const uint32_t *edge, jali_text *out)
{
    if (s->label == NULL) {
        jali_text_format(out, "%" PRIu32, edge[0]);
        return;
    }
    jali_text_add(out, "('{");
    for (uint32_t l = 0; l < s->slice->labels; l++)
        jali_text_format(out, "%s%" PRIu32, l > 0 ? "," : "", edge[l]);
    jali_text_format(out, "}'::int8[])[1 + %s]", s->label);
}

static void put_bins(const statement *s, const jali_key_source *from, jali_text *out)
{
    jali_text_format(
        out, "CASE WHEN %s = %" PRIu32 " THEN %" PRIu32 " ELSE LEAST(GREATEST(%s::int8 - ",
        s->code[from->column], from->by.null, from->by.bins, s->code[from->column]);
    put_edge(s, from->by.lo, out);
    jali_text_add(out, ", 0) / ");
    put_edge(s, from->step, out);
    jali_text_format(out, ", %" PRIu32 ") END", from->by.bins - 1);
}

static unsigned bits(uint64_t x)
{
    return x == 0 ? 0 : 64 - (unsigned)__builtin_clzll(x);
}

static void put_grid(const statement *s, const jali_key_source *from, jali_text *out)
{
    jali_text_add(out, "CASE WHEN ");
    for (unsigned k = 0; k < from->n; k++)
        jali_text_format(out, "%s%s = %" PRIu64, k > 0 ? " OR " : "", s->code[from->grid[k]],
                         jali_columns_at(s->plan->columns, from->grid[k])->domain - 1);
    jali_text_format(out, " THEN %" PRIu64 " ELSE 0", from->domain - 1);
    for (unsigned k = 0, below = from->bits; k < from->n; k++) {
        uint64_t domain = jali_columns_at(s->plan->columns, from->grid[k])->domain;
        unsigned have = domain < 3 ? 0 : bits(domain - 2), want = jali_grid_bits(from, k);
        below -= want;
        jali_text_format(out, " | (%s::int8 >> %u << %u)", s->code[from->grid[k]],
                         have > want ? have - want : 0,
                         (want > have ? want - have : 0) + below);
    }
    jali_text_add(out, " END");
}

/* Parts of a table group by what was read, and everything else is computed above. */
static bool label_below(const statement *s)
{
    if (s->parts > 0) return false;
    for (size_t i = 0; i < s->slice->label.n; i++)
        if (!s->stored[s->slice->reads[i]]) return true;
    return false;
}

static bool key_below(const statement *s, const jali_key_source *from)
{
    if (s->parts > 0) return false;
    bool below = from->kind != SOURCE_COLUMN && s->label != NULL && label_below(s);
    if (from->kind != SOURCE_GRID) return below || !s->stored[from->column];
    for (unsigned k = 0; k < from->n; k++) below = below || !s->stored[from->grid[k]];
    return below;
}

static void add_keys(statement *s)
{
    if (s->label != NULL) s->key[s->n++] = (key){ s->label, s->slice->labels, label_below(s) };
    for (unsigned k = 0; k < s->unit->n; k++) {
        const jali_key_source *from = &PLAN_SOURCE(s->plan, s->unit->source[k]);
        jali_text sql = { 0 };
        if (from->kind == SOURCE_COLUMN)
            jali_text_add(&sql, s->code[from->column]);
        else if (from->kind == SOURCE_BINS)
            put_bins(s, from, &sql);
        else
            put_grid(s, from, &sql);
        s->key[s->n++] = (key){ keep(s, &sql), from->domain, key_below(s, from) };
    }
}

/* ---- columns
 * --------------------------------------------------------------------------------- */

/* What the keys read; the predicate stands below, where everything can be seen. */
static void find_columns(statement *s)
{
    const jali_slice *slice = s->slice;
    for (size_t i = 0; i < slice->label.n; i++) s->used[slice->reads[i]] = true;
    for (unsigned k = 0; k < s->unit->n; k++) {
        const jali_key_source *from = &PLAN_SOURCE(s->plan, s->unit->source[k]);
        if (from->kind != SOURCE_GRID) s->used[from->column] = true;
        for (unsigned g = 0; g < from->n; g++) s->used[from->grid[g]] = true;
    }
    uint64_t cells = 1;
    for (size_t i = 0; i < s->remote->n; i++) {
        s->stored[i] = s->used[i] && s->remote->column[i].group != NULL;
        if (s->stored[i] && cells <= GROUPED_CELLS) cells *= s->remote->column[i].domain;
    }
    for (size_t i = 0; i < s->remote->n; i++)
        s->stored[i] = s->stored[i] && cells <= GROUPED_CELLS;
}

static void name_codes(statement *s)
{
    for (size_t i = 0; i < s->remote->n; i++) {
        const jali_remote_column *c = &s->remote->column[i];
        if (!s->used[i]) continue;
        s->code[i] = s->stored[i] ? jali_arena_format(s->arena, "coalesce(%s, %" PRIu64 ")",
                                                      c->value, c->domain - 1)
                     : s->parts > 0
                         ? jali_arena_format(s->arena, "coalesce(\"c%zu#bin\", %" PRIu64 ")", i,
                                             c->domain - 1)
                         : jali_arena_format(s->arena, "\"c%zu#bin\"", i);
        s->failed = s->failed || s->code[i] == NULL;
    }
}

static void write_label(statement *s)
{
    const jali_label *l = &s->slice->label;
    const char **code = jali_arena_take(s->arena, l->n + 1, sizeof *code);
    jali_text sql = { 0 };
    if (!s->slice->labelled) return;
    for (size_t i = 0; code != NULL && i < l->n; i++) code[i] = s->code[s->slice->reads[i]];
    jali_text_add(&sql, "(");
    s->failed = s->failed || code == NULL || !l->sql(l->from, code, &sql);
    jali_text_add(&sql, ")");
    s->label = keep(s, &sql);
}

/* ---- floors
 * ---------------------------------------------------------------------------------- */

/* Codes and stored columns of the rows that belong to the vault. A foreign server is asked no
 * coalesce: postgres_fdw would fetch the rows instead. */
static void put_rows(statement *s, const char *from, jali_text *out)
{
    bool any = false;
    jali_text_add(out, "SELECT ");
    for (size_t i = 0; i < s->remote->n; i++) {
        const jali_remote_column *c = &s->remote->column[i];
        if (!s->used[i]) continue;
        if (s->stored[i])
            jali_text_format(out, "%s%s AS %s", any ? ", " : "", c->group, c->column);
        else if (s->parts > 0)
            jali_text_format(out, "%s%s AS \"c%zu#bin\"", any ? ", " : "", c->value, i);
        else
            jali_text_format(out, "%scoalesce(%s, %" PRIu64 ") AS \"c%zu#bin\"",
                             any ? ", " : "", c->value, c->domain - 1, i);
        any = true;
    }
    for (size_t i = 0; i < s->group->n; i++) {
        int sum = s->group->unit[i]->sum;
        if (sum == NONE) continue;
        const jali_remote_column *c = &s->remote->column[PLAN_SUM(s->plan, sum).column];
        jali_text_format(out, "%s%s AS \"v%zu#bin\", %s AS \"u%zu#bin\"", any ? ", " : "",
                         c->value, i, c->plain != NULL ? c->plain : c->value, i);
        any = true;
    }
    jali_text_format(out, "%s FROM %s", any ? "" : "1", from);
    if (s->remote->where != NULL) jali_text_format(out, " WHERE %s", s->remote->where);
    if (!s->slice->selects) return;
    jali_text_add(out, s->remote->where != NULL ? " AND " : " WHERE ");
    s->failed =
        !jali_push_selection(s->plan->columns, s->slice->selection.root, out) || s->failed;
}

/* What is counted, from the rows or from the groups of the floor below: rows, and for each
 * sum the rows that have its value, and the sum. */
static void put_numbers(const statement *s, const char *const words[3], jali_text *out)
{
    jali_text_add(out, words[0]);
    for (size_t i = 0; i < s->group->n; i++) {
        if (s->group->unit[i]->sum == NONE) continue;
        for (int k = 1; k < 3; k++) {
            jali_text_add(out, ", ");
            for (const char *c = words[k]; *c != '\0'; c++)
                if (*c == '@')
                    jali_text_format(out, "%zu", i);
                else
                    jali_text_add_n(out, c, 1);
        }
    }
}

static void put_groups(size_t n, jali_text *out)
{
    for (size_t i = 0; i < n; i++)
        jali_text_format(out, "%s%zu", i == 0 ? " GROUP BY " : ", ", i + 1);
}

static const char *sql_type(uint64_t domain)
{
    return domain <= 1u << 15 ? "int2" : "int4";
}

/* One floor: keys straight from the rows. */
static void put_flat(statement *s, jali_text *out)
{
    static const char *const numbers[] = { "count(*)", "count(\"u@#bin\")",
                                           "coalesce(sum(\"v@#bin\"), 0)::int8" };
    jali_text_add(out, "SELECT ");
    for (size_t i = 0; i < s->n; i++)
        jali_text_format(out, "(%s)::%s, ", s->key[i].sql, sql_type(s->key[i].domain));
    put_numbers(s, numbers, out);
    jali_text_add(out, " FROM (");
    put_rows(s, s->remote->rows, out);
    jali_text_add(out, ") AS r");
    put_groups(s->n, out);
}

/* The lower of two: what is grouped row by row. */
static void put_below(statement *s, const char *from, jali_text *out)
{
    static const char *const rows[] = { "count(*) AS \"n#bin\"",
                                        "count(\"u@#bin\") AS \"m@#bin\"",
                                        "sum(\"v@#bin\") AS \"s@#bin\"" };
    size_t n = 0;
    jali_text_add(out, "SELECT ");
    for (size_t i = 0; i < s->remote->n; i++)
        if (s->stored[i] && ++n > 0)
            jali_text_format(out, "%s, ", s->remote->column[i].column);
        else if (s->parts > 0 && s->used[i] && ++n > 0)
            jali_text_format(out, "\"c%zu#bin\", ", i);
    for (size_t i = 0; i < s->n; i++)
        if (s->key[i].below && ++n > 0)
            jali_text_format(out, "(%s)::%s AS \"k%zu#bin\", ", s->key[i].sql,
                             sql_type(s->key[i].domain), i);
    put_numbers(s, rows, out);
    jali_text_add(out, " FROM (");
    put_rows(s, from, out);
    jali_text_add(out, ") AS r");
    put_groups(n, out);
}

/* Two: stored columns below, codes above. */
static void put_tall(statement *s, jali_text *out)
{
    static const char *const above[] = { "sum(\"n#bin\")::int8", "sum(\"m@#bin\")::int8",
                                         "coalesce(sum(\"s@#bin\"), 0)::int8" };
    jali_text_add(out, "SELECT ");
    for (size_t i = 0; i < s->n; i++)
        if (s->key[i].below)
            jali_text_format(out, "\"k%zu#bin\", ", i);
        else
            jali_text_format(out, "(%s)::%s, ", s->key[i].sql, sql_type(s->key[i].domain));
    put_numbers(s, above, out);
    jali_text_add(out, " FROM (");
    if (s->parts == 0) put_below(s, s->remote->rows, out);
    for (size_t i = 0; i < s->parts; i++) {
        if (i > 0) jali_text_add(out, " UNION ALL ");
        put_below(s, s->part[i], out);
    }
    jali_text_add(out, ") AS g");
    put_groups(s->n, out);
}

jali_status jali_push_sql(const jali_plan *plan, const jali_push_group *group,
                          jali_arena *arena, jali_text *out, size_t *numbers, jali_err *err)
{
    statement s = { .plan = plan,
                    .remote = jali_columns_remote_of(plan->columns),
                    .unit = group->unit[0],
                    .group = group,
                    .slice = &PLAN_SLICE(plan, group->unit[0]->slice),
                    .arena = arena };
    size_t n = s.remote->n + 1;
    s.part = jali_columns_parts(plan->columns, &s.parts);
    s.used = jali_arena_take(arena, n, sizeof *s.used);
    s.stored = jali_arena_take(arena, n, sizeof *s.stored);
    s.code = jali_arena_take(arena, n, sizeof *s.code);
    if (s.used == NULL || s.stored == NULL || s.code == NULL) return jali_fail_memory(err);
    find_columns(&s);
    name_codes(&s);
    write_label(&s);
    add_keys(&s);
    bool tall = s.parts > 0;
    for (size_t i = 0; i < n; i++) tall = tall || s.stored[i];
    if (tall)
        put_tall(&s, out);
    else
        put_flat(&s, out);
    *numbers = s.n + 1;
    for (size_t i = 0; i < group->n; i++) *numbers += group->unit[i]->sum == NONE ? 0 : 2;
    if (s.failed) return jali_fail_memory(err);
    return jali_text_status(out, err);
}
