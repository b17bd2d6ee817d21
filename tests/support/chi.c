/* tests/support/chi.c — does a sample follow its law? */
#include "support/chi.h"
#include <math.h>
#include <mpfr.h>

double chi_tail(double x, size_t freedom)
{
    /* Far out Chernoff's bound is enough, and MPFR would compute for hours. */
    double f = (double)freedom, far = f / 2 * (1 - x / f + log(x / f));
    if (x > f && far < -40) return exp(far);
    mpfr_t a, b, c;
    mpfr_inits2(128, a, b, c, (mpfr_ptr)NULL);
    mpfr_set_d(a, f / 2, MPFR_RNDN);
    mpfr_set_d(b, x / 2, MPFR_RNDN);
    mpfr_gamma_inc(c, a, b, MPFR_RNDN);
    mpfr_gamma(a, a, MPFR_RNDN);
    mpfr_div(c, c, a, MPFR_RNDN);
    double p = mpfr_get_d(c, MPFR_RNDN);
    mpfr_clears(a, b, c, (mpfr_ptr)NULL);
    return p;
}

static double term(double seen, double expected)
{
    return (seen - expected) * (seen - expected) / expected;
}

bool chi_fits(const uint64_t *seen, const double *law, size_t n)
{
    double draws = 0, left = 0, chi = 0, pool_seen = 0, pool = 0;
    size_t bins = 0;
    for (size_t i = 0; i < n; i++) {
        draws += (double)seen[i];
        left += law[i];
        if (law[i] <= 0 && seen[i] > 0) return false;
    }
    if (left < 1 - 1e-9 || left > 1 + 1e-9) return false; /* not a law */
    for (size_t i = 0; i < n; i++) {
        pool_seen += (double)seen[i];
        pool += draws * law[i];
        left -= law[i];
        if (pool < 50 || draws * left < 50) continue;
        chi += term(pool_seen, pool);
        pool_seen = pool = 0;
        bins++;
    }
    if (bins == 0) return true; /* one bin: nothing to refute */
    chi += term(pool_seen, pool);
    return chi_tail(chi, bins) >= CHI_FALSE_ALARM;
}

bool chi_same(const uint64_t *a, const uint64_t *b, size_t n)
{
    double na = 0, nb = 0, chi = 0, x = 0, y = 0;
    size_t bins = 0;
    for (size_t i = 0; i < n; i++) {
        na += (double)a[i];
        nb += (double)b[i];
    }
    for (size_t i = 0; i < n; i++) {
        x += (double)a[i];
        y += (double)b[i];
        if (x + y < 100 && i + 1 < n) continue;
        if (x + y == 0) continue;
        double p = (x + y) / (na + nb);
        chi += term(x, na * p) + term(y, nb * p);
        x = y = 0;
        bins++;
    }
    return bins < 2 || chi_tail(chi, bins - 1) >= CHI_FALSE_ALARM;
}
