/* tests/support/alloc.h — memory that ends when a test says so.
 *
 * Link with alloc.c and alloc_wrap (tests/meson.build): every malloc, calloc, realloc and
 * aligned_alloc of libjali then passes through here. Libraries of others do not.
 */
#ifndef JALI_TESTS_ALLOC_H
#define JALI_TESTS_ALLOC_H

#include <stdbool.h>

/* The n-th allocation from now (0 is the next) fails, and only that one. */
void alloc_fail_at(long n);

/* Puts memory back to normal; true if the planned failure happened. */
bool alloc_failed(void);

#endif
