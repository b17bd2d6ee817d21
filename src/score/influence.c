/* score/influence.c — how far one person moves the influences, from public numbers.
 *
 * L..U are the values in steps, R = U - L, A = max(|L|, |U|), U+ = max(U, 0), L- = max(-L, 0),
 * R0 = U+ + L-; P and N are the sums of the positive and of the |negative| weights, c is the
 * weight of two groups c, -c. One row added or removed, all predicates looked at together:
 *
 * Claim    score.influence.count
 *          |change| <= max(P, N).                                         (PRIVACY 1a, 1g)
 * Claim    score.influence.sum
 *          |change| <= K = max(P U+ + N L-, N U+ + P L-).                 (PRIVACY 1b-1d, 1h)
 * Claim    score.influence.avg
 *          |change| <= R (P + N).                                         (PRIVACY 1e, 1f, 1i)
 * Claim    score.influence.range
 *          Largest change less smallest, two groups c, -c: at most 5/4 c (COUNT),
 *          c (R0 + (A + R0)^2 / (4 R0)) (SUM), 3 c R (AVG); else twice the bound above.
 *          A person has at most m = rows_per_person rows: m times all of these. The scores,
 *          floors of influence * num/den, move by at most `sensitivity` = ceil(m Delta num/den)
 *          and their range by `range` = min(ceil(m rho num/den) + 1, 2 sensitivity).
 * Proof    proofs/influence.md
 * Source   Tao, Gilad, Machanavajjhala, Roy, VLDB 2022 (DPXPlain), Def. 4.3 and C.2. Their
 *          constants are 4, 4A, 16A and twice that where we take the range; ours: PRIVACY 1.
 *          PAPER keeps theirs: looser, hence as true, and for public vaults only.
 * Law      none: scores are exact and sealed, nothing is drawn here
 * Test     tests/score/influence_reach_test.c (all neighbours of small tables; families that
 *          come within 1% of every constant for two groups)
 * Silent   that rows_per_person was enforced (import does that); that a range of weighted
 *          questions is tight.
 */
#include "score/influence.h"
#include <gmp.h>

enum {
    CODES_BITS = 31,  /* tally/plan.h sums no larger codes                       */
    LOW_BITS = 61,    /* |low| below: low + code stays below 2^62                */
    ROWS_BITS = 32,   /* n_j < 2^32 (JALI_ROWS_MAX), M <= 2^32                   */
    SCORE_BITS = 62,  /* |score|: a difference of two fits int64                 */
    WIDEST_BITS = 126 /* |product| in influence_fill.c, and a sign, and one spare */
};

static void set_u64(mpz_t out, uint64_t v)
{
    mpz_import(out, 1, -1, sizeof v, 0, 0, &v);
}

static void set_i64(mpz_t out, int64_t v)
{
    set_u64(out, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
    if (v < 0) mpz_neg(out, out);
}

static int64_t largest_weight(const jali_influence_spec *s)
{
    int64_t most = 0;
    for (unsigned j = 0; j < s->groups; j++) {
        int64_t w = s->weight[j] < 0 ? -(int64_t)s->weight[j] : s->weight[j];
        most = w > most ? w : most;
    }
    return most;
}

static jali_status check(const jali_influence_spec *s, jali_err *err)
{
    if (s->groups == 0 || s->groups > JALI_INFLUENCE_GROUPS)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "a question compares 1 to %d groups, not %u", JALI_INFLUENCE_GROUPS,
                         s->groups);
    int64_t w = largest_weight(s);
    if (w == 0 || w > JALI_INFLUENCE_WEIGHT)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "weights of groups are whole numbers from -%d to %d, not all 0",
                         JALI_INFLUENCE_WEIGHT, JALI_INFLUENCE_WEIGHT);
    if (s->rows_per_person == 0)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "a person has at least one row; rows_per_person is 0");
    if (s->of == JALI_INFLUENCE_COUNT) return JALI_OK;
    int64_t end = (int64_t)1 << LOW_BITS;
    if (s->codes == 0 || s->codes > (uint64_t)1 << CODES_BITS || s->centre >= s->codes ||
        s->low <= -end || s->low >= end)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "the column cannot be summed: it has no values, more than 2^%d, or "
                         "bounds beyond 2^%d steps; take a larger step in the schema",
                         CODES_BITS, LOW_BITS);
    return JALI_OK;
}

/* The public numbers of the card. COUNT is SUM of ones: L = 0, U = 1. */
typedef struct facts {
    mpz_t P, N, up, down, R, A;
} facts;

