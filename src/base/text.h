/* base/text.h — text that grows, and the few questions we ask of text. */
#ifndef JALI_BASE_TEXT_H
#define JALI_BASE_TEXT_H

#include "base/err.h"

/* A growing, always terminated text. `failed` is sticky, so that a writer of many pieces
 * asks once, at the end. x_init by { 0 }; x_clear frees. */
typedef struct jali_text {
    char *at; /* NULL while empty */
    size_t used, room;
    bool failed;
} jali_text;

void jali_text_add(jali_text *t, const char *piece);
void jali_text_add_n(jali_text *t, const char *piece, size_t n);
void jali_text_format(jali_text *t, const char *fmt, ...) JALI_PRINTF(2, 3);
void jali_text_clear(jali_text *t);
JALI_MUST_USE jali_status jali_text_status(const jali_text *t, jali_err *err);

/* The word of `words` nearest to `word` (Damerau distance at most a third of its length),
 * or NULL: for "did you mean". Pass public words only. */
const char *jali_text_nearest(const char *word, const char *const *words, size_t n);

bool jali_text_is_utf8(const char *text, size_t n);
/* Does UTF-8 text hold what a terminal obeys instead of showing: control characters other
 * than tab and line ends, those of U+0080 on, and marks that turn the direction around? */
bool jali_text_commands(const char *text);

/* ---- base/width.c: columns on a terminal, roughly: ideographs take two, marks none. */
size_t jali_text_width(const char *text);
size_t jali_text_width_n(const char *text, size_t n);
/* Bytes of the longest beginning that takes at most so many; marks stay with their letter. */
size_t jali_text_within(const char *text, size_t width);

/* Line and column, from 1, of a byte offset. */
void jali_text_place(const char *text, size_t offset, unsigned *line, unsigned *column);

#endif
