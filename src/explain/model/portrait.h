/* explain/model/portrait.h — a private portrait of a model: a curve, or what matters to it.
 *
 * Two designs. A specific one perturbs sums that the explainer makes anyway: partial
 * dependence (pdp), accumulated local effects (ale), permutation importance (pfi). A generic
 * one deals the persons into blocks, runs any explainer on each block and perturbs the sum
 * of what the blocks say: plot (pdp, ale, shap, a command) and rank (pfi, interaction, a
 * command).
 */
#ifndef JALI_EXPLAIN_MODEL_PORTRAIT_H
#define JALI_EXPLAIN_MODEL_PORTRAIT_H

#include "mech/noise.h"
#include "mech/quantiles.h"
#include "tally/plan.h"
#include "tally/probe.h"

typedef enum jali_portrait_kind {
    JALI_PORTRAIT_PDP,
    JALI_PORTRAIT_ALE,
    JALI_PORTRAIT_PFI,
    JALI_PORTRAIT_PLOT,
    JALI_PORTRAIT_RANK
} jali_portrait_kind;

typedef enum jali_portrait_of {
    JALI_OF_PDP,
    JALI_OF_ALE,
    JALI_OF_SHAP,
    JALI_OF_PFI,
    JALI_OF_INTERACTION,
    JALI_OF_COMMAND
} jali_portrait_of;

enum {
    JALI_PORTRAIT_RESOLUTION = 20,
    JALI_PORTRAIT_WHOLE = 100, /* pdp, nothing said: so many values are asked one by one */
    JALI_PORTRAIT_BLOCKS = 200,
    JALI_PORTRAIT_BINS = 20,       /* of the histogram under a curve                        */
    JALI_PORTRAIT_CUTS = 65536,    /* most values between which a quantile is chosen        */
    JALI_PORTRAIT_PAIRED_ROWS = 40 /* of a block, for interactions: squared it is asked    */
};

/* pfi: the most that a row may add, in halves of the largest error: 1 for fewer than 10^4 rows
 * times eps, 2 for fewer than 10^5, or else this. */
enum { JALI_PORTRAIT_MOST = 8 };

/* What is asked for. Numbers are exact texts, so that equal questions have equal plans. */
typedef struct jali_portrait_spec {
    jali_portrait_kind kind;
    jali_portrait_of of;    /* generic designs                                            */
    const char *command;    /* JALI_OF_COMMAND                                            */
    const char *feature;    /* curves                                                     */
    const char *lo, *hi;    /* public bounds of the model's output                        */
    const char *low, *high; /* plot: public bounds of the curve; NULL: as `of` has them    */
    const char *label;      /* column, or COLUMN=VALUE; importance needs it               */
    const char *rows;       /* not NULL: one person is replaced and n is this public number */
    size_t resolution, blocks; /* 0: as above                                             */
    bool quantiles;            /* a grid by private quantiles, paid for                      */
    bool absolute;      /* importance: absolute errors, not squared ones; far less noise */
    bool private_model; /* trained on private rows: its file says something about them */
    unsigned timeout_s;
} jali_portrait_spec;

typedef struct jali_portrait {
    jali_portrait_spec spec;
    const jali_schema *schema;
    jali_model *model;
    jali_law law;
    jali_probe probe;
    double low, high;
    uint64_t rows; /* replace: public; 0: add or remove */
    size_t column; /* of the model */
    const jali_field *field;
    size_t n; /* points or columns */
    uint32_t *point;
    bool quantiles; /* really needed: the domain is larger than the resolution */
    uint64_t most;  /* pfi: what one row may add, chosen by the released number of rows */
    /* One part of the budget each; NULL: not needed. */
    jali_noiser *main, *side, *count;
    jali_quantiler *quantiler;
    uint32_t side_step, side_bins, cut_step, cut_bins;
    jali_plan *tables;
    size_t side_table, count_table, cut_table;
    jali_loss loss;
    const char *exact, *plan;
    /* jali eval alone, on public vaults: the sums of a first run, to be drawn from again, in an
     * arena that outlives the runs. Not where the points are bought: they change. */
    jali_arena *keep;
    const jali_tally *kept;
} jali_portrait;

/* Makes plan and price from public facts; `budget` > 0 is eps for Laplace, rho for Gauss. The
 * model must outlive the portrait. Clear in any case. */
JALI_MUST_USE jali_status jali_portrait_init(jali_portrait *p, const jali_schema *schema,
                                             jali_model *model, const jali_portrait_spec *spec,
                                             jali_law law, mpq_srcptr budget, jali_arena *arena,
                                             jali_err *err);
void jali_portrait_clear(jali_portrait *p);

/* Binds it to the columns of a vault, whose files are checked. `key`: 16 bytes. */
JALI_MUST_USE jali_status jali_portrait_bind(jali_portrait *p, jali_columns *columns,
                                             const unsigned char *key, jali_pool *pool,
                                             const jali_progress *progress, jali_err *err);

/* Does its explainer, if that is a command, do anything with public rows? */
JALI_MUST_USE jali_status jali_portrait_try(const jali_portrait *p, jali_err *err);

/* Asks the model about every row, takes its parts of the receipt, draws. */
JALI_MUST_USE jali_status jali_portrait_run(jali_portrait *p, jali_pool *pool,
                                            jali_charge *charge, jali_dice *dice,
                                            jali_arena *arena, char **body, jali_err *err);

/* The points of a field that are asked about: all values if there are at most half as many
 * again as the resolution (always, for categories), else evenly spread codes, which are
 * whole steps of the column. */
JALI_MUST_USE jali_status jali_portrait_points(const jali_field *field, size_t resolution,
                                               jali_arena *arena, uint32_t **point, size_t *n,
                                               jali_err *err);

/* "LOW" and "HIGH", exact texts, as two numbers; the first must be the smaller. `what` names
 * them in the sentence. */
JALI_MUST_USE jali_status jali_portrait_bounds(const char *low, const char *high,
                                               const char *what, double out[static 2],
                                               jali_err *err);

/* COLUMN, or COLUMN=VALUE where the value counts as 1; *is: its code, -1: none. */
JALI_MUST_USE jali_status jali_portrait_label(const jali_schema *schema, const char *label,
                                              jali_arena *arena, const jali_field **field,
                                              int64_t *is, jali_err *err);

const char *jali_portrait_kind_name(jali_portrait_kind kind); /* "pdp" */
const char *jali_portrait_of_name(jali_portrait_of of);       /* "pdp", "command" */
bool jali_portrait_is_curve(jali_portrait_kind kind);

#endif
