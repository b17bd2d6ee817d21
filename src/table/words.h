/* table/words.h — a fixed set of words and the code of each. */
#ifndef JALI_TABLE_WORDS_H
#define JALI_TABLE_WORDS_H

#include "base/arena.h"
#include "base/err.h"

typedef struct jali_words jali_words;

/* Words text[i] with codes code[i] (i if NULL), in the arena. *twice is the index of a word
 * that came before, or n; then *out is not written. The texts are borrowed. */
JALI_MUST_USE jali_status jali_words_new(const jali_words **out, const char *const *text,
                                         const int32_t *code, size_t n, jali_arena *arena,
                                         size_t *twice, jali_err *err);

/* The code of a word, or -1. NULL words know none. */
int32_t jali_words_find(const jali_words *words, const char *text, size_t n);

#endif
