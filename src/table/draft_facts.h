/* table/draft_facts.h — what a draft remembers of one column. */
#ifndef JALI_TABLE_DRAFT_FACTS_H
#define JALI_TABLE_DRAFT_FACTS_H

#include "base/arena.h"
#include "table/schema.h"

/* Texts that usually mean NULL; a bit each, as seen. */
extern const char *const jali_draft_missing[];
enum { JALI_DRAFT_MISSING = 9 };

typedef struct jali_facts {
    const char *name;
    bool not_number, not_whole, not_date, not_year, too_many, seen;
    jali_dec low, high;  /* of what was a number */
    int64_t first, last; /* of what was a date   */
    unsigned digits;
    unsigned missing;   /* bits of jali_draft_missing */
    const char *unseen; /* a type: nothing but the catalog was read */
    const char *type;   /* what the catalog says it is, if that is a number or a date */
    const char *left;   /* why it is left out, whatever it holds; else NULL */
    size_t n, room;     /* distinct values            */
    const char **values;
    uint32_t *slots; /* of a hash table; 0 is free */
} jali_facts;

/* Takes note of one cell; false when memory ends. */
bool jali_facts_add(jali_facts *f, jali_arena *arena, const char *text, size_t n);

/* The field of the schema that the facts suggest (a new reference), NULL: no memory. */
json_t *jali_facts_field(jali_facts *f);

/* The schema of n columns, marked as a draft, with a note (NULL: it was read off rows). */
json_t *jali_draft_schema(jali_facts *facts, size_t n, const char *words);

#endif
