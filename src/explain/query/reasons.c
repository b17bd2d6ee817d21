/* explain/query/reasons.c — which predicates may explain, by the words of a request.
 *
 * No claim: schema and request alone decide, so that neighbours have the same candidates.
 */
#include "explain/query/reasons.h"
#include "base/json.h"
#include "budget/ledger.h"
#include "table/where.h"

enum { LIST_IN_PLAN = 1 << 16 }; /* bytes; a longer list goes into the plan by its hash */

static bool has_bins(const jali_field *f)
{
    return f->kind == JALI_NUMBER && f->n_bins > 0;
}

static bool is_ordered(const jali_field *f)
{
    return f->kind == JALI_NUMBER || f->binned;
}

/* ---- columns ------------------------------------------------------------------------- */

static bool is_taken(const jali_query *query, size_t summed, size_t field)
{
    for (size_t i = 0; i < query->n_groups; i++)
        if (query->group[i] == field) return true;
    return field == summed;
}

static bool takes_part(const jali_field *f, uint64_t most)
{
    return jali_query_parts(f) <= most + 1 || f->kind == JALI_CATEGORY || has_bins(f);
}

static jali_status all_columns(jali_reasons *r, const jali_query *query, size_t summed,
                               size_t *field, const char **left_out)
{
    for (size_t i = 0; i < r->schema->n; i++) {
        const jali_field *f = &r->schema->fields[i];
        if (!f->used || is_taken(query, summed, i)) continue;
        if (takes_part(f, JALI_REASONS_VALUES))
            field[r->n++] = i;
        else
            left_out[r->n_left_out++] = f->name;
    }
    return JALI_OK;
}

static jali_status named_columns(jali_reasons *r, const jali_query *query, size_t summed,
                                 const jali_reasons_words *words, size_t *field, jali_err *err)
{
    for (size_t i = 0; i < words->n_columns; i++) {
        size_t at, j = r->n;
        JALI_TRY(jali_schema_find(r->schema, words->column[i], &at, err));
        const jali_field *f = &r->schema->fields[at];
        if (is_taken(query, summed, at))
            return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                             "\"%s\" is part of the question and cannot explain it; leave it "
                             "out of --columns",
                             f->name);
        if (!takes_part(f, JALI_QUERY_VALUES))
            return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                             "\"%s\" has too many values to explain by; the curator can "
                             "declare \"bins\" for it in the schema",
                             f->name);
        for (; j > 0 && field[j - 1] > at; j--) field[j] = field[j - 1];
        if (j > 0 && field[j - 1] == at)
            return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                             "--columns names \"%s\" twice", f->name);
        field[j] = at;
        r->n++;
    }
    return JALI_OK;
}

/* ---- marks --------------------------------------------------------------------------- */

/* "= c" for every code; "<= c" and ">= c" but those that say "= c" or nothing at all; then
 * "IS NULL" where there may be one. */
static const jali_range *all_marks(uint64_t known, bool nulls, size_t *n, jali_arena *arena)
{
    size_t inner = known > 2 ? (size_t)known - 2 : 0, k = 0;
    jali_range *mark = jali_arena_take(arena, (size_t)known + 2 * inner + 1, sizeof *mark);
    if (mark == NULL) return NULL;
    for (uint64_t c = 0; c < known; c++) mark[k++] = (jali_range){ c, c };
    for (uint64_t c = 1; c + 1 < known; c++) mark[k++] = (jali_range){ 0, c };
    for (uint64_t c = 1; c + 1 < known; c++) mark[k++] = (jali_range){ c, known - 1 };
    if (nulls) mark[k++] = (jali_range){ known, known };
    *n = k;
    return mark;
}

static jali_status make_attributes(jali_reasons *r, jali_space_attribute *attribute,
                                   jali_arena *arena, jali_err *err)
{
    for (size_t i = 0; i < r->n; i++) {
        const jali_field *f = &r->schema->fields[r->field[i]];
        jali_space_attribute *a = &attribute[i];
        a->domain = jali_query_parts(f);
        a->nulls = !f->required;
        a->column =
            has_bins(f) ? jali_arena_format(arena, "%s" JALI_BIN_SUFFIX, f->name) : f->name;
        if (a->column == NULL) return jali_fail_memory(err);
        if (!r->inequalities || !is_ordered(f)) continue;
        a->mark = all_marks(a->domain - 1, a->nulls, &a->n, arena);
        if (a->mark == NULL) return jali_fail_memory(err);
    }
    return JALI_OK;
}

/* ---- the whole ------------------------------------------------------------------------ */

static jali_status read_lengths(jali_reasons *r, const jali_reasons_words *words, jali_err *err)
{
    if (words->length > 0 && words->up_to > 0)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "say --length (exactly) or --up-to, not both");
    r->longest = words->length > 0 ? words->length : words->up_to > 0 ? words->up_to : 1;
    r->shortest = words->up_to > 0 ? 1 : r->longest;
    if (r->longest <= JALI_SPACE_LENGTH) return JALI_OK;
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "a predicate joins at most %d conditions, not %u", JALI_SPACE_LENGTH,
                     r->longest);
}

/* A list stands alone, unless conjunctions were asked for as well. */
static bool wants_columns(const jali_reasons_words *words)
{
    bool list = words->either != NULL || words->predicates != NULL;
    return !list || words->length > 0 || words->up_to > 0 || words->n_columns > 0 ||
           words->inequalities;
}

