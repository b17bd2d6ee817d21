/* budget/cap.c — the promise of a vault, and the filter that keeps it.
 *
 * Claim    cap.filter
 *          If every charge made to a vault was admitted by jali_cap_admits on the sum with
 *          it, and each step is what its loss says, then everything released from the vault,
 *          together, is (eps, delta)-DP for the cap's eps and delta: for one person, with
 *          every question chosen after seeing every earlier answer.
 * Proof    proofs/budget_cap.md#cap.filter
 * Source   Whitehouse, Ramdas, Rogers, Wu, ICML 2023 (the additive filter for approximate
 *          zCDP). The "either test" is ours; the proof is carried out in full.
 * Law      admit iff sum eps <= E, or sum rho <= rho_B and sum delta <= d_B, where
 *          d_B + delta(rho_B, E) <= delta
 * Test     tests/budget/adversary_test.c and tests/budget/cap_test.c
 * Silent   Raising a cap starts a new promise: the larger one, from the first charge on.
 */
#include "budget/cap.h"
#include "base/rat.h"
#include "budget/convert.h"

static uint64_t derive_rho(const jali_cap *cap)
{
    if (cap->delta_atto == 0) return 0;
    return jali_convert_rho(cap->eps_pico, cap->delta_atto - cap->reserve_atto);
}

static jali_status refuse(jali_err *err, const char *why)
{
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_CURATOR, "%s", why);
}

static jali_status check_range(const jali_cap *cap, const mpq_t delta, jali_err *err)
{
    if (cap->eps_pico == 0 || cap->eps_pico > JALI_CAP_MAX_EPS_PICO)
        return refuse(err, "the cap's epsilon must be above 0 and at most 1000");
    if (cap->delta_atto >= JALI_DELTA_ONE)
        return refuse(err, "the cap's delta must be at least 0 and below 1");
    if (cap->delta_atto == 0 && mpq_sgn(delta) > 0)
        return refuse(err, "the cap's delta is below 1e-18; write 0 for a pure cap");
    if (cap->reserve_atto > 0 && cap->reserve_atto >= cap->delta_atto)
        return refuse(err, "the reserve must be smaller than the cap's delta");
    return JALI_OK;
}

jali_status jali_cap_make(jali_cap *out, const mpq_t eps, const mpq_t delta, mpq_srcptr reserve,
                          jali_err *err)
{
    jali_cap cap = { 0 };
    if (mpq_sgn(eps) <= 0 || !jali_rat_down(&cap.eps_pico, eps, JALI_LOSS_DIGITS))
        return refuse(err, "the cap's epsilon must be above 0 and at most 1000");
    if (!jali_rat_down(&cap.delta_atto, delta, JALI_DELTA_DIGITS))
        return refuse(err, "the cap's delta must be at least 0 and below 1");
    if (reserve == NULL)
        cap.reserve_atto = cap.delta_atto / 10;
    else if (!jali_rat_down(&cap.reserve_atto, reserve, JALI_DELTA_DIGITS))
        return refuse(err, "the reserve must be at least 0 and smaller than the cap's delta");
    JALI_TRY(check_range(&cap, delta, err));
    cap.rho_pico = derive_rho(&cap);
    *out = cap;
    return JALI_OK;
}

/* The rho test is asked only where delta is above 0: with delta 0 no rho above 0 can pass
 * anyway, and a pure cap should not even look as if it could. */
jali_admission jali_cap_admits(const jali_cap *cap, jali_loss after)
{
    if (!jali_loss_is_sound(after)) return JALI_REFUSED;
    unsigned way = JALI_REFUSED;
    if (!after.eps_infinite && after.eps_pico <= cap->eps_pico) way |= JALI_BY_EPS;
    if (cap->delta_atto > 0 && after.rho_pico <= cap->rho_pico &&
        after.delta_atto <= cap->reserve_atto)
        way |= JALI_BY_RHO;
    return (jali_admission)way;
}

static uint64_t share_of(uint64_t whole, uint32_t ppm)
{
    return whole / 1000000 * ppm + whole % 1000000 * ppm / 1000000;
}

