/* jali/vault.h — vaults: made, shared between machines, budgeted, opened to people. Included by
 * jali.h. */
#ifndef JALI_VAULT_H
#define JALI_VAULT_H

#include "jali/base.h"

#ifdef __cplusplus
extern "C" {
#endif

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

/* What this program promises: the claim cards that it was built from, each with its mechanism,
 * law, proof and test. `which`: a claim ("noise.gauss") or a family ("noise"); NULL: all. */
JALI_API JALI_MUST_USE jali_status jali_claims(const char *which, jali_doc **out,
                                               jali_err *err);

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

#ifdef __cplusplus
}
#endif
#endif
