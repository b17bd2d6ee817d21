/* table/remote_writing.h — an expression over one column, in the making. */
#ifndef JALI_TABLE_REMOTE_WRITING_H
#define JALI_TABLE_REMOTE_WRITING_H

#include "table/remote_inside.h"

typedef struct writing {
    const jali_schema *schema;
    const jali_field *f;
    jali_family family;
    bool zoned;
    jali_text *out;
} writing;

static inline void add(const writing *w, const char *piece)
{
    jali_text_add(w->out, piece);
}

static inline void add_name(const writing *w)
{
    jali_remote_name(w->out, w->f->name);
}

/* The column as text, compared byte by byte whatever its collation. */
void jali_writing_text(const writing *w);
void jali_writing_dec(const writing *w, jali_dec value);

/* CASE WHEN the cell is NULL or missing THEN NULL; the caller goes on, and ends it. */
void jali_writing_start(const writing *w);

/* Categories (remote_word.c): words, numbers by value, and the SQL type boolean. */
void jali_write_words(const writing *w);
void jali_write_numbers(const writing *w);
void jali_write_boolean(const writing *w);

#endif
