/* mech/noise.h — whole-number noise for sealed tallies, made together with its price. */
#ifndef JALI_MECH_NOISE_H
#define JALI_MECH_NOISE_H

#include "base/arena.h"
#include "budget/charge.h"
#include "mech/interval.h"
#include "tally/tally.h"

typedef struct jali_dice jali_dice; /* named, not included: who calls us may */
                                    /* pass the dice but not throw them      */

/* A law and what one release with it costs, whatever the tally: the scale follows from
 * how far one person can move the tally. */
typedef struct jali_noiser jali_noiser;

/* `budget` > 0 is eps for Laplace and the cube, and rho for Gauss. JALI_E_USAGE: it is not
 * positive. */
JALI_MUST_USE jali_status jali_noiser_new(jali_noiser **out, jali_law law, mpq_srcptr budget,
                                          jali_err *err);
void jali_noiser_free(jali_noiser *noiser); /* NULL is fine */
jali_loss jali_noiser_loss(const jali_noiser *noiser);

/* What the noise will be, before anything is counted or paid: for quotes. JALI_E_USAGE if
 * the budget is too small to be drawn for. Laplace: l1/eps; Gauss: its sigma; cube: linf/eps.
 */
JALI_MUST_USE jali_status jali_noiser_scale(const jali_noiser *noiser, const jali_reach *reach,
                                            double *scale, jali_err *err);

/* How far a number of such a release is from the truth at most, but with probability `miss`. */
JALI_MUST_USE jali_status jali_noiser_halfwidth(const jali_noiser *noiser,
                                                const jali_reach *reach, double miss,
                                                double *half, jali_err *err);

/* Numbers that may be shown to anyone; cells in the order of the tally. */
typedef struct jali_noisy {
    size_t n;
    const int64_t *cell;
    jali_law law;
    double
        scale; /* for intervals; the exact one is l1/eps, linf/eps, or l2^2/(2 rho) squared */
} jali_noisy;

/*
 * Releases every cell of `in` with noise that one person cannot be seen behind.
 *
 *   *out     written only on JALI_OK; cells live in the arena
 *   fails    JALI_E_USAGE, JALI_E_NOMEM, JALI_E_INTERNAL (not paid): nothing drawn
 *            JALI_E_ENTROPY: paid, nothing released
 */
JALI_MUST_USE jali_status jali_noise_release(const jali_noiser *noiser, const jali_tally *in,
                                             jali_charge *charge, jali_dice *dice,
                                             jali_arena *arena, jali_noisy *out, jali_err *err);

#endif
