/* explain/cluster/share.c — parameters of a method, and parts of its budget.
 *
 * No claim: prices are made by mech/ and budget/; parts are rounded down here, so that their
 * sum stays within what was paid. An overdraft would be refused by budget/charge.c.
 */
#include "base/rat.h"
#include "explain/cluster/cluster.h"
#include <math.h>

static const char *given(const jali_cluster_ask *ask, const char *name)
{
    size_t n = strlen(name);
    for (size_t i = ask->n_options; i-- > 0;)
        if (strncmp(ask->option[i], name, n) == 0 && ask->option[i][n] == '=')
            return ask->option[i] + n + 1;
    return NULL;
}

const char *jali_cluster_word(const jali_cluster_ask *ask, const char *name)
{
    const char *value = given(ask, name);
    const jali_parameter *p = ask->method->parameter;
    for (; value == NULL && p != NULL && p->name != NULL; p++)
        if (strcmp(p->name, name) == 0) value = p->value;
    return value;
}

jali_status jali_cluster_exact(const jali_cluster_ask *ask, const char *name, mpq_t out,
                               jali_err *err)
{
    const char *word = jali_cluster_word(ask, name);
    if (word == NULL)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "the method %s needs %s: say --set %s=VALUE", ask->method->name, name,
                         name);
    return jali_rat_parse(out, word, name, err);
}

double jali_cluster_number(const jali_cluster_ask *ask, const char *name)
{
    mpq_t q;
    mpq_init(q);
    double x = jali_cluster_exact(ask, name, q, NULL) == JALI_OK ? mpq_get_d(q) : NAN;
    mpq_clear(q);
    return x;
}

jali_status jali_cluster_share(const jali_cluster_ask *ask, double share, uint64_t *pico,
                               jali_err *err)
{
    double part = floor((double)ask->budget_pico * share * (1 - 1e-12));
    if (!(part >= 1))
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "this budget is too small for the method %s to be split; give more",
                         ask->method->name);
    *pico = (uint64_t)part;
    return JALI_OK;
}

static void set_pico(mpq_t out, uint64_t pico)
{
    mpz_import(mpq_numref(out), 1, -1, sizeof pico, 0, 0, &pico);
    mpz_ui_pow_ui(mpq_denref(out), 10, JALI_LOSS_DIGITS);
    mpq_canonicalize(out);
}

jali_status jali_cluster_noiser(const jali_cluster_ask *ask, uint64_t pico, jali_noiser **out,
                                jali_err *err)
{
    mpq_t budget;
    mpq_init(budget);
    set_pico(budget, pico);
    jali_status status = jali_noiser_new(out, ask->law, budget, err);
    mpq_clear(budget);
    return status;
}

/* rho = eps^2/8: in grains, eps_pico = floor(sqrt(8 rho_pico 10^12)), so that what the choice
 * costs, rounded up, is not above rho_pico. */
static void choice_eps(mpq_t out, jali_law law, uint64_t pico)
{
    set_pico(out, pico);
    if (law == JALI_LAW_LAPLACE) return;
    mpz_t x, grain;
    mpz_inits(x, grain, NULL);
    mpz_ui_pow_ui(grain, 10, JALI_LOSS_DIGITS);
    mpz_import(x, 1, -1, sizeof pico, 0, 0, &pico);
    mpz_mul(x, x, grain);
    mpz_mul_ui(x, x, 8);
    mpz_sqrt(x, x);
    mpq_set_num(out, x);
    mpq_set_den(out, grain);
    mpq_canonicalize(out);
    mpz_clears(x, grain, NULL);
}

jali_status jali_cluster_chooser(const jali_cluster_ask *ask, uint64_t pico, jali_chooser **out,
                                 jali_err *err)
{
    mpq_t eps;
    mpq_init(eps);
    choice_eps(eps, ask->law, pico);
    jali_status status = jali_chooser_new(out, JALI_CHOICE_EXPONENTIAL, eps, 1, err);
    mpq_clear(eps);
    return status;
}

jali_status jali_cluster_each(const jali_cluster_ask *ask, uint64_t pico, jali_each **out,
                              jali_err *err)
{
    mpq_t eps;
    mpq_init(eps);
    choice_eps(eps, ask->law, pico);
    jali_status status = jali_each_new(out, eps, err);
    mpq_clear(eps);
    return status;
}

double jali_cluster_spread(const jali_cluster_ask *ask, uint64_t pico)
{
    double budget = (double)pico * 1e-12;
    double m = ask->geometry->schema->rows_per_person;
    return ask->law == JALI_LAW_LAPLACE ? m * sqrt(2) / budget : m / sqrt(2 * budget);
}