static void facts_init(facts *f, const jali_influence_spec *s)
{
    mpz_inits(f->P, f->N, f->up, f->down, f->R, f->A, NULL);
    for (unsigned j = 0; j < s->groups; j++) {
        int32_t w = s->weight[j];
        if (w > 0) mpz_add_ui(f->P, f->P, (unsigned long)w);
        if (w < 0) mpz_add_ui(f->N, f->N, (unsigned long)-(int64_t)w);
    }
    bool ones = s->of == JALI_INFLUENCE_COUNT;
    int64_t L = ones ? 0 : s->low, U = ones ? 1 : s->low + (int64_t)(s->codes - 1);
    set_i64(f->up, U > 0 ? U : 0);
    set_i64(f->down, L < 0 ? -L : 0);
    set_i64(f->R, U - L);
    int64_t below = L < 0 ? -L : L, above = U < 0 ? -U : U;
    set_i64(f->A, below > above ? below : above);
}

static void facts_clear(facts *f)
{
    mpz_clears(f->P, f->N, f->up, f->down, f->R, f->A, NULL);
}

/* K = max(P U+ + N L-, N U+ + P L-). For COUNT that is max(P, N). */
static void set_K(mpz_t K, const facts *f)
{
    mpz_t other;
    mpz_init(other);
    mpz_mul(K, f->P, f->up);
    mpz_addmul(K, f->N, f->down);
    mpz_mul(other, f->N, f->up);
    mpz_addmul(other, f->P, f->down);
    if (mpz_cmp(other, K) > 0) mpz_set(K, other);
    mpz_clear(other);
}

static void set_delta(mpz_t delta, const jali_influence_spec *s, const facts *f)
{
    bool paper = s->constants == JALI_CONSTANTS_PAPER;
    if (!paper && s->of != JALI_INFLUENCE_AVG) {
        set_K(delta, f);
        return;
    }
    mpz_add(delta, f->P, f->N);
    mpz_mul(delta, delta, paper ? f->A : f->R);
    if (paper) mpz_mul_ui(delta, delta, s->of == JALI_INFLUENCE_AVG ? 8 : 2);
}

/* c (R0 + (A + R0)^2 / (4 R0)), 0 when every value is 0. */
static void set_rho_sum(mpq_t rho, const facts *f)
{
    mpz_t R0;
    mpz_init(R0);
    mpz_add(R0, f->up, f->down);
    if (mpz_sgn(R0) > 0) {
        mpz_ptr num = mpq_numref(rho);
        mpz_add(num, f->A, R0);
        mpz_mul(num, num, num);
        mpz_mul_2exp(mpq_denref(rho), R0, 2);
        mpz_addmul(num, mpq_denref(rho), R0);
        mpz_mul(num, num, f->P);
        mpq_canonicalize(rho);
    }
    mpz_clear(R0);
}

static void set_rho(mpq_t rho, const jali_influence_spec *s, const facts *f, const mpz_t delta)
{
    bool two = s->groups == 2 && mpz_cmp(f->P, f->N) == 0; /* c and -c */
    mpq_set_ui(rho, 0, 1);
    if (!two || s->constants == JALI_CONSTANTS_PAPER) {
        mpz_mul_ui(mpq_numref(rho), delta, 2);
    } else if (s->of == JALI_INFLUENCE_SUM) {
        set_rho_sum(rho, f);
    } else if (s->of == JALI_INFLUENCE_COUNT) {
        mpz_mul_ui(mpq_numref(rho), f->P, 5);
        mpz_set_ui(mpq_denref(rho), 4);
        mpq_canonicalize(rho);
    } else {
        mpz_mul(mpq_numref(rho), f->P, f->R);
        mpz_mul_ui(mpq_numref(rho), mpq_numref(rho), 3);
    }
}

/* Is 2^bits * x * num <= 2^limit * den? */
static bool fits(const mpz_t x, const jali_influence_spec *s, unsigned bits, unsigned limit,
                 bool divided)
{
    mpz_t left, right;
    mpz_inits(left, right, NULL);
    set_u64(left, s->num);
    mpz_mul(left, left, x);
    mpz_mul_2exp(left, left, bits);
    set_u64(right, divided ? s->den : 1);
    mpz_mul_2exp(right, right, limit);
    bool yes = mpz_cmp(left, right) <= 0;
    mpz_clears(left, right, NULL);
    return yes;
}

