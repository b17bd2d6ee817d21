/* door/ask_budget.c — what a question may cost: said outright, or found from its error. */
#include "base/rat.h"
#include "budget/convert.h"
#include "door/ask.h"
#include <math.h>

enum { CONFIDENCE_DIGITS = 9 };

jali_status jali_asking_confidence(jali_asking *a, jali_err *err)
{
    const char *text = a->question->confidence == NULL ? "0.95" : a->question->confidence;
    const uint64_t one = 1000000000;
    uint64_t units = 0;
    mpq_t q;
    mpq_init(q);
    jali_status status = jali_rat_parse(q, text, "--confidence", err);
    bool good = status == JALI_OK && jali_rat_up(&units, q, CONFIDENCE_DIGITS) && units > 0 &&
                units < one;
    mpq_clear(q);
    if (status != JALI_OK) return status;
    if (!good)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "--confidence %.20s must lie between 0 and 1, like 0.95", text);
    a->miss = (double)(one - units) / (double)one;
    return JALI_OK;
}

static void set_pico(mpq_t out, uint64_t pico)
{
    mpz_set_ui(mpq_numref(out), pico);
    mpz_ui_pow_ui(mpq_denref(out), 10, JALI_LOSS_DIGITS);
    mpq_canonicalize(out);
}

/* In a pure vault eps is eps. In the others it is the rho that converts to eps as the cap's own
 * does (at its delta without the reserve): asking for the cap's eps asks for all of it. */
static jali_status read_budget(const jali_asking *a, mpq_t out, jali_err *err)
{
    const jali_question *q = a->question;
    bool pure = a->totals.cap.delta_atto == 0;
    uint64_t pico = 0;
    if (pure && q->rho != NULL)
        return jali_fail(err, JALI_E_BUDGET, JALI_FOR_ANALYST,
                         "this vault is pure (delta 0), so rho buys nothing: ask with "
                         "--epsilon");
    JALI_TRY(jali_rat_parse(out, q->rho != NULL ? q->rho : q->epsilon,
                            q->rho != NULL ? "--rho" : "--epsilon", err));
    if (mpq_sgn(out) <= 0)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "a question costs something: its budget must be above 0");
    if (pure || q->rho != NULL) return JALI_OK;
    if (!jali_rat_down(&pico, out, JALI_LOSS_DIGITS) || pico > JALI_CAP_MAX_EPS_PICO)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "--epsilon %.40s is beyond any cap", q->epsilon);
    const jali_cap *cap = &a->totals.cap;
    set_pico(out, jali_convert_rho(pico, cap->delta_atto - cap->reserve_atto));
    return JALI_OK;
}

static jali_status init_with(jali_asking *a, mpq_srcptr budget, jali_err *err)
{
    jali_law law = a->totals.cap.delta_atto == 0 ? JALI_LAW_LAPLACE : JALI_LAW_GAUSS;
    return jali_ask_init(&a->ask, &a->vault->schema, &a->query, law, budget, &a->arena, err);
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
    jali_status status = jali_rat_parse(q, a->question->error, "--error", err);
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
                     a->question->error);
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
                         "no budget makes the error as small as %.40s", a->question->error);
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

jali_status jali_asking_price(jali_asking *a, jali_err *err)
{
    const jali_question *q = a->question;
    mpq_t budget;
    if ((q->epsilon != NULL) + (q->rho != NULL) + (q->error != NULL) != 1)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "say what the question may cost (--epsilon E or --rho R) or how exact "
                         "it must be (--error X): one of them");
    mpq_init(budget);
    jali_status status =
        q->error != NULL ? find_budget(a, budget, err) : read_budget(a, budget, err);
    if (status == JALI_OK) status = init_with(a, budget, err);
    mpq_clear(budget);
    return status;
}
