/* jali/ask.h — questions: what each costs, and what each answers. Included by jali.h. */
#ifndef JALI_ASK_H
#define JALI_ASK_H

#include "jali/vault.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- spending ------------------------------------------------------------------------ */

/* A vault's ledger, checked once and held open, for a server that is asked again and again by
 * many threads. NULL in jali_spend: each request opens and checks the ledger for itself. */
typedef struct jali_hold jali_hold;
JALI_API JALI_MUST_USE jali_status jali_hold_open(const char *vault, jali_hold **out,
                                                  jali_err *err);
/* Signs what is not signed yet. Nobody may be using it any more; NULL is fine. */
JALI_API void jali_hold_close(jali_hold *hold);

/* What every request that may cost something says. Numbers are exact texts. */
typedef struct jali_spend {
    const char *vault;
    const char *epsilon, *rho; /* what it may cost: one of them                       */
    const char *confidence;    /* of the intervals; NULL: 0.95                        */
    const char *by;            /* who asks                                            */
    const char *request;       /* idempotency key; NULL: none                         */
    int64_t now_ms;
    bool quote;            /* tell what it would cost, and spend nothing                   */
    unsigned threads;      /* 0: one per core                                              */
    jali_hold *hold;       /* of the same vault; NULL: none                                */
    const jali_crew *crew; /* who counts with us, if more than one; NULL: nobody      */
    const jali_progress *progress; /* heard on public vaults only; NULL: silence      */
    bool bare; /* only JSON will be made of the document: no words and pictures for people */
} jali_spend;

/* A stored release ("r1"), told again for free, at any confidence (NULL: 0.95). */
JALI_API JALI_MUST_USE jali_status jali_vault_release(const char *vault, const char *id,
                                                      const char *confidence, jali_doc **out,
                                                      jali_err *err);

/* All stored releases: id, kind, when, by whom, at what cost, what. */
JALI_API JALI_MUST_USE jali_status jali_vault_releases(const char *vault, jali_doc **out,
                                                       jali_err *err);

/* jali_vault_release, _releases and _budget by the ledger that is held. Its chain was checked
 * when it was opened; jali_vault_verify is who checks it again. */
JALI_API JALI_MUST_USE jali_status jali_hold_release(jali_hold *hold, const char *id,
                                                     const char *confidence, jali_doc **out,
                                                     jali_err *err);
JALI_API JALI_MUST_USE jali_status jali_hold_releases(jali_hold *hold, jali_doc **out,
                                                      jali_err *err);
JALI_API JALI_MUST_USE jali_status jali_hold_budget(jali_hold *hold, jali_doc **out,
                                                    jali_err *err);

/* Releases told as one story: answers, cost, guarantee, hashes, methods, limits. */
typedef struct jali_report {
    const char *vault;
    const char *const *id; /* "r1", "c1", in the order to be told */
    size_t n_ids;          /* 0: all of them                      */
    const char *confidence;
    jali_hold *hold; /* of the same vault; NULL: none */
} jali_report;

JALI_API JALI_MUST_USE jali_status jali_vault_report(const jali_report *report, jali_doc **out,
                                                     jali_err *err);

/* ---- asking --------------------------------------------------------------------------- */

/* A question in SQL: COUNT, SUM, AVG, WHERE, GROUP BY over the vault's one table. Give one of
 * spend.epsilon, spend.rho and error. */
typedef struct jali_question {
    jali_spend spend;
    const char *sql;
    const char *error; /* the half-width wanted of every COUNT and SUM; least budget */
} jali_question;

/* The same question, in any equal wording, is answered again for free. */
JALI_API JALI_MUST_USE jali_status jali_vault_ask(const jali_question *question, jali_doc **out,
                                                  jali_err *err);

/* ---- why ------------------------------------------------------------------------------- */

/* Why is a group of a stored answer above another? Without epsilon and rho only the verdict is
 * told, which costs nothing: could it be the noise? With one of them, the predicates that
 * explain it best, too. What is 0, NULL or false takes its default. */
typedef struct jali_why {
    jali_spend spend;
    const char *release;  /* the answer: "r1"                                             */
    const char *question; /* "a > b", "a,x >= 10 * b,x", "a + b > c + d", "a > 100"       */
    const char *of;       /* which of the answer's numbers, by its label; NULL: the only one */
    unsigned top;         /* predicates to be shown: 5                                    */
    unsigned length, up_to;     /* conditions of one predicate: exactly, or up to; 1 to 3     */
    bool inequalities;          /* <= and >= of ordered columns, too                          */
    const char *const *columns; /* only these columns may explain                         */
    size_t n_columns;
    const char *either;     /* "a,b": predicates "a = value OR b = value"                  */
    const char *predicates; /* a list of predicates: SQL conditions, one a line            */
    const char *ranks;      /* "shared", or "search" as in the paper                       */
    const char *split;      /* of the budget: "0.3,0.7", "0.25,0.25,0.5", "paper"          */
    const char *lower;      /* share of the lower bound in a rank search: "0.1"            */
    const char *constants;  /* "paper": the paper's own, on public vaults, to compare      */
} jali_why;

