/* tests/support/alloc.c — memory that ends when a test says so. */
#include "support/alloc.h"
#include <stdatomic.h>
#include <stddef.h>

static atomic_long left = -1;
static atomic_bool happened;

void alloc_fail_at(long n)
{
    atomic_store(&happened, false);
    atomic_store(&left, n);
}

bool alloc_failed(void)
{
    atomic_store(&left, -1);
    return atomic_load(&happened);
}

static bool now(void)
{
    if (atomic_load(&left) < 0) return false;
    if (atomic_fetch_sub(&left, 1) != 0) return false;
    atomic_store(&happened, true);
    return true;
}

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__real_aligned_alloc(size_t align, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
void *__wrap_aligned_alloc(size_t align, size_t n);

void *__wrap_malloc(size_t n)
{
    return now() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return now() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
    return now() ? NULL : __real_realloc(p, n);
}

void *__wrap_aligned_alloc(size_t align, size_t n)
{
    return now() ? NULL : __real_aligned_alloc(align, n);
}