jali_cap jali_cap_share(const jali_cap *cap, uint32_t ppm)
{
    return (jali_cap){ .eps_pico = share_of(cap->eps_pico, ppm),
                       .delta_atto = share_of(cap->delta_atto, ppm),
                       .reserve_atto = share_of(cap->reserve_atto, ppm),
                       .rho_pico = share_of(cap->rho_pico, ppm) };
}

bool jali_cap_is_raise(const jali_cap *from, const jali_cap *to)
{
    bool none_shrinks = to->eps_pico >= from->eps_pico && to->delta_atto >= from->delta_atto &&
                        to->reserve_atto >= from->reserve_atto &&
                        to->rho_pico >= from->rho_pico;
    return none_shrinks &&
           (to->eps_pico > from->eps_pico || to->delta_atto > from->delta_atto ||
            to->reserve_atto > from->reserve_atto || to->rho_pico > from->rho_pico);
}

bool jali_cap_is_sound(const jali_cap *cap)
{
    if (cap->eps_pico == 0 || cap->eps_pico > JALI_CAP_MAX_EPS_PICO) return false;
    if (cap->delta_atto >= JALI_DELTA_ONE || cap->reserve_atto > cap->delta_atto) return false;
    if (cap->rho_pico > JALI_LOSS_MAX) return false;
    uint64_t delta = jali_convert_delta(cap->rho_pico, cap->eps_pico);
    return delta <= cap->delta_atto - cap->reserve_atto;
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

jali_loss jali_cap_left(const jali_cap *cap, jali_loss sum)
{
    return (jali_loss){ .eps_infinite = sum.eps_infinite,
                        .eps_pico = sum.eps_infinite ? 0 : less(cap->eps_pico, sum.eps_pico),
                        .rho_pico = less(cap->rho_pico, sum.rho_pico),
                        .delta_atto = less(cap->reserve_atto, sum.delta_atto) };
}

jali_status jali_cap_to_json(json_t **out, const jali_cap *cap, jali_err *err)
{
    char eps[32], delta[32], reserve[32], rho[32];
    jali_decimal(eps, cap->eps_pico, JALI_LOSS_DIGITS);
    jali_decimal(delta, cap->delta_atto, JALI_DELTA_DIGITS);
    jali_decimal(reserve, cap->reserve_atto, JALI_DELTA_DIGITS);
    jali_decimal(rho, cap->rho_pico, JALI_LOSS_DIGITS);
    json_t *object = json_pack("{s:s, s:s, s:s, s:s}", "eps", eps, "delta", delta, "reserve",
                               reserve, "rho", rho);
    if (object == NULL) return jali_fail_memory(err);
    *out = object;
    return JALI_OK;
}

/* Exactly `digits` decimals and no rounding: a cap is read as it was written. */
static jali_status member(uint64_t *units, const json_t *object, const char *key,
                          unsigned digits, const char *what, jali_err *err)
{
    const char *text;
    uint64_t up;
    JALI_TRY(jali_json_string(object, key, what, &text, err));
    mpq_t q;
    mpq_init(q);
    jali_status status = jali_rat_parse(q, text, key, err);
    bool exact = status == JALI_OK && jali_rat_up(&up, q, digits) &&
                 jali_rat_down(units, q, digits) && up == *units;
    mpq_clear(q);
    if (status != JALI_OK || exact) return status;
    return jali_fail(err, JALI_E_DATA, JALI_FOR_CURATOR,
                     "%s: %s is %.40s, which is not a number of at most %u decimals", what, key,
                     text, digits);
}

jali_status jali_cap_from_json(jali_cap *out, const json_t *object, const char *what,
                               jali_err *err)
{
    jali_cap cap;
    JALI_TRY(member(&cap.eps_pico, object, "eps", JALI_LOSS_DIGITS, what, err));
    JALI_TRY(member(&cap.delta_atto, object, "delta", JALI_DELTA_DIGITS, what, err));
    JALI_TRY(member(&cap.reserve_atto, object, "reserve", JALI_DELTA_DIGITS, what, err));
    JALI_TRY(member(&cap.rho_pico, object, "rho", JALI_LOSS_DIGITS, what, err));
    if (!jali_cap_is_sound(&cap))
        return jali_fail(err, JALI_E_DATA, JALI_FOR_CURATOR,
                         "%s: the rho of this cap converts to more than its delta", what);
    *out = cap;
    return JALI_OK;
}
