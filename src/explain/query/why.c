/* explain/query/why.c — why is one group above another: priced, counted, drawn.
 *
 * Claim    why.release
 *          The released body of an inquiry is eps-DP (Laplace) or rho-zCDP (Gauss) in the
 *          add/remove model for one person, where eps or rho is the budget of
 *          jali_inquiry_init, and it costs exactly inquiry->loss, which is not above the
 *          budget.
 * Proof    proofs/why.md#why.release
 * Source   DPXPlain, phase 3, with the constants of PRIVACY 1, the one-shot choice of R, and
 *          instead of 2k searches one noisy vector (research B.2); `ranks = search` is the
 *          paper's, its loop put right (PRIVACY 2).
 * Law      jali_explain_run of mech/explain.h over the influences of score/influence.h
 * Spends   top-k, vector, search: share[0..2] of the budget, each rounded down to the
 *          ledger's grain
 * Test     tests/explain/why_test.c
 * Silent   Time grows with the number of rows, which an analyst must not be shown.
 */
#include "explain/query/why.h"
#include "base/json.h"
#include "base/rat.h"
#include "base/text.h"

enum { DEFAULT_TOP = 5 };

static const jali_aggregate *aggregate_of(const jali_inquiry *q)
{
    return &q->ask->query.aggregate[q->comparison->aggregate];
}

static bool has_sum(const jali_aggregate *a)
{
    return a->kind == JALI_SUM || a->kind == JALI_AVG;
}

/* ---- the score ------------------------------------------------------------------------ */

static jali_status read_constants(const char *word, jali_influence_constants *out,
                                  jali_err *err)
{
    *out = JALI_CONSTANTS_PROVEN;
    if (word == NULL || strcmp(word, "proven") == 0) return JALI_OK;
    *out = JALI_CONSTANTS_PAPER;
    if (strcmp(word, "paper") == 0) return JALI_OK;
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "--constants %.40s: they are \"proven\" or, for comparison, \"paper\"",
                     word);
}

static double step_of(const jali_field *f)
{
    double step = (double)f->step.units;
    for (unsigned i = 0; i < f->step.digits; i++) step /= 10;
    return f->kind == JALI_NUMBER ? step : 1;
}

/* A score is floor(influence * num / den), the influence in rows or steps. */
static jali_status make_influence(jali_inquiry *q, const char *constants, jali_err *err)
{
    const jali_aggregate *a = aggregate_of(q);
    const jali_comparison *c = q->comparison;
    jali_influence_spec s = { .of = JALI_INFLUENCE_COUNT,
                              .groups = (unsigned)c->n,
                              .rows_per_person = q->ask->schema->rows_per_person,
                              .nulls = true };
    memcpy(s.weight, c->weight, sizeof c->weight);
    JALI_TRY(read_constants(constants, &s.constants, err));
    double step = 1;
    if (has_sum(a)) {
        const jali_field *f = &q->ask->schema->fields[a->field];
        s.of = a->kind == JALI_SUM ? JALI_INFLUENCE_SUM : JALI_INFLUENCE_AVG;
        s.low = f->kind == JALI_NUMBER ? f->low : 0;
        s.codes = f->domain - 1;
        s.centre = (f->domain - 2) / 2;
        step = step_of(f);
    }
    JALI_TRY(jali_influence_grid(&s, JALI_INFLUENCE_GRID_BITS, err));
    JALI_TRY(jali_influence_init(&q->influence, &s, err));
    q->unit = c->unit * step * (double)s.den / (double)s.num;
    return JALI_OK;
}

/* ---- what is counted ------------------------------------------------------------------- */

static jali_status make_groups(jali_inquiry *q, jali_arena *arena, jali_err *err)
{
    const jali_query *query = &q->ask->query;
    const jali_comparison *c = q->comparison;
    q->groups.n_columns = query->n_groups;
    q->groups.n = (unsigned)c->n;
    for (size_t i = 0; i < query->n_groups; i++) {
        const jali_field *f = &q->ask->schema->fields[query->group[i]];
        bool bins = f->kind == JALI_NUMBER && f->n_bins > 0;
        q->groups.column[i] =
            bins ? jali_arena_format(arena, "%s" JALI_BIN_SUFFIX, f->name) : f->name;
        q->groups.domain[i] = jali_query_parts(f);
        if (q->groups.column[i] == NULL) return jali_fail_memory(err);
        for (size_t g = 0; g < c->n; g++) q->groups.code[g][i] = c->part[g][i];
    }
    return JALI_OK;
}

