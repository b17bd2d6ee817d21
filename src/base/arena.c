/* base/arena.c — memory with the lifetime of one request.
 *
 * Small takes share a block; a large one gets its own, so that a clear gives it back to
 * the system at once. Explainers never free: the request does, in one call.
 */
#define _DEFAULT_SOURCE /* madvise */
#include "base/arena.h"
#include "base/banned.h"
#include <stdarg.h>
#include <sys/mman.h>

enum { ALIGN = 64, BLOCK = 64 * 1024, PAGE = 4096, HUGE_FROM = 4 << 20 };

struct jali_arena_block {
    struct jali_arena_block *next;
    size_t used, size; /* bytes of `room` */
    unsigned char *room;
    void *raw;  /* what is freed */
    bool clean; /* zeroed when it was made */
};

/* Large rooms are filled from end to end by one pass and read by the next: with pages of 4 KB
 * a tenth of the time went to making them. A wish only: nothing depends on it. */
static void wish_huge(unsigned char *raw, size_t bytes)
{
#if defined(MADV_HUGEPAGE)
    uintptr_t first = ((uintptr_t)raw + PAGE - 1) / PAGE * PAGE;
    uintptr_t last = ((uintptr_t)raw + bytes) / PAGE * PAGE;
    if (bytes >= HUGE_FROM) (void)madvise((void *)first, last - first, MADV_HUGEPAGE);
#else
    (void)raw, (void)bytes;
#endif
}

/* A large one comes zeroed: fresh pages are, and need not be again. */
static struct jali_arena_block *new_block(size_t size)
{
    size_t head = (sizeof(struct jali_arena_block) + ALIGN - 1) / ALIGN * ALIGN;
    if (size > SIZE_MAX - head - ALIGN) return NULL;
    bool clean = size != BLOCK;
    unsigned char *raw = clean ? calloc(1, head + size + ALIGN) : malloc(head + size + ALIGN);
    if (raw == NULL) return NULL;
    if (clean) wish_huge(raw, head + size);
    unsigned char *at = raw + (ALIGN - (uintptr_t)raw % ALIGN) % ALIGN;
    struct jali_arena_block *b = (struct jali_arena_block *)(void *)at;
    *b = (struct jali_arena_block){
        .size = size, .room = at + head, .raw = raw, .clean = clean
    };
    return b;
}

static void *take_from(struct jali_arena_block *b, size_t bytes)
{
    void *p = b->room + b->used;
    b->used += bytes;
    return b->clean ? p : memset(p, 0, bytes);
}

void *jali_arena_take(jali_arena *a, size_t n, size_t size)
{
    if (size != 0 && n > (SIZE_MAX - ALIGN) / size) return NULL;
    size_t unit = n * size < ALIGN ? sizeof(max_align_t) : ALIGN;
    size_t bytes = (n * size + unit - 1) / unit * unit;
    struct jali_arena_block *b = a->head;
    if (b != NULL) {
        size_t start = (b->used + unit - 1) / unit * unit;
        if (start <= b->size && bytes <= b->size - start) {
            b->used = start;
            return take_from(b, bytes);
        }
    }
    b = new_block(bytes < BLOCK / 4 ? BLOCK : bytes);
    if (b == NULL) return NULL;
    if (bytes >= BLOCK / 4 && a->head != NULL) { /* keep filling the shared block */
        b->next = a->head->next;
        a->head->next = b;
    } else {
        b->next = a->head;
        a->head = b;
    }
    return take_from(b, bytes);
}

char *jali_arena_text(jali_arena *a, const char *text)
{
    size_t n = strlen(text) + 1;
    char *copy = jali_arena_take(a, n, 1);
    return copy == NULL ? NULL : memcpy(copy, text, n);
}

char *jali_arena_format(jali_arena *a, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    char *text = n < 0 ? NULL : jali_arena_take(a, (size_t)n + 1, 1);
    if (text != NULL) vsnprintf(text, (size_t)n + 1, fmt, again);
    va_end(again);
    va_end(ap);
    return text;
}

void jali_arena_clear(jali_arena *a)
{
    while (a->head != NULL) {
        struct jali_arena_block *next = a->head->next;
        free(a->head->raw);
        a->head = next;
    }
}
