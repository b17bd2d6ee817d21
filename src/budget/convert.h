/* budget/convert.h — from zCDP to (eps, delta), rounded against us.
 *
 * Whole numbers in, whole numbers out: units of loss.h. Nothing here is a double but the
 * search for the order alpha, and every alpha gives a true bound.
 */
#ifndef JALI_BUDGET_CONVERT_H
#define JALI_BUDGET_CONVERT_H

#include <mpfr.h>
#include <stdint.h>

/* One, in units of 1e-18. */
#define JALI_DELTA_ONE UINT64_C(1000000000000000000)

/* A delta such that rho-zCDP implies (eps, delta)-DP; rounded up, at most JALI_DELTA_ONE. */
uint64_t jali_convert_delta(uint64_t rho_pico, uint64_t eps_pico);

/* An eps such that rho-zCDP implies (eps, delta)-DP, rounded up; JALI_LOSS_MAX when there
 * is none (delta = 0 and rho > 0). */
uint64_t jali_convert_eps(uint64_t rho_pico, uint64_t delta_atto);

/* The largest rho that converts to delta at eps; rounded down. 0 when delta = 0. */
uint64_t jali_convert_rho(uint64_t eps_pico, uint64_t delta_atto);

/* The bound behind jali_convert_delta as a real number, rounded up to the precision of the
 * initialised `out`: for tests and for very small deltas. */
void jali_convert_delta_up(mpfr_t out, uint64_t rho_pico, uint64_t eps_pico);

/* The same at one order (alpha = 1 + order_less_one, moved into [2^-100, 2^70]): a true
 * bound at any order, tight at one. */
void jali_convert_delta_at(mpfr_t out, double order_less_one, uint64_t rho_pico,
                           uint64_t eps_pico);

#endif