JALI_API JALI_MUST_USE jali_status jali_vault_why(const jali_why *why, jali_doc **out,
                                                  jali_err *err);

/* ---- clusters ------------------------------------------------------------------------- */

/* Groups in the table as a function of a record, with private sizes and centres. */
typedef struct jali_cluster_request {
    jali_spend spend; /* spend.epsilon may be NULL for methods that cost nothing      */
    const char *const *columns; /* names, each perhaps with ":codes" or ":onehot"     */
    size_t n_columns;
    const char *method;     /* NULL: "refined"                                          */
    const char *clusters;   /* how many, a whole number as text; NULL: not told         */
    const char *delta;      /* at which spend.epsilon is meant; NULL: that of the cap   */
    const char *scale;      /* "bounds" or "values"; NULL: bounds                       */
    const char *const *set; /* NAME=VALUE for parameters of the method                */
    size_t n_set;
} jali_cluster_request;

JALI_API JALI_MUST_USE jali_status jali_vault_cluster(const jali_cluster_request *request,
                                                      jali_doc **out, jali_err *err);

/* The methods by number, from 0; NULL after the last. *about: what it does. */
JALI_API const char *jali_cluster_method(size_t i, const char **about);
/* ---- telling clusters apart -------------------------------------------------------------- */

/* For each cluster of a clustering the attributes that best tell it apart, and two histograms
 * each, inside and elsewhere. `clustering` is the id of a stored one ("c1"), or JSON: a
 * clustering as jali writes it (centres, tree, boxes, rules, modes), a document that has one as
 * its member "partition", or {"rules": ["age < 40", "ward = 'surgery'"]} in SQL, where the
 * first that is true gives the label and the last label is for the rest. */
typedef struct jali_profiling {
    jali_spend spend;
    const char *clustering;
    const char *method;      /* "all" (NULL): from all combinations; "paper": two stages    */
    const char *sufficiency; /* "auto" (NULL), "paper" or "shared"                          */
    const char *weights;     /* interest, sufficiency, diversity; NULL: "1,1,1"             */
    const char *candidates;  /* a cluster, in the first of two stages; NULL: "3"            */
    const char *per_cluster; /* attributes a cluster; NULL: "1"                             */
    const char *const *column;
    size_t n_columns; /* 0: all that a histogram can show */
} jali_profiling;

JALI_API JALI_MUST_USE jali_status jali_vault_profile(const jali_profiling *profiling,
                                                      jali_doc **out, jali_err *err);

/* ---- labels for other rows ------------------------------------------------------------- */

/* Takes n bytes of CSV; false when it cannot (a full disk, a closed pipe). */
typedef bool (*jali_csv_take)(void *self, const char *bytes, size_t n);

/* A clustering (a release of a vault, or JSON of jali release --format json) applied to rows of
 * the caller's own file. Free: nothing of the vault's table is read. */
typedef struct jali_assign {
    const char *vault, *release; /* both, or: */
    const char *clustering;      /* a file    */
    const char *data; /* CSV, Parquet or JSON with the columns it needs             */
    const char *out;  /* a CSV file, with a column `cluster`; NULL: take(self, ...) */
    jali_csv_take take;
    void *self;
    const jali_progress *progress; /* NULL: silence */
} jali_assign;

/* *out tells how many rows were labelled. */
JALI_API JALI_MUST_USE jali_status jali_clustering_assign(const jali_assign *request,
                                                          jali_doc **out, jali_err *err);
/* ---- contrast: what would it cost to put a centre here? ------------------------------- */

/* k centres for the points of a table, from a private coreset: release letter k. Numbers are
 * exact or decimal texts. */
typedef struct jali_centres {
    jali_spend spend;
    const char *columns;   /* "x,y": coordinates, separated by commas                        */
    const char *weight;    /* a column of people or the like; NULL: every row counts 1       */
    const char *centres;   /* how many                                                       */
    const char *objective; /* "median" (distances) or "means" (squares); NULL: median         */
    const char *bounds;    /* "0:10,0:20": a smaller box; NULL: the columns' own              */
    const char *cells;     /* about how many cells of the coreset; NULL: 1500                 */
    bool tight;            /* the data fill the box: a grid instead of a tree                 */
} jali_centres;

