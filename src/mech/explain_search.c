/* mech/explain_search.c — a bound for a rank by noisy binary search.
 *
 * Claim    explain.search
 *          If one person moves all scores by amounts whose largest and smallest differ by at
 *          most `range`, one search with budget b is b-zCDP (Gauss) or b-DP (Laplace), and
 *          draws exactly ceil(log2 n) times, n = predicates, whatever the scores are.
 * Claim    explain.search.valid
 *          The bound is below (upper) or above (lower) the true rank with probability at most
 *          (1 - confidence)/2.
 * Proof    proofs/explain_search.md
 * Source   Tao, Gilad, Machanavajjhala, Roy, VLDB 2022 (DPXPlain), Algorithm 4. Its loop has no
 *          bound on its draws and returns wrong ends; this is the loop of PRIVACY 2.4, with the
 *          exact quantile in place of their Chernoff margin, and the range of the change in
 *          place of 2 Delta. A search that is done early goes on drawing, so that the number of
 *          draws is public.
 * Law      test t: s + G against the margin, s = score - score on rank t,
 *          P(G = z) ~ exp(-z^2/(2 sigma^2)), sigma^2 = range^2 N/(2 b), or
 *          P(G = z) ~ exp(-|z| b/(N range)), N = ceil(log2 n)
 * Test     tests/mech/explain_search_test.c
 * Silent   Nothing about several searches: their budgets add.
 */
#include "mech/explain_inside.h"
#include <assert.h>
#include <math.h>

static unsigned bits_of(uint64_t x)
{
    return x == 0 ? 0 : 64 - (unsigned)__builtin_clzll(x);
}

/* range^2 N/(2 b), or range N/b. Nobody moves scores of range 0; 1 is as true. */
static void set_scale(mpq_t out, const jali_search *s, uint64_t range, mpq_srcptr budget)
{
    if (range == 0) range = 1;
    mpz_import(mpq_numref(out), 1, -1, sizeof range, 0, 0, &range);
    mpz_set_ui(mpq_denref(out), 1);
    if (s->law == JALI_LAW_GAUSS) {
        mpz_mul(mpq_numref(out), mpq_numref(out), mpq_numref(out));
        mpq_div_2exp(out, out, 1);
    }
    mpz_mul_ui(mpq_numref(out), mpq_numref(out), s->draws);
    mpq_canonicalize(out);
    mpq_div(out, out, budget);
}

/* The least z with P(G >= z) <= (1 - confidence)/2/N. */
static int64_t margin_of(const jali_search *s, double scale, double confidence)
{
    uint64_t q = jali_law_halfwidth(s->law, scale, (1 - confidence) / s->draws);
    return (int64_t)(q + 1);
}

jali_status jali_search_init(jali_search *s, jali_law law, uint64_t predicates, uint64_t range,
                             mpq_srcptr budget, double confidence, jali_err *err)
{
    *s = (jali_search){ .law = law, .draws = bits_of(predicates - 1) };
    if (mpq_sgn(budget) <= 0)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "a search costs something: its budget must be above 0");
    if (!(confidence > 0 && confidence < 1))
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "a confidence is between 0 and 1, both excluded");
    if (s->draws == 0) return JALI_OK; /* one predicate has one rank */
    mpq_t scale;
    mpq_init(scale);
    set_scale(scale, s, range, budget);
    double near = mpq_get_d(scale);
    jali_status status = law == JALI_LAW_GAUSS ? jali_gauss_init(&s->gauss, scale, err)
                                               : jali_laplace_init(&s->laplace, scale, err);
    mpq_clear(scale);
    if (status == JALI_OK)
        s->margin = margin_of(s, law == JALI_LAW_GAUSS ? sqrt(near) : near, confidence);
    return status;
}

void jali_search_clear(jali_search *s)
{
    if (s->draws == 0) return;
    if (s->law == JALI_LAW_GAUSS)
        jali_gauss_clear(&s->gauss);
    else
        jali_laplace_clear(&s->laplace);
    s->draws = 0;
}

static jali_status noisy(const jali_search *s, int64_t x, jali_dice *dice, int64_t *out)
{
    int64_t z;
    if (s->law == JALI_LAW_GAUSS)
        JALI_TRY(jali_gauss_draw(&s->gauss, dice, &z));
    else
        JALI_TRY(jali_laplace_draw(&s->laplace, dice, &z));
    *out = jali_add_clamped(x, z);
    return JALI_OK;
}

/* Upper: rank <= hi throughout, but for false acceptances; lower: rank >= lo. */
jali_status jali_search_bound(const jali_search *s, const jali_standing *standing,
                              int64_t score, bool upper, jali_dice *dice, uint64_t *bound,
                              unsigned *drawn)
{
    uint64_t lo = 1, hi = standing->predicates;
    unsigned n = 0;
    for (; n < s->draws; n++) {
        uint64_t t = upper ? lo + (hi - lo + 1) / 2 : lo + (hi - lo) / 2;
        int64_t x;
        int64_t lead = jali_add_clamped(score, -jali_standing_at(standing, t));
        JALI_TRY(noisy(s, lead, dice, &x));
        if (lo == hi) continue; /* done: what is still drawn is thrown away */
        if (upper && x >= s->margin)
            hi = t - 1;
        else if (upper)
            lo = t;
        else if (x <= -s->margin)
            lo = t + 1;
        else
            hi = t;
    }
    assert(lo == hi); /* an interval of n ranks is one rank after ceil(log2 n) halvings */
    *bound = upper ? hi : lo;
    *drawn = n;
    return JALI_OK;
}
