/* engine/remote.h — columns that are expressions over a table in PostgreSQL. */
#ifndef JALI_ENGINE_REMOTE_H
#define JALI_ENGINE_REMOTE_H

#include "engine/columns.h"
#include "engine/postgres.h"

/* Made by table/remote.c. Expressions name columns of `rows` without a prefix, so that the
 * same text works one floor up, where a subquery hands the column on under its name. */
typedef struct jali_remote_column {
    const char *name; /* of the vault's column   */
    uint64_t domain;
    const char *value; /* SQL: the code, NULL where the code is NULL's; int4 up to 2^31 codes */
    /* A category whose table's column can be grouped by first and read afterwards, once a
     * group instead of once a row: its quoted name, and what to group by. Else NULL. */
    const char *column, *group;
    /* A whole number in steps of one: NULL exactly where the table's column is, and code c
     * between the bounds means that column - low = c. Its quoted name, else NULL. */
    const char *plain;
    int64_t low;
} jali_remote_column;

struct jali_remote {
    jali_postgres *postgres;
    size_t n;
    const jali_remote_column *column;
    const char *rows;  /* SQL: what stands behind FROM                    */
    bool bare;         /* `rows` is the table itself                      */
    const char *where; /* SQL: the rows that belong to the vault, or NULL */
    const char *trial; /* a statement that reads no row and names all of the above */

    /* What the catalog said at init, of the columns that are read: every server must still
     * say the same, because an expression is right for one type only. */
    const char *schema, *table;
    size_t n_types;
    const char *const *typed, *const *type;
};

/* Before a charge: is every server there, with this table as it was? Reads no row. */
JALI_MUST_USE jali_status jali_remote_check(const jali_remote *remote, jali_err *err);

/* Columns of a remote table; `facts` is borrowed until free. Touches no network. */
JALI_MUST_USE jali_status jali_columns_remote(jali_columns **out, const jali_remote *facts,
                                              jali_err *err);

#endif
