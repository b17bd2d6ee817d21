/* table/sql.h — SQL text as PostgreSQL's own parser reads it, with places kept.
 *
 * The tree is libpg_query's JSON. Nothing in it is trusted to be allowed: those who walk
 * it take the nodes they know and refuse the rest at its place in the text.
 */
#ifndef JALI_TABLE_SQL_H
#define JALI_TABLE_SQL_H

#include "base/arena.h"
#include "base/err.h"
#include <jansson.h>

/* PostgreSQL's printer of trees recurses without looking: two bytes of text can nest one
 * level of about 250 bytes of stack, so this many stay below two megabytes. */
enum { JALI_SQL_BYTES = 16384 };

typedef struct jali_sql {
    const char *text;     /* what the user wrote, borrowed                              */
    size_t before;        /* bytes that were put in front of it                         */
    json_t *tree;         /* owned                                                      */
    const json_t *select; /* the body of the one SelectStmt in it                       */
} jali_sql;

/* Parses `before` followed by `text` as one SELECT (a trailing semicolon is fine). `before`
 * may be empty, is ASCII and of at most 64 bytes; `what` names the text in sentences ("the
 * condition"). Refusals are JALI_E_USAGE for the analyst, with line and column of `text`. */
JALI_MUST_USE jali_status jali_sql_parse(jali_sql *out, const char *before, const char *text,
                                         const char *what, jali_err *err);
void jali_sql_clear(jali_sql *sql);

/* A node is an object of one member: its kind, and its body. NULL if it is none. */
const char *jali_sql_kind(const json_t *node, const json_t **body);
bool jali_sql_is(const json_t *node, const char *kind, const json_t **body);

/* Refuses a node at its place. Returns JALI_E_USAGE. */
jali_status jali_sql_refuse(const jali_sql *sql, const json_t *node, jali_err *err,
                            const char *fmt, ...) JALI_PRINTF(4, 5);

/* Gives an error that was written elsewhere the place of a node, and passes it on. */
jali_status jali_sql_placed(const jali_sql *sql, const json_t *node, jali_status status,
                            jali_err *err);

typedef enum jali_sql_type {
    JALI_SQL_NULL,
    JALI_SQL_NUMBER,
    JALI_SQL_TEXT,
    JALI_SQL_TRUE,
    JALI_SQL_FALSE
} jali_sql_type;

typedef struct jali_sql_constant {
    jali_sql_type type;
    const char *text; /* "-2.5", "ward", "true"; "" for NULL; in the arena */
} jali_sql_constant;

/* Is it a constant: a literal, or DATE '2024-12-31'? Its value is read only if it is. */
bool jali_sql_is_constant(const json_t *node);
JALI_MUST_USE jali_status jali_sql_read_constant(const jali_sql *sql, const json_t *node,
                                                 jali_arena *arena, jali_sql_constant *out,
                                                 jali_err *err);

/* A name as SQL wants it: quoted unless it is a plain lower-case word that means nothing
 * else. A text in single quotes. Appended to *to. */
struct jali_text;
void jali_sql_put_name(struct jali_text *to, const char *name);
void jali_sql_put_text(struct jali_text *to, const char *text);

#endif
