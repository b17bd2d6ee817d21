/* budget/loss.c — what a release costs, and how costs add up.
 *
 * Claim    loss.table
 *          A mechanism of the named kind, with these exact parameters, is eps-DP (if eps is
 *          finite) and delta-approximate rho-zCDP for the numbers of the loss made here.
 * Proof    proofs/budget_loss.md#loss.table
 * Claim    loss.sum
 *          The sum of the losses of steps chosen adaptively bounds their joint release; a
 *          sum is never below the exact one, whatever was rounded or saturated.
 * Proof    proofs/budget_loss.md#loss.sum
 * Source   Bun, Steinke, TCC 2016 (pure, approximate); Cesar, Rogers, ALT 2021 (bounded
 *          range); Canonne, Kamath, Steinke, NeurIPS 2020 (discrete Gaussian). We round up
 *          to 1e-12 and 1e-18; eps*tanh(eps/2) for pure is not used: unproven here.
 * Law      pure eps^2/2; bounded range eps^2/8; top-k k*eps^2/8; gauss rho
 * Test     tests/budget/loss_test.c
 * Silent   whether a mechanism is of the kind it says: that is claimed where it is drawn.
 */
#include "budget/loss.h"
#include "base/rat.h"
#include "budget/range.h"
#include <assert.h>

static uint64_t units_up(const mpq_t q, unsigned digits)
{
    uint64_t units;
    if (!jali_rat_up(&units, q, digits) || units > JALI_LOSS_MAX) return JALI_LOSS_MAX;
    return units;
}

/* factor_num/factor_den * eps^2, rounded up once, at the end. */
static uint64_t square_up(const mpq_t eps, uint64_t num, unsigned den)
{
    if (mpq_sgn(eps) < 0) return JALI_LOSS_MAX;
    mpq_t q, factor;
    mpq_inits(q, factor, NULL);
    mpq_mul(q, eps, eps);
    mpq_set_ui(factor, num, den);
    mpq_canonicalize(factor);
    mpq_mul(q, q, factor);
    uint64_t up = units_up(q, JALI_LOSS_DIGITS);
    mpq_clears(q, factor, NULL);
    return up;
}

jali_loss jali_loss_pure(const mpq_t eps)
{
    return (jali_loss){ .eps_pico = units_up(eps, JALI_LOSS_DIGITS),
                        .rho_pico = square_up(eps, 1, 2) };
}

jali_loss jali_loss_bounded_range(const mpq_t eps)
{
    return jali_loss_topk(1, eps);
}

jali_loss jali_loss_topk(uint64_t k, const mpq_t eps)
{
    mpq_t all;
    mpq_init(all);
    mpq_set_ui(all, k, 1);
    mpq_mul(all, all, eps);
    jali_loss loss = { .eps_pico = units_up(all, JALI_LOSS_DIGITS),
                       .rho_pico = square_up(eps, k, 8) };
    mpq_clear(all);
    return loss;
}

jali_loss jali_loss_gauss(const mpq_t rho)
{
    return (jali_loss){ .eps_infinite = true, .rho_pico = units_up(rho, JALI_LOSS_DIGITS) };
}

jali_loss jali_loss_approx_zcdp(const mpq_t rho, const mpq_t delta)
{
    jali_loss loss = jali_loss_gauss(rho);
    loss.delta_atto = units_up(delta, JALI_DELTA_DIGITS);
    return loss;
}

jali_loss jali_loss_approx(const mpq_t eps, const mpq_t delta)
{
    jali_loss loss = jali_loss_pure(eps);
    if (mpq_sgn(delta) == 0) return loss;
    loss.eps_pico = 0;
    loss.eps_infinite = true;
    loss.delta_atto = units_up(delta, JALI_DELTA_DIGITS);
    return loss;
}

bool jali_loss_is_sound(jali_loss a)
{
    return a.eps_pico <= JALI_LOSS_MAX && a.rho_pico <= JALI_LOSS_MAX &&
           a.delta_atto <= JALI_LOSS_MAX && (a.delta_atto == 0 || a.eps_infinite) &&
           (a.eps_pico == 0 || !a.eps_infinite);
}

static uint64_t add_saturating(uint64_t a, uint64_t b)
{
    return a > JALI_LOSS_MAX - b ? JALI_LOSS_MAX : a + b;
}

/* The eps of a step with a delta of its own is never added: a thresholded release that
 * counted as pure could be repeated until its delta is certain. */
jali_loss jali_loss_add(jali_loss a, jali_loss b)
{
    assert(jali_loss_is_sound(a) && jali_loss_is_sound(b));
    bool infinite = a.eps_infinite || b.eps_infinite;
    return (jali_loss){ .eps_infinite = infinite,
                        .eps_pico = infinite ? 0 : add_saturating(a.eps_pico, b.eps_pico),
                        .rho_pico = add_saturating(a.rho_pico, b.rho_pico),
                        .delta_atto = add_saturating(a.delta_atto, b.delta_atto) };
}