JALI_API JALI_MUST_USE jali_status jali_vault_centres(const jali_centres *ask, jali_doc **out,
                                                      jali_err *err);

/* Free questions to a plan: the points in `words` (coordinates one after the other) or in the
 * CSV file `file`; with `grid` > 0 the whole plane instead. An answer depends on the release
 * and its own point alone; nothing is stored. */
typedef struct jali_contrast_query {
    const char *vault, *release; /* "k1" */
    const char *confidence;      /* NULL: 0.95 */
    const char *const *word;
    size_t n_words;
    const char *file;
    unsigned grid;    /* cells along the longer side */
    unsigned threads; /* 0: one per core             */
    jali_hold *hold;  /* of the same vault; NULL: none */
} jali_contrast_query;

JALI_API JALI_MUST_USE jali_status jali_vault_contrast(const jali_contrast_query *query,
                                                       jali_doc **out, jali_err *err);

/* ---- explaining a model ------------------------------------------------------------------ */

/* A private portrait of a model over the vault's rows. The model sees rows: it must be a
 * function of one record, and it is the curator who answers for it (docs/model.md). Zero and
 * NULL mean the default. */
typedef struct jali_model_question {
    jali_spend spend;
    const char *what;     /* pdp, ale, pfi, interaction, shap, plot or rank           */
    const char *model;    /* a registered name, an XGBoost file, FILE.so, "command:WORDS"   */
    const char *declared; /* "public", or "private": trained on rows that are private       */
    const char *feature;  /* of curves        */
    const char *const *columns; /* what the model is fed, in order; none: as its file says */
    size_t n_columns;
    const char *bounds; /* "LOW:HIGH", public, of the model's output                         */
    const char *range;  /* "LOW:HIGH", of the curve of a plot                                */
    const char *label;  /* COLUMN or COLUMN=VALUE, for importance                            */
    const char
        *explainer;   /* plot: pdp, ale, shap; rank: pfi, interaction; or "command:WORDS"  */
    const char *grid; /* "even" or "quantiles" (paid for)                                  */
    const char *rows; /* public number of rows: then a person is replaced, not removed     */
    const char *loss; /* of errors, for importance: "absolute" (NULL) or "squared"        */
    unsigned resolution, blocks, output, timeout_s;
    bool ndjson;     /* a command reads NDJSON instead of CSV                              */
    bool registered; /* for servers: `model` must be a registered name, no command is run that
                        the curator did not register                                      */
    const char *const *pins; /* jali_vault_model_add: more files that must not change     */
    size_t n_pins;
} jali_model_question;

JALI_API JALI_MUST_USE jali_status jali_vault_model(const jali_model_question *question,
                                                    jali_doc **out, jali_err *err);

/* Models that the curator registers, in models.json of the vault: what a question says of its
 * model (model, declared, bounds, columns, label, output, ndjson, timeout_s, pins; spend.vault,
 * spend.by and spend.now_ms) is said once, tried on public rows, and the model's files are
 * pinned by their SHA-256. A question then names it and says none of these; a file that has
 * changed is refused before anything is paid. */
JALI_API JALI_MUST_USE jali_status jali_vault_model_add(const char *name,
                                                        const jali_model_question *question,
                                                        jali_err *err);
JALI_API JALI_MUST_USE jali_status jali_vault_model_remove(const char *vault, const char *name,
                                                           jali_err *err);
/* Names, kinds, what is declared, bounds, columns and label: nothing but what is public, for
 * analysts, too. */
JALI_API JALI_MUST_USE jali_status jali_vault_models(const char *vault, jali_doc **out,
                                                     jali_err *err);

/* Where noise would make an algorithm private, from its data flow in DOT: all minimal sets of
 * stages (at most `limit`; 0: 1000), each drawn into the folder `draw` if that is not NULL. */
typedef struct jali_flow_question {
    const char *flow; /* path */
    const char *draw;
    size_t limit;
} jali_flow_question;

JALI_API JALI_MUST_USE jali_status jali_flow_separators(const jali_flow_question *question,
                                                        jali_doc **out, jali_err *err);

/* ---- any request as JSON ---------------------------------------------------------------- */

/* {"verb": "ask", "sql": "SELECT ...", "epsilon": "0.1"}: any verb that spends, with the names
 * of its options as members and numbers as texts. `spend` says who, when and whether it is a
 * quote; what it may cost is in the JSON. Unknown members are refused. */
JALI_API JALI_MUST_USE jali_status jali_vault_request(const char *json, size_t n,
                                                      const jali_spend *spend, jali_doc **out,
                                                      jali_err *err);

#ifdef __cplusplus
}
#endif
#endif
