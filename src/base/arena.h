/* base/arena.h — memory with the lifetime of one request. */
#ifndef JALI_BASE_ARENA_H
#define JALI_BASE_ARENA_H

#include "jali.h"
#include <stddef.h>

typedef struct jali_arena {
    struct jali_arena_block *head;
} jali_arena;

#define JALI_ARENA_INIT                                                                        \
    {                                                                                          \
        0                                                                                      \
    }

/* Zeroed room for n objects of `size`, aligned for any type and, from 64 bytes up, to 64.
 * NULL when memory ends or n*size overflows. */
void *jali_arena_take(jali_arena *a, size_t n, size_t size);

/* Copies that live as long as the arena; NULL when memory ends. */
char *jali_arena_text(jali_arena *a, const char *text);
char *jali_arena_format(jali_arena *a, const char *fmt, ...) JALI_PRINTF(2, 3);

void jali_arena_clear(jali_arena *a); /* leaves *a empty and reusable */

#endif
