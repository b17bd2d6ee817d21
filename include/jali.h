/* jali.h — the front door: everything a C caller may use.
 *
 * Three rules hold for every function below.
 *   Answers     go through out-parameters, written only when JALI_OK is returned.
 *   Arguments   are borrowed for the call; nothing is kept unless its page says so.
 *   Errors      are one sentence in *err (NULL is fine) and name who may read them.
 * The library never prints, never exits and never reads the environment.
 */
#ifndef JALI_H
#define JALI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define JALI_API __attribute__((visibility("default")))
#define JALI_MUST_USE __attribute__((warn_unused_result))
#define JALI_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define JALI_API
#define JALI_MUST_USE
#define JALI_PRINTF(f, a)
#endif

/* ---- how anything here says no --------------------------------------------------- */

/* The value is the exit code of the program, but for the last two, which are both 7. */
typedef enum jali_status {
    JALI_OK = 0,
    JALI_E_USAGE = 2,    /* the request makes no sense                          */
    JALI_E_BUDGET = 3,   /* the ledger refused; nothing was drawn or released   */
    JALI_E_DATA = 4,     /* schema, policy or data file is not acceptable       */
    JALI_E_LEDGER = 5,   /* the ledger is not what it should be                 */
    JALI_E_ENGINE = 6,   /* a file, a disk or a database failed                 */
    JALI_E_INTERNAL = 7, /* our mistake                                         */
    JALI_E_NOMEM = 8,
    JALI_E_ENTROPY = 9 /* the dice failed; a charge already made stands       */
} jali_status;

/* An error is an output, too: what an analyst reads must not depend on a row. */
typedef enum jali_reader { JALI_FOR_ANALYST = 0, JALI_FOR_CURATOR } jali_reader;

typedef struct jali_err {
    jali_status code;
    jali_reader reader;
    unsigned line, column; /* place in the text that was refused, from 1; 0: none */
    char text[512];        /* one sentence: what, where, why, how to mend         */
} jali_err;

JALI_API int jali_exit_code(jali_status status);
JALI_API const char *jali_version(void);

/* The word that a mistyped one was probably meant to be; NULL if none is near. */
JALI_API const char *jali_nearest(const char *word, const char *const *words, size_t n);

/* ---- progress -------------------------------------------------------------------- */

/* Called from the thread that made the request, at most a few times a second. Counts
 * leak, so only a curator's request, or one on a public vault, ever has a listener. */
typedef struct jali_progress {
    void (*tell)(void *self, const char *what, uint64_t done, uint64_t total);
    void *self;
} jali_progress;

/* ---- documents: what every verb answers with -------------------------------------- */

/* Public values only, with their cost and uncertainty, not yet in any format. */
typedef struct jali_doc jali_doc;

typedef enum jali_format {
    JALI_FORMAT_TABLE = 0, /* for people: aligned text with pictures            */
    JALI_FORMAT_JSON,      /* everything, versioned shape (docs/json.md)        */
    JALI_FORMAT_NDJSON,    /* its rows, one a line                              */
    JALI_FORMAT_CSV,       /* its rows, RFC 4180                                */
    JALI_FORMAT_MD,        /* for a page of text                               */
    JALI_FORMAT_HTML,      /* a page of its own, without network               */
    JALI_FORMAT_SVG,       /* its charts, one below another                    */
    JALI_FORMAT_VEGA,      /* its charts as a Vega-Lite specification           */
    JALI_FORMAT_BLOCKS,    /* JSON with the pieces that people read, for pages  */
    JALI_FORMAT_SQL        /* a query that says the same of any table: clusterings */
} jali_format;

typedef struct jali_style {
    jali_format format;
    unsigned width; /* columns of the terminal; 0: as wide as it likes */
    bool ascii, color;
} jali_style;

/* *out is owned by the caller; give it back with jali_free. */
JALI_API JALI_MUST_USE jali_status jali_doc_render(const jali_doc *doc, const jali_style *style,
                                                   char **out, jali_err *err);
JALI_API void jali_doc_free(jali_doc *doc); /* NULL is fine */
JALI_API void jali_free(void *p);

/* ---- from a file to a vault -------------------------------------------------------- */

/* A schema read off data files, as JSON text for the curator to edit; give *out back with
 * jali_free. It is marked as a draft and as private as the data. `progress` may be NULL. */
