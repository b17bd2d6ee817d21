/* mech/pairs.h — a histogram of each cluster, and what is elsewhere, at one price. */
#ifndef JALI_MECH_PAIRS_H
#define JALI_MECH_PAIRS_H

#include "base/arena.h"
#include "budget/charge.h"
#include "mech/interval.h"
#include "tally/tally.h"

typedef struct jali_dice jali_dice; /* named, not included: who calls us may */
                                    /* pass the dice but not throw them      */

/* What is released beside the clusters' own histograms, for each attribute that is used. */
typedef enum jali_elsewhere {
    JALI_ELSEWHERE_REST, /* rows of no cluster that this attribute explains: least noise */
    JALI_ELSEWHERE_WHOLE /* all rows, as DPClustX has it                                  */
} jali_elsewhere;

typedef struct jali_pairer jali_pairer;

/* `budget` > 0 is eps for Laplace and rho for Gauss, for all histograms together. */
JALI_MUST_USE jali_status jali_pairer_new(jali_pairer **out, jali_elsewhere how, jali_law law,
                                          mpq_srcptr budget, jali_err *err);
void jali_pairer_free(jali_pairer *pairer); /* NULL is fine */
jali_loss jali_pairer_loss(const jali_pairer *pairer);

/* Who is explained by what. All of it is public by now. */
typedef struct jali_pairing {
    uint32_t clusters, each, attributes;
    const uint32_t *chosen; /* clusters * each attributes, as released */
    uint32_t rows_per_person;
    bool everyone; /* every row is in a cluster: there are no labels beyond */
} jali_pairing;

typedef struct jali_pairs {
    uint32_t used;         /* attributes that explain some cluster                    */
    const uint32_t *which; /* which they are, ascending                               */
    int64_t **inside;      /* [cluster * each + i]: one number a value                */
    int64_t **beside;      /* [place in which]; NULL: there is nobody, 0 for all       */
    jali_law law;
    double scale_in, scale_beside; /* for intervals                                     */
} jali_pairs;

/* What the noise will be for `used` attributes, before anything is counted or paid. */
JALI_MUST_USE jali_status jali_pairer_scales(const jali_pairer *pairer,
                                             const jali_pairing *pairing, uint32_t used,
                                             double *scale_in, double *scale_beside,
                                             jali_err *err);

/*
 * Draws all histograms of the tables label x attribute `counts`. *out lives in the arena.
 *
 *   fails    JALI_E_USAGE, JALI_E_NOMEM, JALI_E_INTERNAL (not paid): nothing drawn
 *            JALI_E_ENTROPY: paid, nothing released
 */
JALI_MUST_USE jali_status jali_pairs_release(const jali_pairer *pairer,
                                             const jali_pairing *pairing,
                                             const jali_tally *const *counts,
                                             jali_charge *charge, jali_dice *dice,
                                             jali_arena *arena, jali_pairs *out, jali_err *err);

#endif
