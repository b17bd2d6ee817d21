/* budget/loss.h — what a release costs, and how costs add up.
 *
 * A loss is one statement about one step on neighbours that differ in one person:
 *   it is eps-DP, unless eps is infinite; and it is delta-approximate rho-zCDP.
 * Both hold, and both add. The numbers are whole: eps and rho in 1e-12, delta in 1e-18,
 * rounded up when a loss is made, so that sums and comparisons are exact everywhere.
 */
#ifndef JALI_BUDGET_LOSS_H
#define JALI_BUDGET_LOSS_H

#include "base/err.h"
#include "base/json.h"
#include <gmp.h>

/* Additions stop here; no cap reaches it, so what got here is never affordable. It is the
 * largest integer of SQLite. */
#define JALI_LOSS_MAX ((uint64_t)INT64_MAX)
enum { JALI_LOSS_DIGITS = 12, JALI_DELTA_DIGITS = 18, JALI_LOSS_TEXT = 160 };

typedef struct jali_loss {
    uint64_t eps_pico; /* 0 when eps_infinite                  */
    bool eps_infinite; /* no finite eps: Gaussian, thresholded */
    uint64_t rho_pico;
    uint64_t delta_atto; /* above 0 only when eps_infinite       */
} jali_loss;

#define JALI_LOSS_NONE                                                                         \
    {                                                                                          \
        0                                                                                      \
    }

/* The table of FIELD C.1. Parameters are exact and not negative; a negative one is our
 * mistake and makes a loss that nobody can pay. */

/* Any eps-DP mechanism (Laplace, permute-and-flip, coin): rho = eps^2/2. */
jali_loss jali_loss_pure(const mpq_t eps);

/* A true exponential mechanism is cheaper: budget/range.h, which only mech/ may include. */

/* Discrete or continuous Gaussian: rho = l2^2/(2 sigma^2); eps is infinite. */
jali_loss jali_loss_gauss(const mpq_t rho);
/* delta-approximate rho-zCDP (keys above a threshold, say); eps is infinite. */
jali_loss jali_loss_approx_zcdp(const mpq_t rho, const mpq_t delta);
/* An (eps, delta)-DP black box: rho = eps^2/2, delta, eps infinite (pure if delta = 0). */
jali_loss jali_loss_approx(const mpq_t eps, const mpq_t delta);

/* A plan costs the sum of what its mechanisms cost, each made by a line above: then the
 * mechanisms can spend exactly what was paid. Both saturate. */
jali_loss jali_loss_add(jali_loss a, jali_loss b);
jali_loss jali_loss_times(jali_loss a, uint64_t n);

/* The form of the struct: delta needs an infinite eps, nothing above JALI_LOSS_MAX. */
bool jali_loss_is_sound(jali_loss a);
bool jali_loss_is_zero(jali_loss a);
bool jali_loss_equal(jali_loss a, jali_loss b);
/* Is a at most b in every coordinate? */
bool jali_loss_within(jali_loss a, jali_loss b);

/* "eps 0.1, rho 0.005", or where no finite eps holds "rho 0.02, delta 0.000001": exact. */
char *jali_loss_text(char out[static JALI_LOSS_TEXT], jali_loss a);

/* {"eps":"0.1","rho":"0.005","delta":"0"}; an infinite eps is "inf". New reference. */
JALI_MUST_USE jali_status jali_loss_to_json(json_t **out, jali_loss a, jali_err *err);
JALI_MUST_USE jali_status jali_loss_from_json(jali_loss *out, const json_t *object,
                                              const char *what, jali_err *err);

#endif
