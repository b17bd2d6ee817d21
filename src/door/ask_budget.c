/* door/ask_budget.c — what a question may cost: said outright, or found from its error. */
#include "base/json.h"
#include "base/rat.h"
#include "door/ask.h"
#include <math.h>

static void set_pico(mpq_t out, uint64_t pico)
{
    mpz_set_ui(mpq_numref(out), pico);
    mpz_ui_pow_ui(mpq_denref(out), 10, JALI_LOSS_DIGITS);
    mpq_canonicalize(out);
}

static jali_status init_with(jali_asking *a, mpq_srcptr budget, jali_err *err)
{
    return jali_ask_init(&a->ask, a->schema, &a->query, a->law, budget, a->arena, err);
}

/* The largest half-width with this budget; infinite if it is too small to be drawn for. */
static jali_status width_with(jali_asking *a, uint64_t pico, mpq_t budget, double *width,
                              jali_err *err)
{
    set_pico(budget, pico);
    jali_status status = init_with(a, budget, NULL);
    if (status == JALI_E_NOMEM) return jali_fail_memory(err);
    *width = status == JALI_OK ? 0 : INFINITY;
    for (size_t i = 0; status == JALI_OK && i < a->query.n_aggregates; i++) {
        double half = INFINITY;
        if (!jali_answer_promise(&a->ask, i, a->miss, &half)) half = INFINITY;
        *width = fmax(*width, half);
    }
    if (status == JALI_OK) jali_ask_clear(&a->ask);
    return JALI_OK;
}

static jali_status read_error(const jali_asking *a, double *out, jali_err *err)
{
    mpq_t q;
    mpq_init(q);
    jali_status status = jali_rat_parse(q, a->error, "--error", err);
    *out = status == JALI_OK ? mpq_get_d(q) : 0;
    mpq_clear(q);
    if (status != JALI_OK) return status;
    for (size_t i = 0; i < a->query.n_aggregates; i++)
        if (a->query.aggregate[i].kind == JALI_AVG)
            return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                             "the error of an average depends on how many rows a group has, "
                             "which is private: ask for COUNT and SUM with --error, or say "
                             "--epsilon");
    if (*out > 0) return JALI_OK;
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST, "--error %.40s must be above 0",
                     a->error);
}

/* The least budget whose intervals are no wider than asked for; public numbers decide. */
static jali_status find_budget(jali_asking *a, mpq_t budget, jali_err *err)
{
    uint64_t low = 1, high = JALI_CAP_MAX_EPS_PICO;
    double wanted, width;
    JALI_TRY(read_error(a, &wanted, err));
    JALI_TRY(width_with(a, high, budget, &width, err));
    if (width > wanted)
        return jali_fail(err, JALI_E_BUDGET, JALI_FOR_ANALYST,
                         "no budget makes the error as small as %.40s", a->error);
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        JALI_TRY(width_with(a, middle, budget, &width, err));
        if (width <= wanted)
            high = middle;
        else
            low = middle + 1;
    }
    set_pico(budget, high);
    return JALI_OK;
}

jali_status jali_asking_price(jali_asking *a, const jali_desk *desk, jali_err *err)
{
    const jali_spend *s = desk->spend;
    mpq_t budget;
    if ((s->epsilon != NULL) + (s->rho != NULL) + (a->error != NULL) != 1)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "say what the question may cost (--epsilon E or --rho R) or how exact "
                         "it must be (--error X): one of them");
    mpq_init(budget);
    jali_status status =
        a->error != NULL ? find_budget(a, budget, err) : jali_desk_budget(desk, budget, err);
    if (status == JALI_OK) status = init_with(a, budget, err);
    mpq_clear(budget);
    return status;
}

/* ---- a stored answer ------------------------------------------------------------------ */

static jali_status not_ours(const jali_release *release, jali_err *err)
{
    return jali_fail(err, JALI_E_LEDGER, JALI_FOR_ANALYST,
                     "release %.20s is not an answer to a question in SQL", release->id);
}

/* The wording is in the body; law and budget, which only the plan knows, are there. */
static jali_status reprice(jali_asking *a, const jali_release *release, const json_t *plan,
                           jali_err *err)
{
    const char *law = json_string_value(json_object_get(plan, "law"));
    const char *number = json_string_value(json_object_get(plan, "budget"));
    mpq_t budget;
    if (law == NULL || number == NULL) return not_ours(release, err);
    a->law = strcmp(law, "gauss") == 0 ? JALI_LAW_GAUSS : JALI_LAW_LAPLACE;
    mpq_init(budget);
    bool good = mpq_set_str(budget, number, 10) == 0 && mpz_sgn(mpq_denref(budget)) > 0;
    jali_status status = good ? init_with(a, budget, err) : not_ours(release, err);
    mpq_clear(budget);
    return status;
}

jali_status jali_asking_reopen(jali_asking *a, const jali_schema *schema,
                               const jali_release *release, double miss, jali_arena *arena,
                               jali_err *err)
{
    json_t *body = NULL, *plan = NULL;
    *a = (jali_asking){ .schema = schema, .miss = miss, .arena = arena };
    if (release->id[0] != 'r') return not_ours(release, err);
    jali_status status = jali_json_parse(&body, release->body, release->n, "the release", err);
    if (status == JALI_OK)
        status = jali_json_parse(&plan, release->plan, strlen(release->plan), "the plan", err);
    const char *sql = json_string_value(json_object_get(body, "sql"));
    if (status == JALI_OK && sql == NULL) status = not_ours(release, err);
    if (status == JALI_OK && (a->sql = jali_arena_text(arena, sql)) == NULL)
        status = jali_fail_memory(err);
    if (status == JALI_OK) status = jali_query_parse(schema, a->sql, arena, &a->query, err);
    if (status == JALI_OK) status = reprice(a, release, plan, err);
    json_decref(body);
    json_decref(plan);
    return status;
}