JALI_API JALI_MUST_USE jali_status jali_draft(const char *const *data, size_t n,
                                              const jali_progress *progress, char **out,
                                              jali_err *err);

/* The same for a table or view in PostgreSQL ("t" or "schema.t"): names and types are the
 * catalog's; with `rows`, bounds and categories are read off the rows, as from a file. */
JALI_API JALI_MUST_USE jali_status jali_draft_postgres(const char *server, const char *table,
                                                       bool rows, char **out, jali_err *err);

/* Reads a schema file; what is wrong is told with its line and column. */
JALI_API JALI_MUST_USE jali_status jali_schema_check(const char *path, jali_doc **out,
                                                     jali_err *err);

typedef struct jali_init {
    const char *vault; /* the folder to be made, NAME.jali            */
    const char *const *data;
    size_t n_data;
    /* Instead of data: servers that hold the rows and keep them, each a part of them, by
     * libpq's conninfo without a password; and the table or view, "t" or "schema.t". */
    const char *const *postgres;
    size_t n_postgres;
    const char *table;
    const char *schema;          /* path                                        */
    const char *epsilon, *delta; /* the cap, exact texts                        */
    bool is_public;              /* research: its truth may be shown            */
    bool accept_draft;           /* the curator answers for what a draft leaks  */
    const char *ask_above;       /* share of the cap above which a client asks a person before
                                    spending; NULL: 0.05                        */
    unsigned shards;             /* folders to split the rows into; 0: one piece */
    const char *ledger;          /* where the ledger is: a PostgreSQL server, without a
                                    password; NULL: a file in the vault         */
    const char *by;
    int64_t now_ms;
    unsigned threads; /* 0: one per core */
    const jali_progress *progress;
} jali_init;

/* Makes a vault, or nothing at all. *out tells the curator what happened to the cells; it
 * depends on the data and is not to be shown to anybody else. */
JALI_API JALI_MUST_USE jali_status jali_vault_init(const jali_init *ask, jali_doc **out,
                                                   jali_err *err);

/* Removes what an import of this vault left behind when its process was killed, and nothing
 * that a living process is still making. jali_vault_init does it first, too. */
JALI_API void jali_vault_sweep(const char *vault);

/* What is public about a vault: columns, domains, who is a person. Never a row count. */
JALI_API JALI_MUST_USE jali_status jali_vault_show(const char *vault, jali_doc **out,
                                                   jali_err *err);

/* ---- many machines ------------------------------------------------------------------- */

/* The same program on several machines, each beside some shards of a vault (jali_init.shards).
 * Rank 0 has the ledger and the dice, asks and releases; the others only count, and never see
 * an answer. Every rank calls these functions in the same order; false: the line is dead. */
typedef struct jali_crew {
    unsigned rank, ranks;
    bool (*tell)(void *self, void *bytes, size_t n);  /* rank 0's bytes, to everybody      */
    bool (*add)(void *self, int64_t *cell, size_t n); /* rank 0 gets the sums              */
    bool (*either)(void *self, uint64_t *word, size_t n); /* rank 0 gets the bits of all */
    /* n bytes of everybody, in the order of ranks, in rank 0's `out` */
    bool (*gather)(void *self, const void *bytes, size_t n, void *out);
    void *self;
} jali_crew;

/* What every rank but 0 does: counts what it is told, until it is dismissed. A failure is told
 * to rank 0, whose request fails with that sentence; *err has it, too. */
JALI_API JALI_MUST_USE jali_status jali_crew_work(const jali_crew *crew, unsigned threads,
                                                  jali_err *err);

/* Rank 0, at its end: the others go home. */
JALI_API void jali_crew_dismiss(const jali_crew *crew);

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
} jali_spend;

/* A stored release ("r1"), told again for free, at any confidence (NULL: 0.95). */
JALI_API JALI_MUST_USE jali_status jali_vault_release(const char *vault, const char *id,
                                                      const char *confidence, jali_doc **out,
                                                      jali_err *err);

/* All stored releases: id, kind, when, by whom, at what cost, what. */
JALI_API JALI_MUST_USE jali_status jali_vault_releases(const char *vault, jali_doc **out,
                                                       jali_err *err);

