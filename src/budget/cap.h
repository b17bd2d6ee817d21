/* budget/cap.h — the promise of a vault, (eps, delta), and the filter that keeps it. */
#ifndef JALI_BUDGET_CAP_H
#define JALI_BUDGET_CAP_H

#include "budget/loss.h"

/* Made by jali_cap_make only: rho_pico is derived. delta 0 means pure: no Gaussian. */
typedef struct jali_cap {
    uint64_t eps_pico, delta_atto;
    uint64_t reserve_atto; /* the part of delta kept for charges with a delta of their own */
    uint64_t rho_pico;     /* delta(rho, eps) + reserve <= delta                           */
} jali_cap;

/* A cap above this protects nobody, and sums must stay far from JALI_LOSS_MAX. */
#define JALI_CAP_MAX_EPS_PICO UINT64_C(1000000000000000) /* eps 1000 */

/* Rounded down. eps in (0, 1000], delta in [0, 1), reserve in [0, delta) or NULL, which
 * takes a tenth of delta (it costs the zCDP side about 1% of rho).
 *   fails  JALI_E_USAGE for the curator */
JALI_MUST_USE jali_status jali_cap_make(jali_cap *out, const mpq_t eps, const mpq_t delta,
                                        mpq_srcptr reserve, jali_err *err);

/* Which of the two tests a sum of losses passes. */
typedef enum jali_admission {
    JALI_REFUSED = 0,
    JALI_BY_EPS = 1, /* sum eps <= eps of the cap                        */
    JALI_BY_RHO = 2, /* sum rho <= rho of the cap, sum delta <= reserve  */
    JALI_BY_BOTH = 3
} jali_admission;

/* The filter: `after` is the sum of all charges, the new one included. */
jali_admission jali_cap_admits(const jali_cap *cap, jali_loss after);

/* The cap times ppm/1e6, rounded down: quotas and the largest question are shares. */
jali_cap jali_cap_share(const jali_cap *cap, uint32_t ppm);

/* Is every coordinate of `to` at least that of `from`, and one larger? */
bool jali_cap_is_raise(const jali_cap *from, const jali_cap *to);

/* Does the inequality of rho_pico hold? For an auditor who trusts no stored number. */
bool jali_cap_is_sound(const jali_cap *cap);

/* What is left of each test; an eps_pico of 0 with eps_infinite set says that the eps test
 * is out of reach for good (something without a finite eps was paid). */
jali_loss jali_cap_left(const jali_cap *cap, jali_loss sum);

/* {"eps":"1","delta":"0.000001","reserve":"0.0000001","rho":"0.0255..."}. New reference. */
JALI_MUST_USE jali_status jali_cap_to_json(json_t **out, const jali_cap *cap, jali_err *err);
JALI_MUST_USE jali_status jali_cap_from_json(jali_cap *out, const json_t *object,
                                             const char *what, jali_err *err);

#endif
