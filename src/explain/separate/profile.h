/* explain/separate/profile.h — what tells clusters apart: planned, priced, chosen, drawn. */
#ifndef JALI_EXPLAIN_SEPARATE_PROFILE_H
#define JALI_EXPLAIN_SEPARATE_PROFILE_H

#include "base/pool.h"
#include "explain/separate/shown.h"
#include "mech/combine.h"
#include "mech/pairs.h"
#include "mech/shortlist.h"
#include "tally/plan.h"

typedef enum jali_profile_method {
    JALI_PROFILE_ALL,  /* one exponential mechanism over all combinations  */
    JALI_PROFILE_PAPER /* two stages and histograms as published           */
} jali_profile_method;

typedef enum jali_profile_suf {
    JALI_SUF_AUTO,  /* shared if the choice has eps <= 0.1 (ALL); paper's (PAPER)          */
    JALI_SUF_PAPER, /* every outsider counts in full: kappa = 1                            */
    JALI_SUF_SHARED /* kappa = 2/(K-1) (ALL), 1/(K-1) (PAPER): a smaller range, less noise */
} jali_profile_suf;

enum { JALI_PROFILE_COLUMNS = 4096 };

/* What is asked for. All public. */
typedef struct jali_profile_spec {
    const jali_schema *schema;
    uint32_t clusters;
    const char *clustering; /* canonical: what the labels are a function of */
    size_t n;               /* columns to look at; 0: all that can be shown */
    const size_t *field;
    jali_profile_method method;
    jali_profile_suf sufficiency;
    uint32_t candidates, each;
    uint32_t weight[3]; /* interest, sufficiency, diversity */
    jali_law law;
    mpq_srcptr budget; /* eps for Laplace, rho for Gauss   */
} jali_profile_spec;

typedef struct jali_profile {
    const jali_schema *schema;
    jali_profile_method method;
    uint32_t candidates;
    jali_law law;
    size_t n;
    const jali_shown *shown; /* n attributes, in the order of the schema */
    jali_apart apart, first; /* of the combination, of the shortlist     */
    bool has_apart, has_first;
    jali_lister *lister; /* NULL: no shortlist */
    jali_combiner *combiner;
    jali_pairer *pairer;
    jali_loss loss;
    const char *exact, *plan;
    double eps_list, eps_choice, part_pairs; /* of the loss, for words */
    double scale_in, scale_beside;           /* at most; for quotes    */
    jali_plan *tables;
    size_t *table; /* per attribute */
    size_t slice;
} jali_profile;

/* Makes the plan and its price from public facts. Texts live in the arena. */
JALI_MUST_USE jali_status jali_profile_init(jali_profile *out, const jali_profile_spec *spec,
                                            jali_arena *arena, jali_err *err);
void jali_profile_clear(jali_profile *profile);

/* States what is to be counted, on the columns of a vault. `label` has spec.clusters labels,
 * its self outlives the profile. */
JALI_MUST_USE jali_status jali_profile_bind(jali_profile *profile, jali_columns *columns,
                                            const jali_label *label, jali_arena *arena,
                                            jali_err *err);

/* Counts, takes its parts of the receipt, draws. *body is the release: JSON in the arena. */
JALI_MUST_USE jali_status jali_profile_run(const jali_profile *profile, jali_pool *pool,
                                           jali_charge *charge, jali_dice *dice,
                                           jali_arena *arena, char **body, jali_err *err);

/* The kappa of a choice, as num/den; eps_choice decides for AUTO. */
void jali_profile_kappa(jali_profile_method method, jali_profile_suf suf, uint32_t clusters,
                        mpq_srcptr eps_choice, uint32_t *num, uint32_t *den);

#endif