static uint64_t times_saturating(uint64_t a, uint64_t n)
{
    return n != 0 && a > JALI_LOSS_MAX / n ? JALI_LOSS_MAX : a * n;
}

jali_loss jali_loss_times(jali_loss a, uint64_t n)
{
    assert(jali_loss_is_sound(a));
    if (n == 0) return (jali_loss)JALI_LOSS_NONE;
    a.eps_pico = times_saturating(a.eps_pico, n);
    a.rho_pico = times_saturating(a.rho_pico, n);
    a.delta_atto = times_saturating(a.delta_atto, n);
    return a;
}

bool jali_loss_is_zero(jali_loss a)
{
    return jali_loss_equal(a, (jali_loss)JALI_LOSS_NONE);
}

bool jali_loss_equal(jali_loss a, jali_loss b)
{
    return a.eps_pico == b.eps_pico && a.eps_infinite == b.eps_infinite &&
           a.rho_pico == b.rho_pico && a.delta_atto == b.delta_atto;
}

bool jali_loss_within(jali_loss a, jali_loss b)
{
    bool eps = b.eps_infinite || (!a.eps_infinite && a.eps_pico <= b.eps_pico);
    return eps && a.rho_pico <= b.rho_pico && a.delta_atto <= b.delta_atto;
}

char *jali_loss_text(char out[static JALI_LOSS_TEXT], jali_loss a)
{
    char eps[32] = "", rho[32], delta[32];
    if (!a.eps_infinite) jali_decimal(eps, a.eps_pico, JALI_LOSS_DIGITS);
    jali_decimal(rho, a.rho_pico, JALI_LOSS_DIGITS);
    jali_decimal(delta, a.delta_atto, JALI_DELTA_DIGITS);
    snprintf(out, JALI_LOSS_TEXT, "%s%s%srho %s%s%s", a.eps_infinite ? "" : "eps ", eps,
             a.eps_infinite ? "" : ", ", rho, a.delta_atto == 0 ? "" : ", delta ",
             a.delta_atto == 0 ? "" : delta);
    return out;
}

jali_status jali_loss_to_json(json_t **out, jali_loss a, jali_err *err)
{
    char eps[32] = "inf", rho[32], delta[32];
    if (!a.eps_infinite) jali_decimal(eps, a.eps_pico, JALI_LOSS_DIGITS);
    jali_decimal(rho, a.rho_pico, JALI_LOSS_DIGITS);
    jali_decimal(delta, a.delta_atto, JALI_DELTA_DIGITS);
    json_t *object = json_pack("{s:s, s:s, s:s}", "eps", eps, "rho", rho, "delta", delta);
    if (object == NULL) return jali_fail_memory(err);
    *out = object;
    return JALI_OK;
}

static jali_status member(uint64_t *units, const json_t *object, const char *key,
                          unsigned digits, const char *what, jali_err *err)
{
    const char *text;
    JALI_TRY(jali_json_string(object, key, what, &text, err));
    mpq_t q;
    mpq_init(q);
    jali_status status = jali_rat_parse(q, text, key, err);
    bool fits = status != JALI_OK || jali_rat_up(units, q, digits);
    mpq_clear(q);
    if (status != JALI_OK) return status;
    if (fits && *units <= JALI_LOSS_MAX) return JALI_OK;
    return jali_fail(err, JALI_E_DATA, JALI_FOR_CURATOR,
                     "%s: %s is %.40s, which is no loss; it must be between 0 and 9 million",
                     what, key, text);
}

jali_status jali_loss_from_json(jali_loss *out, const json_t *object, const char *what,
                                jali_err *err)
{
    jali_loss a = JALI_LOSS_NONE;
    const char *eps;
    JALI_TRY(jali_json_string(object, "eps", what, &eps, err));
    a.eps_infinite = strcmp(eps, "inf") == 0;
    if (!a.eps_infinite)
        JALI_TRY(member(&a.eps_pico, object, "eps", JALI_LOSS_DIGITS, what, err));
    JALI_TRY(member(&a.rho_pico, object, "rho", JALI_LOSS_DIGITS, what, err));
    JALI_TRY(member(&a.delta_atto, object, "delta", JALI_DELTA_DIGITS, what, err));
    if (!jali_loss_is_sound(a))
        return jali_fail(err, JALI_E_DATA, JALI_FOR_CURATOR,
                         "%s: a delta above 0 needs eps \"inf\"", what);
    *out = a;
    return JALI_OK;
}
