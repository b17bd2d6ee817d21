/* table/remote.h — a schema over a table in PostgreSQL: every column as an expression.
 *
 * An expression yields the code that an import of the same rows would have written
 * (table/field.c): rounded to the nearest step by exact decimals, clamped, NULL where the
 * import has NULL. None can fail because of a cell. Which SQL types a field can be read
 * from is decided here, once, from the catalog; docs/postgres.md has the table.
 */
#ifndef JALI_TABLE_REMOTE_H
#define JALI_TABLE_REMOTE_H

#include "base/text.h"
#include "engine/remote.h"
#include "table/persons.h"
#include "table/schema.h"

/* What a vault remembers of its table. Lives in an arena. */
typedef struct jali_remote_place {
    size_t n; /* servers */
    const char *const *conninfo;
    const char *schema, *table;
    size_t n_types; /* of the columns that are read, person included */
    const char *const *typed, *const *type;
} jali_remote_place;

/* Looks the table up on every server ("t" or "schema.t") and takes what the schema needs
 * from the catalog. Refuses columns that are missing, not granted, of different types on two
 * servers, or of a type that the field cannot be read from. For the curator. */
JALI_MUST_USE jali_status jali_remote_find(jali_postgres *pg, const char *table,
                                           const jali_schema *schema, jali_arena *arena,
                                           jali_remote_place *out, jali_err *err);

/* The columns of the vault as SQL. The place, the schema and pg must outlive *out, which
 * lives in the arena; `key` is copied into the statements where persons are declared. */
JALI_MUST_USE jali_status jali_remote_make(const jali_schema *schema,
                                           const jali_remote_place *place,
                                           const jali_person_key *key, jali_postgres *pg,
                                           jali_arena *arena, jali_remote *out, jali_err *err);

/* JSON both ways, for policy.json. *out of to_json is a new reference, NULL: no memory. */
json_t *jali_remote_to_json(const jali_remote_place *place);
JALI_MUST_USE jali_status jali_remote_from_json(const json_t *value, jali_arena *arena,
                                                jali_remote_place *out, jali_err *err);

/* A draft from the catalog; with `rows`, the rows are read, too, as jali_draft_make does. */
JALI_MUST_USE jali_status jali_remote_draft(jali_postgres *pg, const char *table, bool rows,
                                            json_t **out, jali_err *err);

#endif
