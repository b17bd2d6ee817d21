/* score/apart.h — what tells clusters apart: the terms of DPClustX's score, sealed.
 *
 * A combination gives every cluster `each` attributes. Its score, up to a constant that is
 * the same for all combinations, is
 *
 *   sum over clusters c and their attributes A of U(c, A)
 *     - sum over pairs of clusters of one block that share an attribute A of W(c, c', A)
 *   U = interest * Int(c, A) + sufficiency * Suf(c, A)
 *   W = 2 diversity / (block * each - 1) * min(n_c, n_c') (1 - TVD(c, c', A))
 *
 * which is clusters * each times the paper's GlScore. U and W are whole numbers here, in
 * steps of 2^-grid, and sealed. What one person can do to them is public (PRIVACY 3).
 */
#ifndef JALI_SCORE_APART_H
#define JALI_SCORE_APART_H

#include "base/arena.h"
#include "base/err.h"
#include "tally/tally.h"
#include <gmp.h>

enum {
    JALI_APART_CLUSTERS = 255,
    JALI_APART_EACH = 8,         /* attributes a cluster                               */
    JALI_APART_WEIGHT = 1 << 16, /* of interest, sufficiency, diversity: whole numbers */
    JALI_APART_VALUES = 1 << 16, /* of one attribute: more than anybody looks at       */
    JALI_APART_GRID = 27         /* one person moves scores by 2^26 .. 2^27 steps      */
};

/* Everything here is public: the request and the schema. */
typedef struct jali_apart_spec {
    uint32_t clusters, attributes, each;
    uint32_t block; /* diversity is over pairs of one block of so many; = clusters: all    */
    uint32_t rows_per_person;
    uint32_t interest, sufficiency, diversity;
    uint32_t kappa_num, kappa_den; /* an outsider counts this much in Suf; 1/1: the paper */
} jali_apart_spec;

typedef struct jali_apart {
    jali_apart_spec spec;
    unsigned grid;
    uint64_t range;     /* of the scores of all combinations, in steps: what EM needs  */
    uint64_t range_sum; /* of U, maximised over attributes, summed over clusters       */
    mpq_t squares;      /* the same squared and summed, over range_sum^2 (PRIVACY 3k') */
} jali_apart;

JALI_MUST_USE jali_status jali_apart_init(jali_apart *out, const jali_apart_spec *spec,
                                          jali_err *err);
void jali_apart_clear(jali_apart *apart);

/* Clusters are cut in order into blocks as equal as can be; *n of them begin at *first. */
void jali_apart_block_of(const jali_apart_spec *spec, uint32_t index, uint32_t *first,
                         uint32_t *n);
uint32_t jali_apart_blocks(const jali_apart_spec *spec);

typedef struct jali_apart_terms jali_apart_terms; /* opened by score/open.h */

/* The terms of tables label x attribute, spec.attributes of them in the order of `counts`.
 * Labels from spec.clusters on belong to no cluster but to the table. In the arena. */
JALI_MUST_USE jali_status jali_apart_fill(const jali_apart *apart,
                                          const jali_tally *const *counts, jali_arena *arena,
                                          const jali_apart_terms **out, jali_err *err);

#endif
