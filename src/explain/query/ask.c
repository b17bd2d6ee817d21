/* explain/query/ask.c — a question answered: measured, paid, drawn.
 *
 * Claim    ask.release
 *          The released body of a question is eps-DP (Laplace) or rho-zCDP (Gauss) in the
 *          add/remove model for one person, where eps or rho is the budget of jali_ask_init,
 *          and it costs exactly ask->loss, which is not above the budget (a budget below the
 *          ledger's grain counts as one grain a measure).
 * Proof    proofs/ask.md#ask.release
 * Source   DPXPlain, phase 1, with PRIVACY 8 for persons; sums are centred, which halves
 *          their reach (research: Fieller's sets then halve, too). All groups of the public
 *          domain are answered, empty ones as well.
 * Law      each cell of each measure plus noise of mech/noise.c, budget / n_measures each,
 *          rounded down to the ledger's grain
 * Spends   n_measures equal parts
 * Test     tests/explain/ask_test.c
 * Silent   Time grows with the number of rows, which an analyst must not be shown.
 */
#include "explain/query/ask.h"
#include "base/json.h"
#include "base/rat.h"

/* ---- the plan ------------------------------------------------------------------------- */

static uint64_t top_code(const jali_field *f)
{
    return f->domain - 2;
}

static jali_reach far(const jali_schema *schema, uint64_t each)
{
    uint64_t all = schema->rows_per_person * each;
    return (jali_reach){ schema->rows_per_person, all, all, all };
}

static void add_measure(jali_ask *ask, jali_measure_kind kind, size_t field)
{
    for (size_t i = 0; i < ask->n_measures; i++)
        if (ask->measure[i].kind == kind && ask->measure[i].field == field) return;
    jali_measure m = { .kind = kind, .field = field, .reach = far(ask->schema, 1) };
    if (kind == JALI_MEASURE_SUM) {
        uint64_t top = top_code(&ask->schema->fields[field]);
        m.centre = top / 2;
        m.reach = far(ask->schema, top - top / 2);
    }
    /* In one order whatever the wording: rows, then by column, values before sums. */
    size_t at = ask->n_measures++;
    for (; at > 0; at--) {
        const jali_measure *o = &ask->measure[at - 1];
        bool after = kind == JALI_MEASURE_ROWS ||
                     (o->kind != JALI_MEASURE_ROWS &&
                      (o->field > field || (o->field == field && o->kind > kind)));
        if (!after) break;
        ask->measure[at] = *o;
    }
    ask->measure[at] = m;
}

/* A required column has a value in every row: its values are the rows. */
static void add_count(jali_ask *ask, size_t field)
{
    if (ask->schema->fields[field].required)
        add_measure(ask, JALI_MEASURE_ROWS, 0);
    else
        add_measure(ask, JALI_MEASURE_VALUES, field);
}

static void choose_measures(jali_ask *ask)
{
    for (size_t i = 0; i < ask->query.n_aggregates; i++) {
        const jali_aggregate *a = &ask->query.aggregate[i];
        if (a->kind == JALI_COUNT_ROWS)
            add_measure(ask, JALI_MEASURE_ROWS, 0);
        else
            add_count(ask, a->field);
        if (a->kind == JALI_SUM || a->kind == JALI_AVG)
            add_measure(ask, JALI_MEASURE_SUM, a->field);
    }
}

static void sort_axes(jali_ask *ask)
{
    ask->cells = 1;
    for (size_t i = 0; i < ask->query.n_groups; i++) {
        size_t at = i, field = ask->query.group[i];
        for (; at > 0 && ask->axis[at - 1] > field; at--) ask->axis[at] = ask->axis[at - 1];
        ask->axis[at] = field;
        ask->cells *= jali_query_parts(&ask->schema->fields[field]);
    }
}

static const char *const measure_names[] = { "rows", "values", "sum" };
static const char *const law_names[] = { "laplace", "gauss" };

static json_t *measure_json(const jali_ask *ask, size_t i)
{
    const jali_measure *m = &ask->measure[i];
    if (m->kind == JALI_MEASURE_ROWS) return json_pack("{s:s}", "kind", "rows");
    return json_pack("{s:s,s:s,s:I}", "kind", measure_names[m->kind], "column",
                     ask->schema->fields[m->field].name, "centre", (json_int_t)m->centre);
}