/* Releases told as one story: answers, cost, guarantee, hashes, methods, limits. */
typedef struct jali_report {
    const char *vault;
    const char *const *id; /* "r1", "c1", in the order to be told */
    size_t n_ids;          /* 0: all of them                      */
    const char *confidence;
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

/* ---- measuring ourselves --------------------------------------------------------------- */

/* How good a verb is against the truth, on a vault that was made public at import: prints
 * what no other verb may. `what` is the verb; `argument` what follows it on the command line,
 * each verb's own. */
typedef struct jali_trial {
    jali_spend spend; /* by, request and quote mean nothing here */
    const char *what;
    const char *const *argument; /* words "name=value" */
    size_t n_arguments;
    unsigned runs; /* 0: the verb's own number */
} jali_trial;

JALI_API JALI_MUST_USE jali_status jali_vault_eval(const jali_trial *trial, jali_doc **out,
                                                   jali_err *err);

/* ---- attacking ourselves -------------------------------------------------------------- */

/* The program, run as a function: the exit code of one command line. It is called in a child.
 */
typedef int (*jali_program)(int argc, char **argv);

typedef struct jali_audit {
    const char *const *verb; /* verbs or cases to try; none: all */
    size_t n_verbs;
    const char *folder; /* empty, for scratch vaults */
    jali_program program;
    unsigned at_once;              /* children side by side */
    unsigned runs;                 /* of each side of a case; 0: its own number */
    const jali_progress *progress; /* NULL: silence */
} jali_audit;

/* Runs the verbs on neighbouring tables and proves from below what their outputs give away.
 * JALI_OK with *holds false: more than was charged. */
JALI_API JALI_MUST_USE jali_status jali_audit_all(const jali_audit *audit, bool *holds,
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
} jali_contrast_query;

JALI_API JALI_MUST_USE jali_status jali_vault_contrast(const jali_contrast_query *query,
                                                       jali_doc **out, jali_err *err);

/* ---- the budget of a vault --------------------------------------------------------- */

/* A vault is a folder, named by its path. `now_ms` is the time of day in milliseconds since
 * 1970 (UTC), `by` the name of who acts: the library has no clock and knows nobody. */

/* What is spent, by whom, and what is left. */
JALI_API JALI_MUST_USE jali_status jali_vault_budget(const char *vault, jali_doc **out,
                                                     jali_err *err);

/* Every row of the ledger from `from` (1 is the first). */
JALI_API JALI_MUST_USE jali_status jali_vault_log(const char *vault, int64_t from,
                                                  jali_doc **out, jali_err *err);

/* Recomputes the whole ledger. JALI_OK means that the answer is true, be it good or bad. */
JALI_API JALI_MUST_USE jali_status jali_vault_verify(const char *vault, bool *intact,
                                                     jali_doc **out, jali_err *err);

/* Acts of the curator, logged for good. Numbers are exact texts ("1", "0.1", "1e-6"); a NULL
 * delta stays as it is. A share is a part of the cap between 0 and 1; a NULL analyst means
 * everybody who has no quota of their own. */
JALI_API JALI_MUST_USE jali_status jali_vault_raise(const char *vault, const char *epsilon,
                                                    const char *delta, const char *by,
                                                    int64_t now_ms, jali_err *err);
JALI_API JALI_MUST_USE jali_status jali_vault_quota(const char *vault, const char *analyst,
                                                    const char *share, const char *by,
                                                    int64_t now_ms, jali_err *err);
JALI_API JALI_MUST_USE jali_status jali_vault_question(const char *vault, const char *share,
                                                       const char *by, int64_t now_ms,
                                                       jali_err *err);

/* ---- who may come in -------------------------------------------------------------------- */

typedef enum jali_role {
    JALI_ANALYST, /* asks, sees releases                             */
    JALI_AUDITOR, /* reads ledger and claims, spends nothing         */
    JALI_CURATOR  /* may see and do everything                       */
} jali_role;

enum { JALI_NAME = 65 }; /* room for a name, with its end */

/* A secret that lets somebody in by a server. *token is shown once and stored as a hash only;
 * give it back with jali_free. */
JALI_API JALI_MUST_USE jali_status jali_token_add(const char *vault, const char *name,
                                                  jali_role role, int64_t now_ms, char **token,
                                                  jali_err *err);
JALI_API JALI_MUST_USE jali_status jali_token_list(const char *vault, jali_doc **out,
                                                   jali_err *err);
/* By its id ("t1"), for good. */
JALI_API JALI_MUST_USE jali_status jali_token_revoke(const char *vault, const char *id,
                                                     int64_t now_ms, jali_err *err);
/* Whose token is it? JALI_E_USAGE: nobody's. Slow on purpose: remember the answer while
 * jali_token_stamp stays the same. */
JALI_API JALI_MUST_USE jali_status jali_token_check(const char *vault, const char *token,
                                                    char name[JALI_NAME], jali_role *role,
                                                    jali_err *err);
JALI_API uint64_t jali_token_stamp(const char *vault);
/* The entry of a token that was checked before, by its public part (jali_t3_); 0: it is good no
 * more. A list that was begun anew gives the same id another entry. */
JALI_API uint64_t jali_token_entry(const char *vault, const char *token);

/* ---- any request as JSON ---------------------------------------------------------------- */

/* {"verb": "ask", "sql": "SELECT ...", "epsilon": "0.1"}: any verb that spends, with the names
 * of its options as members and numbers as texts. `spend` says who, when and whether it is a
 * quote; what it may cost is in the JSON. Unknown members are refused. */
JALI_API JALI_MUST_USE jali_status jali_vault_request(const char *json, size_t n,
                                                      const jali_spend *spend, jali_doc **out,
                                                      jali_err *err);

/* ---- generated tables -------------------------------------------------------------- */

/* To try things on: made from a seed, never from data, with planted reasons, clusters and
 * places that docs/mock.md tells of. */

/* Takes n bytes of CSV; false when it cannot (a full disk, a closed pipe). */
typedef bool (*jali_mock_take)(void *self, const char *bytes, size_t n);

typedef struct jali_mock_options {
    const char *kind;   /* hospital, table, gauss or points                              */
    const char *preset; /* table: census, ipums; gauss: synth10, synth100; NULL: none    */
    uint64_t rows, seed;
    bool plain; /* nothing planted: the twin that a test of the plants must refuse       */
    bool label; /* write the planted cluster as the last column (hospital: never)        */

    /* Where to. The CSV goes to the file `out`, or to take(self, ...) if out is NULL;
     * schema and truth are files, NULL: not wanted. */
    const char *out, *schema, *truth;
    jali_mock_take take;
    void *self;

    unsigned clusters; /* table: labels; gauss: Gaussians; points: towns                 */
    double imbalance;  /* sizes fall like 1/i^imbalance; 0: equal                        */

    const unsigned *domains; /* table: values of each attribute                          */
    unsigned n_domains, numeric;
    unsigned planted; /* table: attributes that tell each cluster apart                  */
    double strength;  /* table: share of a cluster's rows moved to its planted value     */
    double missing;   /* table: share of empty cells                                     */

    unsigned dimensions; /* gauss                                                        */
    double spread;       /* gauss: standard deviation, in a box from -100 to 100         */
    double noise;        /* gauss, points: share of rows spread evenly over the box      */
    double roads;        /* points: share of rows along the roads between towns          */
} jali_mock_options;

/* Fills *o with the defaults of a kind and, if not NULL, of a preset; `out`, `take` and
 * the other places stay empty. Fails JALI_E_USAGE for an unknown word. */
JALI_API JALI_MUST_USE jali_status jali_mock_defaults(jali_mock_options *o, const char *kind,
                                                      const char *preset, jali_err *err);

/*
 * Writes the table, and its schema and truth where wanted.
 *
 *   borrows  everything; progress may be NULL
 *   fails    JALI_E_USAGE: nothing written; JALI_E_ENGINE, JALI_E_NOMEM: no half file is
 *            left behind, but a stream may have been given its first part
 */
JALI_API JALI_MUST_USE jali_status jali_mock_write(const jali_mock_options *o,
                                                   const jali_progress *progress,
                                                   jali_err *err);

/* What jali_mock_write wrote with these options, in words, and what to do with it. */
JALI_API JALI_MUST_USE jali_status jali_mock_doc(const jali_mock_options *o, jali_doc **out,
                                                 jali_err *err);

#ifdef __cplusplus
}
#endif
#endif
