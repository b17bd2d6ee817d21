/* budget/words.c — a loss as people read it: the currency that counts, in a few digits. */
#include "budget/words.h"
#include "base/rat.h"
#include "budget/convert.h"

enum { SIGNIFICANT = 10000 }; /* four digits */

/* Zeros for all but the first four digits: up for what is paid, down for what is left. */
static uint64_t rounded(uint64_t units, bool up)
{
    uint64_t unit = 1;
    while (units / unit >= SIGNIFICANT) unit *= 10;
    uint64_t whole = units / unit;
    if (up && units % unit != 0 && whole < JALI_LOSS_MAX / unit) whole++;
    return whole * unit;
}

static char *few(char out[static 32], uint64_t units, unsigned digits, bool up)
{
    return jali_decimal(out, rounded(units, up), digits);
}

char *jali_few_words(char out[static 32], uint64_t pico, bool up)
{
    return few(out, pico, JALI_LOSS_DIGITS, up);
}

static void add_delta(char *out, uint64_t atto, bool up)
{
    char delta[32];
    size_t n = strlen(out);
    if (atto > 0)
        snprintf(out + n, JALI_LOSS_TEXT - n, ", delta %s",
                 few(delta, atto, JALI_DELTA_DIGITS, up));
}

/* What rho is worth in the epsilon that people ask for, read as the cap reads it: at its delta
 * without the reserve; 0 if there is none. */
static uint64_t worth(jali_loss a, const jali_cap *cap)
{
    if (!a.eps_infinite || cap == NULL || cap->delta_atto == 0) return 0;
    uint64_t eps = jali_convert_eps(a.rho_pico, cap->delta_atto - cap->reserve_atto);
    return eps > JALI_CAP_MAX_EPS_PICO ? 0 : eps;
}

char *jali_loss_words(char out[static JALI_LOSS_TEXT], jali_loss a, const jali_cap *cap)
{
    char eps[32], rho[32];
    uint64_t asked = worth(a, cap);
    few(eps, a.eps_infinite ? asked : a.eps_pico, JALI_LOSS_DIGITS, true);
    few(rho, a.rho_pico, JALI_LOSS_DIGITS, true);
    if (jali_loss_is_zero(a))
        snprintf(out, JALI_LOSS_TEXT, "nothing");
    else if (asked > 0)
        snprintf(out, JALI_LOSS_TEXT, "eps %s (rho %s)", eps, rho);
    else if (a.eps_infinite)
        snprintf(out, JALI_LOSS_TEXT, "rho %s", rho);
    else if (cap != NULL && cap->delta_atto == 0)
        snprintf(out, JALI_LOSS_TEXT, "eps %s", eps);
    else
        snprintf(out, JALI_LOSS_TEXT, "eps %s, rho %s", eps, rho);
    add_delta(out, a.delta_atto, true);
    return out;
}

char *jali_left_words(char out[static JALI_LOSS_TEXT], const jali_cap *cap, jali_loss sum)
{
    jali_loss left = jali_cap_left(cap, sum);
    char eps[32], rho[32], fits[32];
    few(eps, left.eps_pico, JALI_LOSS_DIGITS, false);
    few(rho, left.rho_pico, JALI_LOSS_DIGITS, false);
    if (cap->delta_atto == 0) {
        snprintf(out, JALI_LOSS_TEXT, "eps %s", eps);
        return out;
    }
    /* --epsilon is read as the cap reads it: at its delta without the reserve. */
    uint64_t one = jali_convert_eps(left.rho_pico, cap->delta_atto - cap->reserve_atto);
    few(fits, left.rho_pico == 0 || one == JALI_LOSS_MAX ? 0 : one, JALI_LOSS_DIGITS, false);
    snprintf(out, JALI_LOSS_TEXT, "rho %s (one question of --epsilon %s)%s%s", rho, fits,
             left.eps_infinite ? "" : ", or by addition eps ", left.eps_infinite ? "" : eps);
    return out;
}

double jali_cap_part(const jali_cap *cap, jali_loss a)
{
    double by_eps = a.eps_infinite ? 1 : (double)a.eps_pico / (double)cap->eps_pico;
    double by_rho = cap->rho_pico == 0 ? 1 : (double)a.rho_pico / (double)cap->rho_pico;
    return by_eps < by_rho ? by_eps : by_rho;
}