static json_t *plan_json(const jali_ask *ask, const char *budget)
{
    json_t *where = NULL, *groups = json_array(), *measures = json_array();
    int bad = 0;
    if (ask->query.where == NULL) where = json_true();
    if (where == NULL && jali_predicate_to_json(ask->query.where, &where, NULL) != JALI_OK)
        where = NULL;
    for (size_t i = 0; i < ask->query.n_groups; i++)
        bad |=
            json_array_append_new(groups, json_string(ask->schema->fields[ask->axis[i]].name));
    for (size_t i = 0; i < ask->n_measures; i++)
        bad |= json_array_append_new(measures, measure_json(ask, i));
    json_t *plan =
        json_pack("{s:s,s:o,s:o,s:o,s:s,s:s}", "verb", "ask", "groups", groups, "measures",
                  measures, "where", where, "law", law_names[ask->law], "budget", budget);
    if (!bad) return plan;
    json_decref(plan);
    return NULL;
}

static jali_status write_plan(jali_ask *ask, mpq_srcptr budget, jali_arena *arena,
                              jali_err *err)
{
    char *text = NULL, number[256];
    if (mpz_sizeinbase(mpq_numref(budget), 10) + mpz_sizeinbase(mpq_denref(budget), 10) + 3 >
        sizeof number)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "the budget has too many digits; write a shorter number");
    mpq_get_str(number, 10, budget);
    ask->exact = jali_arena_format(arena, "%s %s in %zu equal parts",
                                   ask->law == JALI_LAW_GAUSS ? "rho" : "pure eps", number,
                                   ask->n_measures);
    json_t *plan = plan_json(ask, number);
    if (plan == NULL || ask->exact == NULL) {
        json_decref(plan);
        return jali_fail_memory(err);
    }
    jali_status status = jali_json_canonical(plan, arena, &text, err);
    json_decref(plan);
    ask->plan = text;
    return status;
}

/* An equal part, rounded down to what the ledger can write: thirds rounded up would make
 * the whole of what is left too dear to ask for. */
static void part_of(mpq_t each, mpq_srcptr budget, size_t n)
{
    uint64_t pico;
    mpq_set_ui(each, 1, n);
    mpq_mul(each, each, budget);
    if (!jali_rat_down(&pico, each, JALI_LOSS_DIGITS) || pico == 0) return;
    mpz_set_ui(mpq_numref(each), pico);
    mpz_ui_pow_ui(mpq_denref(each), 10, JALI_LOSS_DIGITS);
    mpq_canonicalize(each);
}

static jali_status make_noiser(jali_ask *ask, mpq_srcptr budget, jali_err *err)
{
    mpq_t each;
    mpq_init(each);
    part_of(each, budget, ask->n_measures);
    jali_status status = jali_noiser_new(&ask->noiser, ask->law, each, err);
    mpq_clear(each);
    if (status == JALI_OK)
        ask->loss = jali_loss_times(jali_noiser_loss(ask->noiser), ask->n_measures);
    for (size_t i = 0; status == JALI_OK && i < ask->n_measures; i++) {
        double scale;
        status = jali_noiser_scale(ask->noiser, &ask->measure[i].reach, &scale, err);
    }
    return status;
}

jali_status jali_ask_init(jali_ask *ask, const jali_schema *schema, const jali_query *query,
                          jali_law law, mpq_srcptr budget, jali_arena *arena, jali_err *err)
{
    *ask = (jali_ask){ .schema = schema, .query = *query, .law = law };
    sort_axes(ask);
    choose_measures(ask);
    jali_status status = make_noiser(ask, budget, err);
    if (status == JALI_OK) status = write_plan(ask, budget, arena, err);
    if (status != JALI_OK) jali_ask_clear(ask);
    return status;
}

void jali_ask_clear(jali_ask *ask)
{
    jali_noiser_free(ask->noiser);
    jali_plan_free(ask->tables);
    ask->noiser = NULL;
    ask->tables = NULL;
}

