/* table/remote_word.c — a category as an SQL expression that yields its code. */
#include "base/json.h"
#include "table/inside.h"
#include "table/remote_writing.h"
#include <string.h>

enum { LISTED = 12 }; /* words up to here are compared one by one, more are looked up */

/* The words of a category and their codes: `enum`, or those of true and false. */
static size_t words_of(const jali_field *f)
{
    return f->type == JALI_BOOLEAN ? f->n_yes + f->n_no : f->n_values;
}

static const char *word_at(const jali_field *f, size_t i, unsigned *code)
{
    if (f->type != JALI_BOOLEAN) {
        *code = (unsigned)i;
        return f->values[i];
    }
    *code = i < f->n_yes;
    return i < f->n_yes ? f->yes[i] : f->no[i - f->n_yes];
}

/* Many words: one jsonb constant, searched by halves, instead of a comparison each. */
static void add_lookup(const writing *w, const char *before, const char *after)
{
    json_t *all = json_object();
    unsigned code;
    for (size_t i = 0; i < words_of(w->f); i++) {
        const char *word = word_at(w->f, i, &code);
        if (json_object_set_new(all, word, json_integer(code)) != 0) w->out->failed = true;
    }
    char *text = json_dumps(all, JSON_COMPACT);
    json_decref(all);
    if (text == NULL) {
        w->out->failed = true;
        return;
    }
    add(w, "(");
    jali_remote_text(w->out, text);
    add(w, "::jsonb -> ");
    add(w, before);
    jali_writing_text(w);
    add(w, after);
    add(w, ")::int4");
    free(text);
}

static void add_else(const writing *w)
{
    if (w->f->other < 0)
        add(w, "NULL");
    else
        jali_text_format(w->out, "%d", w->f->other);
}

/* CASE x WHEN 'a' THEN 0 ...; without its ELSE. */
static void add_list(const writing *w, const char *before, const char *after)
{
    unsigned code;
    jali_text_format(w->out, "CASE %s", before);
    jali_writing_text(w);
    add(w, after);
    for (size_t i = 0; i < words_of(w->f); i++) {
        const char *word = word_at(w->f, i, &code);
        add(w, " WHEN ");
        jali_remote_text(w->out, word);
        jali_text_format(w->out, " THEN %u", code);
    }
}

/* The word as it stands, else without the blanks around it, else `other`. */
void jali_write_words(const writing *w)
{
    static const char trim[] = "btrim(", blanks[] = ", E' \\t')";
    jali_writing_start(w);
    add(w, " ELSE ");
    if (words_of(w->f) > LISTED) {
        add(w, "coalesce(");
        add_lookup(w, "", "");
        add(w, ", ");
        add_lookup(w, trim, blanks);
        add(w, ", ");
        add_else(w);
        add(w, ")");
    } else {
        add_list(w, "", "");
        add(w, " ELSE ");
        add_list(w, trim, blanks);
        add(w, " ELSE ");
        add_else(w);
        add(w, " END END");
    }
    add(w, " END");
}

/* A number among numbers: compared by value, so that 1, 1.0 and 01 are one. */
void jali_write_numbers(const writing *w)
{
    jali_dec value;
    jali_writing_start(w);
    add(w, " ELSE CASE ");
    add_name(w);
    add(w, w->family == JALI_SQL_OF_FLOAT ? "::text::numeric" : "::numeric");
    for (size_t i = 0; i < w->f->n_values; i++) {
        const char *text = w->f->values[i];
        if (!jali_dec_scan(&value, text, strlen(text))) continue; /* the name of `other` */
        add(w, " WHEN ");
        jali_writing_dec(w, value);
        jali_text_format(w->out, " THEN %zu", i);
    }
    add(w, " ELSE ");
    add_else(w);
    add(w, " END END");
}

void jali_write_boolean(const writing *w)
{
    jali_writing_start(w);
    add(w, " ELSE ");
    add_name(w);
    add(w, "::int4 END");
}
