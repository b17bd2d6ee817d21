/* mech/shortlist.h — candidates for every cluster: DPClustX's first stage, at one price. */
#ifndef JALI_MECH_SHORTLIST_H
#define JALI_MECH_SHORTLIST_H

#include "mech/combine.h"

typedef struct jali_lister jali_lister;

/* k candidates a cluster by U of `apart` (borrowed); eps > 0 is the price of all clusters
 * together, in rho eps^2 squares / (8 k). JALI_E_USAGE: k is 0, or more than attributes. */
JALI_MUST_USE jali_status jali_lister_new(jali_lister **out, const jali_apart *apart,
                                          uint32_t k, mpq_srcptr eps, jali_err *err);
void jali_lister_free(jali_lister *lister); /* NULL is fine */
jali_loss jali_lister_loss(const jali_lister *lister);

/* rho of that price, exactly: for who has to find an eps for a rho. */
void jali_lister_rho(mpq_t out, const jali_apart *apart, uint32_t k, mpq_srcptr eps);

/*
 * Draws k attributes for each cluster, best first; *out lives in the arena.
 *
 *   fails    JALI_E_NOMEM, JALI_E_INTERNAL (not paid): nothing drawn
 *            JALI_E_ENTROPY: paid, nothing released
 */
JALI_MUST_USE jali_status jali_shortlist_draw(const jali_lister *lister,
                                              const jali_apart_terms *terms,
                                              jali_charge *charge, jali_dice *dice,
                                              jali_arena *arena, jali_shortlist *out,
                                              jali_err *err);

#endif
