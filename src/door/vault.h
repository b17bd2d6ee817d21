/* door/vault.h — a vault on disk: NAME.jali/ with schema, policy, columns, keys and ledger.
 *
 *   schema.json     what is public about the table, in one form
 *   policy.json     format, id, name, creation, cap at creation, who is a person, public or
 *                   not, and the print of schema.json
 *   columns/        codes, mapped (engine/columns.h)
 *   person.key      32 secret bytes, mode 0600 (table/persons.h)
 *   ledger.sqlite   the book (budget/ledger.h), with its own key and checkpoint beside it
 *                   (or ledger.postgresql, which says on which server the book is)
 *   tokens.json     who may come in by a server (door/token.c), if anybody
 *   models.json     registered models and their hashes (door/models.c), if any
 */
#ifndef JALI_DOOR_VAULT_H
#define JALI_DOOR_VAULT_H

#include "base/arena.h"
#include "base/file.h"
#include "engine/columns.h"
#include "report/doc.h"
#include "table/persons.h"
#include "table/remote.h"
#include "table/schema.h"

enum { JALI_VAULT_FORMAT = 1, JALI_VAULT_ID = 33, JALI_VAULT_PRINT = 33 };

/* A twentieth of what there is for all questions together deserves a second look. */
#define JALI_ASK_ABOVE "0.05"

typedef struct jali_vault_page {
    const char *path;
    jali_file_mark mark;
} jali_vault_page;

typedef struct jali_vault {
    jali_arena arena;
    const char *path, *name;
    char id[JALI_VAULT_ID]; /* random, in hexadecimal */
    int64_t created_ms;
    bool is_public;
    const char *epsilon, *delta; /* of the cap at creation; the ledger knows raises */
    const char *ask_above;       /* share of the cap above which a person is asked     */
    jali_schema schema;
    jali_columns *columns;
    jali_remote_place place; /* .n > 0: the rows stay in PostgreSQL, and these are theirs */
    jali_remote remote;
    jali_vault_page page[2]; /* policy.json and schema.json, which all of it was read from */
} jali_vault;

/* Opens the public facts and the columns' manifest; touches no column and no ledger. */
JALI_MUST_USE jali_status jali_vault_open(jali_vault **out, const char *path, jali_err *err);
/* Would opening it now find the files that were opened then, pages and columns? False where
 * nobody can tell without reading them, and for tables that stay in a database. */
bool jali_vault_as_opened(const jali_vault *vault);
/* Of the shards only those that rank `rank` of `ranks` counts. */
JALI_MUST_USE jali_status jali_vault_open_share(jali_vault **out, const char *path,
                                                unsigned rank, unsigned ranks, jali_err *err);
void jali_vault_free(jali_vault *vault); /* NULL is fine */

/* The print of schema.json that policy.json keeps. A schema edited after the import would
 * read codes as other values, or promise fewer rows a person than were kept. */
void jali_vault_print(char out[static JALI_VAULT_PRINT], const char *text, size_t n);

/* The secret of contribution bounds and of blocks hashed by person. Curator's files only. */
JALI_MUST_USE jali_status jali_vault_person_key(const jali_vault *vault, jali_person_key *out,
                                                jali_err *err);

/* The sentence that everything printed from a public vault carries; NULL for others. */
const char *jali_vault_warning(const jali_vault *vault);

/* The same on a document, and its member "public". */
void jali_vault_tell_public(jali_doc *doc, bool is_public);

/* Is the vault at `path` public? A vault that does not open is not: no book is kept from its
 * auditor because something else is broken. */
bool jali_vault_is_public(const char *path);

/* How a column's domain is told in a line: "90 values: Male, Female, ...", "0 to 90". */
const char *jali_vault_domain(const jali_field *field, jali_arena *arena);

#endif
