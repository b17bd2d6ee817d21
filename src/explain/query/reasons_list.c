/* explain/query/reasons_list.c — predicates by a template, or one a line.
 *
 * No claim: schema and request alone decide.
 */
#include "base/text.h"
#include "explain/query/reasons.h"
#include "table/where.h"

struct list {
    jali_reasons *r;
    const jali_predicate **at;
    jali_arena *arena;
};

static jali_status add(struct list *l, const jali_predicate *p, jali_err *err)
{
    if (p == NULL) return jali_fail_memory(err);
    if (l->r->n_listed == JALI_SPACE_LISTED)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "a list has at most %d predicates; take the likeliest",
                         JALI_SPACE_LISTED);
    l->at[l->r->n_listed++] = p;
    return JALI_OK;
}

/* ---- a = value OR b = value -------------------------------------------------------------- */

/* The part of `f` that is called `name`; its NULL if there is none. */
static uint64_t part_named(const jali_field *f, const char *name, jali_arena *scratch)
{
    uint64_t null = jali_query_parts(f) - 1;
    for (uint64_t g = 0; g < null; g++) {
        const char *its = jali_query_part(f, g, scratch);
        if (its != NULL && strcmp(its, name) == 0) return g;
    }
    return null;
}

/* Every value of `first`, with the same of `second` where it has it; with `alone` only those
 * that the other does not have. */
static jali_status add_values(struct list *l, const jali_field *first, const jali_field *second,
                              bool alone, jali_err *err)
{
    jali_arena scratch = JALI_ARENA_INIT;
    jali_status status = JALI_OK;
    uint64_t null = jali_query_parts(second) - 1;
    for (uint64_t g = 0; status == JALI_OK && g + 1 < jali_query_parts(first); g++) {
        const char *name = jali_query_part(first, g, &scratch);
        uint64_t other = name == NULL ? null : part_named(second, name, &scratch);
        jali_arena_clear(&scratch);
        if (alone && other != null) continue;
        const jali_predicate *p = jali_reasons_leaf(first, g, g, l->arena);
        if (other != null)
            p = jali_predicate_or(l->arena, p,
                                  jali_reasons_leaf(second, other, other, l->arena));
        status = add(l, jali_predicate_canonical(l->arena, p), err);
    }
    return status;
}

static jali_status find_either(const jali_schema *schema, const char *name,
                               const jali_field **f, jali_err *err)
{
    size_t at;
    JALI_TRY(jali_schema_find(schema, name, &at, err));
    *f = &schema->fields[at];
    if (jali_query_parts(*f) <= JALI_QUERY_VALUES + 1) return JALI_OK;
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "\"%s\" has too many values for --either; at most %d", name,
                     JALI_QUERY_VALUES);
}

static jali_status add_either(struct list *l, const char *either, jali_err *err)
{
    const jali_field *a, *b;
    char *names = jali_arena_text(l->arena, either);
    if (names == NULL) return jali_fail_memory(err);
    char *comma = strchr(names, ',');
    if (comma == NULL || strchr(comma + 1, ',') != NULL)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "--either takes two columns: --either a,b");
    *comma = '\0';
    JALI_TRY(find_either(l->r->schema, names, &a, err));
    JALI_TRY(find_either(l->r->schema, comma + 1, &b, err));
    if (a == b)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "--either names \"%s\" twice; it takes two columns", a->name);
    JALI_TRY(add_values(l, a, b, false, err));
    return add_values(l, b, a, true, err);
}

/* ---- one a line -------------------------------------------------------------------------- */

static bool is_listed(const struct list *l, const char *text, char **texts)
{
    for (size_t i = 0; i < l->r->n_listed; i++)
        if (texts[i] != NULL && strcmp(texts[i], text) == 0) return true;
    return false;
}

/* A line that says what another one said is the same predicate, not a second one. */
static jali_status add_line(struct list *l, const char *line, unsigned number, char **texts,
                            jali_err *err)
{
    const jali_predicate *p;
    char *text;
    jali_err why = { 0 };
    jali_status status = jali_where_parse(l->r->schema, line, l->arena, &p, &why);
    if (status != JALI_OK)
        return jali_fail(err, status, JALI_FOR_ANALYST, "line %u of the predicates: %.400s",
                         number, why.text);
    JALI_TRY(jali_predicate_text(p, l->arena, &text, err));
    if (is_listed(l, text, texts)) return JALI_OK;
    if (l->r->n_listed < JALI_SPACE_LISTED) texts[l->r->n_listed] = text;
    return add(l, p, err);
}

static jali_status add_lines(struct list *l, const char *lines, jali_err *err)
{
    if (strlen(lines) > JALI_REASONS_TEXT)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "the list of predicates is too long");
    char *copy = jali_arena_text(l->arena, lines);
    char **texts = jali_arena_take(l->arena, JALI_SPACE_LISTED, sizeof *texts);
    if (copy == NULL || texts == NULL) return jali_fail_memory(err);
    unsigned number = 0;
    for (char *line = copy; line != NULL;) {
        char *end = strchr(line, '\n');
        if (end != NULL) *end = '\0';
        number++;
        const char *first = line + strspn(line, " \t\r");
        if (*first != '\0' && *first != '#') JALI_TRY(add_line(l, line, number, texts, err));
        line = end == NULL ? NULL : end + 1;
    }
    return JALI_OK;
}

jali_status jali_reasons_list(jali_reasons *out, const jali_reasons_words *words,
                              jali_arena *arena, jali_err *err)
{
    struct list l = { .r = out, .arena = arena };
    if (words->either == NULL && words->predicates == NULL) return JALI_OK;
    l.at = jali_arena_take(arena, JALI_SPACE_LISTED, sizeof *l.at);
    if (l.at == NULL) return jali_fail_memory(err);
    out->listed = l.at;
    if (words->either != NULL) JALI_TRY(add_either(&l, words->either, err));
    if (words->predicates != NULL) JALI_TRY(add_lines(&l, words->predicates, err));
    if (out->n_listed > 0 || out->n > 0) return JALI_OK;
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "the list of predicates is empty: write one condition a line");
}
