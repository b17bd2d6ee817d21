/* explain/cluster/cluster.h — a private clustering: asked for, priced, run, written down.
 *
 * A method is one file and one line of the table in methods.c. It says what it needs, refuses
 * from public facts, and turns a paid receipt into a clustering: a function of one record
 * (tally/partition.h) with what was released beside it. Nothing of it depends on rows except
 * through tally/, score/ and mech/.
 */
#ifndef JALI_EXPLAIN_CLUSTER_CLUSTER_H
#define JALI_EXPLAIN_CLUSTER_CLUSTER_H

#include "base/pool.h"
#include "budget/charge.h"
#include "mech/choose.h"
#include "mech/each.h"
#include "mech/noise.h"
#include "tally/geometry.h"
#include "tally/partition.h"

/* ---- what is asked for: public, the same for all tables -----------------------------------
 */

typedef struct jali_cluster_ask {
    const jali_geometry *geometry;
    const struct jali_method *method;
    jali_law law;              /* Laplace: pure eps; Gauss: zCDP                              */
    uint64_t budget_pico;      /* eps or rho, as law says, in 1e-12; 0 for free methods       */
    uint32_t clusters;         /* 0: not given                                                */
    const char *const *option; /* words NAME=VALUE for the method's parameters           */
    size_t n_options;
    jali_loss loss;    /* set by jali_cluster_plan */
    const char *plan;  /* canonical                */
    const char *exact; /* the loss in words        */
} jali_cluster_ask;

typedef struct jali_cluster_run {
    const jali_cluster_ask *ask;
    jali_columns *columns;
    jali_charge *charge; /* NULL for free methods */
    jali_dice *dice;
    jali_pool *pool;
    jali_arena *arena; /* of the request: everything below lives there */
} jali_cluster_run;

/* ---- what comes out: may be shown to anyone ------------------------------------------------
 */

typedef struct jali_clustering {
    const jali_geometry *geometry; /* whose measure centres are in; set by jali_cluster_read */
    jali_partition partition;      /* labels, and what a record's is                       */
    const jali_partition *boxes;   /* another reading, same labels (the tree of dpm); NULL */
    const int64_t *size;           /* labels, with noise; NULL: none released              */
    jali_law size_law;
    double size_scale;
    const double *centre;        /* labels * axes, in the measure of the geometry; NULL  */
    const double *centre_spread; /* labels: standard deviation of the noise of one
                                    coordinate, same measure; NULL: not known            */
    const double *axis_spread;   /* axes: times this along each of them; NULL: 1          */
    json_t *told; /* the method's own facts ("steps", "radius", "silhouette"...), a new
                     reference; NULL: none                                               */
} jali_clustering;

/* ---- a method ------------------------------------------------------------------------------
 */

typedef struct jali_parameter {
    const char *name, *value,
        *about; /* value: the default, an exact text; NULL: must be given */
} jali_parameter;

typedef struct jali_method {
    const char *name, *summary;
    const jali_parameter *parameter; /* ends with a zeroed one; NULL: none */
    bool needs_clusters;             /* --clusters K must be given         */
    bool takes_clusters;             /* it may be                          */
    bool free;                       /* knows no data, costs nothing: no --epsilon          */
    bool open;                       /* not private: for vaults marked public, without cost */
    /* Refuses, from public facts, what run could not do; NULL: nothing to refuse. */
    jali_status (*check)(const jali_cluster_ask *ask, jali_arena *arena, jali_err *err);
    /* Spends at most ask->loss, which is the whole budget. */
    jali_status (*run)(const jali_cluster_run *run, jali_clustering *out, jali_err *err);
} jali_method;

/* The table: methods.c. */
extern const jali_method *const jali_methods[]; /* ends with NULL */
JALI_MUST_USE jali_status jali_method_find(const char *name, const jali_method **out,
                                           jali_err *err);

/* The value of a parameter: as given, or the default. As a number, as an exact one. */
const char *jali_cluster_word(const jali_cluster_ask *ask, const char *name);
double jali_cluster_number(const jali_cluster_ask *ask, const char *name);
JALI_MUST_USE jali_status jali_cluster_exact(const jali_cluster_ask *ask, const char *name,
                                             mpq_t out, jali_err *err);

/* ---- parts of the budget
 * --------------------------------------------------------------------- */

/* part/whole of the budget in 1e-12, rounded down, so that parts never exceed the whole. A
 * part below one grain is refused: the budget is too small for this method. */
JALI_MUST_USE jali_status jali_cluster_share(const jali_cluster_ask *ask, double share,
                                             uint64_t *pico, jali_err *err);
/* Noise and choices that cost `pico` (eps or rho, as the law says). In zCDP a choice gets
 * eps = sqrt(8 rho), rounded down. */
JALI_MUST_USE jali_status jali_cluster_noiser(const jali_cluster_ask *ask, uint64_t pico,
                                              jali_noiser **out, jali_err *err);
JALI_MUST_USE jali_status jali_cluster_chooser(const jali_cluster_ask *ask, uint64_t pico,
                                               jali_chooser **out, jali_err *err);
/* The same for choices in groups that share no row. */
JALI_MUST_USE jali_status jali_cluster_each(const jali_cluster_ask *ask, uint64_t pico,
                                            jali_each **out, jali_err *err);
/* Standard deviation of that noise for one row that moves one cell by 1 (m rows: by m). */
double jali_cluster_spread(const jali_cluster_ask *ask, uint64_t pico);

/* ---- the whole ----------------------------------------------------------------------------
 */

/* Checks everything, writes ask->plan, ask->exact and ask->loss. */
JALI_MUST_USE jali_status jali_cluster_plan(jali_cluster_ask *ask, jali_arena *arena,
                                            jali_err *err);

/* Runs the method; *body is the release, canonical JSON in the arena. */
JALI_MUST_USE jali_status jali_cluster_release(const jali_cluster_run *run, char **body,
                                               jali_err *err);

/* Reads a stored body again (sizes, centres, partition; `told` is a new reference). */
JALI_MUST_USE jali_status jali_cluster_read(jali_clustering *out, const char *body, size_t n,
                                            const jali_schema *schema, jali_arena *arena,
                                            jali_err *err);

#endif
