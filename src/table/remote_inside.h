/* table/remote_inside.h — what the files that write SQL over a schema share. */
#ifndef JALI_TABLE_REMOTE_INSIDE_H
#define JALI_TABLE_REMOTE_INSIDE_H

#include "table/remote.h"

/* The SQL types that we read, by what can be done with them. */
typedef enum jali_family {
    JALI_SQL_OF_NOTHING, /* a type we do not read */
    JALI_SQL_OF_INTEGER,
    JALI_SQL_OF_NUMERIC,
    JALI_SQL_OF_FLOAT,
    JALI_SQL_OF_TEXT,
    JALI_SQL_OF_BOOLEAN,
    JALI_SQL_OF_DATE,
    JALI_SQL_OF_STAMP, /* timestamp, with or without time zone */
    JALI_SQL_OF_WORD   /* enum, uuid */
} jali_family;

jali_family jali_family_of(const char *type);

/* A name in double quotes, a text in single ones: the only way either enters a statement. */
void jali_remote_name(jali_text *to, const char *name);
void jali_remote_text(jali_text *to, const char *text);

/* The code of a field as SQL, NULL for NULL's. Refuses a family that the field cannot be
 * read from (JALI_E_DATA, curator). */
JALI_MUST_USE jali_status jali_remote_value(const jali_schema *schema, const jali_field *field,
                                            const char *type, jali_text *out, jali_err *err);

/* Is the code of this field its column minus field->low, clamped, and NULL only there? */
bool jali_remote_plain(const jali_schema *schema, const jali_field *field, const char *type);

/* The bin of that code, for NAME#bin. */
void jali_remote_bin(const jali_field *field, const char *value, jali_text *out);

/* What to group a category by before it is read; nothing is written where that is no use. */
void jali_remote_group(const jali_field *field, const char *type, jali_text *out);

/* At most m rows of each person: `from` becomes a subquery that hands on the columns of
 * place->typed. *person is the expression of #person. */
JALI_MUST_USE jali_status jali_remote_persons(const jali_schema *schema,
                                              const jali_remote_place *place,
                                              const jali_remote_column *column, size_t fields,
                                              const jali_person_key *key, const char *dead,
                                              jali_text *from, jali_text *where,
                                              jali_text *person, jali_err *err);

#endif