/* Scores: |COUNT|, |SUM| <= K M/4 and |AVG| <= R (P + N) max n_j. Products before they are
 * divided: K M^2/4, and for AVG |w_j| R a_j b_j^2 <= |w_j| R 4/27 n_j^3 (proofs/influence.md).
 */
static bool sizes_fit(jali_influence *out, const facts *f)
{
    const jali_influence_spec *s = &out->spec;
    mpz_t x;
    mpz_init(x);
    bool good;
    if (s->of == JALI_INFLUENCE_AVG) {
        mpz_add(x, f->P, f->N);
        mpz_mul(x, x, f->R);
        good = fits(x, s, ROWS_BITS, SCORE_BITS, true);
        set_i64(x, largest_weight(s));
        mpz_mul(x, x, f->R);
        out->wide = s->groups > 2 || !fits(x, s, 3 * ROWS_BITS - 2, WIDEST_BITS, false);
    } else {
        set_K(x, f);
        good = fits(x, s, ROWS_BITS - 2, SCORE_BITS, true) &&
               fits(x, s, 2 * ROWS_BITS - 2, WIDEST_BITS, false);
        out->wide = false;
    }
    mpz_clear(x);
    return good;
}

/* ceil(m x num/den); false when it is too large to be a bound of scores. */
static bool in_scores(uint64_t *out, const mpq_t x, const jali_influence_spec *s)
{
    mpz_t top, bottom;
    mpz_inits(top, bottom, NULL);
    set_u64(top, s->num);
    mpz_mul(top, top, mpq_numref(x));
    mpz_mul_ui(top, top, s->rows_per_person);
    set_u64(bottom, s->den);
    mpz_mul(bottom, bottom, mpq_denref(x));
    mpz_cdiv_q(top, top, bottom);
    bool good = mpz_sizeinbase(top, 2) <= SCORE_BITS;
    if (good) {
        *out = 0;
        mpz_export(out, NULL, -1, sizeof *out, 0, 0, top);
    }
    mpz_clears(top, bottom, NULL);
    return good;
}

static bool bounds_fit(jali_influence *out, const facts *f)
{
    mpq_t delta, rho;
    mpq_inits(delta, rho, NULL);
    set_delta(mpq_numref(delta), &out->spec, f);
    set_rho(rho, &out->spec, f, mpq_numref(delta));
    bool good = in_scores(&out->sensitivity, delta, &out->spec) &&
                in_scores(&out->range, rho, &out->spec);
    if (good && out->range >= 2 * out->sensitivity)
        out->range = 2 * out->sensitivity;
    else
        out->range++; /* two floors, which may round apart */
    mpq_clears(delta, rho, NULL);
    return good;
}

jali_status jali_influence_init(jali_influence *out, const jali_influence_spec *spec,
                                jali_err *err)
{
    JALI_TRY(check(spec, err));
    if (spec->num == 0 || spec->den == 0)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "the grid of a score is a positive fraction; one part of it is 0");
    jali_influence made = { .spec = *spec };
    facts f;
    facts_init(&f, spec);
    bool good = sizes_fit(&made, &f) && bounds_fit(&made, &f);
    facts_clear(&f);
    if (!good)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "the grid of the influence is too fine: a score might not fit 62 "
                         "bits; take a coarser one");
    *out = made;
    return JALI_OK;
}

jali_status jali_influence_grid(jali_influence_spec *spec, unsigned bits, jali_err *err)
{
    JALI_TRY(check(spec, err));
    facts f;
    mpq_t rho;
    mpz_t delta;
    mpz_init(delta);
    mpq_init(rho);
    facts_init(&f, spec);
    set_delta(delta, spec, &f);
    set_rho(rho, spec, &f, delta);
    spec->num = spec->den = 1;
    int bad = bits > SCORE_BITS;
    while (!bad && mpq_sgn(rho) > 0 && mpq_cmp_ui(rho, 1ul << bits, 1) < 0) {
        mpq_mul_2exp(rho, rho, 1);
        spec->num *= 2;
    }
    while (!bad && mpq_cmp_ui(rho, 2ul << bits, 1) >= 0) {
        mpq_div_2exp(rho, rho, 1);
        spec->den *= 2;
        bad = spec->den == 0;
    }
    facts_clear(&f);
    mpq_clear(rho);
    mpz_clear(delta);
    if (bad)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "no grid has a range of 2^%u scores for this question", bits);
    return JALI_OK;
}