static jali_status find_columns(jali_reasons *r, const jali_query *query, size_t summed,
                                const jali_reasons_words *words, jali_arena *arena,
                                jali_err *err)
{
    size_t room = r->schema->n > words->n_columns ? r->schema->n : words->n_columns;
    size_t *field = jali_arena_take(arena, room + 1, sizeof *field);
    const char **left = jali_arena_take(arena, room + 1, sizeof *left);
    if (field == NULL || left == NULL) return jali_fail_memory(err);
    r->field = field;
    r->left_out = left;
    if (!wants_columns(words)) return JALI_OK;
    if (words->n_columns > 0) return named_columns(r, query, summed, words, field, err);
    JALI_TRY(all_columns(r, query, summed, field, left));
    if (r->n > 0) return JALI_OK;
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "no column is left to explain by: the question uses them all, or they "
                     "have no bins");
}

jali_status jali_reasons_init(jali_reasons *out, const jali_schema *schema,
                              const jali_query *query, size_t summed,
                              const jali_reasons_words *words, jali_arena *arena, jali_err *err)
{
    jali_reasons r = { .schema = schema, .inequalities = words->inequalities };
    JALI_TRY(read_lengths(&r, words, err));
    JALI_TRY(find_columns(&r, query, summed, words, arena, err));
    if (r.n > 0 && r.longest > r.n)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "there are %zu columns to explain by, so a predicate cannot join %u "
                         "of them",
                         r.n, r.longest);
    JALI_TRY(jali_reasons_list(&r, words, arena, err));
    jali_space_attribute *attribute = jali_arena_take(arena, r.n + 1, sizeof *attribute);
    if (attribute == NULL) return jali_fail_memory(err);
    JALI_TRY(make_attributes(&r, attribute, arena, err));
    jali_space_spec spec = { .n = r.n,
                             .attribute = attribute,
                             .shortest = r.shortest,
                             .longest = r.longest,
                             .n_listed = r.n_listed,
                             .listed = r.listed };
    JALI_TRY(jali_space_new(&r.space, &spec, arena, err));
    *out = r;
    return JALI_OK;
}

/* ---- one of them ----------------------------------------------------------------------- */

const jali_predicate *jali_reasons_leaf(const jali_field *f, uint64_t lo, uint64_t hi,
                                        jali_arena *arena)
{
    uint64_t null = jali_query_parts(f) - 1;
    if (lo == null) return jali_predicate_is_null(arena, f->name, f->domain);
    if (has_bins(f)) {
        bool last = hi + 1 == f->n_bins;
        lo = f->edge[lo];
        hi = last ? f->edge[f->n_bins] : f->edge[hi + 1] - 1;
    }
    return jali_predicate_range(arena, f->name, f->domain, lo, hi);
}

const jali_predicate *jali_reasons_at(const jali_reasons *reasons, uint64_t index,
                                      jali_arena *arena)
{
    jali_space_member m;
    jali_space_at(reasons->space, index, &m);
    if (m.listed) return reasons->listed[m.list];
    const jali_predicate *all = NULL;
    for (unsigned i = 0; i < m.n; i++) {
        const jali_field *f = &reasons->schema->fields[reasons->field[m.attribute[i]]];
        const jali_predicate *one = jali_reasons_leaf(f, m.range[i].lo, m.range[i].hi, arena);
        all = i == 0 ? one : jali_predicate_and(arena, all, one);
    }
    return jali_predicate_canonical(arena, all);
}

jali_status jali_reasons_text(const jali_reasons *reasons, uint64_t index, jali_arena *arena,
                              char **out, jali_err *err)
{
    const jali_predicate *p = jali_reasons_at(reasons, index, arena);
    if (p == NULL) return jali_fail_memory(err);
    return jali_where_text(reasons->schema, p, arena, out, err);
}

/* ---- in a plan ------------------------------------------------------------------------- */

static json_t *list_json(const jali_reasons *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->n_listed; i++) {
        json_t *one = NULL;
        if (jali_predicate_to_json(r->listed[i], &one, NULL) != JALI_OK ||
            json_array_append_new(list, one) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

/* Equal lists, equal hashes; a plan has its limits. */
static json_t *short_list(const jali_reasons *r, jali_arena *arena)
{
    char *text, hash[JALI_HASH_TEXT];
    json_t *list = list_json(r);
    if (list == NULL || jali_json_canonical(list, arena, &text, NULL) != JALI_OK) {
        json_decref(list);
        return NULL;
    }
    if (strlen(text) <= LIST_IN_PLAN) return list;
    json_decref(list);
    if (jali_plan_hash(hash, text, NULL) != JALI_OK) return NULL;
    return json_pack("{s:s,s:I}", "hash", hash, "n", (json_int_t)r->n_listed);
}

json_t *jali_reasons_json(const jali_reasons *reasons, jali_arena *arena)
{
    json_t *columns = json_array();
    int bad = 0;
    for (size_t i = 0; i < reasons->n; i++) {
        const char *name = reasons->schema->fields[reasons->field[i]].name;
        bad |= json_array_append_new(columns, json_string(name));
    }
    json_t *list = bad ? NULL : short_list(reasons, arena);
    if (list == NULL) {
        json_decref(columns);
        return NULL;
    }
    return json_pack("{s:o,s:i,s:i,s:b,s:o,s:I}", "columns", columns, "shortest",
                     (int)reasons->shortest, "longest", (int)reasons->longest, "inequalities",
                     (int)reasons->inequalities, "listed", list, "predicates",
                     (json_int_t)jali_space_size(reasons->space));
}
