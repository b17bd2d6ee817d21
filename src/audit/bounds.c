/* audit/bounds.c — exact binomial bounds, and the loss that they prove. */
#include "audit/audit.h"
#include "budget/convert.h"
#include <math.h>

/* P(X >= k) for X ~ Binomial(n, p), for p at most k / n: the first term is the largest, and
 * each other one a fraction of the one before, so that nothing cancels. */
static double upper_tail(uint64_t k, uint64_t n, double p)
{
    if (k == 0) return 1;
    if (p <= 0) return 0;
    if (p >= 1) return 1;
    double N = (double)n, x = (double)k, odds = p / (1 - p);
    double term = exp(lgamma(N + 1) - lgamma(x + 1) - lgamma(N - x + 1) + x * log(p) +
                      (N - x) * log1p(-p));
    double sum = 0;
    for (; x <= N && term > sum * 1e-17; x++) {
        sum += term;
        term *= (N - x) / (x + 1) * odds;
    }
    return fmin(sum, 1);
}

/* The p at which seeing k or more has probability alpha: below it, k was too lucky. */
double jali_binomial_low(uint64_t k, uint64_t n, double alpha)
{
    double low = 0, high = n == 0 ? 0 : (double)k / (double)n;
    if (k == 0) return 0;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (upper_tail(k, n, middle) < alpha)
            low = middle;
        else
            high = middle;
    }
    return low;
}

double jali_binomial_high(uint64_t k, uint64_t n, double alpha)
{
    return n == 0 ? 1 : 1 - jali_binomial_low(n - k, n, alpha);
}

/* ---- from two probabilities to a loss ------------------------------------------------ */

/* Does rho-zCDP with this delta allow p against q? For every eps: p <= e^eps q + delta(eps). */
static bool allows(uint64_t rho_pico, double delta, double p, double q)
{
    for (double eps = 0; eps <= 12; eps += 0.125) {
        double spare = (double)jali_convert_delta(rho_pico, (uint64_t)(eps * 1e12)) * 1e-18;
        if (p > exp(eps) * q + spare + delta + 1e-12) return false;
    }
    return true;
}

/* rho-zCDP bounds the Renyi divergence of every order by alpha rho, and an event cannot have
 * more of it than the outputs it is an event of. Much sharper than a detour by (eps, delta). */
static double renyi_rho(double p, double q)
{
    double most = p * log(p / q) + (p < 1 ? (1 - p) * log((1 - p) / (1 - q)) : 0);
    for (double alpha = 1.125; alpha <= 64; alpha *= 1.25) {
        double sum =
            pow(p, alpha) * pow(q, 1 - alpha) + pow(1 - p, alpha) * pow(1 - q, 1 - alpha);
        most = fmax(most, log(sum) / (alpha - 1) / alpha);
    }
    return most;
}

static double least_rho(double p, double q, double delta)
{
    double low = 0, high = 64;
    if (p <= q + delta) return 0;
    if (delta == 0) return q < 1 ? renyi_rho(p, q) : 0;
    for (int i = 0; i < 20; i++) {
        double middle = (low + high) / 2;
        if (allows((uint64_t)(middle * 1e12), delta, p, q))
            high = middle;
        else
            low = middle;
    }
    return low;
}

static double one_way(uint64_t k, uint64_t n, uint64_t l, uint64_t m, jali_loss charged,
                      double alpha)
{
    double p = jali_binomial_low(k, n, alpha / 2), q = jali_binomial_high(l, m, alpha / 2);
    if (!charged.eps_infinite) return p > q ? log(p / q) : 0;
    return least_rho(p, q, (double)charged.delta_atto * 1e-18);
}

double jali_event_loss(const jali_event *event, jali_loss charged, double alpha)
{
    double there = one_way(event->with, event->n_with, event->without, event->n_without,
                           charged, alpha / 2);
    double back = one_way(event->without, event->n_without, event->with, event->n_with, charged,
                          alpha / 2);
    return fmax(there, back);
}

/* Every eps is a conversion of the charge; the worst is told. */
jali_stick jali_event_stick(const jali_event *event, jali_loss charged, double alpha)
{
    const jali_event *e = event;
    double low[2] = { jali_binomial_low(e->with, e->n_with, alpha / 4),
                      jali_binomial_low(e->without, e->n_without, alpha / 4) };
    double high[2] = { jali_binomial_high(e->without, e->n_without, alpha / 4),
                       jali_binomial_high(e->with, e->n_with, alpha / 4) };
    jali_stick worst = { 0, 0, 1 };
    for (double eps = 0; eps <= 12; eps += 0.125) {
        double allowed =
            (double)jali_convert_delta(charged.rho_pico, (uint64_t)(eps * 1e12)) * 1e-18 +
            (double)charged.delta_atto * 1e-18;
        for (unsigned way = 0; way < 2; way++) {
            double proved = low[way] - exp(eps) * high[way];
            if (proved > 0 && proved * worst.allowed > worst.proved * allowed)
                worst = (jali_stick){ eps, proved, allowed };
        }
    }
    return worst;
}