/* COUNT(column) counts rows that have a value there. */
static jali_status make_where(jali_inquiry *q, jali_arena *arena, jali_err *err)
{
    const jali_aggregate *a = aggregate_of(q);
    const jali_predicate *where = q->ask->query.where;
    const jali_field *f = &q->ask->schema->fields[a->field];
    if (a->kind == JALI_COUNT_VALUES && !f->required) {
        const jali_predicate *known =
            jali_predicate_not(arena, jali_predicate_is_null(arena, f->name, f->domain));
        where = where == NULL ? known : jali_predicate_and(arena, where, known);
        where = jali_predicate_canonical(arena, where);
        if (where == NULL) return jali_fail_memory(err);
    }
    q->study.where = where;
    return JALI_OK;
}

static jali_status make_study(jali_inquiry *q, jali_columns *columns, jali_arena *arena,
                              jali_err *err)
{
    const jali_aggregate *a = aggregate_of(q);
    JALI_TRY(make_groups(q, arena, err));
    JALI_TRY(make_where(q, arena, err));
    q->study.columns = columns;
    q->study.groups = &q->groups;
    q->study.summed = has_sum(a) ? q->ask->schema->fields[a->field].name : NULL;
    q->study.influence = &q->influence;
    q->study.space = q->reasons.space;
    return jali_study_check(&q->study, err);
}

/* ---- the price -------------------------------------------------------------------------- */

static jali_status make_explainer(jali_inquiry *q, const jali_why_words *words,
                                  const jali_why_split *split, jali_err *err)
{
    bool search = split->ranks == JALI_RANKS_SEARCH;
    jali_explain_spec spec = { .law = q->law,
                               .ranks = split->ranks,
                               .k = words->top == 0 ? DEFAULT_TOP : words->top,
                               .predicates = jali_space_size(q->reasons.space),
                               .influence = q->influence,
                               .topk = split->topk,
                               .vector = split->vector,
                               .search = search ? split->search : NULL,
                               .lower = search ? split->lower : NULL,
                               .confidence = 1 - words->miss };
    JALI_TRY(jali_explainer_new(&q->explainer, &spec, err));
    q->loss = jali_explainer_loss(q->explainer);
    q->ranks = split->ranks;
    q->miss = words->miss;
    memcpy(q->share, split->share, sizeof q->share);
    return JALI_OK;
}

static const char *const law_names[] = { "laplace", "gauss" };
static const char *const kind_names[] = { "rows", "values", "sum", "average" };

static json_t *groups_json(const jali_inquiry *q)
{
    json_t *all = json_array();
    int bad = 0;
    for (size_t g = 0; g < q->groups.n; g++) {
        json_t *codes = json_array();
        for (size_t i = 0; i < q->groups.n_columns; i++)
            bad |= json_array_append_new(codes, json_integer((json_int_t)q->groups.code[g][i]));
        bad |= json_array_append_new(all, json_pack("{s:o,s:i}", "codes", codes, "weight",
                                                    (int)q->influence.spec.weight[g]));
    }
    if (!bad) return all;
    json_decref(all);
    return NULL;
}

static json_t *names_json(const jali_inquiry *q)
{
    json_t *all = json_array();
    int bad = 0;
    for (size_t i = 0; i < q->groups.n_columns; i++)
        bad |= json_array_append_new(all, json_string(q->groups.column[i]));
    if (!bad) return all;
    json_decref(all);
    return NULL;
}

static char *exact_text(mpq_srcptr q, jali_arena *arena)
{
    size_t room = mpz_sizeinbase(mpq_numref(q), 10) + mpz_sizeinbase(mpq_denref(q), 10) + 3;
    char *text = jali_arena_take(arena, room, 1);
    return text == NULL ? NULL : mpq_get_str(text, 10, q);
}

/* Shares of the budget, and what else changes the draw but not what is counted. */
static json_t *parts_json(const jali_inquiry *q, const jali_why_words *words,
                          const jali_why_split *split, jali_arena *arena)
{
    bool search = split->ranks == JALI_RANKS_SEARCH;
    char miss[32];
    snprintf(miss, sizeof miss, "%.9g", search ? words->miss : 0);
    return json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:I}", "topk", exact_text(split->topk, arena),
                     "vector", exact_text(split->vector, arena), "search",
                     search ? exact_text(split->search, arena) : "0", "lower",
                     search ? exact_text(split->lower, arena) : "0", "miss", miss, "constants",
                     q->influence.spec.constants == JALI_CONSTANTS_PAPER ? "paper" : "proven",
                     "top", (json_int_t)jali_explainer_k(q->explainer));
}