/* ---- the run --------------------------------------------------------------------------- */

/* The column file that a group's codes are in. */
static const char *axis_column(const jali_field *f, jali_arena *arena)
{
    return f->kind == JALI_NUMBER && f->n_bins > 0
               ? jali_arena_format(arena, "%s" JALI_BIN_SUFFIX, f->name)
               : f->name;
}

static jali_status add_tables(jali_ask *ask, const char *const *column, jali_err *err)
{
    size_t slice = 0, n = ask->query.n_groups;
    if (ask->query.where != NULL)
        JALI_TRY(jali_plan_slice(ask->tables, NULL, ask->query.where, &slice, err));
    for (size_t i = 0; i < ask->n_measures; i++) {
        const jali_measure *m = &ask->measure[i];
        if (m->kind == JALI_MEASURE_ROWS)
            JALI_TRY(jali_plan_counts(ask->tables, slice, column, n, &ask->table[i], err));
        else
            JALI_TRY(jali_plan_sums(ask->tables, slice, column, n,
                                    ask->schema->fields[m->field].name, m->centre,
                                    &ask->table[i], err));
    }
    return JALI_OK;
}

jali_status jali_ask_bind(jali_ask *ask, jali_columns *columns, jali_arena *arena,
                          jali_err *err)
{
    const char *column[JALI_QUERY_GROUPS];
    for (size_t i = 0; i < ask->query.n_groups; i++) {
        column[i] = axis_column(&ask->schema->fields[ask->axis[i]], arena);
        if (column[i] == NULL) return jali_fail_memory(err);
    }
    JALI_TRY(jali_plan_new(&ask->tables, columns, ask->schema->rows_per_person, err));
    return add_tables(ask, column, err);
}

static json_t *noisy_json(const jali_ask *ask, size_t i, const jali_noisy *noisy)
{
    json_t *m = measure_json(ask, i), *cells = json_array();
    char scale[32];
    int bad = m == NULL || cells == NULL;
    for (size_t j = 0; !bad && j < noisy->n; j++)
        bad |= json_array_append_new(cells, json_integer(noisy->cell[j]));
    snprintf(scale, sizeof scale, "%.17g", noisy->scale);
    bad = bad || json_object_set_new(m, "scale", json_string(scale)) != 0 ||
          json_object_set(m, "cells", cells) != 0;
    json_decref(cells);
    if (!bad) return m;
    json_decref(m);
    return NULL;
}

static jali_status release_all(const jali_ask *ask, const jali_tallies *tallies,
                               jali_charge *charge, jali_dice *dice, jali_arena *arena,
                               json_t *measures, jali_err *err)
{
    for (size_t i = 0; i < ask->n_measures; i++) {
        const jali_tally *t = ask->measure[i].kind == JALI_MEASURE_SUM
                                  ? jali_tallies_sums(tallies, ask->table[i])
                                  : jali_tallies_counts(tallies, ask->table[i]);
        jali_noisy noisy;
        JALI_TRY(jali_noise_release(ask->noiser, t, charge, dice, arena, &noisy, err));
        if (json_array_append_new(measures, noisy_json(ask, i, &noisy)) != 0)
            return jali_fail_memory(err);
    }
    return JALI_OK;
}

jali_status jali_ask_run(const jali_ask *ask, const char *sql, jali_pool *pool,
                         jali_charge *charge, jali_dice *dice, jali_arena *arena, char **body,
                         jali_err *err)
{
    const jali_tallies *tallies;
    JALI_TRY(jali_plan_run(ask->tables, pool, arena, &tallies, err));
    json_t *measures = json_array();
    json_t *release = json_pack("{s:s,s:s,s:s,s:o}", "kind", "ask", "sql", sql, "law",
                                law_names[ask->law], "measures", measures);
    jali_status status = release == NULL ? jali_fail_memory(err) : JALI_OK;
    if (status == JALI_OK)
        status = release_all(ask, tallies, charge, dice, arena, measures, err);
    if (status == JALI_OK) status = jali_json_canonical(release, arena, body, err);
    json_decref(release);
    return status;
}
