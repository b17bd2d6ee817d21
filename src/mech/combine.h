/* mech/combine.h — attributes for all clusters at once: one exponential mechanism over every
 * combination, drawn exactly without enumerating them.
 */
#ifndef JALI_MECH_COMBINE_H
#define JALI_MECH_COMBINE_H

#include "base/arena.h"
#include "budget/charge.h"
#include "score/apart.h"

typedef struct jali_dice jali_dice; /* named, not included: who calls us may */
                                    /* pass the dice but not throw them      */

/* How a block is drawn; chosen by public numbers alone, never by what is in the scores. */
typedef enum jali_combining {
    JALI_COMBINE_SUMS, /* frontier sums over attributes: |A| (2l+1)^K additions, always   */
    JALI_COMBINE_TREE  /* a tree of bounds: its time depends on the scores                */
} jali_combining;

/* Sums over blocks of at most 15 clusters: all of them in one block while that fits. A tree
 * would do for more, but how long it takes is up to the data; only tests take it. */
jali_combining jali_combine_how(const jali_apart_spec *spec);
uint32_t jali_combine_block(uint32_t clusters, uint32_t attributes, uint32_t each);

/* Combinations that are drawn from: cluster c may have the attributes listed for it. */
typedef struct jali_shortlist {
    uint32_t k;            /* of each cluster                       */
    const uint32_t *entry; /* clusters * k attributes, all distinct */
} jali_shortlist;

typedef struct jali_combiner jali_combiner;

/* eps > 0 is what the choice costs: eps, and eps^2/8 in rho. `how` is jali_combine_how(...),
 * but in tests. Borrows apart. JALI_E_USAGE: eps so small that roundings would use it up. */
JALI_MUST_USE jali_status jali_combiner_new(jali_combiner **out, const jali_apart *apart,
                                            jali_combining how, mpq_srcptr eps, jali_err *err);
void jali_combiner_free(jali_combiner *combiner); /* NULL is fine */
jali_loss jali_combiner_loss(const jali_combiner *combiner);

/*
 * Draws one combination: chosen[c * each ..] are the attributes of cluster c, ascending.
 *
 *   list     NULL: every cluster may have every attribute. It must have been released.
 *   chosen   room for clusters * each; written only on JALI_OK
 *   fails    JALI_E_INTERNAL (not paid): nothing drawn
 *            JALI_E_NOMEM, JALI_E_ENTROPY: paid, nothing released
 */
JALI_MUST_USE jali_status jali_combine(const jali_combiner *combiner,
                                       const jali_apart_terms *terms,
                                       const jali_shortlist *list, jali_charge *charge,
                                       jali_dice *dice, uint32_t *chosen, jali_err *err);

#endif