static json_t *plan_json(const jali_inquiry *q, const jali_why_words *words,
                         const jali_why_split *split, jali_arena *arena)
{
    json_t *where = NULL;
    if (q->study.where == NULL)
        where = json_true();
    else if (jali_predicate_to_json(q->study.where, &where, NULL) != JALI_OK)
        return NULL;
    return json_pack("{s:s,s:s,s:s,s:o,s:o,s:o,s:o,s:o,s:s,s:i}", "verb", "why", "of",
                     kind_names[aggregate_of(q)->kind], "column",
                     q->study.summed == NULL ? "" : q->study.summed, "where", where, "by",
                     names_json(q), "groups", groups_json(q), "space",
                     jali_reasons_json(&q->reasons, arena), "parts",
                     parts_json(q, words, split, arena), "law", law_names[q->law], "grid",
                     JALI_INFLUENCE_GRID_BITS);
}

static jali_status write_plan(jali_inquiry *q, const jali_why_words *words,
                              const jali_why_split *split, jali_arena *arena, jali_err *err)
{
    char *text = NULL;
    bool search = split->ranks == JALI_RANKS_SEARCH;
    json_t *plan = plan_json(q, words, split, arena);
    q->exact = jali_arena_format(
        arena, "%s %s top-k, %s vector%s%s%s", q->law == JALI_LAW_GAUSS ? "rho" : "pure eps",
        exact_text(split->topk, arena), exact_text(split->vector, arena), search ? ", " : "",
        search ? exact_text(split->search, arena) : "", search ? " rank search" : "");
    jali_status status = plan == NULL || q->exact == NULL
                             ? jali_fail_memory(err)
                             : jali_json_canonical(plan, arena, &text, err);
    json_decref(plan);
    q->plan = text;
    return status;
}

/* ---- the whole -------------------------------------------------------------------------- */

static jali_status price(jali_inquiry *q, const jali_why_words *words, mpq_srcptr budget,
                         jali_arena *arena, jali_err *err)
{
    jali_why_split split;
    JALI_TRY(jali_why_split_init(&split, words, q->law, budget, arena, err));
    jali_status status = make_explainer(q, words, &split, err);
    if (status == JALI_OK) status = write_plan(q, words, &split, arena, err);
    jali_why_split_clear(&split);
    return status;
}

jali_status jali_inquiry_init(jali_inquiry *out, const jali_ask *ask,
                              const jali_comparison *comparison, const jali_why_words *words,
                              jali_law law, mpq_srcptr budget, jali_columns *columns,
                              jali_arena *arena, jali_err *err)
{
    *out = (jali_inquiry){ .ask = ask, .comparison = comparison, .law = law };
    const jali_aggregate *a = aggregate_of(out);
    if (!comparison->linear)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "only weighted sums of groups can be explained: write a / b > 10 as "
                         "a > 10 * b");
    JALI_TRY(jali_reasons_init(&out->reasons, ask->schema, &ask->query,
                               has_sum(a) ? a->field : SIZE_MAX, &words->reasons, arena, err));
    JALI_TRY(make_influence(out, words->constants, err));
    JALI_TRY(make_study(out, columns, arena, err));
    jali_status status = price(out, words, budget, arena, err);
    if (status != JALI_OK) jali_inquiry_clear(out);
    return status;
}

void jali_inquiry_clear(jali_inquiry *inquiry)
{
    jali_explainer_free(inquiry->explainer);
    inquiry->explainer = NULL;
}

double jali_inquiry_half(const jali_inquiry *inquiry, double miss)
{
    return inquiry->unit *
           jali_explain_halfwidth(jali_explainer_noise(inquiry->explainer), 1 - miss);
}

jali_status jali_inquiry_run(const jali_inquiry *inquiry, const char *of, const char *question,
                             const char *label, jali_pool *pool, jali_charge *charge,
                             jali_dice *dice, jali_arena *arena, char **body, jali_err *err)
{
    jali_explained drawn;
    jali_study study = inquiry->study;
    study.pool = pool;
    JALI_TRY(jali_explain_run(inquiry->explainer, &study, charge, dice, arena, &drawn, err));
    return jali_inquiry_body(inquiry, of, question, label, &drawn, arena, body, err);
}
