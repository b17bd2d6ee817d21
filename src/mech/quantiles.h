/* mech/quantiles.h — quantiles of a column, chosen by exponential mechanisms.
 *
 * The middle one first, then the middles of both halves, and so on: every row takes part in
 * one choice a level, so a level is paid once however many quantiles it settles.
 */
#ifndef JALI_MECH_QUANTILES_H
#define JALI_MECH_QUANTILES_H

#include "budget/charge.h"
#include "mech/interval.h"
#include "tally/tally.h"

typedef struct jali_dice jali_dice; /* named, not included */

typedef struct jali_quantiler jali_quantiler;

/* k >= 1 quantiles at i/(k+1). `budget` is eps for Laplace and rho for Gauss, as everywhere;
 * the mechanism is the same, only the currency differs. JALI_E_USAGE: not positive. */
JALI_MUST_USE jali_status jali_quantiler_new(jali_quantiler **out, jali_law law,
                                             mpq_srcptr budget, size_t k, jali_err *err);
void jali_quantiler_free(jali_quantiler *quantiler); /* NULL is fine */
jali_loss jali_quantiler_loss(const jali_quantiler *quantiler);

/*
 * cut[0] <= ... <= cut[k-1]: cells among the first `values` of the tally of counts, one for
 * each quantile. The cells after them (NULL) take no part.
 *
 *   fails    JALI_E_INTERNAL (not paid), JALI_E_USAGE (no values): nothing drawn
 *            JALI_E_NOMEM, JALI_E_ENTROPY: paid, nothing released
 */
JALI_MUST_USE jali_status jali_quantiles_release(const jali_quantiler *quantiler,
                                                 const jali_tally *counts, size_t values,
                                                 jali_charge *charge, jali_dice *dice,
                                                 size_t *cut, jali_err *err);

#endif
