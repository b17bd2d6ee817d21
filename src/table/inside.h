/* table/inside.h — what the files that read a schema share. */
#ifndef JALI_TABLE_INSIDE_H
#define JALI_TABLE_INSIDE_H

#include "table/decimal.h"
#include "table/place.h"
#include "table/schema.h"
#include "table/words.h"

/* A schema while it is read: its text, and the path to the member in hand. */
typedef struct jali_reading {
    const char *text, *what;
    size_t n;
    jali_arena *arena;
    jali_err *err;
    jali_step path[8];
    size_t depth;
} jali_reading;

/* Refuses the value at the end of the path, or its key. Returns JALI_E_DATA. */
jali_status jali_reading_fail(const jali_reading *r, const char *fmt, ...) JALI_PRINTF(2, 3);
jali_status jali_reading_fail_key(jali_reading *r, const char *key, const char *fmt, ...)
    JALI_PRINTF(3, 4);

/* The value as text in the arena: texts, numbers, booleans. */
JALI_MUST_USE jali_status jali_reading_text(jali_reading *r, const json_t *value,
                                            const char **out);
/* A member that must be a boolean if present; *out keeps its value if absent. */
JALI_MUST_USE jali_status jali_reading_flag(jali_reading *r, const json_t *object,
                                            const char *key, bool *out);
/* A member that must be an array of short texts if present; *n = SIZE_MAX if absent. */
JALI_MUST_USE jali_status jali_reading_list(jali_reading *r, const json_t *object,
                                            const char *key, size_t limit, size_t *n,
                                            const char *const **out);
/* A name that may be shown: not empty (unless `empty`), short, without control characters. */
JALI_MUST_USE jali_status jali_reading_name(jali_reading *r, const char *what, const char *text,
                                            bool empty);
/* Refuses members of `object` that are not among `keys`, with the nearest. */
JALI_MUST_USE jali_status jali_reading_keys(jali_reading *r, const json_t *object,
                                            const char *where, const char *const *keys,
                                            size_t n);

/* The member in hand is one step down; use in pairs. */
static inline void jali_reading_down(jali_reading *r, const char *key, size_t index)
{
    r->path[r->depth++] = (jali_step){ key, index };
}

/* Reads one element of `fields`, with its public domain unless it names the person. */
JALI_MUST_USE jali_status jali_field_read(jali_reading *r, const json_t *object,
                                          const char *person, jali_field *out);

/* The second half: domain by enum, bounds and bins. r stands on the field. */
JALI_MUST_USE jali_status jali_field_read_domain(jali_reading *r, const json_t *object,
                                                 jali_field *field);

/* The code of the word `text` of a category, by value where the type is a number; or -1. */
int32_t jali_field_word(const jali_field *field, const char *text, size_t n);

#endif
